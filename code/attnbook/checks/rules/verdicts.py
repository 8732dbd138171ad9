"""Rules about what a learner's test returns."""

from attnbook.checks.engine.rules import Rule, returned

SAID = {
    "True": True,
    "False": False,
    "tensor(True)": True,
    "tensor(False)": False,
}
PASS, FAIL = '"pass"', '"fail"'


def inverted(said):
    """Return what a test says, the other way round."""
    return not SAID[str(said)] if is_verdict(said) else said


def is_verdict(said):
    """Say whether a result is True or False, as a bool or a tensor."""
    return not isinstance(said, str) and str(said) in SAID


def from_words(said):
    """Return True for "pass", False for "fail", and no bool otherwise."""
    if isinstance(said, str) and said in ("pass", "fail"):
        return said == "pass"
    return repr(said) if is_verdict(said) else said


def hints_of(yes, no):
    """Return the hints of tests of learners for other words than bools."""
    return (
        (
            "says True of wrong attentions and False of right ones",
            f"says {yes} of wrong attentions and {no} of right ones",
        ),
        ("says True as soon as", f"says {yes} as soon as"),
        ("end it with return True", f"end it with return {yes}"),
        (
            "return False as soon as one fails, and True after the loop",
            f"return {no} as soon as one fails, and {yes} after the loop",
        ),
        (
            "return False as soon as a word of another",
            f"return {no} as soon as a word of another",
        ),
    )


def verdict_rules(text, code, alarm, words):
    """Return two rules: the test returns True for wrong ones, or words.

    Args:
        text: the phrase of the page, with {yes} and {no} for what is
            returned.
        code: pairs of pairs: edits of the solution for each rule.
        alarm: the phrase under the first rule.
        words: the phrase under the second.
    """
    wording = (
        ("your test returns a str; return True or False",
         f"return {PASS} or {FAIL}"),
        ("return True or False", f"return {PASS} or {FAIL}"),
    )  # fmt: skip
    return (
        Rule(
            name="alarm",
            text=((text, alarm),),
            code=code[0],
            adapt=lambda answer: returned(answer, inverted),
            page="here the test returns True if the attention is wrong",
            hints=hints_of("False", "True"),
        ),
        Rule(
            name="in-words",
            text=((text, words),),
            code=code[1],
            adapt=lambda answer: returned(answer, from_words),
            page=f"here the test returns {PASS} or {FAIL}",
            hints=(*hints_of(PASS, FAIL), *wording),
        ),
    )
