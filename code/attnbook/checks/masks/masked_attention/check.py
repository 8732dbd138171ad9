"""Check of masked attention.

Dimension letters:
    B batch, H heads, T queries, S keys, d_k per query or key, d_v per value.
"""

import math

import torch

from attnbook.checks.engine.asking import agree
from attnbook.checks.engine.exercise import Case, Exercise, check
from attnbook.checks.engine.steps import table, with_mistakes
from attnbook.checks.engine.verdict import Hint, Mistake
from attnbook.checks.scaling.scaled_attention.check import (
    SIZES,
    SQUARE,
    example,
)

MANY = (2, 3, 2, 150, 11, 13)  # keys, some with very small weights
NARROW = (2, 3, 4, 5, 1, 3)  # d_k = 1: a score is one product, unscaled
FEW = "right for few keys, but not for many: "
COARSE = "scaled = raw / torch.tensor(q.size(-1)).sqrt()"


def masked_attention(q, k, v, mask):
    """Mix the values of the keys that a mask keeps.

    Args:
        q: queries, float, (B, H, T, d_k).
        k: keys, float, (B, H, S, d_k).
        v: values, float, (B, H, S, d_v).
        mask: bool, broadcastable to (B, H, T, S), a True in every row.

    Returns:
        The context, (B, H, T, d_v), and the weights, (B, H, T, S).
    """
    raw = q @ k.mT  # (B, H, T, S)
    scaled = raw / q.size(-1) ** 0.5
    keep = mask.expand_as(raw)  # (B, H, T, S)
    hidden = scaled.masked_fill(~keep, -math.inf)
    weights = hidden.softmax(-1)
    mixing = weights
    context = mixing @ v  # (B, H, T, d_v)
    return context, weights


