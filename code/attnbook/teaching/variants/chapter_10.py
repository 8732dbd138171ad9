"""Variants of the exercises of chapter 10, Masks."""

import math

import torch

from attnbook.masks import decoder_mask, padding_mask
from attnbook.teaching.variants import COUNTED, Variant, shuffled
from attnbook.teaching.variants.blind_masks import other_mask
from attnbook.teaching.variants.running import holds_for


# ------------------------------------------------------------ 10.1 predict
def padded(lengths):
    """Return token ids of sentences of these lengths, 1, and 0 for pads."""
    place = torch.arange(max(lengths))
    return (place < torch.tensor(lengths)[:, None]).long()


def mask_answers(targets, sources, place):
    """Return the answers of 10.1.

    Args:
        targets: two lengths.
        sources: two lengths.
        place: 0 or 1, the pair that is asked for in (d).
    """
    source, target = padded(sources), padded(targets)
    of_source, of_target = (padding_mask(x, 0) for x in (source, target))
    decoder = decoder_mask(target, 0)  # (2, 1, T, T)
    causal = torch.ones_like(decoder).tril()
    cross = of_source.expand(-1, -1, target.size(1), -1)
    return {
        "a": [list(of_source.shape), list(of_target.shape)],
        "b shape": list(decoder.shape),
        "b True": decoder.sum((1, 2, 3)).tolist(),
        "c": (decoder != causal).any(-1).nonzero()[:, [0, 2]].tolist(),
        "d": cross[place].sum().item(),
    }


def shapes_and_true(exercise, rng):
    """10.1: other lengths and heads, either pair in (d)."""
    heads, place = rng.choice((2, 3, 4, 6)), rng.randrange(2)
    targets = rng.sample(range(2, 8), 2)
    sources = rng.sample(range(2, 9), 2)
    which = ("first", "second")[place]
    shape = "a shape, [2, 1, 3, 3]"
    return Variant(
        edits=(
            ("eight heads", f"{COUNTED[heads]} heads"),
            ("have 5 and 3 tokens", "have {} and {} tokens".format(*targets)),
            ("the sources 4 and 6", "the sources {} and {}".format(*sources)),
            ("of the first pair", f"of the {which} pair"),
        ),
        answers=mask_answers(targets, sources, place),
        form={
            "a": "two shapes, of the source's and of the target's mask",
            "b shape": shape,
            "b True": "two numbers, [of the first sentence, of the second]",
            "c": "pairs [sentence, row], both counted from 0, in order",
            "d": "a number",
        },
        solution="Pads count for the shapes. Row i of a causal mask has i + 1 "
        "True, and a pad's column has none. In cross-attention every row of "
        "the target, pads too, sees the words of the source.",
    )  # fmt: skip


# -------------------------------------------------------------- 10.2 trace
def normalised(powers):
    """Divide numbers by their sum."""
    return (powers / powers.sum()).tolist()


def hidden_answers(scores, pad, ways):
    """Return the answers of 10.2.

    Args:
        scores: three scores.
        pad: the place of the pad, 0 to 2.
        ways: part -> "-inf", "0" or "after", what is done to the pad.
    """
    scores = torch.tensor(scores, dtype=torch.float64)
    place = torch.arange(3) == pad
    rows = {
        "-inf": normalised(scores.masked_fill(place, -math.inf).exp()),
        "0": normalised(scores.masked_fill(place, 0.0).exp()),
        "after": scores.softmax(0).masked_fill(place, 0.0).tolist(),
    }
    rows = {part: rows[way] for part, way in ways.items()}
    return {
        **rows,
        "sums": [sum(row) for row in rows.values()],
        "changes": next(x for x, way in ways.items() if way == "after"),
    }


DONE = {
    "-inf": "the pad's score is replaced by $-\\infty$",
    "0": "the pad's score is replaced by $0$",
    "after": "the pad's score is left alone, and its *weight* set to 0 after "
    "the softmax",
}
ASKED = (
    "if the score of the pad is (a) replaced by $-\\infty$, (b) replaced by "
    "$0$, (c) left alone, and its *weight* set to 0 after the softmax."
)


