"""The package of the course *Attention, from Scratch*.

Every module is one idea, named after it: ``from attnbook.attention import
scaled_dot_product_attention``.  The package itself exports nothing.  The
Transformer is at the root; all else is in drawers, which
``code/README.md`` shows.
"""

from importlib.util import find_spec

__version__ = "0.1.0"

if find_spec("torch") is None:
    raise ModuleNotFoundError(
        "attnbook needs PyTorch 2.9 or newer, which it leaves to you to "
        "install: https://pytorch.org/get-started/locally/ shows the "
        "command for your computer (the CPU build is enough)",
        name="torch",
    )
