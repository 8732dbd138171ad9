"""The wrong answers that the check of additive attention knows by name.

Dimension letters:
    B batch, T queries, S keys, Q width of a query, K width of a key,
    A width of the score's hidden layer.
"""

import math

import torch
import torch.nn.functional as F

FILLS = 1, 2, 3, 5, 9, 10, 20, 30, 50, 99, 100, 200, 300, 500
SMALL_FILL = "pads are attended: you fill with a number that some scores reach"
SMALL_FILL += "; use minus infinity"


def projections(query, keys, w_q, w_k):
    """Return projected queries (B, T, 1, A) and keys (B, 1, S, A)."""
    return (query @ w_q).unsqueeze(-2), (keys @ w_k).unsqueeze(-3)


def masked(scores, mask):
    """Return the weights of masked scores, (B, T, S)."""
    return scores.masked_fill(~mask, -math.inf).softmax(-1)


def wrong_scores(query, keys, w_q, w_k, v, mask):
    """Return pairs of a hint and the scores that the mistake gives."""
    q, k = projections(query, keys, w_q, w_k)
    right = (q + k).tanh() @ v
    found = [
        (
            "there is no tanh between the sum and v; without it the query "
            "adds the same number to every key's score and drops out",
            (q + k) @ v,
        ),
        (
            "you take the tanh of the finished score; take it of the hidden "
            "numbers, before the product with v",
            ((q + k) @ v).tanh(),
        ),
        (
            "every query has the same weights: the query is not used, or you "
            "take its tanh apart, and then it adds the same to every key's "
            "score; one tanh of the sum",
            (q.tanh() + k.tanh()) @ v,
        ),
        (
            "you multiply projected query and projected key; add them, as "
            "the name says",
            (q * k).tanh() @ v,
        ),
        (
            "you subtract the projected key; add it to the projected query",
            (q - k).tanh() @ v,
        ),
        (
            "your scores are dot products of projected query and key; add "
            "the two, take the tanh, then multiply with v",
            (q * k).sum(-1),
        ),
        (
            "v is not used; the score is the product of tanh and v",
            (q + k).tanh().sum(-1),
        ),
        (
            "you use a sigmoid where the hidden layer needs a tanh",
            (q + k).sigmoid() @ v,
        ),
        (
            "you use a ReLU where the hidden layer needs a tanh",
            (q + k).relu() @ v,
        ),
        (
            "you divide the scores by a root, as chapter 4 does with dot "
            "products; additive scores are not scaled",
            right / v.numel() ** 0.5,
        ),
    ]
    if query.size(-1) == keys.size(-1):
        swapped = projections(query, keys, w_k, w_q)
        found.append(
            (
                "w_q and w_k are exchanged: w_q belongs to the query, w_k to "
                "the keys",
                sum(swapped).tanh() @ v,
            )
        )
    return found


def wrong_masks(query, keys, w_q, w_k, v, mask):
    """Return pairs of a hint and the weights that the mistake gives."""
    q, k = projections(query, keys, w_q, w_k)
    scores = (q + k).tanh() @ v  # (B, T, S)
    plain, visible = scores.softmax(-1), mask.expand_as(scores)
    found = [
        *(
            (SMALL_FILL, scores.masked_fill(~mask, -float(fill)).softmax(-1))
            for fill in FILLS
        ),
        (
            "pads are attended: the mask is not used; hide the scores where "
            "it is False before the softmax",
            plain,
        ),
        (
            "pads are attended: a score of 0 is a score like any other, e to "
            "the 0 is 1; fill with minus infinity",
            scores.masked_fill(~mask, 0).softmax(-1),
        ),
        (
            "you add the mask to the scores as 0 and 1, which hides nothing; "
            "fill with minus infinity where it is False",
            (scores + mask).softmax(-1),
        ),
        (
            "you hide the pads after the softmax, so the rows no longer sum "
            "to 1; mask the scores, then normalise",
            plain * visible,
        ),
    ]
    if not visible.all(-1).any():
        found.append(
            (
                "the mask is turned round: you hide the words and keep the "
                "pads; True = may attend",
                masked(scores, ~mask),
            )
        )
    return found


