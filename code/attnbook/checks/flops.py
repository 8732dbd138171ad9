"""Check of the number of operations of a model."""

import math
import numbers

import numpy as np
import torch

from attnbook.checks.engine.calling import call
from attnbook.checks.engine.verdict import Mistake, checker
from attnbook.checks.flops_mistakes import known_counts
from attnbook.checks.flops_parts import exchanged, wrong_parts

# n, d_model, d_ff, num_heads, num_layers, vocab
SMALL = [(7, 12, 10, 3, 2, 29), (11, 20, 56, 5, 3, 23), (3, 10, 26, 5, 4, 41)]
STAGES = {
    "": SMALL,
    "right for small models, but not for large ones: ": [
        (1000, 512, 2048, 8, 6, 37000),
        (100_000, 12288, 49152, 96, 96, 50257),
    ],
    "right, but not for one word, one head and one layer: ": [
        (1, 4, 6, 1, 1, 5),
        (1, 1, 1, 1, 1, 1),
    ],
    "right while all sizes differ, but not if they are equal: ": [
        (8, 8, 8, 8, 8, 8)
    ],
}
OTHERS = (  # what else is a common misreading
    (
        "you count parameters; a parameter works once for every word, and "
        "scores have none",
        lambda n, d, f, h, x, v: x * (4 * d * d + 2 * d * f) + d * v,
    ),
    (
        "scores and mixing are missing: they have no parameters, and cost "
        "2 n n D operations each",
        lambda n, d, f, h, x, v: 2 * n * (x * (4 * d * d + 2 * d * f) + d * v),
    ),
    (
        "you count biases or the softmax too; count matrix products alone",
        lambda n, d, f, h, x, v: (
            x
            * (8 * n * d * d + 4 * n * n * d + 4 * n * d * f + n * (5 * d + f))
            + 2 * n * d * v
        ),
    ),
    (
        "you count the softmax too; count matrix products alone",
        lambda n, d, f, h, x, v: (
            x * (8 * n * d * d + 4 * n * n * d + 4 * n * d * f + 5 * h * n * n)
            + 2 * n * d * v
        ),
    ),
    (
        "there is no cross-attention in this model: one attention per layer",
        lambda n, d, f, h, x, v: (
            x * (16 * n * d * d + 8 * n * n * d + 4 * n * d * f)
            + 2 * n * d * v
        ),
    ),
    (
        "a causal mask does not halve the products: all scores are computed, "
        "and half of them hidden",
        lambda n, d, f, h, x, v: (
            x * (8 * n * d * d + 2 * n * (n + 1) * d + 4 * n * d * f)
            + 2 * n * d * v
        ),
    ),
    (
        "a causal mask does not save products: all scores are computed, and "
        "more than half of them hidden",
        lambda n, d, f, h, x, v: (
            x * (8 * n * d * d + 2 * n * (n - 1) * d + 4 * n * d * f)
            + 2 * n * d * v
        ),
    ),
    (
        "you count the operations of one word; the model reads all n words",
        lambda n, d, f, h, x, v: (
            x * (8 * d * d + 4 * n * d + 4 * d * f) + 2 * d * v
        ),
    ),
    (
        "every word meets itself too: the scores are n x n, not n x (n - 1)",
        lambda n, d, f, h, x, v: (
            x * (8 * n * d * d + 4 * n * (n - 1) * d + 4 * n * d * f)
            + 2 * n * d * v
        ),
    ),
    (
        "you count b - 1 additions in a sum of b products; the rule of this "
        "chapter starts from 0 and counts b: 2 a b c",
        lambda n, d, f, h, x, v: (
            x * (4 * n * d * (2 * d - 1) + n * n * (2 * d - h))
            + x * (n * d * (2 * n - 1) + n * f * (2 * d - 1))
            + x * n * d * (2 * f - 1)
            + n * v * (2 * d - 1)
        ),
    ),
    (
        "the layers are multiplied with one another; they add up",
        lambda n, d, f, h, x, v: (
            (8 * n * d * d + 4 * n * n * d + 4 * n * d * f) ** x
            + 2 * n * d * v
        ),
    ),
)


def right_flops(n, d, f, heads, layers, vocab, backward):
    """Return the operations of the matrix products, an int."""
    layer = 8 * n * d * d + 4 * n * n * d + 4 * n * d * f
    return (layers * layer + 2 * n * d * vocab) * (3 if backward else 1)


def number_of(result):
    """Return a result as a number, or say why it is no count."""
    if isinstance(result, (torch.Tensor, np.ndarray)) and result.ndim == 0:
        result = result.item()
    if isinstance(result, (tuple, list, dict, torch.Tensor, np.ndarray)):
        raise Mistake("return one number, the sum of all operations")
    real = isinstance(result, numbers.Real) and not isinstance(result, bool)
    if not real:
        raise Mistake(f"return a number, not {type(result).__name__}")
    if not math.isfinite(result):
        raise Mistake(f"a count must be finite, not {result}")
    return result


def same(counts, others):
    """Say whether two lists of counts agree."""
    pairs = zip(counts, others, strict=True)
    return all(math.isclose(a, b, rel_tol=1e-9) for a, b in pairs)


def why_wrong(count, counts, given):
    """Return the hint for counts that are not right.

    Args:
        count: the learner's function; it returns a number.
        counts: what it gives.
        given: for these arguments.
    """
    rights = [right_flops(*values) for values in given]
    for unit in (1e3, 1e6, 1e9, 1e12):
        if same(counts, [right / unit for right in rights]):
            return "return operations, not thousands, millions or billions"
    factor = 3 if given[0][-1] else 1
    for hint, other in OTHERS:
        for times in (factor, 1):
            if same(counts, [times * other(*values[:-1]) for values in given]):
                return hint
    for hints, wrong in known_counts(given):
        if same(counts, wrong):
            return "two mistakes: " * (len(hints) > 1) + "; and ".join(hints)
    hint = exchanged(right_flops, counts, given)
    hint = hint or wrong_parts(count, right_flops, given)
    if hint:
        return hint
    if all(
        math.isclose(a, b, rel_tol=0.03)
        for a, b in zip(counts, rights, strict=True)
    ):
        return "nearly right: do not round, and count matrix products alone"
    return (
        "the number is not the sum of four projections, scores, mixing, two "
        "feed-forward matrices per layer and the output matrix; compare with "
        "n = 1 and every size 1"
    )


def judge_counts(answer, sizes, backward):
    """Raise a mistake in the counts of these sizes."""

    def count(*values):
        return number_of(call(answer, *values))

    given = [(*size, backward) for size in sizes]
    counts = [count(*values) for values in given]
    if same(counts, [right_flops(*values) for values in given]):
        return
    if not same(counts, [count(*values) for values in given]):
        raise Mistake("two calls with the same sizes differ; keep no counter")
    raise Mistake(why_wrong(count, counts, given))


@checker
def check_flops(answer):
    """Check exercise ``flops``.

    Its arguments are n, d_model, d_ff, num_heads, num_layers, vocab and
    backward, in this order.

    Args:
        answer: a function of six sizes and of whether the backward pass is
            counted; it returns the operations of all matrix products of a
            decoder-only model that reads n words.

    Returns:
        A `Verdict`; the check prints it too, and never raises.
    """
    for prefix, sizes in STAGES.items():
        for backward in (False, True):
            shown = prefix
            if backward and not prefix:
                shown = "right forwards, but not with backward=True: "
            try:
                judge_counts(answer, sizes, backward)
            except Mistake as mistake:
                raise Mistake(f"{shown}{mistake}") from None
