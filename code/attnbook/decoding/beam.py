"""Beam search: several beginnings of a sentence at once.

Dimension letters:
    B sentences, W beam width, R = B * W rows, t words so far, vocab words of
    the vocabulary.
"""

import math

import torch

from attnbook.data.vocabulary import BOS, EOS
from attnbook.decoding.greedy import Stepper, inference


def length_penalty(length, alpha):
    """Return what a sum of log-probabilities is divided by.

    Wu et al. (2016), eq. (14): ((5 + length) / 6)^alpha.

    Args:
        length: words of the sentence, <eos> counted.
        alpha: 0 for no penalty; the Transformer paper has 0.6, sec. 6.1.

    Returns:
        float.
    """
    return ((5 + length) / 6) ** alpha


def extend(stepper, written, total, width):
    """Return the best continuations of every beam.

    Args:
        stepper: a `Stepper`.
        written: ids, (R, t).
        total: summed log-probabilities, (B, W).
        width: W.

    Returns:
        Sums, rows and words of the 2 W best continuations per sentence,
        (B, 2 W) each, best first.  2 W, because at most W of them end.
    """
    scores = stepper.scores(written)  # (R, vocab)
    vocabulary = scores.size(-1)
    scores = total.view(-1, 1) + scores  # (R, vocab)
    scores = scores.view(len(total), -1)  # (R, vocab) -> (B, W * vocab)
    best, index = scores.topk(2 * width, dim=-1)  # (B, 2 W)
    first = torch.arange(len(total), device=best.device)[:, None] * width
    rows = first + index // vocabulary  # (B, 2 W)
    return best, rows, index % vocabulary


class Beams:
    """What a beam search knows of each sentence.

    Args:
        count: number of sentences B.
        width: beam width W.
        alpha: see `length_penalty`.
        device: of the scores.
    """

    def __init__(self, count, width, alpha, device):
        self.width, self.alpha = width, alpha
        self.total = torch.full((count, width), -math.inf, device=device)
        self.total[:, 0] = 0.0  # all beams begin alike: count them once
        self.ended = [[] for _ in range(count)]  # (score, ids)

    def split(self, best, rows, words, written):
        """Put ended sentences aside; return how the others go on.

        Args:
            best: sums, (B, 2 W), best first.
            rows: which beginning, (B, 2 W).
            words: which next word, (B, 2 W).
            written: the beginnings, (R, t).

        Returns:
            Rows and words of the W best that go on, (R,) each.
        """
        end = words == EOS  # (B, 2 W)
        divisor = length_penalty(written.size(1), self.alpha)
        for b, place in end[:, : self.width].nonzero().tolist():
            possible = best[b, place] > -math.inf  # not a beam of nothing
            if possible and len(self.ended[b]) < self.width:
                ids = written[rows[b, place], 1:].tolist()
                score = best[b, place].item() / divisor
                self.ended[b].append((score, ids))
        open_ = best.masked_fill(end, -math.inf)  # (B, 2 W)
        self.total, keep = open_.topk(self.width, dim=-1)  # (B, W)
        return rows.gather(1, keep).flatten(), words.gather(1, keep).flatten()

    def done(self):
        """Say whether every sentence has W endings."""
        return all(len(found) == self.width for found in self.ended)

    def result(self, written):
        """Return the best ending of each sentence, B lists of ids.

        Args:
            written: ids of the beams that were still open, (R, t).
        """
        divisor = length_penalty(written.size(1) - 1, self.alpha)
        best = []
        for b, found in enumerate(self.ended):
            if not found:  # nothing ended in time: take the best beginning
                ids = written[b * self.width, 1:].tolist()
                found = [(self.total[b, 0].item() / divisor, ids)]
            best.append(max(found, key=lambda pair: pair[0])[1])
        return best


def beam_search(model, source, width=5, alpha=0.6, longest=100, cached=None):
    """Keep the W best beginnings; return the best ended sentence.

    Vaswani et al. (2017), sec. 6.1; Wu et al. (2016), sec. 7.

    Args:
        model: a model with the interface of `Transformer`.
        source: source ids, int, (B, S).
        width: beam width W, at least 1.
        alpha: see `length_penalty`.
        longest: most words to write.
        cached: see `greedy`.

    Returns:
        B lists of ids, without <bos> and <eos>.

    Raises:
        ValueError: see `greedy`, or a width below 1.
    """
    if width < 1:
        raise ValueError(f"expected a width of at least 1, got {width}")
    with inference(model, longest):
        stepper = Stepper(model, source, width, cached)
        beams = Beams(len(source), width, alpha, source.device)
        written = source.new_full((len(source) * width, 1), BOS)  # (R, 1)
        for _ in range(longest):
            best, rows, words = extend(stepper, written, beams.total, width)
            rows, words = beams.split(best, rows, words, written)
            written = torch.cat([written[rows], words[:, None]], dim=1)
            stepper.reorder(rows)
            if beams.done():
                break
        return beams.result(written)
