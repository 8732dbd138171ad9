"""Join words into a sentence as one would print it."""

from attnbook.data.storybook.checking import check_language

_JOINS = {
    "en": (
        *((" 's", "'s"), (" ,", ","), (" .", "."), (" ?", "?")),
        (" can not ", " cannot "),
        (" i ", " I "),
    ),
    "fr": (("' ", "'"), (" ,", ","), (" .", ".")),
    "ko": ((" +", ""), (" .", "."), (" ?", "?")),
}


def sentence(tokens, language):
    """Join words into a sentence as one would print it.

    Args:
        tokens: words, as in `Pair`.
        language: "en", "fr" or "ko".

    Returns:
        A str with capital letter and joined punctuation.

    Raises:
        ValueError: another language, or no words.
    """
    check_language(language, tuple(_JOINS))
    if not tokens:
        raise ValueError("expected at least one word, got none")
    text = " ".join(tokens)
    for apart, joined in _JOINS[language]:
        text = text.replace(apart, joined)
    return text[0].upper() + text[1:]
