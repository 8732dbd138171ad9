"""Multi30k as a dataset: 29,000 captions, fetched once; byte-pair encoding."""

from attnbook.data import multi30k
from attnbook.data.corpus import report_known
from attnbook.data.datasets.base import Dataset


class Multi30k(Dataset):
    """English, German and French captions, in any direction."""

    name = "multi30k"
    about = "29,000 captions, fetched once; byte-pair encoding"
    options = {
        "--data-dir": {
            "help": "folder with the files of Multi30k (default: the "
            "environment variable ATTNBOOK_DATA, else a cache folder)"
        }
    }

    @classmethod
    def load(cls, source, target, report=print, data_dir=None):
        """Return Multi30k; arguments as in `Dataset`, and its folder."""
        train, valid, test = (
            multi30k.load(source, target, name, data_dir, report=report)
            for name in ("train", "valid", "test")
        )
        report_known("validation", valid, train, report)
        report_known("test", test, train, report)
        return cls(source, target, train, valid, test)
