"""Mistakes in a beam search: what each of them returns."""

import math

from attnbook.checks.beam_search_toy import penalty, search

ZEROS = (
    "a continuation of probability 0 is put aside or kept open; ln 0 = -inf "
    "is none"
)
HOPEFUL = (
    "you stop as soon as an ended one beats the open ones; here go on until "
    "width have ended"
)
BY_SCORE = (
    "the ended ones are not compared by the score that you return (by the sum "
    "divided by n, or with another n or alpha?); compare the scores"
)
OPEN_TOO = (
    "a beginning that has not ended wins; take it only if nothing has ended"
)
TOO_FEW = (
    "one beginning too few is kept; or do you return the worst of the open "
    "ones when nothing has ended?"
)
TOO_SHORT = "<eos> may be the first word, and the second"
FLAWS = {  # how the search goes on, wrongly: what to say
    "thrown away": "hypotheses that ended are thrown away; put them aside, "
    "with their scores",
    "first end": "you return the hypothesis that ended first; a better one "
    "may end later: go on until width have ended, and take the best",
    "eos lost": "the score of <eos> is lost; ending is a word too and has "
    "its probability",
    "last word": "only the last word's log-probability counts; add it to the "
    "sum of the beginning",
    "probabilities": "probabilities are added up; they are multiplied, or "
    "their logarithms added",
    "places": "an ended hypothesis takes up a place among the open ones; "
    "keep width open ones besides",
    "no stop": "you go on after width hypotheses have ended; stop there",
    "late": "hypotheses that end behind the best width continuations are put "
    "aside too; look at the first width alone",
    "open too": OPEN_TOO,
    "open at last": OPEN_TOO,
    "worst": "you return the worst of the ended hypotheses",
    "first alone": "the open ones are those of the first width that have "
    "not ended; keep the best width of all that have not ended",
    "each width": "each beginning gives only its best width continuations, "
    "<eos> among them; so fewer than width may stay open",
    "hopeful": HOPEFUL,
    "one more": "you stop when more than width have ended; stop at width",
    "carried": "the sums of the open ones are divided on the way; carry "
    "plain sums, and divide at the end",
    "each divided": "every step is divided by its own penalty; add up plain "
    "ln p, and divide the whole at the end",
    "rising": "the continuations are sorted the wrong way round; the largest "
    "sums come first",
    "last": "you return the hypothesis that ended last; take the best",
    "by ids": "the ended ones are compared by their ids; compare the scores",
    "by length": "you return the longest of the ended; take the best score",
    "by sum": "the ended ones are compared by their sums; compare the sums "
    "divided by the penalty",
    "zeros": ZEROS,
    "nearly zeros": ZEROS,
    "by shortness": "you return the shortest of the ended; take the best "
    "score",
    "by mean": BY_SCORE,
    "without eos": BY_SCORE,
    "with bos": BY_SCORE,
    "by 0.6": BY_SCORE,
    "last open": TOO_FEW,
    "unsorted": "the continuations are not sorted; the largest sums come "
    "first",
    "one fewer": "you stop before width hypotheses have ended; stop at width",
    "overwritten": "the ended hypotheses of earlier rounds are lost; add the "
    "new ones to them",
    "pruned": "some of the ended hypotheses are thrown away; keep all of "
    "them, and compare their scores at the end",
    "one each": "each beginning keeps only its best continuation open; keep "
    "the best width of all, whatever they begin with",
    "no empty": f"an empty sentence never ends; {TOO_SHORT}",
    "too short": f"short sentences never end; {TOO_SHORT}",
    "hopeful alone": HOPEFUL,
    "best alone": "an ended hypothesis is put aside only if it is the best "
    "of all; look at the first width",
}


