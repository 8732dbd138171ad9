"""The speedrun: its ways, its clock, its record; a trial of the search."""

import itertools
import json
from pathlib import Path
from time import perf_counter as now

import pytest
import torch

from attnbook import results
from attnbook.data.batches import make_batch
from attnbook.data.datasets.multi30k import Multi30k
from speed import attempt, speedrun
from speed.bench import ways
from speed.bench.contenders import Size
from test_benchmark import VOCAB, pairs
from translation import search, trial

pytestmark = pytest.mark.filterwarnings("ignore:enable_nested_tensor")
SMALL = Size("S", 2, 16, 4, 24, 256)


@pytest.mark.parametrize("name", ways.WAYS)
def test_every_way_learns_with_the_model_that_it_translates_with(name):
    torch.manual_seed(0)
    runner = ways.Runner(ways.WAYS[name], VOCAB, SMALL)
    batch = next(runner.stream(pairs()))[1]
    before = runner.step(batch, 0.1).item()
    for _ in range(12):
        loss = runner.step(batch, 1.0).item()
    assert loss < before - 0.02
    model = runner.translating_model().eval()
    theirs = runner.model.eval()
    small = make_batch(pairs(5))
    logits = [m(small.source, small.target) for m in (model, theirs)]
    kept = small.target != 0  # PyTorch's own computes padding otherwise
    torch.testing.assert_close(
        logits[0][kept], logits[1][kept], rtol=1e-4, atol=1e-4
    )


