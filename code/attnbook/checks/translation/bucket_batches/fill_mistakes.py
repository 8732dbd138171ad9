"""What can be wrong with the number of batches, and what decides it."""

import itertools
from collections import Counter

from attnbook.checks.engine.verdict import Hint, Mistake
from attnbook.checks.translation.bucket_batches.mistakes import (
    fill,
    padded,
    width,
)


def judge_fill(batches, want, max_tokens):
    """Raise a mistake if the batches are smaller than they may be."""
    best = len(fill(sorted(want, key=width), max_tokens))
    more = 1.2 if best > 20 else 1.3
    allowed = max(best + 1, round(more * best)) if best > 4 else best
    if max_tokens % width(want[0]) == 0 and len({*map(width, want)}) == 1:
        allowed = best  # all of one length: nothing to choose
    if len(batches) <= allowed:
        return
    say = Hint("{} batches where {} would do: ", len(batches), best)
    if len(batches) == len(want) > 1:
        raise Mistake(
            "{}every pair stands alone; fill a batch up to max_tokens", say
        )
    raise_for_sides(batches, want, max_tokens, say)
    largest = max(map(padded, batches))
    widest = max(map(width, want))
    sizes = Counter(map(len, batches))
    most = max_tokens // widest
    if max(sizes) == most > 1 and sizes[most] >= len(batches) - 1:
        raise Mistake(
            "{}each has as many pairs as would fit of the longest; "
            "batches of short pairs may hold more",
            say,
        )
    full = [batch for batch in batches if len(batch) == max(sizes)]
    if len({*map(width, want)}) > 3 and len(full) > 1:
        room = max((len(b) + 1) * max(map(width, b)) for b in full)
        if room <= max_tokens:
            raise Mistake(
                "{}none has more than {} pairs, though more would fit; "
                "max_tokens alone bounds a batch",
                say,
                max(sizes),
            )
    halves = len(fill(sorted(want, key=width), max_tokens // 2))
    if largest <= max_tokens / 2 and len(batches) <= 1.3 * halves:
        raise Mistake(
            "{}none is more than half full; do you count both sides "
            "together? Or fill to half? The longer one counts alone",
            say,
        )
    if len({*map(width, want)}) > 3 and all(
        len({*map(width, batch)}) == 1 for batch in batches
    ):
        raise Mistake(
            "{}only pairs of one length share a batch; lengths may "
            "differ a little",
            say,
        )
    if len({*map(width, want)}) == 1:
        if largest + widest == max_tokens:
            raise Mistake(
                "{}exactly max_tokens is allowed; use > and not >=", say
            )
        raise Mistake(
            "{}none has more than {} pairs, though {} fit",
            say,
            max(sizes),
            most,
        )
    raise Mistake(
        "{}fill a batch up before you open the next, and begin the next "
        "with its own width",
        say,
    )


def raise_for_sides(batches, want, max_tokens, say):
    """Raise a mistake if a wrong length of a pair decides the batches."""

    def both(pair):
        return sum(map(len, pair))

    def so_many(key, size=padded):
        usual = len(fill(sorted(want, key=key), max_tokens, size))
        return len(batches) <= 1.1 * usual + 1

    large = [b for b in batches if max(map(both, b)) * len(b) > max_tokens]
    if (
        len(batches) > 4
        and not large
        and so_many(both, lambda b: max(map(both, b)) * len(b))
    ):
        raise Mistake(
            "{}do you count both sides together? Or fill to half? The "
            "longer one counts alone, up to max_tokens",
            say,
        )
    keys = {
        "source": lambda pair: len(pair[0]),
        "target": lambda pair: len(pair[1]),
        "shorter side": lambda pair: min(map(len, pair)),
    }
    fine = (
        width,
        lambda pair: [len(side) for side in pair],
        lambda pair: [len(side) for side in pair[::-1]],
    )
    if any(in_a_row(batches, key) for key in fine):
        return
    for name, key in keys.items():
        if in_a_row(batches, key) and so_many(key):
            raise Mistake(
                "{}you sort by the {} alone; sort by the longer side, or by "
                "the target and then the source",
                say,
                Hint(name),
            )


def in_a_row(batches, key):
    """Say whether batches that are cut from pairs in this order look so."""
    ends = sorted((min(map(key, b)), max(map(key, b))) for b in batches)
    return all(a[1] <= b[0] for a, b in itertools.pairwise(ends))
