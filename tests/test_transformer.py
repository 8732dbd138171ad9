import math

import pytest
import torch
from torch.testing import assert_close

from attnbook.attention import fast_attention
from attnbook.config import TransformerConfig
from attnbook.data.vocabulary import PAD
from attnbook.masks import masks_for
from attnbook.positions import rotary_attention
from attnbook.training.repro import parameter_count
from attnbook.transformer import Transformer
from torch_weights import transformer_to_torch

SIZES = {
    "source_vocab": 19,
    "target_vocab": 23,
    "d_model": 12,
    "num_heads": 3,
    "d_ff": 17,
    "num_encoder_layers": 2,
    "num_decoder_layers": 4,
    "max_length": 11,
}
SOURCE = torch.tensor([[5, 6, 7, 0, 0], [8, 9, 4, 3, 10]])
TARGET = torch.tensor([[3, 4, 9, 7, 0, 0, 0], [3, 5, 20, 6, 8, 21, 22]])
POSITIONS = ["sinusoidal", "learned", "rotary", "none"]


def model_of(seed=0, **changes):
    torch.manual_seed(seed)
    return Transformer(TransformerConfig(**{**SIZES, **changes})).eval()


@torch.no_grad()
def shake(model):
    """Move every parameter, so that no gain is 1 and no bias 0."""
    for p in model.parameters():
        p.add_(0.1 * torch.randn_like(p))
    return model


