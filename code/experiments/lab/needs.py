"""What an experiment needs, and one line where it is not there."""

import importlib.util
import sys

import torch

from attnbook.data import datasets
from attnbook.training.precision import has_bfloat16
from lab import catalogue

# What an experiment may need, beside results of others; see `CHECKS`.
NEEDS = {
    "nothing",
    "the storybook",
    "6 models",  # of pronoun_models.py
    "12 models",
    "Multi30k",
    "a GPU",
    "the other libraries",
    "two cores",
    "Linux",
    "the network",
    "a quiet machine",
    "two cores without bf16",
    "a processor with AVX-512",
}
PEERS = ("x_transformers", "transformers")
BENCH = "python -m pip install -e '.[bench]'"


class Missing(ValueError):
    """What an experiment needs is not there; says how to get it."""


def need_gpu():
    """Do nothing where PyTorch sees a GPU.

    Raises:
        Missing: it sees none.
    """
    # `is_available` would start CUDA here, and no process forked from this
    # one could use it; `device_count` asks the driver's library alone.
    if not torch.cuda.device_count():
        raise Missing(
            "expected a GPU, got none: nothing was measured.  It takes one "
            "of NVIDIA's and the build of PyTorch with CUDA"
        )


def number_types(device):
    """Return the number types that a device computes in itself, a list."""
    types = ["fp32"] + ["bf16"] * has_bfloat16(device)
    return types + ["fp16"] * (device.type == "cuda")


def need_multi30k(source, target):
    """Return Multi30k in one direction, fetched where it is not there.

    Args:
        source: "en", "de" or "fr".
        target: another of these.

    Returns:
        A `Dataset`.

    Raises:
        Missing: it could not be fetched, or is damaged.
    """
    try:
        return datasets.load("multi30k", source, target)
    except (ValueError, OSError) as error:
        raise Missing(f"no Multi30k: {error}") from error


def need_peers(stored):
    """Say which libraries are not there that people use instead.

    Args:
        stored: whether the result is to be kept.

    Raises:
        Missing: a result that is kept would lack them.
    """
    absent = [p for p in PEERS if importlib.util.find_spec(p) is None]
    names = " and ".join(name.replace("_", "-") for name in absent)
    note = f"without {names}; to compare: {BENCH}"
    if absent and stored:
        raise Missing(note)
    if absent:
        print(note)


CHECKS = {
    "a GPU": lambda stored: need_gpu(),
    "Multi30k": lambda stored: stored and need_multi30k("de", "en"),
    "the other libraries": need_peers,
}


def split(text):
    """Return the needs that an experiment names, a list.

    Args:
        text: names out of `NEEDS`, or of experiments, joined by ", ".

    Raises:
        ValueError: another name.
    """
    names = text.split(", ")
    unknown = {*names} - NEEDS - {*catalogue.experiments()}
    if unknown:
        raise ValueError(
            f"expected needs out of {sorted(NEEDS)} or names of experiments, "
            f"got {sorted(unknown)}"
        )
    return names


def check(needs, stored=True):
    """Look whether everything is there that can be looked for.

    Args:
        needs: names, as `split` returns them.
        stored: whether the result is to be kept.

    Raises:
        Missing: something is not there.
    """
    for need in needs:
        CHECKS.get(need, lambda stored: None)(stored)


def in_one_line(name, main, *arguments):
    """Run an experiment; end in one line where something is missing.

    Args:
        name: of the experiment.
        main: a function.
        arguments: what it takes.

    Raises:
        SystemExit: something is missing, or the reader has had enough.
    """
    try:
        main(*arguments)
    except Missing as error:
        sys.exit(f"{name}: {error}")
    except ModuleNotFoundError as error:
        if error.name not in PEERS:
            raise
        sys.exit(f"{name}: {error}.  The other libraries: {BENCH}")
    except KeyboardInterrupt:
        sys.exit(f"{name}: interrupted")
