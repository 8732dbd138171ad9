"""Read values as people write them: "40", "(b)", "0,67; 0,09", "50 %", "1/3".

    judged("0.67, 0.09, 0.24", [0.665, 0.09, 0.245], 0.01)  ->  True

What can be meant in one way is read.  What can be meant in several ways is
right if one of them is, and wrong if none is.  Of all else nobody can say:
None, which a teacher looks at.
"""

import ast
import contextlib
import math
import re

LONGEST = 500  # letters of a text in which numbers are looked for
NUMBER = re.compile(
    r"(?:[≈~=]|about |approx\.? |ca\.? )*\s*([-+]?(?:\d+[.,]?\d*|[.,]\d+)"
    r"(?:e[-+]?\d+)?)(?:\s*/\s*(\d+(?:[.,]\d+)?))?\s*(%|…|\.{2,3})?"
)
WRAPPED = re.compile(r"(?:\w+\.)?(?:size|tensor|array)\(|,\s*dtype=[\w.]+")
SPLITS = (r"\s*;\s*", r",\s+|\s+", r"\s*,\s*", r"\s*[x×*]\s*")
FILLERS = {"row", "the", "part", "letter", "answer", "is", "it", "only"}
SHORT = {"y": "yes", "n": "no", "true": "yes", "false": "no"}
WIDE = {  # letters and signs of Chinese and Japanese keyboards
    **{i: i - 0xFEE0 for i in range(0xFF01, 0xFF5F)},
    **{0x3000: " ", 0x3001: ","},
}
UNREAD = (SyntaxError, ValueError, TypeError, MemoryError, RecursionError)
SORTED = re.compile(r"smaller, larger|\bin order\b")  # a set, as a list


def is_blank(value):
    """Say whether a value stands for an answer that was not begun."""
    text = value.strip() if isinstance(value, str) else value
    return text is None or text is Ellipsis or text in ("", "...")


def plain(text):
    """Return a text in small letters, with Python's minus and no markup."""
    text = text.translate(WIDE).casefold()[:LONGEST]
    text = re.sub("[`$*]", " ", text)
    return re.sub("[−–‒]", "-", text).replace("⁄", "/").strip()


def numbers_of(text):
    """Return the numbers that a text can mean, a list of floats.

    Args:
        text: "1,234" can be two of them, "50 %" is a half or 50, and of
            "forty" and "3 or 4" there are none.
    """
    found = NUMBER.fullmatch(plain(text))
    if not found or len(text) > LONGEST:
        return []
    first, below, sign = found.groups()
    values = [float(first.replace(",", "."))]
    if re.fullmatch(r"[-+]?[1-9]\d{0,2},\d{3}", first):
        values.append(float(first.replace(",", "")))
    if below:
        below = float(below.replace(",", "."))
        values = [x / below for x in values if below]
    if sign == "%":
        values = [x / 100 for x in values] + [x for x in values if x > 1]
    return values


def is_list(value):
    """Say whether a value is a list or a tuple."""
    return isinstance(value, (list, tuple))


def unwrapped(value):
    """Return the only item of lists and dicts of one value."""
    while (is_list(value) or isinstance(value, dict)) and len(value) == 1:
        value = [*value.values()][0] if isinstance(value, dict) else value[0]
    return value


def leaves(value):
    """Return all items of nested lists, in order."""
    if not is_list(value):
        return [value]
    return [x for part in value for x in leaves(part)]


def depth(value):
    """Return how deep lists are nested, 0 for no list."""
    return 1 + max(map(depth, value), default=0) if is_list(value) else 0


def of_number(given, right, tolerance):
    """Judge one number; see `judged`."""
    given = unwrapped(given)
    if isinstance(given, str):
        values = numbers_of(given)
    elif isinstance(given, (int, float)) and not isinstance(given, bool):
        values = [given]
    else:
        values = []
    near = [x for x in values if abs(x) < 1e300]
    if isinstance(right, int):
        good = right in near
    else:
        off = tolerance + 1e-9
        good = any(math.isclose(x, right, abs_tol=off) for x in near)
    return good if values else None


