"""Greedy and beam search as `greedy` and `beam` have it, and faster.

The result is the same; what is left out changes nothing.  Keys and values
are not copied (`fast_cache`), sentences whose result is known leave the
batch, and the best words are looked for in the best blocks alone.

Dimension letters:
    B sentences, W beam width, R = B * W rows, t words so far, V vocabulary,
    C blocks, K how many are wanted.
"""

import torch

from attnbook.data.vocabulary import BOS, EOS, PAD
from attnbook.decoding.beam import Beams, beam_search, length_penalty
from attnbook.decoding.ensemble import Ensemble, EnsembleStepper
from attnbook.decoding.fast_cache import FastStepper
from attnbook.decoding.greedy import greedy, inference, until_eos
from attnbook.transformer import Transformer

BLOCK = 64  # words
LEAVE = 0.75  # the batch is cut when at most this part of it goes on


def is_fast(model, cached):
    """Say whether there is a fast way: `Transformer`, one or some, cached."""
    parts = model.models if type(model) is Ensemble else [model]
    known = all(type(part) is Transformer for part in parts)
    return known and cached in (None, True)


def make_stepper(model, source, width, longest):
    """Return the stepper of a model that `is_fast`; see `FastStepper`."""
    one = type(model) is Transformer
    kind = FastStepper if one else EnsembleStepper
    return kind(model, source, width, longest)


