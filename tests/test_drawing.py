"""Drawings: what they say comes from tensors, and looks stay in the house."""

import re
from pathlib import Path
from xml.etree import ElementTree

import nbformat
import pytest
import torch

from attnbook.plots import Drawing
from attnbook.plots.cells import UNDER_TEXT
from attnbook.plots.svg import COLOURS, STEPS, measure_width
from notebooks import drawing_complaints

SVG = "{http://www.w3.org/2000/svg}"
DARK = {
    "card": "#1c2026",
    "ink": "#e6e3dc",
    "quiet": "#a4abb6",
    "link": "#8cc4de",
    "project": "#7db2ee",
    "score": "#f0a04b",
    "mask": "#a9adb5",
    "normalise": "#b99bea",
    "mix": "#6cc795",
}


def root_of(drawing):
    return ElementTree.fromstring(drawing._repr_svg_())


def texts_of(drawing):
    return ["".join(t.itertext()) for t in root_of(drawing).iter(f"{SVG}text")]


def every_glyph():
    """Return a drawing with one glyph of each kind."""
    d = Drawing("One of each.", width=680)
    x = d.matrix(torch.arange(6).view(2, 3) - 2, "X (T, D)", (60, 60))
    q = d.matrix(torch.eye(2), "Q (T, T)", x.beside(90), "project")
    d.arrow(x, q, "W^Q", "project")
    d.brace(x, "D")
    d.mask(torch.ones(2, 2).tril().bool(), "mask (T, T)", (60, 180))
    w = d.weights(torch.eye(2), "weights", (160, 180), numbers=True)
    d.head([w], "head 0", copies=2)
    s = d.softmax([0.25, 0.75], "softmax", (300, 180), ["a", "tired"])
    t = d.token("<bos>", (420, 200), "mix")
    d.layer([s, t], "layer 1")
    d.sum((560, 200))
    d.part("norm", (600, 200), 60, "score")
    d.line([(420, 60), (450, 30), (480, 60)], "score", dashed=True)
    return d


def test_numbers_and_names_come_from_the_tensor():
    d = Drawing("x")
    x = torch.tensor([[0.25, -1.0], [-0.04, 2.0]])
    d.matrix(x, "X (T, D)", (60, 60), numbers=True, rows=["a_b", "<c>"])
    assert texts_of(d) == [
        "0.2",
        "-1.0",
        "0.0",
        "2.0",
        "a_b",
        "<c>",
        "X (T, D)",
    ]
    d = Drawing("x")
    d.matrix(torch.arange(3), "x (D)", (20, 40), numbers=True)
    assert texts_of(d) == ["0", "1", "2", "x (D)"]


def test_strength_is_size_and_hue_is_sign():
    d = Drawing("x")
    d.matrix([[4.0, -2.0]], at=(20, 40), step="score")
    groups = [g for g in root_of(d).iter(f"{SVG}g")]
    looks = {
        g.get("style"): [r.get("fill-opacity") for r in g] for g in groups
    }
    assert looks == {
        f"fill:var(--atn-score,{COLOURS['score']})": ["0.90"],
        f"fill:var(--atn-quiet,{COLOURS['quiet']})": ["0.45"],
    }


def test_a_line_goes_through_its_points():
    d = Drawing("x")
    d.line([(20, 40), (60.04, 20), (100, 40)], "mix")
    (path,) = root_of(d).iter(f"{SVG}path")
    assert path.get("d") == "M20 40L60 20L100 40"
    assert "--atn-mix" in path.get("style")
    assert "dash" not in path.get("style")
    with pytest.raises(ValueError, match="within 0 to 340"):
        d.line([(20, 40), (350, 40)])


