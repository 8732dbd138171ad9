"""Check of a beam search over a hand-made language."""

import math

import torch

from attnbook.checks.decoding.beam_search.toy import Language, Words, pair_of
from attnbook.checks.engine.asking import agree
from attnbook.checks.engine.calling import unanswered
from attnbook.checks.engine.exercise import Case, Exercise, check
from attnbook.checks.engine.steps import table
from attnbook.checks.engine.verdict import Hint, Mistake


def beam_search(step, width, alpha, bos, eos, longest):
    """Find a probable sentence with `width` beginnings at a time.

    Args:
        step: takes a list of R beginnings, lists of ids, and returns ln p of
            the next word, (R, vocab).
        width: how many beginnings stay open.
        alpha: power of the length penalty.
        bos: id of <bos>.
        eos: id of <eos>.
        longest: the most rounds.

    Returns:
        The ids of the best hypothesis without <bos> and <eos>, and its score.
    """
    wide = width
    rounds = longest
    end = eos
    power = alpha
    beams = [(0.0, [bos])]
    ended = []
    for _ in range(rounds):
        rows = step([ids for _, ids in beams]).tolist()
        every = grow(beams, rows)
        likely = [x for x in every if x[0] > -math.inf]
        order = sorted(likely, reverse=True)
        found = [x for x in order[:wide] if x[1][-1] == end]
        going = [x for x in order if x[1][-1] != end]
        still = going[:wide]
        beams, ended = still, ended + found
        stop = len(ended) >= wide or not beams
        if stop:
            break
    pool = ended or beams
    sums = [total for total, _ in pool]
    counts = [len(ids) - 1 for _, ids in pool]
    divisors = [penalty(n, power) for n in counts]
    scores = [x / y for x, y in zip(sums, divisors, strict=True)]
    compared = scores
    best = compared.index(max(compared))
    score = scores[best]
    written = pool[best][1]
    ids = [i for i in written if i not in (bos, end)]
    return ids, score


def grow(beams, rows, add=lambda total, p, n: total + p):
    """Return (sum, ids) of every beginning and next word, its n-th."""
    return [
        (add(total, p, len(ids)), [*ids, word])
        for (total, ids), row in zip(beams, rows, strict=True)
        for word, p in enumerate(row)
    ]


def penalty(n, alpha):
    """Return what a sum of n words is divided by."""
    return ((5 + n) / 6) ** alpha


def of_each(pairs, most, key):
    """Return at most so many of the pairs, the best first, with one key."""
    kept = {}
    for pair in sorted(pairs, reverse=True):
        kept.setdefault(key(pair[1]), []).append(pair)
    return sorted(sum((x[:most] for x in kept.values()), []), reverse=True)


def leads(ended, beams, alpha):
    """Say whether the best ended hypothesis beats the best open one."""
    if not ended or not beams:
        return not beams
    tops = [
        max(total / penalty(len(ids) - 1, alpha) for total, ids in pairs)
        for pairs in (ended, beams)
    ]
    return tops[0] >= tops[1]


def unended(pair, beams):
    """Return the sum of an ended hypothesis without its <eos>."""
    return next(total for total, ids in beams if ids == pair[1][:-1])


