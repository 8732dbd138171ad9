"""Check of the loss of a batch of sentences.

Dimension letters:
    B batch, T target length, vocab words of the vocabulary.
"""

import torch
import torch.nn.functional as F

from attnbook.checks.engine.exercise import Case, Exercise, check
from attnbook.checks.engine.steps import table
from attnbook.checks.engine.verdict import Mistake

LENGTHS = (3, 1, 5, 4, 2)  # labels of each sentence, padding not counted
FAR = 1e5
MUCH = 0.3  # a smoothing


def seq_loss(logits, target, pad_id, smoothing):
    """Return the mean of the smoothed loss over all labels.

    Args:
        logits: float, (B, T, vocab).
        target: <bos>, words, <eos> and padding, int, (B, T + 1).
        pad_id: the id of padding, which is no label.
        smoothing: what all vocab words share, from 0 to 1.

    Returns:
        The loss, a scalar.
    """
    labels = target[:, 1:]  # (B, T)
    real = labels != pad_id  # (B, T)
    guesses = logits  # (B, T, vocab)
    log_p = guesses.log_softmax(-1)  # (B, T, vocab)
    nll = -log_p.gather(-1, labels[..., None])[..., 0]  # (B, T)
    every = -log_p.sum(-1)  # (B, T)
    v = logits.size(-1)
    e = smoothing
    share = e / v
    keep = 1 - e
    losses = keep * nll + share * every  # (B, T)
    total = losses[real].sum()
    count = real.sum()
    loss = total / count
    return loss


def up_to(labels, length):
    """Return which places come before a length, bool, (B, T)."""
    return torch.arange(labels.size(1)).expand_as(labels) < length


def lengths(labels, pad_id):
    """Return how many labels each sentence has, (B,)."""
    return (labels != pad_id).sum(1)


def weighted(logits, labels, pad_id, e):
    """Return the loss with a weight of 0 for padding, a scalar."""
    weight = torch.ones(logits.size(-1), dtype=logits.dtype)
    weight[pad_id] = 0
    return F.cross_entropy(logits.mT, labels, weight, label_smoothing=e)


def floor_of(v, e):
    """Return the smallest loss that a smoothing leaves."""
    shares = torch.tensor([1 - e + e / v] + [e / v] * (v - 1))
    return -torch.special.xlogy(shares, shares).sum().item()


