"""Show the characters that a reader would not see."""

import re

# Characters that browsers do not display, or that reverse the text after them.
# Joiners and non-joiners are spelling in many scripts, after a letter.
INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e"
    "\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]"
    "|(?<![\u0590-\u1fff])[\u200c\u200d]"
)


def make_visible(text):
    """Replace control, bidirectional and invisible characters by U+FFFD.

    Args:
        text: a str from any source.

    Returns:
        A str in which tabs and line ends are kept.
    """
    text = text.replace("\r\n", "\n")
    return INVISIBLE.sub("\N{REPLACEMENT CHARACTER}", text)
