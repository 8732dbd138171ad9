import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch

from attnbook import plots
from attnbook.config import TransformerConfig
from attnbook.transformer import Transformer

NAMES = ["<pad>", "<bos>", "the", "animal", "길을", "건너지", "않았다"]


def tick_labels(axis):
    return [tick.get_text() for tick in axis.get_ticklabels()]


def test_labels_and_numbers_of_a_heatmap_belong_together():
    weights = torch.tensor([[0.9, 0.1, 0.0], [0.25, 0.25, 0.5]])
    _, ax = plt.subplots()
    assert plots.heatmap(ax, weights, ["q0", "q1"], ["a", "b", "c"]) is ax
    assert tick_labels(ax.yaxis) == ["q0", "q1"]
    assert tick_labels(ax.xaxis) == ["a", "b", "c"]
    np.testing.assert_allclose(ax.images[0].get_array(), weights)
    assert ax.images[0].get_clim() == (0, 1)
    cells = {tuple(t.get_position()): t.get_text() for t in ax.texts}
    assert cells[(0, 0)] == "0.90"
    assert cells[(2, 1)] == "0.50"
    assert "query" in ax.get_ylabel() and "key" in ax.get_xlabel()


@pytest.mark.parametrize("label, degrees", [("4", 0), ("<eos>", 45)])
def test_only_long_labels_are_turned(label, degrees):
    _, ax = plt.subplots()
    plots.heatmap(ax, torch.ones(1, 2), ["q"], ["a", label])
    turned = {tick.get_rotation() for tick in ax.xaxis.get_ticklabels()}
    assert turned == {degrees}


def test_a_headline_begins_at_the_left_edge():
    fig, _ = plt.subplots(1, 2, figsize=(7, 3))
    plots.headline(fig, "what it shows")
    fig.canvas.draw()
    assert 0 < fig._suptitle.get_window_extent().x0 < 14  # pixels of 700


def test_a_map_of_a_model_is_labelled_by_the_tensors_that_made_it():
    torch.manual_seed(0)
    sizes = {"source_vocab": 7, "target_vocab": 7, "d_model": 8, "d_ff": 8}
    sizes |= {"num_heads": 2, "num_encoder_layers": 1, "num_decoder_layers": 1}
    model = Transformer(TransformerConfig(**sizes)).eval()
    source, target = torch.tensor([[2, 3, 5, 0]]), torch.tensor([[1, 4, 6]])
    weights = model.attention_maps(source, target)["cross"][0, 0]
    rows = plots.labels(target[0], NAMES)
    columns = plots.labels(source[0], NAMES)
    fig, axes = plots.head_grid(weights, rows, columns, "two heads")
    assert tick_labels(axes[0].yaxis) == ["<bos>", "길을", "않았다"]
    assert tick_labels(axes[1].xaxis) == ["the", "animal", "건너지", "<pad>"]
    pad = axes[0].images[0].get_array()[:, 3]
    np.testing.assert_array_equal(pad, 0)
    fig.canvas.draw()  # a missing glyph would warn, and warnings are errors


def test_korean_is_drawn_with_the_carried_font():
    from matplotlib.font_manager import fontManager

    assert plots.HANGUL in {font.name for font in fontManager.ttflist}
    fig, ax = plt.subplots()
    ax.set_title("동물은 길이 너무 넓어서 건너지 않았다 'il' élève")
    fig.canvas.draw()


def test_a_missing_letter_does_not_pass_silently():
    fig, ax = plt.subplots()
    ax.set_title("\u0e01")  # a Thai letter, which the course does not need
    with pytest.warns(UserWarning, match="[Gg]lyph"):
        fig.canvas.draw()


def test_head_grid_draws_every_head_once():
    weights = torch.arange(5 * 2 * 3).view(5, 2, 3) / 30
    _, axes = plots.head_grid(weights, "ab", "xyz")
    assert [ax.get_title(loc="left") for ax in axes] == [
        f"head {h}" for h in range(5)
    ]
    for head, ax in enumerate(axes):
        np.testing.assert_allclose(ax.images[0].get_array(), weights[head])


def test_curves_draw_mean_and_range_of_seeds():
    _, ax = plt.subplots()
    seeds = torch.tensor([[1.0, 2.0], [3.0, 6.0]])
    series = {"one": [5.0, 7.0], "many": seeds}
    plots.curves(ax, [10, 20], series, "step", "loss (nats)", "title")
    one, many = ax.get_lines()
    np.testing.assert_allclose(one.get_ydata(), [5, 7])
    np.testing.assert_allclose(many.get_ydata(), [2, 4])
    assert len(ax.collections) == 1
    low, high = ax.collections[0].get_datalim(ax.transData).intervaly
    assert (low, high) == (1, 6)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("step", "loss (nats)")
    assert [t.get_text() for t in ax.get_legend().texts] == ["one", "many"]