MISTAKES = table("""
    scaled = raw
        the scores are masked but not scaled; divide by sqrt(d_k)
    scaled = raw / q.size(-1)
        the scores are divided by d_k; divide by sqrt(d_k)
    scaled = raw / (q.size(-1) ** 1 / 2)
        d_k ** 1 / 2 is d_k / 2; write d_k ** 0.5
    scaled = raw / v.size(-1) ** 0.5
        the scores are divided by sqrt(d_v), the width of a value; divide by
        sqrt(d_k), the width of a query
    scaled = raw / k.size(-2) ** 0.5
        the scores are divided by the root of the number of keys; divide by
        sqrt(d_k)
    scaled = raw / q.size(-2) ** 0.5
        the scores are divided by the root of the number of queries; divide by
        sqrt(d_k)
    scaled = raw * q.size(-1) ** 0.5
        the scores are multiplied by sqrt(d_k); divide by it
    scaled = raw / torch.tensor(q.size(-1)).sqrt()
        digits are lost: torch.sqrt of an integer tensor is float32; take the
        root by math.sqrt or ** 0.5
    raw = torch.einsum("bhtk,bgsk->bhts", q, k)
        each query is scored against the keys of all heads; keep the heads
        apart
    raw = torch.einsum("bhtk,chsk->bhts", q, k)
        each query is scored against the keys of all sentences; keep the batch
        apart
    raw = q @ k.reshape(*k.shape[:2], k.size(3), -1)
        reshape or view has mixed up the numbers of k; k.transpose(-2, -1)
        exchanges its axes
    hidden = scaled
        you ignore the mask
    hidden = (scaled - scaled.max()).masked_fill(~keep, -math.inf)
        you subtract the maximum of all scores, hidden ones too, and the rest
        falls out of the range of the type; mask first, or leave the maximum to
        softmax
    keep = ~mask.expand_as(raw)
        the mask is turned round: you hide where it is True; True means may
        attend
    keep = ~mask.expand_as(raw); weights = emptied(hidden)
        the mask is turned round: you hide where it is True; True means may
        attend (and nan_to_num empties rows in which all is hidden)
    keep = by_sentence(mask, raw).expand_as(raw)
        you read a mask of three axes as (B, T, S); axes are counted from the
        last one, so it is (H, T, S): leave it as it is
    keep = mask.expand_as(raw)[:1]
        you use the mask of the first sentence for all of them
    keep = mask.expand_as(raw)[:, :1]
        you use the mask of the first head for all of them
    keep = mask.expand_as(raw)[:, :, :1]
        you use the mask's first row for every query
    keep = turned(mask).expand_as(raw)
        the mask is transposed: its rows are queries, its columns keys
    keep = mask.expand_as(raw).tril()
    keep = mask.expand_as(raw).tril(); weights = emptied(hidden)
        you put a causal mask of your own on top; use the given one alone
    keep = torch.ones_like(raw).tril().bool()
        you use a causal mask of your own and ignore the given one
    keep = mask.expand_as(raw) & (scaled != 0)
        a visible key whose score is 0 gets no weight; ask the mask which keys
        are hidden, not the scores
    hidden = scaled.masked_fill(~keep, 0)
        hidden keys get the score 0, and e^0 = 1 is no small weight (nor is
        that of a score next to 0, such as 1e-9); multiplying by the mask does
        the same; fill with -inf
    hidden = scaled.masked_fill(~keep, -1)
        hidden keys get the score -1, and e^-1 = 0.37; fill with -inf
    hidden = scaled.masked_fill(~keep, -10)
        hidden keys get the score -10, and e^-10 is not 0; real scores can lie
        lower than that, too: fill with -inf
    hidden = scaled.masked_fill(~keep, 1e9)
        hidden keys get the score 1e9, so they get all the weight
    hidden = scaled.masked_fill(~keep, -100)
    hidden = scaled.masked_fill(~keep, -1e4)
    hidden = fixed(scaled, keep, -1e9)
    hidden = scaled.masked_fill(~keep, least(q) / 2)
        hidden keys get a fixed number such as -100, -1e4, -1e9 or finfo.min /
        2, and real scores can lie lower; fill with -inf
    hidden = scaled.masked_fill(~keep, -1e4); weights = zeroed(hidden, keep)
    hidden = fixed(scaled, keep, -1e9); weights = zeroed(hidden, keep)
    hidden = fixed(scaled, keep, -1e4); weights = shares(zeroed(hidden, keep))
        hidden keys get a fixed number such as -1e4 or -1e9, and real scores
        can lie lower: then the hidden keys have taken all, and setting their
        weights to 0 leaves nothing; fill with -inf
    hidden = scaled + keep.to(q)
        you add the mask to the scores as 0 and 1; hidden keys need -inf
    hidden = scaled - 1e4 * (~keep).to(q)
    hidden = scaled + least(q, -1e9) * (~keep).to(q)
    hidden = scaled + least(q) * (~keep).to(q)
        you add a fixed number such as -1e4, -1e9 or finfo.min to the scores of
        hidden keys, and scores can differ by more; fill with -inf
    hidden = scaled - math.inf * (~keep).to(q)
        every weight is NaN: 0 times infinity is NaN, as in (~mask) *
        -math.inf; use masked_fill or torch.where
    hidden = scaled.masked_fill(~keep, math.inf)
        hidden keys get the score inf, and inf - inf is NaN; fill with -inf
    weights = scaled.softmax(-1) * keep
        the mask comes after the softmax, so hidden keys have taken their share
        and the rows do not sum to 1; mask the scores
    weights = scaled.softmax(-1).masked_fill(~keep, -math.inf)
    weights = scaled.softmax(-1).masked_fill(~keep, -1e9)
        you put -inf (or -1e9) into the weights, after the softmax; put it into
        the scores, before the softmax
    weights = torch.zeros_like(raw).scatter(-1, hidden.argmax(-1, True), 1)
        each query takes its best key alone; a softmax gives every visible key
        some weight
    weights = shares(keep.to(q))
        every visible key gets the same weight; the scores are not used
    weights = shares((hidden - hidden.max()).exp())
        rows whose scores lie far below the largest of all are NaN; subtract
        the maximum of each row, not of the whole tensor
    weights = shares(scaled.softmax(-1) * keep)
    weights = shares(scaled.exp() * keep)
        all visible weights have become 0 beside a hidden key (or an
        exponential has overflowed), and 0 / 0 is NaN; mask the scores before
        the softmax
    weights = shares(scaled.softmax(-1) * keep, 1e-9)
        rows with a hidden key have no weight left: the mask comes after the
        exponential, where a hidden key has made all others 0; mask the scores,
        then nothing has to be repaired by 1e-9 or nan_to_num
    weights = hidden.exp() / (1 + hidden.exp().sum(-1, True))
        the rows of the weights do not sum to 1; take the softmax of the masked
        scores over the keys, and add nothing to its sum
    weights = hidden.softmax(2)
        the softmax runs over the queries, and where all of one column is
        hidden that is NaN; it runs over the keys, the last axis
    weights = hidden.softmax(1)
        the softmax runs over the heads, and where all of one column is hidden
        that is NaN; it runs over the keys, the last axis
    weights = hidden.softmax(0)
        the softmax runs over the batch, and where all of one column is hidden
        that is NaN; it runs over the keys, the last axis
    weights = emptied(hidden, 2)
        the softmax runs over the queries; it runs over the keys, the last axis
    weights = hidden.clamp(min=-1e9).softmax(2)
        the weights sum to 1 over the queries, not over the keys; normalise the
        last axis
    weights = hidden.clamp(min=-1e9).softmax(1)
        the weights sum to 1 over the heads, not over the keys; normalise the
        last axis
    weights = hidden; mixing = hidden.softmax(-1)
    weights = hidden
        you return the masked scores; normalise them with a softmax
    weights = scaled; mixing = hidden.softmax(-1)
    weights = scaled
        you return the scores; mask and normalise them
    weights = hidden.softmax(-1).softmax(-1)
    weights = hidden.softmax(-1).masked_fill(~keep, -math.inf).softmax(-1)
    weights = scaled.softmax(-1).masked_fill(~keep, -math.inf).softmax(-1)
        you take the softmax twice
    weights = hidden.log_softmax(-1)
        you return the logarithm of the weights; use softmax, not log_softmax
    weights = scaled.softmax(-1); mixing = hidden.softmax(-1)
        the context is right, but not the weights: you return those of all
        keys; return the masked ones
    weights = scaled.softmax(-1); mixing = weights * keep
        you mask the weights after the softmax and for the context alone; mask
        the scores, and return the weights that you mix with
    mixing = scaled.softmax(-1)
        the weights are right, but the context is mixed by unmasked ones; use
        the weights that you return
    mixing = scaled.softmax(-1) * keep
        the weights are right, but the context is mixed by weights that were
        masked after the softmax
    mixing = torch.full_like(weights, 1 / k.size(2))
        the weights are right, but the context is the mean of all values
    mixing = scaled.masked_fill(keep, -math.inf).softmax(-1).nan_to_num()
        the weights are right, but the context is mixed by a mask that is
        turned round; True means may attend
    mixing = (scaled + torch.full_like(raw, -math.inf).triu(1)).softmax(-1)
        the weights are right, but the context is mixed under a causal mask
        (is_causal?); use the given one
    context = mixing @ v[:, :1]
        the weights are right, but you mix the values of the first head
""")


