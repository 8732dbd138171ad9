"""Byte-pair encoding: frequent neighbours become one token.

Words are cut into bytes; then, again and again, the most frequent pair of
neighbouring symbols in the training texts is merged into a new symbol.
Frequent words end as one token, rare ones as a few, and no text is unknown.
"""

import re
from collections import Counter
from itertools import pairwise
from math import inf

from attnbook.data.characters import MARKS
from attnbook.data.files import read_list, write_json
from attnbook.data.paircounts import PairCounts, replace_pair
from attnbook.data.vocabulary import (
    SPECIALS,
    UNK,
    check_ids,
    check_text,
    count_parts,
    keep_text_ids,
)

# Letters or digits with their marks, or other signs, all with the space before
# them; then what is left of white space, but the last space before a word.
PIECE = re.compile(
    rf" ?(?:[^\W\d_]+[{MARKS}]*)+| ?(?:\d+[{MARKS}]*)+"
    r"| ?(?:[^\w\s]|_)+|\s+(?!\S)|\s"
)
FIRST_BYTE = len(SPECIALS)  # id of byte 0
FIRST_MERGE = FIRST_BYTE + 256  # id of the first merged symbol
CACHED = 2**18  # pieces whose ids are remembered
SINGLE = [b""] * FIRST_BYTE + [bytes([byte]) for byte in range(256)]


def split(text):
    """Cut a text into the pieces that no merge crosses.

    Sennrich et al. (2016) mark the end of a word; here the space before a
    word belongs to it, as in Radford et al. (2019), sec. 2.2.

    Args:
        text: str.

    Returns:
        A list of str that joined give the text; letters stand apart from
        digits and other signs.

    Raises:
        ValueError: not a str, or a lone surrogate in it.
    """
    check_text(text)
    return PIECE.findall(text)


def merge_step(words):
    """Merge the most frequent pair of neighbouring symbols everywhere.

    Sennrich et al. (2016), sec. 3.2, algorithm 1: one round of the loop.

    Args:
        words: dict of word -> count, the word a tuple of symbols, all str
            or all bytes; pairs are not counted across words.

    Returns:
        The pair, of equally frequent ones the alphabetically first, and
        the new dict, where the pair is one symbol.

    Raises:
        ValueError: no word of two symbols is left.
    """
    counts = Counter()
    for word, count in words.items():
        for pair in pairwise(word):
            counts[pair] += count
    if not counts:
        raise ValueError("expected a word of two symbols, got none")
    best = min(counts, key=lambda pair: (-counts[pair], pair))
    merged = Counter()
    for word, count in words.items():
        merged[tuple(replace_pair(word, best, best[0] + best[1]))] += count
    return best, dict(merged)


def _byte_ids(piece):
    """Return the ids of the bytes of a piece."""
    return tuple(FIRST_BYTE + byte for byte in piece.encode())


def _is_pair(pair, new):
    """Tell whether these are two ids of what can be merged into new."""
    return (
        isinstance(pair, tuple)
        and len(pair) == 2
        and all(type(i) is int and FIRST_BYTE <= i < new for i in pair)
    )


def _label(symbol):
    """Make bytes readable."""
    text = symbol.decode("utf-8", errors="backslashreplace")
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode()
        for c in text.replace(" ", "\u2581")
    )


