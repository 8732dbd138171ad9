"""The wrong answers that the check of the loss knows by name.

A loss is made in four choices: which words are the labels, what the logits
become, how the smoothing is shared, and over what the mean is taken.  Each
has its wrong ways, and two choices may be wrong at once.

Dimension letters:
    B batch, T target length, V vocabulary.
"""

import itertools

from attnbook.checks.seq_loss_detail_mistakes import wrong_details
from attnbook.checks.seq_loss_last_mistakes import wrong_last_steps

RIGHT = ""  # the hint of a right choice


def choices_of_labels(target):
    """Return pairs of a hint and labels, (B, T)."""
    return [
        (RIGHT, target[:, 1:]),
        (
            "nothing is shifted: logit i must name target i + 1, so the "
            "labels are target[:, 1:]",
            target[:, :-1],
        ),
    ]


def choices_of_scores(logits):
    """Return pairs of a hint and log-probabilities, (B, T, V)."""
    once = logits.softmax(-1)
    twice = "you take a softmax before the cross-entropy, which takes one "
    twice += "itself; hand it the logits"
    return [
        (RIGHT, logits.log_softmax(-1)),
        (twice, once.log_softmax(-1)),
        (
            "you take the logits for log-probabilities; log_softmax is "
            "missing",
            logits,
        ),
        (
            "your softmax runs over the places of a sentence; it must run "
            "over the words of the vocabulary, the last axis",
            logits.log_softmax(1),
        ),
    ]


def choices_of_smoothing(scores, labels, pad_id, e):
    """Return pairs of a hint and the loss of every label, (B, T).

    Args:
        scores: log-probabilities, (B, T, V).
        labels: the words, (B, T).
        pad_id: the padding.
        e: the smoothing; with 0 there is one choice.
    """
    right = -scores.gather(-1, labels[..., None])[..., 0]  # (B, T)
    every, size = -scores.sum(-1), scores.size(-1)  # (B, T)
    good = (1 - e) * right + e / size * every
    if not e:
        return [(RIGHT, good)]
    words = every + scores[..., pad_id]  # without the padding
    return [
        (RIGHT, good),
        ("the smoothing is not used", right),
        (
            "you share the smoothing among the other words alone; here "
            "all V words share it, the right one too",
            (1 - e) * right + e / (size - 1) * (every - right),
        ),
        (
            "you leave the word <pad> out of what is smoothed; here, as in "
            "PyTorch, all V words share it",
            (1 - e) * right + e / (size - 1) * words,
        ),
        (
            "you leave the right word and <pad> out of what is smoothed; "
            "here, as in PyTorch, all V words share it",
            (1 - e) * right + e / max(1, size - 2) * (words - right),
        ),
        (
            "the smoothing is the wrong way round: the right word gets "
            "1 - smoothing, all words share the rest",
            e * right + (1 - e) / size * every,
        ),
        (
            "each word of the vocabulary gets the whole smoothing; "
            "together they must get it, so each gets smoothing / V",
            (1 - e) * right + e * every,
        ),
        (
            "the right word keeps its whole weight of 1 beside the share "
            "smoothing / V; it must be 1 - smoothing",
            right + e / size * every,
        ),
    ]


def means_of(losses, real):
    """Return pairs of a hint and one loss.

    Args:
        losses: of every label, (B, T).
        real: which labels are no padding, bool, (B, T).
    """
    counted = losses.where(real, 0)  # (B, T)
    total, each = counted.sum(), counted.sum(1) / real.sum(1).clamp(min=1)
    return [
        (RIGHT, total / real.sum()),
        ("the padding is counted; a label pad_id must not", losses.mean()),
        (
            "the losses at the padding are 0, but you divide by the number "
            "of places; divide by the number of labels that are no padding",
            total / real.numel(),
        ),
        (
            "you take the mean of the sentences' means, so that a word of a "
            "short sentence counts more; take one mean over all labels",
            each.mean(),
        ),
        ("you add the losses up; divide by the number of labels", total),
        (
            "you divide by the number of sentences; divide by the number of "
            "labels",
            total / len(real),
        ),
    ]


def join(hints):
    """Return one hint out of those of several wrong choices."""
    hints = [hint for hint in hints if hint]
    return "two mistakes: " * (len(hints) > 1) + "; and ".join(hints)


def combined(logits, target, pad_id, e):
    """Return (number of wrong choices, hint, loss), the fewest first."""
    found = []
    pairs = itertools.product(
        choices_of_labels(target), choices_of_scores(logits)
    )
    for (a, labels), (b, scores) in pairs:
        real = labels != pad_id  # (B, T)
        ways = choices_of_smoothing(scores, labels, pad_id, e)
        for c, losses in ways:
            for d, loss in means_of(losses, real):
                hints = [hint for hint in (a, b, c, d) if hint]
                if 0 < len(hints) < 3:
                    found.append((len(hints), join(hints), loss))
    return sorted(found, key=lambda row: row[0])


def wrong_at_pads(logits, target, pad_id, e):
    """Return the loss whose smoothing reaches the padding, two ways."""
    scores, labels = logits.log_softmax(-1), target[:, 1:]
    real = labels != pad_id  # (B, T)
    right = -scores.gather(-1, labels[..., None])[..., 0][real].mean()
    every = -scores.mean(-1)  # (B, T)
    hint = "the smoothing is counted at the padding too; a place whose label "
    hint += "is pad_id counts nowhere, neither for the right word nor for "
    hint += "the share of all words"
    parts = every.mean(), every.sum() / real.sum()
    return [(hint, (1 - e) * right + e * part) for part in parts]


def wrong_places(logits, target, pad_id, e):
    """Return pairs of a hint and the loss of places put together wrongly."""

    def loss(logits, labels):
        scores = logits.log_softmax(-1)
        ways = choices_of_smoothing(scores, labels, pad_id, e)
        return means_of(ways[0][1], labels != pad_id)[0][1]

    b, t, v = logits.shape
    torn = logits.reshape(b, v, t).transpose(1, 2)  # (B, T, V)
    return [
        (
            "the last label is lost: the logits have been cut already, so "
            "cut the target alone",
            loss(logits[:, :-1], target[:, 1:-1]),
        ),
        (
            "you shift twice: logit i is compared with target i + 2; the "
            "logits stay as they are",
            loss(logits[:, :-1], target[:, 2:]),
        ),
        (
            "you shift the logits instead of the labels: logit i + 1 is "
            "compared with target i + 1",
            loss(logits[:, 1:], target[:, 1:-1]),
        ),
        (
            "you reshape the logits to (B, V, T), which tears them apart; "
            "transpose the last two axes, or flatten batch and places",
            loss(torn, target[:, 1:]),
        ),
    ]


def wrong_losses(right, *inputs):
    """Return pairs of a hint and the loss that the mistake gives.

    Args:
        right: the right loss, a scalar.
        inputs: logits, target, pad_id and smoothing.
    """
    rows = combined(*inputs)
    single = [(hint, loss) for count, hint, loss in rows if count == 1]
    double = [(hint, loss) for count, hint, loss in rows if count == 2]
    pads = wrong_at_pads(*inputs) if inputs[3] else []
    last = wrong_last_steps(right, *inputs)
    details = [*wrong_places(*inputs), *wrong_details(*inputs)]
    return [*single, *pads, *details, *last, *double]
