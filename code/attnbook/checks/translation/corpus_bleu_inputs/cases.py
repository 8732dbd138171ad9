"""The rows of ids on which the check of BLEU's inputs judges an answer."""

from attnbook.checks.engine.exercise import Case

BLANK = "\u2581"


def cut(draws, text):
    """Return pieces, written with _ for U+2581 and ~ for _."""
    return draws.ciphered(text).replace("_", BLANK).replace("~", "_").split()


PIECES = (
    "<pad> <bos> <eos> <unk> _The _the _dog _cat _sleep _in _on _a _bed _run "
    "_away _old _A _man _Two _bird _sing _here _and s . , ing 's ~ x _ _Zo "
    "\u00e9 \u2026"
)


def pieces_of(draws):
    """Return the vocabulary, a list; special tokens come first."""
    pieces = cut(draws, PIECES)
    return pieces[:4] + draws.shuffled(pieces[4:])


def case(draws, shown, *pairs, reverse=False):
    """Return a case of pairs of what is written and the reference.

    With `reverse` the vocabulary has the reverse order, but for specials.
    """
    pieces = pieces_of(draws)
    if reverse:
        pieces = [*pieces[:4], *pieces[:3:-1]]
    rows = [[pieces.index(x) for x in cut(draws, text)] for text, _ in pairs]
    given = [draws.ciphered(ref) for _, ref in pairs]
    return Case(shown, (rows, given, pieces), 2e-7)


DOG = (
    "_The _dog _sleep s _in _the _old _bed . <eos>",
    "The dog sleeps on the old bed.",
)
CAT = (
    "_A _cat _run s _away , _and _the _dog _sleep s . <eos>",
    "A cat runs away, and the dog sleeps.",
)
BIRDS = (
    "_Two _bird s _sing _here . <eos> <pad> <pad>",
    "Two birds sing here.",
)
MAN = (
    "_The _man 's _cat _sleep ing _in _the _bed . <eos> _a <eos>",
    "The man's cat sleeps in the bed.",
)
RUNS = "_The _dog _run s _and _A", "The dog runs."


def cases(draws):
    """Yield all cases."""
    yield case(draws, "", DOG, CAT, BIRDS, MAN, RUNS)
    yield case(
        draws,
        "right, but not where the vocabulary has another order: ",
        *(RUNS, MAN, BIRDS, CAT, DOG),
        reverse=True,
    )
    for where, *pairs in (
        ("a translation is empty, or ends in a blank",
         DOG, ("<eos> _a <eos>", CAT[1]),
         ("_Two _bird s _sing . _ <eos>", BIRDS[1])),
        ("a row begins with <bos>",
         *(("<bos> " + text, ref) for text, ref in (DOG, CAT, BIRDS))),
        ("<unk> was written",
         ("_The <unk> _sleep s <unk> _bed . <eos>", DOG[1]), CAT),
        ("two rows are equal", DOG, (DOG[0], CAT[1]), CAT),
        ("a text holds a real underscore",
         ("_The _dog ~ x . <eos>", "The dog_x."), DOG),
        ("few words agree",
         ("_A _cat _sing . <eos>", "A cat."), ("_The _bird s <eos>", RUNS[1])),
        ("no text has four words",
         ("_A _cat . <eos>", "A cat."),
         ("_The _bird <eos>", "The bird runs.")),
        ("a row without <eos> is filled up with <pad>",
         DOG, ("_The _dog _run s . <pad> <pad>", RUNS[1])),
        ("the model wrote <pad> itself",
         ("<bos> _The <pad> _dog _run s <pad> . <eos>", RUNS[1]), DOG),
        ("the model repeats itself",
         ("_The _the _dog _dog _run s . . <eos>", RUNS[1]), DOG),
        ("a row is very long",
         ("_The _dog _run s . " * 60 + "<eos>", " ".join([RUNS[1]] * 60)),
         DOG),
        ("a letter has an accent",
         ("_A _old _Zo \u00e9 \u2026 <eos>", "A old Zo\u00e9\u2026"), DOG),
        ("a text begins with a small letter",
         ("_a _cat _run s . <eos>", "A cat runs."), DOG),
        ("the model wrote a blank before a full stop",
         ("_Two _bird s _sing _ . <eos>", "Two birds sing."), DOG),
    ):  # fmt: skip
        yield case(draws, f"right, but not where {where}: ", *pairs)
