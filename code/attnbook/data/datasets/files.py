"""The reader's own text as a dataset, one sentence per line."""

from attnbook.data.corpus import hold_out, read_pairs, report_known
from attnbook.data.datasets.base import Dataset

TWO = {"nargs": 2, "metavar": ("SOURCE", "TARGET")}


class Files(Dataset):
    """Two files whose lines translate each other."""

    name = "files"
    about = "your own text, one sentence per line; byte-pair encoding"
    options = {
        "--train": TWO | {"help": "training text of the dataset files"},
        "--valid": TWO
        | {"help": "its validation text (default: every 50th training pair)"},
    }

    @classmethod
    def load(cls, source, target, report=print, train=None, valid=None):
        """Return the reader's own files; arguments as in `Dataset`, and two.

        Args:
            source: name of the source language.
            target: name of the target language.
            report: called with a line about pairs that are left out, and
                about validation pairs that are in the training text.
            train: paths of the two training files.
            valid: paths of the two validation files, or None: then every
                fiftieth training pair is kept for validation.

        Raises:
            ValueError: no files, see `corpus.read_pairs` and
                `corpus.hold_out`.
        """
        if not train:
            raise ValueError(
                "expected --train SOURCE TARGET with the data files (or "
                "--files SOURCE TARGET to evaluate), got none"
            )
        pairs = read_pairs(*train, report)
        if valid:
            held = read_pairs(*valid, report)
        else:
            pairs, held = hold_out(pairs)
        report_known("validation", held, pairs, report)
        return cls(source, target, pairs, held, [])