def wrong_weights(query, keys, w_q, w_k, v, mask):
    """Return pairs of a hint and the weights that the mistake gives."""
    given = query, keys, w_q, w_k, v, mask
    q, k = projections(query, keys, w_q, w_k)
    scores = (q + k).tanh() @ v  # (B, T, S)
    hidden = scores.masked_fill(~mask, -math.inf)
    visible = mask.expand_as(scores)
    right = hidden.softmax(-1)
    last = visible * torch.arange(1, keys.size(1) + 1)
    return [
        *((hint, masked(wrong, mask)) for hint, wrong in wrong_scores(*given)),
        *wrong_masks(*given),
        (
            "you return the scores in the place of the weights; normalise "
            "them with a softmax over the keys",
            hidden,
        ),
        (
            "you return the scores in the place of the weights, and without "
            "the mask; mask them, then normalise over the keys",
            scores,
        ),
        (
            "you take the exponential, but do not divide by its sum",
            hidden.exp(),
        ),
        (
            "you use a sigmoid, which judges every key alone; a softmax lets "
            "the keys compete for a sum of 1",
            hidden.sigmoid(),
        ),
        (
            "you take the softmax twice; once is right",
            right.softmax(-1),
        ),
        (
            "you give the whole weight to the best key; a softmax spreads it",
            F.one_hot(right.argmax(-1), keys.size(1)).to(query.dtype),
        ),
        (
            "you give the whole weight to the last state; that is the "
            "bottleneck again, let the softmax decide",
            F.one_hot(last.argmax(-1), keys.size(1)).to(query.dtype),
        ),
        (
            "all keys get the same weight; the scores are not used",
            visible / visible.sum(-1, keepdim=True).to(query.dtype),
        ),
    ]


def wrong_contexts(query, keys, w_q, w_k, v, mask):
    """Return pairs of a hint and the context that the mistake gives."""
    q, k = projections(query, keys, w_q, w_k)
    scores = (q + k).tanh() @ v  # (B, T, S)
    weights = masked(scores, mask)
    like = torch.zeros_like(weights[..., :1])  # (B, T, 1)
    ends = mask.expand_as(weights)[:, 0].sum(-1) - 1  # (B,)
    at_end = keys[torch.arange(len(keys)), ends][:, None]  # (B, 1, K)
    found = [
        (
            "the context is the last state only, as without attention; mix "
            "all keys by their weights",
            keys[:, -1:] + like,
        ),
        (
            "the context is the last word's state only, as without "
            "attention; mix all keys by their weights",
            at_end + like,
        ),
        (
            "you mix the projected keys; mix the keys themselves",
            weights @ (keys @ w_k),
        ),
        (
            "your weights are right, but you mix the keys with weights that "
            "know no mask; use the weights that you return",
            scores.softmax(-1) @ keys,
        ),
        (
            "you mix the keys with the scores; mix them with the weights",
            scores @ keys,
        ),
        (
            "you take the best key alone; mix all of them",
            F.one_hot(weights.argmax(-1), keys.size(1)).to(keys.dtype) @ keys,
        ),
        (
            "you add the keys up without weights; compute weights @ keys",
            keys.sum(1, keepdim=True) + like,
        ),
        (
            "you average the keys without looking at the weights; compute "
            "weights @ keys",
            keys.mean(1, keepdim=True) + like,
        ),
        (
            "you mix the keys of the first sentence for all sentences",
            weights @ keys[:1],
        ),
    ]
    if query.size(-1) == keys.size(-1):
        found.append(
            (
                "you add the query to the context; in this task the context "
                "is the mixture and nothing more",
                weights @ keys + query,
            )
        )
    return found
