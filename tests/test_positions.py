import math

import pytest
import torch
from torch.testing import assert_close

from attnbook.attention import scaled_dot_product_attention
from attnbook.positions import (
    LearnedPositions,
    NoPositions,
    RotaryPositions,
    SinusoidalPositions,
    rotary_attention,
    sinusoids,
)


@pytest.mark.parametrize("d_model", [6, 7, 1])
def test_sinusoids_equal_the_paper_number_by_number(d_model):
    table = sinusoids(5, d_model)
    assert table.shape == (5, d_model)
    assert table.dtype == torch.float32
    for pos in range(5):
        for j in range(d_model):
            angle = pos / 10000 ** (2 * (j // 2) / d_model)
            want = math.cos(angle) if j % 2 else math.sin(angle)
            assert table[pos, j].item() == pytest.approx(want, abs=1e-6)


def test_products_of_sinusoids_depend_on_the_distance_alone():
    table = sinusoids(40, 16).double()
    products = table @ table.T
    for distance in (1, 7):
        diagonal = products.diagonal(distance)
        assert_close(diagonal, diagonal[0].expand_as(diagonal))


@pytest.mark.parametrize("part", [SinusoidalPositions, LearnedPositions])
def test_added_positions(part, rng):
    module = part(6, 11)
    x = torch.randn(2, 5, 6, generator=rng)
    added = module(x) - x
    assert_close(added[0], added[1])
    assert not torch.allclose(added[:, 0], added[:, 1])
    later = module(x, start=3) - x
    assert_close(later[:, 0], added[:, 3])


def test_learned_positions_learn():
    module = LearnedPositions(6, 11)
    module(torch.zeros(2, 5, 6)).sum().backward()
    assert module.table.grad[:5].eq(2).all()
    assert module.table.grad[5:].eq(0).all()


def test_rotary_turns_pairs_by_the_paper_s_angle():
    module = RotaryPositions(4, 10)
    x = torch.tensor([[1.0, 0.0, 0.0, 1.0]]).expand(10, 4)
    turned = module(x)
    for pos in range(10):
        a, b = pos, pos / 100
        want = [math.cos(a), math.sin(a), -math.sin(b), math.cos(b)]
        assert_close(turned[pos], torch.tensor(want), atol=1e-5, rtol=0)


def test_rotary_products_depend_on_the_distance_alone(rng):
    module = RotaryPositions(6, 50)
    q, k = (torch.randn(1, 6, generator=rng) for _ in range(2))
    at_9 = module(q, start=12) @ module(k, start=3).T
    assert_close(at_9, module(q, start=40) @ module(k, start=31).T)
    assert not torch.allclose(at_9, module(q, 12) @ module(k, 4).T)
    assert_close(module(q, start=7).norm(), q.norm())


def test_rotary_attention_turns_queries_and_keys_only(rng):
    rotary = RotaryPositions(6, 50)
    q, k, v = (torch.randn(2, 7, 6, generator=rng) for _ in range(3))
    attend = rotary_attention(scaled_dot_product_attention, rotary)
    want = scaled_dot_product_attention(rotary(q), rotary(k), v)
    assert_close(attend(q, k, v), want)


def test_no_positions_add_nothing(rng):
    x = torch.randn(2, 5, 6, generator=rng)
    assert NoPositions()(x, 3) is x


@pytest.mark.parametrize(
    "module",
    [
        SinusoidalPositions(6, 4),
        LearnedPositions(6, 4),
        RotaryPositions(6, 4),
    ],
)
def test_refuses_a_position_beyond_the_last(module):
    module(torch.zeros(1, 4, 6))
    with pytest.raises(ValueError, match="at most 4 positions, got 5"):
        module(torch.zeros(1, 5, 6))
    with pytest.raises(ValueError, match="at most 4 positions, got 6"):
        module(torch.zeros(1, 2, 6), start=4)


def test_refuses_sizes():
    with pytest.raises(ValueError, match="at least 1, got 0 and 6"):
        sinusoids(0, 6)
    for sizes in ((5, 9), (0, 9), (-2, 9), (4, 0)):
        message = "even d_k and a max_length.*got {} and {}".format(*sizes)
        with pytest.raises(ValueError, match=message):
            RotaryPositions(*sizes)
    for sizes in ((0, 9), (6, 0), (6, -1)):
        message = "d_model and max_length of .*got {} and {}".format(*sizes)
        with pytest.raises(ValueError, match=message):
            LearnedPositions(*sizes)


@pytest.mark.parametrize(
    "module",
    [
        SinusoidalPositions(6, 9),
        RotaryPositions(6, 9),
        LearnedPositions(6, 9).bfloat16(),
    ],
)
def test_positions_keep_the_number_type(module, rng):
    x = torch.randn(2, 5, 6, generator=rng)
    low = module(x.bfloat16())
    assert low.dtype == torch.bfloat16
    assert_close(low.float(), module(x).float(), atol=0.05, rtol=0.02)


@pytest.mark.parametrize(
    "module",
    [
        SinusoidalPositions(6, 9),
        LearnedPositions(6, 9),
        RotaryPositions(6, 9),
    ],
)
def test_refuses_vectors_of_another_shape_or_type(module):
    shapes = [(2, 5, 1), (2, 5, 4), (2, 5, 8), (6,), ()]
    for x in map(torch.zeros, shapes):
        with pytest.raises(ValueError, match=r"shape \(\.\.\., T, 6\), got"):
            module(x)
    with pytest.raises(ValueError, match=r"floating-point .*torch\.int64"):
        module(torch.ones(2, 5, 6).long())
    for start in (1.0, "1", None):
        with pytest.raises(ValueError, match="first position as int, got"):
            module(torch.zeros(2, 5, 6), start=start)


def test_tables_are_no_part_of_a_checkpoint():
    assert set(SinusoidalPositions(6, 9).state_dict()) == set()
    assert set(RotaryPositions(6, 9).state_dict()) == set()
    assert set(LearnedPositions(6, 9).state_dict()) == {"table"}


def test_learned_positions_start_small():
    torch.manual_seed(0)
    spread = LearnedPositions(64, 64).table.std().item()
    assert spread == pytest.approx(0.02, rel=0.1)


def test_far_positions_are_exact():
    """Angles are computed in 64 bits: position 100,000 is right too."""
    far = sinusoids(100_001, 2)[100_000]
    want = torch.tensor([math.sin(100_000), math.cos(100_000)])
    assert_close(far, want, atol=1e-6, rtol=0)


@pytest.mark.parametrize(
    "module", [SinusoidalPositions(6, 4), RotaryPositions(6, 4)]
)
def test_refuses_a_position_before_the_first(module):
    with pytest.raises(ValueError, match="position >= 0, got -1"):
        module(torch.zeros(1, 1, 6), start=-1)
