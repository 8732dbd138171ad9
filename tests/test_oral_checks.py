"""The numbers on the cards of the oral checks are computed, not believed."""

import math
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F

from attnbook.attention import scaled_dot_product_attention
from attnbook.config import TransformerConfig
from attnbook.masks import causal_mask, padding_mask
from attnbook.multihead import merge_heads, split_heads
from attnbook.positions import sinusoids
from attnbook.stacks import DecoderLayer
from attnbook.training.loss import sequence_loss
from attnbook.training.schedule import noam_lr

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "book/teach/integrity.md").read_text(encoding="utf-8")


def card(chapter):
    """Return what the page says of one chapter."""
    return PAGE.partition(f"### Chapter {chapter}, ")[2].partition("\n#")[0]


def written(values, digits=2):
    """Return numbers as a card writes them."""
    return ", ".join(f"{float(x):.{digits}f}" for x in values)


def test_additive_attention():
    scores = torch.tensor([0.0, 1.0, 2.0]).tanh()
    weights = scores.softmax(0)
    far = torch.tensor([0.0, 100.0, 200.0]).tanh()
    masked = torch.tensor([*scores[:2], -math.inf]).softmax(0)
    for values in (scores[1:], weights, far.softmax(0), masked[:2]):
        assert written(values) in card(2)
    assert far.tolist() == [0, 1, 1]
    assert f"$e^2 = {math.e**2:.1f}$ times" in card(2)
    assert f"sum to {weights[:2].sum():.2f}" in card(2)


def test_the_scale():
    query, keys = torch.ones(4), torch.tensor([[2.0, 2, 0, 0], [1, 1, 1, -1]])
    scores = torch.cat([keys @ query, torch.zeros(1)])
    assert scores.tolist() == [4, 2, 0] and "4, 2, 0 divided" in card(4)
    for width in (4, 64):
        weights = (scores / math.sqrt(width)).softmax(0)
        assert written(weights) in card(4)


def test_self_attention():
    x, swap = torch.eye(2), torch.eye(2).flip(1)
    assert (x @ (x @ swap).T).tolist() == [[0, 1], [1, 0]]
    assert "0 1, then 1 0: each" in card(6)
    assert (x @ x.T).tolist() == [[1, 0], [0, 1]]
    assert "1 0, then 0 1." in card(6)


def test_split_and_merge():
    x = torch.arange(12).view(1, 3, 4)
    heads = split_heads(x, 2)  # (1, 2, 3, 2)
    for number, head in enumerate(heads[0].tolist()):
        rows = ", ".join(" ".join(map(str, row)) for row in head)
        assert f"Head {number}: {'rows ' * (not number)}{rows}" in card(7)
    wrong = heads.reshape(1, 3, 4)
    assert f"{' '.join(map(str, wrong[0, 0].tolist()))} instead" in card(7)
    assert merge_heads(heads).equal(x)
    x[0, 2] += 1
    moved = (split_heads(x, 2).reshape(1, 3, 4) != wrong).any(-1)[0]
    assert moved.tolist() == [False, True, True]
    assert "Of the wrong one, the last two." in card(7)


def test_sinusoids():
    table = sinusoids(106, 4)
    assert table[0].tolist() == [0, 1, 0, 1] and "* 0, 1, 0, 1;" in card(8)
    assert written(table[1]) in card(8)
    near, far = table[3] @ table[5], table[103] @ table[105]
    assert near == pytest.approx(float(far), abs=1e-5)
    assert f"= {near:.2f}$: only" in card(8)
    speeds = 1000.0 ** (-torch.arange(2) / 2)
    angles = torch.arange(106)[:, None] * speeds  # (T, 2)
    other = torch.stack([angles.sin(), angles.cos()], -1).flatten(1)
    assert other[0].tolist() == [0, 1, 0, 1]
    assert torch.allclose(other.norm(dim=1), table.norm(dim=1))
    assert torch.allclose(other[3] @ other[5], other[103] @ other[105])
    assert f"is {other[1, 2]:.2f} in the place of" in card(8)