@pytest.mark.filterwarnings("ignore:enable_nested_tensor")  # its short cut
@pytest.mark.parametrize("pre_norm", [True, False])
@pytest.mark.parametrize("shared", [True, False])
def test_equals_nn_transformer_with_copied_weights(pre_norm, shared):
    changes = {"pre_norm": pre_norm, "shared_embeddings": shared}
    if shared:
        changes |= {"source_vocab": 23}
    ours = shake(model_of(**changes))
    theirs = transformer_to_torch(ours)
    masks = masks_for(SOURCE, TARGET, PAD, PAD)
    blocked = [~mask for mask in masks]  # PyTorch: True = blocked
    states = theirs(
        ours.source_embedding(SOURCE),
        ours.target_embedding(TARGET),
        tgt_mask=blocked[1].repeat_interleave(3, dim=0).flatten(0, 1),
        src_key_padding_mask=blocked[0][:, 0, 0],
        memory_key_padding_mask=blocked[2][:, 0, 0],
    )
    want = ours.output(states)
    logits = ours(SOURCE, TARGET)
    assert logits.shape == (2, 7, 23)
    assert_close(logits, want, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("positions", POSITIONS)
def test_decoding_after_encoding_is_the_whole_model(positions):
    model = shake(model_of(positions=positions))
    memory, mask, _ = model.encode(SOURCE)
    assert memory.shape == (2, 5, 12)
    states, _ = model.decode(TARGET, memory, mask)
    assert torch.equal(states, model.states(SOURCE, TARGET))
    assert torch.equal(model.output(states), model(SOURCE, TARGET))


@pytest.mark.parametrize("positions", POSITIONS)
def test_a_future_word_moves_no_earlier_logits(positions):
    model = shake(model_of(positions=positions))
    changed = TARGET.clone()
    changed[1, 4] = 11
    before, after = model(SOURCE, TARGET), model(SOURCE, changed)
    assert torch.equal(before[1, :4], after[1, :4])
    assert torch.equal(before[0], after[0])
    assert (before[1, 4:] != after[1, 4:]).any(-1).all()


def test_every_source_word_reaches_every_logit():
    model = shake(model_of())
    before = model(SOURCE, TARGET)
    for position in range(5):
        changed = SOURCE.clone()
        changed[1, position] = 12
        moved = (model(changed, TARGET) != before).any(-1)
        assert moved[1].all()
        assert not moved[0].any()


@pytest.mark.parametrize("positions", POSITIONS)
def test_padding_changes_nothing(positions):
    model = shake(model_of(positions=positions))
    short = model(SOURCE[:1, :3], TARGET[:1, :4])
    assert_close(model(SOURCE, TARGET)[:1, :4], short)


@pytest.mark.parametrize(
    ("positions", "sees_order"),
    [
        ("sinusoidal", True),
        ("learned", True),
        ("rotary", True),
        ("none", False),
    ],
)
def test_only_positions_tell_the_order(positions, sees_order):
    model = shake(model_of(positions=positions))
    order = torch.tensor([2, 0, 4, 1, 3])
    memory, *_ = model.encode(SOURCE[1:])
    shuffled, *_ = model.encode(SOURCE[1:, order])
    assert torch.allclose(memory[:, order], shuffled, atol=1e-5) != sees_order


@pytest.mark.parametrize("positions", POSITIONS)
def test_attention_maps(positions):
    model = shake(model_of(positions=positions))
    state = set(vars(model)), set(model.state_dict())
    maps = model.attention_maps(SOURCE, TARGET)
    shapes = {name: tuple(w.shape) for name, w in maps.items()}
    assert shapes == {
        "encoder": (2, 2, 3, 5, 5),
        "decoder": (4, 2, 3, 7, 7),
        "cross": (4, 2, 3, 7, 5),
    }
    for weights in maps.values():
        assert_close(weights.sum(-1), torch.ones(weights.shape[:-1]))
    assert (maps["encoder"][:, 0, ..., 3:] == 0).all()
    assert (maps["cross"][:, 0, ..., 3:] == 0).all()
    future = torch.ones(7, 7, dtype=torch.bool).triu(1)
    assert (maps["decoder"][..., future] == 0).all()
    assert (set(vars(model)), set(model.state_dict())) == state


def test_attention_maps_are_those_that_made_the_logits():
    model = shake(model_of(num_encoder_layers=1))
    maps = model.attention_maps(SOURCE, TARGET)
    layer = model.encoder.layers[0]
    y = layer.around_self.before(model.source_embedding(SOURCE))
    own = layer.self_attention
    context = maps["encoder"][0] @ own.w_v(y).view(2, 5, 3, 4).transpose(1, 2)
    output = own.w_o(context.transpose(1, 2).reshape(2, 5, 12))
    want, _ = own(y, y, y, model.source_mask(SOURCE), fast_attention)
    assert_close(output, want)


def test_shared_embeddings_are_one_matrix():
    changes = {"source_vocab": 23}
    one = model_of(shared_embeddings=True, **changes)
    three = model_of(shared_embeddings=False, **changes)
    assert one.output.weight is one.source_embedding.table.weight
    assert one.output.weight is one.target_embedding.table.weight
    saved = parameter_count(three) - parameter_count(one)
    assert saved == 2 * 23 * 12


def test_parameter_count_of_the_paper_s_base_model():
    c = TransformerConfig(
        source_vocab=37000,
        target_vocab=37000,
        shared_embeddings=True,
        pre_norm=False,
    )
    with torch.device("meta"):
        count = parameter_count(Transformer(c))
    d, f = 512, 2048
    attention = 4 * (d * d + d)
    feed = d * f + f + f * d + d
    norm = 2 * d
    encoder = 6 * (attention + feed + 2 * norm)
    decoder = 6 * (2 * attention + feed + 3 * norm)
    assert count == 37000 * d + encoder + decoder


def test_embeddings_start_with_variance_1_after_the_scale():
    model = model_of(source_vocab=2000, d_model=48, positions="none")
    x = model.source_embedding(torch.arange(2000).view(200, 10))
    assert x.std().item() == pytest.approx(1, abs=0.02)
    assert model.source_embedding.scale == math.sqrt(48)


def test_dropout_acts_in_training_only():
    model = model_of(dropout=0.3)
    assert torch.equal(model(SOURCE, TARGET), model(SOURCE, TARGET))
    model.train()
    assert not torch.equal(model(SOURCE, TARGET), model(SOURCE, TARGET))


@pytest.mark.parametrize("pre_norm", [True, False])
def test_gradients_are_finite_and_reach_every_parameter(pre_norm):
    model = model_of(pre_norm=pre_norm, positions="learned").train()
    model(SOURCE, TARGET).square().mean().backward()
    for name, p in model.named_parameters():
        assert p.grad is not None, name
        assert p.grad.isfinite().all(), name


def test_bfloat16_stays_close():
    model = shake(model_of())
    want = model(SOURCE, TARGET)
    logits = model.bfloat16()(SOURCE, TARGET)
    assert logits.dtype == torch.bfloat16
    assert_close(logits.float(), want, atol=0.15, rtol=0.1)


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        (torch.tensor([[5, 19]]), TARGET[:1], "source ids from 0 to 18.* 19"),
        (torch.tensor([[-1, 5]]), TARGET[:1], "source ids.*got -1 to 5"),
        (SOURCE[:1], torch.tensor([[3, 23]]), "target ids from 0 to 22.* 23"),
        (torch.full((1, 12), 5), TARGET[:1], "at most 11 positions, got 12"),
        (SOURCE[:1], torch.full((1, 12), 5), "at most 11 positions, got 12"),
        (torch.tensor([[0, 0]]), TARGET[:1], "at least one word.*only pad"),
        (SOURCE[:1], torch.tensor([[0, 3]]), "at least one True in every"),
        (SOURCE[:1, :0], TARGET[:1], "at least one token.*got shape"),
        (SOURCE[:1], TARGET[:1, :0], "target sentence.*got shape"),
        (SOURCE[:0], TARGET[:0], "at least one source sentence"),
        (SOURCE[0], TARGET[:1], r"shape \(batch, length\)"),
        (SOURCE[:1].float(), TARGET[:1], "as integers.*float32"),
        (SOURCE, TARGET[:1], "as many source as target.*for 1 target"),
        (SOURCE[:1], TARGET, "as many source as target.*for 2 target"),
    ],
)
def test_refuses_bad_input(source, target, message):
    model = model_of()
    with pytest.raises(ValueError, match=message):
        model(source, target)


