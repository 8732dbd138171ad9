"""The live page: its still, its models, its address, its Python."""

import base64
import contextlib
import copy
import io
import json
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

import check_book
import live
import live_models
import live_page
from attnbook.data import datasets
from attnbook.decoding import pretrained

BOOK = Path(__file__).parents[1] / "book"
STATIC = BOOK / "_static"
OWN = ["live", "live_heads", "live_share"]
TIRED = "The animal didn't cross the street because it was too tired."
WIDE = TIRED.replace("tired", "wide")
STORYBOOK = datasets.find("storybook")


@pytest.fixture(scope="module")
def engine():
    with live.open_engine() as opened:
        for name in OWN:
            opened.racer.eval((STATIC / f"{name}.js").read_text("utf-8"))
        for language in pretrained.LANGUAGES:
            folder = pretrained.find_model(language)
            opened.open_translator(language, folder)
        yield opened


# ---- The still --------------------------------------------------------------


def test_the_page_holds_what_the_model_computes():
    assert live_page.complaints(live_page.compute(), live_page.stored()) == []


def test_the_page_is_made_of_its_data():
    kept = live_page.stored()
    assert live_page.PAGE.read_text("utf-8") == live_page.page(kept)


def test_another_weight_and_another_word_are_noticed():
    kept = live_page.stored()
    other = copy.deepcopy(kept)
    other["cross"][3][0] += live_page.NEAR + 1
    other["target"][0] = "le"
    assert live_page.complaints(other, kept) == [
        "target differs",
        "weights differ",
    ]


def test_without_a_script_lines_join_the_words():
    kept, text = live_page.stored(), live_page.PAGE.read_text("utf-8")
    assert kept["target"][kept["step"]] == "il"
    for name in ("wide", "tall"):
        picture = text.split(f'<svg class="{name}"')[1].split("</svg>")[0]
        assert picture.count("<path") > len(kept["source"])
        assert "“it” 0.8" in picture
        assert re.findall(r'class="asks">(.*?)<', picture) == ["il"]
        words = re.findall(r"<text [^>]*>(.*?)</text>", picture)
        assert set(words) >= {"animal", "fatigué", "&lt;eos&gt;"}


def test_nothing_is_loaded_before_it_is_touched():
    text = live_page.PAGE.read_text("utf-8")
    loaded = re.findall(r'(?:src|href)="(.*?)"', text)
    assert [Path(name).name for name in loaded] == [
        "live.css",
        "live_views.css",
        "live.js",
    ]


# ---- The models -------------------------------------------------------------


def test_the_build_puts_the_models_beside_the_pages(tmp_path):
    app = SimpleNamespace(
        builder=SimpleNamespace(name="html"), outdir=tmp_path
    )
    live_models.write_models(app, None)
    for language in pretrained.LANGUAGES:
        folder = pretrained.find_model(language)
        path = tmp_path / f"_static/models/{folder.name}.js"
        text = path.read_text()
        assert len(text) == live_page.stored()["bytes"][language]
        files = json.loads(text[text.index("{") : text.rindex("}") + 1])
        weights = base64.b64decode(files.pop("model.safetensors"))
        assert weights == (folder / "model.safetensors").read_bytes()
        for name, content in files.items():
            assert content == (folder / name).read_text("utf-8")


def test_other_builds_and_failed_ones_get_no_models(tmp_path):
    for name, error in (("singlehtml", None), ("html", OSError())):
        app = SimpleNamespace(
            builder=SimpleNamespace(name=name), outdir=tmp_path
        )
        live_models.write_models(app, error)
    assert list(tmp_path.iterdir()) == []


# ---- The sentences to choose ------------------------------------------------


def translate(engine, typed, **options):
    """Return what both models make of a sentence."""
    function = (
        "(typed, options) => [fr, ko].map(each => each.translate(typed, "
        "options)).map(({sentence, isSure, unknown}) => "
        "({sentence, isSure, known: !unknown.length}))"
    )
    return engine.call(function, typed, options)