def hidden_keys(exercise, rng):
    """10.2: other scores, another pad, the ways in another order."""
    scores, pad = rng.sample((-1, 0, 1, 2, 3), 3), rng.randrange(3)
    while scores[pad] == 0:  # then (b) would be no change
        pad = rng.randrange(3)
    ways = dict(zip("abc", rng.sample([*DONE], 3), strict=True))
    asked = ", ".join(f"({part}) {DONE[way]}" for part, way in ways.items())
    three = "three weights, in the order of the keys"
    powers = ", ".join(
        f"$e^{{{x}}} \\approx {math.exp(x):.2f}$" for x in sorted(scores) if x
    )
    return Variant(
        edits=(
            ("$2, 0, 1$", f"${', '.join(map(str, scores))}$"),
            ("the third key", f"the {('first', 'second', 'third')[pad]} key"),
            ("$e \\approx 2.72$, $e^2 \\approx 7.39$", powers),
            (ASKED, f"if {asked}."),
            ("score becomes 5", f"score becomes {rng.choice((4, 5, 6))}"),
        ),
        answers=hidden_answers(scores, pad, ways),
        form={
            **dict.fromkeys("abc", three),
            "sums": "the three sums, [of a, of b, of c], rounded last",
            "changes": 'the letter of the row that changes, such as "a"',
        },
        tolerance=0.011,
        solution="With $e^s$ of each score, divided by the sum of what is "
        "left in the row. The row with the weight set to 0 changes: its "
        "pad is in the sum.",
    )


# ------------------------------------------------------------ 10.3 Parsons
def next_only(tokens, before, after):
    """Return outputs that depend on tokens from j - before to j + after."""
    out = torch.zeros(1, tokens.size(1), 2)
    for j in range(tokens.size(1)):
        some = tokens[:, max(0, j - before) : j + after + 1]
        out[0, j] = torch.stack([some.sum(), some.square().sum()]).float()
    return out


DECODERS = (  # what an output reads, and whether that is the future
    (lambda x: next_only(x, 0, 0), False),
    (lambda x: next_only(x, 1, 0), False),
    (lambda x: next_only(x, 9, 0), False),
    (lambda x: next_only(x, 9, 1), True),
    (lambda x: next_only(x, 0, 1), True),
    (lambda x: next_only(x, 0, 9), True),
    (lambda x: next_only(x, 9, 0) + x[:, -1].float() * (x.size(1) > 2),
     True),
)  # fmt: skip
SENTENCES = ([1, 4, 2, 6], [3, 3], [5, 1, 1, 2, 4, 3])


def finds_leaks(source):
    """Say whether the lines of 10.3 are a right test for leaks."""

    def right(peeks):
        return all(
            judges(peeks, decode, leaks, ids)
            for decode, leaks in DECODERS
            for ids in SENTENCES
        )

    return holds_for(source, 9, right)


def judges(peeks, decode, leaks, ids):
    """Say whether a test says of one decoder what is true."""
    tokens = torch.tensor([ids])
    leaks = leaks and (len(ids) > 2 or decode is not DECODERS[-1][0])
    found = peeks(decode, tokens, 7)
    return found is leaks and tokens.tolist() == [ids]


NAMES = (
    ("changed", ("changed", "other_tokens", "copy")),
    ("moved", ("moved", "differs", "touched")),
    ("before", ("before", "first", "expected")),
    ("j", ("j", "i", "place")),
    ("peeks", ("peeks", "reads_the_future", "leaks")),
)


def lines_in_order(exercise, rng):
    """10.3: other letters and names."""
    return shuffled(exercise, rng, finds_leaks, NAMES)


VARIANTS = {
    "10.1": shapes_and_true,
    "10.2": hidden_keys,
    "10.3": lines_in_order,
    "10.4": other_mask,
}
