"""Answers to the tasks of chapter 5, Softmax and heatmaps."""

import matplotlib.pyplot as plt
import numpy as np
import torch
import torch.nn.functional as F

from answers.registry import right, wrong

# -------------------------------------------------------------- softmax
TASK = "softmax"


def divided(powers, dim):
    """Return powers divided by their sum over an axis."""
    return powers / powers.sum(dim=dim, keepdim=True)


def lowered(x, dim):
    """Return scores less the largest one along an axis."""
    return x - x.amax(dim=dim, keepdim=True)


@right(TASK)
def by_hand(x, dim, temperature):
    return divided(lowered(x / temperature, dim).exp(), dim)


@right(TASK)
def pytorch_s_own(scores, axis, t):
    return F.softmax(scores / t, dim=axis)


@right(TASK)
def maximum_first(x, dim, temperature):
    largest, _ = x.max(dim, keepdim=True)
    e = torch.exp((x - largest) / temperature)
    return e / torch.einsum("...s->...", e.movedim(dim, -1)).unsqueeze(dim)


@right(TASK)
def by_logarithms(x, dim, temperature):
    x = x / temperature
    return (x - x.logsumexp(dim, keepdim=True)).exp()


@right(TASK)
def float64_inside(x, dim, temperature):
    return (x.double() / temperature).softmax(dim).to(x.dtype)


@right(TASK)
def axis_moved_and_back(x, dim, temperature):
    rows = x.transpose(dim, -1) / temperature
    rows = rows - rows.max(-1, keepdim=True)[0]
    return divided(rows.exp(), -1).transpose(dim, -1)


@right(TASK)
def loops(x, dim, temperature):
    rows = x.movedim(dim, -1)
    out = torch.zeros_like(rows)
    for index in np.ndindex(*rows.shape[:-1]):
        powers = ((rows[index] - rows[index].max()) / temperature).exp()
        for j, power in enumerate(powers):
            out[(*index, j)] = power / sum(powers)
    return out.movedim(-1, dim)


@right(TASK)
def numpy_like(x, dim, temperature):
    e = np.e ** lowered(x / temperature, dim)
    return divided(e, dim)


@right(TASK)
def filled_row_by_row(x, dim, temperature):
    rows = (x / temperature).movedim(dim, 0)
    out, largest = torch.empty_like(rows), rows.amax(0)
    total = sum((row - largest).exp() for row in rows)
    for i, row in enumerate(rows):
        out[i] = (row - largest).exp() / total
    return out.movedim(0, dim)


@right(TASK)
def powers_filled_then_divided(x, dim, temperature):
    rows = lowered(x / temperature, dim).movedim(dim, -1)
    powers = torch.empty_like(rows)
    for j in range(rows.size(-1)):
        powers[..., j] = rows[..., j].exp()
    return divided(powers, -1).movedim(-1, dim)


@right(TASK)
def in_place_where_nothing_is_needed(x, dim, temperature):
    powers = lowered(x / temperature, dim).exp_()
    return divided(powers, dim)


@right(TASK)
def stacked_rows(x, dim, temperature):
    rows = x.movedim(dim, -1) / temperature
    flat = rows.reshape(-1, rows.size(-1))
    done = [divided((row - row.max()).exp(), 0) for row in flat]
    return torch.stack(done).reshape(rows.shape).movedim(-1, dim)


@right(TASK)
def largest_detached(x, dim, temperature):
    x = x / temperature
    return divided((x - x.amax(dim, keepdim=True).detach()).exp(), dim)