def test_layer_norm():
    x = torch.tensor([1.0, 3, 5, 7])
    for values in (x, x + 100, 10 * x):
        norm = F.layer_norm(values, (4,)).tolist()
        shown = written(map(abs, norm))
        assert shown == "1.34, 0.45, 0.45, 1.34"
    assert "$-1.34$, $-0.45$, 0.45, 1.34" in card(9)
    wrong = (x - x.mean()) / x.var(-1).sqrt()
    assert written(map(abs, wrong)) == "1.16, 0.39, 0.39, 1.16"
    assert "$-1.16$, $-0.39$, 0.39, 1.16" in card(9)
    far = 100 * (1 - math.sqrt(511 / 512))
    assert f"differ by {far:.1f} %" in card(9)


def test_masks():
    ids = torch.tensor([[5, 6, 7], [5, 6, 0]])
    both = padding_mask(ids, 0) & causal_mask(3)
    assert padding_mask(ids, 0).shape == (2, 1, 1, 3)
    assert both.shape == (2, 1, 3, 3) and both[1].sum() == 5
    assert "(2, 1, 1, 3) and (2, 1, 3, 3)" in card(10)
    assert "1 + 2 + 2 = 5" in card(10)
    assert f"ln 20 = {math.log(20):.2f}" in card(10)


def test_the_decoder_layer():
    torch.manual_seed(0)
    sizes = {"source_vocab": 9, "target_vocab": 9, "d_model": 8, "d_ff": 8}
    config = TransformerConfig(**sizes, num_heads=1, dropout=0.0)
    layer = DecoderLayer(config).eval()
    x, memory = torch.randn(1, 3, 8), torch.randn(1, 5, 8)

    def out(x, memory):
        attends = (scaled_dot_product_attention,) * 2
        return layer(x, memory, (causal_mask(3), None), attends)

    before, own, cross = out(x, memory)
    assert own.shape[-2:] == (3, 3) and cross.shape[-2:] == (3, 5)
    assert "decoder 3 by 3, cross 3 by 5" in card(11)
    later, other = x.clone(), memory.clone()
    later[:, -1] += 1
    other[:, -1] += 1
    moved = [out(x, other)[0], out(later, memory)[0]]
    moved = [(y - before).abs().amax(-1)[0] > 1e-6 for y in moved]
    assert [m.tolist() for m in moved] == [[True] * 3, [False, False, True]]
    assert "All three." in card(11) and "The last alone." in card(11)
    assert out(x, x)[2].shape[-2:] == (3, 3) and "table is 3 by 3" in card(11)
    attends = (scaled_dot_product_attention,) * 2
    with pytest.raises(ValueError):  # a mask for 5 words
        layer(x, x, (causal_mask(3), torch.ones(1, 1, 1, 5).bool()), attends)
    assert f"{2 * 8000 * 512 / 1e6:.1f} million" in card(11)


def test_the_loss():
    p = torch.tensor([[0.5, 0.125, 0.5]])
    logits = torch.stack([p, 1 - p], dim=-1).log()  # (1, 3, 2)
    labels = torch.tensor([[0, 0, 1]])  # 1 is padding
    loss = sequence_loss(logits, labels, 1).item()
    assert f"/ 2 = {loss:.2f}$ nats" in card(12)
    assert f"{2 * loss / 3:.2f}, better" in card(12)
    smooth = torch.full((10,), 0.01)
    smooth[0] = 0.91
    least = -(smooth * smooth.log()).sum()
    assert f"To {least:.2f}, where the right word has 0.91" in card(12)
    assert f"= {noam_lr(4000, 512, 4000):.4f}$, at step 4,000" in card(12)


def test_every_card_has_four_questions_and_the_heading_counts_them():
    section = PAGE.partition("## Nine oral checks")[2].partition("\n## ")[0]
    cards = section.split("### Chapter ")[1:]
    assert len(cards) == 9
    index = (ROOT / "book/teach/index.md").read_text(encoding="utf-8")
    assert "nine oral checks" in index
    assert [int(c.partition(",")[0]) for c in cards] == sorted(
        int(c.partition(",")[0]) for c in cards
    )
    for one in cards:
        assert "*Card:*" in one and "\n4. " in one and "\n5. " not in one