class BytePairs:
    """A vocabulary of 4 special tokens, 256 bytes and one id per merge.

    Byte level as in Radford et al. (2019), sec. 2.2: every text has an
    encoding, and decoding gives back the very same text.  The id UNK is
    never used; it stays free so that `vocabulary`'s constants hold.

    Args:
        merges: an iterable of pairs of ids, in the order they were
            learned; merge i makes the id 260 + i.

    Raises:
        ValueError: not a pair of ids, one that does not exist yet at its
            turn or is a special token, or a pair twice.
    """

    def __init__(self, merges):
        self.merges = [tuple(p) if type(p) is list else p for p in merges]
        self.bytes = list(SINGLE)
        self.ranks = {}  # pair -> the id that it is merged into
        self._known = {}  # piece -> its ids
        for new, pair in enumerate(self.merges, start=FIRST_MERGE):
            if not _is_pair(pair, new) or pair in self.ranks:
                raise ValueError(
                    f"expected two ids from {FIRST_BYTE} to {new - 1} that "
                    f"were not merged before for id {new}, got {pair!r}"
                )
            self.ranks[pair] = new
            self.bytes.append(self.bytes[pair[0]] + self.bytes[pair[1]])

    @classmethod
    def learn(cls, texts, merges, smallest_count=2):
        """Learn merges; the same ones as `merge_step` round by round.

        Args:
            texts: an iterable of str; never validation or test texts.
            merges: how many, at least 0.
            smallest_count: a pair that is rarer is not merged; at least 1.

        Returns:
            A `BytePairs`, with fewer merges when no pair is left that
            occurs often enough.

        Raises:
            ValueError: not several texts, or a number below its least.
        """
        if merges < 0:
            raise ValueError(f"expected merges of at least 0, got {merges}")
        pieces = count_parts(texts, split, smallest_count)
        words = {_byte_ids(piece): n for piece, n in pieces.items()}
        table = PairCounts(words, SINGLE)
        learned = []
        while len(learned) < merges:
            pair, count = table.most_frequent()
            if count < smallest_count:
                break
            table.merge(pair)
            learned.append(pair)
        return cls(learned)

    def __len__(self):
        return len(self.bytes)

    def encode(self, text):
        """Turn a text into ids, without BOS and EOS.

        Args:
            text: str.

        Returns:
            A list of int; never a special one.

        Raises:
            ValueError: not a str, or a lone surrogate in it.
        """
        ids = []
        for piece in split(text):
            if piece not in self._known:
                if len(self._known) >= CACHED:
                    self._known.clear()
                self._known[piece] = self._merge(piece)
            ids += self._known[piece]
        return ids

    def _merge(self, piece):
        """Apply the merges to one piece, the first learned first."""
        ids = _byte_ids(piece)
        while len(ids) > 1:
            pair = min(pairwise(ids), key=lambda p: self.ranks.get(p, inf))
            if pair not in self.ranks:
                break
            ids = replace_pair(ids, pair, self.ranks[pair])
        return ids

    def decode(self, ids):
        """Return the text before the first EOS, without PAD and BOS.

        Args:
            ids: integers from 0 to len(self) - 1.

        Returns:
            str; UNK as "<unk>", bytes that are no UTF-8 as U+FFFD.

        Raises:
            ValueError: not integers, or an id outside the vocabulary.
        """
        ids = keep_text_ids(ids, len(self))
        unknown = SPECIALS[UNK].encode()
        parts = [unknown if i == UNK else self.bytes[i] for i in ids]
        return b"".join(parts).decode("utf-8", errors="replace")

    def tokens(self, ids):
        """Name every id, special ones too: the labels of a figure.

        Args:
            ids: integers from 0 to len(self) - 1.

        Returns:
            A list of str, as many as ids; a space is shown as U+2581, a
            part of a character or an invisible one as an escape.

        Raises:
            ValueError: not integers, or an id outside the vocabulary.
        """
        ids = check_ids(ids, len(self))
        return [
            SPECIALS[i] if i < FIRST_BYTE else _label(self.bytes[i])
            for i in ids
        ]

    def content(self):
        """Return what a file holds of it: its kind, and a list called so."""
        return {"kind": "merges", "merges": self.merges}

    def save(self, path):
        """Write the JSON file at path, completely or not at all."""
        write_json(path, self.content())

    @classmethod
    def load(cls, path):
        """Read the file at path that `save` has written."""
        return cls(read_list(path, ["merges"])[1])
