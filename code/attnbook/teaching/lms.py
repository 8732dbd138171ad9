"""Match a class with the table of all students that an LMS exports.

Students are matched by the number that the LMS puts into the names of files
that are handed in, else by login, else by name, and never by guess: who does
not match is named.
"""

import re
from collections import defaultdict

from attnbook.teaching.gradebook import totals
from attnbook.teaching.spreadsheet import spelled

FILE_NUMBER = re.compile(
    r"_(?:LATE_)?(\d+)_(?:\d+_|assignsubmission)", re.IGNORECASE
)


def letters(name):
    """Return a name's letters, words in the order of the alphabet."""
    return "".join(sorted(re.findall(r"[^\W_]+", name.casefold())))


def index_of(people):
    """Return what a student may be found by -> numbers of rows.

    Args:
        people: dicts with number, login and name, one per row.
    """
    found = defaultdict(set)
    for place, person in enumerate(people):
        name = person["name"]
        found["number", person["number"]].add(place)
        found["login", person["login"].casefold()].add(place)
        found["login", person["login"].partition("@")[0].casefold()].add(place)
        found["name", letters(name)].add(place)
        squeezed = re.sub(r"[\W_]", "", name.casefold())  # Canvas: doejane
        found["name", squeezed].add(place)
    return found


def number_of_student(student):
    """Return the number that the LMS has given a student, or "".

    Args:
        student: what was collected, a dict.
    """
    if student.get("id"):
        return str(student["id"])
    files = student.get("files", [])
    numbers = {found[1] for x in files if (found := FILE_NUMBER.search(x))}
    return numbers.pop() if len(numbers) == 1 else ""


def place_of(student, name, number, index):
    """Return the number of a student's row, or None if it is not clear.

    Args:
        student: the student's key.
        name: the student's name.
        number: see `number_of_student`.
        index: see `index_of`.
    """
    tries = [("number", number)]
    tries += [("login", student.casefold()), ("login", name.casefold())]
    tries += [("name", letters(name)), ("name", letters(student))]
    for kind, text in tries:
        places = index.get((kind, text), ()) if text else ()
        if len(places) == 1:
            return next(iter(places))
    return None


def matched(rows, people, numbers):
    """Return the row of each student whose marks are complete, and problems.

    Args:
        rows: all `gradebook.Row`.
        people: see `index_of`.
        numbers: student -> see `number_of_student`.

    Returns:
        A dict, place -> (student, points, maximum), and a list of str.
    """
    index, found, problems = index_of(people), {}, []
    names = {row.student: row.name for row in rows}
    for student, (points, maximum) in totals(rows).items():
        named = f"{names[student]} ({student})"
        place = place_of(
            student, names[student], numbers.get(student, ""), index
        )
        if place is None:
            problems.append(f"{named}: no such student, or several")
        elif place in found:
            problems.append(f"{named}: is the same as {found[place][0]}")
        elif points is None:
            problems.append(f"{named}: not all is marked; left empty")
        else:
            found[place] = student, points, maximum
    return found, problems


def scaled(points, maximum, most):
    """Return points out of `most` instead of `maximum`, as text."""
    return spelled(points * most / maximum if most and maximum else points)


def said_of(most, maximum):
    """Return a list with a sentence if points are converted, else empty."""
    if most is None or most == maximum:
        return []
    return [
        f"points are converted: {spelled(maximum)} here are {spelled(most)} "
        "there"
    ]