def shares(x, more=0.0):
    """Divide each row by its sum."""
    return x / (x.sum(-1, keepdim=True) + more)


def emptied(scores, axis=-1):
    """Return the weights of scores, and 0 where they are NaN."""
    return scores.softmax(axis).nan_to_num()


def zeroed(scores, keep):
    """Return the weights of scores, with 0 at hidden keys."""
    return scores.softmax(-1) * keep


def least(q, number=-math.inf):
    """Return a number, or the least one of this type if that is more."""
    return max(number, torch.finfo(q.dtype).min)


def fixed(scores, keep, number):
    """Return the scores with a number at hidden keys."""
    return scores.masked_fill(~keep, least(scores, number))


def turned(mask):
    """Return a mask with rows and columns exchanged, where that fits."""
    square = mask.size(-1) == mask.size(-2)
    return mask.mT if square else mask


def by_sentence(mask, raw):
    """Return a mask of three axes as (B, 1, T, S), where that fits."""
    fits = mask.dim() == 3 and len(mask) == len(raw)
    return mask[:, None] if fits else mask


def with_small_mistakes(answer, *inputs):
    """Call the answer; raise a mistake that lies below the tolerance."""
    result = answer(*inputs)
    q, *_, mask = inputs
    full = (*q.shape[:3], mask.size(-1))
    if not isinstance(result, (tuple, list)) or len(result) != 2:
        return result
    weights = result[1]
    if not isinstance(weights, torch.Tensor) or weights.shape != full:
        return result
    leaked = weights.detach().masked_fill(mask, 0).max().item()
    if 1e-30 < leaked < 1e-6:
        raise Mistake(
            "hidden keys get a weight of up to {}; it must be exactly "
            "0, so fill with -inf and add nothing to the weights (no "
            "1e-9, no clamp)",
            f"{leaked:.0e}",
        )
    if q.dtype == torch.float64 and answer is not masked_attention:
        refuse_coarse_root(weights, inputs)
    return result


