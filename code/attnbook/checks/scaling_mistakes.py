"""The wrong answers that the check of scaled attention knows by name.

Dimension letters:
    B batch, H heads, T queries, S keys, K = d_k width of a query or key,
    E = d_v width of a value.
"""

import math

import torch
import torch.nn.functional as F


def wrong_factors(q, k, v):
    """Return pairs of a hint and the number that the mistake puts there."""
    b, h, t, d_k = q.shape
    s, d_v = k.size(2), v.size(3)
    return [
        ("the scores are not scaled; divide them by sqrt(d_k)", 1.0),
        (
            "in all, you divide by d_k, which is the variance of a score; "
            "divide by its standard deviation, sqrt(d_k) (do you scale twice, "
            "or take a mean?)",
            1 / d_k,
        ),
        ("you multiply by sqrt(d_k); divide by it", d_k**0.5),
        ("you multiply by d_k; divide by sqrt(d_k)", d_k),
        (
            "you divide by sqrt(S), the number of keys; a score adds up d_k "
            "products, however many keys there are",
            s**-0.5,
        ),
        (
            "you divide by S, the number of keys; a score adds up d_k "
            "products, however many keys there are",
            1 / s,
        ),
        (
            "you divide by sqrt(T), the number of queries; what counts is "
            "d_k, the width of one query",
            t**-0.5,
        ),
        (
            "you divide by sqrt(d_v), the width of a value; the values play "
            "no part in the scores",
            d_v**-0.5,
        ),
        (
            "you divide by sqrt(d_model), the width of all heads together; "
            "the scores of one head add up d_k products only",
            (h * d_k) ** -0.5,
        ),
        (
            "you divide by sqrt(H), the number of heads; d_k is the last "
            "axis of q, not the second",
            h**-0.5,
        ),
        (
            "you divide by sqrt(B), the batch size; d_k is the last axis of "
            "q, not the first",
            b**-0.5,
        ),
        ("you take the root of d_k twice; once is right", d_k**-0.25),
        (
            "you divide by 8, the root of the paper's d_k = 64; take d_k "
            "from the last axis of q",
            1 / 8,
        ),
    ]


def wrong_weights(q, k, v):
    """Return pairs of a hint and the weights that the mistake gives."""
    root = q.size(-1) ** 0.5
    raw = q @ k.transpose(-2, -1)  # (B, H, T, S)
    scaled = raw / root  # (B, H, T, S)
    weights = scaled.softmax(-1)  # (B, H, T, S)
    reshaped = q @ k.reshape(*k.shape[:2], k.size(3), k.size(2)) / root
    unit = F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).transpose(-2, -1)
    past = torch.ones_like(scaled).tril() > 0
    after = "you scale after the softmax; scale the scores before it"
    plain = "you return {} in the place of the weights; normalise them with "
    plain += "a softmax over the keys"
    return [
        *((hint, (c * raw).softmax(-1)) for hint, c in wrong_factors(q, k, v)),
        (after, raw.softmax(-1) / root),
        (after, raw.softmax(-1) * root),
        (plain.format("the scaled scores"), scaled),
        (plain.format("the raw scores"), raw),
        (
            "you divide the scores by their sum, so weights can be "
            "negative; take the exponential first, which is a softmax",
            scaled / scaled.sum(-1, keepdim=True),
        ),
        (
            "you use a sigmoid, which judges every key alone; a softmax lets "
            "the keys compete for a sum of 1",
            scaled.sigmoid(),
        ),
        (
            "you return the logarithm of the weights; use softmax, not "
            "log_softmax",
            scaled.log_softmax(-1),
        ),
        ("you take the softmax twice; once is right", weights.softmax(-1)),
        (
            "two mistakes: the scores are not scaled, and you take the "
            "softmax twice",
            raw.softmax(-1).softmax(-1),
        ),
        (
            "you take the exponential, but do not divide by its sum",
            scaled.exp(),
        ),
        (
            "you give the whole weight to the best key; a softmax spreads it",
            F.one_hot(scaled.argmax(-1), k.size(2)).to(q.dtype),
        ),
        (
            "you divide q and k by their lengths (cosine); divide the dot "
            "products by sqrt(d_k) and by nothing else",
            unit.softmax(-1),
        ),
        (
            "you reshape the keys, which tears them apart; transpose the "
            "last two axes",
            reshaped.softmax(-1),
        ),
        (
            "you hide the later keys; this task has no mask",
            scaled.masked_fill(~past, -math.inf).softmax(-1),
        ),
    ]


def wrong_contexts(q, k, v):
    """Return pairs of a hint and the context that the mistake gives."""
    root = q.size(-1) ** 0.5
    raw = q @ k.transpose(-2, -1)  # (B, H, T, S)
    weights = (raw / root).softmax(-1)  # (B, H, T, S)
    mean = v.mean(2, keepdim=True).expand(-1, -1, q.size(2), -1)
    return [
        (
            "your weights are right, but you mix the values with unscaled "
            "ones; use the weights that you return",
            raw.softmax(-1) @ v,
        ),
        (
            "you mix the values with the scores; mix them with the weights",
            raw / root @ v,
        ),
        (
            "you scale the context too; the scores are the only place",
            weights @ v / root,
        ),
        (
            "you mix the values of the first head in all heads",
            weights @ v[:, :1],
        ),
        (
            "you mix the values of the first batch entry in all of them",
            weights @ v[:1],
        ),
        (
            "you take the value of the best key alone; mix all of them",
            F.one_hot(weights.argmax(-1), k.size(2)).to(v.dtype) @ v,
        ),
        (
            "you add the values up without weights; compute weights @ v",
            v.sum(2, keepdim=True).expand(-1, -1, q.size(2), -1),
        ),
        (
            "you average the values without looking at the weights; compute "
            "weights @ v",
            mean,
        ),
    ]