@pytest.mark.parametrize(
    ("upright", "tip"),
    [(None, "M116 60L"), (False, "M116 60L"), (True, "M120 56L")],
)
def test_an_arrow_goes_the_way_it_is_told(upright, tip):
    d = Drawing("x")
    d.arrow((20, 20), (120, 60), upright=upright)
    points = [p.get("d") for p in root_of(d).iter(f"{SVG}path")]
    assert tip in points[1], points


def test_bars_stand_on_a_line_and_negative_ones_hang_from_it():
    d = Drawing("x")
    box = d.bars([2.0, -1.0], "s (S)", (20, 40), "score", high=40)
    up, down = (
        {k: float(r.get(k)) for k in ("y", "height")}
        for g in root_of(d).iter(f"{SVG}g")
        for r in g.iter(f"{SVG}rect")
    )
    assert (up["height"], down["height"]) == (40, 20)
    assert up["y"] + up["height"] == down["y"] < box.bottom
    assert texts_of(d) == ["2", "-1", "s (S)"]
    d = Drawing("x")
    d.bars([0.5, 0.25], at=(20, 40), numbers=False, largest=1, cell=20)
    heights = [float(r.get("height")) for r in root_of(d).iter(f"{SVG}rect")]
    assert heights[1:] == [32, 16], "without the card"
    assert texts_of(d) == []


def test_a_letter_means_one_size():
    d = Drawing("x")
    d.matrix(torch.ones(2, 3), "X (T, D)", (20, 40))
    with pytest.raises(ValueError, match=r"T = 2 in 'Y \(T, D\)', got 3"):
        d.matrix(torch.ones(3, 3), "Y (T, D)", (120, 40))
    with pytest.raises(ValueError, match="2 letters"):
        d.matrix(torch.ones(2, 3), "Y (T)", (120, 40))
    with pytest.raises(ValueError, match="4 = 4"):
        d.matrix(torch.ones(2, 3), "Y (4, 3)", (120, 40))


@pytest.mark.parametrize(
    ("draw", "words"),
    [
        (lambda d: Drawing(""), "alt text"),
        (lambda d: Drawing("x", 800), "680"),
        (lambda d: d.matrix(torch.ones(1, 2, 2)), "one or two axes"),
        (lambda d: d.matrix([[float("nan")]]), "finite"),
        (lambda d: d.matrix([[1.0]], at=(330, 40)), "within 0 to 340"),
        (lambda d: d.matrix([[1.0]], at=(9, 40), step="blue"), "expected one"),
        (lambda d: d.matrix([[1.0]], at=(9, 40), rows=["a", "b"]), "1 names"),
        (lambda d: d.matrix([[1, 2]], groups=[[1]], at=(9, 40)), "groups"),
        (lambda d: d.weights([[0.5, 0.6]], at=(9, 40)), "sum 1"),
        (lambda d: d.softmax([1.5, -0.5], at=(9, 40)), "from 0"),
        (lambda d: d.mask(torch.ones(2, 2), at=(9, 40)), "bool"),
        (lambda d: d.text("x", (9, 40), size=11), "13 pixels"),
        (lambda d: d.part("mask", (9, 40), 30), "or more, got 30"),
    ],
)
def test_bad_input_is_refused(draw, words):
    with pytest.raises(ValueError, match=words):
        draw(Drawing("x"))


def test_the_same_tensors_give_the_same_text():
    svg = every_glyph()._repr_svg_()
    assert svg == every_glyph()._repr_svg_()
    assert " id=" not in svg and "url(" not in svg
    assert not re.search(r"\d\.\d\d\d", svg), "coordinates are rounded"


def test_colours_are_only_the_pages_variables():
    svg = every_glyph()._repr_svg_()
    found = set(re.findall(r"(?:fill|stroke):([^;\"]+)", svg)) - {"none"}
    assert found <= {f"var(--atn-{k},{v})" for k, v in COLOURS.items()}
    assert not re.search(r' (fill|stroke)="', svg)


