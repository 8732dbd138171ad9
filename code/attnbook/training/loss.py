"""The loss of the next words: cross-entropy with smoothed labels.

Dimension letters:
    B batch, T target length, vocab words of the vocabulary.
"""

import torch
import torch.nn.functional as F

from attnbook.masks import is_symbolic


def check_labels(logits, labels, pad_id):
    """Refuse labels that the logits do not score.

    Args:
        logits: scores, float, (..., vocab).
        labels: the next words, int64, from 0 to vocab - 1 or pad_id.
        pad_id: the label that does not count.

    Raises:
        ValueError: another type, labels without an axis, or one out of range.
    """
    types = logits.is_floating_point() and labels.dtype == torch.int64
    if not types or labels.dim() < 1:
        raise ValueError(
            "expected floating-point logits and int64 labels with at least "
            f"one axis, got {logits.dtype} and {labels.dtype} of shape "
            f"{tuple(labels.shape)}"
        )
    if is_symbolic(labels):
        return
    size = logits.size(-1)
    wrong = (labels != pad_id) & ((labels < 0) | (labels >= size))
    if wrong.any():
        raise ValueError(
            f"expected labels from 0 to {size - 1}, or {pad_id} for padding, "
            f"got {int(labels[wrong][0])}"
        )


def sequence_loss(logits, labels, pad_id, smoothing=0.0, reduction="mean"):
    """Return the cross-entropy of the next words, averaged over tokens.

    Vaswani et al. (2017), sec. 5.4: with smoothing e, the right word gets
    1 - e and all words of the vocabulary share e.  Padding counts nowhere.

    Args:
        logits: scores of every next word, float, (B, T, vocab).
        labels: the next words, int64, (B, T).
        pad_id: the label that does not count.
        smoothing: e, from 0 to below 1.
        reduction: "mean" over the tokens, or their "sum".

    Returns:
        The loss in nats, a scalar, float32; float64 for float64 logits.

    Raises:
        ValueError: shapes or types that do not fit, smoothing or a label
            out of range, or labels that are all padding.
    """
    if logits.shape[:-1] != labels.shape:
        raise ValueError(
            f"expected logits of shape {(*labels.shape, 'vocab')}, got "
            f"{tuple(logits.shape)}"
        )
    check_labels(logits, labels, pad_id)
    if not 0 <= smoothing < 1:
        raise ValueError(
            f"expected smoothing from 0 to below 1, got {smoothing}"
        )
    if not is_symbolic(labels) and not (labels != pad_id).any():
        raise ValueError("expected at least one label that is no padding")
    wide = torch.promote_types(logits.dtype, torch.float32)
    return F.cross_entropy(
        logits.flatten(0, -2).to(wide),
        labels.flatten(),
        ignore_index=pad_id,
        label_smoothing=smoothing,
        reduction=reduction,
    )
