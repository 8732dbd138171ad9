"""The wrong running softmaxes that the check knows by name.

Dimension letters:
    T queries, S keys, E width of a value, b keys in a block; "..." stands
    for any leading axes.
"""

import itertools
import math
from dataclasses import dataclass, replace

import torch


@dataclass(frozen=True)
class Way:
    """One way to go over the blocks; the default is the right one."""

    parts: str = "all"  # which blocks
    level: str = "running"  # what is subtracted from a block's scores
    total: str = "shrunk"  # what becomes of the sum before this block
    mixed: str = "shrunk"  # what becomes of the mixture before it
    end: str = "divide"  # what is returned


RIGHT = Way()
CHOICES = {
    "parts": {
        "whole": "the last block is lost when it is shorter than the others; "
        "go on to the last key: range(0, S, block)",
        "but last": "the last block is never read",
        "first": "you return after the first block; is the return inside the "
        "loop?",
        "but first": "the first block is never read",
        "same values": "every block mixes the values of the first block; cut "
        "the values where you cut the scores",
        "reach back": "the last block reaches back, and reads keys again that "
        "were read; let it be shorter",
        "overlap": "your blocks overlap: a slice from at to at + block, "
        "without the key at + block itself, is one block",
    },
    "level": {
        "own": "each block subtracts its own maximum, and what was summed "
        "before is not brought to it; keep the running maximum of all blocks",
        "before": "you subtract the maximum of the blocks before this one; "
        "take this block into the running maximum first",
    },
    "total": {
        "kept": "the sum of the blocks before must shrink by e^(old - new "
        "maximum) too, as the mixture does",
        "grown": "the factor of the sum is the wrong way round: e^(old - new "
        "maximum), which is at most 1",
        "replaced": "the sum forgets the blocks before, so that you divide by "
        "that of the last block alone; add to it",
        "after": "the sum of this block must not shrink, only that of the "
        "blocks before",
    },
    "mixed": {
        "kept": "the mixture of the values must shrink by e^(old - new "
        "maximum) too, as the sum does",
        "grown": "the factor of the mixture is the wrong way round: e^(old - "
        "new maximum), which is at most 1",
        "replaced": "the mixture forgets the blocks before; add to it",
        "after": "what this block adds to the mixture must not shrink, only "
        "what was there before",
    },
    "end": {
        "whole": "the division by the sum is missing",
        "inside": "you divide inside the loop, and the next block is added to "
        "what is divided already; divide once, after the last block",
        "part": "you divide what each block adds by the sum so far; divide "
        "once, after the last block",
        "keys": "you divide by the number of keys; divide by the sum of the "
        "powers",
        "sum": "you return the sum of the powers; return mixture / sum",
        "logarithm": "you return the logarithm of the sum; return mixture / "
        "sum",
    },
}
BOTH = {  # two choices that are one mistake
    "nothing is rescaled: when a block brings a new maximum, the sum and the "
    "mixture of the blocks before must shrink by e^(old - new maximum)": {
        "total": "kept",
        "mixed": "kept",
    },
    "nothing is rescaled, and each block subtracts its own maximum; keep a "
    "running maximum, and shrink sum and mixture by e^(old - new maximum)": {
        "level": "own",
        "total": "kept",
        "mixed": "kept",
    },
    "the factor is the wrong way round: e^(old - new maximum), which is at "
    "most 1": {"total": "grown", "mixed": "grown"},
    "sum and mixture forget the blocks before; add to them": {
        "total": "replaced",
        "mixed": "replaced",
    },
    "you shrink after you have added this block; only what was there before "
    "the block must shrink": {"total": "after", "mixed": "after"},
}


def spans(size, block, parts):
    """Return (first key, one past the last) of every block that is read."""
    found = [(a, min(a + block, size)) for a in range(0, size, block)]
    if parts == "overlap":
        return [(a, min(b + 1, size)) for a, b in found]
    if parts == "reach back":
        return [(max(min(a, size - block), 0), b) for a, b in found]
    whole = [(a, b) for a, b in found if b - a == block]
    return {
        "whole": whole,
        "but last": found[:-1],
        "first": found[:1],
        "but first": found[1:],
    }.get(parts, found)


def carried(old, new, shrink, choice):
    """Join what was there with what a block adds."""
    if choice == "after":
        return shrink * (old + new)
    grown = (1 / shrink).nan_to_num(posinf=0)  # nothing stood there
    factor = {"kept": 1.0, "grown": grown, "replaced": 0.0}
    return factor.get(choice, shrink) * old + new


