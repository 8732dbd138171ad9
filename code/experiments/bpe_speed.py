"""How long does byte-pair encoding take in plain Python?

    ATTNBOOK_DATA=FOLDER python code/experiments/bpe_speed.py

Learns 10,000 merges on both sides of the training pairs of Multi30k (the
folder must hold train.de.gz and train.en.gz; it may also be given as the
argument) and encodes the same sentences.  Under a minute on one core.
"""

import argparse
import gzip
import os
import time
from pathlib import Path

from attnbook.data.bpe import BytePairs, split
from needs import Missing, in_one_line
from store import clean_commit, store

NEEDS = "Multi30k"
REVISION = 1  # raise it by hand when the times are stale
LANGUAGES = ("de", "en")
MERGES = 10_000


def read(folder):
    """Return the sentences of each language, outer blanks stripped.

    Raises:
        Missing: a file is not there.
    """
    texts = {}
    for language in LANGUAGES:
        path = Path(folder) / f"train.{language}.gz"
        if not path.exists():
            raise Missing(
                f"expected {path}, got none; ATTNBOOK_DATA={folder} attnbook "
                "data multi30k --source de --target en fetches it"
            )
        lines = gzip.decompress(path.read_bytes()).decode().strip("\n")
        texts[language] = [line.strip() for line in lines.split("\n")]
    return texts


def timed(function, *arguments):
    """Return what a call returns, and its seconds."""
    start = time.perf_counter()
    result = function(*arguments)
    return result, round(time.perf_counter() - start, 2)


def encode_all(vocabulary, texts):
    """Return the ids of every sentence, by language."""
    return {
        language: [vocabulary.encode(line) for line in lines]
        for language, lines in texts.items()
    }


def measure(texts):
    """Return times and sizes, a dict; check that nothing is lost."""
    both = [line for lines in texts.values() for line in lines]
    vocabulary, learning = timed(BytePairs.learn, both, MERGES)
    ids, encoding = timed(encode_all, vocabulary, texts)
    back, decoding = timed(
        lambda: [vocabulary.decode(i) for side in ids.values() for i in side]
    )
    if back != both:
        raise ValueError("expected the decoded corpus to be the corpus")
    return {
        "sentences": len(both),
        "distinct_pieces": len({p for line in both for p in split(line)}),
        "merges": len(vocabulary.merges),
        "tokens_in_vocabulary": len(vocabulary),
        "seconds_learning": learning,
        "seconds_encoding": encoding,
        "seconds_decoding": decoding,
        "per_sentence": {
            language: per_sentence(texts[language], ids[language])
            for language in LANGUAGES
        },
    }


def per_sentence(lines, ids):
    """Return mean lengths in three units, and the longest in tokens."""
    units = {
        "bytes": [len(line.encode()) for line in lines],
        "pieces": [len(split(line)) for line in lines],
        "tokens": [len(i) for i in ids],
    }
    means = {u: round(sum(n) / len(n), 2) for u, n in units.items()}
    return {**means, "most_tokens": max(units["tokens"])}


def main():
    """Measure and store the times."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "folder",
        nargs="?",
        default=os.environ.get("ATTNBOOK_DATA"),
        help="where train.de.gz is; the default is ATTNBOOK_DATA",
    )
    folder = parser.parse_args().folder
    if not folder:
        raise Missing("expected a folder or ATTNBOOK_DATA, got neither")
    commit = clean_commit()
    values = measure(read(folder))
    print(values)
    store(
        commit,
        f"Seconds to learn {MERGES} merges and to encode the corpus",
        [0],
        "Multi30k de-en, train, 29,000 pairs",
        values,
    )


if __name__ == "__main__":
    in_one_line(main)
