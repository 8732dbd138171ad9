"""How good on real text, from scratch, in 20 and 75 minutes on two cores?

    python code/experiments/run.py multi30k_two_cores
    python code/experiments/run.py multi30k_two_cores --only de-en 75

Every run is the command ``attnbook train`` with the settings below, chosen on
validation sentences alone.  Its seconds are those of the whole command.  Then
comes the test set, once per seed.  A run that was stopped goes on where it
was; the seconds of all parts are added, and what is done twice counts twice.
Nothing else should run beside it.

Seeds 0, 1 and 2 served for earlier settings, with the test set too: they are
not among the seeds here.  The model of 75 minutes has the sizes of the tiny
one of Wu et al. (2021).
"""

import json
import shutil
import statistics
import subprocess
import sys
import time

from attnbook import results
from attnbook.data.files import write_json
from attnbook.decoding import metrics
from attnbook.decoding.bootstrap import paired_bootstrap
from attnbook.decoding.translator import load_translator
from attnbook.training import checkpoint
from attnbook.training.repro import describe_machine, parameter_count
from lab.catalogue import ROOT
from lab.experiment import Experiment
from lab.needs import need_multi30k
from lab.progress import track
from translation.scoring import moses, scores, translated

FOLDER = ROOT / "runs/two_cores"
DIRECTIONS = ("de-en", "en-de")
SEEDS = {"20": (3, 4, 5), "75": (6,)}  # minutes -> seeds
SETTINGS = {  # minutes -> options of the command; frozen before the test
    "20": {
        "merges": 8000,
        "heads": 4,
        "dropout": 0.1,
        "optimizer": "muon",
        "learning-rate": 0.005,
        "weight-decay": 0.3,
        "max-tokens": 2048,
        # 2,100 steps took 20 minutes and 6 seconds on the slowest computer
        # with two cores that was tried.
        "steps": 2000,
        "warmup": 100,
        "save-every": 200,
        "average": 1,
    },
    "75": {
        "merges": 8000,
        "d-model": 128,
        "d-ff": 256,
        "layers": 4,
        "heads": 4,
        "dropout": 0.15,
        "optimizer": "muon",
        "learning-rate": 0.005,
        "weight-decay": 0.3,
        "max-tokens": 2048,
        "steps": 9000,
        "warmup": 450,
        "save-every": 500,
        "average": 1,
    },
}
SMALL = {"steps": 20, "warmup": 5, "merges": 3000, "save-every": 10}
BEAM = 5
PENALTIES = (0.0, 0.6, 1.0, 1.4, 2.0, 3.0)  # tried on validation sentences
PENALTY = 2.0  # chosen there; 0.6 writes too little


def command(direction, options, seed, folder):
    """Return the words of the command that makes a run."""
    source, target = direction.split("-")
    words = ["attnbook", "train", "--data", "multi30k"]
    words += ["--source", source, "--target", target]
    for name, value in options.items():
        words += [f"--{name}", str(value)]
    return [*words, "--seed", str(seed), "--out", str(folder)]


def folder_of(direction, minutes, seed, keep):
    """Return the folder of a run; a try has one of its own."""
    parent = FOLDER / "small" if keep.stop else FOLDER
    return parent / f"{direction}-{minutes}-{seed}"


def keep_weights(folder):
    """Copy the weights of new checkpoints aside: the command keeps few."""
    for step, path in checkpoint.steps(folder):
        kept = folder / f"weights-{step:08d}.safetensors"
        if not kept.is_file():
            partial = kept.with_suffix(".part")
            try:
                shutil.copy(path / "model.safetensors", partial)
            except FileNotFoundError:  # removed at this moment
                continue
            partial.rename(kept)


