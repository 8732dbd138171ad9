"""The running sentence: words, numbers, and what the chapters say of them."""

import torch

from attnbook.attention import scaled_dot_product_attention
from attnbook.tasks import running_sentence


def test_the_six_words_stand_in_the_sentence_in_this_order():
    words = running_sentence.SENTENCE.split()
    places = [words.index(word) for word in running_sentence.WORDS]
    assert places == sorted(places)
    assert (
        running_sentence.SENTENCE.replace("tired", "wide")
        == running_sentence.WIDE
    )


def test_shapes_and_fresh_copies():
    x = running_sentence.embeddings()
    assert (
        x.shape
        == (len(running_sentence.WORDS), len(running_sentence.FEATURES))
        == (6, 4)
    )
    x.zero_()
    assert running_sentence.embeddings().abs().sum() > 0
    assert [tuple(w.shape) for w in running_sentence.projections()] == [
        (4, 4)
    ] * 3


def test_it_hesitates_between_animal_and_street():
    q, k, v = running_sentence.views()
    scores = q @ k.T
    row = scores[running_sentence.WORDS.index("it")]
    assert row.tolist() == [4, 0, 4, -4, 0, 2]
    context, weights = scaled_dot_product_attention(q, k, v)
    assert context.shape == (6, 4)
    animal, street = weights[3, 0], weights[3, 2]
    assert torch.equal(animal, street)
    assert animal > 0.37


def test_the_scores_are_not_symmetric():
    """Else nothing would tell queries from keys in the examples."""
    q, k, v = running_sentence.views()
    scores = q @ k.T
    assert not torch.equal(scores, scores.T)
    assert not torch.equal(v, running_sentence.embeddings())


def test_a_scale_of_its_own_turns_the_order_of_the_two_maps():
    """A is nearly even; one cell of B makes the rest of B look pale."""
    maps = running_sentence.two_maps()
    others = [0, 1, 2, 3, 5]  # all rows but "too"
    spread = {n: torch.special.entr(p).sum(-1) for n, p in maps.items()}
    assert (spread["A"] > spread["B"])[others].all()
    shown = {n: (p - p.min()) / (p.max() - p.min()) for n, p in maps.items()}
    range_of = {n: p.amax(-1) - p.amin(-1) for n, p in shown.items()}
    assert (range_of["A"] > range_of["B"])[others].all()
    assert torch.allclose(maps["B"].sum(-1), torch.ones(6))
