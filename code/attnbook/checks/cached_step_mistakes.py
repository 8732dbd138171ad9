"""Mistakes in a step with a cache: what each of them returns.

Dimension letters:
    B batch, t words in the cache, L places, D = d_model, K = d_k, E = d_v.
"""

import math

import torch


def attend(q, k, v, divisor=None):
    """Return what attention gives, (B, 1, E)."""
    divisor = math.sqrt(q.size(-1)) if divisor is None else divisor
    return (q @ k.transpose(-2, -1) / divisor).softmax(-1) @ v


def join(cache, k, v):
    """Return the cache, grown by one word."""
    if cache is None:
        return k, v
    return torch.cat([cache[0], k], 1), torch.cat([cache[1], v], 1)


def right_step(x, w_q, w_k, w_v, table, cache):
    """Return the output, (B, 1, E), and the grown cache."""
    place = 0 if cache is None else cache[0].size(1)
    y = x + table[place]  # (B, 1, D)
    grown = join(cache, y @ w_k, y @ w_v)
    return attend(y @ w_q, *grown), grown


def wrong_places(x, w_q, w_k, w_v, table, cache):
    """Yield pairs of a hint and word vectors at a wrong place."""
    place = 0 if cache is None else cache[0].size(1)
    yield (
        "the position starts again at 0 at every step; it goes on where the "
        "cache ends, at table[cache[0].size(1)]",
        x + table[0],
    )
    yield "no position is added; x + table[t], t words in the cache", x
    yield "the position is one place too far", x + table[place + 1]
    yield "the position is one place too early", x + table[place - 1]
    yield "the position is added twice", x + 2 * table[place]
    if len(x) <= len(table):
        yield (
            "each sentence gets the position of the batch row; all get that "
            "of the newest word",
            x + table[: len(x), None],
        )
    if cache is None:
        return
    yield (
        "len(cache) is the number of things in the pair, 2; the words in it "
        "are cache[0].size(1)",
        x + table[len(cache)],
    )
    for other in range(len(table)):
        yield (
            f"the position is that of place {other}, and {place} words are "
            "in the cache; it is table[cache[0].size(1)]",
            x + table[other],
        )


def wrong_outputs(x, w_q, w_k, w_v, table, cache):
    """Yield pairs of a hint and the output of a mistake."""
    place = 0 if cache is None else cache[0].size(1)
    y = x + table[place]  # (B, 1, D)
    q, k, v = y @ w_q, y @ w_k, y @ w_v
    grown = join(cache, k, v)
    for hint, z in wrong_places(x, w_q, w_k, w_v, table, cache):
        yield hint, attend(z @ w_q, *join(cache, z @ w_k, z @ w_v))
    yield "the query has no position", attend(x @ w_q, *grown)
    yield "the keys have no position", attend(q, *join(cache, x @ w_k, v))
    yield "the values have no position", attend(q, *join(cache, k, x @ w_v))
    yield (
        "the score is divided by the square root of the width of a query",
        attend(q, *grown, divisor=1.0),
    )
    widths = {
        "you divide by the square root of the width of the values": len(
            w_v[0]
        ),
        "you divide by the square root of the batch size": len(x),
        "you multiply by the square root of the width; divide by it": (
            1 / q.size(-1)
        ),
        "the width 7 of the first test is written into the scale; read it "
        "off the query, q.size(-1)": 7,
    }
    for hint, width in widths.items():
        yield hint, attend(q, *grown, divisor=math.sqrt(width))
    yield (
        "you divide by the width; divide by its square root",
        attend(q, *grown, divisor=q.size(-1)),
    )
    yield (
        "you divide by the square root of the number of keys; it is that of "
        "the width",
        attend(q, *grown, divisor=math.sqrt(grown[0].size(1))),
    )
    yield (
        "you divide by the square root of d_model; it is that of the query's "
        "width",
        attend(q, *grown, divisor=math.sqrt(x.size(-1))),
    )
    yield (
        "the weights are normalised over the query, of which there is one; "
        "normalise over the keys, dim=-1",
        grown[1].sum(1, keepdim=True),
    )
    yield (
        "you return the weights; mix the values with them",
        (q @ grown[0].transpose(-2, -1) / q.size(-1) ** 0.5).softmax(-1),
    )
    yield (
        "scores are not normalised; take the softmax",
        (q @ grown[0].transpose(-2, -1) / q.size(-1) ** 0.5) @ grown[1],
    )
    rows = [y.flatten(0, 1) for y in grown]
    yield (
        "the words of all sentences are scored; each looks at its own row",
        attend(q[:, 0], *rows)[:, None],
    )
    yield from wrong_mixtures(q, *grown)
    if cache is None:
        return
    yield (
        "the query is projected with w_k",
        attend(k, *grown),
    )
    yield from wrong_pasts(q, k, v, cache, grown, w_k)


def wrong_mixtures(q, k, v):
    """Yield pairs of a hint and a wrong mixture of all values."""
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    yield (
        "the softmax is taken over the sentences, dim=0; it is over the "
        "words, dim=-1",
        scores.softmax(0) @ v,
    )
    yield (
        "scores are divided by their sum; the weights are their softmax",
        scores / scores.sum(-1, keepdim=True) @ v,
    )
    yield (
        "all words have the same weight; the scores are not used",
        v.mean(1, keepdim=True),
    )
    yield "keys are mixed; mix the values", scores.softmax(-1) @ k
    yield (
        "the newest word is joined twice",
        attend(q, *(torch.cat([x, x[:, -1:]], 1) for x in (k, v))),
    )
    yield (
        "scores that are 0 are hidden; a score of 0 counts like another",
        scores.masked_fill(scores == 0, -math.inf).softmax(-1) @ v,
    )
    for count in range(2, k.size(1)):
        yield (
            f"only the newest {count} words are seen; every word in the "
            "cache counts",
            attend(q, k[:, -count:], v[:, -count:]),
        )


def wrong_pasts(q, k, v, cache, grown, w_k):
    """Yield pairs of a hint and an output that reads the wrong words."""
    yield (
        "the cache is not used: the newest word sees itself alone",
        attend(q, k, v),
    )
    yield (
        "the newest word does not see itself; join before you score",
        attend(q, *cache),
    )
    yield (
        "a causal mask hides the past: with one query its only row is the "
        "first; the newest word may see everything, no mask is needed",
        grown[1][:, :1],
    )
    best = (q @ grown[0].transpose(-2, -1)).argmax(-1)[..., None]
    yield (
        "only the best word is read; mix all",
        grown[1].gather(1, best.expand(-1, -1, v.size(-1))),
    )
    first = [old[:1].expand_as(old) for old in cache]
    yield (
        "the cache is shared across the batch; every sentence has its own "
        "keys and values",
        attend(q, *join(first, k, v)),
    )
    if w_k.size(0) >= w_k.size(1):
        again = cache[0] @ w_k[: w_k.size(1)]
        yield (
            "the old keys are projected once more; the cache holds keys",
            attend(q, *join((again, cache[1]), k, v)),
        )
