import pytest

from attnbook.tasks import digits
from attnbook.training import config
from attnbook.training.config import SCHEDULES
from attnbook.training.schedule import cosine_lr, learning_rate, noam_lr
from attnbook.transformer import Transformer


def test_noam_is_the_paper_s_formula():
    for step in (1, 10, 4000, 100_000):
        want = 512**-0.5 * min(step**-0.5, step * 4000**-1.5)
        assert noam_lr(step, 512, 4000) == pytest.approx(want)
    rates = [noam_lr(s, 64, 50) for s in range(1, 200)]
    assert rates.index(max(rates)) + 1 == 50
    assert noam_lr(4000, 512, 4000) == pytest.approx(7.0e-4, rel=0.01)


def test_cosine_rises_to_its_peak_and_ends_at_0():
    rates = [cosine_lr(s, 100, 2e-3, 10) for s in range(1, 101)]
    assert max(rates) == rates[9] == pytest.approx(2e-3)
    assert rates[4] == pytest.approx(1e-3)
    assert rates[54] == pytest.approx(1e-3)
    assert rates[-1] == pytest.approx(0)
    assert all(a > b for a, b in zip(rates[9:], rates[10:], strict=False))


def test_wsd_stays_at_its_peak_and_falls_in_the_last_fifth():
    config = digits.make_train_config(
        100, 0, schedule="wsd", warmup=10, learning_rate=2e-3
    )
    rates = [learning_rate(step, None, config) for step in range(1, 103)]
    assert rates[4] == pytest.approx(1e-3)
    assert rates[9:80] == [2e-3] * 71
    assert rates[89] == pytest.approx(1e-3)
    assert rates[99:] == [0, 0, 0]


@pytest.mark.parametrize("function", [noam_lr, cosine_lr])
def test_step_0_is_refused(function):
    arguments = (0, 64, 50) if function is noam_lr else (0, 100, 1e-3, 10)
    with pytest.raises(ValueError, match="at least 1, got 0"):
        function(*arguments)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_every_schedule_rises_to_the_end_of_its_warm_up(schedule):
    model = Transformer(digits.make_model_config(1))
    settings = digits.make_train_config(40, 0, schedule=schedule, warmup=10)
    rates = [learning_rate(step, model, settings) for step in range(1, 41)]
    assert rates.index(max(rates)) + 1 == 10
    assert min(rates) >= 0


def test_a_name_without_a_formula_is_refused(monkeypatch):
    monkeypatch.setattr(config, "SCHEDULES", (*SCHEDULES, "none"))
    model = Transformer(digits.make_model_config(1))
    settings = digits.make_train_config(40, 0, schedule="none")
    with pytest.raises(ValueError, match="a known schedule, got 'none'"):
        learning_rate(1, model, settings)
