"""The front page shows the packaged model's own weights, and true hours."""

import copy
import re
from pathlib import Path

import pytest

import hero
import sessions

ROOT = Path(__file__).parents[1]
BOOK = ROOT / "book"
INTRO = (BOOK / "intro.md").read_text(encoding="utf-8")
PATH_HOURS = 12  # from the first chapter to 11


@pytest.fixture(scope="module")
def fresh():
    return hero.compute()


def test_the_page_holds_what_the_model_computes(fresh):
    assert hero.complaints(fresh, hero.stored()) == []
    assert all(fresh[key] == hero.stored()[key] for key in ("it", "step"))


def test_the_page_is_made_of_its_data():
    assert hero.PAGE.read_text(encoding="utf-8") == hero.page(hero.stored())


@pytest.mark.parametrize("key", ["cross", "it"])
def test_another_weight_is_noticed(fresh, key):
    kept = copy.deepcopy(hero.stored())
    row = kept["readings"][1][key]
    while isinstance(row[0], list):
        row = row[0]
    row[0] += hero.NEAR + 2
    assert any(key in line for line in hero.complaints(fresh, kept))


def test_another_word_and_another_place_are_noticed(fresh):
    kept = copy.deepcopy(hero.stored())
    kept["readings"][0]["target"][0] = "le"
    kept["step"] += 1
    found = hero.complaints(fresh, kept)
    assert len(found) == 2


def test_it_opens_where_the_sentences_part():
    data = hero.stored()
    first, second = (r["target"] for r in data["readings"])
    assert (first[data["step"]], second[data["step"]]) == ("il", "elle")
    assert first[: data["step"]] == second[: data["step"]]
    assert data["readings"][0]["source"][data["it"]] == "it"


def test_no_head_is_left_out(fresh):
    for each in hero.stored()["readings"]:
        assert len(each["cross"]) == len(each["it"]) == 2
        assert {len(layer) for layer in each["cross"] + each["it"]} == {4}
        for layer in each["it"]:
            assert all(abs(sum(row) - 100) <= 5 for row in layer)


def test_a_translation_that_fails_is_refused(monkeypatch):
    class Silent:
        def translate(self, texts):
            return [""] * len(texts)

    pair = hero.storybook.running_pair("fr").doer
    with pytest.raises(ValueError, match="expected .*il était.*, got ''"):
        hero.reading(Silent(), pair)


def test_it_is_light_and_asks_nobody_else():
    script = (BOOK / "_static/hero.js").read_text(encoding="utf-8")
    style = (BOOK / "_static/hero.css").read_text(encoding="utf-8")
    page = hero.PAGE.read_text(encoding="utf-8")
    assert len(script.encode()) < 6000
    data = page.split("application/json")[1].split("</script>")[0]
    assert len(data.encode()) < 10000
    for text in (script.replace("http://www.w3.org/2000/svg", ""), style):
        assert "http" not in text
        assert "@import" not in text
    assert 'src="../_static/hero.js"' in page


def test_without_a_script_there_is_a_table():
    page = hero.PAGE.read_text(encoding="utf-8")
    rows = re.findall(r'<tr><th scope="row">(.*?)</th><td>(\d+)</td>', page)
    assert [word for word, _ in rows][8] == "it"
    assert 95 <= sum(int(weight) for _, weight in rows) <= 105


def test_the_hours_are_those_of_the_chapters():
    every = sessions.chapters().values()
    read, more = sum(c.read for c in every), sum(c.more for c in every)
    said = re.search(r"about (\d+) hours to read.*about (\d+) more", INTRO)
    assert (round(read / 60), round(more / 60)) == (int(said[1]), int(said[2]))
    assert f"{len(every)} chapters" in INTRO
    weeks = [c for n, c in sessions.chapters().items() if n > 0]
    hours = [(c.read + c.more) / 60 for c in weeks]
    assert "two and a half to four and a half hours" in INTRO  # of a chapter
    assert abs(min(hours) - 2.5) < 0.1 and round(max(hours) * 2) / 2 == 4.5


def test_the_path_takes_twelve_hours_once_it_is_whole():
    path = sessions.on_path().values()
    total = sum(c.both for c in path)
    assert f"path, about {round(total / 60)} hours" in INTRO
    assert any(c.path is None for c in path) or total <= PATH_HOURS * 60


def test_the_three_ways_in_come_before_anything_else():
    top = INTRO.split("## ")[0]
    for words in ("Start chapter 0", "Run in Colab", "Teach with it"):
        assert f"[{words}](" in top
    assert top.index("Teach with it") < top.index("hero.html")
    assert "(teach)=" in INTRO


def test_the_title_keeps_clear_of_its_drawing():
    style = (BOOK / "_static/hero.css").read_text(encoding="utf-8")
    wide = re.search(r"\.atn-title-drawing {[^}]*width: ([\d.]+)rem", style)
    kept = re.search(
        r"h1:has\(\+ \.atn-title-drawing\) {[^}]*right: ([\d.]+)rem", style
    )
    assert float(kept[1]) > float(wide[1])
