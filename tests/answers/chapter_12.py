"""Answers to the tasks of chapter 12, Learning in a minute."""

import math

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from answers.registry import right, wrong
from attnbook.training.loss import sequence_loss

# -------------------------------------------------------------- the loss
TASK = "seq_loss"


@right(TASK)
def loss_by_pytorch(logits, target, pad_id, smoothing):
    return F.cross_entropy(
        logits.flatten(0, 1),
        target[:, 1:].flatten(),
        ignore_index=pad_id,
        label_smoothing=smoothing,
    )


@right(TASK)
def loss_of_the_package(logits, target, pad_id, smoothing):
    return sequence_loss(logits, target[:, 1:], pad_id, smoothing)


@right(TASK)
def loss_by_module(scores, words, pad, e):
    judge = nn.CrossEntropyLoss(ignore_index=pad, label_smoothing=e)
    return judge(scores.transpose(1, 2), words[:, 1:])


@right(TASK)
def loss_by_hand(logits, target, pad_id, smoothing):
    logp, labels = logits.log_softmax(-1), target[:, 1:]
    real = labels != pad_id
    right = logp.gather(-1, labels.unsqueeze(-1)).squeeze(-1)
    losses = -(1 - smoothing) * right - smoothing * logp.mean(-1)
    return (losses * real).sum() / real.sum()


@right(TASK)
def loss_in_loops(logits, target, pad_id, smoothing):
    total, count = 0, 0
    for rows, words in zip(logits, target, strict=True):
        for row, word in zip(rows, words[1:], strict=True):
            if word == pad_id:
                continue
            logp = row - row.logsumexp(0)
            total = total - (1 - smoothing) * logp[word]
            total = total - smoothing * logp.sum() / len(row)
            count += 1
    return total / count


@right(TASK)
def loss_with_soft_targets(logits, target, pad_id, smoothing):
    keep = target[:, 1:].ne(pad_id)
    chosen, labels = logits[keep], target[:, 1:][keep]
    q = F.one_hot(labels, logits.shape[-1]).to(logits.dtype)
    q = q * (1 - smoothing) + smoothing / logits.shape[-1]
    return -torch.einsum("nv,nv->n", q, chosen.log_softmax(1)).mean()


@right(TASK)
def loss_of_logs_once_more(logits, target, pad_id, smoothing):
    """The logarithm of a softmax may pass through a second one."""
    logp = logits.double().log_softmax(-1).flatten(0, 1)
    labels = target[:, 1:].reshape(-1)
    loss = F.cross_entropy(
        logp, labels, ignore_index=pad_id, label_smoothing=smoothing
    )
    return loss.to(logits.dtype)


def plain(logits, labels, pad_id, e=0.0, reduction="mean"):
    return F.cross_entropy(
        logits.transpose(1, 2),
        labels,
        ignore_index=pad_id,
        label_smoothing=e,
        reduction=reduction,
    )


@wrong(TASK, "cut it off with target[:, 1:]")
def whole_target(logits, target, pad_id, e):
    return F.cross_entropy(
        logits.flatten(0, 1), target.flatten(), ignore_index=pad_id
    )


@wrong(TASK, "the logits stay whole")
def logits_cut(logits, target, pad_id, e):
    return F.cross_entropy(
        logits[:, :-1].flatten(0, 1),
        target[:, 1:].flatten(),
        ignore_index=pad_id,
    )


@wrong(TASK, "words of the vocabulary on axis 1")
def not_flattened(logits, target, pad_id, e):
    return F.cross_entropy(logits, target[:, 1:], ignore_index=pad_id)


@wrong(TASK, "no gradient flows; leave .item()")
def a_float(logits, target, pad_id, e):
    return plain(logits, target[:, 1:], pad_id, e).item()


@wrong(TASK, "no gradient flows through your result")
def detached(logits, target, pad_id, e):
    return plain(logits.detach(), target[:, 1:], pad_id, e)