def others():
    """Yield pairs of a hint and a wrong length penalty."""
    yield (
        "alpha is ignored: divide the sum by ((5 + n) / 6) ** alpha",
        lambda n, alpha: 1.0,
    )
    yield (
        "multiply turns into divide: a sum of logs is below 0, and times the "
        "penalty long sentences lose even more",
        lambda n, alpha: 1 / penalty(n, alpha),
    )
    yield (
        "the penalty is n ** alpha; the formula is ((5 + n) / 6) ** alpha",
        lambda n, alpha: n**alpha,
    )
    yield "alpha multiplies; it is a power", lambda n, a: (5 + n) / 6 * a or 1
    yield (
        "n counts the words with <eos>; yours leaves <eos> out",
        lambda n, alpha: penalty(n - 1, alpha),
    )
    yield (
        "n counts the words with <eos>, but not <bos>",
        lambda n, alpha: penalty(n + 1, alpha),
    )
    yield (
        "the penalty is (5 + n) ** alpha; divide by 6 ** alpha too",
        lambda n, alpha: (5 + n) ** alpha,
    )
    yield (
        "the penalty must be taken to the power alpha as a whole: "
        "((5 + n) / 6) ** alpha",
        lambda n, alpha: (5 + n) / 6**alpha,
    )
    yield "you divide by the mean length, without alpha", lambda n, alpha: n


def wrong_beams(make, width, alpha, bos, eos, longest):
    """Yield pairs of a hint and (score, ids) of a mistake.

    Args:
        make: returns a fresh `Words`.
        width: beginnings that stay open.
        alpha: of the length penalty.
        bos: id of the start.
        eos: id of the end.
        longest: most words.
    """
    given = bos, eos, longest
    for flaw, hint in FLAWS.items():
        yield hint, search(make(), width, alpha, *given, flaw)
    for hint, divide in others():
        yield hint, search(make(), width, alpha, *given, divide=divide)
    for fixed in (0.6, 1.0, 1.5):
        yield (
            f"alpha is {fixed} whatever is asked for; use the argument",
            search(make(), width, fixed, *given),
        )
    whole = penalty(longest, alpha)
    yield (
        "every sum is divided by the penalty of longest; take each "
        "hypothesis's own length",
        search(make(), width, alpha, *given, divide=lambda *_: whole),
    )
    yield (
        "only one beginning is ever open: that is greedy; keep the best "
        "width of all continuations of all beginnings",
        search(make(), 1, alpha, *given),
    )
    yield (
        TOO_FEW,
        search(make(), max(1, width - 1), alpha, *given),
    )
    yield (
        "one beginning too many is kept",
        search(make(), width + 1, alpha, *given),
    )
    more = bos, eos, longest + 1
    yield (
        "one round too many: longest bounds the words, <eos> counted",
        search(make(), width, alpha, *more),
    )
    fewer = bos, eos, longest - 1
    yield "one round too few", search(make(), width, alpha, *fewer)


def wrong_forms(score, ids, full, alpha, bos, eos):
    """Yield pairs of a hint and (score, ids) of a right result, spoilt.

    Args:
        score: the right score.
        ids: the right ids, <bos> and <eos> cut off.
        full: the same ids with them.
        alpha: of the length penalty.
        bos: id of the start.
        eos: id of the end.
    """
    total = score * penalty(len(full) - 1, alpha)
    yield "your ids hold <bos> and <eos>; cut both off", (score, full)
    yield "your ids begin with <bos>; cut it off", (score, [bos, *ids])
    yield "your ids end with <eos>; cut it off", (score, [*ids, eos])
    yield "the last word is lost as if it were <eos>", (score, ids[:-1])
    yield (
        "the score is the sum of logs; return the one divided by the penalty",
        (total, ids),
    )
    yield "the score has the wrong sign; ln p is below 0", (-score, ids)
    yield (
        "the score is a probability; return the logarithm",
        (math.exp(total), ids),
    )
    yield (
        "the score is a probability; return the logarithm, divided",
        (math.exp(score), ids),
    )
    yield "the ids stand in reverse order", (score, ids[::-1])
    yield (
        "ids that are 0 are lost; 0 is a word like another",
        (score, [i for i in ids if i]),
    )
    yield (
        "the ids 1 and 2 are cut out; cut bos and eos, whatever their ids",
        (score, [i for i in full if i not in (1, 2)]),
    )
    yield (
        "the ids begin with <bos>, and the score is the sum, not divided",
        (total, [bos, *ids]),
    )
    yield (
        "the ids hold <bos> and <eos>, and the score is the sum, not divided",
        (total, full),
    )
