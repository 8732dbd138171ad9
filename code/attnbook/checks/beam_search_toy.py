"""Next words on which a beam search is judged, and searches with mistakes.

Dimension letters:
    R beginnings, V vocabulary.
"""

import functools
import math
from zlib import crc32

import torch


@functools.lru_cache(maxsize=20_000)
def next_word(salt, prefix, vocabulary, bos, eos, ending, sharp, gaps):
    """Return ln p of the next word, float64, (V,); see `Words`."""
    generator = torch.Generator().manual_seed(
        crc32(repr((salt, prefix)).encode())
    )
    float32 = {"dtype": torch.float32}  # whatever the answer's default is
    logits = torch.randn(vocabulary, generator=generator, **float32)  # (V,)
    logits = logits.double() * sharp
    logits[eos] += ending
    if gaps:
        logits[logits.argsort()[:-3]] = -math.inf
    logits[bos] = -math.inf
    return logits.log_softmax(-1)  # (V,)


def grown(pair, p, word, flaw, alpha):
    """Return (sum, ids) of a beginning and one more word."""
    total, ids = pair
    total = 0.0 if flaw == "last word" else total
    p = math.exp(p) if flaw == "probabilities" else p
    p = max(p, -1e9) if flaw == "nearly zeros" else p
    if flaw == "each divided":
        p = p / penalty(len(ids), alpha)
    total = total + p
    if flaw == "carried":
        total = total / penalty(len(ids), alpha)
    return total, [*ids, word]


class Words:
    """Score the next word after each beginning, by a checksum of it.

    Args:
        salt: another number, another language.
        vocabulary: V.
        ids: bos and eos.
        ending: added to the logit of <eos>.
        sharp: multiplies the logits.
        gaps: whether some words have probability 0.
        dtype: of the log-probabilities.
    """

    def __init__(self, salt, vocabulary, ids, ending, sharp, gaps, dtype):
        self.salt, self.vocabulary, self.dtype = salt, vocabulary, dtype
        self.bos, self.eos = ids
        self.ending, self.sharp, self.gaps = ending, sharp, gaps
        self.calls, self.most = 0, 600
        self.twice = self.widest = self.extended = self.deepest = 0

    def row(self, prefix):
        """Return ln p of the next word, float64, (V,)."""
        fixed = self.vocabulary, self.bos, self.eos, self.ending
        return next_word(self.salt, prefix, *fixed, self.sharp, self.gaps)

    def __call__(self, prefixes):
        """Return ln p of the next words, (R, V), of R lists of ids."""
        self.calls += 1
        if self.calls > self.most:
            raise ValueError("the loop does not end")
        if not isinstance(prefixes, (list, tuple)) or not prefixes:
            raise ValueError("step takes a list of beginnings, at least one")
        if any(isinstance(p, (int, torch.Tensor)) for p in prefixes):
            raise ValueError("step takes a list of lists of ids")
        rows = [tuple(int(i) for i in prefix) for prefix in prefixes]
        if any(not row or row[0] != self.bos for row in rows):
            raise ValueError("every beginning starts with <bos>")
        self.extended += any(self.eos in row for row in rows)
        self.twice += len(set(rows)) < len(rows)
        self.widest = max(self.widest, len(rows))
        self.deepest = max(self.deepest, *(len(row) for row in rows))
        return torch.stack([self.row(row) for row in rows]).to(self.dtype)


def penalty(count, alpha):
    """Return what a sum of `count` words is divided by."""
    return ((5 + count) / 6) ** alpha


OTHER_PENALTIES = {  # by which the ended ones are compared, wrongly
    "by mean": lambda n, alpha: n,
    "without eos": lambda n, alpha: penalty(n - 1, alpha),
    "with bos": lambda n, alpha: penalty(n + 1, alpha),
    "by 0.6": lambda n, alpha: penalty(n, 0.6),
}