def refuse_coarse_root(weights, inputs):
    """Raise a mistake if the scores are divided by a root in float32."""
    right = masked_attention(*inputs)[1:]
    coarse = with_mistakes(masked_attention, COARSE)(*inputs)[1:]
    near = agree((weights,), coarse, 1e-13)
    if near and not agree((weights,), right, 1e-13):
        hints = {row.wrong: row.hint for row in MISTAKES}
        raise Mistake(hints[COARSE])


def guess(results, rights, inputs):
    """Return a hint for weights that no row explains, or None."""
    (_, weights), (_, right), (q, k, _, mask) = results, rights, inputs
    shown = mask.expand_as(right) & (right > 1e-12)  # (B, H, T, S)
    dropped, kept = shown & (weights == 0), shown & (weights > 0)
    if dropped.any() and kept.any(-1).all():
        return (
            "a visible key gets the weight 0; every visible key keeps what "
            "the softmax gives it, however small (no top-k, no threshold)"
        )
    if agree((weights,), (right,), 1e-3):
        return None
    sums = weights.sum(-1)  # (B, H, T)
    hidden = weights.masked_fill(mask.expand_as(weights), 0)
    if not agree((sums,), (torch.ones_like(sums),), 1e-2):
        return (
            "the rows of the weights do not sum to 1; take the softmax of the "
            "masked scores over the keys, and add nothing to it"
        )
    if (hidden.abs() > 1e-6).any():
        return (
            "hidden keys get some weight; every weight where the mask is "
            "False must be 0"
        )
    if right.max(-1).values.min() > 0.999:
        return (
            "the rows sum to 1 and hidden keys get 0, but large scores are "
            "changed; leave clamp and the like out"
        )
    c = factor_of(weights, q @ k.mT, mask)
    if c is not None:
        return Hint(
            "your weights are a softmax of the scores divided by {}; "
            "that number must be sqrt(d_k)",
            f"{1 / c:.3g}",
        )
    return (
        "the rows sum to 1 and hidden keys get 0, but the weights are wrong: "
        "the scores are not q . k / sqrt(d_k), or the softmax is not the "
        "plain one of them"
    )


def factor_of(weights, raw, mask):
    """Return c if the weights are a masked softmax of c times raw."""
    keep = mask.expand_as(raw)  # (B, H, T, S)
    some = weights.double().clamp(min=1e-30).log(), raw.double()
    logs, raw = (
        (x - x.where(keep, 0).sum(-1, True) / keep.sum(-1, True))[keep]
        for x in some
    )
    c = ((logs * raw).sum() / raw.square().sum()).item()
    return c if c and (logs - c * raw).abs().max() < 1e-3 else None


