"""Check of one step of a GRU.

Dimension letters:
    B sentences, D width of an input, M width of a state.
"""

import contextlib

import torch
from torch import nn
from torch.nn.modules.module import register_module_forward_pre_hook

from attnbook.checks.engine.calling import (
    LOST,
    SQUEEZED,
    call,
    check_tensor,
    close,
    first_match,
    lost_axis,
    why_backward_fails,
)
from attnbook.checks.engine.verdict import Mistake, checker
from attnbook.checks.gru_mistakes import blocks, wrong_states

SIZES = (3, 5, 4)  # B, D, M: all different
SQUARE = (6, 6, 6)  # a wrong axis must not hide, nor be right here
HELP = "x @ w_x and h @ w_h are both (B, 3 * M); chunk(3, dim=-1) cuts them"

OWN_CELL = (
    "you call PyTorch's own cell, which brings weights of its own; it is not "
    "wanted here: compute r, z and the candidate from the six inputs"
)


def right_state(x, h, w_x, w_h, b_x, b_h):
    """Return the new state as `torch.nn.GRUCell` computes it, (B, M)."""
    (xr, xz, xn), (hr, hz, hn) = blocks(x, h, w_x, w_h, b_x, b_h)
    r, z = (xr + hr).sigmoid(), (xz + hz).sigmoid()
    return (1 - z) * (xn + r * hn).tanh() + z * h


def example(sizes=SIZES, factor=1.0, dtype=torch.float32):
    """Draw the six inputs; input, state and weights are not contiguous."""
    b, d, m = sizes
    generator = torch.Generator().manual_seed(6)

    def draw(*shape):
        return torch.randn(*shape, generator=generator).to(dtype)

    x, h = factor * draw(d, b).T, draw(m, b).T
    return x, h, draw(3 * m, d).T, draw(3 * m, m).T, draw(3 * m), draw(3 * m)


STAGES = (
    ("", example()),
    (
        f"right for (B, D, M) = {SIZES}, but not for (2, 3, 7): ",
        example((2, 3, 7)),
    ),
    (
        "right while the sizes differ, but not when B = D = M: ",
        example(SQUARE),
    ),
    (
        "right for small inputs, but not for inputs of several hundred: ",
        example(factor=300.0),
    ),
    (
        "right for float32, but not for float64: ",
        example(dtype=torch.float64),
    ),
    ("right for a batch, but not for one sentence: ", example((1, 2, 3))),
)


def unknown_state(state, right, x, h):
    """Return a hint for a state that no mistake in the list explains."""
    if len(state) > 1 and close(state, state[:1].expand_as(state)):
        return "every sentence has the state of the first one"
    if close(state, right, 1e-2):
        return "nearly right: you lose digits on the way (rounding, float16?)"
    if (state.abs() > torch.maximum(h.abs(), torch.ones_like(h))).any():
        return (
            "a number of the new state is further from 0 than 1 and than the "
            "old one; z * h + (1 - z) * candidate always lies between the two"
        )
    return (
        "the state is wrong; try your function on the step by hand in the "
        "text (x 1, h 0.5, w_x 1, -1, 2, w_h 2, 2, -3, no biases) and print "
        "r, z and the candidate inside: they must be those of its table"
    )


def judge(answer, inputs):
    """Raise a mistake in shape or numbers for these inputs."""
    x, h = inputs[:2]
    state = call(answer, *inputs, help=HELP)
    if isinstance(state, (tuple, list)):
        raise Mistake(
            f"you return {len(state)} things; return the new state alone"
        )
    if isinstance(state, torch.Tensor) and state.shape != h.shape:
        if lost_axis(state, h.shape):
            raise Mistake(SQUEEZED)
        raise Mistake(
            f"the new state must have the shape of the old one, "
            f"{tuple(h.shape)}; yours has shape {tuple(state.shape)}"
        )
    check_tensor(state, h, "the new state")
    right = right_state(*inputs)
    if close(state, right, 1e-9 if h.dtype == torch.float64 else 1e-4):
        return
    if close(state, right):
        raise Mistake(LOST)
    if not close(state, call(answer, *inputs)):
        raise Mistake(
            "two calls with the same inputs differ; compute with the "
            "weights that are given, and leave out chance"
        )
    hint = first_match(state, wrong_states(*inputs))
    raise Mistake(hint or unknown_state(state, right, x, h))


def judge_gradients(answer):
    """Raise a mistake in what flows back to the inputs."""
    inputs = [x.requires_grad_() for x in example()]
    seen = []

    def remember(*given):
        seen.extend(given)
        return answer(*given)

    state = call(remember, *inputs)
    if not state.requires_grad:
        raise Mistake(
            "no gradient flows through your result; avoid detach, .data, "
            "NumPy and copies by torch.tensor"
        )
    want = torch.autograd.grad(right_state(*inputs).square().sum(), inputs)
    try:
        got = torch.autograd.grad(
            state.square().sum(), seen, allow_unused=True
        )
    except RuntimeError as error:
        raise Mistake(why_backward_fails(error)) from None
    names = "x", "h", "w_x", "w_h", "b_x", "b_h"
    for name, a, b in zip(names, got, want, strict=True):
        if a is None or not close(a, b, 1e-3):
            raise Mistake(
                f"the numbers are right, but the gradient of {name} is not; "
                "something on the way is detached"
            )


@contextlib.contextmanager
def modules_called(kinds):
    """Give a list that grows by every module of these kinds that is run."""
    seen = []

    def remember(module, inputs):
        if isinstance(module, kinds):
            seen.append(module)

    hook = register_module_forward_pre_hook(remember)
    try:
        yield seen
    finally:
        hook.remove()


@checker
def check_gru_step(answer):
    """Check ``gru_step(x, h, w_x, w_h, b_x, b_h) -> state``.

    Args:
        answer: a function of an input (B, D), a state (B, M), weights
            (D, 3 * M) and (M, 3 * M) and biases (3 * M,), each in three
            blocks, reset, update, candidate, that returns the state, (B, M).

    Returns:
        A `Verdict`; the check prints it too, and never raises.
    """
    with modules_called((nn.RNNBase, nn.RNNCellBase)) as seen:
        try:
            for prefix, inputs in STAGES:
                try:
                    judge(answer, inputs)
                except Mistake as mistake:
                    raise Mistake(f"{prefix}{mistake}") from None
            judge_gradients(answer)
        except Mistake as mistake:
            raise Mistake(OWN_CELL if seen else str(mistake)) from None
