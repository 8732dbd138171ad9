"""What the check of BLEU's inputs hands to an answer."""

from attnbook.checks.corpus_bleu_inputs_scores import SPECIALS

STARTS = "The the dog cat sleep in on a bed run away old A man Two bird sing"
STARTS += " here and"
WORDS = [
    *("\u2581" + word for word in STARTS.split()),
    *("s", ".", ",", "ing", "'s", "_", "x", "\u2581"),
    *("\u2581Zo", "\u00e9", "\u2026"),
]
PIECES = [*SPECIALS, *WORDS]
OTHERS = [*SPECIALS, *reversed(WORDS)]


def row(text, end="<eos>", pieces=PIECES):
    """Return the ids of a text of pieces, with what follows it."""
    return [pieces.index(name) for name in [*text.split(), *end.split()]]


def stage(texts, references, pieces=PIECES):
    """Return rows of ids, references and pieces."""
    rows = [row(*text, pieces=pieces) for text in texts]
    return rows, list(references), list(pieces)


def lines(text, end="<eos>"):
    """Return a text with U+2581 for every _, and what follows it."""
    return text.replace("_", "\u2581"), end


REFERENCES = (
    "The dog sleeps on the old bed.",
    "A cat runs away, and the dog sleeps.",
    "Two birds sing here.",
    "The man's cat sleeps in the bed.",
    "The dog runs.",
)
TEXTS = (
    lines("_The _dog _sleep s _in _the _old _bed ."),
    lines("_A _cat _run s _away , _and _the _dog _sleep s ."),
    lines("_Two _bird s _sing _here .", "<eos> <pad> <pad>"),
    lines(
        "_The _man 's _cat _sleep ing _in _the _bed .", "<eos> \u2581a <eos>"
    ),
    lines("_The _dog _run s _and _A", ""),
)
STAGES = (
    ("", *stage(TEXTS, REFERENCES)),
    (
        "right, but not where the vocabulary has another order: ",
        *stage(TEXTS[::-1], REFERENCES[::-1], OTHERS),
    ),
    (
        "right, but not where a translation is empty, or ends in a blank: ",
        *stage(
            [
                TEXTS[0],
                lines("", "<eos> \u2581a <eos>"),
                lines("_Two _bird s _sing . _"),
            ],
            REFERENCES[:3],
        ),
    ),
    (
        "right, but not where a row begins with <bos>: ",
        *stage(
            [(f"<bos> {text}", end) for text, end in TEXTS[:3]],
            REFERENCES[:3],
        ),
    ),
    (
        "right, but not where <unk> was written: ",
        *stage(
            [lines("_The <unk> _sleep s <unk> _bed ."), TEXTS[1]],
            REFERENCES[:2],
        ),
    ),
    (
        "right, but not where two rows are equal: ",
        *stage(
            [TEXTS[0], TEXTS[0], TEXTS[1]],
            [REFERENCES[0], REFERENCES[1], REFERENCES[1]],
        ),
    ),
    (
        "right, but not where a text holds a real underscore: ",
        *stage(
            [("\u2581The \u2581dog _ x .", "<eos>"), TEXTS[0]],
            ["The dog_x.", REFERENCES[0]],
        ),
    ),
    (
        "right for several sentences, but not for one: ",
        *stage(TEXTS[:1], REFERENCES[:1]),
    ),
    (
        "right, but not where few words agree: ",
        *stage(
            [lines("_A _cat _sing ."), lines("_The _bird s")],
            ["A cat.", "The dog runs."],
        ),
    ),
    (
        "right, but not where no text has four words: ",
        *stage(
            [lines("_A _cat ."), lines("_The _bird")],
            ["A cat.", "The bird runs."],
        ),
    ),
    (
        "right, but not where a row without <eos> is filled up with <pad>: ",
        *stage(
            [TEXTS[0], lines("_The _dog _run s .", "<pad> <pad>")],
            [REFERENCES[0], REFERENCES[4]],
        ),
    ),
    (
        "right, but not where the model wrote <pad> itself: ",
        *stage(
            [lines("<bos> _The <pad> _dog _run s <pad> ."), TEXTS[0]],
            [REFERENCES[4], REFERENCES[0]],
        ),
    ),
    (
        "right, but not where the model repeats itself: ",
        *stage(
            [lines("_The _the _dog _dog _run s . ."), TEXTS[0]],
            [REFERENCES[4], REFERENCES[0]],
        ),
    ),
    (
        "right, but not where a row is very long: ",
        *stage(
            [lines("_The _dog _run s . " * 60), TEXTS[0]],
            [" ".join([REFERENCES[4]] * 60), REFERENCES[0]],
        ),
    ),
    (
        "right, but not where a letter has an accent: ",
        *stage(
            [lines("_A _old _Zo \u00e9 \u2026"), TEXTS[0]],
            ["A old Zo\u00e9\u2026", REFERENCES[0]],
        ),
    ),
)
