"""Rules about what a learner's test returns."""

from attnbook.checks.engine.rules import Rule, RuleMistake, returned

SAID = {
    "True": True,
    "False": False,
    "tensor(True)": True,
    "tensor(False)": False,
}
PASS, FAIL = '"pass"', '"fail"'


def inverted(said):
    """Return the other truth value, and anything else as it is."""
    known = not isinstance(said, str) and str(said) in SAID
    return not SAID[str(said)] if known else said


def from_words(said):
    """Return True for "pass" and False for "fail"; refuse anything else."""
    if not isinstance(said, str) or said not in ("pass", "fail"):
        raise RuleMistake(f"return {PASS} or {FAIL}")
    return said == "pass"


def verdict_rules(text, code, alarm, words):
    """Return two rules: the test returns True for wrong ones, or words.

    Args:
        text: the phrase of the page, with {yes} and {no} for what is
            returned.
        code: pairs of pairs: edits of the solution for each rule.
        alarm: the phrase under the first rule.
        words: the phrase under the second.
    """
    return (
        Rule(
            name="alarm",
            text=((text, alarm),),
            code=code[0],
            adapt=lambda answer: returned(answer, inverted),
            page="here the test returns True if the attention is wrong",
            seen="with True and False exchanged",
        ),
        Rule(
            name="in-words",
            text=((text, words),),
            code=code[1],
            adapt=lambda answer: returned(answer, from_words),
            page=f"here the test returns {PASS} or {FAIL}",
            seen=f"with {PASS} as True and {FAIL} as False",
        ),
    )
