"""Check of the loss of a batch of sentences.

Dimension letters:
    B batch, T target length, V vocabulary.
"""

import torch
import torch.nn.functional as F

from attnbook.checks.engine.calling import (
    LOST,
    call,
    check_tensor,
    close,
    compare_gradients,
    first_match,
)
from attnbook.checks.engine.verdict import Mistake, checker
from attnbook.checks.seq_loss_mistakes import wrong_losses

LENGTHS = (3, 2, 5, 4, 1)  # labels of each sentence, padding not counted
FAR = 1e5

STAGES = (  # what to say, B, T, V, pad_id, smoothing, factor, type
    ("", 3, 5, 7, 0, 0.0, 1.0, torch.float32),
    ("right without smoothing, but not with 0.2: ", 3, 5, 7, 0, 0.2, 1, None),
    ("right if pad_id is 0, but not if it is 4: ", 4, 5, 9, 4, 0.1, 1, None),
    (
        "right while all sizes differ, but not when B = T = V: ",
        5,
        5,
        5,
        0,
        0.1,
        1,
        None,
    ),
    (
        "right for small logits, but not for logits of several hundred "
        "(use log_softmax or cross_entropy, no log of a softmax): ",
        3,
        5,
        7,
        0,
        0.1,
        200.0,
        None,
    ),
    (
        "right for float32, but not for float64: ",
        3,
        5,
        7,
        0,
        0.1,
        1,
        torch.float64,
    ),
    ("right for several sentences, but not for one: ", 1, 5, 7, 0, 0, 1, None),
    (
        "right for several labels, but not for one each: ",
        3,
        1,
        7,
        0,
        0,
        1,
        None,
    ),
    (
        "right while one sentence fills all places, but not if none does: ",
        3,
        8,
        7,
        0,
        0.1,
        1,
        None,
    ),
)
EXPLAINED = {  # what an error of PyTorch means here
    "to match target batch_size": "logits and labels differ in number; the "
    "logits stay whole, and <bos> is no label: cut it off with "
    "target[:, 1:]",
    "Expected target size": "cross_entropy wants the words of the "
    "vocabulary on axis 1; flatten batch and places, logits.flatten(0, 1), "
    "or move the axis, logits.transpose(1, 2)",
    "view size is not compatible": "view needs numbers that lie in one "
    "piece; use flatten or reshape",
    "out of bounds": "an index is too large: are V and T mixed up?",
    "must match the size": "two shapes do not meet: the target has one "
    "token more than the logits have places",
}


def example(b, t, v, pad_id, factor, dtype):
    """Draw logits, (B, T, V), not contiguous, and a target, (B, T + 1).

    Logits of float64 are moved far from 0: no loss notices, but float32 does.
    """
    generator = torch.Generator().manual_seed(12)
    logits = torch.randn(b, v, t, generator=generator, dtype=torch.float64)
    words = torch.tensor([i for i in range(v) if i != pad_id])
    drawn = torch.randint(0, v - 2, (b, t + 1), generator=generator)
    target = words[drawn + (drawn >= 1)]  # (B, T + 1)
    target[:, 0] = words[1]  # <bos>
    logits += FAR * (dtype == torch.float64)
    for row, length in zip(target, LENGTHS, strict=False):
        row[1 + min(length, t) :] = pad_id
    return (factor * logits).transpose(1, 2).to(dtype), target


def right_loss(logits, target, pad_id, smoothing):
    """Return the loss as PyTorch computes it, a scalar."""
    return F.cross_entropy(
        logits.flatten(0, 1),
        target[:, 1:].flatten(),
        ignore_index=pad_id,
        label_smoothing=smoothing,
    )


def explained(answer, *inputs):
    """Call the answer; say what PyTorch's usual errors mean here."""
    try:
        return call(answer, *inputs)
    except Mistake as mistake:
        for words, meaning in EXPLAINED.items():
            if words in str(mistake):
                raise Mistake(meaning) from None
        raise


def check_scalar(result, logits):
    """Refuse what is no loss: a float, or one number per word."""
    if isinstance(result, float):
        raise Mistake(
            "you return a Python float, through which no gradient flows; "
            "leave .item() and float() out"
        )
    kind = isinstance(result, torch.Tensor)
    if kind and result.shape == logits.shape[:1] != (1,):
        raise Mistake(
            "you return one loss per sentence; return one number, the mean "
            "over all labels"
        )
    if kind and result.numel() > 1:
        raise Mistake(
            "return one number, the mean over the labels; yours has shape "
            f"{tuple(result.shape)}"
        )
    if kind and result.dim():
        raise Mistake(
            "the loss must be a scalar of shape (); yours has shape "
            f"{tuple(result.shape)}"
        )
    check_tensor(result, logits, "the loss")


def judge_loss(answer, inputs):
    """Raise a mistake in the loss of these inputs."""
    result = explained(answer, *inputs)
    check_scalar(result, inputs[0])
    right = right_loss(*inputs)
    if close(result, right):
        return
    if not result.isfinite():
        raise Mistake(
            "the loss is infinite: the logarithm of a probability that "
            "became 0"
        )
    coarse = right_loss(inputs[0].float(), *inputs[1:])
    if close(result, coarse, 1e-6) or close(result, right, 2e-4):
        raise Mistake(f"nearly right: {LOST}, and do not round")
    again = call(answer, *inputs)
    if not close(result, again):
        raise Mistake("two calls with the same inputs differ")
    hint = first_match(result, wrong_losses(right, *inputs))
    raise Mistake(
        hint
        or "the number is not the mean of -ln p over the labels; compare a "
        "batch of two short sentences with your sum by hand"
    )


@checker
def check_seq_loss(answer):
    """Check exercise ``seq_loss(logits, target, pad_id, smoothing)``.

    Args:
        answer: a function of the logits, float, (B, T, V), the target with
            <bos>, words, <eos> and padding, int, (B, T + 1), the id of
            padding and the smoothing; it returns the mean cross-entropy
            over the labels that are no padding, a scalar.

    Returns:
        A `Verdict`; the check prints it too, and never raises.
    """
    for prefix, b, t, v, pad_id, smoothing, factor, dtype in STAGES:
        dtype = dtype or torch.float32
        logits, target = example(b, t, v, pad_id, factor, dtype)
        try:
            judge_loss(answer, (logits, target, pad_id, smoothing))
        except Mistake as mistake:
            raise Mistake(f"{prefix}{mistake}") from None
    logits, target = example(3, 5, 7, 0, 1, torch.float32)

    def of_logits(function):
        return lambda logits: function(logits, target.clone(), 0, 0.1)

    compare_gradients(of_logits(answer), of_logits(right_loss), logits)