SLIPS = {
    "always_the_last_axis": (
        "you normalise axis 2 of 3",
        lambda x, dim, t: (x / t).softmax(-1),
    ),
    "negative_axes_forgotten": (
        "for dim=-1 you normalise axis 0",
        lambda x, dim, t: (x / t).softmax(max(dim, 0)),
    ),
    "first_axis_mistaken_for_none": (
        "for dim=0 you normalise axis 1",
        lambda x, dim, t: (x / t).softmax(dim or -1),
    ),
    "negative_axes_are_the_last": (
        "for dim=-2 you normalise axis 2 of 3",
        lambda x, dim, t: (x / t).softmax(dim if dim >= 0 else x.dim() - 1),
    ),
    "turned_for_the_first_axis": (
        "for dim=0 you normalise axis 1 of 3",
        lambda x, dim, t: (
            (x / t).mT.softmax(-1).mT
            if dim == 0 < x.dim() - 1
            else (x / t).softmax(dim)
        ),
    ),
    "negative_axes_of_three": (
        "for dim=-3 you normalise axis 0 of 4",
        lambda x, dim, t: (x / t).softmax(dim % min(x.dim(), 3)),
    ),
    "one_maximum_for_all": (
        "every row has its own largest score",
        lambda x, dim, t: divided(
            ((x - x[x.isfinite()].max()) / t).clamp(min=-1e4).exp(), dim
        ),
    ),
    "mean_of_hidden_scores": (
        "-inf minus -inf",
        lambda x, dim, t: divided(
            (lowered(x, dim) / t)
            .sub((lowered(x, dim) / t * 0).mean(dim, keepdim=True))
            .exp(),
            dim,
        ),
    ),
    "hidden_scores_made_large": (
        "a score of -inf must get the weight 0",
        lambda x, dim, t: (x.clamp(min=-1e4) / t).softmax(dim),
    ),
    "temperature_kept_up": (
        "is the temperature kept from getting small",
        lambda x, dim, t: (x / max(t, 0.01)).softmax(dim),
    ),
    "sum_lost_its_axis": (
        "keepdim=True",
        lambda x, dim, t: (
            lowered(x / t, dim).exp() / lowered(x / t, dim).exp().sum(dim)
        ),
    ),
    "flattened": (
        "must have the shape of x",
        lambda x, dim, t: (x / t).softmax(dim).flatten(),
    ),
    "something_small_added": (
        "the sums over the axis dim are not 1",
        lambda x, dim, t: (
            lowered(x / t, dim).exp()
            / (lowered(x / t, dim).exp().sum(dim, keepdim=True) + 0.1)
        ),
    ),
    "rounded": (
        "nearly right",
        lambda x, dim, t: (x / t).softmax(dim) + 1e-4 * (x / t).tanh(),
    ),
    "clamped": (
        "about -60: a row far from 0 or from the others comes out even",
        lambda x, dim, t: (x / t).clamp(-50, 50).softmax(dim),
    ),
    "one_maximum_and_a_small_number": (
        "below the others comes out as zeros",
        lambda x, dim, t: (
            ((x - x.max()) / t).exp()
            / (((x - x.max()) / t).exp().sum(dim, keepdim=True) + 1e-9)
        ),
    ),
    "one_maximum_and_nan_replaced": (
        "below the others comes out as zeros",
        lambda x, dim, t: divided(((x - x.max()) / t).exp(), dim).nan_to_num(
            0.0
        ),
    ),
    "small_powers_clamped": (
        "comes out even: its scores or its powers are cut off",
        lambda x, dim, t: divided(
            ((x - x.max()) / t).exp().clamp(min=1e-30), dim
        ),
    ),
    "large_powers_clamped": (
        "scores of a thousand: something is cut off or replaced",
        lambda x, dim, t: divided((x / t).exp().clamp(1e-37, 1e37), dim),
    ),
    "clamped_high": (
        "far apart: a row far from 0 or from the others comes out even",
        lambda x, dim, t: (x / t).clamp(-80, 80).softmax(dim),
    ),
    "cold_for_large_scores": (
        "scores of a thousand: something is cut off or replaced",
        lambda x, dim, t: (
            (x / t).round().softmax(dim)
            if x.abs().max() > 500
            else (x / t).softmax(dim)
        ),
    ),
    "one_maximum_for_columns": (
        "columns whose scores lie far apart: NaN: you subtract one number",
        lambda x, dim, t: divided(
            (x / t - (x / t).max() if dim == 0 else lowered(x / t, dim)).exp(),
            dim,
        ),
    ),
    "hidden_scores_clamped": (
        "and yours is above it",
        lambda x, dim, t: divided(
            lowered(x / t, dim).clamp(min=-40).exp(), dim
        ),
    ),
    "a_millionth_added": (
        "float64: nearly right: something small is added",
        lambda x, dim, t: (
            lowered(x / t, dim).exp()
            / (lowered(x / t, dim).exp().sum(dim, keepdim=True) + 1e-6)
        ),
    ),
    "small_weights_cut": (
        "float64: nearly right: something small is added, cut off",
        lambda x, dim, t: (
            (x / t).softmax(dim).where((x / t).softmax(dim) > 1e-6, 0.0)
        ),
    ),
    "maximum_lost_its_axis": (
        "if a sum or a maximum has lost its axis: keepdim=True",
        lambda x, dim, t: divided(((x - x.amax(dim)) / t).exp(), dim),
    ),
    "two_results_of_max": (
        "max with dim returns two things; use amax or .values",
        lambda x, dim, t: divided(
            ((x - x.max(dim=dim, keepdim=True)) / t).exp(), dim
        ),
    ),
    "maximum_along_the_last_axis": (
        "you subtract the largest score along axis 2, but sum over axis dim",
        lambda x, dim, t: divided((lowered(x, -1) / t).exp(), dim),
    ),
    "always_float32": (
        "keep the type",
        lambda x, dim, t: (x.float() / t).softmax(dim),
    ),
    "detached": (
        "no gradient flows",
        lambda x, dim, t: (x.detach() / t).softmax(dim),
    ),
    "sum_detached": (
        "the gradient of x is not",
        lambda x, dim, t: (
            lowered(x / t, dim).exp()
            / lowered(x / t, dim).exp().sum(dim, keepdim=True).detach()
        ),
    ),
    "by_logarithms_of_weights": (
        "their gradient is NaN",
        lambda x, dim, t: divided(lowered(x / t, dim).exp(), dim).log().exp(),
    ),
    "root_of_squares": (
        "their gradient is NaN",
        lambda x, dim, t: (x / t).softmax(dim).square().sqrt(),
    ),
    "another_gradient": (
        "the gradient of x is not",
        lambda x, dim, t: (x.detach() / t).softmax(dim).requires_grad_(),
    ),
    "squeezed": (
        "an axis of size 1 is gone",
        lambda x, dim, t: (x / t).softmax(dim).squeeze(),
    ),
    "multiplied_in_place": (
        "backward() fails",
        lambda x, dim, t: (x / t).softmax(dim).mul_(1.0),
    ),
    "list_of_numbers": (
        "return one tensor",
        lambda x, dim, t: (x / t).softmax(dim).tolist(),
    ),
}
for name, (words, slip) in SLIPS.items():
    slip.__name__ = name
    wrong(TASK, words)(slip)