MISTAKES = table("""
    wide = 1
    still = going[:1]
        only one beginning is ever open (does each keep its best continuation
        alone?): that is greedy; keep the best width of all continuations of
        all beginnings
    wide = 2
        width is 2 whatever is asked for; use the argument
    wide = max(1, width - 1)
    still = going[: max(1, wide - 1)]
        one beginning too few is kept
    wide = width + 1
    still = going[: wide + 1]
        one beginning too many is kept
    wide = 50
    still = going[: 2 * wide]
    still = going[:99]
        more than width beginnings are open; keep the best width
    rounds = longest + 1
        one round too many: longest bounds the words, <eos> counted
    rounds = max(1, longest - 1)
        one round too few
    end = 2
        <eos> is 2 whatever is handed in; take the argument
    beams = [(1.0, [bos])]
        the sum of the first beginning must be 0, the logarithm of 1
    every = grow(beams, rows, lambda total, p, n: p)
        only the last word's log-probability counts; add it to the sum of the
        beginning
    every = grow(beams, rows, lambda total, p, n: total + math.exp(p))
        probabilities are added up; they are multiplied, or their logarithms
        added
    every = grow(beams, rows, lambda total, p, n: total * p if total else p)
        logarithms are multiplied; add them
    every = grow(beams, rows, lambda total, p, n: total - p)
        the logarithms are taken away; add them
    every = grow(beams, rows, lambda x, p, n: (x + p) / penalty(n, alpha)); \
scores = sums
        the sums of the open ones are divided on the way; carry plain sums, and
        divide at the end
    every = grow(beams, rows, lambda x, p, n: x + p / penalty(n, alpha)); \
scores = sums
        every step is divided by its own penalty; add up plain ln p, and divide
        the whole at the end
    every = grow(beams, rows, lambda total, p, n: total + max(p, -1e9))
    likely = every
    likely = every; order = sorted(every, key=lambda x: -x[0])
    every = grow(beams, rows, lambda total, p, n: total + max(p, -1e9)); \
order = sorted(likely, key=lambda x: -x[0])
        a continuation of probability 0 is put aside or kept open; ln 0 = -inf
        is none
    likely = [x for x in every if x[0] > -math.inf and x[1][1:] != [end]]
        an empty sentence never ends; <eos> may be the first word, and the
        second
    likely = [x for x in every if x[0] > -math.inf and x[1][1:2] != [end] \
!= x[1][2:3]]
        short sentences never end; <eos> may be the first word, and the second
    likely = [x for x in every if x[0] > -math.inf and x[1][-1] not in \
x[1][:-1]]
        no word is written twice; one that stands in a beginning may come again
    likely = [x for x in every if x[0] > -math.inf and x[1][-1] != x[1][-2]]
        the word before is never written again; it may come twice in a row
    likely = [x for x in every if x[0] > -math.inf and x[1][-1]]
        the word with id 0 is never written; it is a word like another
    order = of_each(likely, 5, lambda ids: tuple(ids[:-1]))
        each beginning gives only its best five continuations; all words count
    order = of_each(likely, wide, lambda ids: tuple(ids[:-1]))
        each beginning gives only its best width continuations, <eos> among
        them; so fewer than width may stay open
    order = of_each(likely, wide if len(beams) == 1 else 1, \
lambda ids: tuple(ids[:-1]))
        each beginning keeps only its own best word; sort the continuations of
        all together, and keep the best width
    order = sorted(likely)
        the continuations are sorted the wrong way round; the largest sums come
        first
    order = likely
    order = sorted(likely, key=lambda x: x[1][-1])
        the continuations are not sorted; the largest sums come first
    found = [x for x in order if x[1][-1] == end]
    found = [x for x in order[: 2 * wide] if x[1][-1] == end]
        hypotheses that end behind the best width continuations are put aside
        too; look at the first width alone
    found = [x for x in order[:1] if x[1][-1] == end]
        an ended hypothesis is put aside only if it is the best of all; look at
        the first width
    found = [x for x in order[:wide] if x[1][-1] == end][:1]
        of the hypotheses that end in one round only the best is put aside; put
        aside all that stand among the first width
    found = [(unended(x, beams), x[1]) for x in order[:wide] if x[1][-1] \
== end]
        the score of <eos> is lost; ending is a word too and has its
        probability
    beams, ended = still, found
        the ended hypotheses of earlier rounds are lost; add the new ones to
        them
    beams, ended = still, sorted(ended + found)[-1:]
    beams, ended = still, (ended + found)[-wide:]
        some of the ended hypotheses are thrown away; keep all of them, and
        compare their scores at the end
    going = [x for x in order[:wide] if x[1][-1] != end]
        the open ones are those of the first width that have not ended; keep
        the best width of all that have not ended
    still = going[: max(0, wide - len(ended + found))]
    going = [x for x in order[:wide] if x[1][-1] != end]; \
still = going[: max(0, wide - len(ended + found))]
    found = [x for x in order[: wide - len(ended)] if x[1][-1] == end]; \
still = going[: wide - len(ended)]
    order = sorted(likely + ended, reverse=True); \
going = [x for x in order[:wide] if x[1][-1] != end]; \
beams, ended = still, found
        an ended hypothesis takes up a place among the open ones; keep width
        open ones besides
    still = of_each(going, 1, lambda ids: ids[-1])[:wide]
        of the open ones with the same last word only the best is kept; keep
        the best width of all, whatever they end with
    stop = bool(ended) or not beams
        you return the hypothesis that ended first; a better one may end later:
        go on until width have ended, and take the best
    stop = len(ended) > wide or not beams
        you stop when more than width have ended; stop at width
    stop = len(ended) >= max(1, wide - 1) or not beams
        you stop before width hypotheses have ended; stop at width
    stop = not beams
    stop = len(found) >= wide or not beams
        you go on after width hypotheses have ended; stop there
    stop = len(ended) >= wide or leads(ended, beams, power)
    stop = len(ended) >= wide or leads(ended, beams, 0)
    stop = len(ended) >= wide or leads(ended[:1], beams, 0)
    stop = leads(ended, beams, power)
    stop = leads(ended, beams, 0)
        you stop as soon as an ended one beats the open ones; here go on until
        width have ended
    pool = beams
        hypotheses that ended are thrown away; put them aside, with their
        scores
    pool = ended + beams
    pool = ended if len(ended) >= wide else ended + beams
        a beginning that has not ended wins; take it only if nothing has ended
    pool = ended or beams[-1:]
        you return the worst of the open ones when nothing has ended; return
        the best
    pool = ended or [(-math.inf, [])]
        nothing ended in time; then return the best open beginning
    counts = [len(ids) - 2 for _, ids in pool]
    counts = [len(ids) - 1 - (ids[-1] == end) for _, ids in pool]
        n counts the words with <eos>; yours leaves <eos> out
    counts = [len(ids) for _, ids in pool]
        n counts the words with <eos>, but not <bos>
    counts = [len(ids) - (ids[-1] == end) for _, ids in pool]
        an open beginning is scored as if it had ended; n counts its words
        alone
    counts = [longest for _ in pool]
        every sum is divided by the penalty of longest; take each hypothesis's
        own length
    power = 0.6
        alpha is 0.6 whatever is asked for; use the argument
    power = 1.0
        alpha is 1.0 whatever is asked for; use the argument
    power = 1.5
        alpha is 1.5 whatever is asked for; use the argument
    divisors = [1.0 for n in counts]
        alpha is ignored: divide the sum by ((5 + n) / 6) ** alpha
    divisors = [penalty(x[1], power) ** (x[0][1][-1] == end) for x in \
zip(pool, counts)]
        an open beginning's sum is not divided; divide it in the same way
    divisors = [1 / penalty(n, power) for n in counts]
        multiply turns into divide: a sum of logs is below 0, and times the
        penalty long sentences lose even more
    divisors = [n**power for n in counts]
        the penalty is n ** alpha; the formula is ((5 + n) / 6) ** alpha
    divisors = [(5 + n) / 6 * power or 1 for n in counts]
        alpha multiplies; it is a power
    divisors = [(5 + n) ** power for n in counts]
        the penalty is (5 + n) ** alpha; divide by 6 ** alpha too
    divisors = [(5 + n) / 6**power for n in counts]
    divisors = [(5 + n) ** power / 6 for n in counts]
    divisors = [(5 + n / 6) ** power for n in counts]
        the penalty must be taken to the power alpha as a whole: ((5 + n) / 6)
        ** alpha
    divisors = counts
        you divide by the mean length, without alpha
    scores = [x - y for x, y in zip(sums, divisors, strict=True)]
        the penalty is taken away from the sum; divide by it
    compared = sums
        the ended ones are compared by their sums; compare the sums divided by
        the penalty
    compared = [x / n for x, n in zip(sums, counts)]
    compared = [x / penalty(n - 1, power) for x, n in zip(sums, counts)]
    compared = [x / penalty(n + 1, power) for x, n in zip(sums, counts)]
    compared = [x / penalty(n, 0.6) for x, n in zip(sums, counts)]
        the ended ones are not compared by the score that you return (by the
        sum divided by n, or with another n or alpha?); compare the scores
    compared = [-x for x in scores]
        you return the worst of the ended hypotheses
    compared = [ids for _, ids in pool]
        the ended ones are compared by their ids; compare the scores
    compared = counts
        you return the longest of the ended; take the best score
    best = len(ended) - 1 if ended else 0
        you return the hypothesis that ended last; take the best
    score = sums[best]
        the score is the sum of logs; return the one divided by the penalty
    score = -scores[best]
        the score has the wrong sign; ln p is below 0
    score = math.exp(sums[best])
    score = math.exp(scores[best])
        the score is a probability; return the logarithm, divided
    score = round(scores[best], 2)
    score = round(scores[best], 3)
    score = round(scores[best], 4)
        the score is rounded; leave that to who prints it
    ids = written
        your ids hold <bos> and <eos>; cut both off
    ids = [i for i in written if i != end]
        your ids begin with <bos>; cut it off
    ids = written[1:]
        your ids end with <eos>; cut it off
    ids = written[1:-1]
    ids = [i for i in written if i not in (bos, end)][:-1]
        the last word is lost as if it were <eos>
    ids = [i for i in written if i not in (bos, end)][::-1]
        the ids stand in reverse order
    ids = [i for i in written if i not in (0, bos, end)]
        ids that are 0 are lost; 0 is a word like another
    ids = [i for i in written if i not in (1, 2)]
    ids = [i for i in written if i > 2]
        the ids 1 and 2 are cut out; cut bos and eos, whatever their ids
    ids = list(dict.fromkeys(i for i in written if i not in (bos, end)))
        a word that comes twice is written once; keep both
""")