def mask_of(draws, kind, sizes):
    """Return a mask with at least one True in every row."""
    b, h, t, s, _, _ = sizes
    if kind == "padding":  # (B, 1, 1, S)
        words = (s - 1 - torch.arange(b)).clamp(min=1)
        return (torch.arange(s) < words[:, None])[:, None, None]
    if kind == "causal":  # (T, S)
        return torch.ones(t, s, dtype=torch.bool).tril()
    if kind == "open":  # (1, 1, T, S)
        return torch.ones(1, 1, t, s, dtype=torch.bool)
    if kind == "by head":  # (1, H, 1, S)
        return torch.arange(s) < torch.arange(h).view(1, h, 1, 1) % s + 1
    if kind == "three axes":  # (H, T, S)
        return mask_of(draws, "every", (1, *sizes[1:]))[0]
    generator = draws.seeded(7 if kind == "other" else 6)
    mask = torch.rand(b, h, t, s, generator=generator) < 0.5
    place = torch.arange(t).view(-1, 1).expand(b, h, t, 1) % s
    return mask.scatter(-1, place, torch.ones_like(place, dtype=torch.bool))


def inputs_of(draws, kind, sizes=SIZES, **how):
    """Return queries, keys, values and a mask."""
    return (*example(draws, sizes, **how), mask_of(draws, kind, sizes))


def with_scores(draws, visible, hidden, dtype):
    """Return inputs with these scores, at most; one key a row is visible."""
    q, k, v, _ = inputs_of(draws, "padding", NARROW, dtype=dtype)
    place = torch.arange(k.size(2))
    mask = (place == torch.arange(len(k))[:, None])[:, None, None]
    keys = torch.where(mask, visible, hidden * (1 - place / 8)).mT
    return torch.ones_like(q), keys.to(dtype) + 0 * k, v, mask


def decisive(draws, dtype=torch.float32):
    """Return inputs whose hidden keys would win by hundreds."""
    q, k, v, mask = inputs_of(draws, "padding", dtype=dtype)
    k = torch.where(mask.mT, k, 100 * (k.abs() + 1))
    return q.abs() + 1, k, v, mask


def far_apart(draws):
    """Return inputs whose visible scores differ by thousands."""
    q, k, v, mask = inputs_of(draws, "every")
    place = torch.arange(k.size(2)).view(-1, 1) - 3.0  # (S, 1)
    return torch.ones_like(q), 1e4 * place.expand_as(k), v, mask


def with_many_keys(draws, dtype=torch.float32):
    """Return inputs with weights from near 1 down to 1e-8."""
    q, k, v, mask = inputs_of(draws, "padding", MANY, dtype=dtype)
    return 3 * q, k, v, mask


def with_zeros(draws):
    """Return inputs in which all scores of one visible key are 0."""
    q, k, v, mask = inputs_of(draws, "every")
    k = torch.where(torch.arange(k.size(2)).view(-1, 1) == 2, 0.0, k)
    return q, k, v, mask


