"""One form for each text: letters with their marks, nothing invisible.

The same word can be typed in several ways that look alike: é as one
character or as e and an accent, a word with a soft hyphen inside.  A
vocabulary would take them for different words.
"""

import re
import unicodedata

from attnbook.data.vocabulary import check_text

# What follows a letter as a part of it: accents, vowel signs, points, and
# the two joiners, which choose the form of Persian and Indic letters.
MARKS = "\u200c\u200d" + "".join(
    c
    for c in map(chr, range(0x300, 0x20000))
    if unicodedata.category(c).startswith("M")
)

# Shown as nothing in any text: controls, soft hyphen, signs of direction,
# zero-width space, byte order mark, variants of letters, ...
NEVER = (
    "\x00-\x08\x0e-\x1b\x7f\xad\u034f\u061c\u17b4\u17b5\u200b\u200e\u200f"
    "\u202a-\u202e\u2060-\u206f\ufe00-\ufe0d\ufeff\ufff9-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e001f"
    "\U000e0080-\U000e0fff"
)
# From Arabic to Burmese, from Tagalog to Vedic, and younger blocks.
JOINING = (
    "\u0600-\u109f\u1700-\u1cff\ua800-\ua95f\ua980-\uaaff\uabc0-\uabff"
    "\ufb50-\ufdff\ufe70-\ufefc\U00010a00-\U00011fff"
)
EMOJI = "\xa9\xae\u203c-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
TAGS = "\U000e0020-\U000e007f"  # the region of a flag

# One after the other: in its place each of these is a part of a word or of
# an emoji, anywhere else it is nothing.
INVISIBLE = [
    re.compile(pattern)
    for pattern in (
        f"[{NEVER}]+",
        f"(?<![\U0001f3f4{TAGS}])[{TAGS}]+",
        rf"(?<![{EMOJI}#*\d])[\ufe0e\ufe0f]+",
        r"(?<=[#*\d])[\ufe0e\ufe0f]+(?!\u20e3)",
        r"(?<![\u1820-\u18aa])[\u180b-\u180f]+",
        f"(?<![{JOINING}])\u200c+",
        f"(?<![{JOINING}{EMOJI}{TAGS}\ufe0f])\u200d+",
        f"(?<=[{EMOJI}{TAGS}\ufe0f])\u200d+(?![{EMOJI}])",
        f"\u200c+(?![\u200d{JOINING}])",
    )
]
BLANK = re.compile("[\u2800\u3164\uffa0]")  # signs that look like a space


def clean_text(text):
    """Return a text in the one form that models read.

    In Unicode's normal form C, a letter and its accents, or a Korean
    syllable, are one character.  What is invisible is dropped, unless it
    belongs to a word or an emoji, as joiners in Persian do.

    Args:
        text: str.

    Returns:
        A str; cleaned once more it stays the same.

    Raises:
        ValueError: not a str, or a lone surrogate in it.
    """
    check_text(text)
    if text.isascii() and text.isprintable():
        return text
    clean = BLANK.sub(" ", text)
    for pattern in INVISIBLE:
        clean = pattern.sub("", clean)
    clean = unicodedata.normalize("NFC", clean)
    return text if clean == text else clean_text(clean)


def name_invisible(text):
    """Return a text with the number of what cannot be seen in it.

    Args:
        text: str.

    Returns:
        A str; a soft hyphen is <U+00AD> in it.
    """
    return "".join(c if c.isprintable() else f"<U+{ord(c):04X}>" for c in text)
