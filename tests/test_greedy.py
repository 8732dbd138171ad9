import itertools
import math

import pytest
import torch
from torch.testing import assert_close

from attnbook.config import RecurrentConfig, TransformerConfig
from attnbook.data.vocabulary import BOS, EOS, PAD
from attnbook.decoding.beam import beam_search, length_penalty
from attnbook.decoding.cache import Cache, cached_step
from attnbook.decoding.greedy import Stepper, cut_at_eos, greedy, sample
from attnbook.masks import padding_mask
from attnbook.recurrent import Recurrent
from attnbook.transformer import Transformer

SOURCE = torch.tensor([[5, 6, 7, 2, 0, 0], [8, 9, 4, 3, 10, 2]])
SIZES = {
    "source_vocab": 11,
    "target_vocab": 9,
    "d_model": 12,
    "num_heads": 3,
    "d_ff": 17,
    "num_encoder_layers": 2,
    "num_decoder_layers": 3,
    "max_length": 24,
}


def model_of(seed=0, **changes):
    """A model whose outputs are far from uniform."""
    torch.manual_seed(seed)
    model = Transformer(TransformerConfig(**SIZES | changes)).eval()
    with torch.no_grad():
        for p in model.parameters():
            p.mul_(1.5).add_(0.1 * torch.randn_like(p))
    return model


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"pre_norm": False},
        {"positions": "learned"},
        {"positions": "rotary", "d_model": 24},
        {"positions": "none"},
    ],
    ids=str,
)
def test_a_cached_step_equals_the_whole_computation(changes):
    model = model_of(**changes)
    target = torch.tensor([[1, 4, 5, 3, 6, 7], [1, 8, 3, 3, 5, 4]])
    memory, mask, _ = model.encode(SOURCE)
    whole = model(SOURCE, target)
    cache = Cache(model, memory, mask)
    for t in range(target.size(1)):
        logits = cached_step(model, target[:, t : t + 1], cache)
        assert_close(logits, whole[:, t], atol=1e-5, rtol=1e-5)


def test_a_reordered_cache_belongs_to_the_reordered_rows():
    model = model_of()
    memory, mask, _ = model.encode(SOURCE)
    rows = torch.tensor([1, 1, 0])
    cache = Cache(model, memory, mask)
    cached_step(model, torch.tensor([[1], [1]]), cache)
    cached_step(model, torch.tensor([[4], [5]]), cache)
    cache.reorder(rows)
    logits = cached_step(model, torch.tensor([[6], [7], [8]]), cache)
    target = torch.tensor([[1, 5, 6], [1, 5, 7], [1, 4, 8]])
    whole = model(SOURCE[rows], target)[:, -1]
    assert_close(logits, whole, atol=1e-5, rtol=1e-5)


def test_the_cache_ends_with_the_positions():
    model = model_of(max_length=3)
    source = SOURCE[:1, :3]
    memory, *_ = model.encode(source)
    cache = Cache(model, memory, None)
    for _ in range(3):
        cached_step(model, torch.tensor([[1]]), cache)
    with pytest.raises(ValueError, match="at most 3 positions, got 4"):
        cached_step(model, torch.tensor([[1]]), cache)


def by_hand(model, source, longest):
    """Greedy decoding of one sentence, the whole prefix each time."""
    words = [BOS]
    for _ in range(longest):
        logits = model(source, torch.tensor([words]))[0, -1]
        logits[[PAD, BOS]] = -math.inf
        words.append(int(logits.argmax()))
        if words[-1] == EOS:
            return words[1:-1]
    return words[1:]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("cached", [True, False])
def test_greedy_takes_the_most_probable_word(seed, cached):
    model = model_of(seed)
    written = greedy(model, SOURCE, longest=15, cached=cached)
    assert written[0] == by_hand(model, SOURCE[:1, :4], 15)
    assert written[1] == by_hand(model, SOURCE[1:], 15)


def recurrent(**changes):
    torch.manual_seed(1)
    config = RecurrentConfig(
        source_vocab=11, target_vocab=9, d_model=12, max_length=24, **changes
    )
    model = Recurrent(config).eval()
    with torch.no_grad():
        for p in model.parameters():
            p.mul_(2)
    return model


@pytest.mark.parametrize("attention", [True, False])
def test_recurrent_models_decode_too(attention):
    model = recurrent(attention=attention)
    written = greedy(model, SOURCE, longest=15)
    assert written[0] == by_hand(model, SOURCE[:1, :4], 15)
    assert len(beam_search(model, SOURCE, width=3, longest=15)) == 2
    with pytest.raises(ValueError, match="a Transformer.*got Recurrent"):
        greedy(model, SOURCE, longest=15, cached=True)


