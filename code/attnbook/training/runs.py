"""The folder of a run: what was trained, how far it came, what it became.

config.json        kind and sizes of the model, settings, data: `run_config`
source.json        source vocabulary
target.json        target vocabulary (the same where it is shared)
step-00000400/     checkpoints, see `checkpoint`
model.safetensors  the weights, averaged, once training is done
sure.json          from which probability a translation counts as sure
"""

import dataclasses
import json
import math
from pathlib import Path

from attnbook.data import saved_vocabulary
from attnbook.data.files import read_json, write_file
from attnbook.training import checkpoint
from attnbook.training.config import TrainConfig
from attnbook.training.run_config import (
    KINDS,
    build_model,
    describe_run,
    hash_vocabulary,
    list_differences,
    read_config,
)


def default_fields(config):
    """Return the defaults of a config's fields, as JSON holds them."""
    return {
        field.name: field.default
        for field in dataclasses.fields(config)
        if field.default is not dataclasses.MISSING
    }


class RunFolder:
    """The folder of a run.

    Args:
        path: where it is, or will be; None for a run that keeps nothing.
    """

    def __init__(self, path):
        self.path = None if path is None else Path(path)

    def start(self, model, source, target, settings):
        """Write what the run is, or check that it is the same as before.

        Args:
            model: the model.
            source: source vocabulary.
            target: target vocabulary.
            settings: see `run_config.describe_run`.

        Raises:
            ValueError: the folder holds another run, or checkpoints of an
                unknown one.
            OSError: it cannot be written.
        """
        new = describe_run(model, source, target, settings)
        path = self.path / "config.json"
        if path.is_file():
            self._check_same(new)
            return
        if self.list_checkpoints():
            raise ValueError(
                f"expected {path} beside the checkpoints there, got none; "
                "choose another folder with --out, or remove this one"
            )
        self.path.mkdir(parents=True, exist_ok=True)
        source.save(self.path / "source.json")
        target.save(self.path / "target.json")
        write_file(path, json.dumps(new, indent=1))

    def _check_same(self, new):
        """Refuse to go on with another run than the folder holds."""
        old = read_config(self.path)
        new = {key: new.get(key) for key in old}  # an older one may lack a key
        configs = {"model": KINDS[new["kind"]][1], "training": TrainConfig}
        for key, config in configs.items():
            if isinstance(old.get(key), dict):  # or a field that came later
                old[key] = default_fields(config) | old[key]
        if old != new:
            raise ValueError(
                f"expected the run that {self.path} holds, got another: "
                f"{'; '.join(list_differences(old, new))}; choose another "
                "folder with --out, or remove this one"
            )

    def list_checkpoints(self):
        """Return the complete checkpoints, (step, Path), in order."""
        return [] if self.path is None else checkpoint.steps(self.path)

    def last_step(self):
        """Return the step of the last checkpoint, 0 if there is none."""
        found = self.list_checkpoints()
        return found[-1][0] if found else 0

    def read_state(self):
        """Return the state of the last checkpoint, see `checkpoint.save_step`.

        Before there is one, the number type is not known: "precision" is
        None.  Older versions did not write that key.

        Raises:
            ValueError: a state that is missing or damaged.
        """
        found = self.list_checkpoints()
        if not found:
            return {"precision": None}
        return read_json(found[-1][1] / "state.json")

    def load_last(self, model, optimizer):
        """Read the last checkpoint back, see `checkpoint.load_step`.

        Args:
            model: the model; changed in place.
            optimizer: its optimizer; changed in place.

        Returns:
            The state, a dict, or None if there is no checkpoint.
        """
        found = self.list_checkpoints()
        if not found:
            return None
        return checkpoint.load_step(found[-1][1], model, optimizer)

    def save_checkpoint(self, model, optimizer, state, config):
        """Write a checkpoint and remove those that are no longer needed.

        Args:
            model: the model.
            optimizer: its optimizer.
            state: a dict that JSON can hold, with "step".
            config: a `TrainConfig`, for how many are kept.
        """
        if self.path is None:
            return
        checkpoint.save_step(self.path, state["step"], model, optimizer, state)
        checkpoint.prune(self.path, config.average, config.save_every)

    def average_last(self, model, config):
        """Give a model the mean weights of the last regular checkpoints.

        Args:
            model: the model; changed in place.
            config: a `TrainConfig`, for how many are averaged.

        Raises:
            ValueError: no checkpoint, or a damaged one.
        """
        regular = [
            path
            for step, path in self.list_checkpoints()
            if step % config.save_every == 0 or step == config.steps
        ]
        checkpoint.average_weights(regular[-config.average :], model)

    def save_model(self, model):
        """Write the weights of the trained model."""
        checkpoint.save_weights(self.path / "model.safetensors", model)

    def load_model(self):
        """Read the trained model, or that of the last checkpoint.

        Returns:
            The model on the CPU, source and target vocabulary, and the
            content of config.json, a dict.

        Raises:
            ValueError: no model there, a damaged file, or vocabularies of
                another run.
        """
        config = read_config(self.path)
        vocabularies = []
        for side in ("source", "target"):
            vocab = saved_vocabulary.load(self.path / f"{side}.json")
            if hash_vocabulary(vocab) != config[f"{side}_vocabulary"]:
                raise ValueError(
                    f"expected the {side} vocabulary of this run in "
                    f"{self.path}, got another"
                )
            vocabularies.append(vocab)
        model = build_model(config["kind"], config["model"])
        checkpoint.load_weights(self._find_weights(), model)
        return model, *vocabularies, config

    def _find_weights(self):
        """Return the file of the best weights that there are."""
        path = self.path / "model.safetensors"
        if path.is_file():
            return path
        found = self.list_checkpoints()
        if not found:
            raise ValueError(
                f"expected weights in {self.path}, got none; go on training "
                "with the same attnbook train command"
            )
        return found[-1][1] / "model.safetensors"

    def save_threshold(self, value):
        """Write from which probability a translation counts as sure.

        Args:
            value: from 0 to 1, see `decoding.translator.find_threshold`.

        Raises:
            ValueError: a value that is not finite.
        """
        if not math.isfinite(value):
            raise ValueError(f"expected a finite probability, got {value}")
        text = json.dumps({"sure_from": round(value, 4)})
        write_file(self.path / "sure.json", text + "\n")

    def load_threshold(self):
        """Return what `save_threshold` wrote; 0 if it did not, always sure.

        Raises:
            ValueError: a damaged file.
        """
        path = self.path / "sure.json"
        if not path.is_file():
            return 0.0
        try:
            text = path.read_text(encoding="utf-8")
            return float(json.loads(text)["sure_from"])
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(
                f"expected sure_from in {path}, got: {error!r}"
            ) from None