def search(step, width, alpha, bos, eos, longest, flaw="", divide=penalty):
    """Return ids and score as beam search finds them, with a flaw or not.

    Args:
        step: a `Words`.
        width: beginnings that stay open.
        alpha: of the length penalty.
        bos: id of the start.
        eos: id of the end.
        longest: most words, <eos> counted.
        flaw: name of a mistake; empty for none.
        divide: the length penalty.
    """
    open_, ended = [(0.0, [bos])], []
    for _ in range(longest):
        table = step([ids for _, ids in open_]).tolist()
        every = continuations(open_, table, flaw, width, alpha, eos)
        seen = every[: {"late": 2 * width, "best alone": 1}.get(flaw, width)]
        found = [pair for pair in seen if pair[1][-1] == eos]
        if flaw == "no empty":
            found = [pair for pair in found if len(pair[1]) > 2]
        if flaw == "eos lost":
            found = [
                (s - table_of(open_, table, ids, eos), ids) for s, ids in found
            ]
        ended = [] if flaw == "overwritten" else ended
        ended += [ended_pair(pair, divide, alpha, flaw) for pair in found]
        if flaw == "pruned" and ended:
            ended = [max(ended, key=lambda pair: sum_of(pair, divide, alpha))]
        left = width - len(ended) if flaw == "places" else width
        going = seen if flaw in ("places", "first alone") else every
        open_ = [pair for pair in going if pair[1][-1] != eos]
        if flaw == "one each":
            open_ = [*{tuple(x[1][:-1]): x for x in open_[::-1]}.values()]
            open_.sort(reverse=True)
        open_ = open_[: max(left, 0)]
        if not open_ or is_enough(ended, open_, width, alpha, flaw):
            break
    return best_of(ended, open_, alpha, width, flaw, divide)


def ended_pair(pair, divide, alpha, flaw):
    """Return (score, ids) of an ended hypothesis, with a flaw or not."""
    total, ids = pair
    if flaw in ("carried", "each divided"):
        return total, ids  # divided already
    return total / divide(len(ids) - 1, alpha), ids


def is_enough(ended, open_, width, alpha, flaw):
    """Say whether the search stops, with a flaw or not."""
    if flaw == "hopeful" and ended:
        total, ids = open_[0]
        if max(ended)[0] >= total / penalty(len(ids) - 1, alpha):
            return True
    if flaw == "hopeful alone":
        return bool(ended) and max(ended)[0] > open_[0][0]
    enough = {
        "first end": 1,
        "one fewer": max(1, width - 1),
        "one more": width + 1,
    }
    return len(ended) >= enough.get(flaw, width) and flaw != "no stop"


def sum_of(pair, divide, alpha):
    """Return the sum of ln p of a hypothesis from its score."""
    return pair[0] * divide(len(pair[1]) - 1, alpha)


def table_of(open_, table, ids, eos):
    """Return ln p of the <eos> of an ended hypothesis."""
    at = [words for _, words in open_].index(ids[:-1])
    return table[at][eos]


def continuations(open_, table, flaw, width, alpha, eos):
    """Return (sum, ids) of every beginning and next word, the best first."""
    every = []
    for pair, row in zip(open_, table, strict=True):
        own = [grown(pair, p, i, flaw, alpha) for i, p in enumerate(row)]
        if flaw == "too short" and len(pair[1]) < 3:
            own = [x for x in own if x[1][-1] != eos]
        if flaw == "each width":
            own = sorted(own, reverse=True)[:width]
        every += own
    if flaw != "unsorted":
        every.sort(key=lambda pair: pair[0] if flaw == "rising" else -pair[0])
    if flaw == "zeros":
        return every[: 2 * width]
    return [pair for pair in every if pair[0] > -math.inf]


def best_of(ended, open_, alpha, width, flaw, divide):
    """Return the best ended hypothesis, or the best that is still open."""
    if flaw == "truncated":
        ended = ended[:width]
    rest = [ended_pair(pair, divide, alpha, flaw) for pair in open_]
    if flaw == "thrown away" or not ended:
        if flaw == "last open" and rest:
            return rest[-1]
        return max(rest) if rest else (0.0, [])
    if flaw == "open too" or (flaw == "open at last" and len(ended) < width):
        ended = [*ended, *rest]
    keys = {
        "worst": lambda pair: -pair[0],
        "by ids": lambda pair: pair[1],
        "by length": lambda pair: len(pair[1]),
        "by shortness": lambda pair: -len(pair[1]),
        "by sum": lambda pair: sum_of(pair, divide, alpha),
    }
    for name, other in OTHER_PENALTIES.items():
        keys[name] = lambda pair, other=other: (
            sum_of(pair, divide, alpha) / other(len(pair[1]) - 1, alpha)
        )
    if flaw == "last":
        return ended[-1]
    return max(ended, key=keys.get(flaw, lambda pair: pair[0]))
