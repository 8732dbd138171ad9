"""One GPU beside two cores: are its translations better?

    python code/experiments/multi30k_gpu_gain.py
    python code/experiments/multi30k_gpu_gain.py --rows FILE

The translations into German of multi30k_quality.py are compared, by a paired
bootstrap over the test sentences, with what the pairs of multi30k_ensemble.py
write: each model alone, and both together.  They come from FILE, in which that
script keeps them; without it from this script's own stored result, so that the
comparison can be made again without a GPU.
"""

import argparse
import json
from pathlib import Path

from attnbook import results
from attnbook.decoding.bootstrap import paired_bootstrap
from attnbook.decoding.ensemble import Ensemble
from attnbook.decoding.translator import load_translator
from multi30k_ensemble import PAIRS, folder_of, with_model
from multi30k_two_cores import BEAM, PENALTY, scores, translated
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


def translations(path):
    """Return the GPU's translations, and the commit of their run.

    Args:
        path: of the kept rows, or None for the stored result.

    Raises:
        Missing: there are none.
    """
    if path is None:
        stored = results.load("multi30k_gpu_gain")["values"]
        return stored["translations"], stored["commit_of_the_run"]
    kept = {}
    if path.is_file():
        kept = json.loads(path.read_text(encoding="utf-8"))
    if KEY not in kept:
        raise Missing(f"expected rows with {KEY!r} in {path}, got {[*kept]}")
    return kept[KEY]["row"]["test"][str(BEAM)], kept[KEY]["commit"]


def main():
    """Compare and store."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=Path)
    gpu, commit_of_run = translations(parser.parse_args().rows)
    commit, test = clean_commit(), need_multi30k("en", "de").test
    wanted = [target for _, target in test]
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
            "commit_of_the_run": commit_of_run,
            "gpu": scores(gpu, test, "de"),
            "against": against,
            "translations": gpu,
        },
    )


if __name__ == "__main__":
    in_one_line(main)
