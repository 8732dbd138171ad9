"""An ensemble writes with the mean of its models' probabilities."""

import pytest
import torch

from attnbook.data.batches import make_batch
from attnbook.decoding.beam import beam_search
from attnbook.decoding.datastore import Datastore
from attnbook.decoding.ensemble import Ensemble
from attnbook.decoding.greedy import greedy
from attnbook.decoding.search import fast_beam_search, fast_greedy
from test_fast_decoding import model_of as far_from_uniform
from test_fast_decoding import sources
from test_loop import model_of, task


class Says(torch.nn.Module):
    """An output layer that says the same after all words."""

    def __init__(self, logits):
        super().__init__()
        self.logits = logits

    def forward(self, x):
        return self.logits.expand(*x.shape[:-1], -1)


def models_of(*widths):
    return [
        model_of(seed, d_model=width).eval()
        for seed, width in enumerate(widths)
    ]


def test_its_probabilities_are_the_mean_of_those_of_its_models():
    """Also of models of different widths, and with padding."""
    models = models_of(16, 32, 16)
    batch = make_batch(task()[0][:9])
    with torch.inference_mode():
        found = Ensemble(models)(batch.source, batch.target)
        each = [m(batch.source, batch.target).softmax(-1) for m in models]
    torch.testing.assert_close(found.exp(), sum(each) / 3)
    assert (each[0] - each[1]).abs().max() > 0.05


def test_one_model_twice_writes_what_it_writes_alone():
    (model,) = models_of(16)
    source = make_batch(task()[0][:9]).source
    twice = Ensemble([model, model])
    assert fast_greedy(twice, source, 10) == greedy(model, source, 10)
    wanted = beam_search(model, source, 3, 0.6, 10)
    assert fast_beam_search(twice, source, 3, 0.6, 10) == wanted


def test_the_fast_way_writes_what_the_plain_one_writes():
    """Beams are reordered; sentences end at different times and leave."""
    lengths, alone = set(), 0
    for seed in range(3):
        parts = [
            far_from_uniform(seed),
            far_from_uniform(seed + 9, d_model=12),
        ]
        models, source = Ensemble(parts), sources(seed)
        assert fast_greedy(models, source, 12) == greedy(models, source, 12)
        plain = beam_search(models, source, 3, longest=12)
        assert fast_beam_search(models, source, 3, longest=12) == plain
        lengths |= {len(row) for row in plain}
        alone += sum(
            plain == beam_search(part, source, 3, longest=12) for part in parts
        )
    assert len(lengths) > 4
    assert alone < 3


def test_the_next_word_has_the_largest_mean_and_may_be_no_ones_first():
    """Two models of three words: 5 4 1 and 1 4 5 tenths; both like 4."""
    models = models_of(16, 16)
    shares = torch.full((2, models[0].config.target_vocab), 1e-9)
    shares[:, 5:8] = torch.tensor([[0.5, 0.4, 0.1], [0.1, 0.4, 0.5]])
    for model, row in zip(models, shares, strict=True):
        model.output = Says(row.log())
    source = make_batch(task()[0][:2]).source
    assert greedy(Ensemble(models), source, 1) == [[6], [6]]
    assert greedy(Ensemble(models[:1]), source, 1) == [[5], [5]]


def test_models_and_datastores_of_different_vocabularies_are_refused():
    with pytest.raises(ValueError, match="expected models of one source_voc"):
        Ensemble([])
    with pytest.raises(ValueError, match="target_vocab"):
        Ensemble([model_of(0), model_of(0, target_vocab=99)])
    store = Datastore(torch.ones(1, 16), torch.tensor([3]), 15, 1.0, 0.5)
    with pytest.raises(ValueError, match="of 14 words, got one of 15"):
        Ensemble([model_of(0)], store)
