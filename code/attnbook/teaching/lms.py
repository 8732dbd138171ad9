"""Match a class with the table of all students that an LMS exports.

Students are matched by the number that the LMS puts into the names of files
that are handed in, else by login or by the whole name.  A name that is nearly
the same is taken where exactly one fits on both sides, and is named; who does
not match is named, too.
"""

from collections import Counter, defaultdict

from attnbook.teaching.gradebook import totals
from attnbook.teaching.lost_letters import lost_letters
from attnbook.teaching.names import loose, may_be, whole, words_of, written
from attnbook.teaching.spreadsheet import spelled

NEAR = ("squeezed", "loose")  # ways that are not quite the same name


def ways_of(name):
    """Return what a name may be found by, pairs of a kind and a text.

    Args:
        name: as *Ada Lovelace* or *Lovelace, Ada*.
    """
    last, comma, first = name.partition(",")
    forms = [name, f"{first} {last}"] if comma else [name]
    found = [("written", written(x)) for x in forms]
    found += [("whole", whole(x)) for x in forms]
    found += [("squeezed", "".join(words_of(x))) for x in forms]  # doejane
    return [x for x in [*found, ("loose", loose(name))] if x[1]]


def index_of(people):
    """Return what a student may be found by -> numbers of rows.

    Args:
        people: dicts with number, login and name, one per row.
    """
    found = defaultdict(set)
    for place, person in enumerate(people):
        login = whole(person["login"])
        ways = [("number", person["number"]), ("login", login)]
        ways += [("login", login.partition("@")[0])]
        for way in [*ways, *ways_of(person["name"])]:
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


def places_of(name, number, index):
    """Return the numbers of the rows that a student has, a set.

    Args:
        name: the student's name.
        number: see `number_of_student`; who has one needs no name.
        index: see `index_of`.
    """
    if number and index.get(("number", number)):
        return index["number", number]
    one = whole(name)
    login = index.get(("login", one), set()) if one else set()
    as_written = index.get(("written", written(name)), set())
    return login | (as_written or index.get(("whole", one), set()))


def near(name, index):
    """Return the numbers of all rows whose name is nearly a student's."""
    ways = [way for way in ways_of(name) if way[0] in NEAR]
    return set().union(*(index.get(way, ()) for way in ways))


def found_loosely(names, taken, people, index):
    """Return student -> row, where a name is nearly the same on both sides.

    Args:
        names: student -> name, of those who have no row.
        taken: numbers of rows that others have.
        people: see `index_of`.
        index: see `index_of`.
    """
    rows = {student: near(name, index) for student, name in names.items()}
    wanted = Counter(place for several in rows.values() for place in several)
    found = {}
    for student, several in rows.items():
        place, *more = several or [None]
        if place is None or more or wanted[place] > 1 or place in taken:
            continue
        name, there = names[student], people[place]["name"]
        same = {*ways_of(name)} & {*ways_of(there)}
        if may_be(name, there) or any(kind == "squeezed" for kind, _ in same):
            found[student] = place
    return found


def matched(rows, people, numbers):
    """Return the row of each student whose marks are complete, and problems.

    Args:
        rows: all `gradebook.Row`.
        people: see `index_of`.
        numbers: student -> see `number_of_student`.

    Returns:
        A dict, place -> (student, points, maximum), and a list of str.
    """
    index, found, problems = index_of(people), {}, lost_letters(people)
    names = {row.student: row.name for row in rows}
    places = {x: places_of(names[x], numbers.get(x, ""), index) for x in names}
    taken = set().union(*places.values())
    rest = {x: name for x, name in names.items() if not places[x]}
    loosely = found_loosely(rest, taken, people, index)
    places = {x: next(iter(y)) for x, y in places.items() if len(y) == 1}
    places |= loosely
    for student, (points, maximum) in totals(rows).items():
        place = places.get(student)
        same = [x for x in places if places[x] == place and x != student]
        said = unmatched(names[student], place, same, people, index)
        if not said and points is None:
            said = "not all is marked; left as it is"
        if not said:
            found[place] = student, points, maximum
        if not said and student in loosely:
            said = f"taken for {people[place]['name']}; is it the same person?"
        problems += [f"{names[student]} ({student}): {said}"] * bool(said)
    return found, problems


def unmatched(name, place, same, people, index):
    """Return why a student has no row, "" if there is one.

    Args:
        name: the student's name.
        place: number of the row, or None.
        same: other students who have that place.
        people: see `index_of`.
        index: see `index_of`.
    """
    if place is not None:
        return f"is the same as {same[0]}; left as it is" if same else ""
    alike = [people[x]["name"] for x in sorted(near(name, index))[:3]]
    said = f"; nearly so: {', '.join(alike)}" if alike else ""
    return f"no such student, or several{said}"


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
