"""Check of the Jacobian of the softmax.

Dimension letters:
    S number of scores.
"""

import torch

from attnbook.checks.engine.calling import (
    call,
    check_tensor,
    close,
    first_match,
)
from attnbook.checks.engine.verdict import Mistake, checker


def wrong_jacobians(p):
    """Return pairs of a hint and the matrix that the mistake gives."""
    outer, diagonal = torch.outer(p, p), torch.diag(p)
    again = p.softmax(0)
    ones = torch.ones_like(outer)
    eye = torch.eye(len(p), dtype=p.dtype)
    twice = "you subtract p_i^2 twice on the diagonal; p_i (1 - p_i) has it "
    twice += "already"
    no_axis = "p * p has one number per weight; cell (i, j) needs p_i p_j, "
    no_axis += "which torch.outer gives"
    everywhere = "you add p to every cell; only the diagonal gets it"
    return [
        (
            "the diagonal alone is missing the competition: p_j falls when "
            "score i rises; subtract p_i p_j everywhere",
            diagonal,
        ),
        (
            "p_i (1 - p_i) on the diagonal is right, but the other cells are "
            "not 0: raising score j takes p_i p_j from p_i",
            torch.diag(p * (1 - p)),
        ),
        (
            "the cells off the diagonal are right; on the diagonal add p_i",
            -outer,
        ),
        (
            "the products p_i p_j alone are not it; subtract them from "
            "diag(p)",
            outer,
        ),
        ("the sign of p_i p_j is wrong; subtract it", diagonal + outer),
        ("every sign is the wrong way round", outer - diagonal),
        (
            "this is the Jacobian of the log-softmax; multiply row i by p_i",
            eye - ones * p,
        ),
        (
            "this is the Jacobian of the log-softmax, transposed; multiply "
            "column j by p_j",
            eye - ones * p[:, None],
        ),
        (
            "off the diagonal you have p_i (1 - p_j); it is -p_i p_j there",
            p[:, None] * (1 - p),
        ),
        (
            "p holds weights already; do not take their softmax again",
            torch.diag(again) - torch.outer(again, again),
        ),
        ("subtract the products p_i p_j, not p_j", diagonal - ones * p),
        (
            "subtract the products p_i p_j, not p_i",
            diagonal - ones * p[:, None],
        ),
        (
            "the diagonal is p_i - p_i^2: you start from 1 there, start "
            "from p_i",
            eye - outer,
        ),
        (
            "p @ p.T is a single number for a vector p; use torch.outer",
            diagonal - p.square().sum(),
        ),
        (no_axis, diagonal - p * p),
        (no_axis, p * (eye - p)),
        (everywhere, p - outer),
        (everywhere, p[:, None] - outer),
        (twice, torch.diag(p * (1 - p)) - outer),
        (
            "on the diagonal p_i^2 is missing: it is p_i - p_i^2",
            diagonal - outer + torch.diag(p * p),
        ),
        (
            "the diagonal lacks the factor p_i: it is p_i (1 - p_i)",
            torch.diag(1 - p) - outer + torch.diag(p * p),
        ),
        (
            "the diagonal is right; off it the sign is wrong, -p_i p_j",
            outer + torch.diag(p - 2 * p * p),
        ),
    ]


def unknown_jacobian(result, right):
    """Return a hint for a matrix that no mistake in the list explains."""
    if close(result, right, 1e-2):
        return "close, but digits are lost; use the formula, no differences"
    if close(result.diagonal(), right.diagonal()):
        return "the diagonal is right, the other cells are not: -p_i p_j"
    off = 1 - torch.eye(len(right), dtype=right.dtype)
    if close(result * off, right * off):
        return "the cells off the diagonal are right, the diagonal is not"
    if not close(result, result.T):
        return (
            "the matrix is not symmetric: score j moves weight i as much as "
            "score i moves weight j"
        )
    return (
        "the rows must sum to 0, because what one weight gains the others "
        "lose; compare a 2 x 2 example with the two cases of the formula"
    )


def judge_jacobian(answer, p):
    """Raise a mistake in the Jacobian at these weights."""
    result = call(answer, p)
    if isinstance(result, torch.Tensor) and result.shape == p.shape != (1,):
        raise Mistake(
            "you return one number per weight; every weight depends on "
            "every score, so return a matrix, (S, S)"
        )
    check_tensor(result, p, "the result")
    right = torch.diag(p) - torch.outer(p, p)  # (S, S)
    if result.shape != right.shape:
        raise Mistake(
            f"for {len(p)} weights the Jacobian has shape "
            f"{tuple(right.shape)}; yours has {tuple(result.shape)}"
        )
    if not close(result, right, 1e-6):
        hint = first_match(result, wrong_jacobians(p))
        raise Mistake(hint or unknown_jacobian(result, right))


@checker
def check_softmax_jacobian(answer):
    """Check exercise ``softmax_jacobian(p)``.

    Args:
        answer: a function of weights p, (S,), that returns the matrix of
            derivatives of each weight by each score, (S, S).

    Returns:
        A `Verdict`; the check prints it too, and never raises.
    """
    scores = torch.tensor([0.3, -1.0, 2.0, 0.7, 0.1])
    for prefix, p in (
        ("", scores.softmax(0)),
        (
            "right for float32, but not for float64: ",
            scores[:3].double().softmax(0),
        ),
        ("right, but not when one weight is 1: ", (40 * scores).softmax(0)),
        ("right, but not for a single weight: ", torch.ones(1)),
    ):
        try:
            judge_jacobian(answer, p)
        except Mistake as mistake:
            raise Mistake(f"{prefix}{mistake}") from None
