"""The fast ways to decode write what the course's own ways write.

Models are of float64, where sums of the same numbers in another order are
equal for all that matters here.
"""

import pytest
import torch
from torch.testing import assert_close

from attnbook.config import RecurrentConfig, TransformerConfig
from attnbook.data import storybook
from attnbook.data.vocabulary import EOS, PAD
from attnbook.decoding import pretrained
from attnbook.decoding.beam import beam_search
from attnbook.decoding.greedy import greedy
from attnbook.decoding.search import fast_beam_search, fast_greedy
from attnbook.fast import stepper as module
from attnbook.fast.stepper import FastStepper
from attnbook.recurrent import Recurrent
from attnbook.transformer import Transformer

SIZES = {
    "source_vocab": 30,
    "target_vocab": 9,
    "d_model": 24,
    "num_heads": 3,
    "d_ff": 17,
    "num_encoder_layers": 1,
    "num_decoder_layers": 2,
    "max_length": 40,
}
KINDS = [
    {},
    {"pre_norm": False},
    {"positions": "learned"},
    {"positions": "rotary"},
    {"positions": "none", "target_vocab": 5},
    {"target_vocab": 800, "pre_norm": False},
]


def model_of(seed=0, dtype=torch.float64, **changes):
    """Return a model whose outputs are far from uniform."""
    torch.manual_seed(seed)
    model = Transformer(TransformerConfig(**SIZES | changes)).eval()
    with torch.no_grad():
        for p in model.parameters():
            p.mul_(1.5).add_(0.1 * torch.randn_like(p))
    return model.to(dtype)


def sources(seed, count=6, longest=14):
    """Return sentences of 1 to 14 words with padding, (B, S)."""
    generator = torch.Generator().manual_seed(seed)
    source = torch.randint(3, 30, (count, longest), generator=generator)
    for row in source[1:]:
        end = int(torch.randint(1, longest + 1, (1,), generator=generator))
        row[end:] = PAD
    return source


