"""Greedy and beam search by the fast way, where there is one.

There is one for a `Transformer`, and for an `Ensemble` of them; any other
model, or one of which a part was replaced, is decoded as the book teaches.
The result is the same.
"""

from functools import partial

from attnbook.decoding.beam import Beams, beam_search, extend, length_penalty
from attnbook.decoding.ensemble import Ensemble
from attnbook.decoding.greedy import cut_at_eos, greedy, inference
from attnbook.fast.layers import is_original
from attnbook.fast.search import LeavingBeams, search_beams, write_greedily
from attnbook.fast.stepper import EnsembleStepper, FastStepper


def find_stepper(model, cached):
    """Return the class of a model's fast stepper; None if it has none."""
    one = type(model) is not Ensemble
    parts = [model] if one else model.models
    if cached is False or not all(map(is_original, parts)):
        return None
    return FastStepper if one else EnsembleStepper


def fast_greedy(model, source, longest=100, cached=None):
    """Write the most probable next word, again and again.

    Arguments as in `greedy.greedy`, and its result and errors.
    """
    kind = find_stepper(model, cached)
    if kind is None:
        return greedy(model, source, longest, cached)
    with inference(model, longest):
        stepper = kind(model, source, 1, longest)
        return cut_at_eos(write_greedily(stepper, source, longest))


def fast_beam_search(
    model, source, width=5, alpha=0.6, longest=100, cached=None
):
    """Keep the W best beginnings; return the best ended sentence.

    Arguments as in `beam.beam_search`, and its result and errors.
    """
    kind = find_stepper(model, cached)
    if width < 1 or kind is None:
        return beam_search(model, source, width, alpha, longest, cached)
    with inference(model, longest):
        stepper = kind(model, source, width, longest)
        beams = Beams(len(source), width, alpha, source.device)
        penalty = partial(length_penalty, alpha=alpha)
        leaving = LeavingBeams(beams, penalty, longest)
        return search_beams(stepper, leaving, extend, source)
