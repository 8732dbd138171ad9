"""The models that travel with the package are the ones that were measured."""

import hashlib
import re
from pathlib import Path

import pytest
import torch

from attnbook import results
from attnbook.command import translate
from attnbook.data import datasets, storybook
from attnbook.decoding import metrics, pretrained

ROOT = Path(__file__).parents[1]
ROWS = {
    row["language"]: row
    for row in results.load("storybook_runs")["values"]["rows"]
    if "kept" in row
}


def test_every_language_was_measured():
    assert tuple(ROWS) == pretrained.LANGUAGES


@pytest.mark.parametrize("language", pretrained.LANGUAGES)
def test_the_weights_are_the_measured_ones(language):
    path = pretrained.find_model(language) / "model.safetensors"
    data = path.read_bytes()
    assert hashlib.sha256(data).hexdigest() == ROWS[language]["kept"]["sha256"]
    assert len(data) < 2_300_000


@pytest.mark.parametrize("language", pretrained.LANGUAGES)
def test_it_translates_as_well_as_the_result_says(language):
    """On the first 200 unseen sentences, within chance of 1,000."""
    trained = pretrained.load(language)
    assert all(p.dtype == torch.float32 for p in trained.model.parameters())
    pairs = storybook.splits(language, train=1, seed=0)["test"][:200]
    written = trained.translate([" ".join(p.source) for p in pairs])
    wanted = [" ".join(p.target) for p in pairs]
    share = metrics.exact_match(written, wanted)
    assert share > ROWS[language]["exact_match"] - 0.03
    assert ROWS[language]["exact_match"] >= 0.98
    assert ROWS[language]["held_out"] >= 0.97
    assert ROWS[language]["twins"] >= 0.97


@pytest.mark.parametrize("language", pretrained.LANGUAGES)
def test_it_reads_the_animal_both_ways(language):
    trained = pretrained.load(language)
    pairs = storybook.both_readings(language)
    written = trained.translate([" ".join(p.source) for p in pairs])
    assert written == [" ".join(p.target) for p in pairs]


def translated(language, texts):
    kind = datasets.find("storybook")
    read = [kind.read_text(text) for text in texts]
    written = pretrained.load(language).translate(read)
    return [kind.write_text(text, language) for text in written]


@pytest.mark.parametrize("language", pretrained.LANGUAGES)
def test_a_newcomers_first_sentences(language):
    path = ROOT / "tests/newcomers.tsv"
    lines = path.read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines]
    place = {"fr": 1, "ko": 2}[language]
    got = translated(language, [row[0] for row in rows])
    wrong = [
        (row[0], one)
        for row, one in zip(rows, got, strict=True)
        if one != row[place]
    ]
    assert len(rows) == 50 and len(wrong) <= 1, wrong


def test_the_readme_shows_what_the_model_writes():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    table = text[text.index("| you type | it writes |") :].split("\n\n")[0]
    rows = [line.strip("| ").split(" | ") for line in table.splitlines()[2:]]
    assert len(rows) >= 5
    assert translated("fr", [row[0] for row in rows]) == [r[1] for r in rows]


def test_the_help_shows_sentences_that_the_model_knows():
    shown = re.findall(r'"([A-Z][^"]*\.)"', translate.TEXT)
    rows = {}
    path = ROOT / "tests/newcomers.tsv"
    for line in path.read_text(encoding="utf-8").splitlines():
        english, french, _ = line.split("\t")
        rows[english] = french
    assert shown and set(shown) <= set(rows)
    assert translated("fr", shown) == [rows[text] for text in shown]


@pytest.mark.parametrize("language", pretrained.LANGUAGES)
def test_it_says_when_it_is_unsure(language):
    row, trained = ROWS[language], pretrained.load(language)
    assert trained.sure_from == row["sure_from"] > 0
    kind = datasets.find("storybook")
    sure = [kind.read_text("The dog is hungry."), kind.read_text("I sing.")]
    unsure = [kind.read_text("The the the the."), kind.read_text("Dog.")]
    values = [value for _, value in trained.translate_surely(sure + unsure)]
    assert min(values[:2]) >= trained.sure_from > max(values[2:])


def test_how_sure_it_is_does_not_change_what_it_writes():
    trained = pretrained.load("fr")
    pairs = storybook.splits("fr", 1, 1, 70, held_out=1)["test"]
    texts = [" ".join(pair.source) for pair in pairs]
    both = trained.translate_surely(texts)
    assert [text for text, _ in both] == trained.translate(texts)
    assert all(0 < value <= 1 for _, value in both)


def test_another_language_is_refused():
    with pytest.raises(ValueError, match="expected a language of.*'de'"):
        pretrained.load("de")
