import pytest
import torch
from torch import nn
from torch.testing import assert_close

from attnbook.compat import cpu_has_bfloat16
from attnbook.config import RecurrentConfig, TransformerConfig
from attnbook.recurrent import Recurrent
from attnbook.training.repro import parameter_count
from attnbook.transformer import Transformer

SIZES = {
    "source_vocab": 19,
    "target_vocab": 23,
    "d_model": 10,
    "max_length": 11,
}
SOURCE = torch.tensor([[5, 6, 7, 0, 0], [8, 9, 4, 3, 10], [11, 0, 0, 0, 0]])
TARGET = torch.tensor(
    [
        [3, 4, 9, 7, 0, 0, 0],
        [3, 5, 20, 6, 8, 21, 22],
        [3, 12, 0, 0, 0, 0, 0],
    ]
)
CELLS = ["rnn", "lstm", "gru"]
every_cell = pytest.mark.parametrize("cell", CELLS)
with_and_without = pytest.mark.parametrize("attention", [False, True])
layers = pytest.mark.parametrize("num_layers", [1, 2])


@pytest.fixture(autouse=True)
def one_thread():
    """Use one thread: with models this small, two wait for each other."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def model_of(cell, attention, seed=0, **changes):
    torch.manual_seed(seed)
    settings = {**SIZES, "cell": cell, "attention": attention, **changes}
    return Recurrent(RecurrentConfig(**settings)).eval()


def tensors_in_state(cell):
    return 2 if cell == "lstm" else 1


def cell_of(network, name):
    """Return the cell that a network applies in one layer, `name`."""
    kind = getattr(nn, type(network).__name__ + "Cell")
    parts = "weight_ih", "weight_hh", "bias_ih", "bias_hh"
    parameters = {part: getattr(network, f"{part}_{name}") for part in parts}
    rows, width = parameters["weight_ih"].shape
    factor = {nn.RNNCell: 1, nn.LSTMCell: 4, nn.GRUCell: 3}[kind]
    cell = kind(width, rows // factor)
    cell.load_state_dict(parameters)
    return cell


def run(cell, words, state=None):
    """Return the vectors of one layer at words (T, D), and its last state."""
    outputs = []
    for word in words:
        state = cell(word, state)
        outputs.append(state[0] if isinstance(state, tuple) else state)
    return torch.stack(outputs), state


def layers_of(network, config):
    return [cell_of(network, f"l{n}") for n in range(config.num_layers)]


def by_hand_from_state(model, source, target):
    """Return the logits, (T, vocab), of one unpadded sentence pair."""
    x = model.source_embedding(source)
    states = []
    for cell in layers_of(model.encoder.network, model.config):
        x, state = run(cell, x)
        states.append(state)
    y = model.target_embedding(target)
    cells = layers_of(model.decoder.network, model.config)
    for cell, state in zip(cells, states, strict=True):
        y, _ = run(cell, y, state)
    return y @ model.output.weight.T


def read_both_ways(model, source):
    x = model.source_embedding(source)
    for n in range(model.config.num_layers):
        forth, _ = run(cell_of(model.encoder.network, f"l{n}"), x)
        back = cell_of(model.encoder.network, f"l{n}_reverse")
        back, _ = run(back, x.flip(0))
        x = torch.cat([forth, back.flip(0)], dim=-1)
    return x


def by_hand_with_attention(model, source, target):
    """Return the logits, (T, vocab), and weights, (T, S), of one pair."""
    d, n = model.config.d_model, model.config.num_layers
    memory, decoder = read_both_ways(model, source), model.decoder
    start = decoder.start(memory[0, d // 2 :]).tanh().view(-1, n, d)
    states = [start[0, i] for i in range(n)]
    if model.config.cell == "lstm":
        states = [(start[0, i], start[1, i]) for i in range(n)]
    add, logits, maps = decoder.attention, [], []
    for word in model.target_embedding(target):
        top = states[-1][0] if isinstance(states[-1], tuple) else states[-1]
        scores = [
            (top @ add.w_q + key @ add.w_k).tanh() @ add.v for key in memory
        ]
        weights = torch.stack(scores).softmax(0)
        context = sum(w * key for w, key in zip(weights, memory, strict=True))
        x = torch.cat([word, context])
        for i, cell in enumerate(decoder.cells):
            states[i] = cell(x, states[i])
            x = states[i][0] if isinstance(states[i], tuple) else states[i]
        read = decoder.readout(torch.cat([x, context, word])).tanh()
        logits.append(model.output.weight @ read)
        maps.append(weights)
    return torch.stack(logits), torch.stack(maps)


@every_cell
@layers
def test_without_attention_equals_cells_in_a_loop(cell, num_layers):
    model = model_of(cell, False, num_layers=num_layers)
    logits = model(SOURCE, TARGET)
    assert logits.shape == (3, 7, 23)
    memory, *_ = model.encode(SOURCE)
    assert memory.shape == (3, 1, tensors_in_state(cell) * num_layers * 10)
    for i, words in enumerate([3, 5, 1]):
        want = by_hand_from_state(model, SOURCE[i, :words], TARGET[i])
        assert_close(logits[i], want, atol=1e-5, rtol=1e-5)


@every_cell
@layers
def test_with_attention_equals_cells_and_attention_by_hand(cell, num_layers):
    model = model_of(cell, True, num_layers=num_layers)
    logits = model(SOURCE, TARGET)
    assert logits.shape == (3, 7, 23)
    maps = model.attention_maps(SOURCE, TARGET)["cross"]
    memory, *_ = model.encode(SOURCE)
    assert memory.shape == (3, 5, 10)
    for i, words in enumerate([3, 5, 1]):
        source = SOURCE[i, :words]
        want, weights = by_hand_with_attention(model, source, TARGET[i])
        assert_close(logits[i], want, atol=1e-5, rtol=1e-5)
        assert_close(maps[0, i, 0, :, :words], weights, atol=1e-5, rtol=1e-5)
        want = read_both_ways(model, source)
        assert_close(memory[i, :words], want, atol=1e-5, rtol=1e-5)


@every_cell
@with_and_without
def test_decoding_after_encoding_is_the_whole_model(cell, attention):
    model = model_of(cell, attention, num_layers=2)
    memory, mask, _ = model.encode(SOURCE)
    assert mask.shape == (3, 1, 1, 5)
    states, _ = model.decode(TARGET, memory, mask)
    assert torch.equal(model.output(states), model(SOURCE, TARGET))
    memory, *_ = model.encode(SOURCE[1:2])  # no padding, so no mask
    full, _ = model.decode(TARGET[1:2], memory, None)
    assert_close(full, states[1:2])


@every_cell
@with_and_without
def test_beam_search_may_repeat_and_reorder_the_memory(cell, attention):
    model = model_of(cell, attention)
    memory, mask, _ = model.encode(SOURCE)
    rows = torch.tensor([2, 0, 0, 1])
    states, _ = model.decode(TARGET[rows], memory[rows], mask[rows])
    assert_close(states, model.states(SOURCE, TARGET)[rows])


@every_cell
@with_and_without
def test_a_future_word_moves_no_earlier_logits(cell, attention):
    model = model_of(cell, attention)
    changed = TARGET.clone()
    changed[1, 4] = 11
    before, after = model(SOURCE, TARGET), model(SOURCE, changed)
    assert torch.equal(before[1, :4], after[1, :4])
    assert torch.equal(before[0], after[0])
    assert (before[1, 4:] != after[1, 4:]).any(-1).all()


@every_cell
@with_and_without
def test_every_source_word_reaches_every_logit(cell, attention):
    model = model_of(cell, attention)
    before = model(SOURCE, TARGET)
    for position in range(5):
        changed = SOURCE.clone()
        changed[1, position] = 12
        moved = (model(changed, TARGET) != before).any(-1)
        assert moved[1].all()
        assert not moved[[0, 2]].any()


@every_cell
@with_and_without
@pytest.mark.parametrize("order", [[0, 1, 2], [1, 0, 2], [2, 0, 1]])
def test_padding_and_the_order_of_the_batch_change_nothing(
    cell, attention, order
):
    model = model_of(cell, attention, num_layers=2)
    wider = nn.functional.pad(SOURCE, (0, 3))
    batch = model(wider[order], TARGET[order])
    for row, i in enumerate(order):
        s, t = [3, 5, 1][i], [4, 7, 2][i]
        alone = model(SOURCE[i : i + 1, :s], TARGET[i : i + 1, :t])
        assert_close(batch[row, :t], alone[0])


@every_cell
def test_attention_maps(cell):
    model = model_of(cell, True)
    state = set(vars(model)), set(model.state_dict())
    maps = model.attention_maps(SOURCE, TARGET)
    assert {name: tuple(w.shape) for name, w in maps.items()} == {
        "cross": (1, 3, 1, 7, 5)
    }
    weights = maps["cross"]
    assert_close(weights.sum(-1), torch.ones(1, 3, 1, 7))
    hidden = ~model.source_mask(SOURCE).expand_as(weights[0])
    assert (weights[0][hidden] == 0).all()
    assert (weights[0][~hidden] > 0).all()
    assert (set(vars(model)), set(model.state_dict())) == state


def test_no_maps_without_attention():
    with pytest.raises(ValueError, match="with attention, got.*False"):
        model_of("gru", False).attention_maps(SOURCE, TARGET)


@every_cell
@with_and_without
def test_gradients_are_finite_and_reach_every_parameter(cell, attention):
    model = model_of(cell, attention, num_layers=2, dropout=0.2).train()
    model(SOURCE, TARGET).square().mean().backward()
    for name, p in model.named_parameters():
        assert p.grad is not None, name
        assert p.grad.isfinite().all(), name
        assert p.grad.any(), name


@every_cell
@with_and_without
def test_dropout_acts_in_training_only(cell, attention):
    model = model_of(cell, attention, dropout=0.3)
    assert torch.equal(model(SOURCE, TARGET), model(SOURCE, TARGET))
    model.train()
    assert not torch.equal(model(SOURCE, TARGET), model(SOURCE, TARGET))


@every_cell
@with_and_without
def test_bfloat16_stays_close(cell, attention):
    if cell == "lstm" and not attention and not cpu_has_bfloat16():
        pytest.skip("PyTorch has no LSTM in bfloat16 on this processor")
    model = model_of(cell, attention)
    want = model(SOURCE, TARGET)
    with torch.autocast("cpu", torch.bfloat16):
        mixed = model(SOURCE, TARGET)
    logits = model.bfloat16()(SOURCE, TARGET)
    assert mixed.dtype == logits.dtype == torch.bfloat16
    assert_close(mixed.float(), want, atol=0.05, rtol=0.05)
    assert_close(logits.float(), want, atol=0.05, rtol=0.05)


@every_cell
@with_and_without
def test_parameter_count(cell, attention):
    d, n = 256, tensors_in_state(cell)
    gates = {"rnn": 1, "lstm": 4, "gru": 3}[cell]

    def recurrence(inputs, width):
        return gates * (width * (inputs + width) + 2 * width)

    want = 3 * 8000 * d  # two embeddings and the output
    if attention:
        want += 2 * recurrence(d, d // 2)
        want += n * d * (d // 2 + 1)  # the first state
        want += recurrence(2 * d, d) + 2 * d * d + d
        want += 3 * d * d + d  # the readout
    else:
        want += 2 * recurrence(d, d)
    sizes = {"source_vocab": 8000, "target_vocab": 8000, "d_model": d}
    with torch.device("meta"):
        assert parameter_count(model_of(cell, attention, **sizes)) == want


@every_cell
@with_and_without
def test_a_width_can_be_found_that_matches_a_transformer(cell, attention):
    vocabs = {"source_vocab": 3000, "target_vocab": 3000}
    c = TransformerConfig(
        **vocabs,
        d_model=128,
        d_ff=512,
        num_heads=4,
        num_encoder_layers=3,
        num_decoder_layers=3,
    )
    with torch.device("meta"):
        want = parameter_count(Transformer(c))
        counts = {
            d: parameter_count(model_of(cell, attention, d_model=d, **vocabs))
            for d in range(128, 320, 16)
        }
    near = min(counts, key=lambda d: abs(counts[d] - want))
    assert 0.9 < counts[near] / want < 1.1


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        (torch.tensor([[5, 19]]), TARGET[:1], "source ids from 0 to 18.* 19"),
        (torch.tensor([[-1, 5]]), TARGET[:1], "source ids.*got -1 to 5"),
        (SOURCE[:1], torch.tensor([[3, 23]]), "target ids from 0 to 22.* 23"),
        (torch.full((1, 12), 5), TARGET[:1], "at most 11 positions, got 12"),
        (SOURCE[:1], torch.full((1, 12), 5), "at most 11 positions, got 12"),
        (torch.tensor([[0, 0]]), TARGET[:1], "at least one word.*only pad"),
        (torch.tensor([[5, 0, 6]]), TARGET[:1], r"after the last word.*\[0\]"),
        (torch.tensor([[0, 5, 6]]), TARGET[:1], r"after the last word.*\[0\]"),
        (SOURCE[:1], torch.tensor([[0, 3]]), r"starts with a word.*\[0\]"),
        (SOURCE[:1, :0], TARGET[:1], "at least one token.*got shape"),
        (SOURCE[:1], TARGET[:1, :0], "target sentence.*got shape"),
        (SOURCE[:0], TARGET[:0], "at least one source sentence"),
        (SOURCE[0], TARGET[:1], r"shape \(batch, length\)"),
        (SOURCE[:1].float(), TARGET[:1], "as integers.*float32"),
    ],
)
@with_and_without
def test_refuses_bad_input(source, target, message, attention):
    model = model_of("gru", attention)
    with pytest.raises(ValueError, match=message):
        model(source, target)


def test_learns_to_reverse():
    """Learn to reverse 5 random digits; greedy output must be right."""
    torch.manual_seed(0)
    model = Recurrent(
        RecurrentConfig(
            source_vocab=13,
            target_vocab=13,
            d_model=64,
            dropout=0.0,
            max_length=8,
        )
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    rng = torch.Generator().manual_seed(1)

    def batch(size):
        source = torch.randint(3, 13, (size, 5), generator=rng)
        begin = torch.ones(size, 1, dtype=torch.long)
        return source, torch.cat([begin, source.flip(1)], dim=1)

    for _ in range(400):  # at most
        source, target = batch(64)
        logits = model(source, target[:, :-1])
        loss = nn.functional.cross_entropy(
            logits.flatten(0, 1), target[:, 1:].flatten()
        )
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if loss < 0.02:
            break
    model.eval()
    source, target = batch(500)
    written = target[:, :1]
    with torch.no_grad():
        for _ in range(5):
            best = model(source, written)[:, -1].argmax(-1, keepdim=True)
            written = torch.cat([written, best], dim=1)
    assert (written == target)[:, 1:].float().mean() > 0.95