def run(words, folder):
    """Run a command to its end; return its seconds, earlier parts included.

    Args:
        words: the command.
        folder: of the run; its seconds so far stand in it.

    Raises:
        RuntimeError: the command failed.
        ValueError: the folder holds what another command made.
    """
    path, done = folder / "seconds.json", folder / "done"
    before = json.loads(path.read_text()) if path.is_file() else 0.0
    if done.is_file():
        if done.read_text() != " ".join(words):
            raise ValueError(
                f"expected in {done} the command {' '.join(words)}, got "
                f"{done.read_text() or 'none'}"
            )
        return before
    folder.mkdir(parents=True, exist_ok=True)
    start = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", *words])
    try:
        while process.poll() is None:
            time.sleep(0.2)
            keep_weights(folder)
            write_json(path, before + time.perf_counter() - start)
    finally:
        process.terminate()
        process.wait()
    if process.returncode:
        raise RuntimeError(f"{' '.join(words)} ended with an error")
    done.write_text(" ".join(words))
    return json.loads(path.read_text())


def curve(trained, folder, pairs, language):
    """Return step and greedy validation score of every kept checkpoint."""
    rows = []
    for path in sorted(folder.glob("weights-*.safetensors")):
        checkpoint.load_weights(path, trained.model)
        written, _ = translated(trained, pairs, 1, PENALTY)
        step = int(path.stem.split("-")[1])
        rows.append([step, moses(written, pairs, language)])
    return rows