def probabilities(model, source, words):
    """Log-probabilities of sentences of one length, their end included.

    Args:
        source: integers of shape (1, S).
        words: the sentences, integers of shape (B, T).
    """
    begin, end = (words.new_full((len(words), 1), i) for i in (BOS, EOS))
    logits = model(
        source.expand(len(words), -1), torch.cat([begin, words], dim=1)
    )
    labels = torch.cat([words, end], dim=1)
    picked = logits.log_softmax(-1).gather(2, labels[..., None])
    return picked.sum((1, 2)).tolist()


@pytest.mark.parametrize("seed", range(3))
def test_a_wide_beam_finds_the_best_of_all_sentences(seed):
    """5 words, at most 3 of them: every sentence can be scored."""
    model = model_of(seed, target_vocab=8)
    source = SOURCE[1:]
    scores = {}
    for size in range(4):
        sentences = list(itertools.product(range(3, 8), repeat=size))
        words = torch.tensor(sentences).view(len(sentences), size)
        found = probabilities(model, source, words.long())
        for sentence, log_p in zip(sentences, found, strict=True):
            scores[sentence] = log_p / length_penalty(size + 1, 0.6)
    best = max(scores, key=scores.get)
    wide = beam_search(model, source, width=130, longest=4)
    assert tuple(wide[0]) == best


@pytest.mark.parametrize("seed", range(4))
def test_a_beam_of_1_is_greedy(seed):
    model = model_of(seed)
    assert beam_search(model, SOURCE, width=1, longest=15) == greedy(
        model, SOURCE, longest=15
    )


@pytest.mark.parametrize("width", [2, 4])
def test_beam_search_is_the_same_with_and_without_cache(width):
    for seed in range(4):
        model = model_of(seed)
        cached, plain = (
            beam_search(model, SOURCE, width, longest=15, cached=c)
            for c in (True, False)
        )
        assert cached == plain


def test_a_sentence_does_not_depend_on_its_batch():
    model = model_of(2)
    both = beam_search(model, SOURCE, width=3, longest=15)
    assert both[0] == beam_search(model, SOURCE[:1, :4], 3, longest=15)[0]
    assert both[1] == beam_search(model, SOURCE[1:], 3, longest=15)[0]


def test_sampling_follows_the_probabilities():
    model = model_of(3)
    source = SOURCE[1:].expand(4000, -1)
    generator = torch.Generator().manual_seed(0)
    first = [
        row[0] if row else EOS
        for row in sample(model, source, generator, longest=1)
    ]
    logits = model(SOURCE[1:], torch.tensor([[BOS]]))[0, 0]
    logits[[PAD, BOS]] = -math.inf
    want = logits.softmax(-1)
    got = torch.bincount(torch.tensor(first), minlength=9) / 4000
    assert_close(got, want, atol=0.03, rtol=0)


def test_sampling_is_repeatable_and_cold_sampling_is_greedy():
    model = model_of(3)

    def draw(seed, temperature):
        generator = torch.Generator().manual_seed(seed)
        return sample(model, SOURCE, generator, temperature, longest=15)

    assert draw(1, 1.0) == draw(1, 1.0)
    assert draw(1, 2.0) != draw(2, 2.0)
    assert draw(1, 1e-4) == greedy(model, SOURCE, longest=15)


def test_decoding_turns_dropout_off_and_gives_the_mode_back():
    model = model_of(1, dropout=0.5)
    want = greedy(model, SOURCE, longest=15)
    model.train()
    assert greedy(model, SOURCE, longest=15) == want
    assert model.training


def test_rows_are_cut_at_their_end():
    rows = torch.tensor([[5, EOS, 6], [EOS, 5, 5], [5, 6, 7]])
    assert cut_at_eos(rows) == [[5], [], [5, 6, 7]]


def test_what_cannot_be_decoded_is_refused():
    model = model_of()
    with pytest.raises(ValueError, match="1 to 23 words, got 24"):
        greedy(model, SOURCE, longest=24)
    with pytest.raises(ValueError, match="1 to 23 words, got 0"):
        beam_search(model, SOURCE, longest=0)
    with pytest.raises(ValueError, match="width of at least 1.*got 0"):
        beam_search(model, SOURCE, width=0, longest=5)
    with pytest.raises(ValueError, match="temperature above 0, got 0"):
        sample(model, SOURCE, torch.Generator(), temperature=0)


def test_a_subclass_is_never_decoded_with_a_cache():
    """It may hide or scale otherwise than the cached step does."""

    class Other(Transformer):
        def target_mask(self, target):
            return padding_mask(target, PAD)

    plain, other = model_of(), model_of()
    other.__class__ = Other
    assert Stepper(plain, SOURCE).cache is not None
    assert Stepper(other, SOURCE).cache is None
    assert greedy(other, SOURCE, 6) == greedy(other, SOURCE, 6, cached=False)
    with pytest.raises(ValueError, match="a Transformer for .*, got Other"):
        greedy(other, SOURCE, 6, cached=True)
