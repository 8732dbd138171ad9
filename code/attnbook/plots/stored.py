"""Pictures that the package holds, because a script drew them by hand."""

from importlib.resources import files

PICTURES = {  # and what one would see, which a terminal shows
    "architecture": (
        "Encoder on the left, decoder on the right, read from bottom to "
        "top: beside two straight residual streams stand one dark box of "
        "attention in each encoder layer and two in each decoder layer, "
        "and a dark red line, the memory, leads from the top of the encoder "
        "into every decoder layer. A panel below shows one attention as "
        "five coloured boxes: project, score, mask, normalise, mix."
    ),
}


class StoredPicture:
    """A picture that a notebook shows when it ends a cell.

    Args:
        name: a key of `PICTURES`; ``architecture`` is the whole
            Transformer, as book/figures/architecture.py draws it.

    Raises:
        ValueError: an unknown name.
    """

    def __init__(self, name):
        if name not in PICTURES:
            raise ValueError(f"expected one of {[*PICTURES]}, got {name!r}")
        self.name = name

    def _repr_svg_(self):
        """Return what a notebook shows and stores."""
        path = files("attnbook.plots") / f"{self.name}.svg"
        return path.read_text(encoding="utf-8")

    def __repr__(self):
        """Say what one would see, where no picture can be shown."""
        return PICTURES[self.name]
