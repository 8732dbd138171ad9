"""Judge answers that are read and never run: values, and orders of lines."""

import ast
import math
import re

from attnbook.teaching.results import blank, result

LONGEST = 20_000  # letters of a literal that is read
SHAPE = re.compile(  # "(2, 3)", "[2, 3]", "2 x 3", "torch.Size([2, 3])"
    r"((torch\.)?Size\()?[\[(]?\s*(\d{1,9}(\s*[,x×]\s*\d{1,9})*),?\s*[\])]*"
)


def literal(entry):
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


def is_blank(value):
    """Say whether a value stands for an answer that was not begun."""
    text = value.strip() if isinstance(value, str) else value
    return text is None or text is Ellipsis or text in ("", "...")


def shape_of(text):
    """Return the numbers of a shape that is written as a text, or the text."""
    found = SHAPE.fullmatch(text.strip())
    return [int(x) for x in re.findall(r"\d+", found[3])] if found else text


def equal(given, right, tolerance):
    """Say whether a value is the right one.

    Args:
        given: the student's.
        right: an int, float, bool, str in any case, or lists or tuples of
            them.  Of whole numbers a list may be a text, as "2 x 3".
        tolerance: how far floats may be off.
    """
    several = (list, tuple)
    if isinstance(right, several):
        given = shape_of(given) if isinstance(given, str) else given
        return (
            isinstance(given, several)
            and len(given) == len(right)
            and all(
                equal(x, y, tolerance)
                for x, y in zip(given, right, strict=True)
            )
        )
    if isinstance(right, str):
        word = given.strip().casefold() if isinstance(given, str) else None
        return word == right.strip().casefold()
    if isinstance(right, bool) or isinstance(given, bool):
        return given is right
    if not isinstance(given, (int, float)) or abs(given) > 1e300:
        return False
    if isinstance(right, int):
        return given == right
    return math.isclose(given, right, rel_tol=1e-9, abs_tol=tolerance + 1e-9)


def is_unread(part, entry):
    """Say whether something stands in a part that is no value."""
    begins = f"{part} is not read"
    return any(note.startswith(begins) for note in entry.get("notes", ()))


def of_values(task, entry, tools):
    """Judge values part by part; each gives an equal share of the points."""
    try:
        given = literal(entry)
    except ValueError:
        given = None if is_blank(entry.get("source", "")) else entry["source"]
    if isinstance(given, dict):
        given = {str(part): value for part, value in given.items()}
        given = {x: y for x, y in given.items() if not is_blank(y)}
    unread = [part for part in task.answers if is_unread(part, entry)]
    if (is_blank(given) or given == {}) and not unread:
        return blank(task)
    given = {} if is_blank(given) else given
    if not isinstance(given, dict):
        parts = ", ".join(f'"{part}": ...' for part in task.answers)
        said = f"could not be read; the form is {{{parts}}}"
        return result(task, "wrong", 0, said, mistake="could not be read")
    return of_parts(task, given, unread)


def of_parts(task, given, unread):
    """Return the result of values that were given.

    Args:
        task: a `Task`.
        given: part -> value.
        unread: parts in which something stands that is no value.
    """
    good = [
        part
        for part, right in task.answers.items()
        if part in given and equal(given[part], right, task.tolerance)
    ]
    bad = [part for part in task.answers if part not in good]
    share = len(good) / len(task.answers)
    if not bad:
        return result(task, "right", 1, "right")
    wrong = [part for part in bad if part in given]
    unread = [part for part in unread if part in bad and part not in given]
    empty = [part for part in bad if part not in (*wrong, *unread)]
    words = {"right": good, "wrong": wrong, "not answered": empty}
    words["could not be read"] = unread
    said = "; ".join(f"{x}: {', '.join(y)}" for x, y in words.items() if y)
    mistake = "; ".join(f"part {x} is wrong" for x in wrong)
    status = "partly" if good else "wrong"
    return result(task, status, share, said, mistake=mistake)


def of_order(task, entry, tools):
    """Judge an order of lines: the known one, or another that works."""
    try:
        given = literal(entry)
    except ValueError:
        given = entry["source"]
    if is_blank(given):
        return blank(task)
    text = " ".join(map(str, given)) if isinstance(given, list) else given
    letters = re.findall(r"[A-Z]", str(text).upper())
    unknown = [x for x in letters if x not in task.lines]
    if not letters or unknown:
        said = "could not be read; write the letters of the lines, as C B A"
        return result(task, "wrong", 0, said, mistake="could not be read")
    program = "\n".join(task.lines[letter] for letter in letters)
    if letters == [*task.order] or tools.works(task, program):
        return result(task, "right", 1, "right")
    said = "the lines in this order do not do what is asked for"
    return result(task, "wrong", 0, said, mistake="the order is wrong")
