"""The config.json of a run: its kind of model, sizes, settings and data."""

import dataclasses
import hashlib
import json
from pathlib import Path

from attnbook.config import RecurrentConfig, TransformerConfig
from attnbook.data.files import read_json
from attnbook.data.vocabulary import PAD
from attnbook.recurrent import Recurrent
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


def name_kind(model):
    """Return the name of a model's kind, as config.json has it."""
    for kind, (cls, _) in KINDS.items():
        if isinstance(model, cls):
            return kind
    raise ValueError(
        f"expected a model of {sorted(KINDS)}, got {type(model).__name__}"
    )


def build_model(kind, fields):
    """Return a new model.

    Args:
        kind: a key of `KINDS`.
        fields: the fields of its config, a dict.

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


def hash_vocabulary(vocab):
    """Return 16 hexadecimal digits that tell a vocabulary from others."""
    content = vocab.content()
    text = json.dumps(content[content["kind"]])
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]


def describe_run(model, source, target, settings):
    """Return the content of config.json.

    Args:
        model: the model.
        source: source vocabulary.
        target: target vocabulary.
        settings: a dict with what else belongs to the run; "data" is the
            dataset's name and its two languages.

    Returns:
        A dict, as JSON gives it back.
    """
    content = {
        "kind": name_kind(model),
        "model": dataclasses.asdict(model.config),
        "source_vocabulary": hash_vocabulary(source),
        "target_vocabulary": hash_vocabulary(target),
        **settings,
    }
    return json.loads(json.dumps(content))


def list_differences(old, new):
    """Return a line for each value in which two nested dicts differ."""
    lines = []
    for key in sorted({**old, **new}):
        was, now = old.get(key), new.get(key)
        if isinstance(was, dict) and isinstance(now, dict):
            lines += list_differences(was, now)
        elif was != now:
            lines.append(f"{key} was {was}, is now {now}")
    return lines


def read_config(folder):
    """Return the content of a run's config.json, a dict.

    Args:
        folder: the run's folder.

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
