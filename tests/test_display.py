"""A figure in a notebook: SVG that is sharp, the same, and fits a phone."""

import base64
import io
import re
import xml.etree.ElementTree as ET

import matplotlib.pyplot as plt
import numpy as np
import pytest
from PIL import Image

from attnbook import plots
from attnbook.plots import display
from attnbook.plots.narrow import narrow

TAG = f"{{{display.SVG}}}"


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def two_panels(title="What both panels of this figure show, in many words"):
    fig, axes = plt.subplots(1, 2, figsize=(7, 3), sharey=True)
    for ax, name in zip(axes, ("one", "two"), strict=True):
        line = {"a line": [1, 2, 3], "another": [3, 2, 1]}
        plots.curves(ax, [1, 2, 3], line, "width $d_k$", "", name)
        ax.get_legend().remove()
    axes[0].set_ylabel("loss (nats)")
    names = axes[0].get_legend_handles_labels()
    fig.legend(*names, loc="outside lower center", ncols=2)
    plots.headline(fig, title)
    return fig


def maps(count=4):
    names = [str(n) for n in range(6)]
    fig, axes = plots.head_grid(np.eye(6)[None].repeat(count, 0), names, names)
    fig.colorbar(axes[0].images[0], ax=axes, label="weight")
    return fig


def words_of(root):
    return ["".join(text.itertext()) for text in root.iter(f"{TAG}text")]


def test_text_is_text_and_twice_the_same_figure_is_the_same_file():
    text = display.svg_of(two_panels())
    root = ET.fromstring(text)
    assert root.get("class") == "attnbook-plot"
    words = [word.replace("\xa0", " ") for word in words_of(root)]
    assert "loss (nats)" in words and "width dk" in words
    assert "<style" not in text and "date" not in text
    assert text == display.svg_of(two_panels())


def test_ids_are_unique_and_found():
    text = display.svg_of(two_panels())
    ids = re.findall(r' id="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r"#(\w{11})\b", text)) == set(ids)


def test_a_map_has_a_pixel_for_each_cell_and_a_dark_twin():
    fig, ax = plt.subplots(figsize=(3, 3))
    plots.heatmap(ax, np.eye(3), list("abc"), list("abc"), numbers=False)
    pictures = [*ET.fromstring(display.svg_of(fig)).iter(f"{TAG}image")]
    looks = [(p.get("class"), p.get("display")) for p in pictures]
    assert looks == [(None, None), ("attnbook-dark", "none")]
    light, dark = (
        np.asarray(
            Image.open(
                io.BytesIO(
                    base64.b64decode(p.get(display.HREF).split(",", 1)[1])
                )
            ).convert("RGB")
        )
        for p in pictures
    )
    assert light.shape == dark.shape == (3, 3, 3)
    assert light[0, 1].min() > 240 and dark[0, 1].max() < 50  # a zero
    assert light[0, 0].mean() < dark[0, 0].mean()  # a one


def test_a_narrow_figure_has_no_second_form():
    fig, ax = plt.subplots(figsize=(3.2, 3))
    ax.plot([1, 2])
    assert narrow(fig) is None


def test_what_cannot_be_copied_stays_as_it_is():
    fig, ax = plt.subplots(figsize=(7, 3))
    ax.xaxis.set_major_formatter(lambda x, place: f"{x}")
    assert narrow(fig) is None
    assert "attnbook-narrow" not in display.svg_of(fig)


def test_panels_stand_below_each_other_with_their_labels():
    fig = two_panels()
    copy = narrow(fig)
    assert plt.get_fignums() == [fig.number]
    assert tuple(fig.get_size_inches()) == (7, 3)
    one, two = copy.axes
    assert one.get_window_extent().y0 > two.get_window_extent().y1
    assert two.get_ylabel() == "loss (nats)"
    assert two.yaxis.get_tick_params()["labelleft"]
    assert "\n" in copy._suptitle._get_wrapped_text()


@pytest.mark.parametrize("figure", [two_panels, maps])
def test_nothing_of_the_narrow_form_is_cut(figure):
    root = ET.fromstring(display.svg_of(figure()))
    (small,) = [c for c in root if c.get("class") == "attnbook-narrow"]
    assert small.get("display") == "none"
    assert 300 < int(small.get("width")) < 375


def test_four_maps_stand_in_two_columns_above_their_bar():
    copy = narrow(maps())
    boxes = [ax.get_window_extent() for ax in copy.axes]
    assert boxes[0].y0 == boxes[1].y0 > boxes[2].y1
    assert boxes[4].y1 < boxes[2].y0 and boxes[4].width > boxes[4].height
    assert copy.get_supylabel() == "query (attending)"


@pytest.mark.parametrize(
    ("names", "left", "turned"),
    [
        ([f"{n},000,000" for n in range(12)], [0, 4, 8], 0),
        (["a long name of it"] * 12, range(12), 45),
    ],
)
def test_names_below_a_panel_do_not_touch(names, left, turned):
    fig, ax = plt.subplots(figsize=(7, 3))
    ax.set_xticks(range(12), names)
    (ax,) = narrow(fig).axes
    assert [*ax.get_xticks()] == [*left]
    assert {t.get_rotation() for t in ax.get_xticklabels()} == {turned}


def test_numbers_of_a_map_fit_its_cells():
    fig, ax = plt.subplots(figsize=(7, 3))
    names = [str(n) for n in range(10)]
    plots.heatmap(ax, np.eye(10), names, names)
    (ax,) = narrow(fig).axes
    widest = max(text.get_window_extent().width for text in ax.texts)
    assert widest < ax.get_window_extent().width / 10
