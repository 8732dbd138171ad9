"""The parts of the experiment on the pronoun that are no model's."""

from types import SimpleNamespace

import pytest
import torch

from chapters import pronoun, pronoun_measures
from lab.needs import Missing


def test_equal_numbers_share_the_mean_of_their_ranks():
    assert pronoun.ranks([3.0, 1.0, 3.0, 2.0]).tolist() == [2.5, 0, 2.5, 1]


def test_spearman_asks_for_the_order_alone(monkeypatch):
    rows = [{"x": x, "up": x**3, "down": -x, "same": 1} for x in (1, 2, 4, 5)]
    compared = [("x", "up"), ("x", "down"), ("x", "same")]
    monkeypatch.setattr(pronoun, "COMPARED", compared)
    monkeypatch.setattr(pronoun, "summary", lambda m: m)
    found = pronoun.rank_correlations(rows)
    assert list(found.values()) == [1.0, -1.0, None]
    assert list(found) == ["x / up", "x / down", "x / same"]


def words(*names):
    return SimpleNamespace(words=names)


def test_models_of_another_shape_or_storybook_are_refused():
    translator = SimpleNamespace(source=words("a"), target=words("b"))
    sizes = {"num_encoder_layers": 2, "num_decoder_layers": 2}
    config = {"model": sizes}

    def storybook(*names):
        learned = [words(name) for name in names]
        return SimpleNamespace(learn_vocabularies=lambda _: learned)

    same = storybook("a", "b")
    pronoun.check_model(translator, config, (2, 2), same, "there")
    with pytest.raises(Missing, match="expected layers .*3, 1"):
        pronoun.check_model(translator, config, (3, 1), same, "there")
    other = storybook("a", "c")
    with pytest.raises(Missing, match="today's storybook in there"):
        pronoun.check_model(translator, config, (2, 2), other, "there")


def test_weight_on_edges_is_the_mean_of_their_rows():
    maps = torch.tensor([[0.7, 0.2, 0.1], [0.1, 0.1, 0.8]])
    maps = maps.view(1, 1, 1, 2, 3)
    cut = torch.zeros(1, 1, 2, 3, dtype=torch.bool)
    cut[..., 0, :2] = True
    assert pronoun_measures.held(maps, cut) == pytest.approx([0.9, 0.1])
