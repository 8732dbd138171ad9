import torch

from attnbook.tasks.lookup import B, D, Lookup, S, train


def test_the_answer_is_the_key_that_was_turned():
    model = Lookup(d_k=7, scaled=True, seed=3)
    query, keys, answer = model.batch()
    assert (query.shape, keys.shape) == ((B, 1, D), (B, S, D))
    turned = keys @ model.rotation
    distance = (turned - query).norm(dim=-1)
    assert torch.equal(distance.argmin(-1), answer)
    assert distance.min(-1).values.max() < 1e-4


def test_raw_and_scaled_differ_by_the_root_of_d_k_alone():
    raw, scaled = (Lookup(d_k=25, scaled=s, seed=3) for s in (False, True))
    query, keys, _ = raw.batch()
    torch.testing.assert_close(raw(query, keys), 5 * scaled(query, keys))


def test_raw_with_a_smaller_start_takes_the_steps_of_scaled():
    d_k, rate = 64, 0.5
    scaled = Lookup(d_k, True, seed=3)
    small = Lookup(d_k, False, seed=3, start=d_k**-0.25)
    want = train(scaled, rate * d_k**0.5, steps=30)
    got = train(small, rate, steps=30)
    torch.testing.assert_close(
        torch.tensor(got.variance),
        torch.tensor(want.variance),
        rtol=1e-3,
        atol=0,
    )
    for name in ("w_q", "w_k"):
        matrix = getattr(scaled, name) * d_k**-0.25
        torch.testing.assert_close(
            getattr(small, name), matrix, rtol=0, atol=1e-4
        )
    assert want.accuracy[-1] > want.accuracy[0] + 0.3  # it did learn


def test_any_number_of_keys():
    model = Lookup(d_k=8, scaled=True, seed=0, num_keys=5)
    query, keys, answer = model.batch()
    assert keys.shape == (B, 5, D) and answer.max() == 4
    assert model(query, keys).shape == (B, 5)
    assert len(train(model, 0.1, steps=2).accuracy) == 2


def test_it_learns_and_is_repeatable():
    first = train(Lookup(16, True, seed=1), rate=1.0, steps=60)
    again = train(Lookup(16, True, seed=1), rate=1.0, steps=60)
    assert first == again
    assert first.accuracy[0] < 0.2 and first.last() > 0.9


def test_the_history_holds_the_variance_of_the_scores():
    model = Lookup(64, False, seed=2)
    history = train(model, rate=0.0, steps=3)
    again = Lookup(64, False, seed=2)
    query, keys, _ = again.batch()
    want = again(query, keys).var().item()
    assert history.variance[0] == want
    assert 30 < want < 130