def test_positions_show_the_table():
    _, ax = plt.subplots()
    table = torch.linspace(-1, 1, 12).view(3, 4)
    plots.positions(ax, table, "title")
    np.testing.assert_allclose(ax.images[0].get_array(), table)
    assert ax.get_xlabel() and ax.get_ylabel()


def test_labels_that_do_not_count_are_refused():
    _, ax = plt.subplots()
    with pytest.raises(ValueError, match=r"2 queries x 2 keys, got \(2, 3\)"):
        plots.heatmap(ax, torch.ones(2, 3), "ab", "cd")
    with pytest.raises(ValueError, match="2 values of 'loss', got 3"):
        plots.curves(ax, [1, 2], {"loss": [1, 2, 3]}, "x", "y")


def test_the_look_of_a_heatmap():
    _, ax = plt.subplots()
    weights = torch.tensor([[1.9, 0.1], [0.2, 0.8]])
    plots.heatmap(ax, weights, "ab", "cd", limits=(-1, 2))
    assert ax.images[0].get_clim() == (-1, 2)
    assert ax.images[0].get_cmap().name == "Blues"
    bottom, top = ax.get_ylim()
    assert bottom > top, "the first query stands at the top"
    colours = {t.get_text(): t.get_color() for t in ax.texts}
    assert colours["1.90"] == "white" and colours["0.10"] == "black"
    plots.heatmap(plt.subplots()[1], weights, "ab", "cd", numbers=False)
    assert len(plt.gcf().axes[0].texts) == 0


def test_contrast_is_that_of_the_web():
    assert plots.contrast("white", "black") == pytest.approx(21)
    assert plots.contrast("#777777", "white") == pytest.approx(4.48, abs=0.01)


def test_numbers_can_be_read_on_every_cell():
    """White from 0.50 on had a contrast of 2.6 at 0.52."""
    fig, ax = plt.subplots()
    weights = torch.linspace(0, 1, 101)[None]
    plots.heatmap(ax, weights, "a", ["b"] * 101)
    assert len(ax.texts) == 101
    for text, value in zip(ax.texts, weights[0].tolist(), strict=True):
        ground = ax.images[0].to_rgba(value)
        assert plots.contrast(text.get_color(), ground) >= 4.5, value


def test_figures_have_an_opaque_ground_titles_and_a_width_for_the_page():
    fig, axes = plots.head_grid(torch.ones(5, 1, 1) / 2, "a", "b", "title")
    assert fig.get_suptitle() == "title"
    assert fig.get_size_inches()[0] <= 7
    assert fig.get_facecolor() == (1, 1, 1, 1)
    assert plt.rcParams["savefig.facecolor"] == "white"
    assert len(fig.axes) == len(axes) == 5
    _, ax = plt.subplots()
    plots.curves(ax, [1], {"a": [1]}, "x", "y", "a title")
    assert ax.get_title(loc="left") == "a title"


def test_positions_are_drawn_from_minus_1_to_1():
    _, ax = plt.subplots()
    plots.positions(ax, torch.zeros(2, 2))
    assert ax.images[0].get_clim() == (-1, 1)


@pytest.mark.parametrize("heads", [1, 3, 5, 6, 7, 8])
def test_every_head_has_labels_below_it_or_below_its_neighbour(heads):
    fig, axes = plots.head_grid(torch.ones(heads, 1, 2) / 2, "a", "bc")
    fig.canvas.draw()
    for head, ax in enumerate(axes):
        labelled = ax.xaxis.get_tick_params()["labelbottom"]
        assert labelled == (head + 4 >= heads)
        assert bool(ax.get_xlabel()) == labelled
        assert bool(ax.get_ylabel()) == (head % 4 == 0)


def test_tokens_are_no_formulas():
    fig, ax = plt.subplots()
    plots.heatmap(ax, torch.ones(1, 2) / 2, ["$a_b^$"], ["$", "b"])
    fig.canvas.draw()
    assert tick_labels(ax.yaxis) == [r"\$a_b^\$"]


def test_no_heads_are_refused():
    with pytest.raises(ValueError, match="at least one head, got none"):
        plots.head_grid(torch.ones(0, 1, 1), "a", "b")
