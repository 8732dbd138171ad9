"""Figures of the course: drawn ones, and one that a reader can walk through.

Importing this package sets the look of all figures: an opaque white ground
(readable in dark mode too) and a font that has Hangul.  A notebook then shows
them as SVG (`display`).
"""

from attnbook.plots.clocks import explore_clocks
from attnbook.plots.display import show_as_svg
from attnbook.plots.drawing import Drawing
from attnbook.plots.figures import (
    COLOURS,
    HANGUL,
    contrast,
    curves,
    head_grid,
    headline,
    heatmap,
    labels,
    positions,
)
from attnbook.plots.fitting import explore_fitting, explore_rate
from attnbook.plots.following import explore_self_attention
from attnbook.plots.likeness import explore_likeness
from attnbook.plots.maps import interactive_heatmap
from attnbook.plots.masking import explore_masks
from attnbook.plots.scaling import explore_scaling
from attnbook.plots.slope import explore_slope
from attnbook.plots.splitting import explore_split

__all__ = [
    "COLOURS",
    "Drawing",
    "HANGUL",
    "contrast",
    "curves",
    "explore_clocks",
    "explore_fitting",
    "explore_likeness",
    "explore_masks",
    "explore_rate",
    "explore_scaling",
    "explore_self_attention",
    "explore_slope",
    "explore_split",
    "head_grid",
    "headline",
    "heatmap",
    "interactive_heatmap",
    "labels",
    "positions",
]

show_as_svg()
