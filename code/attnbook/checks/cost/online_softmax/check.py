"""Check of the softmax that goes over the keys in blocks.

Dimension letters:
    T queries, S keys, d_v width of a value, b keys in a block; "..." stands
    for leading axes.
"""

import math

import torch

from attnbook.checks.cost.online_softmax.spy import WATCHED, watched
from attnbook.checks.engine.calling import close
from attnbook.checks.engine.exercise import Case, Exercise, check
from attnbook.checks.engine.steps import table
from attnbook.checks.engine.verdict import Mistake


def online_softmax(scores, values, block):
    """Mix values by the softmax of their scores, block by block.

    Args:
        scores: scaled, float, (..., T, S); -inf hides a key.
        values: float, (..., S, d_v).
        block: keys in a block, the most that are computed with at once.

    Returns:
        The context, (..., T, d_v).
    """
    size = scores.size(-1)
    starts = range(0, size, block)
    spans = [(i, min(i + block, size)) for i in starts]
    largest = torch.full_like(scores[..., :1], -math.inf)
    total, mixed = torch.zeros_like(largest), 0.0
    for first, last in spans:
        part = scores[..., first:last]  # (..., T, b)
        own = part.amax(-1, keepdim=True)  # (..., T, 1)
        level = torch.maximum(largest, own)
        safe = level.masked_fill(level == -math.inf, 0)
        used = safe
        powers = (part - used).exp()
        shrink = (largest - safe).exp()
        factors = shrink, shrink
        v = values[..., first:last, :]
        news = powers.sum(-1, keepdim=True), powers @ v
        grown = factors[0] * total + news[0]
        mixture = factors[1] * mixed + news[1]
        largest, total, mixed = level, grown, mixture
    context = mixed / total
    return context


