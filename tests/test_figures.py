"""The drawn figures: they are what their script writes, and are readable."""

import importlib
import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).resolve().parents[1]
FIGURES = ROOT / "book/figures"
STORED = ROOT / "code/attnbook/plots/architecture.svg"
MODULES = ("architecture", "drawing", "looks", "panels", "parts")
SVG = "{http://www.w3.org/2000/svg}"
NARROWEST = 720  # a phone scrolls it at this width: course.css


@pytest.fixture
def scripts(monkeypatch):
    """Import the scripts of the figure, and forget them afterwards."""
    monkeypatch.syspath_prepend(str(FIGURES))
    yield {name: importlib.import_module(name) for name in MODULES}
    for name in MODULES:
        del sys.modules[name]


@pytest.fixture(scope="module")
def picture():
    return ElementTree.parse(STORED).getroot()


def looks_of(picture):
    """Return the declarations of each class in the picture's style."""
    found = {}
    style = picture.find(f"{SVG}style").text
    for names, body in re.findall(r"^\s*\.(\S+) \{([^}]*)\}", style, re.M):
        pairs = (part.split(":") for part in body.split(";") if ":" in part)
        found[names] = {key.strip(): value.strip() for key, value in pairs}
    return found


def value(looks, element, key):
    """Return what the last of an element's classes says, or None."""
    names = element.get("class").split()
    values = [looks.get(name, {}).get(key) for name in names]
    return next((v for v in reversed(values) if v), None)


def luminance(colour):
    """Return the relative luminance of "#rrggbb", as WCAG 2 defines it."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [
        p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4
        for p in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    """Return the contrast of two colours, from 1 to 21."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def texts_on_grounds(picture):
    """Yield each text with the last box that was drawn behind its anchor."""
    boxes = []
    for element in picture.iter():
        if element.tag == f"{SVG}rect":
            boxes.append(element)
        elif element.tag == f"{SVG}text":
            place = float(element.get("x")), float(element.get("y")) - 4
            yield element, next(b for b in boxes[::-1] if holds(b, *place))


def holds(box, x, y):
    """Say whether a point lies in a box."""
    left, top = float(box.get("x")), float(box.get("y"))
    width, height = float(box.get("width")), float(box.get("height"))
    return left <= x <= left + width and top <= y <= top + height


def words_of(element):
    """Return what a text says."""
    return "".join(element.itertext())


def group_of(picture, name):
    """Return all texts of a group."""
    group = picture.find(f".//{SVG}g[@id='{name}']")
    return [words_of(text) for text in group.iter(f"{SVG}text")]


def test_contrast_is_that_of_wcag():
    assert contrast("#ffffff", "#000000") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.01)


def test_the_stored_picture_is_what_the_script_writes(scripts):
    drawn = scripts["architecture"].draw()
    assert STORED.read_text(encoding="utf-8") == drawn, (
        "run python book/figures/architecture.py"
    )


def test_the_steps_have_the_colours_of_all_drawings(scripts):
    from attnbook.plots.svg import STEPS

    svg = STORED.read_text(encoding="utf-8")
    assert scripts["looks"].STEPS is STEPS
    for step, colour in STEPS.items():
        assert f".full-{step} {{ fill: {colour}; }}" in svg
    assert scripts["looks"].WINE not in STEPS.values()


def test_the_picture_says_in_words_what_it_shows(picture):
    assert picture.get("role") == "img"
    names = picture.get("aria-labelledby").split()
    found = [picture.find(f"{SVG}{tag}") for tag in ("title", "desc")]
    assert [element.get("id") for element in found] == names
    assert all(len(element.text) > 20 for element in found)


def test_the_picture_stands_alone(picture):
    text = STORED.read_text(encoding="utf-8")
    assert not re.search(r"<script|<image|<foreignObject|@import|href", text)
    assert set(re.findall(r"url\((.)", text)) == {"#"}
    ids = [e.get("id") for e in picture.iter() if e.get("id")]
    assert len(ids) == len(set(ids))
    assert set(re.findall(r"url\(#([^)]*)\)", text)) <= set(ids)


def test_every_class_has_a_look(picture):
    looks = looks_of(picture)
    for element in picture.iter():
        names = (element.get("class") or "").split()
        known = any(name in looks for name in names)
        assert not names or known or ".".join(names) in looks, names


@pytest.mark.parametrize(
    ("name", "weights"),
    [
        ("encoder", ["weights (B, H, S, S)"]),
        ("decoder", ["weights (B, H, T, T)", "weights (B, H, T, S)"]),
    ],
)
def test_every_attention_has_its_shape(picture, name, weights):
    found = group_of(picture, name)
    assert [words for words in found if "weights" in words] == weights


def test_shapes_stand_at_the_arrows(picture):
    assert "(B, S)" in group_of(picture, "encoder-input")
    assert "(B, T)" in group_of(picture, "decoder-input")
    assert "(B, S, D)" in group_of(picture, "memory")
    assert "logits (B, T, vocab)" in group_of(picture, "output")
    assert group_of(picture, "one-attention").count("(B, H, T, S)") == 3


def test_no_text_is_small(picture):
    looks, width = looks_of(picture), float(picture.get("width"))
    assert width <= 900
    tags = (f"{SVG}text", f"{SVG}tspan")
    texts = [e for e in picture.iter() if e.tag in tags and e.get("class")]
    assert texts
    for element in texts:
        size = float(value(looks, element, "font-size").removesuffix("px"))
        assert size * NARROWEST / width >= 11, words_of(element)


def test_a_phone_shows_it_at_the_width_that_is_tested_here():
    css = (ROOT / "book/_static/course.css").read_text(encoding="utf-8")
    assert f"min-width: {NARROWEST}px" in css


def test_every_text_has_contrast(picture):
    looks = looks_of(picture)
    for element, box in texts_on_grounds(picture):
        ink = value(looks, element, "fill")
        ground = value(looks, box, "fill")
        assert contrast(ink, ground) >= 4.5, (words_of(element), ink, ground)