def cases(draws):
    """Yield all cases."""
    for shown, inputs, *tolerance in (
        ("", inputs_of(draws, "every")),
        ("right for a mask of shape (B, H, T, S), but not for a padding "
         "mask, (B, 1, 1, S): ", inputs_of(draws, "padding")),
        ("right for masks with four axes, but not for a causal one, (T, S): ",
         inputs_of(draws, "causal", SQUARE)),
        ("right while all sizes differ, but not when T = S (do the same at "
         "every size): ", inputs_of(draws, "every", SQUARE)),
        (FEW, with_many_keys(draws)),
        ("right, but not for another mask of the same shape (is something "
         "kept between calls?): ", inputs_of(draws, "other")),
        ("right for masks with two and four axes, but not with three, "
         "(H, T, S): ", inputs_of(draws, "three axes", (3, 3, 4, 7, 11, 13))),
        ("right, but not for a mask of shape (1, H, 1, S): ",
         inputs_of(draws, "by head")),
        ("right, but not when a visible key has the score 0: ",
         with_zeros(draws)),
        ("right when something is hidden, but not when nothing is: ",
         inputs_of(draws, "open")),
        ("right for small scores, but not when a hidden key has a score far "
         "above the others: ", decisive(draws), 1e-3),
        ("right for small scores, but not for visible ones that lie "
         "thousands apart: ", far_apart(draws)),
        (FEW, with_many_keys(draws, torch.float64), 1e-13),
        ("right for float32, but not for float64: ",
         inputs_of(draws, "every", dtype=torch.float64), 1e-13),
        ("right for float32, but not for float16: ",
         inputs_of(draws, "every", dtype=torch.float16), 1e-2),
        ("right for small scores, but not when all visible scores are very "
         "low: ", with_scores(draws, -(2.0**120), 2.0**120, torch.float64)),
        ("right for small scores, but not for float16 when all visible "
         "scores are very low: ",
         with_scores(draws, -4e4, 6e4, torch.float16), 1e-2),
        ("right, but not for one sentence: ",
         inputs_of(draws, "every", (1, 3, 5, 7, 11, 13))),
        ("right, but not for one head: ",
         inputs_of(draws, "every", (2, 1, 5, 7, 11, 13))),
        ("right, but not for one query: ",
         inputs_of(draws, "every", (2, 3, 1, 7, 11, 13))),
    ):  # fmt: skip
        yield Case(shown, inputs, *tolerance)


def exercise(draws):
    """Return the exercise with its inputs."""
    return Exercise(
        right=masked_attention,
        returns={
            "the context": "B H T d_v",
            "the tensor of weights": "B H T S",
        },
        takes=("B H T d_k", "B H S d_k", "B H S d_v", ""),
        cases=tuple(cases(draws)),
        mistakes=MISTAKES,
        combine=("raw", "scaled", "keep", "hidden", "weights"),
        errors={  # the numbers are those of the first case
            "[15, 11] but got: [15, 7]": "q @ k needs k.transpose(-2, -1); "
            "k.T turns all four axes round",
            "[15, 11] but got: [15, 13]": "queries are scored against values; "
            "score them against the keys",
            "a (7) must match the size of tensor b (4)": "your scores have "
            "one row per key; rows are queries: q @ k.transpose(-2, -1) (or "
            "is the mask transposed?)",
            "a (4) must match the size of tensor b (7)": "the mask is "
            "transposed; its rows are queries already, leave it (or have your "
            "scores one row per key?)",
            "only supports boolean masks": "leave the mask bool; ~mask turns "
            "it round",
            "The shape of the mask": "the mask may have fewer axes than the "
            "scores, or axes of size 1; masked_fill and torch.where "
            "broadcast, indexing does not",
            "without overflow": "a number below -65504 such as -1e9 is no "
            "float16 number; masked_fill with -inf keeps the type",
            "expected scalar type": "float32 has come in: a mask times a "
            "number is float32, and new tensors are float32 unless you say "
            "dtype=q.dtype; masked_fill with -inf keeps the type",
        },
        help="the scores are q @ k.transpose(-2, -1), where k.T would turn "
        "all four axes round; the mask broadcasts to them as it is",
        guess=guess,
        through=with_small_mistakes,
        trains=(
            ("", inputs_of(draws, "padding")),
            ("", inputs_of(draws, "every")),
        ),
        smooth=(
            (
                "the numbers are right, but a gradient is NaN: an exponential "
                "has overflowed, and throwing it away afterwards does not "
                "help its gradient; mask the scores first",
                decisive(draws, torch.float64),
            ),
        ),
    )


check_masked_attention = check(exercise)
