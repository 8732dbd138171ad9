"""Wrong feed-forward parts that use the wrong matrix, or use it wrongly.

Dimension letters:
    T tokens, D = d_model, F = d_ff; "..." any leading axes.
"""

from attnbook.checks.engine.calling import close
from attnbook.checks.feed_forward_mistakes import compute

BRACKETS = (
    "you add {} to the matrix; multiply first, so leave out the brackets "
    "around {} + {}"
)
ROOT = (
    "you divide by a root of a size; that belongs to the scores of attention"
)
MEAN = "you divide by the size of an axis; a product adds up and takes no mean"


def wrong_matrices(x, w_1, b_1, w_2, b_2):
    """Return pairs of a hint and a result that any sizes allow."""
    parts = b_1, w_2, b_2
    found = [
        (
            "w_2 is used twice, the first time transposed; the first product "
            "takes w_1",
            compute(x, w_2.T, *parts),
        ),
        (
            "w_1 is used twice, the second time transposed; the second "
            "product takes w_2",
            compute(x, w_1, b_1, w_1.T, b_2),
        ),
        (
            "w_1 and w_2 are transposed and have changed places",
            compute(x, w_2.T, b_1, w_1.T, b_2),
        ),
        (
            BRACKETS.format("b_1", "w_1", "b_1"),
            compute(x, w_1 + b_1, b_1 * 0, w_2, b_2),
        ),
        (
            BRACKETS.format("b_2", "w_2", "b_2"),
            compute(x, w_1, b_1, w_2 + b_2, b_2 * 0),
        ),
        (
            "ReLU and both biases are missing",
            x @ w_1 @ w_2,
        ),
        (
            "you apply ReLU to b_2; it belongs between the two products",
            compute(x, w_1, b_1, w_2, b_2.relu()),
        ),
    ]
    for hint, power in ((ROOT, 0.5), (MEAN, 1)):
        first, second = (n**power for n in w_1.shape)
        found += [
            (hint, compute(x, w_1 / first, *parts)),
            (hint, compute(x, w_1, b_1, w_2 / second, b_2)),
            (hint, compute(x, w_1 / first, b_1, w_2 / second, b_2)),
        ]
    return found


def wrong_in_a_square(x, w_1, b_1, w_2, b_2):
    """Return pairs of a hint and a result that only D = F = T allows."""
    turned = x.transpose(-2, -1)  # (..., D, T)
    return [
        (
            "w_1 is transposed; multiply by w_1 as it comes, (D, F)",
            compute(x, w_1.T, b_1, w_2, b_2),
        ),
        (
            "w_2 is transposed; multiply by w_2 as it comes, (F, D)",
            compute(x, w_1, b_1, w_2.T, b_2),
        ),
        (
            "both matrices are transposed; multiply by them as they come",
            compute(x, w_1.T, b_1, w_2.T, b_2),
        ),
        (
            "w_1 and w_2 have changed places",
            compute(x, w_2, b_1, w_1, b_2),
        ),
        (
            "b_1 and b_2 have changed places",
            compute(x, w_1, b_2, w_2, b_1),
        ),
        (
            "w_1 and w_2 have changed places, and so have b_1 and b_2",
            compute(x, w_2, b_2, w_1, b_1),
        ),
        (
            "the matrices stand on the wrong side: write x @ w_1",
            w_2 @ (w_1 @ x + b_1).relu() + b_2,
        ),
        (
            "you run over the positions: the tokens are mixed; multiply the "
            "last axis of x",
            compute(turned, w_1, b_1, w_2, b_2).transpose(-2, -1),
        ),
        (
            "you turn x round and do not turn it back; multiply the last "
            "axis of x as it is",
            compute(turned, w_1, b_1, w_2, b_2),
        ),
    ]


def wrong_matrix(result, *inputs):
    """Return the hint of the wrong matrix that gives this result, or None."""
    found = wrong_matrices(*inputs)
    sizes = {*inputs[0].shape, *inputs[1].shape}
    if inputs[0].dim() == 3 and len(sizes) == 1:
        found = wrong_in_a_square(*inputs) + found
    for hint, wrong in found:
        if close(result, wrong):
            return hint
    return None
