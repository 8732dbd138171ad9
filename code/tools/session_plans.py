"""Which chapters and exercises belong to which session of 90 minutes.

Typed here: choices.  Computed by `sessions`: everything that is a number.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class Session:
    """One session.

    Attributes:
        skip: chapter -> headings of the sections to leave out.
        here: ids of the exercises in class.
        home: ids of those for homework.
        exam: ids of those that an exam may ask in another form.
        aims: chapter -> which of its objectives are reached, from 0; all if
            it is not named.
    """

    skip: dict[int, tuple[str, ...]]
    here: tuple[str, ...]
    home: tuple[str, ...]
    exam: tuple[str, ...]
    aims: dict[int, tuple[int, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Plan:
    """A course: what its sessions are called, and they."""

    word: str
    sessions: tuple[Session, ...]


def ids(chapter: int, *numbers: int) -> tuple[str, ...]:
    """Return ids of one chapter's exercises."""
    return tuple(f"{chapter}.{n}" for n in numbers)


OTHERS = "Other seeds, another shape, another language"
AXIS = "The experiment: does the wrong axis learn?"
SIXTEEN = "Why does the wrong axis win with sixteen?"
CLAIM = "A claim of this page, and the control that took it back"
WRITING = "Is the mask needed when writing?"

TERM = (
    Session(
        skip={1: ("Capitals and punctuation", "The package's merge")},
        here=ids(1, 1, 2, 3, 4),
        home=ids(1, 5, 6, 8),
        exam=ids(1, 2),
    ),
    Session(
        skip={2: ("Paper and practice", "Going further")},
        here=ids(2, 1, 2, 3, 6),
        home=ids(2, 4, 5, 8),
        exam=ids(2, 2),
    ),
    Session(
        skip={3: ("What a score costs",)},
        here=ids(3, 1, 2, 3, 4, 6),
        home=ids(3, 5, 7, 8),
        exam=ids(3, 2),
    ),
    Session(
        skip={4: ()},
        here=ids(4, 1, 2, 3, 5, 7),
        home=ids(4, 4, 6, 8, 9),
        exam=ids(4, 1, 2, 3),
    ),
    Session(
        skip={5: (AXIS, SIXTEEN)},
        here=ids(5, 1, 2, 3, 6),
        home=ids(5, 4, 5, 7),
        exam=ids(5, 2),
    ),
    Session(
        skip={6: ("In the paper's sizes", "What it costs")},
        here=ids(6, 1, 2, 3, 5),
        home=ids(6, 4, 6, 7),
        exam=ids(6, 1, 2, 3),
    ),
    Session(
        skip={7: ("A hidden layer after one head",)},
        here=ids(7, 1, 2, 3, 5),
        home=ids(7, 4, 6, 7),
        exam=ids(7, 1, 2, 3),
    ),
    Session(
        skip={
            8: (
                "Add or concatenate?",
                "Why multiply by the root of the width?",
            )
        },
        aims={8: (0, 1, 2, 4)},
        here=ids(8, 1, 2, 3, 5),
        home=ids(8, 4, 6, 7),
        exam=ids(8, 2),
    ),
    Session(
        skip={9: ()},
        here=ids(9, 1, 2, 3, 6),
        home=ids(9, 4, 5, 7),
        exam=ids(9, 1, 2),
    ),
    Session(
        skip={10: (WRITING,)},
        here=ids(10, 1, 2, 3, 4),
        home=ids(10, 5, 6, 7, 8),
        exam=ids(10, 1, 2, 3),
    ),
    Session(
        skip={11: ("Which gradient reaches the encoder?",)},
        aims={11: (0, 1, 2, 3)},
        here=ids(11, 1, 2, 3, 6),
        home=ids(11, 4, 5, 7),
        exam=ids(11, 2),
    ),
    Session(
        skip={12: ()},
        here=ids(12, 1, 2, 3, 5),
        home=ids(12, 4, 6, 8),
        exam=ids(12, 1, 2),
    ),
    Session(
        skip={
            13: (
                "One run, live",
                "Killed and resumed",
                "Real sentences: Multi30k",
                "Train it on a GPU",
                "When the words so far are wrong",
            ),
            14: (
                "Dropout left on",
                "The package's beam search",
                "The experiment: what does width buy?",
                "The cache: what is needed again?",
            ),
        },
        aims={13: (1, 2), 14: (0, 4)},
        here=ids(13, 1, 2) + ids(14, 2, 3),
        home=ids(13, 5, 6) + ids(14, 4),
        exam=ids(13, 2) + ids(14, 2),
    ),
    Session(
        skip={15: (OTHERS, "Going further")},
        here=ids(15, 1, 2, 7),
        home=ids(15, 3, 4),
        exam=ids(15, 1),
    ),
)