class Ids(list):
    """The ids that an answer returns, and what is known of its calls."""

    used = None


def through(answer, language, width, alpha, bos, eos, longest):
    """Return ids and score, float64; refuse wrong ones of strange calls."""
    given = width, alpha, bos, eos, longest
    step = Words(language)
    result = answer(step, *given)
    if unanswered(result):
        return result
    ids, score = pair_of(result)
    if score == -math.inf and ids:
        raise Mistake(
            "the score is infinite; a product of many probabilities becomes "
            "0, so add their logarithms"
        )
    pair = ids, torch.tensor(score, dtype=torch.float64)
    why = step.why(longest)
    if why:
        right, total = beam_search(Words(language), *given)
        if not agree(pair, (right, torch.tensor(total, dtype=pair[1].dtype))):
            raise Mistake(why)
    return pair


def guess(results, rights, inputs):
    """Return a hint for what no row gives."""
    (ids, _), (right, _), longest = results, rights, inputs[-1]
    if len(ids) < len(right) and ids == right[: len(ids)]:
        return Hint(
            "the search stops too early; longest is {} rounds", longest
        )
    if ids == right:
        return (
            "the ids are right, their score is not: the sum of ln p, <eos> "
            "included, divided by ((5 + n) / 6) ** alpha"
        )
    return (
        "not the hypothesis that this search finds; print the open and the "
        "ended ones after each round, and compare with the table"
    )


