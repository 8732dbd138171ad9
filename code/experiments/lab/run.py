"""The command of all experiments; see run.py beside this folder."""

from lab import catalogue, fingerprints, gpu, rerun
from lab.experiment import run_experiment
from lab.needs import Missing, in_one_line

COMMANDS = {
    "list": rerun.main,
    "gpu": gpu.main,
    "fingerprint": fingerprints.main,
}


def start(name, words):
    """Run a command, an experiment, or what another module calls `main`.

    Raises:
        Missing: there is no such thing.
    """
    if name in COMMANDS:
        return COMMANDS[name](words)
    if name in catalogue.experiments():
        return run_experiment(catalogue.find(name), words)
    module = name in catalogue.paths() and catalogue.load(
        catalogue.paths()[name]
    )
    if not hasattr(module, "main"):
        names = [*COMMANDS, *sorted(catalogue.experiments())]
        raise Missing(f"expected one of {', '.join(names)}; got {name}")
    return module.main(words)


def main(words):
    """Run what the first word names; end in one line where it can't."""
    name, *rest = words or ["list"]
    in_one_line(name, start, name, rest)
