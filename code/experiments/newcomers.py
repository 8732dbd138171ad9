"""How many of a newcomer's first sentences do the packaged models get right?

    python code/experiments/newcomers.py

The sentences and the translations that a reader expects stand in
newcomers.tsv; they were written down before the models were trained.  A few
seconds.
"""

import csv
from pathlib import Path

from attnbook.data import datasets
from attnbook.decoding import pretrained
from fingerprints import hash_of
from needs import in_one_line
from store import clean_commit, store

NEEDS = "storybook_runs"
LIST = Path(__file__).with_name("newcomers.tsv")


def translations(language, texts):
    """Return what the packaged model writes, as a reader sees it."""
    kind = datasets.find("storybook")
    read = [kind.read_text(text) for text in texts]
    written = pretrained.load(language).translate(read)
    return [kind.write_text(text, language) for text in written]


def fingerprint():
    """Return what shows whether the stored result is stale."""
    files = [
        pretrained.folder(language) / "model.safetensors"
        for language in pretrained.LANGUAGES
    ]
    return {
        "list": hash_of(LIST.read_bytes()),
        "models": hash_of(*[path.read_bytes() for path in files]),
    }


def main():
    """Translate the list and store what came out."""
    commit = clean_commit()
    with LIST.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, delimiter="\t"))
    texts, values = [row[0] for row in rows], {}
    for place, language in enumerate(("fr", "ko"), 1):
        got = translations(language, texts)
        wanted = [row[place] for row in rows]
        pairs = list(zip(texts, got, wanted, strict=True))
        right = sum(one == two for _, one, two in pairs)
        print(f"{language}: {right} of {len(rows)} right")
        values[language] = {"right": right, "of": len(rows)}
        values[language]["written"] = [list(pair) for pair in pairs]
    store(
        commit,
        "A newcomer's first sentences, translated by the packaged models",
        (0,),
        "newcomers.tsv: English, what the model writes, what is expected",
        values,
    )


if __name__ == "__main__":
    in_one_line(main)