def test_the_sentences_to_choose_are_what_they_are_called(engine):
    sentences = engine.evaluate("live.EXAMPLES")
    assert (sentences["tired"], sentences["wide"]) == (TIRED, WIDE)
    assert sentences["question"].endswith("?") and "gave" in sentences["gift"]
    for name, typed in sentences.items():
        french, korean = translate(engine, typed)
        assert all(
            each["known"] and each["isSure"] for each in (french, korean)
        )
        if name == "wrong":  # it forgets the forest, and is sure
            assert "forest" in typed
            assert "forêt" not in french["sentence"]
            assert "숲" not in korean["sentence"]


def test_one_head_alone_is_needed_for_the_pronoun(engine):
    found = []
    for part in ("encoder", "decoder", "cross"):
        for layer in range(2):
            for head in range(4):
                off = dict(how="silence", part=part, layer=layer, head=head)
                french, _ = translate(engine, WIDE, changes=[off])
                if "qu'il était" in french["sentence"]:
                    found.append((part, layer, head))
                else:
                    assert "qu'elle était" in french["sentence"]
    assert len(found) == 1
    assert "23 of the 24 heads" in (BOOK / "closing.md").read_text("utf-8")


# ---- The words of the interface ---------------------------------------------


def test_every_sentence_is_there_in_both_languages(engine):
    words = engine.evaluate("live.words")
    for name, said in words.items():
        assert set(said) == {"en", "ko"}, name
        gaps = [sorted(set(re.findall(r"\{\d\}", s))) for s in said.values()]
        assert gaps[0] == gaps[1], name
    for script in OWN:
        text = (STATIC / f"{script}.js").read_text("utf-8")
        asked = re.findall(r'\bsay\("([^"]+)"[,)]', text)
        assert asked and set(asked) <= set(words)


# ---- The address ------------------------------------------------------------

HEAD = {"part": "cross", "layer": 1, "head": 2}
FULL = {
    "typed": "Yesterday, the “red” fox & I ate 50% + 1 apple's.",
    "language": "ko",
    "ui": "ko",
    "step": 4,
    "changes": [
        {"how": "silence", "part": "encoder", "layer": 0, "head": 3},
        {"how": "cut", **HEAD, "query": 10, "key": 8},
        {"how": "zero", **HEAD, "query": 0, "key": 1},
        {"how": "patch", "depth": 2, "place": 11},
    ],
    "twin": WIDE,
    "forced": [7, 12],
    "width": 5,
    "alpha": 1,
    "temperature": 0.7,
    "chosen": HEAD,
    "word": {"side": "source", "place": 8},
    "view": "heads",
    "open": "decoder.0",
}


@pytest.mark.parametrize("changed", [{}, FULL])
def test_the_address_holds_what_is_seen(engine, changed):
    fresh = engine.evaluate("({...live.FRESH, language: 'fr', ui: 'en'})")
    state = fresh | changed
    address = engine.call("live.writeAddress", state)
    assert re.fullmatch(r"#en=[\w.,!~*()%+=&-]+", address)
    assert engine.call("live.readAddress", address) == state


@pytest.mark.parametrize(
    "address",
    ["", "#where-to-go-next", "#live", "#en=%", "#en=%E0%A4%A&step=1"],
)
def test_other_addresses_are_left_alone(engine, address):
    assert engine.call("live.readAddress", address) is None


def test_an_address_without_sense_does_no_harm(engine):
    read = engine.call(
        "live.readAddress",
        "#en=hi&step=-3&off=q1_sx_ce1.2_p7_sx9.9&width=1e9&alpha=x&to=xx"
        "&head=z1.1&view=evil&word=s&then=a.-1.2.5&__proto__=x&temperature=0",
    )
    fresh = engine.evaluate("live.FRESH")
    for key in ("step", "width", "alpha", "temperature", "chosen", "view"):
        assert read[key] == fresh[key]
    assert read["changes"] == [
        {"how": "silence", "part": "cross", "layer": 9, "head": 9}
    ]
    assert read["forced"] == [2, 5]
    assert read["language"] == "fr" and read["word"] is None


# ---- The same in Python -----------------------------------------------------