@pytest.fixture(autouse=True)
def one_thread():
    """Use one thread: these models are too small for two."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_both_ways_write_the_same(kind):
    for width, longest in enumerate((1, 8, 20, 9, 8, 9), start=1):
        model, source = model_of(width, **kind), sources(width)
        want = greedy(model, source, longest)
        assert fast_greedy(model, source, longest) == want
        want = beam_search(model, source, width, longest=longest)
        got = fast_beam_search(model, source, width, longest=longest)
        assert got == want, width


@pytest.mark.parametrize("alpha", [0.0, 2.0, -1.0])
def test_the_penalty_is_the_same(alpha):
    for seed in range(2):
        model, source = model_of(seed), sources(seed)
        want = beam_search(model, source, 4, alpha, 20)
        assert fast_beam_search(model, source, 4, alpha, 20) == want


def test_one_sentence_and_no_padding():
    model, source = model_of(1), sources(1)[:1]
    assert fast_greedy(model, source, 12) == greedy(model, source, 12)
    want = beam_search(model, source, 3, longest=12)
    assert fast_beam_search(model, source, 3, longest=12) == want
    want = fast_beam_search(model, source.int(), 3, longest=12)
    assert fast_beam_search(model, source, 3, longest=12) == want


def test_trained_models_write_the_same():
    """In float32, as everybody uses them; sentences end at all lengths."""
    trained = pretrained.load("fr")
    pairs = storybook.splits("fr", 1, 1, 30, held_out=1)["test"]
    source = trained.encode([" ".join(pair.source) for pair in pairs])
    want = greedy(trained.model, source, 40)
    assert fast_greedy(trained.model, source, 40) == want
    want = beam_search(trained.model, source, 5, longest=40)
    assert fast_beam_search(trained.model, source, 5, longest=40) == want


@torch.inference_mode()
def test_a_step_scores_as_the_whole_sentence_does(monkeypatch):
    """Beams change places, sentences leave, slots are forgotten."""
    monkeypatch.setattr(module, "ROOM", 2)
    model, source = model_of(3), sources(3, count=4)
    stepper = FastStepper(model, source, 3, 30)
    generator = torch.Generator().manual_seed(0)
    words = torch.ones(4, 1, dtype=torch.long)
    written = torch.ones(4, 3, 1, dtype=torch.long)
    for t in range(12):
        logits = stepper.logits(words)
        wide = source.repeat_interleave(3, dim=0)
        want = model(wide, written.flatten(0, 1))[:, -1]
        logits = logits.expand(-1, 3, -1)
        assert_close(logits.flatten(0, 1), want, rtol=1e-9, atol=1e-9)
        size = len(source), 3
        beams = torch.randint(3, size, generator=generator)
        rows = beams + 3 * torch.arange(len(source))[:, None]
        words = torch.randint(3, 9, size, generator=generator)
        written = written.flatten(0, 1)[rows]
        written = torch.cat([written, words[..., None]], dim=2)
        stepper.reorder(rows.flatten())
        if t == 5:
            stay = torch.tensor([0, 3])
            stepper.keep(stay)
            source, words, written = source[stay], words[stay], written[stay]
    assert stepper.seen.size(2) < 34  # what no beam remembers is forgotten


def test_dropout_is_off_and_the_mode_comes_back():
    model, source = model_of(1, dropout=0.5), sources(1)
    want = beam_search(model, source, 2, longest=9)
    model.train()
    assert fast_beam_search(model, source, 2, longest=9) == want
    assert model.training
    want = greedy(model, source, 9)
    assert fast_greedy(model, source, 9) == want
    assert model.training


class Other(Transformer):
    """A subclass may compute otherwise, so it is asked as a whole."""

    def source_mask(self, source):
        """Look at the first two words alone."""
        mask = super().source_mask(source).clone()
        mask[..., 2:] = False
        return mask


def test_other_models_are_decoded_as_before():
    config = RecurrentConfig(source_vocab=30, target_vocab=9, d_model=12)
    torch.manual_seed(0)
    source = sources(0)
    other = Other(TransformerConfig(**SIZES)).eval()
    for model in (Recurrent(config).eval(), other):
        want = greedy(model, source, 9)
        assert fast_greedy(model, source, 9) == want
        want = beam_search(model, source, 3, longest=9)
        assert fast_beam_search(model, source, 3, longest=9) == want
        with pytest.raises(ValueError, match="a Transformer for decoding"):
            fast_greedy(model, source, 9, cached=True)
    model = model_of()
    want = fast_beam_search(model, source, 3, longest=9)
    got = fast_beam_search(model, source, 3, longest=9, cached=False)
    assert got == want


@pytest.mark.parametrize(
    "call",
    [
        lambda way, m, s: way(m, s, longest=40),
        lambda way, m, s: way(m, s, longest=0),
        lambda way, m, s: way(m, s.float(), longest=5),
        lambda way, m, s: way(m, s[0], longest=5),
        lambda way, m, s: way(m, s[:0], longest=5),
        lambda way, m, s: way(m, s + 30, longest=5),
        lambda way, m, s: way(m, s * 0, longest=5),
        lambda way, m, s: way(m, s.repeat(1, 3), longest=5),
    ],
)
def test_errors_are_the_same(call):
    model, source = model_of(), sources(0)
    for slow, quick in (
        (greedy, fast_greedy),
        (beam_search, fast_beam_search),
    ):
        with pytest.raises(ValueError) as want:
            call(slow, model, source)
        with pytest.raises(ValueError) as got:
            call(quick, model, source)
        assert str(got.value) == str(want.value)
    with pytest.raises(ValueError, match="width of at least 1.*got 0"):
        fast_beam_search(model, source, width=0, longest=5)


def test_a_known_result_ends_the_search(monkeypatch):
    """A model that is sure needs as many steps as words, not more."""
    model, source = model_of(0, torch.float32), sources(0)
    steps, plain = [], FastStepper.logits

    def logits(self, words):
        steps.append(len(words))
        scores = plain(self, words)
        scores[..., :] = 0.0
        scores[..., EOS if len(steps) == 4 else 5] = 20.0
        return scores

    monkeypatch.setattr(FastStepper, "logits", logits)
    written = fast_beam_search(model, source, 5, longest=24)
    assert written == [[5, 5, 5]] * len(source)
    assert len(steps) == 4
