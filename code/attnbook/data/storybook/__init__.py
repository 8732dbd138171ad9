"""The storybook: English sentences, translated, with gold alignments.

A grammar draws what a sentence says (`plans`, `rules`), and each language
writes it (`english`, `french`, `korean`) from a lexicon of its own.  The
sentences are right but odd: frogs wear crowns here.  No data files, and the
standard library alone.
"""

from attnbook.data.storybook.corpus import (
    Pair,
    Pronoun,
    both_readings,
    draw,
    draw_kind,
)
from attnbook.data.storybook.partition import HELD_OUT, is_held_out, splits
from attnbook.data.storybook.spelling import sentence
from attnbook.data.storybook.twins import Twins, draw_twins, running_twins

__all__ = [
    "HELD_OUT",
    "Pair",
    "Pronoun",
    "Twins",
    "both_readings",
    "draw",
    "draw_kind",
    "draw_twins",
    "is_held_out",
    "running_twins",
    "sentence",
    "splits",
]
