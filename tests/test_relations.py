"""Relations between words, and attention that learns to point at them."""

import pytest
import torch

from attnbook.tasks.relations import (
    KINDS,
    RELATIONS,
    B,
    Pointer,
    find_targets,
    train,
)

KIND_OF = torch.tensor([[3, 1, 3, 0], [2, 2, 2, 5]])


def test_where_the_weight_should_lie():
    line = find_targets("line", KIND_OF)
    assert line.shape == (2, 4, 4)
    assert line[0].sum(-1).tolist() == [0, 1, 1, 1]
    assert line[1, 1:].argmax(-1).tolist() == [0, 1, 2]
    assert find_targets("ring", KIND_OF)[0].argmax(-1).tolist() == [3, 0, 1, 2]
    assert find_targets("partner", KIND_OF)[0].argmax(-1).tolist() == [
        1,
        0,
        3,
        2,
    ]
    kind = find_targets("kind", KIND_OF)
    assert kind[0].tolist()[0] == [0.5, 0, 0.5, 0]
    torch.testing.assert_close(kind[1, 2], torch.tensor([1, 1, 1, 0]) / 3)


@pytest.mark.parametrize(("relation", "length"), [("next", 4), ("partner", 3)])
def test_an_unknown_relation_is_refused(relation, length):
    with pytest.raises(ValueError, match="expected a relation out of"):
        find_targets(relation, KIND_OF[:, :length])


def test_one_matrix_makes_the_scores_symmetric():
    for shared in (True, False):
        model = Pointer(5, shared, seed=1, length=7)
        kinds, x = model.batch()
        assert kinds.shape == (B, 7) and x.shape == (B, 7, KINDS + 7)
        scores = model(x)
        same = torch.allclose(scores, scores.transpose(-2, -1), atol=1e-5)
        assert same == shared


def test_a_hidden_word_gets_no_weight():
    model = Pointer(5, True, seed=1, length=4, hide_self=True)
    weights = model(model.batch()[1]).softmax(-1)
    assert weights.diagonal(dim1=1, dim2=2).max() == 0


def test_training_is_repeatable_and_two_matrices_learn_every_relation():
    for relation in RELATIONS:
        first = train(Pointer(8, False, 1, 6), relation, steps=150)
        again = train(Pointer(8, False, 1, 6), relation, steps=150)
        assert first == again
        assert first.share[-1] > 0.9 and first.loss[-1] < 0.2


def test_one_matrix_gives_partners_no_more_than_half():
    history = train(Pointer(8, True, 1, 6), "partner", steps=150)
    assert 0.4 < history.share[-1] <= 0.5
    hidden = Pointer(8, True, 1, 6, hide_self=True)
    assert train(hidden, "partner", steps=150).share[-1] > 0.9