MISTAKES = table("""
    starts = range(0, size - block + 1, block)
        the last block is lost when it is shorter than the others; go on to the
        last key: range(0, S, block)
    starts = range(0, size - block, block)
        the last block is never read
    starts = [0]
        you return after the first block; is the return inside the loop?
    starts = range(block, size, block)
        the first block is never read
    spans = [(i, i + block + 1) for i in starts]
        your blocks overlap: a slice from at to at + block, without the key at
        + block itself, is one block
    spans = [(max(min(i, size - block), 0), i + block) for i in starts]
        the last block reaches back, and reads keys again that were read; let
        it be shorter
    v = values[..., : last - first, :]
        every block mixes the values of the first block; cut the values where
        you cut the scores
    part = scores[..., first:last] * values.size(-1) ** -0.5
    part = scores[..., first:last] * block**-0.5
        you scale the scores; they come scaled already
    part = scores[..., first:last] * math.log(2)
        you take powers of 2; take powers of e
    part = -scores[..., first:last]
        the sign of the scores is wrong
    used = largest.nan_to_num(neginf=0)
        you subtract the maximum of the blocks before this one; take this block
        into the running maximum first
    factors = 1, shrink
        the sum of the blocks before must shrink by e^(old - new maximum) too,
        as the mixture does
    factors = shrink, 1
        the mixture of the values must shrink by e^(old - new maximum) too, as
        the sum does
    factors = 1, 1
        nothing is rescaled: when a block brings a new maximum, the sum and the
        mixture of the blocks before must shrink by e^(old - new maximum)
    level = own; factors = 1, 1
        nothing is rescaled, and each block subtracts its own maximum; keep a
        running maximum, and shrink sum and mixture by e^(old - new maximum)
    level = own; factors = 1, shrink
    level = own; factors = shrink, 1
        each block subtracts its own maximum, and what was summed before is not
        brought to it; keep the running maximum of all blocks
    factors = (1 / shrink).nan_to_num(posinf=0), shrink
        the factor of the sum is the wrong way round: e^(old - new maximum),
        which is at most 1
    factors = shrink, (1 / shrink).nan_to_num(posinf=0)
        the factor of the mixture is the wrong way round: e^(old - new
        maximum), which is at most 1
    factors = [(1 / shrink).nan_to_num(posinf=0)] * 2
        the factor is the wrong way round: e^(old - new maximum), which is at
        most 1
    factors = 0, shrink
        the sum forgets the blocks before, so that you divide by that of the
        last block alone; add to it
    factors = shrink, 0
        the mixture forgets the blocks before; add to it
    factors = 0, 0
        sum and mixture forget the blocks before, or the maximum stays at -inf,
        which makes their factor 0; keep all three for the next block
    news = shrink * powers.sum(-1, keepdim=True), powers @ v
        the sum of this block must not shrink, only that of the blocks before
    news = powers.sum(-1, keepdim=True), shrink * powers @ v
        what this block adds to the mixture must not shrink, only what was
        there before
    news = shrink * powers.sum(-1, keepdim=True), shrink * powers @ v
        you shrink after you have added this block; only what was there before
        the block must shrink
    mixture = (factors[1] * mixed + news[1]) / grown; context = mixed
        you divide inside the loop, and the next block is added to what is
        divided already; divide once, after the last block
    mixture = factors[1] * mixed + news[1] / grown; context = mixed
        you divide what each block adds by the sum so far; divide once, after
        the last block
    mixture = mixed + part.softmax(-1) @ v; context = mixed / len(spans)
        you average the contexts of the blocks; a block counts as much as its
        sum of powers, not as much as every other
    mixture = mixed + part.softmax(-1) @ v; context = mixed
        you add the contexts of the blocks, each divided by its own sum; one
        sum over all blocks divides
    mixture = mixed + v.size(-2) * part.softmax(-1) @ v; context = mixed / size
        you weight the contexts of the blocks by their lengths; a block counts
        as much as its sum of powers
    context = mixed
        the division by the sum is missing
    context = mixed / size
        you divide by the number of keys; divide by the sum of the powers
    context = total
        you return the sum of the powers, one number per query; return mixture
        / sum
    context = largest + total.log()
        you return the logarithm of the sum; return mixture / sum
    context = values.mean(-2, keepdim=True).expand_as(mixed)
        the weights are not used: you average the values
    context = scores.softmax(-2) @ values
        your weights sum to 1 over the queries; they must over the keys
    context = F.one_hot(scores.argmax(-1), size).to(values) @ values
        you take the value of the largest score alone
    context = scores @ values
        the softmax is missing: you mix by the scores
""")
WRONG = (
    "the numbers are not those of softmax(scores) @ values; follow two blocks "
    "of two keys by hand"
)
NAN = {  # what a number that is none, or wrong, means at some scores
    "": "NaN or infinity for small scores: before the first block the maximum "
    "is -inf, and the factor e^(old - new) is 0 there; is yours the other way "
    "round, or a sum still 0?",
    "large": "no maximum is subtracted: e to several hundred overflows; "
    "subtract the running maximum before the exponential, and clamp no score",
    "wide": "you do not subtract the largest score: e to the rest overflows, "
    "or every power is 0; take amax, not the mean, the minimum or the largest "
    "absolute value",
    "rising": "the maximum of the first block is kept; a later block brings a "
    "larger one, and its powers overflow",
    "falling": "you subtract each block's own maximum; when it is far below "
    "the one before, e^(old - new) overflows. Take the larger of the two, the "
    "running maximum",
    "low": "the running maximum must not start at 0 or another number that "
    "scores may lie below; start at -inf, and clamp nothing",
    "far": "you take one maximum for all queries; every query needs its own "
    "(dim=-1, keepdim=True)",
    "far apart": "you take one maximum for all sentences or heads; every "
    "query of each needs its own (dim=-1, keepdim=True)",
    "zeros": "a score of 0 is a score like any other; only -inf hides a key",
    "later": "a block whose scores are all -inf adds nothing; yours gives "
    "NaN, a hidden key still has a weight (e^-inf is 0: put no finite number "
    "in the place of -inf), or visible keys are lost with it",
    "first": "the first block is hidden from one query, all its scores are "
    "-inf, and -inf minus -inf is NaN; subtract 0 where the maximum is still "
    "-inf",
    "below": "scores may lie far below 0; keep -inf as the maximum of a "
    "hidden block, and put 0 in its place only where you subtract it",
    "all": "a block that is hidden from every query adds nothing; go on with "
    "the next one, with no break and without a NaN",
    "hidden": "a hidden key still has a weight; e^-inf is 0, so put no finite "
    "number in the place of -inf",
}


def through(answer, scores, values, block):
    """Return the context; watch how it is made at some sizes.

    Where scores lie far from 0, NaN is a number, which no row explains.
    """
    if scores.shape == WATCHED and answer is not online_softmax:
        return watched(answer, scores, values, block)
    result, want = answer(scores, values, block), scores.softmax(-1) @ values
    if not isinstance(result, torch.Tensor) or result.shape != want.shape:
        return result
    share = result.detach() / want
    even = close(share, share[..., :1].expand_as(share), 1e-11)
    if result.dtype == torch.float64 and even and 1e-10 < 1 - share.min() < 1:
        raise Mistake(
            "the context is a little too small: add nothing to the sum that "
            "you divide by; it is never 0"
        )
    return result.nan_to_num(*[math.nan if scores.abs().max() < 20 else 0] * 3)


def strided(x):
    """Return the same numbers with the axes reversed in memory."""
    axes = tuple(reversed(range(x.dim())))
    return x.permute(axes).contiguous().permute(axes)


