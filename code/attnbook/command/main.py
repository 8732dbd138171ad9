"""The command ``attnbook``: train, translate, evaluate, data, and to teach."""

import argparse
import os
import sys

from attnbook.command import data, evaluate, teach, train, translate
from attnbook.command.options import device_of


def make_parser():
    """Return the parser of the command."""
    parser = argparse.ArgumentParser(
        prog="attnbook",
        description="The command of the course Attention, from Scratch.",
        epilog="attnbook COMMAND --help explains a command with examples.",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in (train, translate, evaluate, data, teach):
        command.add(commands)
    return parser


def forget_output():
    """Let nothing more be written to standard output."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main(arguments=None):
    """Run the command; return its exit status.

    Args:
        arguments: a list of str; those of the command line if None.

    Returns:
        0, or 1 after an error that was said in one line, or 130 after
        Ctrl-C.
    """
    options = make_parser().parse_args(arguments)
    try:
        if hasattr(options, "device"):
            options.device = device_of(options.device)
        options.run(options)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of our output has gone, as head does
        forget_output()
    except (ValueError, OSError) as error:
        print(f"attnbook: {error}", file=sys.stderr)
        try:
            sys.stdout.flush()
        except OSError:  # a full disk: at its end Python would try once more
            forget_output()
        return 1
    except KeyboardInterrupt:
        print("attnbook: interrupted", file=sys.stderr)
        return 130
    return 0
