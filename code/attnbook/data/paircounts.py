"""Counts of neighbouring symbols that follow every merge.

`bpe.merge_step` shows what is computed.  It recounts all words for each
merge; here a merge touches those words alone that hold its pair.
"""

from collections import Counter, defaultdict
from heapq import heappop, heappush
from itertools import pairwise


def replace_pair(word, pair, new):
    """Replace each occurrence of a pair in a word, from left to right.

    Args:
        word: a sequence of symbols.
        pair: two symbols, a tuple.
        new: the symbol that takes their place; neither of the two.

    Returns:
        A list of symbols.
    """
    merged = []
    for symbol in word:
        if merged and (merged[-1], symbol) == pair:
            merged[-1] = new
        else:
            merged.append(symbol)
    return merged


class PairCounts:
    """The counts of `bpe.merge_step`, kept up to date instead of recounted.

    A merge changes the counts only in the words that hold the pair.  A
    heap finds the most frequent pair; its entries may be out of date and
    are checked when they come up.

    Args:
        words: dict of word -> count, the word a tuple of ids.
        symbols: the bytes of every id, a list; ids that no word has, too.
    """

    def __init__(self, words, symbols):
        self.words = list(words)
        self.times = list(words.values())
        self.symbols = list(symbols)
        self.counts = Counter()
        self.places = defaultdict(set)  # pair -> words that hold or held it
        self.heap = []
        for place in range(len(self.words)):
            self._count(place, 1)
        self._push(self.counts)

    def _count(self, place, sign):
        """Count the pairs of a word in (sign 1) or out (-1)."""
        for pair in pairwise(self.words[place]):
            self.counts[pair] += sign * self.times[place]
            if sign > 0:
                self.places[pair].add(place)

    def _push(self, pairs):
        """Put pairs on the heap: highest count, then lowest bytes."""
        for pair in pairs:
            key = self.symbols[pair[0]], self.symbols[pair[1]]
            heappush(self.heap, (-self.counts[pair], key, pair))

    def most_frequent(self):
        """Return the next pair to merge, two ids, and its count.

        Returns:
            A pair and an int, or (None, 0) if no pair is left.
        """
        while self.heap:
            count, _, pair = heappop(self.heap)
            if self.counts[pair] == -count:
                return pair, -count
            if self.counts[pair]:  # fell since it was pushed
                self._push([pair])
        return None, 0

    def merge(self, pair):
        """Make a pair the next symbol.

        Args:
            pair: two ids.
        """
        new = len(self.symbols)
        self.symbols.append(self.symbols[pair[0]] + self.symbols[pair[1]])
        born = set()
        for place in self.places.pop(pair):
            self._count(place, -1)
            self.words[place] = replace_pair(self.words[place], pair, new)
            self._count(place, 1)
            born |= {p for p in pairwise(self.words[place]) if new in p}
        del self.counts[pair]
        self._push(born)
