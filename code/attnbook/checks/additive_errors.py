"""Why additive attention fails where comparing numbers says too little.

Wrong shapes, errors that PyTorch raises, and weights that are no numbers.

Dimension letters:
    B batch, T queries, S keys, Q width of a query, K width of a key,
    A width of the score's hidden layer.
"""

import math

import torch

from attnbook.checks.additive_mistakes import masked, projections
from attnbook.checks.engine.calling import (
    SQUEEZED,
    call,
    close,
    first_match,
    lost_axis,
)
from attnbook.checks.engine.verdict import Mistake
from attnbook.checks.scaling import pair_of

HELP = (
    "query @ w_q is (B, T, A) and keys @ w_k is (B, S, A); to add every "
    "query to every key, give each an axis of size 1: unsqueeze(2), "
    "unsqueeze(1)"
)
ONE_ROW = "you average the weights over the queries; every query has its own"
ONE_MAXIMUM = (
    "the tensor of weights holds NaN: you subtract one maximum for all "
    "rows, and a row that lies far below it becomes 0/0; subtract from "
    "every row its own, amax(-1, keepdim=True)"
)
NO_AXIS = (
    "the mask has lost its middle axis; (B, 1, S) fits scores of shape "
    "(B, T, S) as it is, so leave squeeze out"
)
ZERO_SCORE = (
    "you hide every score that is 0, but a word may have the score 0; hide "
    "where the mask is False, whatever the score"
)


def judge_shapes(context, weights, query, keys, mask):
    """Raise a mistake that can be seen from the shapes."""
    full = b, t, s = (*query.shape[:2], keys.size(1))
    wide = (*query.shape[:2], keys.size(2))
    if lost_axis(weights, full) or lost_axis(context, wide):
        raise Mistake(SQUEEZED)
    if (context.shape, weights.shape) == (full, wide) != (wide, full):
        raise Mistake(
            "you return the weights first; return (context, weights)"
        )
    if weights.shape == (b, s, t) != full:
        raise Mistake(
            "the weights are transposed; rows are queries, columns are keys"
        )
    if weights.shape == (b, t, s, 1) or weights.shape == (b, t, 1, s):
        raise Mistake(
            "the weights have an axis of size 1 too many; v has one number "
            "per hidden number, so the last axis is summed away"
        )
    if weights.shape != full:
        raise Mistake(
            "the weights must have one number per sentence, query and key, "
            f"{full}; yours have shape {tuple(weights.shape)} (the mask has "
            f"shape {tuple(mask.shape)})"
        )
    if context.shape != wide:
        if is_averaged(context, weights, keys):
            raise Mistake(ONE_ROW + " context, weights @ keys")
        raise Mistake(
            "the context must have one vector as wide as a key per sentence "
            f"and query, {wide}; yours has shape {tuple(context.shape)}"
        )


def is_averaged(context, weights, keys):
    """Say whether the keys were mixed with the mean of the weights."""
    mean = weights.detach().mean(1)  # (B, S)
    one = mean[:, None] @ keys  # (B, 1, K)
    like = torch.zeros_like(weights[..., :1])  # (B, T, 1)
    forms = one, one[:, 0], mean @ keys, one + like
    several = weights.size(1) > 1
    return several and any(close(context, form) for form in forms)


def wrong_matrices(query, keys, w_q, w_k, v, mask):
    """Return pairs of a hint and the weights, where every product fits."""
    turned = {
        "w_q": (w_q.T, w_k),
        "w_k": (w_q, w_k.T),
        "w_q and w_k": (w_q.T, w_k.T),
    }
    return [
        (
            f"you use {name} turned round (.T, or F.linear, which does the "
            "same); here rows multiply matrices as they are: query @ w_q, "
            "keys @ w_k",
            masked(sum(projections(query, keys, *two)).tanh() @ v, mask),
        )
        for name, two in turned.items()
    ] + [
        (
            NO_AXIS,
            masked(sum(projections(query, keys, w_q, w_k)).tanh() @ v, one),
        )
        for one in (mask[:, 0],)
    ]


def result_of(answer, inputs, square):
    """Return context and weights; explain an error on the way.

    Args:
        answer: the learner's function.
        inputs: what it is called with.
        square: inputs for which every product fits, so that an answer
            that raises for others can be recognised by its numbers.
    """
    try:
        return pair_of(call(answer, *inputs, help=HELP))
    except Mistake as mistake:
        first = mistake
    try:
        weights = pair_of(call(answer, *square))[1]
    except Mistake:
        raise first from None
    hint = first_match(weights, wrong_matrices(*square))
    raise (Mistake(hint) if hint else first) from None


def wrong_nans(query, keys, w_q, w_k, v, mask):
    """Return pairs of a hint and the weights, for mistakes that make NaN."""
    scores = sum(projections(query, keys, w_q, w_k)).tanh() @ v  # (B, T, S)
    hidden = scores.masked_fill(~mask, -math.inf)
    found = [
        (
            "the tensor of weights holds NaN: you take the softmax over axis "
            f"{axis}, the {name}, where a column of pads is hidden in full; "
            "take it over the keys, dim=-1",
            hidden.softmax(axis),
        )
        for axis, name in enumerate(("batch", "queries"))
    ]
    no_maximum = (
        "the tensor of weights holds NaN: your exponentials overflow; "
        "subtract from every row its largest score first"
    )
    for given in (scores, hidden):
        for hint, shift in (
            (no_maximum, 0.0),
            (ONE_MAXIMUM, given.max()),
            (ONE_MAXIMUM, given.amax((1, 2), keepdim=True)),
        ):
            powers = (given - shift).exp() * mask
            found.append((hint, powers / powers.sum(-1, keepdim=True)))
    return found


def explain_nan(weights, inputs):
    """Raise a mistake for weights with NaN if it is known by name."""
    if not weights.isnan().any():
        return
    if not inputs[4].any():
        raise Mistake(ZERO_SCORE)
    for hint, wrong in wrong_nans(*inputs):
        same = torch.equal(weights.isnan(), wrong.isnan())
        if same and close(weights.nan_to_num(), wrong.nan_to_num(), 1e-3):
            raise Mistake(hint)
