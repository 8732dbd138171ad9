"""A figure as wide as a phone: the same panels, below each other."""

import pickle

import matplotlib.pyplot as plt
from matplotlib.gridspec import GridSpec

WIDTH = 3.5  # inches; about 340 pixels
GAP = 4  # pixels between two names, at least
SMALLER = 0.75  # a grid that keeps its columns
BAR = 0.5  # inches of a bar below a map
LINE = 0.2  # inches that a further line of a headline needs


def narrow(fig):
    """Return a copy of a figure that a phone shows whole.

    Args:
        fig: a matplotlib figure, which stays as it is.

    Returns:
        The copy, or None if the figure is narrow itself or has parts, such
        as a function of the reader, that cannot be copied.
    """
    if fig.get_figwidth() <= WIDTH + 0.1:
        return None
    try:
        copy = pickle.loads(pickle.dumps(fig))
    except (AttributeError, TypeError, pickle.PicklingError):
        return None
    plt.close(copy)  # which pyplot takes for one more figure to show
    width, height = copy.get_size_inches()
    copy.set_size_inches(WIDTH, height + LINE * bool(copy.get_suptitle()))
    _stack(copy, height)
    titles = [getattr(copy, "_suptitle", None)]
    titles += [t for ax in copy.axes for t in (ax.title, ax._left_title)]
    for title in filter(None, titles):
        title.set_wrap(True)
    for legend in [*copy.legends]:
        _narrow_legend(copy, legend)
    for ax in [*copy.axes]:
        for image in ax.images:
            _lay_colours_below(image)
    copy.draw_without_rendering()  # which lays it out
    for ax in copy.axes:
        _thin_out(ax)
        _shrink_numbers(ax)
    return copy


def _stack(fig, height):
    """Put the panels of a figure below each other.

    A grid of maps whose columns are named once keeps its columns; four maps
    or more with names of their own stand in two columns.

    Args:
        fig: the figure, changed in place.
        height: of the wide one, in inches.
    """
    panels = [ax for ax in fig.axes if ax.get_subplotspec()]
    grids = {ax.get_gridspec() for ax in panels}
    if len(grids) != 1 or len(panels) == 1:
        return
    (grid,) = grids
    maps = all(ax.images for ax in panels)
    named = all(ax.get_title(loc="left") for ax in panels)
    if grid.nrows > 1 and maps and not named:
        fig.set_figheight(LINE + height * SMALLER)
        return
    across = 2 if maps and len(panels) > 3 else 1
    down = -(-len(panels) // across)
    head = fig.get_figheight() - height
    each = height / grid.nrows * (0.75 if across == 2 else 1)
    fig.set_figheight(head + max(height, each * down))
    new = GridSpec(down, across, figure=fig)
    old = {divmod(ax.get_subplotspec().num1, grid.ncols): ax for ax in panels}
    for number, ((row, column), ax) in enumerate(old.items()):
        ax.set_subplotspec(new[divmod(number, across)])
        if number + across >= len(panels):
            _show_labels(ax, old.get((grid.nrows - 1, column), ax), "x")
        if number % across == 0:
            _show_labels(ax, old.get((row, 0), ax), "y")
    if across > 1:
        _name_axes_once(fig, panels, across)


def _show_labels(ax, owner, axis):
    """Give a panel at an edge the labels that it had from a neighbour."""
    side = {"x": "bottom", "y": "left"}[axis]
    own = getattr(ax, f"{axis}axis")
    if own.get_tick_params().get(f"label{side}", True):
        return
    ax.tick_params(axis=axis, which="both", **{f"label{side}": True})
    label = getattr(owner, f"{axis}axis").get_label_text()
    own.set_label_text(own.get_label_text() or label)


def _lay_colours_below(image):
    """Move the bar that explains a map's colours below its panels.

    It stays at their side if the name of a shared axis is there.
    """
    fig, bar = image.figure, image.colorbar
    if not bar or bar.orientation == "horizontal" or fig.get_supxlabel():
        return
    panels, label = bar.ax._colorbar_info["parents"], bar.ax.get_ylabel()
    bar.remove()
    looks = {"location": "bottom", "shrink": 0.8, "aspect": 30}
    fig.set_figheight(fig.get_figheight() + BAR)
    fig.colorbar(image, ax=panels, label=label, **looks)


def _narrow_legend(fig, legend):
    """Give a figure's legend as many columns as there is room for."""
    names = [text.get_text() for text in legend.get_texts()]
    sizes = {text.get_fontsize() for text in legend.get_texts()}
    handles = legend.legend_handles
    looks = {"loc": "outside lower center", "fontsize": max(sizes)}
    for columns in range(legend._ncols, 0, -1):
        legend.remove()
        legend = fig.legend(handles, names, ncols=columns, **looks)
        if legend.get_window_extent().width < fig.bbox.width:
            return


def _name_axes_once(fig, panels, across):
    """Name what panels share at the lowest row, and once to their left."""
    for ax in panels[:-across]:
        ax.set_xlabel("")
    labels = [ax.yaxis.get_label() for ax in panels]
    names = {label.get_text() for label in labels} - {""}
    if len(names) == 1:
        fig.supylabel(*names, fontsize=labels[0].get_fontsize())
        for label in labels:
            label.set_text("")


def _thin_out(ax):
    """Let no two names below a panel touch.

    Words are turned; of numbers every second one is left out, or more.
    """
    labels = [t for t in ax.get_xticklabels() if t.get_text()]
    extents = [label.get_window_extent() for label in labels]
    boxes = sorted((box.x0, box.x1) for box in extents)
    pairs = zip(boxes, boxes[1:], strict=False)
    turned = any(label.get_rotation() for label in labels)
    if turned or not any(one[1] + GAP > two[0] for one, two in pairs):
        return
    if any(label.get_text()[-1].isalpha() for label in labels):
        for label in labels:
            label.set(rotation=45, ha="right", rotation_mode="anchor")
        return
    names = [t.get_text() for t in ax.get_xticklabels()]
    ax.set_xticks(ax.get_xticks()[::2], names[::2])
    _thin_out(ax)


def _shrink_numbers(ax):
    """Let the numbers in a map's cells be no wider than the cells."""
    numbers = [t for t in ax.texts if t.get_text().replace(".", "").isdigit()]
    if not ax.images or not numbers:
        return
    cell = ax.get_window_extent().width / ax.images[0].get_array().shape[1]
    widest = max(text.get_window_extent().width for text in numbers)
    for text in numbers if widest > 0.9 * cell else ():
        text.set_fontsize(text.get_fontsize() * 0.9 * cell / widest)