def samples(pairs, written):
    """Return ten translations, spread from bad to good by chrF."""
    rows = [
        {
            "source": s,
            "reference": t,
            "translation": w,
            "chrf": round(metrics.chrf([w], [t])[0], 1),
        }
        for (s, t), w in zip(pairs, written, strict=True)
    ]
    rows.sort(key=lambda row: row["chrf"])
    return [rows[i * (len(rows) - 1) // 9] for i in range(10)]


def by_penalty(trained, pairs, language):
    """Return alpha, score, and words written per word wanted, by alpha."""
    words = sum(len(text.split()) for _, text in pairs)
    rows = []
    for alpha in PENALTIES:
        written, _ = translated(trained, pairs, BEAM, alpha)
        score = moses(written, pairs, language)
        count = sum(len(text.split()) for text in written)
        rows.append([alpha, score, round(count / words, 3)])
    return rows


def about_run(folder, seconds, seed, trained, config):
    """Return seed, seconds, sizes, settings and losses of a finished run.

    Args:
        folder: of the run.
        seconds: that its command took.
        seed: of the run.
        trained: its `Translator`.
        config: of the run, a dict.
    """
    last = checkpoint.steps(folder)[-1][1] / "state.json"
    return {
        "seed": seed,
        "training_seconds": round(seconds, 1),
        "parameters": parameter_count(trained.model),
        "model": config["model"],
        "training": config["training"],
        "history": json.loads(last.read_text())["history"],
    }


def measure(folder, seconds, seed, valid, test):
    """Return what came of a finished run, and its test translations.

    Args:
        folder: of the run.
        seconds: that its command took.
        seed: of the run.
        valid: validation pairs.
        test: test pairs; they are translated here, once for each width.
    """
    trained, config = load_translator(folder)
    language = config["data"][2]
    (beam, beam_seconds), (greedy, greedy_seconds) = (
        translated(trained, test, width, PENALTY) for width in (BEAM, 1)
    )
    about = about_run(folder, seconds, seed, trained, config) | {
        "valid_beam": scores(
            translated(trained, valid, BEAM, PENALTY)[0], valid, language
        ),
        "test_beam": {
            **scores(beam, test, language),
            "beam": BEAM,
            "length_penalty": PENALTY,
            "seconds": beam_seconds,
        },
        "test_greedy": {
            **scores(greedy, test, language),
            "seconds": greedy_seconds,
        },
        "samples": samples(test, beam),
        "valid_by_penalty": by_penalty(trained, valid, language),
        "valid_greedy_by_step": curve(trained, folder, valid, language),
    }
    return about, beam, greedy


def make_row(direction, minutes, options, seed, keep):
    """Train, measure and keep the translations; return the run's row.

    Args:
        direction: such as "de-en".
        minutes: the budget, a key of `SETTINGS`.
        options: of the command.
        seed: of the run.
        keep: how many validation and test pairs to use, a slice.
    """
    folder = folder_of(direction, minutes, seed, keep)
    seconds = run(command(direction, options, seed, folder), folder)
    dataset = need_multi30k(*direction.split("-"))
    valid, test = dataset.valid[keep], dataset.test[keep]
    about, beam, greedy = measure(folder, seconds, seed, valid, test)
    wanted = [target for _, target in test]
    about["machine"] = describe_machine()
    about["greedy_to_beam"] = paired_bootstrap(greedy, beam, wanted)
    write_json(folder / "test.json", beam)
    return about


def stored_runs():
    """Return (direction, minutes, seed) -> run, of the stored result.

    They count as long as their command is today's.
    """
    try:
        stored = results.load("multi30k_two_cores")
    except ValueError:  # none yet
        return {}
    origin = {name: stored[name] for name in ("commit", "machine")}
    return {
        (direction, minutes, run["seed"]): origin | run
        for direction, budgets in stored["values"].items()
        for minutes, found in budgets.items()
        for run in found["runs"]
        if found["command"] == pattern(direction, minutes)
    }


def pattern(direction, minutes):
    """Return the command of a budget, for any seed and folder."""
    if minutes not in SETTINGS:
        return None
    return " ".join(command(direction, SETTINGS[minutes], "SEED", "FOLDER"))


def summary(runs):
    """Return mean and range of the main score, and the slowest training."""
    found = [r["test_beam"]["lowercased_moses_bleu"]["score"] for r in runs]
    return {
        "mean": round(statistics.mean(found), 2),
        "least": min(found),
        "most": max(found),
        "slowest_seconds": max(run["training_seconds"] for run in runs),
    }


def add_options(parser):
    """Add the command's own options."""
    add = parser.add_argument
    add("--only", nargs=2, metavar=("DIRECTION", "MINUTES"))
    add("--seeds", type=int, nargs="+", help="of the runs, and of the result")


def row_of(run, before, direction, minutes, seed):
    """Return the row of a run: the stored one, a kept one, or a new one.

    Args:
        run: a `Run`.
        before: see `stored_runs`.
        direction: such as "de-en".
        minutes: a key of `SETTINGS`.
        seed: of the run.
    """
    if (direction, minutes, seed) in before:
        return before[direction, minutes, seed]
    options = SETTINGS[minutes] | (SMALL if run.small else {})
    keep = slice(0, 40 if run.small else None)
    key = f"{direction} {minutes} {seed}"
    row = run.get(key, make_row, direction, minutes, options, seed, keep)
    return ({"commit": run.rows.kept[key]["commit"]} if run.rows else {}) | row


def measure_all(run):
    """Make all runs, the short ones first; None if some are left out."""
    chosen = run.options
    before = stored_runs() if run.stored else {}
    jobs = [
        (direction, minutes, seed)
        for minutes in SETTINGS
        for seed in chosen.seeds or SEEDS[minutes]
        for direction in DIRECTIONS
        if not chosen.only or [direction, minutes] == chosen.only
    ]
    found = {d: {m: [] for m in SETTINGS} for d in DIRECTIONS}
    for direction, minutes, seed in track(jobs, "runs"):
        row = row_of(run, before, direction, minutes, seed)
        found[direction][minutes].append(row)
        bleu = row["test_beam"]["lowercased_moses_bleu"]["score"]
        print(direction, minutes, seed, bleu, row["training_seconds"])
    if chosen.only:
        return None
    return {
        direction: {
            minutes: {
                "command": pattern(direction, minutes),
                "runs": runs,
                "lowercased_moses_bleu": summary(runs),
            }
            for minutes, runs in budgets.items()
        }
        for direction, budgets in found.items()
    }


def seeds_of(values):
    """Return the seeds of all runs, sorted."""
    budgets = [found for way in values.values() for found in way.values()]
    return sorted({run["seed"] for found in budgets for run in found["runs"]})


EXPERIMENT = Experiment(
    "multi30k_two_cores",
    needs="Multi30k",
    about="Multi30k from scratch on two cores, within 20 and 75 minutes; "
    "settings chosen on validation sentences, test 2016 once per seed",
    seeds=seeds_of,
    data="Multi30k task 1, 29,000 pairs, joint byte pairs",
    measure=measure_all,
    revision=5,
    forget=False,  # hours of work; other seeds may join them
    options=add_options,
)
