"""The wrong answers that the check of multi-head attention knows by name.

Dimension letters:
    B batch, H heads, T length, D = d_model, K = D / H width of one head.
"""

import torch

from attnbook.attention import scaled_dot_product_attention as attend
from attnbook.checks.scaling_mistakes import wrong_contexts, wrong_weights
from attnbook.multihead import merge_heads, split_heads


def viewed(x, h):
    """Split without the exchange of axes."""
    return x.reshape(x.size(0), h, x.size(1), -1)


def interleaved(x, h):
    """Split into every H-th number."""
    return x.reshape(*x.shape[:2], -1, h).permute(0, 3, 1, 2)


def flattened(x, length=None):
    """Merge without the exchange of axes 1 and 2."""
    return x.reshape(x.size(0), length or x.size(2), -1)


def interlaced(x):
    """Merge number by number."""
    return x.permute(0, 2, 3, 1).flatten(2)


def compute(x, ws, h, split=split_heads, merge=merge_heads):
    """Return context, (B, T, D), and weights, (B, H, T, T)."""
    q, k, v = (split(x @ w, h) for w in ws[:3])  # (B, H, T, K)
    context, weights = attend(q, k, v)
    return merge(context) @ ws[3], weights


def cut_first(x, ws, h, first=False):
    """Cut the input before projecting, each head with its own block."""
    width = x.size(-1) // h
    parts = split_heads(x, h)  # (B, H, T, K)
    views = []
    for w in ws[:3]:
        starts = [0 if first else i * width for i in range(h)]
        blocks = [w[s : s + width, s : s + width] for s in starts]
        views.append(parts @ torch.stack(blocks))  # (B, H, T, K)
    context, weights = attend(*views)
    return merge_heads(context) @ ws[3], weights


def wrong_pairs(x, w_q, w_k, w_v, w_o, h):
    """Return triples of a hint, a context and weights, both wrong ways."""
    ws = (w_q, w_k, w_v, w_o)
    turned = tuple(w.transpose(0, 1) for w in ws)
    root = (len(w_q) / h) ** 0.5
    cases = [
        (
            "two mistakes that fit each other: you split by a view to "
            "(B, H, T, K) and merge without the exchange of axes; both need "
            "heads and tokens exchanged",
            compute(x, ws, h, viewed, flattened),
        ),
        (
            "you split by a view to (B, H, T, K), which gives a head whole "
            "tokens; cut the width first, then exchange heads and tokens",
            compute(x, ws, h, viewed),
        ),
        (
            "the heads are interleaved, on the way in and on the way out; a "
            "head is a block of K neighbouring numbers",
            compute(x, ws, h, interleaved, interlaced),
        ),
        (
            "the heads are interleaved when you split: cut D into (H, K), "
            "not (K, H)",
            compute(x, ws, h, interleaved),
        ),
        (
            "the scores are divided by K, the width of a head; divide them "
            "by its root, sqrt(K), and only once",
            compute(x, (w_q / root, *ws[1:]), h),
        ),
        (
            "you cut the input before projecting it; every head must see all "
            "of x: project first, then split",
            cut_first(x, ws, h),
        ),
        (
            "you cut the input first and use one block of each matrix for "
            "all heads; project all of x with all of the matrix, then split",
            cut_first(x, ws, h, first=True),
        ),
        (
            "you do not project at all before splitting; queries are x @ "
            "w_q, keys x @ w_k, values x @ w_v",
            compute(x, (torch.eye(len(w_q), dtype=x.dtype),) * 3 + (w_o,), h),
        ),
        (
            "all four matrices are transposed; here it is x @ w, without .T "
            "(nn.Linear stores them the other way round)",
            compute(x, turned, h),
        ),
        (
            "w_q, w_k and w_v are transposed; here it is x @ w, without .T",
            compute(x, (*turned[:3], w_o), h),
        ),
        (
            "queries and keys are exchanged, in the scores or in w_q and "
            "w_k: queries come from w_q, and rows of q @ k.mT are queries",
            compute(x, (w_k, w_q, w_v, w_o), h),
        ),
        (
            "keys are made with w_q too; they need w_k",
            compute(x, (w_q, w_q, w_v, w_o), h),
        ),
        (
            "queries are made with w_k too; they need w_q",
            compute(x, (w_k, w_k, w_v, w_o), h),
        ),
    ]
    return [(hint, *pair) for hint, pair in cases]