@pytest.mark.parametrize("name", ["common loop", "our engine"])
def test_an_epoch_has_every_sentence_once(name):
    data = [([4, i % 40 + 5, i // 40 + 5], [5]) for i in range(300)]
    stream = ways.Runner(ways.WAYS[name], VOCAB, SMALL).stream(data)
    seen = itertools.takewhile(lambda item: item[0] == 0, stream)
    rows = [row[:3] for _, b in seen for row in b.source.tolist()]
    assert sorted(rows) == sorted(source for source, _ in data)
    assert next(stream)[0] == 1


def test_a_new_way_differs_from_the_one_before():
    for before, after in itertools.pairwise(ways.WAYS.values()):
        fields = set(vars(after)) - {"about", "minutes"}
        assert any(getattr(before, f) != getattr(after, f) for f in fields)


@pytest.fixture
def tiny(monkeypatch, tmp_path):
    """Replace Multi30k by a few sentences of one kind."""
    lines = [f"zwei {w} und {v}" for w in "abcdefgh" for v in "abcdefgh"]
    rows = [(line, line.replace("zwei", "two")) for line in lines]

    def need(source, target):
        return Multi30k(source, target, list(rows), rows[:6], rows[6:12])

    for module in (attempt, speedrun, trial):
        monkeypatch.setattr(module, "need_multi30k", need)
    trial.texts_of.cache_clear()
    monkeypatch.setattr(attempt, "FOLDER", tmp_path)
    yield need
    trial.texts_of.cache_clear()


def test_a_run_ends_when_the_goal_is_met(tiny, monkeypatch):
    found = attempt.attempt("our engine", 5, -1.0, now(), small=True)
    assert found["reached"] and len(found["tries"]) == 1
    assert found["validation"] == found["tries"][0][1] >= 0
    assert found["labels"] > 0 and found["updates"] > 0
    assert set(found["test"]) == {"lowercased_moses_bleu", "bleu", "chrf"}
    assert (attempt.FOLDER / "model.safetensors").is_file()


def test_a_run_gives_up_when_the_time_is_over(tiny):
    found = attempt.attempt("Muon", 0.03, 101.0, now(), small=True)
    assert not found["reached"]
    assert found["seconds"] >= 1.8  # of 0.03 minutes
    assert len(found["tries"]) == 1  # a rate that falls is tried at its end


def test_a_slower_computer_is_told_how_many_minutes_to_try():
    """Half of the labels that were needed: twice the minutes, rounded up."""
    stored = results.load("speedrun")["values"]["ways"]["weight decay"]
    needed = max(run["labels"] for run in stored)
    found = {"labels": needed // 2, "seconds": 220.0, "target": 37.5}
    assert attempt.advice("weight decay", found).endswith("--minutes 8")
    enough = found | {"labels": needed}
    assert attempt.advice("weight decay", enough) == "try more --minutes"
    none = found | {"labels": 0}
    assert attempt.advice("weight decay", none) == "try more --minutes"
    assert attempt.advice("a new way", found) == "try more --minutes"
    harder = found | {"target": 40.0}  # nobody knows what that needs
    assert attempt.advice("weight decay", harder) == "try more --minutes"


def test_a_record_says_where_it_comes_from(tiny, monkeypatch, tmp_path):
    small = attempt.Attempt  # the command, but for the size of the model
    monkeypatch.setattr(
        attempt, "Attempt", lambda *a: small(*a[:5], small=True)
    )
    words = ["--way", "our engine", "--target", "-1", "--seed", "2"]
    attempt.main(words)
    (path,) = tmp_path.glob("record-*.json")
    stored = json.loads(path.read_text())
    assert stored["seed"] == 2 and stored["target"] == -1
    assert len(stored["commit"]) == 40
    assert stored["machine"]["threads"] >= 1
    assert stored["way"] == "our engine" and stored["precision"]
    assert stored["test"]["bleu"]["signature"].startswith("nrefs:1")


def test_runs_are_compared_with_the_first_record(tiny):
    wanted = [target for _, target in tiny("de", "en").test]
    other = [line.replace("two", "zwei") for line in wanted]
    texts = {"common loop": [other], speedrun.RECORD: [wanted, wanted]}
    found = {
        name: [{"translations": list(text)} for text in runs]
        for name, runs in texts.items()
    }
    speedrun.compare(found)
    (common,), (first, second) = found.values()
    assert first == {}
    assert second["to_record"]["bleu"]["difference"] == 0
    assert common["to_record"]["bleu"]["low"] > 0


def test_the_staircase_has_the_middle_run_of_every_way(monkeypatch):
    folder = Path(__file__).resolve().parents[1] / "book/figures"
    monkeypatch.syspath_prepend(str(folder))
    import staircase

    runs = [{"seconds": s, "reached": s != 300} for s in (310, 300, 320)]
    assert staircase.middle(runs)["seconds"] == 320  # the missed one is last
    drawn = {
        "common loop": {"seconds": 5400, "reached": False},
        "our engine": {"seconds": 2000, "reached": True},
        "Muon": staircase.middle(runs),
    }
    svg = staircase.draw(drawn, 37.5).svg
    assert "over 90" in svg and "at least 63% less<" in svg
    assert ">84% less<" in svg
    assert svg.count("<rect") == 1 + len(drawn) and "polyline" in svg


def test_the_stored_staircase_is_that_of_the_stored_runs(monkeypatch):
    folder = Path(__file__).resolve().parents[1] / "book/figures"
    monkeypatch.syspath_prepend(str(folder))
    import staircase

    stored = (folder / "staircase.svg").read_text(encoding="utf-8")
    assert stored == staircase.drawn().svg + "\n"


SIZES = {"merges": 40, "d_model": 16, "d_ff": 16, "minutes": 0.02}


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"optimizer": "adamw", "end": "late", "grow": 2},
        {"bpe_dropout": 0.5, "alphas": [0.6, 2.0]},
        {"r_drop": 1.0, "average": 0.9, "zero_start": True},
        {"test": True},
        {"recorded": True, "warm_up": 1, "r_drop": 1.0},
    ],
)
def test_a_trial_scores_on_validation_sentences(tiny, changes):
    before = torch.get_num_threads()
    try:
        found = trial.trial(trial.BASE | SIZES | changes)
    finally:
        torch.set_num_threads(before)
    assert found["updates"] > 0 and found["labels"] > 0
    alphas = changes.get("alphas", [2.0])
    assert set(found["valid_bleu"]) == {str(alpha) for alpha in alphas}
    assert found["signature"].startswith("lowercased")
    assert ("test" in found) == changes.get("test", False)
    for written in found.get("test", {}).values():
        assert len(written) == 6


def test_small_letters_are_all_that_a_trial_learns_from(tiny, monkeypatch):
    plain = tiny("de", "en")
    capital = Multi30k(
        "de",
        "en",
        *(
            [(source.title(), target.upper()) for source, target in pairs]
            for pairs in (plain.train, plain.valid, plain.test)
        ),
    )
    found = trial.in_lower_case(capital)
    assert (found.train, found.valid) == (plain.train, plain.valid)
    assert found.test == []
    monkeypatch.setattr(trial, "need_multi30k", lambda *_: capital)
    trial.texts_of.cache_clear()
    options = trial.BASE | SIZES
    for small, wanted in ((True, plain), (False, capital)):
        dataset, vocab, _, _ = trial.begin(options | {"lower_case": small})
        assert dataset.train == wanted.train
        expected, _ = wanted.learn_vocabularies(options["merges"])
        assert vocab.ranks == expected.ranks


def test_the_factor_rises_and_falls():
    for end in ("cosine", "line", "late"):
        assert trial.factor(0.0, 0.1, end) == 0.0
        assert trial.factor(0.1, 0.1, end) == pytest.approx(1.0)
        assert trial.factor(1.0, 0.1, end) == pytest.approx(0.0)
    assert trial.factor(0.7, 0.1, "late") == 1.0
    assert trial.factor(0.55, 0.1, "cosine") == pytest.approx(0.5)


def test_bpe_dropout_cuts_the_same_letters_in_other_places(tiny):
    vocab, _ = tiny("de", "en").learn_vocabularies(40)
    rng = trial.random.Random(0)
    plain = vocab.encode("zwei a und b")
    assert trial.cut_anew(["zwei a und b"], vocab, 0.0, rng, {}) == [plain]
    (rows,) = trial.cut_anew(["zwei a und b"], vocab, 0.9, rng, {})
    assert len(rows) > len(plain)
    assert vocab.decode(rows) == vocab.decode(plain)


def test_r_drop_s_gradients_are_those_of_its_formula():
    torch.manual_seed(0)
    states = torch.randn(10, 6, dtype=torch.float64, requires_grad=True)
    table = torch.randn(9, 6, dtype=torch.float64, requires_grad=True)
    labels = torch.randint(9, (5,)).repeat(2)
    found = trial.r_drop_loss(3.0)(
        states.detach(), table.detach(), labels, 0.1, torch.float64
    )
    logits = states @ table.T
    loss = torch.nn.functional.cross_entropy(
        logits, labels, label_smoothing=0.1, reduction="sum"
    )
    p, q = logits.log_softmax(-1).chunk(2)
    for a, b in ((p, q), (q, p)):
        loss = loss + 3.0 / 2 * (a.exp() * (a - b)).sum()
    wanted = torch.autograd.grad(loss, (states, table))
    torch.testing.assert_close(found, (loss.detach(), *wanted))


def test_every_trial_changes_something_that_there_is():
    for trials in (search.TRIALS, search.GPU_TRIALS, search.RECORDED_TRIALS):
        for name, changes in trials.items():
            assert set(changes) <= set(trial.BASE), name
        found = [json.dumps(c) for c in trials.values()]
        assert len(set(found)) == len(found)
