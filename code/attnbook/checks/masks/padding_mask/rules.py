"""Other padding masks than that of exercise 10.4.

Dimension letters:
    B batch, T queries, S length of a sentence.
"""

from attnbook.checks.engine.rules import Rule
from attnbook.checks.masks.mask_kinds import GAPS, gaps_hidden, kinds
from attnbook.checks.masks.padding_mask.check import padding_mask
from attnbook.checks.rules.layouts import relaid

REPAIR = "Then repair the function"
ANY_ID = "for any integer ids"
UNCHECKED = "her attention does not check it."
DOC = "Return a bool mask"
COMPARED = "tokens != pad_id"


GAP = Rule(
    name="gap",
    text=((ANY_ID, ANY_ID + ", let it hide the id {value}, which marks a gap, "
           "as it hides padding,"),),
    code=(("    words = ", "    tokens = tokens.masked_fill(tokens == "
           "{value}, pad_id)\n    words = "),),
    adapt=gaps_hidden(padding_mask, 1),
    page="here the id {value} is hidden as well",
    seen="for tokens without the id {value}",
    values=GAPS,
)  # fmt: skip
FLAT = Rule(
    name="flat",
    text=((UNCHECKED, UNCHECKED + " Yours is to be (B, S), without other "
           "axes."),),
    code=(
        ("of shape (B, 1, 1, S) for scores (B, H, T, S)", "of shape (B, S)"),
        ("words[:, None, None, :]  # (B, 1, 1, S)", "words"),
    ),
    adapt=lambda answer: lambda tokens, pad_id: relaid(
        answer(tokens, pad_id), "the mask", "B, S", tokens.shape,
        lambda x: x[:, None, None],
    ),
    page="here the mask is (B, S)",
)  # fmt: skip
THREE_AXES = Rule(
    name="three-axes",
    text=((UNCHECKED, UNCHECKED + " Yours is to be (B, 1, S), for scores "
           "without an axis of heads, (B, T, S)."),),
    code=(
        ("of shape (B, 1, 1, S) for scores (B, H, T, S)",
         "of shape (B, 1, S) for scores (B, T, S)"),
        ("words[:, None, None, :]  # (B, 1, 1, S)",
         "words[:, None, :]  # (B, 1, S)"),
    ),
    adapt=lambda answer: lambda tokens, pad_id: relaid(
        answer(tokens, pad_id), "the mask", "B, 1, S",
        (len(tokens), 1, tokens.size(1)), lambda x: x[:, None],
    ),
    page="here the mask is (B, 1, S)",
)  # fmt: skip
LENGTH_FIRST = Rule(
    name="length-first",
    text=(
        (
            "wherever the pads stand",
            "wherever the pads stand; its tokens "
            "come as (S, B), where hers came as (B, S)",
        ),
    ),
    code=(("  # (B, S)", "  # (S, B)\n    words.t_()"),),
    adapt=lambda answer: lambda tokens, pad_id: answer(tokens.t(), pad_id),
    page="here tokens are (S, B)",
)
PADDING_MASK = (
    (GAP,),
    kinds(
        REPAIR,
        lambda kind, what: f"{REPAIR}, so that its mask is {kind}, {what}",
        {
            "hidden": ((DOC, DOC + ", True = hidden,"),
                       (COMPARED, "tokens == pad_id")),
            "ones": ((DOC, "Return an int64 mask"),
                     (COMPARED, "(tokens != pad_id).long()")),
            "added": ((DOC, "Return a float32 mask"),
                      (COMPARED, "torch.where(tokens != pad_id, 0.0, "
                       "{value})")),
        },
    ),
    (FLAT, THREE_AXES),
    (LENGTH_FIRST,),
)  # fmt: skip

RULES = {"10.4": PADDING_MASK}
