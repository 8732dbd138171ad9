"""The chunked loss is the loss of all logits at once."""

import pytest
import torch

from attnbook.fast import chunked_loss as module
from attnbook.fast.chunked_loss import output_loss
from attnbook.training.loss import sequence_loss

PAD, VOCAB, D = 0, 37, 12


def example(dtype=torch.float64, positions=(5, 9), seed=0):
    """Return states, weight and labels, some of them padding."""
    generator = torch.Generator().manual_seed(seed)
    states = torch.randn(*positions, D, generator=generator, dtype=dtype)
    weight = torch.randn(VOCAB, D, generator=generator, dtype=dtype)
    labels = torch.randint(1, VOCAB, positions, generator=generator)
    labels[..., -2:] = PAD
    return states.requires_grad_(), weight.requires_grad_(), labels


def reference(states, weight, labels, smoothing):
    """Return the loss by way of all logits, in float64."""
    logits = states @ weight.T
    logp = logits.log_softmax(-1)
    right = logp.gather(-1, labels[..., None])[..., 0]
    each = -(1 - smoothing) * right - smoothing * logp.mean(-1)
    return each[labels != PAD].sum()


@pytest.mark.parametrize("chunk", [1, 4, 7, 1000])
@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.6])
def test_loss_and_gradients_are_equal(monkeypatch, chunk, smoothing):
    monkeypatch.setitem(module.CHUNK, "cpu", chunk)
    got, want = example(), example()
    loss = output_loss(*got, PAD, smoothing)
    wanted = reference(*want, smoothing)
    torch.testing.assert_close(loss, wanted, rtol=1e-12, atol=0)
    (2.5 * loss).backward()
    (2.5 * wanted).backward()
    for a, b in zip(got[:2], want[:2], strict=True):
        torch.testing.assert_close(a.grad, b.grad, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_it_is_the_loss_that_the_course_teaches(smoothing):
    states, weight, labels = example(torch.float32)
    logits = states @ weight.T
    want = sequence_loss(logits, labels, PAD, smoothing, reduction="sum")
    got = output_loss(states, weight, labels, PAD, smoothing)
    torch.testing.assert_close(got, want, rtol=1e-6, atol=0)
    one = torch.autograd.grad(want, (states, weight))
    other = torch.autograd.grad(got, (states, weight))
    for a, b in zip(one, other, strict=True):
        torch.testing.assert_close(b, a, rtol=1e-5, atol=1e-5)


def test_bfloat16_products_are_as_close_as_autocast():
    states, weight, labels = example(torch.float32, (40, 20))
    exact = output_loss(states, weight, labels, PAD, 0.1)
    wanted = torch.autograd.grad(exact, (states, weight))
    with torch.autocast("cpu", torch.bfloat16):
        logits = torch.nn.functional.linear(states, weight)
    usual = sequence_loss(logits, labels, PAD, 0.1, reduction="sum")
    usual = torch.autograd.grad(usual, (states, weight))
    with torch.autocast("cpu", torch.bfloat16):
        got = output_loss(states, weight, labels, PAD, 0.1)
    assert got.dtype == torch.float32
    torch.testing.assert_close(got, exact, rtol=5e-3, atol=0)
    got = torch.autograd.grad(got, (states, weight))
    for ours, theirs, right in zip(got, usual, wanted, strict=True):
        ours, theirs = ((x - right).norm() for x in (ours, theirs))
        assert ours < 1.5 * theirs


def test_large_logits_do_not_overflow():
    states, weight, labels = example(torch.float32)
    loss = output_loss(1e4 * states, weight, labels, PAD)
    assert loss.isfinite()
    for gradient in torch.autograd.grad(loss, (states, weight)):
        assert gradient.isfinite().all()


def test_padding_and_its_states_count_nowhere():
    states, weight, labels = example()
    spoilt = states.detach().clone()
    spoilt[labels == PAD] = torch.nan
    spoilt.requires_grad_()
    loss = output_loss(spoilt, weight, labels, PAD)
    assert torch.equal(loss, output_loss(states, weight, labels, PAD))
    loss.backward()
    assert (spoilt.grad[labels == PAD] == 0).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"states": torch.zeros(2, 3, D)}, "expected states"),
        ({"weight": torch.zeros(VOCAB, D + 1)}, "expected states"),
        ({"labels": torch.zeros(5, 9, dtype=torch.long)}, "no padding"),
        ({"smoothing": 1.0}, "smoothing"),
        ({"smoothing": -0.1}, "smoothing"),
    ],
)
def test_bad_input_is_refused(change, message):
    states, weight, labels = example()
    arguments = {"states": states, "weight": weight, "labels": labels}
    with pytest.raises(ValueError, match=message):
        output_loss(**arguments | {"pad_id": PAD} | change)
