"""Match a class with the table of all students that an LMS exports.

Students are matched by the number that the LMS puts into the names of files
that are handed in, else by login, else by name, and never by guess: who does
not match is named.
"""

import re
from collections import Counter, defaultdict

from attnbook.teaching.gradebook import totals
from attnbook.teaching.spreadsheet import spelled


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

    It is what `owners` has read from the place where the LMS writes it.  The
    rest of a file's name is the student's, who may write any number there.

    Args:
        student: what was collected, a dict.
    """
    return str(student.get("id") or "")


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
    places = {
        student: place_of(student, name, numbers.get(student, ""), index)
        for student, name in names.items()
    }
    taken = Counter(places.values())
    for student, (points, maximum) in totals(rows).items():
        named = f"{names[student]} ({student})"
        place = places[student]
        if place is None:
            problems.append(f"{named}: no such student, or several")
        elif taken[place] > 1:
            same = [x for x in places if places[x] == place and x != student]
            problems.append(
                f"{named}: is the same as {same[0]}; left as it is"
            )
        elif points is None:
            problems.append(f"{named}: not all is marked; left as it is")
        else:
            found[place] = student, points, maximum
    return found, problems


def scaled(points, maximum, most):
    """Return points out of `most` instead of `maximum`, as text."""
    return spelled(points * most / maximum if most and maximum else points)


def said_of(most, maximum):
    """Return a list with a sentence on how points are converted, if any is.

    Args:
        most: the maximum in the LMS; 0 or None: nothing can be converted.
        maximum: the assignment's.
    """
    if most == maximum:
        return []
    if not most:
        found = "no maximum" if most is None else "a maximum of 0"
        return [
            f"points are not converted: expected a maximum there, got {found};"
            f" they are out of {spelled(maximum)}"
        ]
    return [
        f"points are converted: {spelled(maximum)} here are {spelled(most)} "
        "there"
    ]
