"""Ask an exercise in another way than the page does.

A `Rule` changes what is asked for: the mask's True means hidden, the results
come in the other order, the scores have a temperature.  It is written as
changes of the page's own words and code, and as an adapter that makes an
answer to the changed exercise into one to the page's.  So every check serves
the changed exercise as well; its hints end with a sentence that says how the
check sees the answer.
"""

import functools
import inspect
import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace

import torch

from attnbook.checks.engine.calling import show_inputs, unanswered
from attnbook.checks.engine.verdict import Hint, Mistake, checker, describe


@dataclass(frozen=True, kw_only=True)
class Rule:
    """One change of what an exercise asks for.

    Attributes:
        name: a word, letters and hyphens.
        text: pairs of a phrase of the page's task, which occurs there exactly
            once, and its replacement.
        code: pairs of lines, or parts of them, of the page's stub or
            solution, and their replacement; each occurs in one of the two,
            or in both.
        adapt: a function of an answer, and of the value if there are values,
            that returns an answer to the page's exercise.  What it cannot
            make sense of, it hands on as it is.
        page: what to say to one who has answered the page's exercise.
        seen: how the check sees the answer, such as "with the mask turned
            round"; "" if the page's hints are true as they are.
        values: what ``{value}`` in text, code, page and seen may be, a seed
            chooses; () if there is nothing to choose.
    """

    name: str
    text: tuple
    code: tuple
    adapt: Callable
    page: str
    seen: str = ""
    values: tuple = ()

    def with_value(self, value):
        """Return the rule with one of its values filled in."""

        def fill(phrase):
            return phrase.replace("{value}", str(value))

        return replace(
            self,
            text=tuple((old, fill(new)) for old, new in self.text),
            code=tuple((old, fill(new)) for old, new in self.code),
            adapt=lambda answer: self.adapt(answer, value),
            page=fill(self.page),
            seen=fill(self.seen),
            values=(),
        )


class RuleMistake(Mistake):
    """A mistake that a rule finds: it speaks of the answer as it is."""

    def tells(self, words):
        """Return False: the page's reasons for errors are of its inputs."""
        return False


def spec_of(rule, value=None):
    """Return how a rule is written down: its name, "=value" if it has one."""
    return rule.name if value is None else f"{rule.name}={value}"


def rule_of(groups, spec):
    """Return a `Rule` with its value filled in.

    Args:
        groups: tuples of rules, of one exercise.
        spec: a name, or name=value.

    Raises:
        ValueError: no such rule, or no such value.
    """
    pairs = [
        (rule, value)
        for rule in itertools.chain(*groups)
        for value in rule.values or (None,)
    ]
    for rule, value in pairs:
        if spec_of(rule, value) == spec:
            return rule if value is None else rule.with_value(value)
    known = [spec_of(*pair) for pair in pairs]
    raise ValueError(f"expected a rule out of {known}, got {spec!r}")


def adapted(answer, chosen):
    """Return an answer to the page's exercise.

    Args:
        answer: the learner's function.
        chosen: rules, as `rule_of` returns them.
    """
    given = []

    def remembering(*inputs):
        given[:] = inputs
        return answer(*inputs)

    bound = remembering
    for rule in reversed(chosen):
        bound = rule.adapt(bound)

    @functools.wraps(answer)
    def run(*inputs):
        try:
            return bound(*inputs)
        except (Mistake, NotImplementedError):
            raise
        except Exception as error:
            if forms_of(given) == forms_of(inputs):
                raise  # the page's reasons for it are true
            if not any(isinstance(x, torch.Tensor) for x in given):
                raise  # a learner's test says by an error what it has found
            raise RuleMistake(
                "your function raised an error for {}: {}",
                show_inputs(given),
                describe(error),
                kind="error",
            ) from None

    run.func = answer  # whose code the checks look at
    return run


def forms_of(inputs):
    """Return type and shape of each tensor, and other inputs as they are."""
    return [
        (x.dtype, x.shape) if isinstance(x, torch.Tensor) else x
        for x in inputs
    ]


def returned(answer, change):
    """Return an answer whose results are changed, if there are any."""

    def run(*inputs):
        result = answer(*inputs)
        return result if unanswered(result) else change(result)

    return run


def swapped(result):
    """Return a pair the other way round, and anything else as it is."""
    pair = isinstance(result, (tuple, list)) and len(result) == 2
    return tuple(result[::-1]) if pair else result


def is_float(x):
    """Say whether a result is a tensor of floats."""
    return isinstance(x, torch.Tensor) and x.is_floating_point()


def assigned(check, groups, specs):
    """Return the check of an exercise under rules.

    Args:
        check: of the page's exercise.
        groups: its rules, tuples of `Rule`.
        specs: those that hold, each as `spec_of` writes it, in any order;
            their adapters are used in that of the groups.

    Returns:
        A function of the answer, as `verdict.checker` makes it.

    Raises:
        ValueError: an unknown rule.
    """
    names = [rule.name for rule in itertools.chain(*groups)]
    chosen = [rule_of(groups, spec) for spec in specs]
    chosen.sort(key=lambda rule: names.index(rule.name))
    judge = inspect.unwrap(check)

    def passes(answer):
        try:
            judge(answer)
        except Mistake:
            return False
        return True

    def body(answer):
        try:
            judge(adapted(answer, chosen))
        except Mistake as mistake:
            if chosen and passes(answer):
                said = Hint("; ".join(rule.page for rule in chosen))
                raise Mistake("that answers the page: {}", said) from None
            for rule in chosen if len(chosen) > 1 else ():
                others = [other for other in chosen if other is not rule]
                if passes(adapted(answer, others)):
                    raise Mistake(
                        "one rule is not kept: {}", Hint(rule.page)
                    ) from None
            raise under_rules(mistake, chosen) from None

    body.__name__ = check.__name__
    return checker(body)


def under_rules(mistake, chosen):
    """Return a mistake that says how the check sees the answer."""
    said = sentence_of(chosen)
    if not said or mistake.kind == "blank" or isinstance(mistake, RuleMistake):
        return mistake
    return Mistake(
        Hint("{} {}", mistake.hint, Hint(said)),
        kind=mistake.kind,
        after=mistake.after,
        partly=mistake.partly,
    )


def sentence_of(chosen):
    """Return how hints end under rules; "" if they are true as they are."""
    rules = [rule for rule in chosen if rule.seen]
    if not rules:
        return ""
    seen = " and ".join(dict.fromkeys(rule.seen for rule in rules))
    pages = "; ".join(rule.page for rule in rules)
    return f"(said of your answer {seen}; {pages})"
