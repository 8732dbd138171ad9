"""One part less: what is taken out is gone, and the rest is as it was."""

import pytest
import torch

from attnbook.data.batches import make_batch
from attnbook.probes import ablations
from attnbook.probes.leaks import leak_map
from attnbook.tasks.digits import draw_rows

ROWS = draw_rows("reverse", 6, seed=1)
MODEL_PARTS = ("no scale", "no residual", "no mask")


def logits_of(model):
    batch = make_batch(ROWS)
    with torch.no_grad():
        return model.eval()(batch.source, batch.target)


def test_an_unknown_variant_is_refused():
    with pytest.raises(ValueError, match="expected one of"):
        ablations.make_model("no idea")


@pytest.mark.parametrize("variant", ablations.VARIANTS)
def test_every_variant_starts_from_the_same_weights(variant):
    full = dict(ablations.make_model("full", seed=3).named_parameters())
    other = dict(ablations.make_model(variant, seed=3).named_parameters())
    for name in set(full) & set(other):
        assert torch.equal(full[name], other[name]), name
    assert {n for n in full if ".norm." not in n} <= set(other)


@pytest.mark.parametrize("variant", MODEL_PARTS)
def test_a_part_of_the_model_is_gone(variant):
    full = logits_of(ablations.make_model("full"))
    assert not torch.allclose(
        full, logits_of(ablations.make_model(variant)), atol=1e-3
    )


@pytest.mark.parametrize("variant", ["no warm-up", "no clipping"])
def test_a_part_of_the_training_leaves_the_model_alone(variant):
    full = logits_of(ablations.make_model("full"))
    torch.testing.assert_close(full, logits_of(ablations.make_model(variant)))
    mine = ablations.choose_settings(variant, 10, 0)
    assert mine != ablations.choose_settings("full", 10, 0)


def test_unscaled_scores_are_larger_by_the_root():
    generator = torch.Generator().manual_seed(0)
    q, k, v = torch.randn(3, 2, 4, 5, 6, generator=generator)
    weights = (q @ k.transpose(-2, -1)).softmax(-1)
    found, _ = ablations.unscaled_attention(q, k, v, None)
    torch.testing.assert_close(found, weights @ v)


@pytest.mark.parametrize("variant", ["full", "no mask"])
def test_the_model_without_mask_alone_reads_the_future(variant):
    model = ablations.make_model(variant).eval()
    batch = make_batch([row for row in ROWS if len(row[0]) == 5][:2] or ROWS)
    source = batch.source[:1]

    def decode(tokens):
        return model(source.expand(len(tokens), -1), tokens)

    found = leak_map(decode, batch.target[:1, :4], range(4, 14))
    assert bool(found.future) == (variant == "no mask")


def test_a_copying_judge():
    """A model that is right everywhere is right alone as well."""
    model, losses = ablations.fit("full", "copy", steps=10, seed=0)
    assert len(losses) == 1 and losses[0] > 1
    found = ablations.judge(model, ROWS)
    assert set(found) == {"loss", "labels", "rows", "alone"}
    assert found["rows"] == found["alone"]
