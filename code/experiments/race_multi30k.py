"""The race on real sentences, German to English.  Needs a GPU.

    python code/experiments/race_multi30k.py
    python code/experiments/race_multi30k.py --small       a try, anywhere
    python code/experiments/race_multi30k.py --score FILE  finished runs alone

Takes the options of race.py.  Beside its scores it keeps those of sentences
of each length, and what the first run of each model wrote for the first three
of them.  Scoring needs no GPU: FILE is where another computer has kept its
finished runs, and must hold them all.
"""

from attnbook.decoding import metrics
from needs import in_one_line
from race import fingerprint as of_race
from race import main

NEEDS = "Multi30k, a GPU"
LENGTHS = (1, 8, 10, 12, 14, 17)  # words of a sentence, where a group begins


def fingerprint():
    """Return what shows whether the stored result is stale."""
    return of_race("multi30k")


def score(written, places, wanted):
    """Return BLEU of what was written at some places of the test set."""
    found, _ = metrics.bleu([written[i] for i in places], wanted)
    return round(found, 2)


def example(data, runs, place):
    """Return a pair of the test set with what each first run wrote."""
    source, reference = data.test[place]
    texts = {n: run[0]["greedy"]["written"][place] for n, run in runs.items()}
    return {"source": source, "reference": reference} | texts


def by_length(data, runs):
    """Return scores of short and of long sentences, with examples.

    Args:
        data: a `race.Data`.
        runs: a dict of a model's name -> its runs, in order of the seeds.
    """
    lengths = [len(source.split()) for source, _ in data.test]
    rows = []
    for least, above in zip(LENGTHS, [*LENGTHS[1:], None], strict=True):
        places = [
            i
            for i, length in enumerate(lengths)
            if least <= length and (above is None or length < above)
        ]
        if not places:
            continue
        wanted = [data.test[i][1] for i in places]
        greedy = {
            name: [
                score(run["greedy"]["written"], places, wanted) for run in made
            ]
            for name, made in runs.items()
        }
        rows.append(
            {
                "least": least,
                "most": max(lengths[i] for i in places),
                "sentences": len(places),
                "greedy_bleu": greedy,
                "first": [example(data, runs, i) for i in places[:3]],
            }
        )
    return {"by_length": rows}


if __name__ == "__main__":
    in_one_line(main, "multi30k", by_length)