def run(way, scores, values, block):
    """Return what a way of going over the blocks gives.

    Args:
        way: a `Way`.
        scores: float, (..., T, S).
        values: float, (..., S, E).
        block: keys in a block.
    """
    largest = scores.new_full((*scores.shape[:-1], 1), -math.inf)
    total, mixed = torch.zeros_like(largest), 0
    for a, b in spans(scores.size(-1), block, way.parts):
        part = scores[..., a:b]  # (..., T, b)
        own = part.amax(-1, keepdim=True)  # (..., T, 1)
        level = own if way.level == "own" else torch.maximum(largest, own)
        used = largest if way.level == "before" else level
        powers = (part - used.nan_to_num(neginf=0)).exp()  # (..., T, b)
        shrink = (largest - level).exp()  # (..., T, 1)
        first = 0 if way.parts == "same values" else a
        v = values[..., first : first + b - a, :]
        new = powers.sum(-1, keepdim=True)  # (..., T, 1)
        total = carried(total, new, shrink, way.total)
        part = powers @ v / (total if way.end == "part" else 1.0)
        mixed = carried(mixed, part, shrink, way.mixed)
        if way.end == "inside":
            mixed = mixed / total
        largest = level
    return returned(way.end, largest, total, mixed, scores.size(-1))


def returned(end, largest, total, mixed, size):
    """Return what stands after the last block."""
    if end == "sum":
        return total
    if end == "logarithm":
        return largest + total.log()
    by = dict.fromkeys(("whole", "inside", "part"), 1.0) | {"keys": size}
    return mixed / by.get(end, total)


def ways():
    """Return (number of mistakes, hint, `Way`) of wrong ways, fewest first."""
    rows = [
        (field, hint, {field: choice})
        for field, choices in CHOICES.items()
        for choice, hint in choices.items()
    ]
    rows += [("both", hint, changes) for hint, changes in BOTH.items()]
    found = [(1, hint, replace(RIGHT, **changes)) for _, hint, changes in rows]
    for (_, one, a), (_, other, b) in itertools.combinations(rows, 2):
        if not set(a) & set(b):
            hint = f"two mistakes: {one}; and {other}"
            found.append((2, hint, replace(RIGHT, **a, **b)))
    return sorted(found, key=lambda row: row[0])


def wrong_whole(scores, values, block):
    """Return pairs of a hint and what another formula gives."""
    blocks = spans(scores.size(-1), block, "all")
    each = [
        scores[..., a:b].softmax(-1) @ values[..., a:b, :] for a, b in blocks
    ]
    lengths = torch.tensor([b - a for a, b in blocks])
    sizes = lengths / lengths.sum()
    weighted = [x * size for x, size in zip(each, sizes, strict=True)]
    narrow = values.size(-1) ** -0.5
    short = "you scale the scores; they come scaled already"
    return [
        (
            "you average the contexts of the blocks; a block counts as much "
            "as its sum of powers, not as much as every other",
            sum(each) / len(each),
        ),
        (
            "you add the contexts of the blocks, each divided by its own sum; "
            "one sum over all blocks divides",
            sum(each),
        ),
        (
            "you weight the contexts of the blocks by their lengths; a block "
            "counts as much as its sum of powers",
            sum(weighted),
        ),
        (short, (scores * narrow).softmax(-1) @ values),
        (short, (scores * block**-0.5).softmax(-1) @ values),
        (
            "you take powers of 2; take powers of e",
            (scores * math.log(2)).softmax(-1) @ values,
        ),
        (
            "the weights are not used: you average the values",
            values.mean(-2, keepdim=True).expand(each[0].shape),
        ),
        (
            "your weights sum to 1 over the queries; they must over the keys",
            scores.softmax(-2) @ values,
        ),
        (
            "you take the value of the largest score alone",
            torch.zeros_like(scores).scatter(
                -1, scores.argmax(-1, keepdim=True), 1.0
            )
            @ values,
        ),
        ("the sign of the scores is wrong", (-scores).softmax(-1) @ values),
        ("the softmax is missing: you mix by the scores", scores @ values),
    ]


def wrong_contexts(scores, values, block):
    """Yield pairs of a hint and the result that the mistake gives."""
    listed = ways()
    single = [row for row in listed if row[0] == 1]
    for _, hint, way in single:
        yield hint, run(way, scores, values, block)
    yield from wrong_whole(scores, values, block)
    for _, hint, way in listed[len(single) :]:
        yield hint, run(way, scores, values, block)
