import pytest
import torch
from torch.testing import assert_close

from attnbook.tasks.neighbours import (
    VOCAB,
    D,
    Neighbours,
    T,
    draw_batch,
    judge,
    measure_looks,
    remove_heads,
    train,
    zero_rows,
)
from attnbook.training.repro import parameter_count


def test_the_target_is_what_stands_left_and_right(rng):
    tokens, target = draw_batch(rng, 3)
    assert tokens.shape == (3, T) and target.shape == (3, T, 2)
    assert tokens.max() < VOCAB
    for t in range(T):
        assert torch.equal(target[:, t, 0], tokens[:, t - 1])
        assert torch.equal(target[:, t, 1], tokens[:, (t + 1) % T])


def test_a_shorter_ring_closes_earlier(rng):
    tokens, target = draw_batch(rng, 3, length=5)
    assert target.shape == (3, 5, 2)
    assert torch.equal(target[:, 4, 1], tokens[:, 0])
    model = Neighbours(2)
    assert model(tokens)[1].shape == (3, 2, 5, 5)
    losses = train(model, 6, lengths=(5, 8))
    assert len(losses) == 6
    assert judge(model, length=5)[0] != judge(model, length=8)[0]


@pytest.mark.parametrize("hidden", [None, 64])
def test_parameters_do_not_depend_on_the_number_of_heads(hidden):
    counts = {parameter_count(Neighbours(h, hidden)) for h in (1, 2, 4, 8)}
    assert len(counts) == 1


def test_a_seed_fixes_a_run_and_nothing_outside():
    before = torch.get_rng_state()
    first, second = Neighbours(2, seed=3), Neighbours(2, seed=3)
    assert train(first, 3, seed=5) == train(second, 3, seed=5)
    assert judge(first) == judge(second)
    assert torch.equal(before, torch.get_rng_state())


def test_training_lowers_the_loss():
    model = Neighbours(2)
    losses = train(model, 150)
    assert losses[-1] < 0.5 * losses[0]
    loss, (left, right) = judge(model)
    assert loss < 1.5 and min(left, right) > 1.5 / VOCAB


def test_looks_returns_a_weight_per_head():
    left, right = measure_looks(Neighbours(4))
    assert left.shape == right.shape == (4,)
    assert ((left + right > 0) & (left + right < 1)).all()


def test_a_removed_head_writes_nothing(rng):
    model = Neighbours(4)
    tokens, _ = draw_batch(rng, 2)
    all_removed = remove_heads(model, range(4))
    bias = model.attention.w_o.bias
    assert_close(all_removed(tokens)[0][0, 0].flatten(), model.answer(bias))
    one = remove_heads(model, [2])
    weight = one.attention.w_o.weight.unflatten(1, (4, D // 4))
    assert (weight.abs().sum((0, 2)) == 0).tolist() == [0, 0, 1, 0]
    assert model.attention.w_o.weight.ne(0).all()  # the model keeps its own


def test_removed_rows_are_zero_and_no_others(rng):
    model = Neighbours(4)
    weight = zero_rows(model, [0, 5, 31]).attention.w_o.weight
    assert (weight == 0).all(0).nonzero().flatten().tolist() == [0, 5, 31]
    tokens, _ = draw_batch(rng, 2)
    rows = range(2 * D // 4, 3 * D // 4)
    of_head_2 = zero_rows(model, rows)
    assert_close(of_head_2(tokens)[0], remove_heads(model, [2])(tokens)[0])


def test_refuses_heads_that_do_not_divide_the_width():
    with pytest.raises(ValueError, match="divisible by num_heads"):
        Neighbours(5)
