"""A long training, started from a notebook: as a program of its own.

The program is `attnbook train`.  It writes checkpoints, so that the same
call goes on where a lost computer left off.
"""

import subprocess
import sys

# Of the short runs of ``results.load("multi30k_two_cores")``.
SETTINGS = {
    "--merges": 8000,
    "--heads": 4,
    "--dropout": 0.1,
    "--optimizer": "muon",
    "--learning-rate": 0.005,
    "--weight-decay": 0.3,
    "--max-tokens": 2048,
    "--steps": 2000,
    "--warmup": 100,
    "--save-every": 200,
    "--average": 1,
}


def multi30k_words(folder):
    """Return the words of the command that trains on Multi30k.

    Args:
        folder: where checkpoints go.

    Returns:
        A list of str, to follow ``attnbook``.
    """
    words = ["train", "--data", "multi30k", "--source", "de", "--target", "en"]
    words += [str(part) for pair in SETTINGS.items() for part in pair]
    return [*words, "--out", str(folder)]


def follow(words, write=print):
    """Run ``attnbook`` with these words and show its lines as they come.

    Step, loss, speed and time left come every few seconds.

    Args:
        words: a list of str.
        write: called with each line.

    Returns:
        The program's exit status, 0 if it came to its end.
    """
    command = [sys.executable, "-u", "-m", "attnbook", *words]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
    ) as program:
        try:
            for line in program.stdout:
                write(line.rstrip("\n"))
        except KeyboardInterrupt:  # the program got it too, and saves
            for line in program.stdout:
                write(line.rstrip("\n"))
        return program.wait()
