"""Checkpoints: written whole or not at all, read without pickle.

A run's folder holds one folder per checkpoint, ``step-00000400``, which
bears this name only while it is complete, and on the disk:

    model.safetensors     the weights
    training.safetensors  optimizer and random state
    state.json            step, position in the data, scaler, history
"""

import json
import os
import re
import shutil
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save

from attnbook.data.files import sync_folder, write_file

NAME = re.compile(r"step-(\d{8})")


def collect_tensors(model):
    """Return a model's tensors, those that are shared only once."""
    tensors, seen = {}, set()
    for name, tensor in model.state_dict(keep_vars=True).items():
        if id(tensor) not in seen:
            seen.add(id(tensor))
            tensors[name] = tensor.detach().cpu().contiguous()
    return tensors


def save_weights(path, model):
    """Write a model's weights, completely or not at all.

    Args:
        path: a safetensors file; see `files.write_file`.
        model: the model.

    Raises:
        OSError: it cannot be written.
    """
    write_file(path, save(collect_tensors(model)))


def collect_optimizer_tensors(model, optimizer):
    """Return the optimizer's state as tensors named after parameters."""
    names = {id(p): name for name, p in model.named_parameters()}
    return {
        f"{key}/{names[id(p)]}": torch.as_tensor(value).cpu().contiguous()
        for p, state in optimizer.state.items()
        for key, value in state.items()
    }


def collect_random_states():
    """Return the states of the random generators."""
    states = {"random/cpu": torch.get_rng_state()}
    if torch.cuda.is_initialized():
        states["random/cuda"] = torch.cuda.get_rng_state()
    return states


def save_step(folder, step, model, optimizer, state):
    """Write one checkpoint.

    Args:
        folder: the run's folder.
        step: number of the step that was made last.
        model: the model.
        optimizer: its optimizer.
        state: what else to keep, a dict that JSON can hold.

    Returns:
        The Path of the checkpoint.

    Raises:
        OSError: it cannot be written; earlier ones are untouched.
    """
    final = Path(folder) / f"step-{step:08d}"
    partial = final.with_name(f".{final.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    training = (
        collect_optimizer_tensors(model, optimizer) | collect_random_states()
    )
    try:
        save_weights(partial / "model.safetensors", model)
        write_file(partial / "training.safetensors", save(training))
        write_file(partial / "state.json", json.dumps({"step": step} | state))
        if final.exists():  # the same step, once more
            remove(final)
        os.rename(partial, final)
        sync_folder(folder)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    return final


def steps(folder):
    """Return the complete checkpoints of a run, (step, Path), in order."""
    folder = Path(folder)
    entries = folder.iterdir() if folder.is_dir() else []
    found = [(NAME.fullmatch(path.name), path) for path in entries]
    return sorted((int(match[1]), path) for match, path in found if match)


def remove(path):
    """Remove a checkpoint; its name goes first, so that none is half there."""
    hidden = path.with_name(f".{path.name}.removed")
    shutil.rmtree(hidden, ignore_errors=True)
    os.rename(path, hidden)
    sync_folder(path.parent)
    shutil.rmtree(hidden)


def prune(folder, keep, every):
    """Remove old checkpoints, and what a killed run has left half-way.

    Args:
        folder: the run's folder.
        keep: how many checkpoints at multiples of ``every`` stay.
        every: steps between two regular checkpoints; others, made when a
            run was interrupted, stay only while they are the last.
    """
    found = steps(folder)
    regular = [path for step, path in found if step % every == 0]
    stay = {*regular[-keep:], found[-1][1]} if found else set()
    for _, path in found:
        if path not in stay:
            remove(path)
    for path in Path(folder).glob(".step-*"):
        shutil.rmtree(path, ignore_errors=True)


def read_tensors(path):
    """Return the tensors of a file, a dict of name -> tensor.

    Args:
        path: a safetensors file.

    Raises:
        ValueError: no such file, or one that is cut off or damaged.
    """
    path = Path(path)
    if not path.is_file():
        raise ValueError(f"expected a checkpoint file {path}, got none")
    try:
        return load_file(path)
    except (SafetensorError, OSError) as error:
        advice = "copy it once more, or train again"
        if NAME.fullmatch(path.parent.name):
            advice = "remove its folder to go on from the checkpoint before"
        elif steps(path.parent):
            advice = "remove this file to use the run's last checkpoint"
        raise ValueError(
            f"expected a complete file {path}, got a damaged one ({error}); "
            f"{advice}"
        ) from None


def load_weights(path, model):
    """Read weights into a model.

    Args:
        path: a safetensors file.
        model: the model; changed in place.

    Raises:
        ValueError: a damaged file, or weights of another model.
    """
    tensors = read_tensors(path)
    want = {name: tuple(t.shape) for name, t in collect_tensors(model).items()}
    got = {name: tuple(t.shape) for name, t in tensors.items()}
    if want != got:
        name = min(n for n in {**want, **got} if want.get(n) != got.get(n))
        raise ValueError(
            f"expected weights of this model, got others in {path}: {name} "
            f"has shape {got.get(name)}, expected {want.get(name)}"
        )
    model.load_state_dict(tensors, strict=False)


def load_step(path, model, optimizer):
    """Read a checkpoint back: weights, optimizer and random state.

    Args:
        path: the checkpoint's folder.
        model: the model; changed in place.
        optimizer: its optimizer; changed in place.

    Returns:
        The dict that `save_step` was given, with "step".

    Raises:
        ValueError: a file that is missing, damaged, or of another model.
    """
    path = Path(path)
    load_weights(path / "model.safetensors", model)
    tensors = read_tensors(path / "training.safetensors")
    try:
        state = json.loads((path / "state.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ValueError(
            f"expected a complete {path / 'state.json'}, got: {error}"
        ) from None
    parameters = dict(model.named_parameters())
    for full, tensor in tensors.items():
        key, name = full.split("/", 1)
        if key != "random":
            parameter = parameters[name]  # fused AdamW wants all state there
            optimizer.state[parameter][key] = tensor.to(parameter.device)
    torch.set_rng_state(tensors["random/cpu"])
    if "random/cuda" in tensors and torch.cuda.is_available():
        torch.cuda.set_rng_state(tensors["random/cuda"])
    return state


def average_weights(paths, model):
    """Give a model the mean of the weights of several checkpoints.

    Vaswani et al. (2017), sec. 6.1.

    Args:
        paths: the checkpoints' folders, at least one.
        model: the model; changed in place.

    Raises:
        ValueError: no checkpoint, or a damaged one.
    """
    if not paths:
        raise ValueError("expected checkpoints to average, got none")
    total = {}
    for path in paths:
        load_weights(Path(path) / "model.safetensors", model)
        for name, tensor in collect_tensors(model).items():
            total[name] = total.get(name, 0) + tensor.double()
    mean = {name: t / len(paths) for name, t in total.items()}
    like = collect_tensors(model)
    mean = {name: t.to(like[name].dtype) for name, t in mean.items()}
    model.load_state_dict(mean, strict=False)