def of_word(given, right, form):
    """Judge one word; see `judged`."""
    given, right = unwrapped(given), right.strip().casefold()
    choices = set(re.findall(r'"([^"]+)"', form.casefold()))
    if right in ("yes", "no"):
        choices |= {"yes", "no"}
        given = str(given) if isinstance(given, bool) else given
    if not isinstance(given, str):
        return None
    if given.strip().casefold() == right:
        return True
    said = [
        x for x in re.findall(r"[^\W_]+", plain(given)) if x not in FILLERS
    ]
    if right in ("yes", "no"):
        said = [SHORT.get(x, x) for x in said]
        both = {"yes", "no"} & set(said)
        said = said[:1] if len(both) == 1 else said
    if len(said) != 1:
        return None
    if said[0] == right:
        return True
    letter = len(said[0]) == len(right) == 1 and said[0].isascii()
    return False if said[0] in choices or letter else None


def lists_in(text, right):
    """Yield the lists that a text can mean, as long as the right one."""
    text = re.sub(r"\band\b|\bund\b|\bet\b|&", ",", plain(text))
    text = WRAPPED.sub(lambda x: "(" * x[0].endswith("("), text)
    text = re.sub(r",\s*,", ",", re.sub(r"\s[/|]\s", "; ", text))
    with contextlib.suppress(*UNREAD):
        yield [*ast.literal_eval(text)]
    if depth(right) == 1:
        bare = text.strip("()[]{}<>,; ")
        for split in SPLITS:
            pieces = re.split(split, bare)
            if all(map(numbers_of, pieces)):
                yield pieces


def of_text(given, right, tolerance, form):
    """Judge a list that is written as a text; see `judged`."""
    found = [
        of_list(value, right, tolerance, form)
        for value in lists_in(given[: LONGEST + 1], right)
        if len(value) == len(right)
    ]
    if len(given) > LONGEST or not found:
        return None
    return True in found or (None if None in found else False)


def of_list(given, right, tolerance, form):
    """Judge a list; see `judged`."""
    if isinstance(given, dict):  # of names that nobody has asked for
        inside = of_list([*given.values()], right, tolerance, form)
        return inside or None
    if isinstance(given, str):
        return of_text(given, right, tolerance, form)
    if not is_list(given):
        return None
    if len(given) == 1 != len(right) and not isinstance(
        given[0], (int, float)
    ):
        return of_list(given[0], right, tolerance, form)
    if len(given) == len(right) or depth(given) == depth(right):
        return of_parts(given, right, tolerance, form)
    flat = leaves(given), leaves(right)  # without the inner brackets
    same = len(flat[0]) == len(flat[1]) and depth(given) < depth(right)
    return (same and of_parts(*flat, tolerance, "")) or None


def of_parts(given, right, tolerance, form):
    """Judge a list part by part; see `judged`."""
    if SORTED.search(form):
        given, right, form = in_order(given), in_order(right), ""
    if len(given) != len(right):
        return False if all(is_read(x) for x in leaves(given)) else None
    parts = [
        False if is_blank(x) else judged(x, y, tolerance, form)
        for x, y in zip(given, right, strict=True)
    ]
    return False if False in parts else None if None in parts else True


def is_read(value):
    """Say whether a value in a list is a number."""
    return isinstance(value, (int, float)) or bool(
        isinstance(value, str) and numbers_of(value)
    )


def in_order(values):
    """Return numbers, or lists of numbers, in order; all else as it is."""
    values = [[*x] if is_list(x) else x for x in values]
    values = [
        (numbers_of(x) or [x])[0] if isinstance(x, str) else x for x in values
    ]
    try:
        return sorted(values)
    except TypeError:
        return values


def judged(given, right, tolerance=0.0, form=""):
    """Say whether a value is the right one, however it is written.

    Args:
        given: the student's, of numbers, texts, lists, tuples and dicts.
        right: an int, float, bool, str in any case, or lists or tuples of
            them.
        tolerance: how far floats may be off.
        form: what the task says that the value looks like; words in double
            quotes are those to choose from.

    Returns:
        True or False, or None if nobody can say what is meant.
    """
    if is_list(right):
        return of_list(given, right, tolerance, form)
    if isinstance(right, str):
        return of_word(given, right, form)
    if isinstance(right, bool):
        return unwrapped(given) is right
    return of_number(given, right, tolerance)
