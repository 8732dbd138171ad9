"""The wrong masked attentions that the check knows by name.

Dimension letters:
    B batch, H heads, T queries, S keys, K width of a query or key, E width
    of a value.
"""

import math

import torch

FINITE = (
    "hidden keys get a fixed number such as -100, -1e4 or -1e9, and real "
    "scores can lie lower; fill with -inf"
)
ZERO = "hidden keys get the score 0, and e^0 = 1 is no small weight; "
ZERO += "multiplying by the mask does the same; fill with -inf"
TINY = "hidden keys get a score next to 0, such as 1e-9, and e^0 = 1; the "
TINY += "number must be far below all scores: -inf"
FILLS = (
    (FINITE, -100.0),
    (ZERO, 0.0),
    ("hidden keys get the score 1e9, so they get all the weight", 1e9),
    ("hidden keys get the score -1, and e^-1 = 0.37; fill with -inf", -1.0),
    (
        "hidden keys get the score -10, and e^-10 is not 0; real scores can "
        "lie lower than that, too: fill with -inf",
        -10.0,
    ),
)


def wrong_weights(q, k, v, mask):
    """Return pairs of a hint and the weights that the mistake gives."""
    raw = q @ k.transpose(-2, -1)  # (B, H, T, S)
    scaled = raw / math.sqrt(q.size(-1))  # (B, H, T, S)
    keep = mask.expand_as(scaled)  # (B, H, T, S)

    def hide(scores, fill=-math.inf, keep=keep, dim=-1):
        return scores.masked_fill(~keep, fill).softmax(dim).nan_to_num()

    after = scaled.softmax(-1) * keep
    pairs = [(hint, hide(scaled, fill)) for hint, fill in FILLS]
    pairs += [
        ("you ignore the mask", scaled.softmax(-1)),
        (
            "the mask is turned round: you hide where it is True; True means "
            "may attend",
            hide(scaled, keep=~keep),
        ),
        (
            "the mask comes after the softmax, so hidden keys have taken "
            "their share and the rows do not sum to 1; mask the scores",
            after,
        ),
        (
            "the softmax runs over the queries; it runs over the keys, the "
            "last axis",
            hide(scaled, dim=-2),
        ),
        (
            "the scores are masked but not scaled; divide by sqrt(d_k)",
            hide(raw),
        ),
        (
            "the scores are divided by d_k; divide by sqrt(d_k)",
            hide(raw / q.size(-1)),
        ),
        (
            "the scores are divided by sqrt(d_v), the width of a value; "
            "divide by sqrt(d_k), the width of a query",
            hide(raw / math.sqrt(v.size(-1))),
        ),
        (
            "the scores are divided by the root of the number of keys; "
            "divide by sqrt(d_k)",
            hide(raw / math.sqrt(k.size(-2))),
        ),
        (
            "the scores are multiplied by sqrt(d_k); divide by it",
            hide(raw * math.sqrt(q.size(-1))),
        ),
        (
            "you add the mask to the scores as 0 and 1; hidden keys need -inf",
            (scaled + keep.to(q)).softmax(-1),
        ),
        (
            "you use the mask of the first sentence for all of them",
            hide(scaled, keep=keep[:1].expand_as(keep)),
        ),
        (
            "you use the mask of the first head for all of them",
            hide(scaled, keep=keep[:, :1].expand_as(keep)),
        ),
        (
            "you use the mask's first row for every query",
            hide(scaled, keep=keep[:, :, :1].expand_as(keep)),
        ),
        (
            "you put a causal mask of your own on top; use the given one "
            "alone",
            hide(scaled, keep=keep & torch.ones_like(keep).tril()),
        ),
        (
            "you return the masked scores; normalise them with a softmax",
            scaled.masked_fill(~keep, -math.inf),
        ),
        ("you take the softmax twice", hide(scaled).softmax(-1)),
    ]
    both = "two mistakes: "
    pairs += [
        (
            f"{both}the mask is turned round, and the scores are not scaled",
            hide(raw, keep=~keep),
        ),
        (
            f"{both}the mask is turned round, and the softmax runs over the "
            "queries",
            hide(scaled, keep=~keep, dim=-2),
        ),
        (
            f"{both}the mask comes after the softmax, and the scores are not "
            "scaled",
            raw.softmax(-1) * keep,
        ),
        (
            f"{both}hidden keys get a score near 0 and not -inf, and the "
            "others are not scaled",
            hide(raw, 0.0),
        ),
        (
            f"{both}you ignore the mask, and the scores are not scaled",
            raw.softmax(-1),
        ),
    ]
    if keep.size(-1) == keep.size(-2):
        turned = keep.transpose(-2, -1)
        pairs.append(
            (
                "the mask is transposed: its rows are queries, its columns "
                "keys",
                hide(scaled, keep=turned),
            )
        )
    return pairs + wrong_scores(q, k, scaled, keep)


def wrong_scores(q, k, scaled, keep):
    """Return pairs of a hint and the weights of other scores."""

    def hide(scores, keep=keep):
        return scores.masked_fill(~keep, -math.inf).softmax(-1).nan_to_num()

    root = math.sqrt(q.size(-1))
    past = torch.ones_like(keep).tril()
    return [
        (
            "you use a causal mask of your own and ignore the given one",
            hide(scaled, keep=past),
        ),
        (
            "a visible key whose score is 0 gets no weight; ask the mask "
            "which keys are hidden, not the scores",
            hide(scaled, keep=keep & (scaled != 0)),
        ),
        ("you return the scores; mask and normalise them", scaled),
        (
            "each query is scored against the keys of all heads; keep the "
            "heads apart",
            hide(torch.einsum("bhtk,bgsk->bhts", q, k) / root),
        ),
        (
            "each query is scored against the keys of all sentences; keep "
            "the batch apart",
            hide(torch.einsum("bhtk,chsk->bhts", q, k) / root),
        ),
        (
            "reshape or view has mixed up the numbers of k; "
            "k.transpose(-2, -1) exchanges its axes",
            hide(q @ k.reshape(*k.shape[:2], k.size(3), -1) / root),
        ),
    ]


def wrong_contexts(q, k, v, mask):
    """Return pairs of a hint and the context that the mistake gives."""
    scaled = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    keep = mask.expand_as(scaled)  # (B, H, T, S)

    def hide(keep):
        return scaled.masked_fill(~keep, -math.inf).softmax(-1).nan_to_num()

    weights = hide(keep)
    return [
        (
            "the weights are right, but the context is mixed by unmasked "
            "ones; use the weights that you return",
            scaled.softmax(-1) @ v,
        ),
        (
            "the weights are right, but the context is mixed by weights that "
            "were masked after the softmax",
            (scaled.softmax(-1) * keep) @ v,
        ),
        (
            "the weights are right, but the context is the mean of all values",
            v.mean(2, keepdim=True).expand(-1, -1, q.size(2), -1),
        ),
        (
            "the weights are right, but you mix the values of the first head",
            weights @ v[:, :1],
        ),
        (
            "the weights are right, but the context is mixed by a mask that "
            "is turned round; True means may attend",
            hide(~keep) @ v,
        ),
        (
            "the weights are right, but the context is mixed under a causal "
            "mask (is_causal?); use the given one",
            hide(torch.ones_like(keep).tril()) @ v,
        ),
    ]
