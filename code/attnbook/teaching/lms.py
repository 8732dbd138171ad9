"""Match a class with the table of all students that an LMS exports.

Students are matched by the number that the LMS puts into the names of their
files, else by login or by the whole name.  A similar name is accepted if it
fits exactly one student on either side, and is reported; so are students who
do not match.
"""

from collections import Counter, defaultdict

from attnbook.teaching.gradebook import add_up_points
from attnbook.teaching.lost_letters import describe_lost_letters
from attnbook.teaching.names import (
    fold_name,
    may_be_same,
    normalise_name,
    strip_marks,
    words_of,
)
from attnbook.teaching.spreadsheet import format_number

NEAR = ("squeezed", "loose")  # names that are similar, not equal


def list_ways(name):
    """Return all keys under which a name is looked up, pairs of kind and text.

    Args:
        name: as *Ada Lovelace* or *Lovelace, Ada*.
    """
    last, comma, first = name.partition(",")
    forms = [name, f"{first} {last}"] if comma else [name]
    found = [("written", normalise_name(x)) for x in forms]
    found += [("whole", fold_name(x)) for x in forms]
    found += [("squeezed", "".join(words_of(x))) for x in forms]  # doejane
    return [x for x in [*found, ("loose", strip_marks(name))] if x[1]]


def index_people(people):
    """Return key -> numbers of the rows that are looked up by it.

    Args:
        people: dicts with number, login and name, one per row.
    """
    found = defaultdict(set)
    for place, person in enumerate(people):
        login = fold_name(person["login"])
        ways = [("number", person["number"]), ("login", login)]
        ways += [("login", login.partition("@")[0])]
        for way in [*ways, *list_ways(person["name"])]:
            found[way].add(place)
    return found


def number_of_student(student):
    """Return the number that the LMS has given a student, or "".

    It is what `owners` has read from the place where the LMS writes it.  The
    rest of a file's name is the student's, who may write any number there.

    Args:
        student: what was collected, a dict.
    """
    return str(student.get("id") or "")


def find_places(name, number, index):
    """Return the numbers of the rows that a student has, a set.

    Args:
        name: the student's name.
        number: see `number_of_student`; it counts more than the name.
        index: see `index_people`.
    """
    if number and index.get(("number", number)):
        return index["number", number]
    one = fold_name(name)
    login = index.get(("login", one), set()) if one else set()
    as_written = index.get(("written", normalise_name(name)), set())
    return login | (as_written or index.get(("whole", one), set()))


def find_near(name, index):
    """Return the numbers of all rows whose name is similar to a student's."""
    ways = [way for way in list_ways(name) if way[0] in NEAR]
    return set().union(*(index.get(way, ()) for way in ways))


def match_loosely(names, taken, people, index):
    """Return student -> row, where exactly one similar name fits.

    Args:
        names: student -> name, of those who have no row.
        taken: numbers of rows that others have.
        people: see `index_people`.
        index: see `index_people`.
    """
    rows = {student: find_near(name, index) for student, name in names.items()}
    wanted = Counter(place for several in rows.values() for place in several)
    found = {}
    for student, several in rows.items():
        place, *more = several or [None]
        if place is None or more or wanted[place] > 1 or place in taken:
            continue
        name, there = names[student], people[place]["name"]
        same = {*list_ways(name)} & {*list_ways(there)}
        squeezed = any(kind == "squeezed" for kind, _ in same)
        if squeezed or may_be_same(name, there):
            found[student] = place
    return found


def match_students(rows, people, numbers):
    """Return the row of each student whose marks are complete, and problems.

    Args:
        rows: all `gradebook.Row`.
        people: see `index_people`.
        numbers: student -> see `number_of_student`.

    Returns:
        A dict, place -> (student, points, maximum), and a list of str.
    """
    index, found = index_people(people), {}
    problems = describe_lost_letters(people)
    names = {row.student: row.name for row in rows}
    places = {
        x: find_places(names[x], numbers.get(x, ""), index) for x in names
    }
    taken = set().union(*places.values())
    rest = {x: name for x, name in names.items() if not places[x]}
    loosely = match_loosely(rest, taken, people, index)
    places = {x: next(iter(y)) for x, y in places.items() if len(y) == 1}
    places |= loosely
    for student, (points, maximum) in add_up_points(rows).items():
        place = places.get(student)
        same = [x for x in places if places[x] == place and x != student]
        said = explain_unmatched(names[student], place, same, people, index)
        if not said and points is None:
            said = "not all is marked; left as it is"
        if not said:
            found[place] = student, points, maximum
        if not said and student in loosely:
            said = f"taken for {people[place]['name']}; is it the same person?"
        problems += [f"{names[student]} ({student}): {said}"] * bool(said)
    return found, problems


def explain_unmatched(name, place, same, people, index):
    """Return why a student has no row, or "".

    Args:
        name: the student's name.
        place: number of the row, or None.
        same: other students who have that place.
        people: see `index_people`.
        index: see `index_people`.
    """
    if place is not None:
        return f"is the same as {same[0]}; left as it is" if same else ""
    alike = [people[x]["name"] for x in sorted(find_near(name, index))[:3]]
    said = f"; nearly so: {', '.join(alike)}" if alike else ""
    return f"no such student, or several{said}"


def scale_points(points, maximum, most):
    """Return points out of `most` instead of `maximum`, as text."""
    if most and maximum:
        points = points * most / maximum
    return format_number(points)


def describe_scaling(most, maximum):
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
            f" they are out of {format_number(maximum)}"
        ]
    return [
        f"points are converted: {format_number(maximum)} here are "
        f"{format_number(most)} there"
    ]
