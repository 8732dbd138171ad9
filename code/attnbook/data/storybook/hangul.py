"""Korean syllables: particles that fit them, and endings made from them.

A syllable is written as one character, and Unicode numbers the characters
so that the final consonant is the remainder by 28 (Unicode Standard, sec.
3.12, "Conjoining Jamo Behavior").
"""

_FIRST = ord("가")
_RIEUL, _NIEUN, _SSANGSIOT = 8, 4, 20  # numbers of final consonants

# After a consonant, after a vowel.
_PARTICLES = {
    "topic": ("은", "는"),
    "subject": ("이", "가"),
    "object": ("을", "를"),
    "and": ("과", "와"),
    "with": ("으로", "로"),
}


def final(word):
    """Return the number of the final consonant.

    Args:
        word: a Korean word.

    Returns:
        An int, 0 if the word ends in a vowel.
    """
    return (ord(word[-1]) - _FIRST) % 28


def particle(name, word):
    """Choose the form of a particle.

    Args:
        name: "topic", "subject", "object", "and" or "with".
        word: the word before it.

    Returns:
        The particle with its "+".  (으)로 counts a final rieul as a vowel.
    """
    consonant = final(word) != 0
    if name == "with" and final(word) == _RIEUL:
        consonant = False
    return "+" + _PARTICLES[name][0 if consonant else 1]


def _close(word, consonant):
    """Give the last syllable another final consonant."""
    return word[:-1] + chr(ord(word[-1]) - final(word) + consonant)


def past(stem):
    """Return the past of a verb or adjective.

    Args:
        stem: a `Stem`; 먹어서 and 도와서 show how it joins a vowel.

    Returns:
        A word, as 먹었다 or 도왔다.
    """
    return _close(stem.linking.removesuffix("서"), _SSANGSIOT) + "다"


def present(stem):
    """Return the plain present.

    Args:
        stem: a `Stem`.

    Returns:
        A word, as 먹는다 or, after a vowel or a rieul, 본다 and 판다; for an
        adjective its dictionary form.
    """
    if stem.kind == "quality":
        return stem.dictionary
    bare = stem.dictionary.removesuffix("다")
    if final(bare) in (0, _RIEUL):
        return _close(bare, _NIEUN) + "다"
    return bare + "는다"


def finite(stem, tense):
    """Return the form that ends a sentence.

    Args:
        stem: a `Stem`; that of a state is one step back: *is angry* is
            화났다, *was angry* is 화났었다.
        tense: "past" or "present".

    Returns:
        A word.
    """
    if stem.kind == "state":
        return past(stem) if tense == "present" else past(stem)[:-1] + "었다"
    return past(stem) if tense == "past" else present(stem)


def question(stem, tense):
    """Return the form that ends a question, in -니.

    Args:
        stem: a `Stem`.
        tense: "past" or "present".

    Returns:
        A word, as 먹니 or 먹었니; a rieul is lost before it: 파니.
    """
    if tense == "past" or stem.kind == "state":
        return finite(stem, tense)[:-1] + "니"
    bare = stem.dictionary.removesuffix("다")
    return (_close(bare, 0) if final(bare) == _RIEUL else bare) + "니"


def future(stem):
    """Return the form before 것이다.

    Args:
        stem: a `Stem`.

    Returns:
        A word, as 먹을 or 도울.
    """
    return _close(stem.attributive.removesuffix("는"), _RIEUL)


def add_ending(stem, ending):
    """Add an ending that changes nothing, 지 or 고.

    Args:
        stem: a `Stem`, or its dictionary form.
        ending: the ending.

    Returns:
        A word, as 먹지.
    """
    word = stem if isinstance(stem, str) else stem.dictionary
    return word.removesuffix("다") + ending