WRITE = """(changed => {
  const translator = changed.language === "ko" ? ko : fr;
  Object.assign(live.state, live.FRESH, {language: "fr", translator}, changed);
  live.compute();
  return [live.writePython(), translator.target.decode(live.state.ids)];
})"""
PATCH = {"how": "patch", "depth": 2, "place": 11}
CHANGES = [
    {"how": "silence", "part": "encoder", "layer": 1, "head": 2},
    {"how": "cut", **HEAD, "query": 10, "key": 8},
    {"how": "zero", "part": "decoder", "layer": 0, "head": 1}
    | {"query": 9, "key": 9},
]


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"width": 4, "alpha": 0.9, "language": "ko"},
        {"typed": WIDE, "twin": TIRED, "changes": [*CHANGES, PATCH]},
        {"typed": WIDE, "twin": TIRED, "changes": [PATCH]},
        {"changes": CHANGES, "width": 3},
        {"forced": [9, 30]},
    ],
)
def test_the_lines_of_python_write_the_same(engine, changed):
    lines, expected = engine.call(WRITE, changed)
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(lines, "copied", "exec"), {})
    assert printed.getvalue().strip() == expected


def test_a_model_of_the_readers_own_is_read_from_its_folder(engine):
    lines, _ = engine.call(WRITE, {"language": "own"})
    assert 'load_translator("FOLDER")' in lines


FOLLOWS = """(({step, ...changed}) => {
  live.state.step = step;
  Object.assign(live.state, changed, {translator: fr});
  live.compute();
  const {source, tokens, whole, decoded, isSure} = live.state;
  const {from, keys, weights} = live.look(live.state);
  return {S: source.ids.length, tokens, step: live.state.step, isSure,
    T: decoded.ids.length, whole: whole?.tokens ?? null, from, keys,
    sum: weights.reduce((a, b) => a + b), changes: live.state.changes.length};
})"""


def test_what_follows_from_the_state(engine):
    engine.call(FOLLOWS, {"typed": TIRED, "changes": [], "step": 0})
    off = {"how": "silence", "part": "encoder", "layer": 1, "head": 2}
    found = engine.call(FOLLOWS, {"typed": WIDE, "step": 0})
    assert found["tokens"][found["step"]] == "elle"  # where it is another
    assert found["whole"] is None and found["isSure"]
    assert (found["S"], found["T"]) == (14, len(found["tokens"]))
    assert found["keys"] == "source" and found["sum"] == pytest.approx(
        1, abs=1e-4
    )
    found = engine.call(FOLLOWS, {"changes": [off], "step": 0})
    assert found["tokens"][found["step"]] == "il"
    assert found["whole"][found["step"]] == "elle"
    word = {"side": "source", "place": 8}
    head = {"part": "encoder", "layer": 1, "head": 2}
    found = engine.call(FOLLOWS, {"chosen": head, "word": word, "step": 3})
    assert found["from"] == word and found["keys"] == "source"
    bad = [
        off | {"head": 9},
        off | {"part": "cross", "layer": 2},
        PATCH | {"place": 40},
    ]
    found = engine.call(
        FOLLOWS, {"changes": bad, "chosen": head | {"head": 4}, "step": 0}
    )
    assert found["changes"] == 0 and found["whole"] is None


# ---- Weight, and links ------------------------------------------------------


def test_the_scripts_are_light_and_ask_nobody_else():
    texts = {n: (STATIC / f"{n}.js").read_text("utf-8") for n in OWN}
    texts["css"] = (STATIC / "live.css").read_text("utf-8")
    for text in texts.values():
        assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
        assert "@import" not in text


def test_a_link_may_hold_a_state_of_the_live_page(tmp_path):
    page = "<html lang='en'><body><article>{}</article></body></html>"
    (tmp_path / "live.html").write_text(
        page.format("<div class='atn-live' id='live'></div>")
    )
    path = tmp_path / "a.html"
    links = ["live.html#en=hi&amp;off=sx1.2", "live.html#live", "a.html#en=hi"]
    path.write_text(
        page.format("".join(f"<a href='{a}'>x</a>" for a in links))
    )
    found = list(check_book.complaints(path))
    assert found == ["links to a.html#en=hi, which is missing"]
