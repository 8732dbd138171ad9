"""`decoding.greedy.greedy` and `decoding.beam.beam_search`, and sooner done.

The result is the same.  Sentences leave the batch as soon as their result is
known, and what is not computed again is left to a stepper (`stepper`).  What
both ways share comes as an argument: `decoding.search` brings it.

Dimension letters:
    B sentences, W beam width, R = B * W rows, t words so far,
    vocab words of the vocabulary.
"""

import torch

from attnbook.data.vocabulary import BOS, EOS, PAD

LEAVE = 0.75  # the batch is cut when at most this part of it goes on


def write_greedily(stepper, source, longest):
    """Write the most probable next word, again and again.

    Args:
        stepper: a `BeamStepper` of one beam per sentence.
        source: source ids, int, (B, S).
        longest: most words to write.

    Returns:
        Ids, (B, longest), without <bos>; all are <eos> after the first one.
    """
    written = source.new_full((len(source), longest), EOS)
    active = torch.arange(len(source), device=source.device)  # (B',)
    open_ = torch.ones_like(active, dtype=torch.bool)  # (B',)
    word = source.new_full((len(source), 1), BOS)
    for t in range(longest):
        scores = stepper.logits(word)[:, 0]  # (B', vocab)
        scores[:, [PAD, BOS]] = -torch.inf
        _, word = scores.max(dim=-1, keepdim=True)  # (B', 1), as argmax
        written[active, t] = word[:, 0].to(written.dtype)
        open_ = open_ & (word[:, 0] != EOS)
        left = int(open_.sum())
        if left == 0:
            break
        if left <= LEAVE * len(open_):
            stay = open_.nonzero()[:, 0]  # (B'',)
            stepper.keep(stay)
            active, word, open_ = active[stay], word[stay], open_[stay]
    return written


class LeavingBeams:
    """Beams of sentences that leave as soon as their result is known.

    Args:
        beams: a `decoding.beam.Beams`; changed in place.
        penalty: a function of a number of words that returns what a sum of
            that many log-probabilities is divided by.
        longest: most words to write.
    """

    def __init__(self, beams, penalty, longest):
        self.beams, self.penalty, self.longest = beams, penalty, longest
        self.places = list(range(len(beams.ended)))  # among the results
        self.results = [None] * len(beams.ended)

    def going_on(self, length):
        """Return the sentences whose result is not known yet, a list.

        It is known with W endings, or with one that no open beam can beat:
        sums only fall, and at best they are divided by the largest divisor
        to come.

        Args:
            length: words of the open beams.
        """
        beams = self.beams
        if not any(beams.ended):
            return list(range(len(beams.ended)))
        to_come = min(length + 1, self.longest), self.longest
        divisor = max(self.penalty(n) for n in to_come)
        found = []
        totals = beams.total[:, 0].tolist()  # of the best open beams
        for b, (ended, total) in enumerate(
            zip(beams.ended, totals, strict=True)
        ):
            best = max(ended)[0] if ended else -torch.inf
            full = len(ended) == beams.width
            if not ended or not (full or best >= total / divisor):
                found.append(b)
        return found

    def note_results(self, written):
        """Write down the result of every sentence.

        Args:
            written: ids of the open beams, (R, t).
        """
        results = self.beams.result(written)
        for place, ids in zip(self.places, results, strict=True):
            self.results[place] = ids

    def keep(self, sentences):
        """Go on with these sentences alone, a list."""
        beams = self.beams
        beams.total = beams.total[sentences]
        beams.ended = [beams.ended[b] for b in sentences]
        self.places = [self.places[b] for b in sentences]


def search_beams(stepper, leaving, extend, source):
    """Return the best ended sentence of each, B lists of ids.

    Args:
        stepper: a `BeamStepper` of W beams per sentence.
        leaving: a `LeavingBeams` of as many.
        extend: `decoding.beam.extend`.
        source: source ids, int, (B, S).
    """
    beams, width = leaving.beams, leaving.beams.width
    written = source.new_full((len(source) * width, 1), BOS)  # (R, 1)
    for length in range(1, leaving.longest + 1):
        best, rows, words = extend(stepper, written, beams.total, width)
        rows, words = beams.split(best, rows, words, written)
        written = torch.cat([written[rows], words[:, None]], dim=1)
        stepper.reorder(rows)
        stay = leaving.going_on(length)
        if not stay:
            break
        if len(stay) <= LEAVE * len(beams.ended):
            leaving.note_results(written)
            leaving.keep(stay)
            stay = torch.tensor(stay, device=source.device)
            stepper.keep(stay)
            written = written.unflatten(0, (-1, width))[stay].flatten(0, 1)
    leaving.note_results(written)
    return leaving.results