DAYS = (
    Session(
        skip={
            1: (
                "How often is a word unknown?",
                "Capitals and punctuation",
                "Between characters and words",
                "One merge by hand",
                "Bytes, so that nothing is unknown",
                "Break it on purpose",
                "Paper and practice",
                "The package's merge",
                "Going further",
            ),
            3: (
                "What a score costs",
                "The experiment: can a learned dot product find the middle?",
                "Paper and practice",
            ),
        },
        aims={1: (2,), 3: (0, 2, 3, 4)},
        here=ids(3, 1, 2, 3, 4, 6),
        home=ids(3, 5),
        exam=ids(3, 2),
    ),
    Session(
        skip={
            4: (
                "A hill over the size of the scores",
                "Does it learn without the scale?",
                CLAIM,
                "Is it the Jacobian that lifts the raw floor?",
                "Paper and practice",
            ),
            5: (
                AXIS,
                "Temperature: how sharp, and how to say it in one number",
                "Drawing and reading a heatmap",
                SIXTEEN,
                "Paper and practice",
                "Going further",
            ),
        },
        aims={4: (0, 1, 2), 5: (1,)},
        here=ids(4, 1, 2, 3, 5),
        home=ids(4, 4, 6),
        exam=ids(4, 1, 2, 3),
    ),
    Session(
        skip={6: ("In the paper's sizes", "What it costs")},
        here=ids(6, 1, 2, 3, 5),
        home=ids(6, 4, 7),
        exam=ids(6, 1, 2, 3),
    ),
    Session(
        skip={7: ("A hidden layer after one head", "Which heads matter?")},
        aims={7: (0, 1, 2, 4)},
        here=ids(7, 1, 2, 3, 5),
        home=ids(7, 4, 6),
        exam=ids(7, 1, 2, 3),
    ),
    Session(
        skip={
            8: (
                "What the product of two positions shows",
                "Add or concatenate?",
                "Why multiply by the root of the width?",
                "Learned and rotary positions",
                "The experiment: longer rows than in training",
                "Paper and practice",
                "Going further",
            ),
            9: (
                "Dropout",
                "The experiment: twelve layers at the start",
                "What that means for learning",
                "Does post-norm need warm-up?",
                "Paper and practice",
                "Going further",
            ),
        },
        aims={8: (0, 1), 9: (0, 1, 4)},
        here=ids(8, 1, 2) + ids(9, 1, 2, 3),
        home=ids(8, 4) + ids(9, 4, 5),
        exam=ids(8, 2) + ids(9, 1),
    ),
    Session(
        skip={10: (WRITING,)},
        here=ids(10, 1, 2, 3, 4),
        home=ids(10, 5, 6, 8),
        exam=ids(10, 1, 2, 3),
    ),
    Session(
        skip={11: ("Which gradient reaches the encoder?",)},
        aims={11: (0, 1, 2, 3)},
        here=ids(11, 1, 2, 3, 6),
        home=ids(11, 4, 5),
        exam=ids(11, 2),
    ),
    Session(
        skip={12: ()},
        here=ids(12, 1, 2, 3),
        home=ids(12, 4, 8),
        exam=ids(12, 1, 2),
    ),
    Session(
        skip={
            14: (
                "Dropout left on",
                "The package's beam search",
                "Going further",
            )
        },
        aims={14: (0, 2, 3, 4)},
        here=ids(14, 1, 2, 3),
        home=ids(14, 4),
        exam=ids(14, 2),
    ),
    Session(
        skip={
            15: (
                "Does cross-attention find the translation?",
                OTHERS,
                "Going further",
            )
        },
        aims={15: (1, 2, 3, 4)},
        here=ids(15, 2, 7),
        home=ids(15, 4),
        exam=ids(15, 2),
    ),
)

PLANS = {"term": Plan("Week", TERM), "days": Plan("Session", DAYS)}