def cases(draws):
    """Yield all cases."""
    for shown, language, width, alpha, longest, *otherwise in (
        # salt, vocab, bos, eos, ending, sharp, gaps
        ("", (4104, 6, 1, 2, 1.0, 2.0), 5, 0.6, 4),
        (", but not for another width, alpha and ids, where nothing ends",
         (2321, 7, 6, 3, -3.0, 2.0), 2, 1.5, 6),
        (" for a width of 5, but not for 3",
         (9283, 5, 1, 2, 0.5, 2.0), 3, 1.5, 3),
        (", but not when words have probability 0",
         (17, 7, 1, 2, -1.0, 0.6, True), 5, 0.6, 4),
        (", but not for alpha 1.5 and words of probability 0",
         (70, 5, 3, 4, 0.5, 2.0, True), 5, 1.5, 8),
        (", but not for a width of 1", (5608, 6, 1, 2, 1.0, 1.0), 1, 1.5, 6),
        (", but not for alpha 0", (62, 7, 1, 2, -1.0, 0.6), 8, 0.0, 6),
        (", but not in a second language",
         (2671, 5, 1, 2, 0.0, 2.0), 3, 1.5, 5),
        (", but not for a width of 2", (3733, 6, 1, 2, 0.5, 2.0), 2, 1.5, 6),
        (", but not in a third language",
         (4231, 5, 1, 2, 0.5, 2.0), 5, 1.5, 4),
        (", but not for alpha 2", (121, 7, 1, 2, 0.0, 1.0), 5, 2.0, 5),
        (", but not where <eos> is the only word there is",
         (1, 2, 0, 1, 0.0, 1.0), 3, 0.6, 4),
        (", but not for one round", (3341, 5, 3, 0, 0.5, 2.0), 3, 0.6, 1),
        (", but not when eos is 0", (3050, 5, 4, 0, -3.0, 1.0), 8, 1.0, 3),
        (", but not where several end in one round",
         (3197, 5, 1, 2, 1.5, 2.0), 3, 2.0, 4),
        (", but not for ln p = -40", (1, 3, 2, 1, -40.0, 1.0), 2, 0.6, 3,
         "an improbable word is a word; only ln 0 = -inf is left out"),
        (", but not for 250 rounds",
         (22, 100, 1, 2, -9.0, 0.5), 1, 0.6, 250,
         "the search stops too early, or digits of its sums are lost"),
    ):  # fmt: skip
        yield Case(
            shown and f"right{shown}: ",
            (
                Language(draws, *language),
                width,
                alpha,
                *language[2:4],
                longest,
            ),
            otherwise="".join(otherwise),
            only=bool(otherwise),
        )


def exercise(draws):
    """Return the exercise with its inputs."""
    return Exercise(
        right=beam_search,
        returns={"the ids": "", "the score": ""},
        takes=("",) * 6,
        cases=tuple(cases(draws)),
        mistakes=MISTAKES,
        asked=-1,
        combine=("counts", "divisors", "score", "ids"),
        errors={
            "selected index k out of range": "topk asks for more "
            "continuations than there are, at the start one a word of the "
            "vocabulary; take min(count, table.numel())",
            "max() ": "nothing ended in time and there is no fallback; then "
            "return the best open beginning",
        },
        guess=guess,
        through=through,
    )


check_beam_search = check(exercise)
