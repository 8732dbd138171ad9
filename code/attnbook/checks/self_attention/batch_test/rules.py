"""Other tests across the batch than that of chapter 6."""

import torch

from attnbook.checks.engine.rules import Rule
from attnbook.checks.rules.attention_forms import back, for_tests
from attnbook.checks.rules.attention_rules import ATTEND_AS_ON_PAGE
from attnbook.checks.rules.verdicts import verdict_rules

ATTEND = "`attend` takes words (B, T, D) and returns their context (B, T, D)."
CALLED = "(attend(changed) - attend(x))"
VERDICT = "which returns `True` if `attend` is right and `False` if not"
LAYOUTS = {  # name: axes of the page, shape
    "words-first": ((1, 0, 2), "(T, B, D)"),
    "features-first": ((0, 2, 1), "(B, D, T)"),
    "batch-last": ((1, 2, 0), "(T, D, B)"),
    "all-turned": ((2, 1, 0), "(D, T, B)"),
    "features-batch-words": ((2, 0, 1), "(D, B, T)"),
}


def in_layout(axes):
    """Return what hands out an attention whose words lie otherwise."""
    place = back(axes)

    def handed_out(attend):
        return lambda x: attend(x.permute(place)).permute(axes)

    return handed_out


def laid_out(name, axes, shape):
    """Return the rule of one layout of words and context."""
    place = back(axes)
    return Rule(
        name=name,
        text=(
            (ATTEND, f"`attend` takes words as {shape}, and returns their "
             f"context as {shape}."),
            (CALLED, difference(axes, place)),
        ),
        code=((CALLED, difference(axes, place)),),
        adapt=for_tests(in_layout(axes)),
        page=f"here attend takes and returns {shape}",
        seen=ATTEND_AS_ON_PAGE,
    )  # fmt: skip


def difference(axes, place):
    """Return the line that compares two contexts in the page's layout."""
    shown = [f"attend({x}.permute{axes})" for x in ("changed", "x")]
    return f"({shown[0]} - {shown[1]}).permute{place}"


def thrice(attend):
    """Return an attention that wants the words three times."""

    def attend_to(query, key, value):
        for other in (key, value):
            if other.shape != query.shape or not torch.equal(query, other):
                raise ValueError("expected the same words three times")
        return attend(query)

    return attend_to


def with_none(attend):
    """Return an attention that returns None in the place of weights."""
    return lambda *words: (attend(*words), None)


def as_module(attend):
    """Return an attention that is called as nn.MultiheadAttention is."""
    return with_none(thrice(attend))


def called(name, text, changed, x, adapt, page):
    """Return the rule of another way to call attend."""
    edit = (CALLED, f"({changed} - {x})")
    return Rule(
        name=name,
        text=((ATTEND, text), edit),
        code=(edit,),
        adapt=for_tests(adapt),
        page=page,
        seen=ATTEND_AS_ON_PAGE,
    )


def only(what, axis):
    """Return what hands out an attention for one size alone.

    Args:
        what: the axis in words.
        axis: of words (B, T, D).
    """

    def handed_out(attend, value):
        def sized(x):
            if x.dim() == 3 and x.size(axis) != value:
                raise ValueError(
                    f"expected {what} {value}, got {x.size(axis)}"
                )
            return attend(x)

        return sized

    return handed_out


def sized(name, text, code, page, adapt, values):
    """Return the rule that attend takes words of one size alone."""
    return Rule(
        name=name,
        text=(
            ("The checker runs it", f"{text} The checker runs it"),
            code[0],
        ),
        code=code[1:],
        adapt=for_tests(adapt),
        page=page,
        values=values,
    )


TESTS = (
    (
        sized(
            "length",
            "`attend` was exported for sentences of {value} words, and takes "
            "no others.",
            (
                ("5, 16)", "{value}, 16)"),
                ("torch.randn(3, 5,", "torch.randn(3, {value},"),
                ("torch.zeros(3, 5,", "torch.zeros(3, {value},"),
                ("range(5)", "range({value})"),
            ),
            "here sentences must have {value} words",
            only("sentences of length", 1),
            (4, 6, 7, 8, 9, 10),
        ),
        sized(
            "width",
            "`attend` was exported for words of {value} numbers, and takes "
            "no others.",
            (("5, 16)", "5, {value})"), ("5, 16)", "5, {value})")),
            "here words must have {value} numbers",
            only("words of width", 2),
            (4, 6, 8, 10, 12, 14, 20, 24, 32, 48),
        ),
    ),
    (
        *(
            laid_out(name, axes, shape)
            for name, (axes, shape) in LAYOUTS.items()
        ),
        called(
            "thrice",
            "`attend` takes the words, (B, T, D), three times, as query, key "
            "and value, and returns their context (B, T, D).",
            "attend(changed, changed, changed)",
            "attend(x, x, x)",
            thrice,
            "here attend takes the words three times",
        ),
        called(
            "pair",
            "`attend` takes words (B, T, D) and returns a pair, their "
            "context (B, T, D) and `None` in the place of the weights.",
            "attend(changed)[0]",
            "attend(x)[0]",
            with_none,
            "here attend returns a pair, (context, None)",
        ),
        called(
            "module",
            "`attend` is called as `nn.MultiheadAttention` with "
            "`need_weights=False`: it takes the words, (B, T, D), three "
            "times, and returns a pair, their context (B, T, D) and `None`.",
            "attend(changed, changed, changed)[0]",
            "attend(x, x, x)[0]",
            as_module,
            "here attend takes the words three times and returns a pair, "
            "(context, None)",
        ),
    ),
    verdict_rules(
        VERDICT,
        (
            (
                ("Return True if every", "Return False if every"),
                ("return False", "return not False"),
                ("return True", "return not True"),
            ),
            (
                ("Return True if every", 'Return "pass" if every'),
                ("return False", 'return "fail"'),
                ("return True", 'return "pass"'),
            ),
        ),
        "which, the other way round than the colleague's, returns `True` if "
        "`attend` is wrong and `False` if it is right",
        'which returns the string `"pass"` if `attend` is right and '
        '`"fail"` if not',
    ),
)

RULES = {"6.5": TESTS}
