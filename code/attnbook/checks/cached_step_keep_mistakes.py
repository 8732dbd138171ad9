"""Mistakes in what a step with a cache keeps.

Dimension letters:
    B batch, t words in the cache, L places, D = d_model, K = d_k, E = d_v.
"""

import torch

from attnbook.checks.cached_step_mistakes import join, right_step, wrong_places


def wrong_caches(x, w_q, w_k, w_v, table, cache):
    """Yield pairs of a hint and the cache of a mistake, a pair."""
    _, grown = right_step(x, w_q, w_k, w_v, table, cache)
    place = 0 if cache is None else cache[0].size(1)
    y = x + table[place]  # (B, 1, D)
    for hint, z in wrong_places(x, w_q, w_k, w_v, table, cache):
        yield hint, join(cache, z @ w_k, z @ w_v)
    yield (
        "the keys have no position",
        (join(cache, x @ w_k, x @ w_v)[0], grown[1]),
    )
    yield (
        "the values have no position",
        (
            grown[0],
            join(cache, x @ w_k, x @ w_v)[1],
        ),
    )
    yield (
        "keys and values are exchanged in the cache; it is (k, v)",
        grown[::-1],
    )
    old_k, new_v = join(cache, y @ w_q, y @ w_v)
    yield "the keys are projected with w_q; they need w_k", (old_k, new_v)
    yield (
        "the cache holds word vectors; hold keys and values, so that nothing "
        "is projected twice",
        (y, y),
    )
    if cache is None:
        return
    new = y @ w_k, y @ w_v
    placed = cache[0] + table[:place] @ w_k, cache[1] + table[:place] @ w_v
    yield (
        "positions are added to the old keys once more; they have theirs",
        join((placed[0], cache[1]), *new),
    )
    yield (
        "positions are added to old keys and values once more; they have "
        "theirs",
        join(placed, *new),
    )
    yield (
        "the keys have grown and the values have not; join both",
        (grown[0], cache[1]),
    )
    yield (
        "the values have grown and the keys have not; join both",
        (cache[0], grown[1]),
    )
    for count in range(2, place + 1):
        yield (
            f"the cache holds the newest {count} words alone; keep them all",
            tuple(y[:, -count:] for y in grown),
        )
    yield "the cache has not grown; return the joined keys and values", cache
    yield (
        "the cache that you return holds only the newest word; join it with "
        "the old ones",
        new,
    )
    yield (
        "the newest is put in front of the old ones; words go on behind",
        tuple(torch.cat([n, o], 1) for n, o in zip(new, cache, strict=True)),
    )
    first = [old[:1].expand_as(old) for old in cache]
    yield (
        "the cache is shared across the batch; every sentence has its own "
        "keys and values",
        tuple(join(first, *new)),
    )
