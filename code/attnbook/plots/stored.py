"""Pictures that the package holds, because a script drew them by hand."""

from importlib.resources import files

NAMES = ("architecture",)


class StoredPicture:
    """A picture that a notebook shows when it ends a cell.

    Args:
        name: one of `NAMES`; ``architecture`` is the whole Transformer, as
            book/figures/architecture.py draws it.

    Raises:
        ValueError: an unknown name.
    """

    def __init__(self, name):
        if name not in NAMES:
            raise ValueError(f"expected one of {NAMES}, got {name!r}")
        self.name = name

    def _repr_svg_(self):
        """Return what a notebook shows and stores."""
        path = files("attnbook.plots") / f"{self.name}.svg"
        return path.read_text(encoding="utf-8")

    def __repr__(self):
        """Say which picture it is, where none can be shown."""
        return f"StoredPicture({self.name!r})"