@wrong(TASK, "an infinity was made and then covered up")
def by_differences(x, dim, temperature):
    y = x.transpose(dim, -1) / temperature
    apart = y[..., None, :] - y[..., :, None]
    weights = 1 / apart.exp().sum(dim=-1)
    return weights.nan_to_num(0).transpose(dim, -1)


@wrong(TASK, "in place")
def lowered_in_place(x, dim, temperature):
    with torch.no_grad():
        x -= x.amax(dim, keepdim=True)
    return (x / temperature).softmax(dim)


@wrong(TASK, "overwritten in place (/=, exp_, o[i] = ...)")
def divided_in_place(x, dim, temperature):
    powers = lowered(x / temperature, dim).exp()
    powers /= powers.sum(dim, keepdim=True)
    return powers


@wrong(TASK, "kept from getting large (min, clamp)?")
def ten_at_most(x, dim, temperature):
    return (x / min(temperature, 10)).softmax(dim)


@wrong(TASK, "getting small, or 0?")
def all_for_one_when_cold(x, dim, temperature):
    if temperature < 0.01:
        return F.one_hot(x.argmax(dim), x.size(dim)).to(x.dtype)
    return (x / temperature).softmax(dim)


# ------------------------------------------------------- plot_attention
TASK = "plot_attention"


def dress(ax, rows, columns, offset=0.0):
    """Give an Axes ticks, tokens and names."""
    ax.set_xticks([j + offset for j in range(len(columns))], columns)
    ax.set_yticks([i + offset for i in range(len(rows))], rows)
    ax.set_xlabel("key")
    ax.set_ylabel("query")
    return ax


@right(TASK)
def with_imshow(weights, rows, columns):
    _, ax = plt.subplots()
    ax.imshow(weights, vmin=0, vmax=1, cmap="Blues")
    return dress(ax, rows, columns)


