"""One GPU beside two cores: are its translations better, and where are they?

    python code/experiments/multi30k_gpu_gain.py ROWS

ROWS is the file with the kept translations of multi30k_quality.py.  Those
into German are compared, by a paired bootstrap over the test sentences, with
what the pairs of multi30k_ensemble.py write: each model alone, and both
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
    """Return name -> translator: the models of two cores, and each pair.

    Raises:
        Missing: they have not been trained here.
    """
    found = {}
    for seeds in PAIRS:
        folders = [folder_of(seed, small=False) for seed in seeds]
        try:
            alone = [load_translator(folder)[0] for folder in folders]
        except ValueError as error:
            raise Missing(
                f"multi30k_ensemble.py makes them: {error}"
            ) from error
        found |= dict(zip(map(str, seeds), alone, strict=True))
        both = Ensemble([one.model for one in alone])
        name = " + ".join(map(str, seeds))
        found[name] = with_model(both, alone[0])
    return found


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
        "Multi30k, English to German: one run on a GPU beside the pairs of "
        "two cores, paired bootstrap over the test sentences",
        [0, *(seed for seeds in PAIRS for seed in seeds)],
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
