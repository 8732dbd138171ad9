"""The options that the commands share, and what is made of them."""

import argparse
import contextlib
import dataclasses
import sys

import torch

from attnbook.data import datasets
from attnbook.training import workers


def note(text):
    """Say something about the run; results alone go to standard output."""
    if workers.rank() == 0:
        print(text, file=sys.stderr, flush=True)


def add_command(commands, name, about, text, run):
    """Return the parser of a new command.

    Args:
        commands: where it is added.
        name: of the command.
        about: one line, for the list of commands.
        text: what its own help begins with.
        run: the function that is called with the options.
    """
    parser = commands.add_parser(
        name,
        description=text,
        help=about,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    return parser


def add_languages(parser):
    """Add the options that name the languages."""
    parser.add_argument(
        "--source", default="en", help="source language (default: en)"
    )
    parser.add_argument(
        "--target", default="fr", help="target language (default: fr)"
    )


def add_data(parser):
    """Add the options that datasets have of their own, shared ones once.

    Args:
        parser: where they are added.

    Raises:
        TypeError: two datasets mean different things by one option.
    """
    flags = {}
    for kind in datasets.DATASETS.values():
        for flag, words in kind.options.items():
            if flags.setdefault(flag, words) != words:
                raise TypeError(
                    f"expected {flag} of {kind.name} as another dataset has "
                    f"it, {flags[flag]}, got {words}"
                )
    for flag, words in flags.items():
        parser.add_argument(flag, **words)


def list_data(options):
    """Return the options of datasets that were typed.

    Args:
        options: of the command.

    Returns:
        A dict of flag -> name of a dataset that has it, and its value.
    """
    given = {}
    for kind in datasets.DATASETS.values():
        for flag in kind.options:
            value = getattr(options, flag[2:].replace("-", "_"), None)
            if value is not None:
                given.setdefault(flag, (kind.name, value))
    return given


def load_data(options, name, source, target):
    """Return the `Dataset` that the options name.

    Args:
        options: of the command.
        name: of the dataset.
        source: code of the source language.
        target: code of the target language.

    Raises:
        ValueError: languages or files that it does not have.
        ConnectionError: data that is not there and cannot be fetched.
    """
    own, given = datasets.find(name).options, list_data(options)
    for flag, (kind, _) in given.items():
        if flag not in own:
            raise ValueError(
                f"expected {flag} with the data {kind}, got it with {name}"
            )
    given = {f[2:].replace("-", "_"): v for f, (_, v) in given.items()}
    return datasets.load(name, source, target, report=note, **given)


def add_fields(parser, config, kinds=()):
    """Add an option for every field of a config.

    Args:
        parser: where they are added.
        config: a dataclass whose fields are made by `config.setting`.
        kinds: classes of datasets, which may have defaults of their own.
    """
    for field in dataclasses.fields(config):
        how = {"type": field.type, "choices": field.metadata["choices"]}
        if field.type is bool:  # --name or --no-name
            how = {"action": argparse.BooleanOptionalAction}
        parser.add_argument(
            f"--{field.name.replace('_', '-')}",
            help=f"{field.metadata['help']} ({format_default(field, kinds)})",
            **how,
        )


def format_default(field, kinds):
    """Return what the help says of a field's default, by dataset, a str."""
    names = {}  # of the datasets, by default
    for kind in kinds:
        value = kind.training.get(field.name, field.default)
        names.setdefault(value, []).append(kind.name)
    if len(names) < 2:
        return f"default: {next(iter(names), field.default)}"
    lines = [f"{value} for {', '.join(own)}" for value, own in names.items()]
    return f"default by data: {'; '.join(lines)}"


def read_fields(options, config):
    """Return the fields of a config that the options name, a dict."""
    names = [field.name for field in dataclasses.fields(config)]
    given = {name: getattr(options, name) for name in names}
    return {name: value for name, value in given.items() if value is not None}


def add_device(parser):
    """Add the option that names the device."""
    parser.add_argument(
        "--device", default="auto", help="cpu or cuda (default: auto)"
    )


def choose_device(name):
    """Return the device that an option names.

    Args:
        name: "cpu", "cuda" or "auto".

    Returns:
        A `torch.device`.

    Raises:
        ValueError: an unknown device, or one that is not there.
    """
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        device = torch.device(name)
    except RuntimeError:
        device = None
    if device is None or device.type not in ("cpu", "cuda"):
        raise ValueError(f"expected --device cpu or cuda, got {name!r}")
    if device.type == "cuda" and not torch.cuda.is_available():
        raise ValueError("expected a GPU for --device cuda, found none")
    return device


def parse_penalty(text):
    """Return a length penalty; its power of a length has to be finite."""
    with contextlib.suppress(ValueError):
        if 0 <= float(text) <= 100:
            return float(text)
    raise argparse.ArgumentTypeError(
        f"expected a number from 0 to 100, got {text!r}"
    )


def add_decoding(parser):
    """Add the options of commands that decode."""
    parser.add_argument(
        "--checkpoint", required=True, help="folder of a trained model"
    )
    parser.add_argument(
        "--beam", type=int, default=5, help="beam width, 1 is greedy (5)"
    )
    parser.add_argument(
        "--length-penalty",
        type=parse_penalty,
        default=0.6,
        help="alpha, 0 is none (0.6)",
    )
    add_device(parser)
