"""How good on real text, and how soon, on a GPU?

    python code/experiments/run.py multi30k_quality     the first runs
    python code/experiments/run.py multi30k_gpu_goals   without their fault

Each run has the GPU for itself and ends after a time that is set before; then
the test set is translated, once.  The clock of a run starts at its first step
and stops when the validation loss is known.  Reading the data, learning the
byte pairs and a warm-up, a short run that is thrown away, come before.
Finished runs are kept: what was stopped goes on where it was.

* **multi30k_quality**: the settings were frozen by a commit before: batches of
  10,000 tokens because of multi30k_gpu_search, and R-Drop where there is time
  for it, because with the wide model its trial there lost next to nothing
  although every sentence passes twice.  PyTorch chooses the form of attention
  here.  On an H100 each new shape of a batch took half a second then, and the
  runs of nine seconds learned nothing.
* **multi30k_gpu_goals**: the same with other seeds, without the form of
  attention that prepares something for every new shape of a batch, and with
  the gradients of a batch recorded and launched as a whole (recorded.py).
  Sizes of batches and times were chosen by multi30k_gpu_recorded, on
  validation sentences.  The recording, and three updates of another model,
  come before the clock; how long all of that took is kept, too.
"""

import statistics

from lab.experiment import Experiment
from lab.needs import need_multi30k
from translation.scoring import scores
from translation.search import INTO_ENGLISH, INTO_GERMAN, WIDE, little
from translation.trial import BASE, trial

WIDTHS = {"test_greedy": 1, "test_beam": 5}
LARGE = WIDE | {"max_tokens": 10_000}
FIRST = {  # direction -> changes of a trial, and seeds; frozen before the test
    "de-en": (LARGE | {"minutes": 0.15, "dropout": 0.1}, (0, 1, 2)),
    "en-de": (LARGE | {"minutes": 1.75, "dropout": 0.3, "r_drop": 2.0}, (0,)),
}
LATER = {  # seeds 0 to 2, and 0, served before; frozen before the test
    "de-en": (INTO_ENGLISH | {"max_tokens": 4096}, (3, 4, 5)),
    "en-de": (INTO_GERMAN | {"max_tokens": 5000}, (1, 2, 3)),
}
# Lower-cased BLEU on Moses tokens, test 2016, and the seconds to reach it in.
GOALS = {"de-en": (36.5, (30, 10)), "en-de": (41.0, (240, 60))}


def options_of(direction, changes, seed):
    """Return the options of a trial.

    Args:
        direction: such as "de-en".
        changes: of `trial.BASE`.
        seed: of the run.
    """
    source, target = direction.split("-")
    languages = {"source": source, "target": target}
    return BASE | changes | languages | {"seed": seed, "test": True}


def scored(direction, found, test):
    """Return what a trial measured, with scores instead of its texts.

    Args:
        direction: such as "de-en".
        found: what `trial` returned.
        test: test pairs.
    """
    language = direction.split("-")[1]
    ways = {
        name: scores(found["test"][str(width)], test, language)
        for name, width in WIDTHS.items()
    }
    return {k: v for k, v in found.items() if k != "test"} | ways


def moses(row):
    """Return the main score of a run."""
    return row["test_beam"]["lowercased_moses_bleu"]["score"]


def summary(direction, changes, rows):
    """Return runs with their goal, and whether all of them reached it.

    Args:
        direction: such as "de-en".
        changes: of `trial.BASE`.
        rows: what `scored` returned for each run.
    """
    goal, limits = GOALS[direction]
    slowest = max(row["seconds"] for row in rows)
    reached = min(map(moses, rows)) >= goal
    return {
        "changes": changes,
        "goal": goal,
        "within_seconds": limits,
        "runs": rows,
        "mean": round(statistics.mean(map(moses, rows)), 2),
        "slowest_seconds": slowest,
        "reached_within": [n for n in limits if reached and slowest <= n],
    }


def runs_of(run, plan):
    """Make the runs of a plan, one after the other; return them by direction.

    Args:
        run: a `Run`; a try makes a little run of each direction.
        plan: as `FIRST`.
    """
    if run.small:
        plan = {d: (some | little(run), (0,)) for d, (some, _) in plan.items()}

    def make(direction, seed):
        options = options_of(direction, plan[direction][0], seed)
        found = run.get(f"{direction} {seed}", trial, options)
        test = need_multi30k(*direction.split("-")).test
        return {"seed": seed} | scored(direction, found, test)

    jobs = [(d, seed) for d, (_, seeds) in plan.items() for seed in seeds]
    rows = run.each(jobs, make)
    return {
        d: summary(
            d,
            plan[d][0],
            [row for (at, _), row in zip(jobs, rows, strict=True) if at == d],
        )
        for d in plan
    }


def first_runs(run):
    """Make a short run that is thrown away, and then all of `FIRST`."""
    changes = FIRST["de-en"][0] | {"minutes": 0.05} | little(run)
    trial(options_of("de-en", changes, 0) | {"test": False})
    return runs_of(run, FIRST)


QUALITY = Experiment(
    "multi30k_quality",
    needs="a GPU, Multi30k",
    about="Multi30k from scratch on a GPU, against the clock; test 2016 once "
    "per run",
    seeds=(0, 1, 2),
    data="Multi30k task 1, 29,000 pairs, joint byte pairs",
    measure=first_runs,
    revision=2,
    forget=False,  # the translations stay there
)
GOALS_REACHED = Experiment(
    "multi30k_gpu_goals",
    needs="a GPU, Multi30k",
    about="Multi30k from scratch on a GPU, against the clock; test 2016 once "
    "per run",
    seeds=(1, 2, 3, 4, 5),
    data="Multi30k task 1, 29,000 pairs, joint byte pairs",
    measure=lambda run: runs_of(run, LATER),
    revision=2,
    forget=False,  # the translations stay there
)
