"""The check of a drawn map leaves the learner's figures as they are."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest
import torch

from answers import TASKS
from attnbook import checks

TENTHS = [i / 10 for i in range(11)]
RIGHT = TASKS["plot_attention"].right


@pytest.fixture(autouse=True)
def no_figures():
    plt.close("all")
    yield
    plt.close("all")


@pytest.mark.parametrize("answer", RIGHT, ids=lambda a: a.__name__)
def test_figures_settings_and_current_figure_stay(answer):
    first, second = plt.figure(), plt.figure()
    plt.figure(first)
    before, show = dict(mpl.rcParams), plt.show
    assert checks.check_plot_attention(answer)
    assert plt.get_fignums() == [first.number, second.number]
    assert plt.gcf() is first
    assert not first.axes and not second.axes
    assert dict(mpl.rcParams) == before
    assert plt.show is show


def test_without_figures_none_is_left():
    assert checks.check_plot_attention(RIGHT[0])
    assert plt.get_fignums() == []


def test_figures_are_closed_after_an_error():
    def fails(weights, rows, columns):
        plt.figure()
        raise ValueError("no")

    verdict = checks.check_plot_attention(fails)
    assert "ValueError: no" in verdict.hint
    assert plt.get_fignums() == []


def test_the_book_s_own_heatmap_passes():
    from attnbook import plots

    def drawn(weights, rows, columns):
        return plots.heatmap(plt.gca(), weights, rows, columns)

    assert checks.check_plot_attention(drawn)


def test_weights_that_need_a_gradient_are_not_asked_for():
    def drawn(weights, rows, columns):
        assert not weights.requires_grad
        assert isinstance(weights, torch.Tensor)
        return RIGHT[0](weights, rows, columns)

    assert checks.check_plot_attention(drawn)


@pytest.mark.parametrize(
    "norm",
    [mpl.colors.LogNorm(0, 1), mpl.colors.BoundaryNorm(TENTHS, 256), None],
)
def test_unusual_limits_are_judged(norm):
    def drawn(weights, rows, columns):
        _, ax = plt.subplots()
        picture = mpl.image.AxesImage(ax, norm=norm)
        picture.set_data(weights)
        ax.add_image(picture)
        ax.set_xlim(-0.5, len(columns) - 0.5)
        ax.set_ylim(len(rows) - 0.5, -0.5)
        ax.set_xticks(range(len(columns)), columns)
        ax.set_yticks(range(len(rows)), rows)
        ax.set(xlabel="key", ylabel="query")
        return ax

    name = "Normalize" if norm is None else type(norm).__name__
    assert f"({name}); two" in checks.check_plot_attention(drawn).hint


def test_images_of_another_axes_are_not_counted():
    def drawn(weights, rows, columns):
        ax = RIGHT[0](weights, rows, columns)
        ax.inset_axes([0.5, 0.5, 0.2, 0.2]).imshow(weights)
        ax.figure.colorbar(ax.images[0])
        return ax

    assert checks.check_plot_attention(drawn)
