"""Check of a beam search over a hand-made language.

Dimension letters:
    R beginnings, V vocabulary.
"""

import functools
import math
import numbers

import numpy as np
import torch

from attnbook.checks.beam_search_mistakes import wrong_beams, wrong_forms
from attnbook.checks.beam_search_stages import EXPLAINED, STAGES
from attnbook.checks.beam_search_toy import Words, search
from attnbook.checks.engine.calling import call
from attnbook.checks.engine.verdict import Mistake, checker

LONG = 100  # rounds; more are slow, so they are searched once only


def explained(answer, *inputs):
    """Call the answer; say what the usual errors mean here."""
    try:
        return call(answer, *inputs)
    except Mistake as mistake:
        for words, meaning in EXPLAINED.items():
            if words in str(mistake):
                raise Mistake(meaning) from None
        raise


def pair_of(result):
    """Return (score, ids) of a result, or say why it is none."""
    whole = isinstance(result, (tuple, list)) and len(result) == 2
    if not whole or all(isinstance(x, int) for x in result):
        raise Mistake("return two things, the ids and their score")
    ids, score = result
    if isinstance(ids, (torch.Tensor, np.ndarray)) and ids.ndim == 1:
        ids = ids.tolist()
    if isinstance(ids, (float, int)) and isinstance(score, (list, tuple)):
        raise Mistake("first the ids, then the score")
    if not isinstance(ids, (list, tuple)):
        raise Mistake(f"the ids must be a list, not {type(ids).__name__}")
    ids = [i.item() if isinstance(i, torch.Tensor) else i for i in ids]
    if not all(isinstance(i, numbers.Integral) for i in ids):
        raise Mistake("the ids must be one flat list of whole numbers")
    if isinstance(score, (torch.Tensor, np.ndarray)) and score.ndim == 0:
        score = score.item()
    if not isinstance(score, numbers.Real) or isinstance(score, bool):
        shape = getattr(score, "shape", None)
        what = type(score).__name__ if shape is None else tuple(shape)
        raise Mistake(f"the score must be a number, not {what}")
    return float(score), [int(i) for i in ids]


def trimmed(pair, bos, eos):
    """Return (score, ids) without <bos> and <eos>."""
    score, ids = pair
    return score, [i for i in ids if i not in (bos, eos)]


def same(one, other):
    """Say whether two results agree but for rounding."""
    close = math.isclose(one[0], other[0], rel_tol=1e-5, abs_tol=1e-6)
    return close and one[1] == other[1]


def maker(language):
    """Return a function that makes the step of a language."""
    salt, vocabulary, bos, eos, *rest = language
    return lambda: Words(salt, vocabulary, (bos, eos), *rest)


def inputs_of(language, settings):
    """Return width, alpha, bos, eos and longest."""
    width, alpha, longest = settings
    return width, alpha, language[2], language[3], longest


def is_right(pair, language, settings):
    """Say whether a result is that of the search, all ended kept or not."""
    given, make = inputs_of(language, settings), maker(language)
    wanted = (search(make(), *given, flaw) for flaw in ("", "truncated"))
    return any(same(pair, trimmed(x, *given[2:4])) for x in wanted)


@functools.cache
def candidates(language, settings):
    """Return pairs of a hint and what the mistake returns."""
    given, make = inputs_of(language, settings), maker(language)
    bos, eos = given[2:4]
    full = search(make(), *given)
    right = trimmed(full, bos, eos)
    forms = list(wrong_forms(*right, full[1], given[1], bos, eos))
    beams = wrong_beams(make, *given)
    return forms + [(hint, trimmed(x, bos, eos)) for hint, x in beams]


def diagnosis(answer, failed):
    """Return the hint that explains most results, or None.

    Args:
        answer: the learner's function.
        failed: number of the stage at which it is wrong.

    Returns:
        The hint, and whether it explains every result.
    """
    hits = {}
    tried = 0
    for number, (_, language, settings) in enumerate(STAGES):
        if settings[2] > LONG:
            continue
        given = inputs_of(language, settings)
        try:
            bound = functools.partial(answer, maker(language)())
            pair = pair_of(call(bound, *given))
        except Mistake:
            continue
        tried += 1
        for hint, wrong in candidates(language, settings):
            if same(pair, wrong):
                hits.setdefault(hint, set()).add(number)
    hits = {hint: found for hint, found in hits.items() if failed in found}
    if not hits:
        return None, False
    best = max(hits, key=lambda hint: len(hits[hint]))
    return best, len(hits[best]) == tried


def plainly_why(pair, found, longest):
    """Return the hint that the results alone give."""
    if math.isinf(pair[0]) and not pair[1]:
        return "nothing ended in time; then return the best open beginning"
    if math.isinf(pair[0]):
        return (
            "the score is infinite; a product of many probabilities becomes "
            "0, so add their logarithms"
        )
    if len(pair[1]) < len(found[1]) and pair[1] == found[1][: len(pair[1])]:
        return f"the search stops too early; longest is {longest} rounds"
    if pair[1] == found[1]:
        return (
            "the ids are right, their score is not: the sum of ln p, <eos> "
            "included, divided by ((5 + n) / 6) ** alpha"
        )
    return (
        "not the hypothesis that this search finds; print the open and the "
        "ended ones after each round, and compare with the table"
    )


def why(answer, number, pair, used):
    """Return the hint for a wrong result."""
    _, language, settings = STAGES[number]
    given = inputs_of(language, settings)
    if used.deepest > used.calls:
        return (
            "a beginning grows by more than one word per round: one list is "
            "appended to again and again; make new ones, [*ids, word]"
        )
    if used.twice and used.deepest == 2 < given[-1]:
        return "step gets the newest words alone; hand it whole beginnings"
    if given[3] in pair[1][:-1] or used.extended:
        return "a hypothesis is extended behind its <eos>; it has ended"
    if used.twice:
        return (
            "the same beginning is kept twice, several copies of <bos> at "
            "the start, say; begin with one"
        )
    hint, certain = diagnosis(answer, number)
    if certain:
        return hint
    if used.widest > given[0]:
        return "more than width beginnings are open; keep the best width"
    if hint:
        return hint
    found = trimmed(search(maker(language)(), *given), *given[2:4])
    return plainly_why(pair, found, given[-1])


def judge_beam(answer, number):
    """Raise a mistake in what is found in one language."""
    _, language, settings = STAGES[number]
    given, make = inputs_of(language, settings), maker(language)
    used, found = make(), []
    for step in (used,) if settings[2] > LONG else (used, make()):
        bound = functools.partial(answer, step)
        found.append(pair_of(explained(bound, *given)))
    if not same(found[0], found[-1]):
        raise Mistake("two calls differ; keep nothing between calls")
    if not is_right(found[0], language, settings):
        raise Mistake(why(answer, number, found[0], used))


@checker
def check_beam_search(answer):
    """Check ``beam_search(step, width, alpha, bos, eos, longest)``.

    Args:
        answer: a function of a step, which takes a list of beginnings and
            returns ln p of the next word, (R, V), the beam width, alpha,
            the ids of <bos> and <eos>, and the most rounds; it returns
            the best hypothesis without <bos> and <eos>, and its score.

    Returns:
        A `Verdict`; the check prints it too, and never raises.
    """
    for number, (prefix, _, _) in enumerate(STAGES):
        try:
            judge_beam(answer, number)
        except Mistake as mistake:
            raise Mistake(f"{prefix}{mistake}") from None
