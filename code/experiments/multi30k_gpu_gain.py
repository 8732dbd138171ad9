"""One GPU beside two cores: are its translations better, and where are they?

    python code/experiments/multi30k_gpu_gain.py ROWS

ROWS is the file with the kept translations of multi30k_quality.py.  Those
into German are compared, by a paired bootstrap over the test sentences, with
what the first pair of multi30k_ensemble.py writes: each model alone, and both
together.  The translations are stored, so that the comparison can be made
again without a GPU.
"""

import argparse
import json
from pathlib import Path

from attnbook.decoding.bootstrap import paired_bootstrap
from attnbook.decoding.ensemble import Ensemble
from attnbook.decoding.translator import load_translator
from multi30k_ensemble import PAIRS, folder_of, with_model
from multi30k_two_cores import BEAM, PENALTY, samples, scores, translated
from needs import Missing, in_one_line, need_multi30k
from store import clean_commit, store
from track import track

NEEDS = "multi30k_quality, multi30k_ensemble"
REVISION = 1  # raise it by hand when the comparison changes
KEY = "en-de 0"  # of the kept run


def writers():
    """Return name -> translator: two models of two cores, and both.

    Raises:
        Missing: they have not been trained here.
    """
    folders = [folder_of(seed, small=False) for seed in PAIRS[0]]
    try:
        alone = [load_translator(folder)[0] for folder in folders]
    except ValueError as error:
        raise Missing(f"multi30k_ensemble.py makes them: {error}") from error
    both = Ensemble([one.model for one in alone])
    found = {f"seed {s}": w for s, w in zip(PAIRS[0], alone, strict=True)}
    return found | {"both": with_model(both, alone[0])}


def main():
    """Compare and store."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rows", type=Path)
    path = parser.parse_args().rows
    if not path.is_file():
        raise Missing(f"expected kept rows of multi30k_quality.py, got {path}")
    kept = json.loads(path.read_text(encoding="utf-8"))[KEY]
    commit, test = clean_commit(), need_multi30k("en", "de").test
    gpu, wanted = kept["row"]["test"][str(BEAM)], [t for _, t in test]
    against = {}
    for name, writer in track(writers().items(), "writers"):
        written, _ = translated(writer, test, BEAM, PENALTY)
        against[name] = scores(written, test, "de") | {
            "gain": paired_bootstrap(written, gpu, wanted)
        }
        print(name, against[name], flush=True)
    store(
        commit,
        "Multi30k, English to German: one run on a GPU beside the first pair "
        "of two cores, paired bootstrap over the test sentences",
        [0, *PAIRS[0]],
        "Multi30k task 1, test 2016",
        {
            "commit_of_the_run": kept["commit"],
            "gpu": scores(gpu, test, "de"),
            "against": against,
            "samples": samples(test, gpu),
            "translations": gpu,
        },
    )


if __name__ == "__main__":
    in_one_line(main)