def inputs_of(draws, kind, shape, block, factor=1.0, dtype=torch.float32):
    """Draw scores and values, neither contiguous, and the block."""
    *lead, t, s, e = shape
    generator = draws.seeded(16)
    scores = torch.randn(*lead, s, t, generator=generator).double()
    values = torch.randn(*lead, e, s, generator=generator).double().mT
    scores = factor * scores.mT  # (..., T, S)
    ramp = torch.arange(s) // block * 300.0  # (S,)
    queries = torch.arange(t)[:, None].double()  # (T, 1)
    scores = scores + {
        "large": 400.0,
        "wide": 50.0 - scores.amax(-1, keepdim=True),
        "rising": ramp,
        "falling": -ramp,
        "far": -900.0 * queries,
        "far apart": -900.0 * torch.arange(shape[0])[:, None, None],
        "low": -30000.0,
        "below": -500.0,
        "hidden": -30000.0,
    }.get(kind, 0.0)
    if kind == "hidden":
        scores[..., 1], values[..., 1, :] = -math.inf, 1e200
    if kind == "later":
        scores[..., 1, block:] = -math.inf
    if kind == "all":
        scores[..., :block] = scores[..., 2 * block : 3 * block] = -math.inf
    if kind in ("first", "below"):
        hidden = torch.arange(s) < (queries % 3) * block  # (T, S)
        scores = scores.masked_fill(hidden, -math.inf)
    return strided(scores.to(dtype)), strided(values.to(dtype)), block


F64 = torch.float64
SMALL, OPEN = "right for small scores: ", "right if no key is hidden: "
READING = "the numbers are right, but "


def cases(draws):
    """Yield all cases."""
    for shown, kind, shape, block, *more in (
        ("", "", (5, 12, 3), 4, 2.0),
        ("right if the blocks divide the keys, but not if the last is "
         "shorter: ", "", (5, 11, 3), 4, 2.0),
        ("right for some blocks, but not for many: ", "", (3, 29, 4), 2),
        ("right, but not for other scores of the same shape (is something "
         "kept between calls?): ", "", (5, 12, 3), 4, 3.0),
        ("right, but not for a block longer than the row: ", "", (4, 5, 3), 8),
        ("right while sizes differ, not if T = S = d_v: ", "", (6, 6, 6), 2),
        (SMALL, "large", (4, 10, 3), 5),
        (SMALL, "wide", (4, 4, 3), 4, 400.0),
        (SMALL, "rising", (4, 11, 3), 4),
        (SMALL, "falling", (4, 11, 3), 4),
        ("right for float32, but not for float64: ",
         "", (5, 11, 3), 4, 3.0, F64),
        ("right for scores around 0: ", "low", (4, 11, 3), 4, 1.0, F64),
        ("right for rows alike: ", "far", (4, 11, 3), 4),
        ("right for one sentence, not for a batch: ", "", (2, 3, 5, 11, 4), 3),
        ("right for a single sentence: ", "far apart", (3, 4, 11, 5), 4),
        ("right, but not for scores of 0: ", "zeros", (3, 7, 2), 3, 0.0),
        (OPEN, "later", (5, 11, 3), 3),
        (OPEN, "first", (5, 11, 3), 3),
        ("right where a query's first block is hidden and its other scores "
         "lie around 0: ", "below", (5, 11, 3), 3),
        (OPEN, "all", (5, 11, 3), 3),
        (OPEN, "hidden", (5, 11, 3), 3, 1.0, F64),
        ("right, but not for one query and one key: ", "", (1, 1, 2), 3),
        ("right, but not for values of one number: ", "", (1, 1, 5, 1), 2),
        (READING, "", (*WATCHED, 3), 8),
        (READING, "", (*WATCHED, 3), 3),
        (READING, "", (*WATCHED, 3), 1),
    ):  # fmt: skip
        yield Case(
            shown,
            inputs_of(draws, kind, shape, block, *more),
            1e-10 if F64 in more else 1e-4,
            nan=NAN[kind],
            otherwise=NAN[kind] if kind else WRONG,
            only=bool(kind),
            partly=shown is not READING,
        )


def exercise(draws):
    """Return the exercise with its inputs."""
    return Exercise(
        right=online_softmax,
        returns={"the context": "T d_v"},
        takes=("T S", "S d_v", ""),
        cases=tuple(cases(draws)),
        mistakes=MISTAKES,
        combine=("starts", "v", "part", "factors", "context"),
        help="do T, S and d_v stand on the axes where you use them? "
        "keepdim=True?",
        through=through,
        trains=(
            ("", inputs_of(draws, "", (5, 11, 3), 4)),
            ("", inputs_of(draws, "", (2, 3, 5, 11, 4), 3)),
        ),
        smooth=(
            (
                "the context is right, but its gradient is NaN where a block "
                "is hidden: -inf minus -inf was computed (logsumexp and "
                "logaddexp do it too), and mended only afterwards; replace a "
                "maximum of -inf before you subtract it",
                inputs_of(draws, "first", (5, 11, 3), 3),
            ),
        ),
    )


check_online_softmax = check(exercise)
