"""The wrong answers that the check of self-attention knows by name.

Dimension letters:
    B batch, T words, D = d_model, K = d_k width of a query or key,
    E = d_v width of a value; "..." is (B) or nothing.
"""

import math

import torch
import torch.nn.functional as F


def wrong_factors(x, w_k, w_v):
    """Return pairs of a hint and the number that the mistake puts there."""
    d_k = w_k.size(-1)
    return [
        ("the scores are not scaled; divide them by sqrt(d_k)", 1.0),
        ("you divide by d_k; divide by its root, sqrt(d_k)", 1 / d_k),
        ("you multiply by sqrt(d_k); divide by it", d_k**0.5),
        (
            "you divide by sqrt(D), the width of x; a score adds up d_k "
            "products, after the projection",
            x.size(-1) ** -0.5,
        ),
        (
            "you divide by sqrt(T), the number of words; a score adds up d_k "
            "products, however many words there are",
            x.size(-2) ** -0.5,
        ),
        (
            "you divide by sqrt(E), the width of a value; the values play "
            "no part in the scores",
            w_v.size(-1) ** -0.5,
        ),
        ("you take the root of d_k twice; once is right", d_k**-0.25),
        (
            "you divide by 8, the root of the paper's d_k = 64; take d_k "
            "from the last axis of the queries",
            1 / 8,
        ),
    ]


def wrong_views(x, w_q, w_k):
    """Return pairs of a hint and the scaled scores of a mistake."""
    root = w_q.size(-1) ** 0.5
    q, k = x @ w_q, x @ w_k  # (..., T, K)
    pairs = [
        (
            "queries and keys are exchanged: a row of the weights belongs "
            "to a query, so the scores are q @ k.transpose(-2, -1)",
            k @ q.mT / root,
        ),
        (
            "you score queries against queries, so the scores are "
            "symmetric; the keys are x @ w_k",
            q @ q.mT / root,
        ),
        (
            "you score keys against keys, so the scores are symmetric; the "
            "queries are x @ w_q",
            k @ k.mT / root,
        ),
        (
            "you score x against x, without projections; project first",
            x @ x.mT / root,
        ),
        (
            "you score x against x, without projections, and scale by the "
            "root of its width; project first",
            x @ x.mT / x.size(-1) ** 0.5,
        ),
        (
            "you divide queries and keys by their lengths (cosine); divide "
            "the dot products by sqrt(d_k) and by nothing else",
            F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).mT,
        ),
        (
            "you reshape the keys, which tears them apart; transpose the "
            "last two axes",
            q @ k.reshape(*k.shape[:-2], k.size(-1), k.size(-2)) / root,
        ),
    ]
    if w_q.size(0) == w_q.size(1):
        pairs.append(
            (
                "you transpose the projections; the queries are x @ w_q, "
                "not x @ w_q.T",
                (x @ w_q.T) @ (x @ w_k.T).mT / root,
            )
        )
    return pairs


def wrong_weights(x, w_q, w_k, w_v):
    """Return pairs of a hint and the weights that the mistake gives."""
    raw = (x @ w_q) @ (x @ w_k).mT  # (..., T, T)
    scaled = raw / w_q.size(-1) ** 0.5  # (..., T, T)
    weights = scaled.softmax(-1)  # (..., T, T)
    past = torch.ones_like(scaled).tril() > 0
    me = torch.eye(x.size(-2), dtype=torch.bool)
    factors = wrong_factors(x, w_k, w_v)
    over = "the weights sum to 1 over the {}, not over the keys; normalise "
    over += "the last axis"
    pairs = [
        *((hint, (c * raw).softmax(-1)) for hint, c in factors),
        *((hint, s.softmax(-1)) for hint, s in wrong_views(x, w_q, w_k)),
        (
            over.format("queries") + " of q @ k.transpose(-2, -1), and do "
            "not exchange q and k and turn the weights afterwards",
            scaled.softmax(-2),
        ),
        (
            "the weights sum to 1 over a whole sentence; every query has "
            "its own sum of 1",
            scaled.flatten(-2).softmax(-1).view_as(scaled),
        ),
        (
            "the weights are transposed; rows are queries, columns are keys",
            weights.mT,
        ),
        ("you return the scaled scores in place of the weights", scaled),
        ("you return the raw scores in place of the weights", raw),
        ("you take the softmax twice; once is right", weights.softmax(-1)),
        (
            "you use a sigmoid, which judges every key alone; a softmax lets "
            "the keys compete for a sum of 1",
            scaled.sigmoid(),
        ),
        (
            "you divide the scores by their sum; take the exponential "
            "first, which is a softmax",
            scaled / scaled.sum(-1, keepdim=True),
        ),
        (
            "you scale after the softmax; scale the scores before it",
            raw.softmax(-1) / w_q.size(-1) ** 0.5,
        ),
        (
            "you give the whole weight to the best key; a softmax spreads it",
            F.one_hot(scaled.argmax(-1), x.size(-2)).to(x.dtype),
        ),
        (
            "you hide the later words; this task has no mask",
            scaled.masked_fill(~past, -math.inf).softmax(-1),
        ),
    ]
    if x.size(-2) > 1:
        hidden = scaled.masked_fill(me, -math.inf).softmax(-1)
        pairs.append(("a word may attend to itself; hide nothing", hidden))
    if x.dim() == 3:
        pairs.append((over.format("batch"), scaled.softmax(0)))
        hint = "the weights sum to 1 over the whole batch; every query has "
        hint += "its own sum of 1"
        pairs.append((hint, scaled.flatten().softmax(0).view_as(scaled)))
    return pairs


def wrong_contexts(x, w_q, w_k, w_v):
    """Return pairs of a hint and the context that the mistake gives."""
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    root = w_q.size(-1) ** 0.5
    raw = q @ k.mT  # (..., T, T)
    weights = (raw / root).softmax(-1)  # (..., T, T)
    pairs = [
        (
            "you mix the keys, by which words are found; mix the values, "
            "weights @ v",
            weights @ k,
        ),
        ("you mix the queries; mix the values, weights @ v", weights @ q),
        (
            "you leave out w_v: you mix the words x themselves; mix the "
            "values x @ w_v",
            weights @ x,
        ),
        (
            "you mix with the weights transposed, so that a word gives where "
            "it should get; the context is weights @ v",
            weights.mT @ v,
        ),
        (
            "you mix with the scores; mix with the weights",
            raw / root @ v,
        ),
        (
            "your weights are right, but you mix with unscaled ones; use the "
            "weights that you return",
            raw.softmax(-1) @ v,
        ),
        ("you return the values unmixed; the context is weights @ v", v),
        (
            "you average the values without looking at the weights; compute "
            "weights @ v",
            v.mean(-2, keepdim=True).expand_as(v),
        ),
        ("you scale the context too; leave it as it is", weights @ v / root),
        ("you add the values to the context; mix only", weights @ v + v),
        (
            "you average the context over the words; each word has its own",
            (weights @ v).mean(-2),
        ),
        (
            "you add the context up over the words; each word has its own",
            (weights @ v).sum(-2),
        ),
    ]
    if x.size(-1) == v.size(-1):
        pairs.append(("you add x to the context; mix only", weights @ v + x))
        pairs.append(
            (
                "you transpose w_v; the values are x @ w_v, not x @ w_v.T",
                weights @ (x @ w_v.T),
            )
        )
    if x.dim() == 3:
        first = "you mix the values of the first sentence in all sentences"
        pairs.append((first, weights @ v[:1]))
    return pairs