def wrong_alone(x, w_q, w_k, w_v, w_o, h):
    """Return pairs of a hint and a context; the weights are right."""
    q, k, v = (split_heads(x @ w, h) for w in (w_q, w_k, w_v))
    context, weights = attend(q, k, v)  # (B, H, T, K)
    right = merge_heads(context) @ w_o  # (B, T, D)
    plain, t = split_heads(x, h), x.size(1)  # (B, H, T, K)
    wide = (x @ w_v).unsqueeze(1)  # (B, 1, T, D)
    first = context[:, :1].expand_as(context)
    same = [
        (hint, merge_heads(c) @ w_o) for hint, c in wrong_contexts(q, k, v)
    ]
    return [
        (
            "the weights are right, but you merge without exchanging heads "
            "and tokens, which puts several tokens into one row",
            flattened(context) @ w_o,
        ),
        (
            "the weights are right, but you merge the heads number by number; "
            "lay whole blocks side by side",
            interlaced(context) @ w_o,
        ),
        (
            "the weights are right, but you exchange tokens and width before "
            "flattening; it is heads and tokens, axes 1 and 2",
            flattened(context.transpose(2, 3), t) @ w_o,
        ),
        (
            "the weights are right, but you exchange heads and width before "
            "flattening; it is heads and tokens, axes 1 and 2",
            flattened(context.transpose(1, 3), t) @ w_o,
        ),
        (
            "the merged heads are multiplied by w_v again; the last matrix "
            "is w_o",
            merge_heads(context) @ w_v,
        ),
        (
            "w_o is missing: the merged heads are multiplied by it at the end",
            merge_heads(context),
        ),
        (
            "w_o is missing, and the merge does not exchange heads and tokens",
            flattened(context),
        ),
        (
            "w_o is transposed; here it is x @ w, without .T",
            merge_heads(context) @ w_o.transpose(0, 1),
        ),
        (
            "w_v is transposed; here it is x @ w, without .T",
            merge_heads(weights @ split_heads(x @ w_v.mT, h)) @ w_o,
        ),
        ("you apply w_o twice", right @ w_o),
        (
            "you apply w_o to the values and again at the end",
            merge_heads(weights @ split_heads(x @ w_v @ w_o, h)) @ w_o,
        ),
        (
            "you apply w_o before the heads have mixed; it comes last",
            merge_heads(weights @ split_heads(x @ w_v @ w_o, h)),
        ),
        (
            "the values are not projected; they are x @ w_v",
            merge_heads(weights @ plain) @ w_o,
        ),
        (
            "the values are made with w_k; they need w_v",
            merge_heads(weights @ k) @ w_o,
        ),
        (
            "the values are made with w_q; they need w_v",
            merge_heads(weights @ q) @ w_o,
        ),
        (
            "the values are split without the exchange of axes",
            merge_heads(weights @ viewed(x @ w_v, h)) @ w_o,
        ),
        (
            "the values are interleaved when you split them",
            merge_heads(weights @ interleaved(x @ w_v, h)) @ w_o,
        ),
        (
            "you average the weights of the heads and mix once; every head "
            "mixes its own values with its own weights",
            (weights.mean(1, keepdim=True) @ wide)[:, 0] @ w_o,
        ),
        (
            "the heads are in the wrong order when you merge them",
            merge_heads(context.flip(1)) @ w_o,
        ),
        (
            "every block of the merged heads holds the first head",
            merge_heads(first) @ w_o,
        ),
        (
            "you add x to the result; the residual comes in chapter 9",
            right + x,
        ),
        *same,
    ]


def wrong_scores(x, w_q, w_k, w_v, h):
    """Return pairs of a hint and weights with the right heads."""
    q, k, v = (split_heads(x @ w, h) for w in (w_q, w_k, w_v))
    return wrong_weights(q, k, v)