def test_it_says_what_one_would_see():
    d = every_glyph()
    root = root_of(d)
    assert (root.get("role"), root.get("aria-label")) == (
        "img",
        "One of each.",
    )
    assert root.find(f"{SVG}title").text == repr(d) == "One of each."
    assert root.get("class") == "attnbook-drawing"
    assert root.get("viewBox") == f"0 0 680 {root.get('height')}"


def test_texts_are_large_enough_and_fit_their_cells():
    for text in root_of(every_glyph()).iter(f"{SVG}text"):
        assert float(text.get("font-size", 13)) >= 13
    d = Drawing("x")
    box = d.matrix([[-12.5, 3.5]], at=(20, 40), numbers=True)
    assert box.width / 2 >= measure_width("-12.5", 13)
    chip = d.token("animal", (20, 100))
    assert chip.width >= measure_width("animal")


def mixed(colour, share, ground):
    """Mix two colours, as a page does."""
    pairs = zip(*(bytes.fromhex(c[1:]) for c in (colour, ground)), strict=True)
    return [share * a + (1 - share) * b for a, b in pairs]


def luminance(parts):
    """Return the relative luminance of red, green, blue from 0 to 255."""
    linear = [
        p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4
        for p in (part / 255 for part in parts)
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("theme", [COLOURS, DARK])
@pytest.mark.parametrize("hue", [*STEPS, "link", "quiet"])
def test_numbers_can_be_read_on_the_strongest_cell(theme, hue):
    ground = luminance(mixed(theme[hue], UNDER_TEXT, theme["card"]))
    ink = luminance(mixed(theme["ink"], 1, theme["card"]))
    low, high = sorted((ground, ink))
    assert (high + 0.05) / (low + 0.05) >= 4.5


def test_the_stored_glyphs_are_what_their_script_draws(monkeypatch):
    folder = Path(__file__).resolve().parents[1] / "book/figures"
    monkeypatch.syspath_prepend(str(folder))
    import glyphs

    stored = (folder / "glyphs.svg").read_text(encoding="utf-8")
    assert stored == glyphs.draw().svg + "\n"


@pytest.mark.parametrize(
    ("tags", "alt", "words"),
    [
        (["drawing", "hide-input"], "A cat.", []),
        (["drawing"], "A cat.", ["shows the code"]),
        (["drawing", "hide-input"], "A dog.", ["another alt text"]),
        ([], "A dog.", []),
    ],
)
def test_the_cell_of_a_drawing_is_folded_and_says_its_alt(tags, alt, words):
    data = {"image/svg+xml": "<svg/>", "text/plain": "A cat."}
    cell = nbformat.v4.new_code_cell(
        outputs=[nbformat.v4.new_output("execute_result", data)],
        metadata={"tags": tags, "mystnb": {"image": {"alt": alt}}},
    )
    found = list(drawing_complaints(cell))
    assert len(found) == len(words)
    assert all(w in f for w, f in zip(words, found, strict=True))


def test_a_vector_is_straight_from_foot_to_tip():
    d = Drawing("A vector.")
    d.vector((100, 100), (160, 20), "mix")
    assert "M100 100L155.2 26.4" in d.svg  # to the foot of its tip
    assert "M160 20L" in d.svg and "--atn-mix" in d.svg
    with pytest.raises(ValueError, match="a vector within"):
        d.vector((100, 100), (400, 20))


def test_an_area_is_filled_and_closed_and_a_line_is_not():
    d = Drawing("A bar on a dashed line.")
    d.area([(10, 90), (10, 40), (30, 40), (30, 90)], "score")
    d.line([(0, 90), (100, 90)], dashed=True)
    assert 'd="M10 90L10 40L30 40L30 90z"' in d.svg
    assert 'd="M0 90L100 90"' in d.svg and "stroke-dasharray" in d.svg
    for draw in (d.area, d.line):
        with pytest.raises(ValueError, match="within 0 to 340"):
            draw([(10, 10), (400, 10), (400, 60)])