@right(TASK)
def with_matshow(w, queries, keys):
    axes = plt.figure().add_subplot()
    axes.matshow(w.numpy(), vmin=0.0, vmax=1.0)
    axes.set_xticks(range(len(keys)), keys, rotation=90)
    axes.set_yticks(range(len(queries)), queries)
    axes.set(xlabel="Keys (attended to)", ylabel="Queries (attending)")
    return axes


@right(TASK)
def with_pyplot_alone(weights, rows, columns):
    plt.imshow(weights, aspect="auto")
    plt.clim(0, 1)
    plt.colorbar(label="weight")
    plt.sca(plt.gcf().axes[0])
    plt.xticks(range(len(columns)), columns)
    plt.yticks(range(len(rows)), rows)
    plt.xlabel("key tokens")
    plt.ylabel("query tokens")
    return plt.gca()


@right(TASK)
def with_pcolormesh(weights, rows, columns):
    fig, ax = plt.subplots(figsize=(3, 3))
    mesh = ax.pcolormesh(weights.tolist(), vmin=0, vmax=1, edgecolors="w")
    ax.invert_yaxis()
    ax.set_aspect("equal")
    fig.colorbar(mesh)
    return dress(ax, rows, columns, 0.5)


@right(TASK)
def as_seaborn_draws(weights, rows, columns):
    plt.rcParams["font.size"] = 5
    fig, ax = plt.subplots()
    mesh = ax.pcolormesh(np.asarray(weights), cmap="viridis")
    mesh.set_clim(0, 1)
    ax.set(xlim=(0, len(columns)), ylim=(0, len(rows)))
    ax.invert_yaxis()
    dress(ax, rows, columns, 0.5)
    for i, row in enumerate(weights):
        for j, weight in enumerate(row):
            ax.text(j + 0.5, i + 0.5, f"{weight:.1f}")
    plt.show()
    return ax


@right(TASK)
def from_below_but_turned_round(weights, rows, columns):
    _, ax = plt.subplots()
    ax.imshow(weights.flip(0), origin="lower", vmin=0, vmax=1)
    dress(ax, rows[::-1], columns)
    return ax


@right(TASK)
def with_an_extent(weights, rows, columns):
    _, axes = plt.subplots(1, 2)
    extent = (0, 2 * len(columns), 3 * len(rows), 0)
    axes[0].imshow(weights, vmin=0, vmax=1, extent=extent)
    axes[0].set_xticks([2 * j + 1 for j in range(len(columns))], columns)
    axes[0].set_yticks([3 * i + 1.5 for i in range(len(rows))], rows)
    axes[0].set(xlabel="KEYS", ylabel="QUERIES")
    return axes[0]


@right(TASK)
def with_both_words_in_both_names(weights, rows, columns):
    _, ax = plt.subplots()
    ax.imshow(weights, vmin=0, vmax=1)
    dress(ax, rows, columns)
    ax.set_xlabel("keys (what the queries look at)")
    ax.set_ylabel("queries (which look at the keys)")
    return ax


@right(TASK)
def with_a_margin(weights, rows, columns):
    _, ax = plt.subplots()
    ax.imshow(weights, vmin=0, vmax=1)
    ax.set(xlim=(-1, len(columns)), ylim=(len(rows), -1))
    return dress(ax, rows, columns)


@right(TASK)
def with_tight_layout_and_a_colour_bar(weights, rows, columns):
    fig, ax = plt.subplots()
    fig.colorbar(ax.imshow(weights, vmin=0, vmax=1), ax=ax)
    dress(ax, rows, columns)
    fig.tight_layout()
    return ax


@right(TASK)
def with_labels_of_minor_ticks(weights, rows, columns):
    _, ax = plt.subplots()
    ax.imshow(weights, vmin=0, vmax=1)
    ax.set(xticks=[], yticks=[], xlabel="key", ylabel="query")
    ax.set_xticks(range(len(columns)), columns, minor=True)
    ax.set_yticks(range(len(rows)), rows, minor=True)
    return ax


def image(values, **options):
    """Return an Axes with an image on the right scale."""
    _, ax = plt.subplots()
    ax.imshow(values, **{"vmin": 0, "vmax": 1, **options})
    return ax


