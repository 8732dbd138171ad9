"""The command ``attnbook``: train, translate, evaluate, data, and to teach."""

import argparse
import codecs
import io
import os
import sys

from attnbook.command import data, evaluate, teach, train, translate
from attnbook.command.options import choose_device, note


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


def open_closed():
    """Let a standard stream that was closed, as by ``>&-``, be empty."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            nothing = os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, os.fdopen(nothing, mode, encoding="utf-8"))


def set_output():
    """Have standard output take every text.

    Text is read and written in UTF-8 everywhere, so files and pipes get
    that.  A terminal shows its own encoding; what it lacks is escaped there.
    """
    out = sys.stdout
    if not isinstance(out, io.TextIOWrapper):  # a notebook's
        return
    out.reconfigure(errors="backslashreplace")  # names of files need it, too
    if codecs.lookup(out.encoding).name.startswith("utf"):
        return
    if out.isatty():
        note(
            f"the terminal's encoding is {out.encoding}: what it lacks is "
            "shown as an escape (PYTHONIOENCODING=utf-8 shows all)"
        )
    else:
        note(
            f"standard output is written in UTF-8, not in {out.encoding}; "
            "iconv converts it"
        )
        out.reconfigure(encoding="utf-8", errors="backslashreplace")


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
    open_closed()
    set_output()
    options = make_parser().parse_args(arguments)
    try:
        if hasattr(options, "device"):
            options.device = choose_device(options.device)
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
