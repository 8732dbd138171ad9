"""What an experiment declares, and the one loop that runs it."""

import argparse
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import torch

from lab import needs
from lab.progress import track
from lab.rows import Rows
from lab.store import clean_commit, store


@dataclass(frozen=True)
class Experiment:
    """One stored result: what it needs, how it is measured, when it is stale.

    The regular ones have a plan and a function that makes a row; all others
    have `measure`.  Where a text or the seeds depend on what was measured,
    they are a function of the values.

    Attributes:
        name: of its result.
        about: one sentence, what was measured.
        needs: what must be there, joined by ", "; see `lab.needs`.
        data: what it was measured on.
        seeds: every seed that is run.
        plan: a function that returns the combinations, each a tuple.
        row: a function of a combination that returns what JSON can hold.
        values: a function from all rows to what is stored.
        measure: a function of a `Run` that returns what is stored; None if
            that is not complete.
        fingerprint: a function that returns what shows whether the stored
            result is stale; see `lab.fingerprints`.
        revision: for times and bytes instead: raise it by hand when they are
            stale.
        key: of a row, a format for its combination; such rows are kept until
            all are there.
        forget: whether kept rows are removed when the result is stored.
        threads: to compute in; as many as there are if None.
        items: what rows are, for the line of progress.
        hide: fields of a row that are not printed.
        options: adds the command's own options to a parser.
        spares: an option of these with which no GPU is needed.
    """

    name: str
    about: str | Callable
    needs: str
    data: str | Callable
    seeds: tuple | Callable = (0,)
    plan: Callable | None = None
    row: Callable | None = None
    values: Callable = lambda rows: {"runs": rows}
    measure: Callable | None = None
    fingerprint: Callable | None = None
    revision: int | None = None
    key: str | None = None
    forget: bool = True
    threads: int | None = None
    items: str = "runs"
    hide: tuple = ()
    options: Callable = lambda parser: None
    spares: str | None = None

    def __post_init__(self):
        """Refuse one that can't be measured, or never goes stale.

        Raises:
            ValueError: says what was expected of which experiment.
        """
        if (self.fingerprint is None) == (self.revision is None):
            raise ValueError(
                f"expected {self.name} with fingerprint or revision, got "
                f"{self.fingerprint} and {self.revision}"
            )
        if bool(self.plan and self.row) == bool(self.measure):
            raise ValueError(
                f"expected {self.name} with plan and row, or with measure"
            )

    def state(self):
        """Return the fingerprint of now."""
        if self.revision is not None:
            return {"revision": self.revision}
        return self.fingerprint()


class Run:
    """One run of an experiment.

    Attributes:
        small: whether it is a try: little of everything, nothing stored.
        options: all options of the command.
        needs: what must be there, a list.
        device: where to compute, a `torch.device`.
        stored: whether the result is to be stored.
        rows: `Rows` that are kept, None unless it is to be stored.
    """

    def __init__(self, experiment, words):
        self.experiment = experiment
        self.options = parser_of(experiment).parse_args(words)
        self.small = self.options.small
        self.needs = needs.split(experiment.needs)
        own = "cuda" if "a GPU" in self.needs else "cpu"
        has_one = torch.cuda.device_count()
        here = own if has_one or not self.small else "cpu"
        self.device = torch.device(self.options.device or here)
        dry = self.small or self.options.dry or self.device.type != own
        self.stored, self.rows, self.commit = not dry, None, None
        self.made = {}  # rows, where none are kept

    def begin(self):
        """Check what is needed, and take the commit and the kept rows.

        Raises:
            Missing: something is not there.
        """
        wanted = list(self.needs)
        spares = self.experiment.spares
        if spares and getattr(self.options, spares):
            wanted.remove("a GPU")
        if self.options.device == "cuda":
            needs.need_gpu()
        if not self.small:  # a try makes do with what there is
            needs.check(wanted, self.stored)
        if self.experiment.threads:
            torch.set_num_threads(self.experiment.threads)
        if self.stored:
            self.commit = clean_commit(self.experiment.name)
            self.rows = Rows(self.experiment.name, self.commit, self.card())

    def card(self):
        """Return the name of the GPU, whose rows are its own; "" without."""
        if self.device.type == "cpu" or not torch.cuda.device_count():
            return ""
        return torch.cuda.get_device_name(self.device)

    def get(self, key, make, *arguments):
        """Return a row; make it if it was not made.  See `Rows.get`."""
        if self.rows:
            return self.rows.get(key, make, *arguments)
        if key not in self.made:
            self.made[key] = make(*arguments)
        return self.made[key]

    def each(self, plan, make, key=None, workers=1, **look):
        """Return the row of each combination; print them as they come.

        Args:
            plan: the combinations, each a tuple of arguments.
            make: a function that makes a row.
            key: as the attribute of `Experiment`.
            workers: rows that are made at the same time.
            look: items and hide, if they are not the experiment's.
        """
        hide = look.get("hide", self.experiment.hide)

        def one(some):
            if key is None:
                row = make(*some)
            else:
                row = self.get(key.format(*some), make, *some)
            shown = row
            if isinstance(row, dict):
                shown = {k: v for k, v in row.items() if k not in hide}
            print(shown, flush=True)
            return row

        plan = list(plan)
        items = look.get("items", self.experiment.items)
        with ThreadPoolExecutor(workers) as pool:
            rows = (pool.map if workers > 1 else map)(one, plan)
            return list(track(rows, items, len(plan)))


def measure_plan(run):
    """Return the values of a regular experiment; a try makes one row."""
    own = run.experiment
    plan = list(own.plan())[: 1 if run.small else None]
    return own.values(run.each(plan, own.row, own.key))


def parser_of(experiment):
    """Return the parser of an experiment's command."""
    about = None if callable(experiment.about) else experiment.about
    parser = argparse.ArgumentParser(
        f"run.py {experiment.name}",
        description=about,
        epilog=f"It needs: {experiment.needs}.",
    )
    add = parser.add_argument
    add("--small", action="store_true", help="a try, stores nothing")
    add("--dry", action="store_true", help="all of it, but stores nothing")
    add("--device", choices=("cpu", "cuda"), help="another: stores nothing")
    experiment.options(parser)
    return parser


def run_experiment(experiment, words):
    """Measure and store; a try only measures.

    Args:
        experiment: an `Experiment`.
        words: of the command, after its name.
    """
    run = Run(experiment, words)
    run.begin()
    values = (experiment.measure or measure_plan)(run)
    if run.small:
        print(values)
    if not run.stored or values is None:
        print("nothing is stored")
        return
    said = {
        name: found(values) if callable(found) else found
        for name in ("about", "seeds", "data")
        if (found := getattr(experiment, name)) is not None
    }
    store(experiment.name, run.commit, **said, values=values, rows=run.rows)
    if experiment.forget:
        run.rows.clear()
