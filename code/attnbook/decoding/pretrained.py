"""The small trained translators that come with the package.

English to French and English to Korean, in the storybook's language.  How
they were made and how good they are: ``results.load("storybook_runs")``.
"""

from pathlib import Path

from attnbook.decoding.translator import load_translator

LANGUAGES = ("fr", "ko")


def find_model(language):
    """Return the folder of a model, as `attnbook train` leaves it.

    Args:
        language: code of the target language, "fr" or "ko".

    Returns:
        A Path.

    Raises:
        ValueError: another language.
    """
    if language not in LANGUAGES:
        raise ValueError(
            f"expected a language of {list(LANGUAGES)}, got {language!r}"
        )
    return Path(__file__).parents[1] / "models" / f"storybook-en-{language}"


def load(language):
    """Return the trained model from English to a language.

    Args:
        language: "fr" or "ko".

    Returns:
        A `translator.Translator`; its weights are float32, stored as
        float16.

    Raises:
        ValueError: another language.
    """
    return load_translator(find_model(language))[0]
