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
from attnbook.data.storybook.minimal_pairs import (
    MinimalPair,
    draw_minimal_pairs,
    running_pair,
)
from attnbook.data.storybook.partition import HELD_OUT, is_held_out, splits
from attnbook.data.storybook.spelling import sentence

__all__ = [
    "HELD_OUT",
    "Pair",
    "Pronoun",
    "MinimalPair",
    "both_readings",
    "draw",
    "draw_kind",
    "draw_minimal_pairs",
    "is_held_out",
    "running_pair",
    "sentence",
    "splits",
]