@wrong(TASK, "the tick labels of the y axis show")
def tokens_on_the_wrong_axis(weights, rows, columns):
    return dress(image(weights), columns, rows)


@wrong(TASK, "your map is transposed")
def axes_exchanged(weights, rows, columns):
    return dress(image(weights.T), columns, rows)


@wrong(TASK, "your map is transposed")
def transposed(weights, rows, columns):
    return dress(image(weights.T), rows, columns)


@wrong(TASK, "the colours run from 0.08 to 0.47")
def scale_of_its_own(weights, rows, columns):
    _, ax = plt.subplots()
    ax.imshow(weights)
    return dress(ax, rows, columns)


@wrong(TASK, "the colours run from 0.00 to 0.47")
def scale_up_to_the_largest(weights, rows, columns):
    return dress(image(weights, vmax=weights.max()), rows, columns)


@wrong(TASK, "the colours run from -1.00 to 1.00")
def scale_from_minus_1(weights, rows, columns):
    return dress(image(weights, vmin=-1, cmap="bwr"), rows, columns)


@wrong(TASK, "the colours run from 0.10 to 0.90")
def scale_cut_at_both_ends(weights, rows, columns):
    return dress(image(weights, vmin=0.1, vmax=0.9), rows, columns)


@wrong(TASK, "from 0.00 to 1.00 (PowerNorm)")
def scale_of_powers(weights, rows, columns):
    from matplotlib.colors import PowerNorm

    _, ax = plt.subplots()
    ax.imshow(weights, norm=PowerNorm(0.3, 0, 1))
    return dress(ax, rows, columns)


@wrong(TASK, "from 0.00 to 1.00 (LogNorm)")
def scale_of_logarithms(weights, rows, columns):
    from matplotlib.colors import LogNorm

    _, ax = plt.subplots()
    ax.imshow(weights, norm=LogNorm(0.001, 1))
    return dress(ax, rows, columns)


@wrong(TASK, "the limits of the x axis cut cells off")
def half_cells_cut_off(weights, rows, columns):
    ax = dress(image(weights), rows, columns)
    ax.set_xlim(0, len(columns) - 1)
    ax.set_ylim(len(rows) - 1, 0)
    return ax


@wrong(TASK, "the limits of the y axis cut cells off")
def first_row_cut_off(weights, rows, columns):
    ax = dress(image(weights), rows, columns)
    ax.set_ylim(len(rows) - 0.5, 0.5)
    return ax


@wrong(TASK, "your Axes shows 2 images")
def covered_by_an_image(weights, rows, columns):
    ax = image(weights * 0)
    ax.images[0].set_zorder(5)
    ax.imshow(weights, vmin=0, vmax=1)
    return dress(ax, rows, columns)


KEPT = []


@wrong(TASK, "your Axes shows 2 images")
def one_axes_for_all_calls(weights, rows, columns):
    if not KEPT:
        KEPT.append(plt.figure().add_subplot())
    KEPT[0].imshow(weights, vmin=0, vmax=1)
    return dress(KEPT[0], rows, columns)


@wrong(TASK, "of the x axis show nothing")
def axis_hidden(weights, rows, columns):
    ax = dress(image(weights), rows, columns)
    ax.xaxis.set_visible(False)
    return ax


@wrong(TASK, "the label of the x axis is ''")
def names_hidden(weights, rows, columns):
    ax = dress(image(weights), rows, columns)
    ax.xaxis.label.set_visible(False)
    ax.yaxis.label.set_visible(False)
    return ax


@wrong(TASK, "must say that columns are keys")
def only_sounds_like_keys(weights, rows, columns):
    ax = dress(image(weights), rows, columns)
    ax.set(xlabel="monkey", ylabel="querulous")
    return ax


@wrong(TASK, "must say that rows are queries")
def only_sounds_like_queries(weights, rows, columns):
    ax = dress(image(weights), rows, columns)
    ax.set(ylabel="querulous")
    return ax


@wrong(TASK, "do not stand at the centres")
def ticks_a_quarter_off(weights, rows, columns):
    return dress(image(weights), rows, columns, 0.25)