@wrong(TASK, "right for small logits")
def log_of_softmax(logits, target, pad_id, e):
    logp = (logits.softmax(-1) + 1e-9).log()
    right = logp.gather(-1, target[:, 1:, None])[..., 0]
    losses = -(1 - e) * right - e * logp.mean(-1)
    return losses[target[:, 1:] != pad_id].mean()


@wrong(TASK, "right for float32, but not for float64")
def float_loss(logits, target, pad_id, e):
    return plain(logits.float(), target[:, 1:], pad_id, e)


@wrong(TASK, "target[:, 1:]; and: the padding is counted")
def no_shift_and_pads(logits, target, pad_id, e):
    return plain(logits, target[:, :-1], -100, e)


@wrong(TASK, "hand it the logits; and: the padding is counted")
def softmax_and_pads(logits, target, pad_id, e):
    return plain(logits.softmax(-1), target[:, 1:], -100, e)


@wrong(TASK, "view needs numbers")
def viewed(logits, target, pad_id, e):
    return F.cross_entropy(
        logits.view(-1, logits.size(-1)),
        target[:, 1:].reshape(-1),
        ignore_index=pad_id,
        label_smoothing=e,
    )


@right(TASK)
def loss_of_one_hot_floats(logits, target, pad_id, e):
    labels, v = target[:, 1:], logits.size(-1)
    q = F.one_hot(labels, v).float() * (1 - e) + e / v
    losses = -(q * logits.log_softmax(-1)).sum(-1)
    return losses[labels != pad_id].mean()


@right(TASK)
def loss_cut_to_the_longest(logits, target, pad_id, smoothing=0.0):
    longest = int((target[:, 1:] != pad_id).sum(1).max())
    labels = target[:, 1 : longest + 1]
    return plain(logits[:, :longest], labels, pad_id, smoothing)


@wrong(TASK, "right for float32, but not for float64: the loss: nearly right")
def float_inside(logits, target, pad_id, e):
    loss = plain(logits.float(), target[:, 1:], pad_id, e)
    return loss.to(logits.dtype)


@wrong(TASK, "cut off or rounded")
def rounded(logits, target, pad_id, e):
    return plain(logits, target[:, 1:], pad_id, e).round(decimals=4)


@wrong(TASK, "not if none does")
def cut_and_counted(logits, target, pad_id, e):
    n = int((target[:, 1:] != pad_id).sum(1).max())
    other = pad_id if n == logits.size(1) else -100
    return plain(logits[:, :n], target[:, 1 : n + 1], other, e)


@wrong(TASK, "the number is not the mean of -ln p over the labels")
def by_the_labels_less_one(logits, target, pad_id, e):
    labels = target[:, 1:]
    total = plain(logits, labels, pad_id, e, "sum")
    return total / ((labels != pad_id).sum() - 1)


@wrong(TASK, "0.3, but not of 0.9: use smoothing as it comes")
def half_at_most(logits, target, pad_id, e):
    return loss_by_pytorch(logits, target, pad_id, min(e, 0.5))


@wrong(TASK, "but not with 0.3: 1 - smoothing weighs the right word")
def half_the_smoothing(logits, target, pad_id, e):
    return plain(logits, target[:, 1:], pad_id, e / 2)


@wrong(TASK, "log of a softmax): the loss is infinite")
def log_of_zero(logits, target, pad_id, e):
    logp = logits.softmax(-1).log().clamp(max=-1e-30)
    right = logp.gather(-1, target[:, 1:, None])[..., 0]
    losses = -(1 - e) * right - e * logp.mean(-1)
    return losses[target[:, 1:] != pad_id].mean()


@wrong(TASK, "the loss must have the shape (); yours has (1,)")
def a_row(logits, target, pad_id, e):
    return plain(logits, target[:, 1:], pad_id, e)[None]


# ---------------------------------------------------------- learning rate
TASK = "noam_lr"


@right(TASK)
def noam_by_min(step, d_model, warmup):
    step = max(step, 1)
    return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)


