"""Choose which of a student's files is graded, and describe what is odd."""

import datetime
from collections import defaultdict

from attnbook.teaching.copies import stem_of
from attnbook.teaching.names import normalise_name
from attnbook.teaching.owners import (
    clean_line,
    count_common,
    find_owner,
    slugify,
)

AT_ONCE = datetime.timedelta(minutes=10)
NOTE = 300  # letters of a note
NOTES = 10  # of a file, and of an answer


def are_upload_times(found):
    """Say whether the files' times are those at which they were handed in.

    A download may give all files its own time.  One file in ten may differ, so
    that no student can make others late by setting the time of a file.

    Args:
        found: list of `Upload`.
    """
    times = sorted(upload.time for upload in found if upload.time)
    many = len(times) - max(1, len(times) // 10)
    spans = [b - a for a, b in zip(times, times[many - 1 :], strict=False)]
    return len(times) < 3 or min(spans) > AT_ONCE


def group_by_student(found, results, titles, times):
    """Return pairs of name and id, and for each the files, newest first.

    Args:
        found: list of `Upload`.
        results: what `read_all` returned.
        titles: slugs that are no person's name.
        times: what `are_upload_times` returned.
    """
    names = [[p for p in u.name.split("/") if p] for u in found]
    depth = count_common(names)
    groups = defaultdict(list)
    for upload, parts, inside in zip(found, names, results, strict=True):
        who = find_owner(parts, depth, titles)
        time = upload.time if times else None
        named = who.sure and slugify(who.name) and fold_exactly(who.name)
        person = who.id or named or upload
        for result in inside:
            groups[person, bool(who.id)].append((who, upload, time, result))
    for files in groups.values():
        files.sort(key=sort_key)
    return groups


def fold_exactly(name):
    """Return a key that is equal only for files of the same person.

    A slug is not enough: *a.b* and *a-b* are two people with one slug.  Nor is
    `str.casefold`: *Weiß* and *Weiss* are two names.

    Args:
        name: of a person, a str.
    """
    return normalise_name(normalise_name(name).lower())


def sort_key(file):
    """Return the key by which a student's files are sorted."""
    who, upload, time, result = file
    seconds = int(time.timestamp()) if time else 0
    return (-who.order[0], -seconds, -who.order[1], result["file"])


def explain_assignment(told, wanted):
    """Return what is wrong with the assignment that a file names, or ""."""
    if told in (None, wanted):
        return ""
    same = told.rpartition("-")[0] == wanted.rpartition("-")[0]
    kind = "another seed's" if same else "another assignment"
    return f"{kind}: the file says {clean_line(told)}, expected {wanted}"


def is_filled(result):
    """Say whether any answer of a file was filled in."""
    return any(not a["blank"] for a in result.get("answers", {}).values())


def rank_file(result, wanted):
    """Return the rank of a file; of equal ones the newest is graded."""
    told = explain_assignment(result.get("assignment"), wanted)
    return bool(result.get("answers")), is_filled(result), not told


def explain_lateness(who, time, due):
    """Return why a file is late, "" if it is in time or nobody knows."""
    if who.late is not None:
        return "late, says Canvas" if who.late else ""
    if due is None or time is None or time <= due:
        return ""
    at = time.astimezone(due.tzinfo).strftime("%Y-%m-%d %H:%M")
    return f"late by the time of its file, {at}; see what the system says"


def describe_files(files, chosen, due):
    """Yield notes on which files a student has handed in."""
    who, _, time, graded = chosen
    late = explain_lateness(who, time, due)
    if len(files) > 1:
        which = f"; {graded['file']} is graded" * bool(graded.get("answers"))
        yield f"{len(files)} files{which}"
    known = [f for f in files if f[0].late is not None or f[2]]
    in_time = [
        f[3]["file"]
        for f in known
        if is_filled(f[3]) and not explain_lateness(f[0], f[2], due)
    ]
    if late and in_time:
        yield (
            f"the graded file is late, {in_time[0]} was in time: remove the "
            "one that should not count, and collect again"
        )
    if not slugify(who.name):
        yield "whose is it? the file's name contains no readable name"
    elif not who.sure and who.name != who.name.upper():  # has small letters
        yield f"whose is it? {who.name} may not be a person's name"
    for other in files:
        if other is not chosen and other[3]["problem"]:
            yield f"{other[3]['file']}: {other[3]['problem']}"


def describe_content(result):
    """Yield notes on the content of a file."""
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


def find_problem(result, wanted):
    """Return why a file cannot be graded as it is, or ""."""
    if result["problem"]:
        return result["problem"]
    told = explain_assignment(result["assignment"], wanted)
    nothing = "none of the answers was found" * (not result["answers"])
    return told or nothing


def trim_notes(notes):
    """Shorten notes, and leave out those beyond the first `NOTES`."""
    found = [clean_line(note, NOTE) for note in notes[:NOTES]]
    left = len(notes) - len(found)
    return [*found, f"and {left} more notes"] if left else found


def clean_answers(answers):
    """Return answers with safe and short notes and errors."""
    return {
        task: answer
        | {
            "notes": trim_notes(answer["notes"]),
            "error": clean_line(answer["error"], NOTE),
        }
        for task, answer in answers.items()
    }


def describe_student(files, wanted, due):
    """Return the entry of one student in collected.json, without the key.

    Args:
        files: of the student, newest first, see `group_by_student`.
        wanted: name of the assignment.
        due: datetime or None.
    """
    chosen = max(files, key=lambda f: rank_file(f[3], wanted))
    who, upload, time, result = chosen
    late = explain_lateness(who, time, due)
    notes = trim_notes([*describe_files(files, chosen, due)]) + [late] * bool(
        late
    )
    notes += describe_content(result)
    stem = stem_of(upload.name.split("/")[-1])
    return {
        "name": clean_line(who.name if slugify(who.name) else stem) or "?",
        "id": who.id,
        "files": [clean_line(f[3]["file"], NOTE) for f in files],
        "late": bool(late),
        "notes": [clean_line(note, NOTE) for note in notes],
        "problem": clean_line(find_problem(result, wanted), NOTE),
        "answers": clean_answers(result.get("answers", {})),
        "digest": result["digest"] if is_filled(result) else "",
    }


def note_twins(students):
    """Add a note to students whose files are identical."""
    groups = defaultdict(list)
    for s in students:
        groups[s.pop("digest")].append(s)
    for digest, group in groups.items():
        for s in group if digest and len(group) > 1 else []:
            others = [o["student"] for o in group if o is not s]
            more = f" and {len(others) - 3} more" if len(others) > 3 else ""
            s["notes"].append(
                f"the same file as that of {', '.join(others[:3])}{more}"
            )


def note_namesakes(students):
    """Add a note to students without a number who share a name."""
    groups = defaultdict(list)
    for s in students:
        groups[fold_exactly(s["name"])].append(s)
    for group in groups.values():
        for s in group:
            others = [o["student"] for o in group if o is not s]
            if others and not s["id"]:
                s["notes"].append(
                    f"whose is it? {others[0]} has the same name"
                )