@wrong(TASK, "not for a single query: your function raised an error")
def squeezed_image(weights, rows, columns):
    return dress(image(weights.squeeze()), rows, columns)


@wrong(TASK, "of the y axis show nothing")
def labels_missing(weights, rows, columns):
    ax = image(weights)
    ax.set_xticks([])
    ax.set_yticks([])
    ax.set(xlabel="key", ylabel="query")
    return ax


@wrong(TASK, "of the x axis show nothing")
def labels_hidden(weights, rows, columns):
    ax = dress(image(weights), rows, columns)
    ax.tick_params(labelbottom=False)
    return ax


@wrong(TASK, "of the y axis show nothing")
def axis_off(weights, rows, columns):
    ax = dress(image(weights), rows, columns)
    ax.set_axis_off()
    return ax


@wrong(TASK, "the tick labels of the y axis show ['")
def numbers_for_tokens(weights, rows, columns):
    ax = image(weights)
    ax.set(xlabel="key", ylabel="query")
    return ax


@wrong(TASK, "the tick labels of the x axis show ['")
def only_rows_labelled(weights, rows, columns):
    ax = image(weights)
    ax.set_yticks(range(len(rows)), rows)
    ax.set(xlabel="key", ylabel="query")
    return ax


@wrong(TASK, "set ticks and labels together")
def labels_without_ticks(weights, rows, columns):
    ax = image(weights)
    ax.set_xticklabels(columns)
    ax.set_yticklabels(rows)
    ax.set(xlabel="key", ylabel="query")
    return ax


@wrong(TASK, "the label of the x axis is ''")
def names_missing(weights, rows, columns):
    ax = dress(image(weights), rows, columns)
    ax.set(xlabel="", ylabel="")
    return ax


@wrong(TASK, "the label of the x axis is 'token'")
def x_name_missing(weights, rows, columns):
    ax = dress(image(weights), rows, columns)
    ax.set(xlabel="token")
    return ax


@wrong(TASK, "the label of the y axis is ''")
def y_name_missing(weights, rows, columns):
    ax = dress(image(weights), rows, columns)
    ax.set(ylabel="")
    return ax


@wrong(TASK, "outside of brackets")
def both_words_on_each_axis(weights, rows, columns):
    ax = dress(image(weights), rows, columns)
    ax.set(xlabel="key, query", ylabel="query, key")
    return ax


@wrong(TASK, "the label of the y axis is 'query, key'; outside of brackets")
def both_words_on_the_y_axis(weights, rows, columns):
    ax = dress(image(weights), rows, columns)
    ax.set(ylabel="query, key")
    return ax


@wrong(TASK, "your Axes shows no images")
def see_through(weights, rows, columns):
    return dress(image(weights, alpha=0), rows, columns)


@wrong(TASK, "the label of the x axis is 'query'")
def names_exchanged(weights, rows, columns):
    ax = dress(image(weights), rows, columns)
    ax.set(xlabel="query", ylabel="key")
    return ax


@wrong(TASK, "your map is upside down")
def upside_down(weights, rows, columns):
    return dress(image(weights, origin="lower"), rows, columns)


@wrong(TASK, "your map is upside down")
def mesh_from_below(weights, rows, columns):
    _, ax = plt.subplots()
    ax.pcolormesh(weights, vmin=0, vmax=1)
    return dress(ax, rows, columns, 0.5)


@wrong(TASK, "your map is upside down")
def image_upside_down(weights, rows, columns):
    return dress(image(weights.flip(0)), rows, columns)


@wrong(TASK, "the tick labels of the y axis show")
def labels_upside_down(weights, rows, columns):
    return dress(image(weights), rows[::-1], columns)


@wrong(TASK, "columns are mirrored")
def mirrored(weights, rows, columns):
    ax = dress(image(weights), rows, columns)
    ax.invert_xaxis()
    return ax


@wrong(TASK, "do not stand at the centres")
def mesh_with_ticks_at_borders(weights, rows, columns):
    _, ax = plt.subplots()
    ax.pcolormesh(weights, vmin=0, vmax=1)
    ax.invert_yaxis()
    return dress(ax, rows, columns)


@wrong(TASK, "the tick labels of the x axis show ['bird'")
def labels_shifted(weights, rows, columns):
    return dress(image(weights), rows, [columns[-1], *columns[:-1]])


