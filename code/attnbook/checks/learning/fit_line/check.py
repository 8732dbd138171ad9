"""Check of a line that is fitted by gradient descent.

Dimension letters:
    N points.
"""

import torch

from attnbook.checks.engine.asking import number_of
from attnbook.checks.engine.calling import unanswered
from attnbook.checks.engine.exercise import Case, Exercise, check
from attnbook.checks.engine.steps import table
from attnbook.checks.engine.verdict import Mistake

BOTH = ("slope", "height")
KM, MINUTES = torch.tensor([[1.0, 2, 3], [4, 5, 9]], dtype=torch.float64)


def best_line(x, y):
    """Return slope and height of the line with the smallest loss."""
    far = x - x.mean()  # (N,)
    slope = (far * y).sum() / far.square().sum().clamp(min=1e-9)
    return slope, y.mean() - slope * x.mean()


def fit_line(x, y, rate, steps):
    """Return slope and height after some steps from 0 and 0.

    Args:
        x: float, (N,).
        y: float, (N,).
        rate: the learning rate.
        steps: how many steps of gradient descent to take.

    Returns:
        Slope and height, two floats.
    """
    start = (0.0, 0.0)
    lines, past = [start], [(0.0, 0.0)]
    count = steps
    move = rate
    for _ in range(count):
        slope, height = lines[-1]
        guess = slope * x + height  # (N,)
        miss = guess - y  # (N,)
        factor = 2
        by_slope = factor * (miss * x).mean()
        by_height = factor * miss.mean()
        gradient = (by_slope, by_height)
        past.append(gradient)
        new_slope = slope - move * gradient[0]
        new_height = height - move * gradient[1]
        lines.append((new_slope, new_height))
    result = lines[-1]
    return result


MISTAKES = table("""
    gradient = (past[-1][0] + by_slope, past[-1][1] + by_height)
        the gradients of all steps pile up; forget the old ones in every step:
        optimiser.zero_grad()
    move = -rate
        you step uphill, where the loss grows; subtract rate times the gradient
    new_slope = slope + rate * gradient[0]
        the slope steps uphill; subtract rate times its gradient
    new_height = height + rate * gradient[1]
        the height steps uphill; subtract rate times its gradient
    new_height = height
        the height never moves; it is a parameter too, so give the optimiser
        both
    new_slope = slope
        the slope never moves; it is a parameter too, so give the optimiser
        both
    count = 0
        slope and height never move: are backward() and step() called, with
        zero_grad() before backward(), and does the optimiser hold the tensors
        that the guess is made of?
    factor = 2 * len(x)
        your loss is the sum of the squares; take their mean
    by_slope = (miss.sign() * x).mean(); by_height = miss.sign().mean()
        your loss is the mean of the misses without their signs; square them
    by_slope = x.mean(); by_height = 1
        your loss is the mean of the misses themselves; square them
    factor = 1
        your gradient is half as large as it should be: the square of a miss
        changes by 2 times the miss
    factor = 1 / miss.square().mean().sqrt()
        your loss is the root of the mean; leave the root out
    by_slope = 2 * miss.mean() * x.mean(); by_height = 2 * miss.mean()
        you square the mean of the misses; take the mean of their squares
    by_slope = 2 * miss.mean()
        the gradient of the slope lacks a factor: a nudge of the slope moves
        each guess x times as far
    by_height = 2 * ((slope - rate * by_slope) * x + height - y).mean()
        you move the slope before you compute the gradient of the height; both
        belong to the same line
    guess = slope * x
        the guess lacks the height
    move = 0.1
        the rate 0.1 is written into your function; use rate
    move = 1
        you take the whole gradient as a step; multiply it by rate
    move = 1 / rate
        you divide by the rate; multiply by it
    start = (1.0, 1.0)
        you start with slope and height 1; start with 0 and 0
    count = steps + 1
        you take one step too many
    count = steps - 1
        you take one step too few
    count = min(steps, 1)
        you take one step only: return and step() may be at the wrong depth,
        or you make the parameters inside the loop
    count = 200
        200 steps are written into your function; use steps
    result = lines[-1][::-1]
        you return the height first; return slope, height
    result = best_line(x, y)
        this is the best line of all; return where the steps lead, however few
    result = past[-1]
        you return the gradient; return slope and height
""")
NO_LEAF = (
    "a gradient is None: after slope = slope - ... the name belongs to a new "
    "tensor, which is no parameter; write slope -= ... inside with "
    "torch.no_grad()"
)
ERRORS = {
    "NoneType": NO_LEAF,
    "not a leaf": NO_LEAF,
    "leaf Variable that requires grad": "a parameter is changed where PyTorch "
    "keeps track; do it inside with torch.no_grad(), or by optimiser.step()",
    "does not require grad": "nothing here is a parameter; make slope and "
    "height with requires_grad=True",
    "second time": "the loss is computed once only; compute guess and loss "
    "again in every step, inside the loop",
    "floating point and complex": "write 0.0 and not 0: only numbers with a "
    "point can be parameters",
    "can only optimize Tensors": "give the optimiser tensors, made by "
    "torch.tensor(0.0, requires_grad=True)",
    "object is not iterable": "a number of steps is no list; write "
    "range(steps)",
    "only for scalar outputs": "the loss must be one number; take the mean of "
    "the squares",
}