@right(TASK)
def noam_by_cases(s, d, w):
    s = s or 1
    if s < w:
        return s / (w * math.sqrt(w) * math.sqrt(d))
    return 1 / math.sqrt(s * d)


@right(TASK)
def noam_from_its_peak(step, d_model, warmup):
    share = max(1, step) / warmup
    peak = (d_model * warmup) ** -0.5
    return peak * min(share, share**-0.5)


@right(TASK)
def noam_as_a_tensor(step, d_model, warmup):
    s = torch.tensor(float(max(step, 1)), dtype=torch.float64)
    return d_model**-0.5 * torch.minimum(s.rsqrt(), s / warmup**1.5)


@right(TASK)
def noam_without_an_if(step, d_model, warmup):
    step += step == 0
    return sorted([step**-0.5, step * warmup**-1.5])[0] / d_model**0.5


def variant(hint):
    """Register a schedule that treats step 0 as step 1."""

    def register(function):
        def schedule(step, d_model, warmup):
            return function(max(step, 1), d_model, warmup)

        schedule.__name__ = function.__name__
        return wrong("noam_lr", hint)(schedule)

    return register


@wrong(TASK, "0 ** -0.5 is no number")
def crashes_at_0(step, d_model, warmup):
    return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)


@wrong(TASK, "has the rate 0")
def zero_at_0(step, d_model, warmup):
    if step == 0:
        return 0.0
    return noam_by_min(step, d_model, warmup)


@wrong(TASK, "has another rate than step 1")
def peak_at_0(step, d_model, warmup):
    return noam_by_min(step or warmup, d_model, warmup)


@variant("the peak must be at warmup")
def late_peak(s, d, w):
    return noam_by_min(s, d, 2 * w)


@variant("a factor is not")
def twice_as_large(s, d, w):
    return 2 * noam_by_min(s, d, w)


@variant("four times as many steps must halve the rate")
def cosine_down(s, d, w):
    peak = (d * w) ** -0.5
    share = min(1, (s - w) / (24 * w))
    return peak * (s / w if s < w else (1 + math.cos(math.pi * share)) / 2)


@variant("return one number")
def a_list(s, d, w):
    return [noam_by_min(s, d, w)]


@variant("must not be negative")
def negative(s, d, w):
    return -noam_by_min(s, d, w)


calls = []


@wrong(TASK, "two calls with the same step differ")
def counts_itself(step, d_model, warmup):
    calls.append(step)
    return noam_by_min(len(calls), d_model, warmup)


@right(TASK)
def noam_by_numpy_where(step, d_model, warmup):
    s = max(step, 1)
    return np.where(s < warmup, s * warmup**-1.5, s**-0.5) / d_model**0.5


@variant("return one number")
def an_array(s, d, w):
    return np.array([noam_by_min(s, d, w)])


@variant("right, but not for a warmup of 100000")
def never_below(s, d, w):
    return max(noam_by_min(s, d, w), 1e-9)


@variant("the rate at step 1 is 0")
def whole_line(s, d, w):
    return d**-0.5 * min(s**-0.5, s // w * w**-0.5)


@variant("at step 1 the rate is largest")
def at_most_a_hundredth(s, d, w):
    return min(noam_by_min(s, d, w), 0.01)


@wrong(TASK, "another rate than step 1")
def start_of_the_paper(step, d_model, warmup):
    if step == 0:
        return 512**-0.5 * 4000**-1.5
    return noam_by_min(step, d_model, warmup)


@wrong(TASK, "an error for step = 4000, d_model = 512, warmup = 4000")
def divides_by_0_at_warmup(step, d_model, warmup):
    if step < warmup:
        return noam_by_min(step, d_model, warmup)
    return (d_model * (step - warmup)) ** -0.5


@wrong(TASK, "begin, fails; treat it as step 1")
def logarithm_of_0(step, d_model, warmup):
    rise = math.log(step) - 1.5 * math.log(warmup)
    return math.exp(min(-0.5 * math.log(step), rise)) / d_model**0.5
