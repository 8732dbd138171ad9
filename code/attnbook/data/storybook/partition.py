"""Training, validation and test data that never share a sentence."""

import random
from zlib import crc32

from attnbook.data.storybook import english
from attnbook.data.storybook.checking import check_language, check_whole
from attnbook.data.storybook.corpus import align
from attnbook.data.storybook.lexicon_en import NOUNS, VERBS
from attnbook.data.storybook.rules import plan

# Two words of which no training sentence has both.  The first pair is that
# of the course's running sentence.
HELD_OUT = (
    ("animal", "street"),
    ("dog", "bridge"),
    ("horse", "river"),
    ("wolf", "swamp"),
    ("witch", "street"),
    ("king", "road"),
    ("girl", "valley"),
    ("apple", "eat"),
    ("cake", "taste"),
    ("cookie", "swallow"),
    ("ladder", "carry"),
    ("stone", "lift"),
)


def _forms(word):
    """Return all forms of an English noun or verb."""
    if word in NOUNS:
        return frozenset((word, NOUNS[word].plural))
    return frozenset((word, VERBS[word].third, VERBS[word].past))


_HELD_OUT_FORMS = tuple((_forms(one), _forms(two)) for one, two in HELD_OUT)
_FIRST_FORMS = frozenset().union(*(one for one, _ in _HELD_OUT_FORMS))


def is_held_out(source):
    """Tell whether a sentence has both words of a held-out combination.

    Args:
        source: English words.

    Returns:
        A bool.
    """
    return not _FIRST_FORMS.isdisjoint(source) and any(
        not one.isdisjoint(source) and not two.isdisjoint(source)
        for one, two in _HELD_OUT_FORMS
    )


def find_split(source):
    """Return the split a sentence belongs to, whatever the seed.

    Args:
        source: English words.

    Returns:
        "train", "valid", "test" or "held_out".
    """
    if is_held_out(source):
        return "held_out"
    number = crc32(" ".join(source).encode()) % 10
    return {0: "test", 1: "valid"}.get(number, "train")


def splits(
    language,
    train=80000,
    valid=500,
    test=1000,
    seed=0,
    held_out=200,
    form=align,
):
    """Draw data to train, choose and test a model.

    A checksum of the English sentence decides where it may stand, so that
    training and test never meet, not even with different seeds.  In "train"
    a short sentence may come twice, as it would in a text; elsewhere none
    does.  Sentences with a combination of `HELD_OUT` are in
    "held_out" alone.

    Args:
        language: "fr" or "ko".
        train: number of training pairs.
        valid: number of pairs to choose by.
        test: number of pairs to test on.
        seed: see `draw`.
        held_out: number of pairs with a combination never seen.
        form: `corpus.align`, or `corpus.write_texts` where texts are enough.

    Returns:
        A dict with the keys "train", "valid", "test" and "held_out" and
        lists of `Pair`, or of what else the form makes.

    Raises:
        ValueError: a language, size or seed that is none.
    """
    sizes = {
        "train": train,
        "valid": valid,
        "test": test,
        "held_out": held_out,
    }
    check_language(language)
    check_whole("seed", seed, 0)
    for name, size in sizes.items():
        check_whole(name, size, 1)
    parts, seen = {name: [] for name in sizes}, set()
    rng = random.Random(seed)
    while any(len(parts[name]) < sizes[name] for name in sizes):
        clause = plan(rng)
        written = english.write(clause)
        source = tuple(word for word, _ in written)
        part = find_split(source)
        fresh = part == "train" or source not in seen
        if fresh and len(parts[part]) < sizes[part]:
            if part != "train":
                seen.add(source)
            parts[part].append(form(clause, language, written))
    return parts
