"""How far an experiment is: a bar on a terminal, plain lines elsewhere."""

import sys
import time

from tqdm import tqdm

EVERY = 5.0  # seconds between two plain lines, at least


def track(items, name, total=None, stream=None):
    """Yield items and report how many are done.

    Args:
        items: what the outermost loop goes through.
        name: what an item is, in plural.
        total: how many there are, for items that are made one by one.
        stream: where to; standard error if None.

    Yields:
        The items, in order.
    """
    if total is None:
        items = list(items)
        total = len(items)
    stream = stream or sys.stderr
    if stream.isatty():
        yield from tqdm(items, name, total, file=stream)
        return
    start = shown = time.monotonic()
    print(f"{name} 0/{total}", file=stream, flush=True)
    for done, item in enumerate(items, 1):
        yield item
        now = time.monotonic()
        if now - shown >= EVERY or done == total:
            shown = now
            line = f"{name} {done}/{total}, {now - start:.0f} s"
            print(line, file=stream, flush=True)
