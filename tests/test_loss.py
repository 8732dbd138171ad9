import math

import pytest
import torch
from torch.testing import assert_close

from attnbook.training.loss import sequence_loss


@pytest.fixture
def logits(rng):
    return torch.randn(2, 5, 7, generator=rng)


LABELS = torch.tensor([[3, 4, 5, 0, 0], [6, 1, 2, 3, 4]])


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_the_loss_is_the_mean_over_words(logits, smoothing):
    scores = logits.log_softmax(-1)
    terms = []
    for row, labels in zip(scores, LABELS, strict=True):
        for word, label in zip(row, labels, strict=True):
            if label != 0:
                right = -word[label] * (1 - smoothing)
                terms.append(right - smoothing * word.mean())
    want = torch.stack(terms)
    loss = sequence_loss(logits, LABELS, 0, smoothing)
    assert_close(loss, want.mean())
    total = sequence_loss(logits, LABELS, 0, smoothing, reduction="sum")
    assert_close(total, want.sum())


def test_the_floor_of_the_smoothed_loss():
    """A perfect model of 10,000 words cannot get below 1.246 nats."""
    size, e = 10_000, 0.1
    perfect = torch.full((1, 1, size), e / size)
    perfect[0, 0, 5] += 1 - e
    loss = sequence_loss(perfect.log(), torch.tensor([[5]]), 0, e)
    right = 1 - e + e / size
    floor = -right * math.log(right)
    floor -= (size - 1) * e / size * math.log(e / size)
    assert loss.item() == pytest.approx(floor, abs=1e-4)
    assert floor == pytest.approx(1.246, abs=1e-3)


def test_double_precision_stays(logits):
    loss = sequence_loss(logits.double(), LABELS, 0, 0.1)
    assert loss.dtype == torch.float64


def test_half_precision_is_summed_in_single(logits):
    loss = sequence_loss(logits.bfloat16(), LABELS, 0)
    assert loss.dtype == torch.float32


@pytest.mark.parametrize(
    ("labels", "smoothing", "message"),
    [
        (LABELS[:, :3], 0.0, "logits of shape"),
        (LABELS, 1.0, "smoothing from 0 to below 1, got 1.0"),
        (LABELS * 0, 0.0, "at least one label that is no padding"),
        (LABELS + 1, 0.0, "labels from 0 to 6, or 0 for padding, got 7"),
        (LABELS - 2, 0.0, "labels from 0 to 6, .* got -2"),
        (LABELS.float(), 0.0, "int64 labels .*torch.float32 of shape"),
        (LABELS.int(), 0.0, "int64 labels .*torch.int32 of shape"),
    ],
)
def test_the_loss_refuses(logits, labels, smoothing, message):
    with pytest.raises(ValueError, match=message):
        sequence_loss(logits, labels, 0, smoothing)


def test_the_loss_refuses_logits_that_are_no_floats(logits):
    with pytest.raises(ValueError, match="floating-point logits .*int64"):
        sequence_loss(logits.long(), LABELS, 0)
    with pytest.raises(ValueError, match="at least one axis"):
        sequence_loss(logits[0, 0], LABELS[0, 0], 0)


@pytest.mark.parametrize("pad_id", [-100, 7])
def test_padding_may_lie_outside_of_the_vocabulary(logits, pad_id):
    labels = LABELS.masked_fill(LABELS == 0, pad_id)
    want = sequence_loss(logits, LABELS, 0)
    assert_close(sequence_loss(logits, labels, pad_id), want)


def test_what_cannot_be_looked_at_is_not_checked(logits):
    compiled = torch.compile(sequence_loss, backend="eager", fullgraph=True)
    want = sequence_loss(logits, LABELS, 0)
    assert_close(compiled(logits, LABELS, 0), want)
    absent = sequence_loss(logits.to("meta"), LABELS.to("meta"), 0)
    assert absent.shape == want.shape
