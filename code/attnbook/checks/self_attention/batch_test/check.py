"""Check of a test: does it see words that read the wrong sentences?

Dimension letters:
    B batch, T words, D = d_model.
"""

import contextlib
import itertools
import math
import random

import numpy as np
import torch

from attnbook.checks.engine.draws import make_check
from attnbook.checks.engine.tests_of_learners import disguised, opinion_of
from attnbook.checks.engine.verdict import Hint, Mistake
from attnbook.checks.self_attention.batch_test.attentions import (
    right_attentions,
    wrong_attentions,
    wrong_in_one_place,
)
from attnbook.checks.self_attention.batch_test.words import (
    changed_words,
    last_decides,
    nearly_all_leaking,
    refuse_words,
    unchanged_words,
)


def opinion(answer, attention, draws, seed=0, words=None):
    """Return what the learner's test says of an attention, as a bool.

    Args:
        answer: the learner's test.
        attention: a function of words (B, T, D).
        draws: where the weights of a right attention come from.
        seed: what the test draws from.
        words: a list that gets the words that the test gives, or None.
    """
    attention = disguised(attention, right_attentions(draws)[0])

    def attend(x):
        if words is not None and isinstance(x, torch.Tensor):
            words.append(x.detach().clone())
            with contextlib.suppress(RuntimeError):  # inside torch.func
                words[-1].requires_grad_(x.requires_grad)
        return attention(x)

    attend.__qualname__ = "attend"  # what an error calls it
    torch.default_generator.manual_seed(seed)
    random.seed(seed)
    np.random.seed(seed)
    help = "it should call attend(x) with one tensor x of shape (B, T, D)"
    return opinion_of(answer, attend, help)


def opinions(answer, wrong, draws):
    """Return what the test says of all attentions, and what it gives them.

    Args:
        answer: the learner's test.
        wrong: wrong attentions.
        draws: where the right ones and the order come from.

    Returns:
        What it says of the right ones, lists; of the wrong ones, lists; the
        words that it gives a right one; how often it calls each wrong one.
    """
    right = right_attentions(draws)
    calls = [(right[0], 0), *itertools.product(right, range(3))]
    start = len(calls)
    calls += itertools.product(wrong, (0, 2))  # chance must help in neither
    words, said = [[] for _ in calls], {}
    for place in draws.shuffled([*range(len(calls))]):
        kept = place == 0 or place >= start and calls[place][1] == 0
        given = words[place] if kept else None
        attention, seed = calls[place]
        said[place] = opinion(answer, attention, draws, seed, given)
    said = [said[place] for place in range(len(calls))]
    return (
        [said[i : i + 3] for i in range(1, start, 3)],
        [said[i : i + 2] for i in range(start, len(calls), 2)],
        words[0],
        [len(given) for given in words[start::2]],
    )


def judge_right(right, words, counts):
    """Raise a mistake if right attentions are refused."""
    refused = not all(map(all, right))
    if refused and all(x.detach().square().mean() > 100 for x in words):
        raise Mistake(
            "your test refuses right attentions: its words are so large that "
            "the softmax saturates, and a word reads one other alone; draw "
            "words of about 1, with torch.randn"
        )
    if not any(map(any, right)) and max(counts, default=0) == 1:
        raise Mistake(
            "your test refuses every attention, right ones too; all words of "
            "the changed sentence move, up or down: take .abs() of the "
            "differences, call all above about 1e-6 a move, and ask that no "
            "other sentence moves"
        )
    if not any(map(any, right)):
        raise Mistake(
            "your test refuses every attention, right ones too; the words of "
            "the changed sentence may move, all others must not; change one "
            "word at a time, of a fresh clone"
        )
    if not all(map(all, right[:-1])):
        raise Mistake(
            "your test refuses a right attention in some draws and not in "
            "others; some differences are small and some negative, so take "
            ".abs(), and call all above about 1e-6 a move"
        )
    if not all(right[-1]):
        raise Mistake(
            "your test refuses a right attention whose last digits differ "
            "from call to call; call only differences above about 1e-6 a "
            "move (in allclose, atol=1e-6), of one number and not of a sum, "
            "in which last digits pile up: take .amax(-1)"
        )