@wrong(TASK, "those of the weights times 100.00")
def percentages(weights, rows, columns):
    return dress(image(100 * weights, vmax=100), rows, columns)


@wrong(TASK, "those of the weights times")
def rows_stretched(weights, rows, columns):
    stretched = weights / weights.amax(1, keepdim=True)
    return dress(image(stretched), rows, columns)


@wrong(TASK, "are not the weights; draw")
def map_stretched(weights, rows, columns):
    low, high = weights.min(), weights.max()
    return dress(image((weights - low) / (high - low)), rows, columns)


@wrong(TASK, "those of the weights times")
def map_scaled(weights, rows, columns):
    return dress(image(weights / weights.max()), rows, columns)


@wrong(TASK, "are not the weights, but nearly")
def rounded(weights, rows, columns):
    return dress(image(weights.round(decimals=1)), rows, columns)


@wrong(TASK, "are not the weights")
def softmax_once_more(weights, rows, columns):
    return dress(image(weights.softmax(-1)), rows, columns)


@wrong(TASK, "the image has 4 x 3 cells; the weights have 4 x 4")
def last_column_cut(weights, rows, columns):
    return dress(image(weights[:, :-1]), rows, columns)


@wrong(TASK, "are not the weights")
def other_numbers(weights, rows, columns):
    return dress(image(weights**2), rows, columns)


@wrong(TASK, "not for a causal map, whose two axes have the same words: the")
def zeros_hidden(weights, rows, columns):
    return dress(image(weights.where(weights > 0, np.nan)), rows, columns)


@wrong(TASK, "your image holds colours")
def colours(weights, rows, columns):
    return dress(image(plt.cm.viridis(weights.numpy())), rows, columns)


@wrong(TASK, "your Axes shows no images")
def nothing_drawn(weights, rows, columns):
    return dress(plt.gca(), rows, columns)


@wrong(TASK, "return the Axes alone; you return a thing of type Figure")
def the_figure(weights, rows, columns):
    ax = dress(image(weights), rows, columns)
    return ax.figure


@wrong(TASK, "of type AxesImage")
def the_image(weights, rows, columns):
    return plt.imshow(weights, vmin=0, vmax=1)


@wrong(TASK, "of type tuple")
def figure_and_axes(weights, rows, columns):
    ax = dress(image(weights), rows, columns)
    return ax.figure, ax


@wrong(TASK, "returns nothing")
def shown_not_returned(weights, rows, columns):
    plt.imshow(weights, vmin=0, vmax=1)
    plt.xticks(range(len(columns)), columns)
    plt.yticks(range(len(rows)), rows)
    plt.show()


@wrong(TASK, "not for 3 queries and 6 keys: your function raised an error")
def as_many_columns_as_rows(weights, rows, columns):
    n = len(rows)
    ax = image(weights)
    ax.set_xticks(range(n), columns)
    ax.set_yticks(range(n), rows)
    ax.set(xlabel="key", ylabel="query")
    return ax


@wrong(TASK, "a word that comes twice: ")
def words_made_unique(weights, rows, columns):
    ax = dress(image(weights), rows, columns)
    last = {word: i for i, word in enumerate(rows)}
    ax.set_yticks(list(last.values()), list(last))
    return ax


@wrong(TASK, "not for 11 x 11: ")
def every_second_label(weights, rows, columns):
    ax = dress(image(weights), rows, columns)
    if len(columns) > 9:
        ax.set_xticks(range(0, len(columns), 2), columns[::2])
    return ax


@wrong(TASK, "a single query: draw one even cell per weight")
def mesh_around_centres(weights, rows, columns):
    _, ax = plt.subplots()
    x, y = range(len(columns)), range(len(rows))
    ax.pcolormesh(x, y, weights, vmin=0, vmax=1, shading="nearest")
    ax.invert_yaxis()
    return dress(ax, rows, columns)


@wrong(TASK, "one even cell per weight")
def smooth_shading(weights, rows, columns):
    _, ax = plt.subplots()
    x, y = range(len(columns)), range(len(rows))
    ax.pcolormesh(x, y, weights, vmin=0, vmax=1, shading="gouraud")
    ax.invert_yaxis()
    return dress(ax, rows, columns)


