"""The race's own parts; no model is trained here."""

from threading import Barrier
from types import SimpleNamespace

import pytest

from lab.rows import Rows
from translation import race, racers


def measured(losses):
    """Return a measure that looks rates up, and the rates it was asked."""
    asked = []

    def measure(rate):
        asked.append(rate)
        return losses[rate]

    return measure, asked


@pytest.mark.parametrize(
    ("losses", "best"),
    [
        ({0.002: 3, 0.004: 1, 0.008: 2}, 0.004),
        ({0.002: 3, 0.004: 2, 0.008: 1, 0.016: 2}, 0.008),
        ({0.0005: 2, 0.001: 1, 0.002: 2, 0.004: 3, 0.008: 4}, 0.001),
        ({0.002: 2, 0.004: 1, 0.008: None}, 0.004),
        ({0.0005: 2, 0.001: 1, 0.002: None, 0.004: None, 0.008: None}, 0.001),
    ],
)
def test_the_best_rate_has_a_neighbour_on_either_side(losses, best):
    measure, asked = measured(losses)
    found, tried = race.search(measure, 0.004)
    assert found == best and tried == losses
    assert {best / 2, best * 2} < set(tried)
    assert sorted(asked) == sorted(losses)  # each once
    assert list(tried) == sorted(tried)


def test_on_a_gpu_runs_that_wait_for_no_other_are_side_by_side(
    tmp_path, monkeypatch
):
    """Nine rates at once, then twelve seeds: a barrier waits for all."""
    waves = [Barrier(9), Barrier(12)]

    def apart(_, name, seed, rate, device):
        waves[seed != "0"].wait(timeout=60)
        loss = abs(float(rate) - 0.004) + int(seed)
        return {"model": name, "seed": int(seed), race.LOSS: loss}

    monkeypatch.setattr(race, "apart", apart)
    monkeypatch.setattr(race, "scored", lambda _, run: run)
    monkeypatch.setattr(race, "compared", lambda *_: [])
    monkeypatch.setattr("lab.rows.FOLDER", tmp_path)
    monkeypatch.setattr("lab.rows.find", lambda _: {})
    kept = Rows("race", "abc")
    run = SimpleNamespace(
        device=SimpleNamespace(type="cuda"), small=False, get=kept.get
    )
    data = SimpleNamespace(set=SimpleNamespace(name="multi30k"))
    found, made = race.race(data, run, (0, 1, 2, 3, 4))
    for name in race.MODELS:
        choice = found["chosen"][name]
        assert choice["learning_rate"] == 0.004
        assert [*choice["tried"]["full"]] == [0.002, 0.004, 0.008]
        seeds = [r["seed"] for r in found["runs"] if r["model"] == name]
        assert seeds == [0, 1, 2, 3, 4]
        assert [r["seed"] for r in made[name]] == seeds
    assert len(Rows("race", "abc").kept) == 21


def test_models_are_compared_seed_by_seed():
    class Data:
        test = [("x", f"this is text {n} of many .") for n in range(30)]

    def run(seed, wrong):
        written = [t for _, t in Data.test]
        written[:wrong] = ["nothing of the kind"] * wrong
        return {"seed": seed, "greedy": {"written": written}}

    runs = {"A": [run(0, 9), run(1, 8)], "B": [run(0, 3), run(1, 8)]}
    rows = race.compared(Data, runs)
    assert [(r["first"], r["second"], r["seed"]) for r in rows] == [
        ("A", "B", 0),
        ("A", "B", 1),
    ]
    assert rows[0]["exact_match"]["difference"] == 0.2
    assert rows[0]["bleu"]["low"] > 0
    assert rows[1]["bleu"]["difference"] == 0


def test_a_race_scores_short_and_long_sentences_apart():
    short, long = "ein Hund läuft", " ".join(["Wort"] * 20)
    right, other = "a dog runs here .", "words words words words ."
    data = SimpleNamespace(test=[(short, right), (long, other)] * 2)
    runs = {
        "A": [{"greedy": {"written": [right, "no"] * 2}}],
        "B": [{"greedy": {"written": [right, other, "no", other]}}],
    }
    few, many = race.by_length(data, runs)["by_length"]
    assert (few["most"], many["most"]) == (3, 20)
    assert few["sentences"] == many["sentences"] == 2
    assert few["greedy_bleu"]["A"] == [100.0] == many["greedy_bleu"]["B"]
    assert 0 < few["greedy_bleu"]["B"][0] < 100
    assert many["greedy_bleu"]["A"][0] < 1
    assert many["first"][0] == {
        "source": long,
        "reference": other,
        "A": "no",
        "B": other,
    }


@pytest.mark.parametrize(
    ("model", "apart"), [("GRU", 0.002), ("GRU with attention", 0.008)]
)
def test_the_control_has_one_table_and_is_as_large(model, apart):
    sizes = {"dropout": 0.1, "max_length": 64}
    data = SimpleNamespace(
        source=range(8260),
        target=range(8260),
        set=SimpleNamespace(name="multi30k", model=sizes),
    )
    one, three = (
        racers.new_model(data, name, 0)
        for name in (f"{model}, one table", model)
    )
    assert one.output.weight is one.source_embedding.weight
    assert one.source_embedding is one.target_embedding
    assert three.output.weight is not three.target_embedding.weight
    counts = [racers.parameter_count(model) for model in (one, three)]
    assert abs(counts[0] / counts[1] - 1) < apart
    assert one.config.attention == three.config.attention
    wide = one.source_embedding.weight.var() * one.config.d_model
    assert abs(wide - 1) < 0.01
