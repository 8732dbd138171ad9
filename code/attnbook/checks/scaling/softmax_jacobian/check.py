"""Check of the Jacobian of the softmax.

Dimension letters:
    S number of scores.
"""

import torch
from torch.overrides import TorchFunctionMode

from attnbook.checks.engine.calling import close
from attnbook.checks.engine.exercise import Case, Exercise, check
from attnbook.checks.engine.steps import table
from attnbook.checks.engine.verdict import Hint, Mistake


def softmax_jacobian(p):
    """Differentiate each weight of a softmax by each score.

    Args:
        p: the weights, float, (S,).

    Returns:
        The derivatives, (S, S): cell (i, j) says how much weight i moves
        when score j moves.
    """
    weights = p
    diagonal = torch.diag(weights)  # (S, S)
    products = torch.outer(weights, weights)  # (S, S)
    return diagonal - products


def eye(p):
    """Return the unit matrix, (S, S), in the type of p."""
    return torch.eye(len(p), dtype=p.dtype)


def ones(p):
    """Return a matrix of ones, (S, S), in the type of p."""
    return torch.ones(len(p), len(p), dtype=p.dtype)


MISTAKES = table("""
    products = 0 * ones(p)
        the diagonal alone is missing the competition: p_j falls when score i
        rises; subtract p_i p_j everywhere
    products = torch.diag(p * p)
        you fill the diagonal alone; the other cells are not 0: raising score j
        takes p_i p_j from p_i
    diagonal = 0 * ones(p)
        -p_i p_j alone is not it; on the diagonal add p_i
    diagonal = 0 * ones(p); products = 0 * ones(p)
        every cell is 0; the diagonal needs p_i (1 - p_i), the others -p_i p_j
    diagonal = 2 * torch.outer(p, p)
        the products p_i p_j alone are not it; subtract them from diag(p)
    products = -torch.outer(p, p)
        the sign of p_i p_j is wrong; subtract it
    diagonal = 2 * torch.outer(p, p) - torch.diag(p)
        every sign is the wrong way round
    diagonal = eye(p); products = ones(p) * p
        this is the Jacobian of the log-softmax; multiply row i by p_i
    diagonal = eye(p); products = ones(p) * p[:, None]
        this is the Jacobian of the log-softmax, transposed; multiply column j
        by p_j
    diagonal = ones(p) * p[:, None]
        off the diagonal you have p_i (1 - p_j); it is -p_i p_j there
    weights = p.sort().values
        you sort the weights; row and column i belong to weight i of p
    weights = p.softmax(0)
        p holds weights already; do not take their softmax again
    products = ones(p) * p
        subtract the products p_i p_j, not p_j
    products = ones(p) * p[:, None]
        subtract the products p_i p_j, not p_i
    diagonal = eye(p)
        the diagonal is p_i - p_i^2: you start from 1 there, start from p_i
    products = ones(p) * p.square().sum()
        p @ p.T is a single number for a vector p; use torch.outer
    products = ones(p) * (p * p)
        p * p has one number per weight; cell (i, j) needs p_i p_j, which
        torch.outer gives
    products = ones(p) * (p * p)[:, None]
        in row i you subtract p_i^2 everywhere; cell (i, j) needs p_i p_j,
        which torch.outer gives
    diagonal = ones(p) * p
        you add p to every cell; only the diagonal gets it
    diagonal = torch.diag(p * (1 - p))
        you subtract p_i^2 twice on the diagonal; p_i (1 - p_i) has it already
    diagonal = torch.diag(p + p * p)
        on the diagonal p_i^2 is missing: it is p_i - p_i^2
    products = 2 * torch.diag(p * p) - torch.outer(p, p)
        the diagonal is right; off it the sign is wrong, -p_i p_j
""")


def guess(results, rights, inputs):
    """Return a hint for a matrix that no row explains."""
    (result,), (right,), (p,) = results, rights, inputs
    if close(result, right, 1e-2):
        return (
            "close, but digits are lost; use the formula, no differences, on "
            "p as it is: round or drop nothing, add nothing to it"
        )
    factor = (result * right).sum() / right.square().sum()
    if factor.abs() > 1e-3 and close(result, factor * right):
        return Hint(
            "every cell is {} times as large as it should be", f"{factor:.3g}"
        )
    if close(result.diagonal(), right.diagonal()):
        return "the diagonal is right, the other cells are not: -p_i p_j"
    if close(result * (1 - eye(p)), right * (1 - eye(p))):
        return (
            "the cells off the diagonal are right, the diagonal is not: it "
            "is p_i (1 - p_i)"
        )
    if not close(result, result.T):
        return (
            "the matrix is not symmetric: score j moves weight i as much as "
            "score i moves weight j"
        )
    sums = result.sum(-1)
    if close(sums, torch.zeros_like(sums)):
        return (
            "the rows sum to 0, as they must, but the cells are wrong; "
            "compare a 2 x 2 example with the two cases of the formula"
        )
    return (
        "the rows must sum to 0, because what one weight gains the others "
        "lose; compare a 2 x 2 example with the two cases of the formula"
    )


class Watch(TorchFunctionMode):
    """Remember the names of all operations."""

    def __init__(self):
        super().__init__()
        self.names = set()

    def __torch_function__(self, func, types, args=(), kwargs=None):
        """Run the operation."""
        self.names.add(getattr(func, "__name__", ""))
        return func(*args, **(kwargs or {}))


def by_formula(answer, p):
    """Call the answer; refuse slopes alone, and autograd."""
    with Watch() as watch:
        result = answer(p)
    if not isinstance(result, torch.Tensor):
        return result
    if result.shape == p.shape != (1,):
        raise Mistake(
            "you return one number per weight; every weight depends on "
            "every score, so return a matrix, (S, S)"
        )
    if "softmax" in watch.names and close(result, softmax_jacobian(p), 1e-6):
        raise Mistake(
            "the numbers are right, but they come from a softmax of scores; "
            "p holds the weights, so use the formula, no autograd"
        )
    return result


def cases(draws):
    """Yield all cases."""
    scores = torch.tensor(draws.shuffled([0.3, -1.0, 2.0, 0.7, 0.1]))
    scores = draws.shaken(scores)
    many = draws.shaken(torch.linspace(-9, 0, 100))
    yield Case("", (scores.softmax(0),), 1e-6)
    yield Case(
        "right for float32, but not for float64: ",
        (scores[:3].double().softmax(0),),
        1e-9,
    )
    yield Case(
        "right, but not when one weight is 1: ",
        ((40 * scores).softmax(0),),
        1e-6,
    )
    yield Case("right, but not for a single weight: ", (torch.ones(1),))
    yield Case(
        "right for few weights, but not for 100, many of them small: ",
        (many.softmax(0),),
        1e-6,
    )


def exercise(draws):
    """Return the exercise with its inputs."""
    return Exercise(
        right=softmax_jacobian,
        returns={"the Jacobian": "S S"},
        takes=("S",),
        cases=tuple(cases(draws)),
        mistakes=MISTAKES,
        guess=guess,
        through=by_formula,
    )


check_softmax_jacobian = check(exercise)
