"""Change the words and the code of a page, as a seed or a rule asks."""

from attnbook.checks.engine.rules import rule_of, spec_of

RULES_EACH = 2  # more are a riddle, fewer often those of another seed


def edited(text, edits, where):
    """Return a text with phrases replaced, each of which it has once.

    Args:
        text: Markdown.
        edits: pairs of a phrase and what stands there instead.
        where: what an error names.

    Raises:
        ValueError: a phrase that the text does not have exactly once.
    """
    for phrase, other in edits:
        if text.count(phrase) != 1:
            raise ValueError(
                f"{where}: expected once {phrase!r}, got it "
                f"{text.count(phrase)} times"
            )
        text = text.replace(phrase, other)
    return text


def recoded(code, edits):
    """Return code with phrases replaced, wherever they are.

    Args:
        code: Python.
        edits: pairs of a phrase and what stands there instead.
    """
    for phrase, other in edits:
        code = code.replace(phrase, other)
    return code


def chosen_rules(groups, rng):
    """Return specs of one rule each of some groups, in the groups' order.

    Args:
        groups: tuples of rules.
        rng: a `random.Random`.
    """
    count = min(len(groups), RULES_EACH)
    places = sorted(rng.sample(range(len(groups)), count))
    specs = []
    for place in places:
        rule = rng.choice(groups[place])
        value = rng.choice(rule.values) if rule.values else None
        specs.append(spec_of(rule, value))
    return tuple(specs)


def changes_of(groups, specs):
    """Return the edits of text and of code that rules make.

    Args:
        groups: tuples of rules.
        specs: of those that hold.
    """
    rules = [rule_of(groups, spec) for spec in specs]
    text = (edit for rule in rules for edit in rule.text)
    return tuple(text), tuple(edit for rule in rules for edit in rule.code)
