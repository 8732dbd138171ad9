"""Vocabularies: from text to ids, and from ids back to text.

A model sees numbers.  A vocabulary says which, and keeps the first four for
what is not text.  Here a token is a word; in `bpe` it is a piece of one.
"""

import reprlib
from collections import Counter
from operator import index

from attnbook.data.files import read_list, write_json

PAD, BOS, EOS, UNK = 0, 1, 2, 3
SPECIALS = ("<pad>", "<bos>", "<eos>", "<unk>")


def check_text(text):
    """Refuse what is not text.

    Args:
        text: str, may be empty.

    Raises:
        ValueError: not a str, or half of a character (a lone surrogate).
    """
    if not isinstance(text, str):
        raise ValueError(f"expected text as str, got {type(text).__name__}")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError(
            "expected text without lone surrogates, got "
            f"{text[error.start]!a} at position {error.start}"
        ) from None


def check_texts(texts):
    """Refuse one text where several are expected.

    Args:
        texts: an iterable of str.

    Raises:
        ValueError: a str or bytes.
    """
    if isinstance(texts, (str, bytes)):
        raise ValueError(
            f"expected an iterable of texts, got one {type(texts).__name__}"
        )


def count_parts(texts, parts_of, smallest_count):
    """Count how often each part occurs in the training texts.

    Args:
        texts: an iterable of str.
        parts_of: the function from a text to the list of its parts.
        smallest_count: int of at least 1; only checked.

    Returns:
        A dict of part -> count.

    Raises:
        ValueError: one text instead of several, or a count below 1.
    """
    check_texts(texts)
    if smallest_count < 1:
        raise ValueError(
            f"expected smallest_count of at least 1, got {smallest_count}"
        )
    counts = Counter()
    for text in texts:
        counts.update(parts_of(text))
    return dict(counts)


def check_ids(ids, size):
    """Return the ids as a list, refuse what no token has.

    Args:
        ids: integers, a list or anything that yields them.
        size: number of tokens in the vocabulary.

    Returns:
        A list of int, each from 0 to size - 1.

    Raises:
        ValueError: not integers, or an id outside the vocabulary.
    """
    try:
        whole = [index(i) for i in ids]
    except TypeError:
        raise ValueError(
            f"expected a sequence of integer ids, got {reprlib.repr(ids)}"
        ) from None
    for i in whole:
        if not 0 <= i < size:
            raise ValueError(f"expected ids from 0 to {size - 1}, got {i}")
    return whole


def keep_text_ids(ids, size):
    """Keep what stands before the first EOS, without PAD and BOS.

    Args:
        ids: integers from 0 to size - 1.
        size: number of tokens in the vocabulary.

    Returns:
        A list of int; UNK stays.

    Raises:
        ValueError: not integers, or an id outside the vocabulary.
    """
    ids = check_ids(ids, size)
    end = ids.index(EOS) if EOS in ids else len(ids)
    return [i for i in ids[:end] if i not in (PAD, BOS)]


class WordVocabulary:
    """One id per word; words are what stands between spaces (U+0020).

    A word that is spelled like a special token, as a literal "<eos>", is
    unknown, so no text can end a sentence early.

    Args:
        words: the known words, an iterable of distinct str in the order of
            their ids, from 4; the special tokens are not among them.

    Raises:
        ValueError: a word twice, empty, with a space, or spelled like a
            special token.
    """

    def __init__(self, words):
        self.words = list(words)
        self.names = [*SPECIALS, *self.words]
        self.ids = {}
        for i, word in enumerate(self.words, start=len(SPECIALS)):
            check_text(word)
            if not word or " " in word or word in SPECIALS or word in self.ids:
                raise ValueError(
                    "expected distinct words without spaces, none of them "
                    f"out of {SPECIALS}, got {word!r} for id {i}"
                )
            self.ids[word] = i

    @classmethod
    def learn(cls, texts, smallest_count=1):
        """Collect the words of the training texts, frequent ones first.

        Args:
            texts: an iterable of str; never validation or test texts.
            smallest_count: rarer words stay unknown; at least 1.

        Returns:
            A `WordVocabulary`; equal counts are sorted alphabetically.

        Raises:
            ValueError: not several texts, or a count below 1.
        """
        counts = count_parts(texts, cls.split, smallest_count)
        known = [w for w, n in counts.items() if n >= smallest_count]
        known = sorted(known, key=lambda word: (-counts[word], word))
        return cls(word for word in known if word not in SPECIALS)

    @staticmethod
    def split(text):
        """Return the words of a text, none of them empty."""
        check_text(text)
        return [word for word in text.split(" ") if word]

    def __len__(self):
        return len(SPECIALS) + len(self.words)

    def encode(self, text):
        """Turn a text into ids, without BOS and EOS.

        Args:
            text: str.

        Returns:
            A list of int; a word the vocabulary does not have is UNK.

        Raises:
            ValueError: not a str, or a lone surrogate in it.
        """
        return [self.ids.get(word, UNK) for word in self.split(text)]

    def decode(self, ids):
        """Return the text before the first EOS, without PAD and BOS.

        Args:
            ids: integers from 0 to len(self) - 1.

        Returns:
            str, the words joined by one space, UNK as "<unk>".

        Raises:
            ValueError: not integers, or an id outside the vocabulary.
        """
        return " ".join(self.tokens(keep_text_ids(ids, len(self))))

    def tokens(self, ids):
        """Name every id, special ones too: the labels of a figure.

        Args:
            ids: integers from 0 to len(self) - 1.

        Returns:
            A list of str, as many as ids.

        Raises:
            ValueError: not integers, or an id outside the vocabulary.
        """
        return [self.names[i] for i in check_ids(ids, len(self))]

    def content(self):
        """Return what a file holds of it: its kind, and a list called so."""
        return {"kind": "words", "words": self.words}

    def save(self, path):
        """Write the JSON file at path, completely or not at all."""
        write_json(path, self.content())

    @classmethod
    def load(cls, path):
        """Read the file at path that `save` has written."""
        return cls(read_list(path, ["words"])[1])