@pytest.mark.parametrize("positions", POSITIONS)
def test_maps_come_in_the_order_of_the_layers(positions):
    model = shake(model_of(positions=positions))
    seen = {"encoder": [], "decoder": [], "cross": []}

    def note(name):
        return lambda module, inputs, result: seen[name].append(result[1])

    for layer in model.encoder.layers:
        layer.self_attention.register_forward_hook(note("encoder"))
    for layer in model.decoder.layers:
        layer.self_attention.register_forward_hook(note("decoder"))
        layer.cross_attention.register_forward_hook(note("cross"))
    maps = model.attention_maps(SOURCE, TARGET)
    for name, layers in seen.items():
        assert torch.equal(maps[name], torch.stack(layers)), name


def test_rotary_turns_self_attention_and_leaves_cross_attention_alone():
    model = shake(model_of(positions="rotary"))
    rotary = model.decoder.rotary
    memory, *_ = model.encode(SOURCE)
    masks = masks_for(SOURCE, TARGET, PAD, PAD)
    x = model.target_embedding(TARGET)
    turned = rotary_attention(fast_attention, rotary)
    for layer in model.decoder.layers:
        attends = turned, fast_attention
        x, *_ = layer(x, memory, (masks[1], masks[2]), attends)
    states, _ = model.decode(TARGET, memory, masks[2])
    assert_close(states, model.decoder.norm(x))


def test_rotary_positions_reach_as_far_as_the_model():
    model = model_of(positions="rotary", max_length=600)
    target = torch.full((1, 600), 5)
    assert model(SOURCE[:1, :3], target).shape == (1, 600, 23)


def test_the_config_s_dropout_is_everywhere():
    model = model_of(dropout=0.3).train()
    parts = [m for m in model.modules() if isinstance(m, torch.nn.Dropout)]
    assert [part.p for part in parts] == [0.3] * (2 + 2 * 2 + 3 * 4)
    torch.manual_seed(1)
    x = model.source_embedding(torch.full((1, 11), 5).expand(50, -1))
    assert (x == 0).float().mean().item() == pytest.approx(0.3, abs=0.03)


def test_first_weights():
    model = model_of(d_model=48, d_ff=60)
    for name, p in model.named_parameters():
        if name.endswith("bias") and "norm" not in name:
            assert (p == 0).all(), name
    inner = model.encoder.layers[0].feed_forward.inner.weight
    bound = math.sqrt(6 / (48 + 60))
    assert 0.9 * bound < inner.abs().max() <= bound


def test_int32_ids_work():
    model = model_of()
    want = model(SOURCE, TARGET)
    assert torch.equal(model(SOURCE.int(), TARGET.int()), want)


def test_a_compiled_model_is_one_graph_and_equal():
    model = shake(model_of())
    compiled = torch.compile(model, fullgraph=True, backend="eager")
    assert_close(compiled(SOURCE, TARGET), model(SOURCE, TARGET))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m: m.float(), "bool mask.*float32"),
        (lambda m: m[..., :4], r"broadcastable to \(2, 1, 1, 5\)"),
        (lambda m: m & False, "at least one True"),
    ],
)
def test_a_wrong_memory_mask_is_refused(change, message):
    model = model_of()
    memory, mask, _ = model.encode(SOURCE)
    with pytest.raises(ValueError, match=message):
        model.decode(TARGET, memory, change(mask))


def test_a_memory_mask_has_no_axis_of_queries():
    """One of self-attention would pass wherever S = T."""
    model = model_of()
    memory, mask, _ = model.encode(SOURCE)  # (2, 5, D), (2, 1, 1, 5)
    wide = mask.expand(-1, -1, 5, -1)  # (B, 1, S, S)
    with pytest.raises(ValueError, match=r"got \(2, 1, 5, 5\)"):
        model.decode(TARGET[:, :5], memory, wide)


def test_shapes_can_be_computed_on_the_meta_device():
    model = model_of().to("meta")
    logits = model(SOURCE.to("meta"), TARGET.to("meta"))
    assert logits.shape == (2, 7, 23)
