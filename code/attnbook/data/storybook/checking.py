"""Refuse arguments that the storybook's functions cannot use."""

LANGUAGES = ("fr", "ko")


def check_language(language, known=LANGUAGES):
    """Refuse a language that is not known.

    Args:
        language: what was asked for.
        known: a tuple of names.

    Raises:
        ValueError: none of them.
    """
    if language not in known:
        raise ValueError(f"expected a language of {known}, got {language!r}")


def check_whole(name, value, least):
    """Refuse what is not a whole number or is too small.

    Args:
        name: what it is, for the message.
        value: what was given.
        least: the smallest value that will do.

    Raises:
        ValueError: another value.
    """
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not whole or value < least:
        raise ValueError(
            f"expected {name} as a whole number of at least {least}, got "
            f"{value!r}"
        )