@right(TASK)
def with_pcolor_and_limits(weights, rows, columns):
    _, ax = plt.subplots()
    ax.pcolor(weights, vmin=0, vmax=1)
    ax.set_ylim(len(rows), 0)
    return dress(ax, rows, columns, 0.5)


@right(TASK)
def with_ticks_on_top(weights, rows, columns):
    ax = plt.figure().add_axes([0.2, 0.2, 0.7, 0.7])
    ax.imshow(weights, norm=plt.Normalize(0, 1), interpolation="none")
    dress(ax, rows, columns).xaxis.tick_top()
    ax.xaxis.set_label_position("top")
    return ax


@wrong(TASK, "different weights have one colour")
def one_colour(weights, rows, columns):
    cmap = plt.matplotlib.colors.ListedColormap(["white"])
    return dress(image(weights, cmap=cmap), rows, columns)


@wrong(TASK, "different weights have one colour")
def a_map_that_ends_as_it_starts(weights, rows, columns):
    return dress(image(weights, cmap="hsv"), rows, columns)


@wrong(TASK, "for the first columns of a wider map")
def rows_normalised_again(weights, rows, columns):
    shares = weights / weights.sum(1, keepdim=True)
    return dress(image(shares), rows, columns)


@wrong(TASK, "your Axes shows no images")
def axes_hidden(weights, rows, columns):
    ax = dress(image(weights), rows, columns)
    ax.set_visible(False)
    return ax


@wrong(TASK, "no smoothing")
def smoothed(weights, rows, columns):
    return dress(image(weights, interpolation="bicubic"), rows, columns)


@wrong(TASK, "draw one even cell per weight")
def cells_of_several_widths(weights, rows, columns):
    _, ax = plt.subplots()
    borders = np.cumsum([0] + [1 + j for j in range(len(columns))])
    ax.pcolormesh(borders, range(len(rows) + 1), weights, vmin=0, vmax=1)
    ax.invert_yaxis()
    dress(ax, rows, columns, 0.5)
    ax.set_xticks((borders[1:] + borders[:-1]) / 2, columns)
    return ax


@right(TASK)
def on_a_dark_ground(weights, rows, columns):
    with plt.style.context("dark_background"):
        _, ax = plt.subplots()
        ax.imshow(weights, vmin=0, vmax=1, cmap="magma", alpha=0.9)
        return dress(ax, rows, columns)


@wrong(TASK, "your colours get lighter and darker again")
def a_rainbow(weights, rows, columns):
    return dress(image(weights, cmap="jet"), rows, columns)


@wrong(TASK, "your colours get lighter and darker again")
def stripes(weights, rows, columns):
    return dress(image(weights, cmap="prism"), rows, columns)


@wrong(TASK, "your colours get lighter and darker again")
def two_hues_with_a_middle(weights, rows, columns):
    return dress(image(weights, cmap="RdBu"), rows, columns)


@wrong(TASK, "both axes have the label 'queries x keys'")
def one_label_for_both_axes(weights, rows, columns):
    ax = dress(image(weights), rows, columns)
    ax.set(xlabel="queries x keys", ylabel="queries x keys")
    return ax


@wrong(TASK, "for a causal map")
def zeros_left_blank(weights, rows, columns):
    shown = np.ma.masked_equal(weights.numpy(), 0)
    return dress(image(shown), rows, columns)


@wrong(TASK, "for a causal map")
def large_weights_cut_off(weights, rows, columns):
    return dress(image(weights.clamp(max=0.9)), rows, columns)


@right(TASK)
def with_a_tight_layout(weights, rows, columns):
    ax = dress(image(weights), rows, columns)
    ax.figure.colorbar(ax.images[0])
    ax.figure.tight_layout()
    return ax


@right(TASK)
def with_minor_labels(weights, rows, columns):
    ax = image(weights)
    borders = np.arange(len(columns) + 1) - 0.5
    ax.set_xticks(borders, [""] * len(borders))
    ax.set_xticks(range(len(columns)), columns, minor=True)
    ax.set_yticks(range(len(rows)), rows, minor=True)
    ax.set_yticks([])
    ax.set(xlabel="key", ylabel="query")
    return ax
