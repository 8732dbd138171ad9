"""Check of silencing one head.

Dimension letters:
    B batch, H heads, T queries, S keys, E width of a value, D = d_model.
"""

import contextlib

import torch

from attnbook.checks.ablating_block_mistakes import wrong_blocks
from attnbook.checks.ablating_mistakes import messages, wrong_ablations
from attnbook.checks.engine.calling import (
    LOST,
    SQUEEZED,
    call,
    check_tensor,
    close,
    compare_gradients,
    first_match,
    lost_axis,
)
from attnbook.checks.engine.verdict import Mistake, checker

SIZES = 2, 7, 3, 5, 4, 23  # B, H, T, S, E, D: all different
HUGE = 1e5  # no output of the examples comes near
DROPPED = (
    "right, but not when rows of the weights do not sum to 1, as after "
    "dropout (take them as they are): "
)
STAGES = (  # what to say, sizes, head, type
    ("", SIZES, 2, torch.float32),
    ("right for head 2, but not for head 0: ", SIZES, 0, None),
    ("right for head 2, but not for the last head: ", SIZES, 3, None),
    (
        "right for seven heads, but not for three of another width: ",
        (3, 3, 2, 4, 5, 16),
        1,
        None,
    ),
    (
        "right while all sizes differ, but not when all are the same: ",
        (4, 4, 4, 4, 4, 4),
        1,
        None,
    ),
    (
        "right, but not when the heads together are as wide as the output: ",
        (2, 2, 5, 3, 4, 8),
        1,
        None,
    ),
    ("right, but not for one head: ", (2, 1, 3, 5, 4, 6), 0, None),
    ("right, but not for one sentence: ", (1, 4, 3, 5, 2, 6), 2, None),
    ("right, but not for one query: ", (3, 4, 1, 5, 2, 6), 1, None),
    ("right, but not for values of one number: ", (2, 3, 4, 5, 1, 6), 1, None),
    ("right, but not for one key: ", (2, 3, 4, 1, 5, 6), 1, None),
    (DROPPED, SIZES, 1, None),
    ("right for float32, but not for float64: ", SIZES, 1, torch.float64),
)
EXPLAINED = {  # what an error of PyTorch means here
    "view size is not compatible": "view needs numbers that lie in one "
    "piece; use flatten or reshape",
    "mat1 and mat2 shapes cannot be multiplied": "the merged contexts, (B, "
    "T, H * E), meet W_O, (H * E, D), on its rows; W_O keeps its shape, and "
    "a silenced head leaves zeros",
    "Expected size for first two dimensions of batch2": "the weights, (B, H, "
    "T, S), meet the values, (B, H, S, E), on the keys; transpose neither",
    "is invalid for input of size": "a reshape counts wrongly: E is the last "
    "size of the values, and H * E need not be D",
    "out of bounds": "an index is too large: the heads are axis 1",
    "must match the size": "two shapes do not meet: (B, H, T, E) becomes (B, "
    "T, H * E) before W_O",
    "leaf Variable that requires grad": "you write into an input; make a "
    "copy first, with clone()",
}


def example(sizes, dtype):
    """Draw weights, values, W_O and its bias, none of them contiguous."""
    b, h, t, s, e, d = sizes
    generator = torch.Generator().manual_seed(15)

    def draw(*shape):
        x = torch.randn(shape, generator=generator, dtype=torch.float64)
        return x.to(dtype)

    weights = draw(b, t, h, s).softmax(-1).transpose(1, 2)  # (B, H, T, S)
    v = draw(b, s, h, e).transpose(1, 2)  # (B, H, S, E)
    return weights, v, draw(d, h * e).T, draw(d, 2)[:, 0]


def right_ablation(weights, v, w_o, b_o, head):
    """Return the output without one head, (B, T, D)."""
    every = messages(weights, v, w_o.contiguous())  # (B, H, T, D)
    others = [h for h in range(v.size(1)) if h != head]
    return every[:, others].sum(1) + b_o


@contextlib.contextmanager
def explained(more=""):
    """Say what PyTorch's usual errors mean here, and `more`."""
    try:
        yield
    except Mistake as mistake:
        for words, meaning in EXPLAINED.items():
            if words in str(mistake):
                raise Mistake(meaning + more) from None
        raise


def check_output(result, want, like):
    """Refuse what is no output of this shape and type."""
    if isinstance(result, (tuple, list)):
        raise Mistake(
            f"you return a {type(result).__name__} of {len(result)}; return "
            "the output alone"
        )
    if isinstance(result, torch.Tensor) and result.isnan().any():
        raise Mistake(
            "the output holds NaN: minus infinity is for scores, and a row of "
            "weights that is all 0 cannot be normalised again; leave it at 0"
        )
    check_tensor(result, like, "the output")
    if lost_axis(result, want.shape):
        raise Mistake(SQUEEZED)
    if result.abs().max() > HUGE:
        raise Mistake(
            "the output holds huge numbers: a fill like -1e9 is for scores; "
            "to silence a head set its weights to 0"
        )


def judge(answer, inputs):
    """Raise a mistake in the output for these inputs."""
    ones = any(1 in x.shape for x in inputs[:2])
    with explained(f"; or {SQUEEZED}" if ones else ""):
        result = call(answer, *inputs)
    want = right_ablation(*inputs)
    check_output(result, want, inputs[0])
    if close(result, want):
        if not close(result, call(answer, *inputs)):
            raise Mistake("two calls with the same inputs differ")
        if result.dtype == torch.float64 and not close(result, want, 1e-9):
            raise Mistake(LOST)
        return
    hint = first_match(
        result, [*wrong_ablations(*inputs), *wrong_blocks(*inputs)]
    )
    if hint:
        raise Mistake(hint)
    if close(result, want, 0.03):
        raise Mistake(LOST)
    if result.shape != want.shape:
        raise Mistake(
            f"the output must have the shape (B, T, D) = {tuple(want.shape)}; "
            f"yours has {tuple(result.shape)}"
        )
    raise Mistake(
        "the shape is right, the numbers are not: the context of the head is "
        "0, then heads are merged as in chapter 7, then come W_O and bias"
    )


@checker
def check_ablate_head(answer):
    """Check exercise ``ablate_head(weights, v, w_o, b_o, head)``.

    Args:
        answer: a function of the weights, float, (B, H, T, S), the values,
            (B, H, S, E), the last projection, (H * E, D), its bias, (D,),
            and the number of a head; it returns the output of the attention
            without that head, (B, T, D).

    Returns:
        A `Verdict`; the check prints it too, and never raises.
    """
    for prefix, sizes, head, dtype in STAGES:
        inputs = example(sizes, dtype or torch.float32)
        if prefix == DROPPED:
            weights = inputs[0].masked_fill(inputs[0] < 0.1, 0) / 0.9
            inputs = weights, *inputs[1:]
        try:
            judge(answer, (*inputs, head))
        except Mistake as mistake:
            raise Mistake(f"{prefix}{mistake}") from None
    inputs = example(SIZES, torch.float32)

    def of_tensors(function):
        return lambda *tensors: function(*tensors, 1)

    with explained():
        compare_gradients(
            of_tensors(answer), of_tensors(right_ablation), *inputs
        )
