"""Check of a comparison of two implementations.

Dimension letters:
    B batch, T words, D width.
"""

import torch
import torch.nn.functional as F

from attnbook.checks.engine.asking import number_of
from attnbook.checks.engine.calling import unanswered
from attnbook.checks.engine.exercise import Case, Exercise, check
from attnbook.checks.engine.steps import table


def largest_gap(ours, theirs, parameters, shifts, x):
    """Return how far two implementations are apart at most.

    Args:
        ours: a function of parameters and x that returns (B, T, D).
        theirs: another one.
        parameters: a list of tensors, as the model starts.
        shifts: a list of tensors of the same shapes, to add to them.
        x: float32, (B, T, D).

    Returns:
        A float, computed in float64.
    """
    moved = [p + s for p, s in zip(parameters, shifts, strict=True)]
    exact = [p.double() for p in moved]
    wide = x.double()  # (B, T, D)
    mine = ours(exact, wide)  # (B, T, D)
    other = theirs(exact, wide)  # (B, T, D)
    gaps = (mine - other).abs()  # (B, T, D)
    result = gaps.max()
    return result


MISTAKES = table("""
    moved = parameters
        the parameters are those of the start, where every gain is 1 and every
        bias 0, so a part that forgets them gives the same numbers; add the
        shifts first
    moved = shifts
        the shifts stand for the parameters; add them to the parameters
    moved = [p - s for p, s in zip(parameters, shifts)]
        the shifts are subtracted; add them
    moved = [p * s for p, s in zip(parameters, shifts)]
    moved = [p * (1 + s) for p, s in zip(parameters, shifts)]
        the parameters are multiplied, and a bias of 0 stays 0; add the shifts
    moved = [p + s if p.dim() > 1 else p for p, s in zip(parameters, shifts)]
        gains and biases are not moved; add the shifts to all parameters
    mine = ours([p.double() for p in parameters], wide)
        ours gets the parameters of the start, and theirs the moved ones; both
        need the same
    other = theirs([p.double() for p in parameters], wide)
        theirs gets the parameters of the start, and ours the moved ones; both
        need the same
    other = ours(exact, wide)
    mine = theirs(exact, wide)
        you compare an implementation with itself
    gaps = mine - other
        a difference may be negative; take its absolute value
    gaps = (other - mine).clamp(min=0)
        you keep the differences of one sign; take the absolute value of all
    gaps = (mine - other).square()
        you square the differences; take their absolute values
    gaps = ((mine - other) / mine).abs()
        you divide by what ours returns; return the difference itself
    result = gaps.mean()
        you return the mean, in which one large difference among many small
        ones is lost; return the largest
    result = gaps.sum()
        you return the sum, which grows with the batch; return the largest
    result = gaps.min()
        you return the smallest difference; return the largest
    result = gaps[0].max()
        only the first sentence counts; take the largest of all
    result = gaps[:, 0].max()
        only the first word counts; take the largest of all
    result = gaps.max(-1).values.mean()
        you take the mean of the largest; take the largest of all
""")
ERRORS = {
    "same dtype": "parameters and x need one type: turn both into float64",
    "expected scalar type": "parameters and x need one type: turn both into "
    "float64",
    "zip() argument": "parameters and shifts are two lists of one length; "
    "add them tensor by tensor",
    "can't multiply sequence": "parameters and shifts are lists; go through "
    "both with zip",
    "unsupported operand": "parameters and shifts are lists of tensors; go "
    "through both with zip and add tensor by tensor",
}


def gap_of(answer, *inputs):
    """Return what the answer returns as a number, float64."""
    result = answer(*inputs)
    if unanswered(result):
        return result
    number = number_of(result, "the largest difference")
    return torch.tensor(float(number), dtype=torch.float64)


def norm_after_product(parameters, x, forget=(), order=False):
    """Return a product, normed, with gain and bias, some of them forgotten."""
    weight, gain, bias = parameters
    y = x @ weight  # (B, T, D)
    if order:  # the same numbers, added up in another order
        y = (x.flip(-1) @ weight.flip(0)).clone()
    if "norm" not in forget:
        y = F.layer_norm(y, y.shape[-1:])
    y = y if "gain" in forget else y * gain
    return y if "bias" in forget else y + bias


def ours(parameters, x):
    """Return what our layer makes of x, (B, T, D)."""
    return norm_after_product(parameters, x)


def pair(forget=(), order=False, sign=0, last=0):
    """Return ours and another implementation, which may have a mistake."""

    def theirs(parameters, x):
        y = norm_after_product(parameters, x, forget, order)
        y = y + sign * y.square()
        y[-1, -1, -1] += last
        return y

    return ours, theirs


def example(draws, kind, sizes=(3, 4, 5)):
    """Draw parameters as at the start, shifts and x."""
    generator = draws.seeded(8)
    b, t, d = sizes
    weight = torch.randn(d, d, generator=generator)
    parameters = [weight, torch.ones(d), torch.zeros(d)]
    shifts = [
        0.1 * torch.randn(p.shape, generator=generator) for p in parameters
    ]
    x = torch.randn(d, t, b, generator=generator).permute(2, 1, 0)
    return (*kind, parameters, shifts, x)


def cases(draws):
    """Yield all cases."""
    yield Case("", example(draws, pair(forget=("bias",))), 1e-6)
    yield Case(
        "right where theirs forgets a bias, but not where it forgets a gain: ",
        example(draws, pair(forget=("gain",))),
        1e-6,
    )
    yield Case(
        "right where theirs forgets a parameter, but not where it is too "
        "large everywhere: ",
        example(draws, pair(sign=1)),
        1e-6,
    )
    yield Case(
        "right where theirs is wrong everywhere, but not where it is wrong in "
        "one place: ",
        example(draws, pair(last=-3)),
        1e-6,
    )
    yield Case(
        "right where theirs has a mistake, but not where it has none: ",
        example(draws, pair(order=True)),
        1e-11,
    )
    yield Case(
        "right, but not when every size is 1: ",
        example(draws, pair(forget=("norm",)), (1, 1, 1)),
        1e-6,
    )


def exercise(draws):
    """Return the exercise with its inputs."""
    return Exercise(
        right=largest_gap,
        returns={"the largest difference": ""},
        takes=("", "", "", "", "B T D"),
        through=gap_of,
        cases=tuple(cases(draws)),
        mistakes=MISTAKES,
        errors=ERRORS,
        asked=5,
        must_train=False,
    )


check_largest_gap = check(exercise)