def ends_of(answer, *inputs):
    """Return what the answer returns as a tensor, (2,)."""
    result = answer(*inputs)
    if unanswered(result):
        return result
    pair = isinstance(result, (tuple, list, torch.Tensor))
    if not pair or isinstance(result, torch.Tensor) and not result.dim():
        raise Mistake("return two numbers, slope and height")
    if len(result) != 2:
        raise Mistake("return two numbers, slope and height")
    numbers = [
        float(number_of(x, f"the {name}"))
        for x, name in zip(result, BOTH, strict=True)
    ]
    return torch.tensor(numbers, dtype=torch.float64)


def guess(results, rights, inputs):
    """Return a hint for a line that no row explains."""
    (found,), (right,), (_, _, rate, steps) = results, rights, inputs
    if not steps:
        return "with no steps, return 0 and 0"
    if (found.abs() / (rate * steps) - 1).abs().max() < 0.1:
        return (
            "slope and height both move by the rate in each step, whatever "
            "their gradient is: that is Adam; use torch.optim.SGD"
        )
    if torch.allclose(found, torch.stack(fit_line(KM, MINUTES, rate, steps))):
        return "you fit the rides of the page; use x and y"
    wrong = [
        not torch.isclose(a, b, 1e-3, 1e-4)
        for a, b in zip(found, right, strict=True)
    ]
    if sum(wrong) == 1:
        name, other = BOTH if wrong[0] else BOTH[::-1]
        return f"the {other} is right, the {name} is not"
    return (
        "slope and height are wrong; compute the first step from 0 and 0 by "
        "hand, as in exercise 0.1, and compare"
    )


def points(draws, count=5):
    """Draw points near a line."""
    generator = draws.seeded(3)
    x = 3 * torch.rand(count, generator=generator)
    y = 2 * x + 1 + torch.rand(count, generator=generator)
    return x, y  # (N,) each


def cases(draws):
    """Yield all cases."""
    rate = draws.share(0.06, 0.05, 0.07)
    some = draws.number(4, 3, 5)
    yield Case("", (*points(draws), rate, some), 1e-4)
    yield Case(
        "right for a few steps, but not for a single one: ",
        (*points(draws), rate, 1),
        1e-4,
    )
    yield Case(
        "right for a few steps, but not for many: ",
        (*points(draws), rate, draws.number(60, 50, 70)),
        1e-4,
    )
    yield Case(
        "right at one learning rate, but not at another: ",
        (*points(draws), rate / 7, some),
        1e-4,
    )
    yield Case(
        "right, but not for a single point: ",
        (*points(draws, 1), rate, some),
        1e-4,
    )
    yield Case(
        "right, but with no steps slope and height must stay 0: ",
        (*points(draws), rate, 0),
        1e-4,
    )


def exercise(draws):
    """Return the exercise with its inputs."""
    return Exercise(
        right=fit_line,
        returns={"slope and height": ""},
        takes=("N", "N", "", ""),
        through=ends_of,
        cases=tuple(cases(draws)),
        mistakes=MISTAKES,
        errors=ERRORS,
        guess=guess,
    )


check_fit_line = check(exercise)
