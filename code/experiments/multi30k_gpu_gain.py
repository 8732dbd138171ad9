"""A GPU beside two cores: are its translations better?

    python code/experiments/multi30k_gpu_gain.py
    python code/experiments/multi30k_gpu_gain.py --rows FILE FILE

The translations into German of multi30k_quality.py and multi30k_gpu_goals.py
are compared, by a paired bootstrap over the test sentences, with what the
models of multi30k_ensemble.py write: each alone, each pair together, and each
pair with its datastore.  They come from the FILEs, in which those scripts keep
them; without any from this script's own stored result, so that the comparison
can be made again without a GPU.
"""

import argparse
import json
from pathlib import Path

from attnbook import results
from attnbook.data import datasets
from attnbook.decoding.bootstrap import paired_bootstrap
from attnbook.decoding.datastore import keys_of
from attnbook.decoding.ensemble import Ensemble
from attnbook.decoding.translator import load_translator
from multi30k_ensemble import (
    PAIRS,
    datastore_of,
    folder_of,
    read_all,
    with_model,
)
from multi30k_two_cores import BEAM, PENALTY, scores, translated
from needs import Missing, in_one_line, need_multi30k
from store import clean_commit, store
from track import track

NEEDS = "multi30k_quality, multi30k_gpu_goals, multi30k_ensemble"
REVISION = 2  # raise it by hand when the comparison changes
KEYS = {str(seed): f"en-de {seed}" for seed in range(4)}  # of the kept runs


def writers(train):
    """Yield name and translator: the models of two cores, and each pair.

    Args:
        train: training pairs.

    Yields:
        First each model alone, then both together, then with the datastore.

    Raises:
        Missing: they have not been trained here.
    """
    for seeds in PAIRS:
        folders = [folder_of(seed, small=False) for seed in seeds]
        try:
            alone = [load_translator(folder)[0] for folder in folders]
        except ValueError as error:
            raise Missing(
                f"multi30k_ensemble.py makes them: {error}"
            ) from error
        yield from zip(map(str, seeds), alone, strict=True)
        first, models = alone[0], [one.model for one in alone]
        name = " + ".join(map(str, seeds))
        yield name, with_model(Ensemble(models), first)
        pairs = datasets.encode_pairs(train, first.source, first.target)
        keys, words, _, _ = read_all(models, pairs)
        size = first.model.config.target_vocab
        look = datastore_of(keys_of(keys), words, size)
        yield f"{name}, looking up", with_model(Ensemble(models, look), first)


def translations(paths):
    """Return the GPU's runs: seed -> commit and translations.

    Args:
        paths: of the kept rows; none for the stored result.

    Raises:
        Missing: a run is in none of them.
    """
    if not paths:
        return results.load("multi30k_gpu_gain")["values"]["runs"]
    kept = {}
    for path in paths:
        if path.is_file():
            kept |= json.loads(path.read_text(encoding="utf-8"))
    if lacking := {*KEYS.values()} - {*kept}:
        raise Missing(f"expected rows of {sorted(lacking)}, got {[*kept]}")
    return {
        seed: {
            "commit": kept[key]["commit"],
            "translations": kept[key]["row"]["test"][str(BEAM)],
        }
        for seed, key in KEYS.items()
    }


def main():
    """Compare and store."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=Path, nargs="+", default=[])
    runs = translations(parser.parse_args().rows)
    commit, data = clean_commit(), need_multi30k("en", "de")
    wanted = [target for _, target in data.test]
    against = {}
    for name, writer in track(writers(data.train), "writers", 8):
        written, _ = translated(writer, data.test, BEAM, PENALTY)
        against[name] = scores(written, data.test, "de") | {
            "gains": {
                seed: paired_bootstrap(written, run["translations"], wanted)
                for seed, run in runs.items()
            }
        }
        print(name, against[name], flush=True)
    store(
        commit,
        "Multi30k, English to German: runs on a GPU beside the pairs of two "
        "cores, paired bootstrap over the test sentences",
        [*map(int, runs), *(seed for seeds in PAIRS for seed in seeds)],
        "Multi30k task 1, test 2016",
        {
            "gpu": {
                seed: scores(run["translations"], data.test, "de")
                for seed, run in runs.items()
            },
            "against": against,
            "runs": runs,
        },
    )


if __name__ == "__main__":
    in_one_line(main)
