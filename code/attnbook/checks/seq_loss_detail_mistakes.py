"""Wrong details of a loss, by name: which labels count, and their shares.

Dimension letters:
    B batch, T target length, V vocabulary.
"""

import torch
import torch.nn.functional as F

INPUT = (
    "you look for the padding in target[:, :-1]; what counts is whether the "
    "label, target[:, 1:], is pad_id"
)


def smoothed(scores, labels, e):
    """Return the loss of every label, (B, T), from log-probabilities."""
    right = -scores.gather(-1, labels[..., None])[..., 0]  # (B, T)
    return (1 - e) * right - e * scores.mean(-1)


def wrong_counts(target, pad_id):
    """Return pairs of a hint and the labels that count, bool, (B, T)."""
    labels = target[:, 1:]
    real = labels != pad_id  # (B, T)
    lengths = real.sum(1)  # (B,)
    place = torch.arange(labels.size(1))  # (T,)
    cut = "you cut all sentences to the length of the {} one; count every "
    cut += "label that is not pad_id"
    return [
        (INPUT, target[:, :-1] != pad_id),
        (
            "the last label of each sentence, <eos>, is left out; it counts",
            real & (place < lengths[:, None] - 1),
        ),
        (
            "0 is written into your function as the padding; use pad_id",
            labels != 0,
        ),
        (
            "you count only labels above pad_id; every label but pad_id "
            "counts: !=",
            labels > pad_id,
        ),
        (
            "the label 0 is left out beside pad_id; pad_id alone does not "
            "count",
            real & (labels != 0),
        ),
        (
            "only the first sentence counts; take the labels of all",
            real & (torch.arange(len(real))[:, None] == 0),
        ),
        (cut.format("shortest"), real & (place < lengths.min())),
        (cut.format("first"), real & (place < lengths[0])),
    ]


def wrong_shares(logits, labels, pad_id, e):
    """Return pairs of a hint and the losses of all labels, (B, T)."""
    scores = logits.log_softmax(-1)  # (B, T, V)
    right = scores.gather(-1, labels[..., None])[..., 0]  # (B, T)
    v, every = scores.size(-1), scores.sum(-1)
    rows = [
        (
            "0.1 is written into your function; use smoothing",
            smoothed(scores, labels, 0.1),
        ),
        (
            "the smoothing is the wrong way round: without smoothing the "
            "right word gets 1, not a share of 1 / V",
            smoothed(scores, labels, 1 - e),
        ),
        (
            "the word <pad> is hidden from the softmax; all V words take "
            "part in it",
            -right + hidden_share(scores, pad_id),
        ),
    ]
    if e:
        short = (1 - e) * right + e / v * (every - right)
        p = (1 - e) * right.exp() + e / v
        rows += [
            (
                "the right word gets 1 - smoothing alone; it has its share "
                "smoothing / V beside it, as all V words have",
                -short,
            ),
            (
                "you smooth the model's probabilities; smooth the label: "
                "(1 - smoothing) and smoothing / V weigh the -ln p",
                -p.log(),
            ),
            (
                "you divide the smoothing by the number of places; it is "
                "shared by the words of the vocabulary, so divide by V",
                -(1 - e) * right - e / labels.size(1) * every,
            ),
        ]
    return rows


def hidden_share(scores, pad_id):
    """Return what log-probabilities grow by when one word is hidden."""
    return torch.log1p(-scores[..., pad_id].exp().clamp(max=1 - 1e-6))


def weighted(logits, labels, pad_id, e):
    """Return the loss with a weight of 0 for the padding, a scalar."""
    weight = torch.ones(logits.size(-1), dtype=logits.dtype)
    weight[pad_id] = 0
    flat = logits.flatten(0, 1), labels.flatten()
    return F.cross_entropy(*flat, weight=weight, label_smoothing=e)


def wrong_details(logits, target, pad_id, e):
    """Return pairs of a hint and the loss that the mistake gives."""
    labels = target[:, 1:]
    real = labels != pad_id  # (B, T)
    losses = smoothed(logits.log_softmax(-1), labels, e)
    rows = [
        (hint, wrong[real].mean())
        for hint, wrong in wrong_shares(logits, labels, pad_id, e)
    ]
    rows += [
        (hint, losses[counted].mean())
        for hint, counted in wrong_counts(target, pad_id)
    ]
    before = target[:, :-1] != pad_id  # (B, T)
    rows.append((INPUT, losses[real].sum() / before.sum()))
    flat = torch.where(real[..., None], logits, 0).log_softmax(-1)
    return [
        *rows,
        (
            "you set the logits at the padding to 0, and then count them as "
            "guesses; leave these places out of the mean",
            smoothed(flat, labels, e).mean(),
        ),
        (
            "weight= with a 0 for <pad> takes its share of the smoothing "
            "away too; use ignore_index",
            weighted(logits, labels, pad_id, e),
        ),
        (
            "you divide by the number of words of the vocabulary too; add "
            "up over them, and take the mean over the labels alone",
            losses[real].mean() / logits.size(-1),
        ),
    ]
