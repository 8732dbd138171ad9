"""The long run of chapter 13, with a small corpus in the place of the real."""

import gzip
import hashlib

import pytest

from attnbook import results
from attnbook.command import background, main
from attnbook.data import multi30k
from attnbook.training import checkpoint

SMALL = ["--d-model", "16", "--d-ff", "16", "--heads", "2", "--layers", "1"]
SMALL += ["--merges", "30", "--steps", "6", "--save-every", "2"]
SMALL += ["--warmup", "2", "--precision", "fp32", "--device", "cpu"]


@pytest.fixture
def corpus(tmp_path, monkeypatch):
    """Return a folder with a Multi30k of sixty pairs a split."""
    folder = tmp_path / "multi30k"
    folder.mkdir()
    lines = {"de": "Ein Hund rennt {}.\n", "en": "A dog runs {}.\n"}
    sums = {}
    for language, line in lines.items():
        text = "".join(line.format("x" * (i % 7)) for i in range(60))
        for split in ("train", "val", "test_2016_flickr"):
            name = f"{split}.{language}.gz"
            data = gzip.compress(text.encode(), mtime=0)
            (folder / name).write_bytes(data)
            sums[name] = hashlib.sha256(data).hexdigest()
    monkeypatch.setattr(multi30k, "SHA256", sums)
    monkeypatch.setenv("ATTNBOOK_DATA", str(tmp_path))
    return tmp_path


def test_the_words_train_and_the_same_words_go_on(corpus, capsys):
    folder = corpus / "run"
    words = [*background.multi30k_words(folder), *SMALL]
    assert main.main(words) == 0
    assert checkpoint.steps(folder)[-1][0] == 6
    assert "->" in capsys.readouterr().out
    before = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").unlink()
    assert main.main(words) == 0
    assert (folder / "model.safetensors").read_bytes() == before


def test_it_is_the_stored_run():
    stored = results.load("multi30k_two_cores")["values"]["de-en"]["20"]
    words = background.multi30k_words("FOLDER")
    wanted = stored["command"].replace(" --seed SEED", "")
    assert ["attnbook", *words] == wanted.split()


def test_lines_come_as_the_program_writes_them():
    lines = []
    assert background.follow(["train", "--help"], lines.append) == 0
    assert any("--save-every" in line for line in lines)
    assert background.follow(["train", "--data", "files"], lines.append) != 0
    assert "expected --train" in lines[-1]