def refuse_verdict(leaks, attentions, wrong, calls, words, counts):
    """Raise a mistake in how comparisons become a verdict."""
    if {1, 2, 3, 4} <= set(counts):
        raise Mistake(
            "your test changes one word more from call to call; the changes "
            "pile up, so take a fresh clone for every word"
        )
    with contextlib.suppress(RuntimeError):  # words inside torch.func
        says = [passes[0] for passes in wrong[:-1]]  # without NaN
        plain = [x.detach() for x in words]
        if any(counts) and last_decides(plain, attentions[:-1], says):
            raise Mistake(
                "only the last comparison of your test decides what it says; "
                "every one must hold: return False as soon as one fails, and "
                "True after the loop"
            )
    if max(calls[:-1]) > len(words):
        raise Mistake(
            "your test says True as soon as one comparison holds; every one "
            "must: return False as soon as one fails, and True after the loop"
        )
    if any(wrong[1]) or not any(map(any, wrong[:-1])):
        return
    if leaks(1000.0):
        raise Mistake(
            "your test is content if one word of the other sentences is still "
            "(any); all of them must be (all)"
        )
    if leaks(0.1):
        raise Mistake(
            "your test lets the other sentences move too far; call all above "
            "about 1e-6 a move, of any word"
        )


def judge_wrong(mistakes, wrong, words, counts):
    """Raise a mistake if wrong attentions are accepted."""
    by_slopes = any(x.requires_grad for x in words)
    for (mistake, advice), passes in zip(mistakes, wrong, strict=True):
        if any(passes) and len(words) == 1 and not by_slopes:
            raise Mistake(
                "your test calls attend once, and so it cannot tell how "
                "words move; it accepts {}; {}",
                Hint(mistake),
                Hint(advice),
            )
        if all(passes) and not any(counts):  # no word is changed
            raise Mistake(
                "your test accepts {}; ask the same of every sentence of "
                "the batch, and whether all words of a sentence read each "
                "of its words",
                Hint(mistake),
            )
        if all(passes) and min(filter(None, counts)) > 1:
            raise Mistake(
                "your test accepts {}; it changes several words at once, "
                "which can cancel out or hide who reads whom: change one "
                "word alone",
                Hint(mistake),
            )
        if all(passes):
            raise Mistake(
                "your test accepts {}; {}", Hint(mistake), Hint(advice)
            )
        if any(passes):
            raise Mistake(
                "in some draws and not in others, your test accepts {}; "
                "leave nothing to chance",
                Hint(mistake),
            )


def judge_every_place(answer, words, draws):
    """Raise a mistake if a test skips a word or a sentence.

    Two sentences are enough: the task asks whether words read another
    sentence, not which of several.
    """
    with contextlib.suppress(RuntimeError):  # words inside torch.func
        shapes = [x.shape[:2] for x in words if x.dim() == 3]
        shape = max(shapes, key=math.prod)
        for mistake, advice, attention in wrong_in_one_place(draws, shape):
            if opinion(answer, attention, draws):
                raise Mistake(
                    "your test accepts {}; {}", Hint(mistake), Hint(advice)
                )


@make_check
def check_batch_test(answer, draws):
    """Check exercise ``batch_test(attend) -> bool``.

    Its argument is a function that takes an attention, a function of words (B,
    T, D) that returns their context (B, T, D), calls it on words of its own,
    and returns True if every word is read by all words of its own sentence and
    by no others.  Whether a word reads itself, it need not see: its query
    changes with it, so it moves in any case.  The check returns a `Verdict`,
    prints it too, and never raises.
    """
    *mistakes, attentions = zip(*wrong_attentions(draws), strict=True)
    right, wrong, words, calls = opinions(answer, attentions, draws)
    if all(map(all, right)) and not any(map(any, wrong)):
        judge_every_place(answer, words, draws)
        return
    counts = []
    with contextlib.suppress(RuntimeError):  # words inside torch.func
        refuse_words(words)
        counts = changed_words(words, unchanged_words(words))
    if not any(map(any, right)) and all(map(all, wrong[:-1])):
        raise Mistake(
            "your test says True of wrong attentions and False of right ones; "
            "turn it round"
        )
    judge_right(right, words, counts)

    def leaks(factor):
        return opinion(answer, nearly_all_leaking(draws, factor), draws)

    refuse_verdict(leaks, attentions, wrong, calls, words, counts)
    judge_wrong(zip(*mistakes, strict=True), wrong, words, counts)
