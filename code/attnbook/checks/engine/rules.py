"""Ask an exercise in another way than the page does.

A `Rule` changes what is asked for: the mask's True means hidden, the results
come in the other order, the scores have a temperature.  It is written as
changes of the page's own words and code, and as an adapter that makes an
answer to the changed exercise into one to the page's.  So every check, with
all its hints, serves the changed exercise as well.
"""

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass

import torch

from attnbook.checks.engine.calling import show_inputs, unanswered
from attnbook.checks.engine.verdict import (
    Hint,
    Mistake,
    checker,
    describe,
)


@dataclass(frozen=True, kw_only=True)
class Rule:
    """One change of what an exercise asks for.

    Attributes:
        name: a word, letters and hyphens.
        text: pairs of a phrase of the page's task, which stands in it exactly
            once, and what stands there instead.
        code: pairs of lines, or parts of them, of the page's stub or
            solution, and what stands there instead; each occurs in one of
            the two, or in both.
        adapt: a function of an answer, and of the value if there are values,
            that returns an answer to the page's exercise.  What it cannot
            make sense of, it hands on as it is.
        page: what to say to one who has answered the page's exercise.
        hints: pairs of a phrase of the check's hints and what it says under
            this rule.
        seen: how the check sees the answer, said behind a hint: "with your
            weights turned back"; "" if hints are true as they are.
        values: what ``{value}`` in text, code, page and hints may be, a seed
            chooses; () if there is nothing to choose.
    """

    name: str
    text: tuple
    code: tuple
    adapt: Callable
    page: str
    hints: tuple = ()
    seen: str = ""
    values: tuple = ()

    def filled(self, phrase, value):
        """Return a phrase with the value in its place."""
        return phrase.replace("{value}", str(value))


def spec_of(rule, value=None):
    """Return how a rule is written down: its name, "=value" if it has one."""
    return rule.name if value is None else f"{rule.name}={value}"


def rule_of(groups, spec):
    """Return a `Rule` and its value.

    Args:
        groups: tuples of rules, of one exercise.
        spec: a name, or name=value.

    Raises:
        ValueError: no such rule, or no such value.
    """
    name, _, value = spec.partition("=")
    rules = {rule.name: rule for group in groups for rule in group}
    if name not in rules:
        raise ValueError(f"expected a rule out of {[*rules]}, got {spec!r}")
    for known in rules[name].values or (None,):
        if spec_of(rules[name], known) == spec:
            return rules[name], known
    raise ValueError(
        f"expected {name} with a value out of {rules[name].values}, got "
        f"{spec!r}"
    )


def adapted(answer, chosen):
    """Return an answer to the page's exercise.

    Args:
        answer: the learner's function.
        chosen: pairs of a `Rule` and its value.
    """
    bound = telling(answer)
    for rule, value in reversed(chosen):
        more = () if value is None else (value,)
        bound = rule.adapt(bound, *more)
    shown = functools.wraps(answer)(lambda *inputs: bound(*inputs))
    shown.func = answer  # whose code the checks look at
    return shown


def telling(answer):
    """Let an error in an answer say which inputs it got, not the page's."""

    def run(*inputs):
        try:
            return answer(*inputs)
        except (Mistake, NotImplementedError):
            raise
        except Exception as error:
            if not any(isinstance(x, torch.Tensor) for x in inputs):
                raise  # a learner's test says by an error what it has found
            raise Mistake(
                "your function raised an error for {}: {}",
                show_inputs(inputs),
                describe(error),
                kind="error",
            ) from None

    return run


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
    names = [rule.name for group in groups for rule in group]
    chosen = [rule_of(groups, spec) for spec in specs]
    chosen.sort(key=lambda pair: names.index(pair[0].name))
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
                said = "; ".join(r.filled(r.page, v) for r, v in chosen)
                raise Mistake(
                    "that answers the page: {}", Hint(said)
                ) from None
            for i, (rule, value) in enumerate(chosen):
                kept = [*chosen[:i], *chosen[i + 1 :]]
                if len(chosen) > 1 and passes(adapted(answer, kept)):
                    said = rule.filled(rule.page, value)
                    raise Mistake(
                        "one rule is not kept: {}", Hint(said)
                    ) from None
            raise under_rules(mistake, chosen) from None

    body.__name__ = check.__name__
    return checker(body)


def under_rules(mistake, chosen):
    """Return a mistake as it reads under rules."""
    hint, after = (reworded(x, chosen) for x in (mistake.hint, mistake.after))
    seen = [rule.seen for rule, _ in chosen if rule.seen]
    if seen and mistake.kind not in ("blank", "error"):
        said = f"(this is said of your answer {' and '.join(seen)})"
        hint = Hint("{} {}", hint, Hint(said))
    more = {"kind": mistake.kind, "partly": mistake.partly}
    return Mistake(hint, after=after, **more)


def reworded(hint, chosen):
    """Return a hint, a str or a `Hint`, in the words of rules."""
    for rule, value in chosen:
        for phrase, other in rule.hints:
            hint = hint.replace(phrase, rule.filled(other, value))
    return hint
