"""Judge answers that are read and never run: values, and orders of lines."""

import ast
import re

from attnbook.teaching.forms import WIDE, is_blank, judged
from attnbook.teaching.results import blank, result

LONGEST = 20_000  # letters of a literal that is read


def read_value(entry):
    """Return the value of an answer that is read and never run.

    Args:
        entry: a dict with ``value``, or with ``source`` of a literal.

    Raises:
        ValueError: it is no literal of numbers, words, lists and dicts.
    """
    if "value" in entry:
        return entry["value"]
    try:
        return ast.literal_eval(entry["source"].strip()[:LONGEST])
    except (SyntaxError, TypeError, MemoryError, RecursionError):
        raise ValueError("expected a literal, got something else") from None


def find_form(task, part):
    """Return what a part's value looks like, as the student's cell says."""
    line = rf'^\s*"{re.escape(part)}": \.\.\.,\s*# (.*)$'
    found = re.search(line, task.stub, re.MULTILINE)
    return found[1] if found else ""


def name_of(key):
    """Return the name of a part without what people put around it."""
    bare = re.sub(r"[\W_]+", " ", str(key).casefold()).strip()
    return re.sub(r"^(part|answer|value)s? ", "", bare).replace(" ", "")


def named(given, parts):
    """Return values under the names of the parts, and those of no part.

    Args:
        given: name -> value, as "(A)", "b_shape", or {"b": {"shape": ...}}.
        parts: the names of the task.
    """
    every = {name_of(part): part for part in parts}
    flat = {}
    for key, value in given.items():
        inner = isinstance(value, dict) and name_of(key) not in every
        flat |= (
            {f"{key} {x}": y for x, y in value.items()}
            if inner
            else {key: value}
        )
    found, others = {}, {}
    for key, value in flat.items():
        part = key if key in parts else every.get(name_of(key))
        if not is_blank(value):
            (found if part else others).setdefault(part or key, value)
    return found, others


def judge_values(task, entry, grader):
    """Judge values part by part; each gives an equal share of the points."""
    try:
        given = read_value(entry)
    except ValueError:
        given = None if is_blank(entry.get("source", "")) else entry["source"]
    unread = [x for x in task.answers if x in entry.get("unread", ())]
    if isinstance(given, (list, tuple)) and len(given) == len(task.answers):
        inside = dict(zip(task.answers, given, strict=True))
        if all(
            verdict is True for verdict in judge_each(task, inside).values()
        ):
            return result(task, "right", 1, "right")
    given = {} if is_blank(given) else given
    if not isinstance(given, dict):
        parts = ", ".join(f'"{part}": ...' for part in task.answers)
        return leave_open(task, f"its form is not {{{parts}}}")
    given, others = named(given, task.answers)
    if not (given or others or unread):
        return blank(task)
    if others:
        unread += [x for x in task.answers if x not in (*given, *unread)]
    return judge_parts(task, given, unread)


def leave_open(task, why, said=""):
    """Return the result of an answer whose meaning the teacher must see."""
    comment = f"{said}could not be judged; your teacher looks at it"
    look = f"it could not be judged, {why}"
    return result(task, "by hand", None, comment, look=look)


def judge_each(task, given):
    """Return what each part is: right, True, wrong, False, or None."""
    return {
        part: judged(given[part], right, task.tolerance, find_form(task, part))
        for part, right in task.answers.items()
        if part in given
    }


def judge_parts(task, given, unread):
    """Return the result of values that were given.

    Args:
        task: a `Task`.
        given: part -> value.
        unread: parts in which something stands that is no value.
    """
    found = judge_each(task, given)
    good = [part for part, verdict in found.items() if verdict]
    wrong = [part for part, verdict in found.items() if verdict is False]
    open_ = [
        part
        for part in task.answers
        if part not in (*good, *wrong) and part in (*given, *unread)
    ]
    empty = [x for x in task.answers if x not in (*good, *wrong, *open_)]
    words = {"right": good, "wrong": wrong, "not answered": empty}
    said = "; ".join(f"{x}: {', '.join(y)}" for x, y in words.items() if y)
    share = len(good) / len(task.answers)
    if open_:
        points = round(share * task.points, 2)
        why = f"part {', '.join(open_)}; the others give {points:g} points"
        said += "; " * bool(said) + f"{', '.join(open_)}: "
        return leave_open(task, why, said)
    if share == 1:
        return result(task, "right", 1, "right")
    mistake = "; ".join(f"part {x} is wrong" for x in wrong)
    status = "partly" if good else "wrong"
    return result(task, status, share, said, mistake=mistake)


def judge_order(task, entry, grader):
    """Judge an order of lines: the known one, or another that works."""
    try:
        given = read_value(entry)
    except ValueError:
        given = entry["source"]
    if is_blank(given):
        return blank(task)
    text = " ".join(map(str, given)) if isinstance(given, list) else str(given)
    pieces = re.findall(r"[^\W\d_]+", text.translate(WIDE).upper())
    letters = [x for piece in pieces for x in piece]
    alone = max(map(len, pieces), default=0) == 1 and "=" not in text
    alone = alone and all(map(str.isascii, letters))  # no Cyrillic A, B, C
    unknown = [x for x in letters if x not in task.lines]
    if not letters or (unknown and not alone):
        return leave_open(task, "it is not of letters, such as C B A")
    if unknown:
        said = f"there is no line {', '.join(dict.fromkeys(unknown))}"
        return result(task, "wrong", 0, said, mistake="a letter of no line")
    program = "\n".join(task.lines[letter] for letter in letters)
    if letters == [*task.order] or grader.works(task, program):
        return result(task, "right", 1, "right")
    said = "the lines in this order do not do what is asked for"
    return result(task, "wrong", 0, said, mistake="the order is wrong")
