"""Drawings of tensors: the glyphs of the course, put on a sheet by hand.

    d = Drawing("X times the matrix W^Q gives Q.")
    x = d.matrix(X, "X (T, D)", at=(20, 40))
    q = d.matrix(Q, "Q (T, d_k)", at=x.beside(70), step="project")
    d.arrow(x, q, "W^Q", step="project")
    d

A glyph is placed by the upper left corner of its body; its labels stand
around that.  It returns its `Box`, for the next one and for arrows.  A size
in a label, such as T or d_k, must be the same throughout a drawing.
"""

from dataclasses import replace

import numpy as np

from attnbook.plots import cells
from attnbook.plots.charts import Charts
from attnbook.plots.figures import to_array
from attnbook.plots.svg import SMALL, Box, measure_width, paint
from attnbook.plots.wires import LINE, unite

GAP = 7  # from a glyph to its label
BAR = 64  # pixels of a weight of 1
NAME = {"size": SMALL, "plain": True}


class Drawing(Charts):
    """A card to put glyphs on; a notebook shows it when it ends a cell.

    Args:
        alt: what one would see, in words.
        width: in pixels; 340 is what a phone shows whole, 680 the most.

    Raises:
        ValueError: no alt text, or a width over 680.
    """

    def __init__(self, alt, width=340):
        super().__init__(alt, width)
        self.sizes = {}

    def token(self, word, at, step=None):
        """Draw a word on a chip.

        Args:
            word: what the chip says, as it is.
            at: upper left corner of the body, (x, y), as for all glyphs.
            step: one of the five words, for its colour; None: ink.

        Returns:
            Its `Box`, 28 high.
        """
        box = Box(*at, measure_width(word) + 18, 28)
        style = f"fill:none;stroke:{paint(step or 'quiet')}"
        chip = cells.rect(*at, box.width, 28, rx=14, style=style)
        self.put([chip], box.edges, repr(word))
        place = box.middle[0], box.y + 19
        self.text(word, place, step or "ink", "middle", plain=True)
        return box

    def matrix(self, values, label=None, at=(0, 0), step=None, **options):
        """Draw a vector or a matrix: hue is the sign, strength the size.

        Args:
            values: (T, D) or (D,), a tensor, an array or a list.
            label: "X", or "Q (T, d_k)" with a name for each axis.
            at: upper left corner of the body.
            step: one of the five words, for its colour; None: no step.
            options: numbers (True: write them), rows and columns (names),
                cell (pixels), largest (the size drawn strongest), groups
                (ints, shaped like values: colour by group, not by sign).

        Returns:
            Its `Box`.

        Raises:
            ValueError: values, names or letters that do not fit.
        """
        self.check(label, to_array(values).shape)
        values = cells.to_matrix(values, label or "a matrix")
        numbers = options.pop("numbers", False)
        texts = (
            cells.format_cells(values, step == "normalise") if numbers else []
        )
        size = cells.measure_cell(texts, options.pop("cell", None))
        lines = cells.draw_cells(values, at, size, texts, step, options)
        return self.grid(lines, values.shape, label, at, size, step, **options)

    def weights(self, values, label=None, at=(0, 0), **options):
        """Draw weights, (T, S), as cells; 1 is the strongest colour.

        Arguments as in `matrix`, without step.

        Returns:
            Its `Box`.

        Raises:
            ValueError: as in `matrix`, or rows that are no weights.
        """
        cells.check_weights(values)
        return self.matrix(
            values, label, at, "normalise", largest=1, **options
        )

    def mask(self, allowed, label=None, at=(0, 0), **options):
        """Draw a mask, bool (T, S): open is True, hatched is hidden.

        Arguments as in `matrix`; of the options rows, columns and cell.

        Returns:
            Its `Box`.

        Raises:
            ValueError: not bool, or as in `matrix`.
        """
        if str(getattr(allowed, "dtype", "")).rpartition(".")[2] != "bool":
            raise ValueError("expected a mask of bool, True = may attend")
        self.check(label, to_array(allowed).shape)
        hidden = cells.to_matrix(allowed, "a mask") == 0
        size = cells.measure_cell([], options.pop("cell", None))
        lines = cells.draw_mask(hidden, at, size)
        shape = hidden.shape
        return self.grid(lines, shape, label, at, size, "mask", **options)

    def softmax(self, row, label=None, at=(0, 0), names=()):
        """Draw one row of weights as bars, which sum to 1.

        Args:
            row: (S,) weights.
            label: as in `matrix`.
            at: upper left corner of the body, which is 82 high.
            names: S names, below the bars.

        Returns:
            Its `Box`.

        Raises:
            ValueError: no weights, or names or letters that do not fit.
        """
        cells.check_weights(row)
        bars = {"names": names, "largest": 1}
        return self.bars(row, label, at, "normalise", **bars)

    def bars(self, row, label=None, at=(0, 0), step=None, **options):
        """Draw numbers as bars; negative ones hang from the line, in grey.

        Args:
            row: (S,) numbers.
            label: as in `matrix`.
            at: upper left corner of the body.
            step: one of the five words, for its colour; None: no step.
            options: names (S, below the bars), numbers (False: none are
                written), largest (the size that is `high` pixels high),
                high (64), cell (pixels from bar to bar, at least).

        Returns:
            Its `Box`.

        Raises:
            ValueError: names or letters that do not fit.
        """
        self.check(label, to_array(row).shape)
        row, names = cells.to_matrix(row, "bars"), options.get("names", ())
        texts = cells.format_cells(row, weights=True)[0]
        if not options.get("numbers", True):
            texts = [""] * row.size
        wide = [measure_width(name, SMALL) + 8 for name in names]
        wide = max([options.get("cell", 36), *wide])
        high = options.get("high", BAR)
        unit = high / (options.get("largest") or np.abs(row).max())
        up, down = cells.measure_room(row[0], texts, high, unit, LINE)
        box = Box(*at, wide * row.size, up + down)
        lines = cells.draw_bars(
            row[0], texts, box, (unit, down), step or "link"
        )
        self.put(lines, box.edges, label or "bars")
        floor = Box(box.x, box.bottom + LINE + GAP, box.width, 0)
        names = self.names(floor, (wide, 0), row.shape, columns=names)
        return self.labelled(label, box, step, list(names))

    def check(self, label, shape):
        """Keep what each letter of a label means; refuse another size."""
        axes = cells.read_axes(label)
        if axes and len(axes) != len(shape):
            raise ValueError(
                f"expected {len(shape)} letters for the shape {shape}, "
                f"got {label!r}"
            )
        for letter, size in zip(axes, shape, strict=bool(axes)):
            known = self.sizes.setdefault(letter, size)
            if letter.isdigit():
                known = int(letter)
            if known != size:
                raise ValueError(
                    f"expected {letter} = {known} in {label!r}, got {size}"
                )

    def grid(self, lines, shape, label, at, size, step, rows=(), columns=()):
        """Frame cells, and write label and names around them."""
        box = Box(*at, shape[1] * size[0], shape[0] * size[1])
        lines = [*lines, *cells.draw_rules(shape, at, size, step or "quiet")]
        self.put(lines, box.edges, label or "a grid")
        names = list(self.names(box, size, shape, rows, columns))
        return self.labelled(label, box, step, names)

    def labelled(self, label, box, step, boxes):
        """Write a label above a body; return the box that knows it."""
        boxes = [box, *boxes]
        if label:
            name, bracket, axes = f" {label}".partition(" (")
            place = box.x, unite(boxes)[1] - GAP
            name, colour = name.strip(), step or "ink"
            quiet = (bracket if name else bracket.strip()) + axes
            boxes.append(
                self.text(name, place, colour, bold=True, quiet=quiet)
            )
        return replace(box, outer=unite(boxes))

    def names(self, box, size, shape, rows=(), columns=()):
        """Write the names of rows and columns; yield where they stand."""
        for names, count in ((rows, shape[0]), (columns, shape[1])):
            if len(names) not in (0, count):
                raise ValueError(f"expected {count} names, got {len(names)}")
        for i, name in enumerate(rows):
            place = box.x - GAP, box.y + (i + 0.5) * size[1] + 5
            yield self.text(name, place, "quiet", "end", **NAME)
        tilt = any(measure_width(n, SMALL) > size[0] - 2 for n in columns)
        for j, name in enumerate(columns):
            place = box.x + (j + 0.5) * size[0], box.y - GAP
            yield self.text(name, place, "quiet", "middle", tilt=tilt, **NAME)
