"""Make the trained models that travel with the package.

    python code/experiments/storybook_models.py

Trains the storybook model for French and Korean, keeps its weights in
float16, and measures what was kept.  About five minutes on 2 cores.
"""

import dataclasses
import hashlib
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from attnbook import checkpoint, datasets, pretrained, runs, storybook
from attnbook.config import TrainConfig
from attnbook.files import write_file
from attnbook.repro import parameter_count
from store import clean_commit, store
from storybook_runs import fit, share_right

SEED = 0


def make(language, folder):
    """Train a model and write its run folder.

    Args:
        language: "fr" or "ko".
        folder: where it goes.

    Returns:
        Seconds of training.
    """
    dataset = datasets.from_storybook("en", language, seed=0)
    trained, seconds = fit(dataset, SEED)
    settings = {
        "data": [dataset.name, dataset.source, dataset.target],
        "training": dataclasses.asdict(
            TrainConfig(**dataset.training, seed=SEED)
        ),
    }
    model = trained.model
    runs.start_run(folder, model, trained.source, trained.target, settings)
    small = {k: v.half() for k, v in checkpoint.unshared(model).items()}
    write_file(folder / "model.safetensors", checkpoint.save(small))
    return seconds


def main():
    """Train, keep, load again, measure, store."""
    commit = clean_commit()
    rows = []
    for language in pretrained.LANGUAGES:
        place = pretrained.folder(language)
        with TemporaryDirectory() as parent:
            made = Path(parent) / place.name
            seconds = make(language, made)
            shutil.rmtree(place, ignore_errors=True)
            shutil.copytree(made, place)
        weights = (place / "model.safetensors").read_bytes()
        trained = pretrained.load(language)
        splits = storybook.splits(language, seed=0)
        rows.append(
            {
                "language": language,
                "parameters": parameter_count(trained.model),
                "training_seconds": round(seconds, 1),
                "bytes": len(weights),
                "sha256": hashlib.sha256(weights).hexdigest(),
                "exact_match": share_right(trained, splits["test"]),
                "held_out": share_right(trained, splits["held_out"]),
                "both_readings": share_right(
                    trained, storybook.both_readings(language)
                ),
            }
        )
        print(rows[-1], flush=True)
    store(
        commit,
        "The trained models of the package: exact match of greedy "
        "translations, one seed",
        [SEED],
        "storybook, 20,000 training pairs, 1,000 unseen test pairs",
        {"rows": rows},
    )


if __name__ == "__main__":
    main()
