"""Summarise on one screen what was collected."""

import re

from attnbook.teaching.spreadsheet import format_count

LINES = 10  # that are printed at most
LOOKED = "something that you must look at"
OTHER = "something else to know"
SHOWN = 4  # students that a line names
WIDE = 40  # letters of a student's key
UNREAD = "cannot be graded as they are"
KINDS = {  # how a remark begins -> what a line says of all who have one
    r"whose is it\?": "whose are they?",
    "the graded file is late": "graded late, where another file was in time",
    "late": "late",
    "the same file as": "the same file as another student's",
    r"\d+ files": "several files, of which one is graded",
}


def list_remarks(student):
    """Return all notes about a student, those of answers among them."""
    found = list(student["notes"])
    for task, answer in student["answers"].items():
        found += [f"{task}: {note}" for note in notes_of(answer)]
    return found


def notes_of(answer):
    """Return the notes about an answer, and why it cannot be read."""
    return answer["notes"] + [answer["error"]] * bool(answer["error"])


def summarise_class(collected):
    """Return a line on the class."""
    odd = sum(bool(s["problem"]) for s in collected.students)
    late = sum(s["late"] for s in collected.students)
    count = format_count(len(collected.students), "student")
    return (
        f"{count}, {late} late, {odd} with a problem; {collected.assignment}"
    )


def list_students(collected):
    """Return a table, a list of lines: each student and what is odd.

    Args:
        collected: a `Collected`.
    """
    width = max([len(s["student"]) for s in collected.students], default=7)
    width = min(max(width, 7), WIDE)
    lines = [f"{'student':{width}}  tasks  what to know"]
    for s in collected.students:
        done = sum(not a["blank"] for a in s["answers"].values())
        said = [s["problem"]] * bool(s["problem"]) + list_remarks(s)
        first, *more = said or [""]
        count = f"{done}/{collected.tasks}"
        line = f"{s['student'][:width]:{width}}  {count:>5}  {first}"
        lines.append(line.rstrip())
        lines += [" " * (width + 9) + text for text in more]
    lines += [f"! {text}" for text in collected.problems]
    return [*lines, summarise_class(collected)]


def classify_note(note):
    """Return the heading under which a note on a student is counted."""
    found = (said for start, said in KINDS.items() if re.match(start, note))
    return next(found, OTHER)


def classify_student(student):
    """Return the headings under which a student is counted."""
    found = [UNREAD] * bool(student["problem"])
    found += map(classify_note, student["notes"])
    for answer in student["answers"].values():
        looks = bool(answer.get("look"))
        found += [LOOKED] * looks
        found += [OTHER] * (len(notes_of(answer)) > looks)
    return dict.fromkeys(found)


def describe_newly_late(collected, before):
    """Return a list with a sentence on students who have become late, if any.

    Args:
        collected: a `Collected`.
        before: the students that were collected before, a list of dicts.
    """
    in_time = {s["student"] for s in before if not s["late"] and s["answers"]}
    keys = [s["student"] for s in collected.students if s["late"]]
    keys = [key for key in keys if key in in_time]
    if not keys:
        return []
    return [f"in time when collected before, late now: {join_keys(keys)}"]


def join_keys(keys):
    """Return some students' keys, and how many more there are."""
    more = len(keys) - SHOWN
    some = ", ".join(key[:WIDE] for key in keys[:SHOWN])
    return some + f" and {more} more" * (more > 0)


def summarise(collected, before=()):
    """Return the table if it has fewer than `LINES` lines, or a summary.

    Arguments as in `describe_newly_late`.
    """
    said = describe_newly_late(collected, before)
    lines = [*list_students(collected), *(f"! {text}" for text in said)]
    if len(lines) < LINES:
        return lines
    headings = UNREAD, *KINDS.values(), LOOKED, OTHER
    found = {kind: [] for kind in headings}
    for s in collected.students:
        for kind in classify_student(s):
            found[kind].append(s["student"])
    lines = [
        f"{len(x):>4} {kind}: {join_keys(x)}" for kind, x in found.items() if x
    ]
    said = [f"! {text}" for text in [*said, *collected.problems][:1]]
    return [summarise_class(collected), *said, *lines]
