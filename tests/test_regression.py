"""Soft look-up: data, scores, and what can be learned."""

import pytest
import torch

from attnbook.tasks import regression


def test_only_the_first_number_decides_the_value():
    x, values = regression.draw(50, useless=2, seed=1, noise=0.0)
    assert x.shape == (50, 3)
    torch.testing.assert_close(values, regression.wave(x[:, 0]))
    assert -1 <= x.min() < -0.9 and 0.9 < x.max() <= 1
    noisy = regression.draw(50, useless=2, seed=1)[1]
    assert 0.07 < (noisy - values).std() < 0.13


def test_with_squares_a_dot_product_is_a_distance():
    """Two numbers more per row, and the keys' own squares are back."""
    x = torch.linspace(-1, 1, 9)[:, None]
    rows = regression.append_squares(x)  # (9, 3): x, its square, 1
    queries = torch.stack([2 * rows[:, 0], -rows[:, 2], 0 * rows[:, 0]], 1)
    weights = (queries @ rows.T * 8).softmax(-1)
    closeness = regression.FixedDistance(0.25)(x, x).softmax(-1)
    torch.testing.assert_close(weights, closeness)


def test_fixed_distance_is_kernel_regression():
    q, k = torch.tensor([[10.0]]), torch.tensor([[6.0], [9.0]])
    scores = regression.FixedDistance(2.0)(q, k)
    torch.testing.assert_close(scores, torch.tensor([[-2.0, -0.125]]))


def test_leave_one_out_never_reads_the_value_itself():
    values = torch.tensor([1.0, 2.0, 30.0])
    estimate = regression.leave_one_out(torch.zeros(3, 3), values)
    torch.testing.assert_close(estimate, torch.tensor([16.0, 15.5, 1.5]))


@pytest.mark.parametrize("name", regression.LEARNED)
def test_learning_is_repeatable_and_lowers_the_error(name):
    x, values = regression.draw(40, useless=0, seed=3)
    found = [
        regression.error_on_new(
            regression.learn(name, x, values, seed=3, steps=steps),
            x,
            values,
            seed=5,
        )
        for steps in (0, 80, 80)
    ]
    assert found[1] == found[2]
    assert found[1] < found[0]


@pytest.mark.parametrize("name", ["distance", "squares"])
def test_one_matrix_serves_queries_and_keys(name):
    """A shared matrix makes the scores symmetric; two do not."""
    other = {"squares": "dot product, squares too"}
    both = f"{name}, one matrix", other.get(name, f"{name}, two matrices")
    for one, shared in zip(both, (True, False), strict=True):
        prepare, kind = regression.LEARNED[one]
        rows = prepare(regression.draw(9, useless=1, seed=0)[0])
        model = kind(rows.size(1), torch.Generator().manual_seed(0))
        assert len(list(model.parameters())) == 2 - shared
        scores = model(rows, rows)
        assert torch.allclose(scores, scores.T, atol=1e-5) == shared


def test_a_straight_line_has_no_peak():
    """A dot product of plain numbers cannot prefer a middle key."""
    x, values = regression.draw(60, useless=0, seed=0)
    score = regression.learn("dot product", x, values, seed=0, steps=50)
    keys = torch.linspace(-1, 1, 11)[:, None]
    best = score(torch.tensor([[0.0]]), keys).argmax()
    assert best in (0, 10)


def test_the_best_bandwidth_grows_with_useless_numbers():
    found = [
        regression.find_bandwidth(*regression.draw(128, useless, seed=0))
        for useless in (0, 7)
    ]
    assert found[0] < found[1]


def test_refuses_an_unknown_score():
    with pytest.raises(ValueError, match="expected one of"):
        regression.learn("cosine", torch.ones(3, 1), torch.ones(3), seed=0)
