"""The folder of a run: what was trained, and on what.

config.json        kind and sizes of the model, settings, data
source.json        source vocabulary
target.json        target vocabulary (the same where it is shared)
model.safetensors  the weights, averaged, once training is done
sure.json          from which probability a translation counts as sure
step-00000400/     checkpoints, see `checkpoint`
"""

import dataclasses
import hashlib
import json
from pathlib import Path

from attnbook.config import RecurrentConfig, TransformerConfig
from attnbook.data.files import read_json, write_file
from attnbook.data.vocabulary import PAD
from attnbook.recurrent import Recurrent
from attnbook.training import checkpoint
from attnbook.transformer import Transformer

KINDS = {
    "transformer": (Transformer, TransformerConfig),
    "recurrent": (Recurrent, RecurrentConfig),
}


FIELDS = {  # of config.json, all that are read
    "kind": str,
    "model": dict,
    "source_vocabulary": str,
    "target_vocabulary": str,
    "data": list,
}


def kind_of(model):
    """Return the name of a model's kind, as config.json has it."""
    for kind, (cls, _) in KINDS.items():
        if isinstance(model, cls):
            return kind
    raise ValueError(
        f"expected a model of {sorted(KINDS)}, got {type(model).__name__}"
    )


def build(kind, fields):
    """Return a new model.

    Args:
        kind: a key of `KINDS`.
        fields: the fields of its config.

    Returns:
        The model.

    Raises:
        ValueError: an unknown kind, or fields that it does not have.
    """
    if kind not in KINDS:
        raise ValueError(f"expected a model of {sorted(KINDS)}, got {kind!r}")
    cls, config = KINDS[kind]
    try:
        return cls(config(**fields))
    except TypeError as error:
        raise ValueError(f"expected fields of {kind}, got: {error}") from None


def fingerprint(vocab):
    """Return a short name of a vocabulary's content."""
    content = vocab.content()
    text = json.dumps(content[content["kind"]])
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]


def describe(model, source, target, settings):
    """Return the content of config.json.

    Args:
        model: the model.
        source: source vocabulary.
        target: target vocabulary.
        settings: a dict with what else belongs to the run.

    Returns:
        A dict that JSON can hold.
    """
    return {
        "kind": kind_of(model),
        "model": dataclasses.asdict(model.config),
        "source_vocabulary": fingerprint(source),
        "target_vocabulary": fingerprint(target),
        **settings,
    }


def differences(old, new):
    """Return what differs between two dicts, a list of str.

    Args:
        old: the dict that was; its values may be dicts.
        new: the one that is now.
    """
    found = []
    for key in sorted({**old, **new}):
        was, now = old.get(key), new.get(key)
        if isinstance(was, dict) and isinstance(now, dict):
            found += differences(was, now)
        elif was != now:
            found.append(f"{key} was {was}, is now {now}")
    return found


def start_run(folder, model, source, target, settings):
    """Write what a run is, or check that it is the same run as before.

    Args:
        folder: the run's folder; made if it is not there.
        model: the model.
        source: source vocabulary.
        target: target vocabulary.
        settings: a dict with what else belongs to the run.

    Raises:
        ValueError: the folder holds another run, or checkpoints of an
            unknown one, or cannot be written.
    """
    folder = Path(folder)
    new = json.loads(json.dumps(describe(model, source, target, settings)))
    path = folder / "config.json"
    if path.is_file():
        old = read_config(folder)
        new = {key: new.get(key) for key in old}  # an older one may lack a key
        if old != new:
            raise ValueError(
                f"expected the run that {folder} holds, got another: "
                f"{'; '.join(differences(old, new))}; choose another folder "
                "with --out, or remove this one"
            )
        return
    if checkpoint.steps(folder):
        raise ValueError(
            f"expected {path} beside the checkpoints there, got none; choose "
            "another folder with --out, or remove this one"
        )
    folder.mkdir(parents=True, exist_ok=True)
    source.save(folder / "source.json")
    target.save(folder / "target.json")
    write_file(path, json.dumps(new, indent=1))


def read_config(folder):
    """Return the content of a run's config.json.

    Args:
        folder: the run's folder.

    Returns:
        A dict.

    Raises:
        ValueError: no run in this folder, or a damaged file.
    """
    path = Path(folder) / "config.json"
    if not path.is_file():
        raise ValueError(
            f"expected a trained model in {folder}, got no {path.name} there; "
            "train one with attnbook train"
        )
    config = read_json(path)
    for name, kind in FIELDS.items():
        if not isinstance(config.get(name), kind):
            raise ValueError(
                f"expected {name} as a {kind.__name__} in {path}, got "
                f"{config.get(name)!r}"
            )
    if [type(part) for part in config["data"]] != [str] * 3:
        raise ValueError(
            f"expected data as a name and two languages in {path}, got "
            f"{config['data']}"
        )
    for name in ("source_pad", "target_pad"):  # of older runs
        if config["model"].pop(name, PAD) != PAD:
            raise ValueError(
                f"expected {name} {PAD} in {path}, as all batches are padded, "
                "got another"
            )
    return config