MISTAKES = table("""
    labels = target[:, :-1]
        nothing is shifted: logit i must name target i + 1, so the labels are
        target[:, 1:]
    labels = target[:, 1:-1]; guesses = logits[:, :-1]
        the last label is lost: the logits have been cut already, so cut the
        target alone
    labels = target[:, 2:]; guesses = logits[:, :-1]
        you shift twice: logit i is compared with target i + 2; the logits stay
        as they are
    labels = target[:, 1:-1]; guesses = logits[:, 1:]
        you shift the logits instead of the labels: logit i + 1 is compared
        with target i + 1
    guesses = logits.reshape(len(logits), -1, logits.size(1)).transpose(1, 2)
        you reshape the logits to (B, vocab, T), which tears them apart;
        transpose the last two axes, or flatten batch and places
    guesses = logits * (labels != pad_id)[..., None]; real = labels == labels
        you set the logits at the padding to 0, and then count them as guesses;
        leave these places out of the mean
    log_p = guesses.softmax(-1).log_softmax(-1)
        you take a softmax before the cross-entropy, which takes one itself;
        hand it the logits
    log_p = guesses
        you take the logits for log-probabilities; log_softmax is missing
    log_p = guesses.log_softmax(1)
        your softmax runs over the places of a sentence; it must run over the
        words of the vocabulary, the last axis
    log_p = guesses.log_softmax(0)
        your softmax runs over the sentences; it must run over the words of the
        vocabulary, the last axis
    log_p = guesses.index_fill(2, torch.tensor(pad_id), -1e9).log_softmax(-1)
        the word <pad> is hidden from the softmax; all vocab words take part in
        it
    log_p = guesses.softmax(-1)
        you average probabilities; average their logarithms, with a minus
    losses = 1 - (-nll).exp()
        you average 1 - p; average -ln p
    loss = -(-nll)[real].exp().mean().log()
        you take the logarithm of the mean probability; take the mean of the
        logarithms
    e = 0
        the smoothing is not used
    e = 0.1
        0.1 is written into your function; use smoothing
    e = 1 - smoothing
        the smoothing is the wrong way round: without smoothing the right word
        gets 1, not a share of 1 / vocab
    e = 1 - smoothing if smoothing else 0
        the smoothing is the wrong way round: the right word gets
        1 - smoothing, all words share the rest
    share = e
        each word of the vocabulary gets the whole smoothing; together they
        must get it, so each gets smoothing / vocab
    share = 0
        what all vocab words share is missing: smoothing / vocab times the sum
        of their -ln p
    share = e / (v - 1)
    share = e / (v - 2)
        you divide the smoothing by vocab - 1 or vocab - 2; the right word and
        <pad> share it too, so divide by vocab
    share = e / labels.size(1)
        you divide the smoothing by the number of places; it is shared by the
        words of the vocabulary, so divide by vocab
    keep = 1
        the right word keeps its whole weight of 1 beside the share
        smoothing / vocab; it must be 1 - smoothing
    every = -log_p.sum(-1) - nll
        the right word gets 1 - smoothing alone; it has its share smoothing /
        vocab beside it, as all vocab words have
    every = -log_p.sum(-1) - nll; share = e / (v - 1)
        you share the smoothing among the other words alone; here all vocab
        words share it, the right one too
    every = -log_p.sum(-1) + log_p[..., pad_id]; share = e / (v - 1)
        you leave the word <pad> out of what is smoothed; here, as in PyTorch,
        all vocab words share it
    every = log_p[..., pad_id] - log_p.sum(-1) - nll; share = e / (v - 2)
        you leave the right word and <pad> out of what is smoothed; here, as in
        PyTorch, all vocab words share it
    loss = weighted(guesses, labels, pad_id, e)
        weight= with a 0 for <pad> takes its share of the smoothing away too;
        use ignore_index
    losses = -(keep * (-nll).exp() + share).log()
        you smooth the model's probabilities; smooth the label: (1 - smoothing)
        and smoothing / vocab weigh the -ln p
    loss = keep * nll[real].mean() + share * every.mean()
    total = keep * nll[real].sum() + share * every.sum()
        the smoothing is counted at the padding too; a place whose label is
        pad_id counts nowhere, neither for the right word nor for the share of
        all words
    loss = keep * nll[real].mean() + share * every.where(real, 0).mean()
        what all words share is divided by the number of places; divide it,
        too, by the number of labels that are no padding
    real = labels == labels
        the padding is counted; a label pad_id must not
    real = target[:, :-1] != pad_id
    count = (target[:, :-1] != pad_id).sum()
        you look for the padding in target[:, :-1]; what counts is whether the
        label, target[:, 1:], is pad_id
    real = up_to(labels, lengths(labels, pad_id)[:, None] - 1)
        the last label of each sentence, <eos>, is left out; it counts
    real = (labels != pad_id) & (torch.arange(labels.size(1)) > 0)
        the first label of each sentence is left out; it counts
    labels = target[:, 1:].T.reshape(target[:, 1:].shape)
    guesses = logits.transpose(0, 1).reshape(logits.shape)
        logits and labels are flattened in different orders; flatten both
        sentence by sentence, without a transpose of batch and places
    real = labels != 0
        0 is written into your function as the padding; use pad_id
    real = labels > pad_id
        you count only labels above pad_id; every label but pad_id counts: !=
    real = (labels != pad_id) & (labels != 0)
        the label 0 is left out beside pad_id; pad_id alone does not count
    real = (labels != pad_id) & (labels != 2)
        the label 2 is left out; pad_id alone does not count, and <eos> does
    real = (labels != pad_id) & (torch.arange(len(labels)) < 1)[:, None]
        only the first sentence counts; take the labels of all
    real = (labels != pad_id) & up_to(labels, lengths(labels, pad_id).min())
        you cut all sentences to the length of the shortest one; count every
        label that is not pad_id
    real = (labels != pad_id) & up_to(labels, lengths(labels, pad_id)[0])
        you cut all sentences to the length of the first one; count every label
        that is not pad_id
    count = real.numel()
        the losses at the padding are 0, but you divide by the number of
        places; divide by the number of labels that are no padding
    count = (target != pad_id).sum()
        you count <bos> among the labels; divide by the number of labels that
        are no padding
    count = labels.size(1)
        you divide by T, the length; divide by the number of labels that are no
        padding
    count = len(labels)
        you divide by the number of sentences; divide by the number of labels
    count = 1
        you add the losses up; divide by the number of labels
    loss = total / count / v
        you divide by the number of words of the vocabulary too; add up over
        them, and take the mean over the labels alone
    loss = (losses.where(real, 0).sum(1) / real.sum(1).clamp(min=1)).mean()
        you take the mean of the sentences' means, so that a word of a short
        sentence counts more; take one mean over all labels
    loss = losses.where(real, 0).sum(1) / real.sum(1)
    loss = losses.where(real, 0).sum(1)
        you return one loss per sentence; return one number, the mean over all
        labels
    loss = losses.where(real, 0)
    loss = losses[real]
        you return one loss per label; return one number, the mean over the
        labels
    loss = -total / count
        the sign is missing: a loss is minus the log-probability
    loss = (total / count).exp()
        this is the perplexity, exp of the loss; return the loss
    loss = total / count / math.log(2)
        you use the logarithm to base 2; use ln
    loss = total / count - floor_of(v, e)
        this is the loss minus its floor (a KL divergence); return the
        cross-entropy itself
""")
CLASSES = (
    "F.one_hot needs vocab, F.one_hot(labels, vocab): not every word is there"
)
ERRORS = {  # the numbers are those of the case with 13 words
    "to match target batch_size": "logits and labels differ in number; the "
    "logits stay whole, and <bos> is no label: cut it off with "
    "target[:, 1:]",
    "Expected target size": "cross_entropy wants the words of the "
    "vocabulary on axis 1; flatten batch and places, logits.flatten(0, 1), "
    "or move the axis, logits.transpose(1, 2)",
    "view size is not compatible": "view needs numbers that lie in one "
    "piece; use flatten or reshape",
    "out of bounds": "an index is too large: are vocab and T mixed up?",
    "(13) must match the size": CLASSES,
    "size of tensor b (13)": CLASSES,
    "must match the size": "two shapes do not meet: the target has one "
    "token more than the logits have places",
}


