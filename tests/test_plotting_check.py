"""The check of a drawn map leaves the learner's figures as they are."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest
import torch

from answers import TASKS
from attnbook import checks

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
