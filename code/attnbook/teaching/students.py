"""One student's files: which is graded, was it late, what is odd about it."""

import datetime
from collections import defaultdict

from attnbook.teaching.copies import stem_of
from attnbook.teaching.names import written
from attnbook.teaching.owners import common, owner, shown, slug

AT_ONCE = datetime.timedelta(minutes=10)
NOTE = 300  # letters of a note
NOTES = 10  # of a file, and of an answer


def telling(found):
    """Say whether the times of files are those at which they came.

    A download gives all files its own time.  A file in ten may have another,
    so that nobody makes a class late by setting the time of one.

    Args:
        found: list of `Upload`.
    """
    times = sorted(upload.time for upload in found if upload.time)
    many = len(times) - max(1, len(times) // 10)
    spans = [b - a for a, b in zip(times, times[many - 1 :], strict=False)]
    return len(times) < 3 or min(spans) > AT_ONCE


def by_student(found, results, titles, times):
    """Return pairs of name and id, and for each the files, newest first.

    Args:
        found: list of `Upload`.
        results: what `read_all` returned.
        titles: slugs that name nobody.
        times: whether the files' times say when they came.
    """
    names = [[p for p in u.name.split("/") if p] for u in found]
    depth = common(names)
    groups = defaultdict(list)
    for upload, parts, inside in zip(found, names, results, strict=True):
        who = owner(parts, depth, titles)
        time = upload.time if times else None
        named = who.sure and slug(who.name) and exact(who.name)
        person = who.id or named or upload
        for result in inside:
            groups[person, bool(who.id)].append((who, upload, time, result))
    for files in groups.values():
        files.sort(key=newest_first)
    return groups


def exact(name):
    """Return what two files of one person have in common, and no two persons.

    A slug will not do: *a.b* and *a-b* are two people with one slug.  Nor are
    all capitals folded: *Weiß* is another name than *Weiss*.

    Args:
        name: of a person, a str.
    """
    return written(written(name).lower())


def newest_first(file):
    """Return what files of one student are sorted by."""
    who, upload, time, result = file
    seconds = int(time.timestamp()) if time else 0
    return (-who.order[0], -seconds, -who.order[1], result["file"])


def told_assignment(told, wanted):
    """Return what is wrong with the assignment that a file names, or ""."""
    if told in (None, wanted):
        return ""
    same = told.rpartition("-")[0] == wanted.rpartition("-")[0]
    kind = "another seed's" if same else "another assignment"
    return f"{kind}: the file says {shown(told)}, expected {wanted}"


def is_filled(result):
    """Say whether any answer of a file was filled in."""
    return any(not a["blank"] for a in result.get("answers", {}).values())


def worth(result, wanted):
    """Return what makes a file the one to grade, before it is the newest."""
    told = told_assignment(result.get("assignment"), wanted)
    return bool(result.get("answers")), is_filled(result), not told


def lateness(who, time, due):
    """Return why a file is late, "" if it is not or nothing says so."""
    if who.late is not None:
        return "late, says Canvas" if who.late else ""
    if due is None or time is None or time <= due:
        return ""
    at = time.astimezone(due.tzinfo).strftime("%Y-%m-%d %H:%M")
    return f"late by the time of its file, {at}; see what the system says"


def about_files(files, chosen, due):
    """Yield what is odd about which files a student has handed in."""
    who, _, time, graded = chosen
    late = lateness(who, time, due)
    if len(files) > 1:
        which = f"; {graded['file']} is graded" * bool(graded.get("answers"))
        yield f"{len(files)} files{which}"
    known = [f for f in files if f[0].late is not None or f[2]]
    in_time = [
        f[3]["file"]
        for f in known
        if is_filled(f[3]) and not lateness(f[0], f[2], due)
    ]
    if late and in_time:
        yield (
            f"the graded file is late, {in_time[0]} was in time: remove the "
            "one that shall not count, and collect again"
        )
    if not slug(who.name):
        yield "whose is it? its name has no readable name of a person"
    elif not who.sure and who.name != who.name.upper():  # has small letters
        yield f"whose is it? {who.name} may be no name of a person"
    for other in files:
        if other is not chosen and other[3]["problem"]:
            yield f"{other[3]['file']}: {other[3]['problem']}"


def about_content(result):
    """Yield what is odd about what a file holds."""
    if not result["problem"]:
        if result["assignment"] is None:
            yield "does not say which assignment it is"
        if result["answers"] and not is_filled(result):
            yield (
                "handed in as it was given out, nothing filled in"
                if result.get("untouched")
                else "no answer is filled in, but the file is not as it was "
                "given out: look at the file"
            )
    yield from result.get("notes", [])


def problem_of(result, wanted):
    """Return why a file cannot be graded as it is, or ""."""
    if result["problem"]:
        return result["problem"]
    told = told_assignment(result["assignment"], wanted)
    nothing = "none of the answers was found" * (not result["answers"])
    return told or nothing


def fit(notes):
    """Return notes fit to be shown: short ones, and not too many."""
    found = [shown(note, NOTE) for note in notes[:NOTES]]
    left = len(notes) - len(found)
    return [*found, f"and {left} notes more"] if left else found


def readable(answers):
    """Return answers whose notes are fit to be shown."""
    return {
        task: answer
        | {
            "notes": fit(answer["notes"]),
            "error": shown(answer["error"], NOTE),
        }
        for task, answer in answers.items()
    }


def student_of(files, wanted, due):
    """Return what collected.json says of one student, but for the key.

    Args:
        files: of the student, newest first, as `by_student` returns them.
        wanted: name of the assignment.
        due: datetime or None.
    """
    chosen = max(files, key=lambda f: worth(f[3], wanted))
    who, upload, time, result = chosen
    late = lateness(who, time, due)
    notes = fit([*about_files(files, chosen, due)]) + [late] * bool(late)
    notes += about_content(result)
    stem = stem_of(upload.name.split("/")[-1])
    return {
        "name": shown(who.name if slug(who.name) else stem) or "?",
        "id": who.id,
        "files": [shown(f[3]["file"], NOTE) for f in files],
        "late": bool(late),
        "notes": [shown(note, NOTE) for note in notes],
        "problem": shown(problem_of(result, wanted), NOTE),
        "answers": readable(result.get("answers", {})),
        "digest": result["digest"] if is_filled(result) else "",
    }


def note_twins(students):
    """Note for students whose files are equal to the last byte."""
    groups = defaultdict(list)
    for s in students:
        groups[s.pop("digest")].append(s)
    for digest, group in groups.items():
        for s in group if digest and len(group) > 1 else []:
            others = [o["student"] for o in group if o is not s]
            more = f" and {len(others) - 3} more" if len(others) > 3 else ""
            s["notes"].append(
                f"the same file as of {', '.join(others[:3])}{more}"
            )


def note_namesakes(students):
    """Note for students without a number that others have their name."""
    groups = defaultdict(list)
    for s in students:
        groups[exact(s["name"])].append(s)
    for group in groups.values():
        for s in group:
            others = [o["student"] for o in group if o is not s]
            if others and not s["id"]:
                s["notes"].append(
                    f"whose is it? {others[0]} has the same name"
                )