def best_words(total, scores, count):
    """Return the best continuations of each sentence.

    The K best words stand in the K blocks with the best maxima, so only
    these are searched, and the words that fill no block.

    Args:
        total: what each beam has already, (B, W).
        scores: what each word would add, (B, W, V), or (B, 1, V) if the
            beams are alike.
        count: how many, K; at most W * V.

    Returns:
        Sums, beams and words, (B, K) each, best first.
    """
    sentences, width, vocabulary = scores.shape
    blocks = vocabulary // BLOCK  # C
    flat = scores.flatten(1)  # (B, W * V)
    if blocks < count:
        best = total.unsqueeze(-1) + scores  # (B, W, V)
        best, places = best.flatten(1).topk(count, dim=-1)
        return best, places // vocabulary, places % vocabulary
    total = total[:, :width]
    even = scores[..., : blocks * BLOCK].unflatten(-1, (blocks, BLOCK))
    maxima = total.unsqueeze(-1) + even.amax(dim=-1)  # (B, W, C)
    chosen = maxima.flatten(1).topk(count, dim=-1, sorted=False)[1]  # (B, K)
    first = chosen // blocks * vocabulary + chosen % blocks * BLOCK
    words = torch.arange(vocabulary, device=scores.device)
    places = (first.unsqueeze(-1) + words[:BLOCK]).flatten(1)
    rest = words[:width, None] * vocabulary + words[blocks * BLOCK :]
    rest = rest.flatten().expand(sentences, -1)
    places = torch.cat([places, rest], dim=1)  # (B, K * 64 + W * rest)
    sums = total.gather(1, places // vocabulary) + flat.gather(1, places)
    best, index = sums.topk(count, dim=-1)  # (B, K)
    places = places.gather(1, index)
    return best, places // vocabulary, places % vocabulary


def fast_greedy(model, source, longest=100, cached=None):
    """Write the most probable next word, again and again.

    Arguments as in `greedy.greedy`, and its result and errors.
    """
    if not is_fast(model, cached):
        return greedy(model, source, longest, cached)
    with inference(model, longest):
        stepper = make_stepper(model, source, 1, longest)
        written = source.new_full((len(source), longest), EOS)
        active = torch.arange(len(source), device=source.device)  # (B',)
        open_ = torch.ones_like(active, dtype=torch.bool)  # (B',)
        word = source.new_full((len(source), 1), BOS)
        for t in range(longest):
            scores = stepper.logits(word).float()  # (B', 1, V)
            scores[..., [PAD, BOS]] = -torch.inf
            zero = scores.new_zeros(len(scores), 1)
            word = best_words(zero, scores, 1)[2]  # (B', 1)
            written[active, t] = word[:, 0]
            open_ = open_ & (word[:, 0] != EOS)
            left = int(open_.sum())
            if left == 0:
                break
            if left <= LEAVE * len(open_):
                stay = open_.nonzero()[:, 0]  # (B'',)
                stepper.keep(stay)
                active, word, open_ = active[stay], word[stay], open_[stay]
        return until_eos(written)


class LeavingBeams(Beams):
    """Beams of sentences that leave as soon as their result is known.

    Args:
        count: number of sentences B.
        width: beam width W.
        alpha: see `length_penalty`.
        device: of the scores.
        longest: most words to write.
    """

    def __init__(self, count, width, alpha, device, longest):
        super().__init__(count, width, alpha, device)
        self.longest = longest
        self.places = list(range(count))  # in the list of results
        self.results = [None] * count

    def going_on(self, length):
        """Return the sentences whose result is not known yet, a list.

        It is known with W endings, or with one that no open beam can beat:
        sums only fall, and at best they are divided by the largest divisor
        to come.

        Args:
            length: words of the open beams.
        """
        if not any(self.ended):
            return list(range(len(self.ended)))
        to_come = min(length + 1, self.longest), self.longest
        divisor = max(length_penalty(n, self.alpha) for n in to_come)
        found = []
        totals = self.total[:, 0].tolist()  # of the best open beams
        for b, (ended, total) in enumerate(
            zip(self.ended, totals, strict=True)
        ):
            best = max(ended)[0] if ended else -torch.inf
            full = len(ended) == self.width
            if not ended or not (full or best >= total / divisor):
                found.append(b)
        return found

    def note_results(self, written):
        """Write down the result of every sentence.

        Args:
            written: ids of the open beams, (R, t).
        """
        results = self.result(written)
        for place, ids in zip(self.places, results, strict=True):
            self.results[place] = ids

    def keep(self, sentences):
        """Go on with these sentences alone, a list."""
        self.total = self.total[sentences]
        self.ended = [self.ended[b] for b in sentences]
        self.places = [self.places[b] for b in sentences]


def extend(stepper, beams, written, words):
    """Return rows and words of the W best that go on, (R,) each.

    Args:
        stepper: see `make_stepper`.
        beams: the `LeavingBeams`; ended sentences are put aside there.
        written: ids of the open beams, (R, t).
        words: the newest of them, (B, 1) at first, then (B, W).
    """
    width = beams.width
    scores = stepper.logits(words).float().log_softmax(dim=-1)  # (B, W, V)
    scores[..., [PAD, BOS]] = -torch.inf
    best, beam, words = best_words(beams.total, scores, 2 * width)
    first = torch.arange(len(beam), device=beam.device) * width  # (B,)
    return beams.split(best, first[:, None] + beam, words, written)


def fast_beam_search(
    model, source, width=5, alpha=0.6, longest=100, cached=None
):
    """Keep the W best beginnings; return the best ended sentence.

    Arguments as in `beam.beam_search`, and its result and errors.
    """
    if width < 1 or not is_fast(model, cached):
        return beam_search(model, source, width, alpha, longest, cached)
    with inference(model, longest):
        stepper = make_stepper(model, source, width, longest)
        beams = LeavingBeams(len(source), width, alpha, source.device, longest)
        written = source.new_full((len(source) * width, 1), BOS)  # (R, 1)
        words = written[: len(source)]  # (B, 1)
        for length in range(1, longest + 1):
            rows, words = extend(stepper, beams, written, words)
            written = torch.cat([written[rows], words[:, None]], dim=1)
            words = words.view(-1, width)  # (B, W)
            stepper.reorder(rows)
            stay = beams.going_on(length)
            if not stay:
                break
            if len(stay) <= LEAVE * len(words):
                beams.note_results(written)
                beams.keep(stay)
                stay = torch.tensor(stay, device=source.device)
                stepper.keep(stay)
                written = written.unflatten(0, (-1, width))[stay].flatten(0, 1)
                words = words[stay]
        beams.note_results(written)
        return beams.results
