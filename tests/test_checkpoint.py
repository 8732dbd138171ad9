import json
import resource

import pytest
import torch
from safetensors.torch import load_file

from attnbook.config import TransformerConfig
from attnbook.tasks import digits
from attnbook.training import checkpoint
from attnbook.training.config import TrainConfig
from attnbook.training.loop import train
from attnbook.training.repro import seed_everything
from attnbook.transformer import Transformer
from power_cut import Disk

SIZES = {
    "source_vocab": 13,
    "target_vocab": 13,
    "d_model": 8,
    "num_heads": 2,
    "d_ff": 12,
    "num_encoder_layers": 1,
    "num_decoder_layers": 1,
    "max_length": 16,
    "shared_embeddings": True,
}


def model_of(seed=0, **changes):
    seed_everything(seed)
    return Transformer(TransformerConfig(**SIZES | changes))


def trained(seed=0, steps=2):
    """A model and an optimizer with a state."""
    model = model_of(seed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    source = torch.tensor([[4, 5, 6, 2]])
    for _ in range(steps):
        optimizer.zero_grad()
        model(source, source).square().mean().backward()
        optimizer.step()
    return model, optimizer


def equal(a, b):
    return all(
        torch.equal(x, y)
        for x, y in zip(
            a.state_dict().values(), b.state_dict().values(), strict=True
        )
    )


def test_everything_comes_back(tmp_path):
    model, optimizer = trained()
    torch.manual_seed(5)
    torch.rand(3)
    path = checkpoint.save_step(tmp_path, 2, model, optimizer, {"at": [1, 7]})
    want = torch.rand(4)
    other, other_optimizer = model_of(9), None
    other_optimizer = torch.optim.AdamW(other.parameters(), lr=0.01)
    state = checkpoint.load_step(path, other, other_optimizer)
    assert state == {"step": 2, "at": [1, 7]}
    assert torch.equal(torch.rand(4), want)
    assert equal(model, other)
    assert other.output.weight is other.source_embedding.table.weight
    ours = optimizer.state_dict()["state"]
    theirs = other_optimizer.state_dict()["state"]
    for number, values in ours.items():
        for key, value in values.items():
            assert torch.equal(theirs[number][key], value), key


def test_a_folder_appears_whole(tmp_path):
    model, optimizer = trained()
    path = checkpoint.save_step(tmp_path, 2, model, optimizer, {})
    assert checkpoint.steps(tmp_path) == [(2, path)]
    assert sorted(p.name for p in path.iterdir()) == [
        "model.safetensors",
        "state.json",
        "training.safetensors",
    ]
    assert [p.name for p in tmp_path.iterdir()] == ["step-00000002"]
    assert not list(path.glob("*.pkl"))
    load_file(path / "model.safetensors")


def test_an_unfinished_folder_is_not_a_checkpoint(tmp_path):
    (tmp_path / ".step-00000009.partial").mkdir()
    (tmp_path / "step-9").mkdir()
    assert checkpoint.steps(tmp_path) == []
    assert checkpoint.steps(tmp_path / "none") == []


def test_old_checkpoints_are_removed(tmp_path):
    model, optimizer = trained()
    for step in (10, 20, 25, 30, 40, 47):
        checkpoint.save_step(tmp_path, step, model, optimizer, {})
        checkpoint.prune(tmp_path, keep=2, every=10)
    assert [step for step, _ in checkpoint.steps(tmp_path)] == [30, 40, 47]


def test_the_mean_of_weights(tmp_path):
    paths, models = [], []
    for seed in (1, 2, 3):
        model, optimizer = trained(seed)
        models.append(model)
        paths.append(
            checkpoint.save_step(tmp_path, seed, model, optimizer, {})
        )
    mean = model_of()
    checkpoint.average_weights(paths, mean)
    for name, tensor in mean.state_dict().items():
        parts = torch.stack([m.state_dict()[name] for m in models])
        torch.testing.assert_close(tensor, parts.mean(0))
    with pytest.raises(ValueError, match="checkpoints to average, got none"):
        checkpoint.average_weights([], mean)


@pytest.mark.parametrize("name", ["model", "training"])
def test_a_truncated_file_is_named(tmp_path, name):
    model, optimizer = trained()
    path = checkpoint.save_step(tmp_path, 2, model, optimizer, {})
    file = path / f"{name}.safetensors"
    file.write_bytes(file.read_bytes()[:-100])
    with pytest.raises(ValueError, match=f"{name}.safetensors, got a damaged"):
        checkpoint.load_step(path, model, optimizer)


@pytest.mark.parametrize("text", ["", "{", None])
def test_a_damaged_state_is_named(tmp_path, text):
    model, optimizer = trained()
    path = checkpoint.save_step(tmp_path, 2, model, optimizer, {})
    if text is None:
        (path / "state.json").unlink()
    else:
        (path / "state.json").write_text(text)
    with pytest.raises(ValueError, match=r"a complete .*state\.json"):
        checkpoint.load_step(path, model, optimizer)


def test_weights_of_another_model_are_refused(tmp_path):
    model, optimizer = trained()
    path = checkpoint.save_step(tmp_path, 2, model, optimizer, {})
    for other in (model_of(d_ff=14), model_of(num_encoder_layers=2)):
        before = {n: t.clone() for n, t in other.state_dict().items()}
        with pytest.raises(ValueError, match="expected weights of this model"):
            checkpoint.load_weights(path / "model.safetensors", other)
        for n, t in other.state_dict().items():
            assert torch.equal(t, before[n])
    with pytest.raises(ValueError, match="expected a checkpoint file"):
        checkpoint.load_weights(path / "none.safetensors", model)


def test_a_full_disk_leaves_earlier_checkpoints_alone(tmp_path):
    """A limit on the size of files stands in for a full disk."""
    model, optimizer = trained()
    path = checkpoint.save_step(tmp_path, 2, model, optimizer, {})
    before = {p.name: p.read_bytes() for p in path.iterdir()}
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4000, limits[1]))
    try:
        with pytest.raises(OSError, match="could not write") as error:
            checkpoint.save_step(tmp_path, 3, model, optimizer, {})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert "free space or choose another folder" in str(error.value)
    assert [p.name for p in tmp_path.iterdir()] == [path.name]
    assert {p.name: p.read_bytes() for p in path.iterdir()} == before


