"""A datastore says which word came next where the state was like this."""

import math

import pytest
import torch

from attnbook.data.batches import make_batch
from attnbook.data.vocabulary import EOS, PAD
from attnbook.decoding.beam import beam_search
from attnbook.decoding.datastore import Datastore, collect_entries, make_keys
from attnbook.decoding.ensemble import Ensemble
from attnbook.decoding.greedy import greedy
from attnbook.decoding.search import fast_beam_search, fast_greedy
from test_fast_decoding import model_of as far_from_uniform
from test_fast_decoding import sources
from test_loop import model_of, task


def random_store(count=10_000, width=6, vocabulary=9, temperature=0.1):
    generator = torch.Generator().manual_seed(0)
    keys = torch.randn(count, width, generator=generator, dtype=torch.double)
    words = torch.randint(vocabulary, (count,), generator=generator)
    return Datastore(make_keys([keys]), words, vocabulary, temperature, 0.5)


def store_of(models, pairs, temperature, share):
    keys, words, _ = collect_entries(models, pairs)
    vocabulary = models[0].config.target_vocab
    return Datastore(keys, words, vocabulary, temperature, share)


def test_three_entries_by_hand():
    """Cosines 1, 0 and -1 by temperature 1; the first two lead to word 2."""
    keys = torch.tensor([[1.0, 0], [0, 1], [-1, 0]])
    store = Datastore(keys, torch.tensor([2, 2, 0]), 4, 1.0, 0.25)
    query = torch.tensor([[1.0, 0]])
    total = math.e + 1 + 1 / math.e
    wanted = torch.tensor([[1 / math.e, 0, math.e + 1, 0]]) / total
    torch.testing.assert_close(store.probabilities(query), wanted)
    own = torch.tensor([[0.1, 0.2, 0.3, 0.4]])
    mixed = store.mix(query, own.log()).exp()
    torch.testing.assert_close(mixed, 0.75 * own + 0.25 * wanted)


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_a_share_of_0_or_1_leaves_one_of_both(share):
    store = random_store()
    store.share = share
    logs = torch.randn(2, 3, 9, dtype=torch.double).log_softmax(-1)
    queries = make_keys([torch.randn(2, 3, 6, dtype=torch.double)])
    wanted = store.probabilities(queries.flatten(0, 1)).view_as(logs)
    found = store.mix(queries, logs).exp()
    torch.testing.assert_close(found, wanted if share else logs.exp())


@pytest.mark.parametrize("temperature", [0.01, 0.1, 5.0])
def test_what_is_summed_by_chunks_is_the_weights_sum_for_each_word(
    temperature,
):
    store = random_store(temperature=temperature)
    queries = make_keys([torch.randn(7, 6, dtype=torch.double)])
    weights = store.weights(queries)  # (R, N)
    wanted = torch.stack(
        [weights[:, store.words == w].sum(-1) for w in range(9)], dim=-1
    )
    torch.testing.assert_close(store.probabilities(queries), wanted)
    torch.testing.assert_close(wanted.sum(-1), torch.ones(7).double())


def test_weights_too_small_for_their_type_are_not_lost():
    """The best cosine is -0.5: exp(-1.5 / 0.001) is 0 even in float64."""
    keys = make_keys([torch.tensor([[-1.0, 3**0.5], [-2.0, 1.0]])])
    store = Datastore(keys, torch.tensor([3, 1]), 4, 0.001, 0.5)
    found = store.probabilities(torch.tensor([[1.0, 0.0], [-1.0, 0.0]]))
    assert found.tolist() == [[0, 0, 0, 1], [0, 1, 0, 0]]


def test_the_product_of_two_keys_is_the_mean_of_the_cosines():
    one, other = [torch.randn(2, 4), torch.randn(2, 7)], torch.randn(2, 7)
    product = (make_keys(one) * make_keys([one[0], other])).sum(-1)
    cosine = torch.cosine_similarity(one[1], other)
    torch.testing.assert_close(product, (1 + cosine) / 2)


def test_every_word_of_the_training_text_is_remembered_once():
    pairs = task()[0][:30]
    models = [model_of(0), model_of(1)]
    keys, words, places = collect_entries([m.eval() for m in models], pairs)
    wanted = [w for _, target in pairs for w in (*target, EOS)]
    assert sorted(words.tolist()) == sorted(wanted)
    for word, (pair, place) in zip(words, places.tolist(), strict=True):
        assert word == [*pairs[pair][1], EOS][place]
    batch = make_batch(pairs[3:4])  # alone, without padding
    with torch.inference_mode():
        states = [m.states(batch.source, batch.target) for m in models]
    nearest, place = (make_keys(states)[0] @ keys.T).max(dim=-1)
    torch.testing.assert_close(nearest, torch.ones_like(nearest))
    assert words[place].tolist() == batch.labels[0].tolist()


def test_an_untrained_model_writes_training_sentences_by_heart():
    """It has learned nothing; its states tell one place from another."""
    once = {tuple(source): target for source, target in task()[0][:40]}
    pairs = [([*source], target) for source, target in once.items()]
    model = model_of(0).eval()
    source = make_batch(pairs).source
    by_heart = Ensemble([model], store_of([model], pairs, 0.001, 1.0))
    wanted = [target for _, target in pairs]
    assert fast_greedy(by_heart, source, 9) == wanted
    alone = greedy(model, source, 9)
    assert not any(a == b for a, b in zip(alone, wanted, strict=True))


def test_the_fast_way_writes_what_the_plain_one_writes():
    changed = 0
    for seed in range(3):
        models = [far_from_uniform(seed), far_from_uniform(seed + 9, d_ff=8)]
        source = sources(seed)
        words = torch.arange(3, 9)
        pairs = [(row[row != PAD].tolist(), words.tolist()) for row in source]
        plain = Ensemble(models)
        full = Ensemble(models, store_of(models, pairs, 0.05, 0.8))
        assert fast_greedy(full, source, 12) == greedy(full, source, 12)
        wanted = beam_search(full, source, 3, longest=12)
        assert fast_beam_search(full, source, 3, longest=12) == wanted
        changed += wanted != beam_search(plain, source, 3, longest=12)
    assert changed == 3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"keys": torch.ones(3)}, r"expected keys \(N, D\)"),
        ({"words": torch.zeros(2, dtype=torch.long)}, r"got \(3, 2\) and"),
        ({"keys": torch.ones(0, 2), "words": torch.zeros(0)}, "at least 1"),
        ({"vocabulary": 2}, "expected words from 0 to 1, got 0 to 2"),
        ({"temperature": 0.0}, "temperature above 0 .* got 0.0 and 0.5"),
        ({"share": 1.1}, "share from 0 to 1, got 1.0 and 1.1"),
    ],
)
def test_what_does_not_fit_is_refused(change, message):
    right = {
        "keys": torch.ones(3, 2),
        "words": torch.arange(3),
        "vocabulary": 3,
        "temperature": 1.0,
        "share": 0.5,
    }
    with pytest.raises(ValueError, match=message):
        Datastore(**right | change)