def example(draws, b, t, v, pad_id, smoothing, factor=1, dtype=torch.float32):
    """Draw logits, (B, T, vocab), not contiguous, and a target, (B, T + 1).

    Logits of float64 are moved far from 0: no loss notices, but float32 does.
    """
    generator = draws.seeded(12)
    logits = torch.randn(b, v, t, generator=generator, dtype=torch.float64)
    words = torch.tensor([i for i in range(v) if i != pad_id])
    drawn = torch.randint(0, v - 2, (b, t + 1), generator=generator)
    target = words[drawn + (drawn >= 1)]  # (B, T + 1)
    target[:, 0] = words[1]  # <bos>
    logits += FAR * (dtype == torch.float64)
    for row, length in zip(target, LENGTHS, strict=False):
        row[1 + min(length, t) :] = pad_id
    logits = (factor * logits).transpose(1, 2).to(dtype)
    return logits, target, pad_id, smoothing


def finite(answer, *inputs):
    """Call the answer; refuse a float of Python, and infinity."""
    result = answer(*inputs)
    if isinstance(result, float):
        raise Mistake(
            "you return a Python float, through which no gradient flows; "
            "leave .item() and float() out"
        )
    if isinstance(result, torch.Tensor) and result.isinf().any():
        raise Mistake(
            "the loss is infinite: the logarithm of a probability that "
            "became 0"
        )
    return result


def guess(results, rights, inputs):
    """Return a hint for a loss that no row explains, or None."""
    (loss,), (right,) = results, rights
    if loss.shape != right.shape or (loss - right).abs() < 1e-3 * right:
        return None
    if inputs[-1] == MUCH:  # right without smoothing
        return (
            "1 - smoothing weighs the right word, and smoothing / vocab each "
            "of the vocab words, the right one too"
        )
    return (
        "the number is not the mean of -ln p over the labels; compare a "
        "batch of two short sentences with your sum by hand"
    )


def cases(draws):
    """Yield all cases."""
    yield Case("", example(draws, 3, 5, 7, 0, 0.0))
    yield Case(
        f"right without smoothing, but not with {MUCH}: ",
        example(draws, 3, 4, 7, 0, MUCH),
    )
    yield Case(
        f"right for a smoothing of {MUCH}, but not of 0.9: ",
        example(draws, 3, 5, 7, 0, 0.9),
        otherwise="use smoothing as it comes, with no bound of your own",
    )
    yield Case(
        "right if pad_id is 0, but not if it is 4: ",
        example(draws, 4, 5, 13, 4, 0.1),
    )
    yield Case(
        "right while all sizes differ, but not when B = T = vocab: ",
        example(draws, 5, 5, 5, 0, 0.1),
    )
    yield Case(
        "right for small logits, but not for logits of several hundred "
        "(use log_softmax or cross_entropy, no clamp, no log of a softmax): ",
        example(draws, 3, 5, 7, 0, 0.1, factor=200.0),
        otherwise="a probability that is nearly 0 has lost its logarithm, "
        "or a large number is cut off",
        only=True,
    )
    yield Case(
        "right for float32, but not for float64: ",
        example(draws, 3, 5, 7, 0, 0.1, dtype=torch.float64),
    )
    yield Case(
        "right for several sentences, but not for one: ",
        example(draws, 1, 5, 7, 0, 0.0),
    )
    yield Case(
        "right for several labels, but not for one each: ",
        example(draws, 3, 1, 7, 0, 0.0),
    )
    yield Case(
        "right while one sentence fills all places, but not if none does: ",
        example(draws, 2, 8, 7, 0, 0.1),
    )


def exercise(draws):
    """Return the exercise with its inputs."""
    return Exercise(
        right=seq_loss,
        returns={"the loss": ""},
        takes=("B T vocab", "", "", ""),
        cases=tuple(cases(draws)),
        mistakes=MISTAKES,
        errors=ERRORS,
        guess=guess,
        through=finite,
        trains=(("", example(draws, 3, 5, 7, 0, 0.1)),),
    )


check_seq_loss = check(exercise)
