"""The noise test: what it catches, what it refuses."""

import math

import pytest
import torch
from torch import nn

from attnbook.attention import scaled_dot_product_attention
from attnbook.probes.noise import noise_test
from attnbook.probes.peeking import NextToken, list_broken_masks, mask_wrongly

VOCAB = 7
BROKEN = list_broken_masks()


def decoder(attend=scaled_dot_product_attention, **sizes):
    return NextToken(VOCAB, attend=attend, **sizes).eval()


def test_noise_finds_no_leak_in_the_right_decoder():
    test = noise_test(decoder(), VOCAB, length=6, steps=150)
    assert not test.peeks
    assert test.honest == pytest.approx(math.log(VOCAB))
    assert test.loss == pytest.approx(test.honest, abs=0.03)
    assert str(test).endswith("no leak found")


@pytest.mark.parametrize("name", BROKEN)
def test_noise_finds_a_broken_mask(name):
    test = noise_test(
        decoder(BROKEN[name]), VOCAB, length=6, steps=60, rate=1e-2
    )
    assert test.peeks, str(test)
    assert test.loss < test.honest - 0.3
    assert "reads what it must predict" in str(test)


def test_noise_counts_nan_as_a_failure():
    model = decoder(mask_wrongly(lambda m: m.tril(-1)), num_layers=1)
    test = noise_test(model, VOCAB, length=6, steps=2)
    assert test.peeks
    assert "not a number" in str(test)


def test_noise_draws_only_the_ids_it_is_given():
    seen = set()

    class Watch(nn.Module):
        def __init__(self):
            super().__init__()
            self.table = nn.Embedding(9, 9)

        def forward(self, tokens):
            seen.update(tokens.flatten().tolist())
            return self.table(tokens)

    test = noise_test(Watch(), [3, 5, 8], steps=100, rate=0.1)
    assert seen == {3, 5, 8}
    assert test.honest == pytest.approx(math.log(3))
    assert not test.peeks


def test_noise_does_not_change_the_model():
    model = decoder()
    before = [p.clone() for p in model.parameters()]
    noise_test(model, VOCAB, length=4, steps=3)
    assert not model.training
    for a, b in zip(before, model.parameters(), strict=True):
        assert torch.equal(a, b)


def test_noise_is_repeatable():
    runs = [noise_test(decoder(), VOCAB, length=4, steps=5) for _ in range(2)]
    assert runs[0].losses == runs[1].losses
    assert len(runs[0].losses) == 5


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"steps": 0}, "at least 1"),
        ({"length": 0}, "at least 1"),
        ({"margin": 0}, "margin above 0"),
        ({"ids": [1]}, "two different"),
        ({"ids": 8}, r"more than 7\), got \(64, 12, 7\)"),
        ({"model": nn.Identity()}, "parameters to train"),
    ],
)
def test_noise_refuses(change, message):
    given = {"model": decoder(), "ids": VOCAB, "steps": 1} | change
    if given["ids"] == 8:  # the table of tokens is wide enough
        given["model"] = nn.Sequential(nn.Embedding(9, 7))
    with pytest.raises(ValueError, match=message):
        noise_test(**given)