def test_the_state_is_plain_json(tmp_path):
    model, optimizer = trained()
    path = checkpoint.save_step(tmp_path, 2, model, optimizer, {"a": [1]})
    assert json.loads((path / "state.json").read_text()) == {
        "step": 2,
        "a": [1],
    }


def train_briefly(folder, steps=3):
    """Train with dropout, a checkpoint at every step; return the model."""
    sizes = {"source_vocab": 14, "target_vocab": 14}
    model = model_of(**sizes, dropout=0.2)
    config = TrainConfig(
        steps=steps,
        max_tokens=64,
        warmup=2,
        save_every=1,
        average=1,
        precision="fp32",
    )
    train(model, digits.draw_rows("reverse", 20, seed=0), config, folder)
    return model


@pytest.fixture
def disk(tmp_path, monkeypatch):
    """A folder and all that a kill or a power cut can leave of it."""
    (tmp_path / "disk").mkdir()
    with monkeypatch.context() as patch:
        disk = Disk(tmp_path / "disk", patch)
        yield disk, patch
    disk.close()


def test_a_run_goes_on_after_any_moment_of_its_writes(tmp_path, disk):
    """A kill or a power cut, before each call that the disk sees."""
    disk, patch = disk
    want = train_briefly(disk.root / "run")
    patch.undo()
    partial = 0
    for name, folder in disk.each(tmp_path / "found"):
        partial += bool(list(folder.glob("run/.step-*")))
        assert equal(train_briefly(folder / "run"), want), name
        for step, path in checkpoint.steps(folder / "run"):
            other = model_of(source_vocab=14, target_vocab=14)
            optimizer = torch.optim.AdamW(other.parameters())
            state = checkpoint.load_step(path, other, optimizer)
            assert state["step"] == step, name
    assert partial > 10


def test_a_checkpoint_is_on_the_disk_when_saving_returns(disk):
    disk, _ = disk
    model, optimizer = trained()
    path = checkpoint.save_step(disk.root / "a/b", 1, model, optimizer, {})
    here = {p.name: p.read_bytes() for p in path.iterdir()}
    disk.note()
    for name, content in disk.moments[-3:]:
        assert content == {"a": {"b": {path.name: here}}}, name
    again = checkpoint.save_step(disk.root / "a/b", 1, model, optimizer, {})
    checkpoint.prune(disk.root / "a/b", 1, 1)
    assert again == path and list(path.parent.iterdir()) == [path]
