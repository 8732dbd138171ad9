"""Check of the Jacobian of the softmax.

Dimension letters:
    S number of scores.
"""

import torch

from attnbook.checks.verdict import Mistake, call, checker, close, first_match


def wrong_jacobians(p):
    """Return pairs of a hint and the matrix that the mistake gives."""
    outer, diagonal = torch.outer(p, p), torch.diag(p)
    again = p.softmax(0)
    ones = torch.ones_like(outer)
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
        ("the sign of p_i p_j is wrong; subtract it", diagonal + outer),
        ("every sign is the wrong way round", outer - diagonal),
        (
            "this is the Jacobian of the log-softmax; multiply row i by p_i",
            torch.eye(len(p), dtype=p.dtype) - ones * p,
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
            torch.eye(len(p), dtype=p.dtype) - outer,
        ),
    ]


def judge_jacobian(answer, p):
    """Raise a mistake in the Jacobian at these weights."""
    result = call(answer, p)
    if not isinstance(result, torch.Tensor):
        raise Mistake(f"return a tensor, not a {type(result).__name__}")
    if result.shape == p.shape:
        raise Mistake(
            "you return one number per weight; every weight depends on "
            "every score, so return a matrix, (S, S)"
        )
    if result.shape != (len(p), len(p)):
        raise Mistake(
            f"for {len(p)} weights the Jacobian has shape "
            f"{(len(p), len(p))}; yours has {tuple(result.shape)}"
        )
    if result.dtype != p.dtype:
        raise Mistake(
            f"you turn {p.dtype} into {result.dtype}; keep the type of p"
        )
    if not close(result, torch.diag(p) - torch.outer(p, p), 1e-6):
        hint = first_match(result, wrong_jacobians(p))
        raise Mistake(
            hint
            or "the matrix is wrong; cell (i, j) says how much weight i "
            "moves when score j moves: p_i (1 - p_i) if i = j, else -p_i p_j"
        )


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
    for p in (
        scores.softmax(0),
        scores[:3].double().softmax(0),
        (40 * scores).softmax(0),
        torch.ones(1),
    ):
        judge_jacobian(answer, p)
