"""Whose file is it?

What a learning-management system calls a file:

* Canvas: ``name_LATE_12345_67890_file.ipynb``, where LATE may be missing, the
  numbers are of the user and of the file, and ``anon_x7Ab2`` stands for an
  anonymous student (canvas-lms, lib/content_zipper.rb).  The name of a group
  stands for one.  A file handed in again has a larger number.
* Moodle: ``Full Name_12345_assignsubmission_file/file.ipynb``, older ones with
  an underscore at the end, or all in the file's name if folders are not
  asked for; the number is of the participant (moodle,
  mod/assign/classes/downloader.php).
* Google Classroom and Drive: ``Full Name - title.ipynb``; downloaded twice,
  with (1); copied by hand, with *Copy of*.

All else is read as ``student/file.ipynb`` or ``student.ipynb``.
"""

import re
import unicodedata
from dataclasses import dataclass
from pathlib import PurePosixPath

CANVAS = re.compile(
    r"(?:(?!LATE_)(?P<name>.+?)_)?(?P<late>LATE_)?"
    r"(?P<id>\d+|anon_[A-Za-z0-9]+)_(?P<file>\d+)_(?P<rest>.+)"
)
MOODLE = re.compile(
    r"(?P<name>.+?)_(?:(?P<id>\d+)_)?assignsubmission_[a-z]+(?:_(?P<rest>.*))?"
)
COPY = re.compile(
    r"^(?:copy of |kopie van |kopie von |copi[ae] d[ei] )+", re.I
)
COUNTER = re.compile(r"\s*(?:\((\d+)\)|- copy)$", re.I)
UNTITLED = re.compile(r"(?:untitled|notebook|main|submission)\d*")


@dataclass(frozen=True)
class Owner:
    """Whose file it is, as its name says."""

    name: str  # "" if the name does not say
    id: str = ""  # the number of the system, if it has one
    late: bool | None = None  # None: the name does not say
    order: tuple = (0, 0)  # larger is newer, among the files of one student


def slug(text):
    """Return a text as a safe, readable file name, "" if nothing is left."""
    text = unicodedata.normalize("NFC", text.casefold())
    letters = [c if unicodedata.category(c)[0] in "LMN" else " " for c in text]
    words = "".join(letters).split()
    while len("-".join(words).encode()) > 80:
        words = words[:-1] if len(words) > 1 else [words[0][:20]]
    return "-".join(words)


def shown(text, letters=100):
    """Return a text as it may be shown: one line, nothing invisible."""
    kept = [c if c.isprintable() else "\ufffd" for c in text[: 2 * letters]]
    return "".join(kept).strip()[:letters]


def common(names):
    """Return how many folders all names have in common.

    Args:
        names: list of lists of parts; the last part of each is the file.
    """
    if len(names) < 2:
        return 0
    depth = min(len(parts) for parts in names) - 1
    for i in range(depth):
        if len({parts[i] for parts in names}) > 1:
            return i
    return depth


def owner(parts, depth, titles):
    """Return the `Owner` of a file.

    Args:
        parts: of its name: folders and file.
        depth: how many of the folders are common to all files.
        titles: slugs that name the assignment and nobody.
    """
    for part in parts[:-1]:
        found = MOODLE.fullmatch(part)
        if found:
            return Owner(found["name"].strip(), found["id"] or "")
    parts = parts[depth:]
    if len(parts) == 1:
        found = of_system(parts[0])
        if found:
            return found
    stem = COPY.sub("", PurePosixPath(parts[-1]).stem.strip())
    count, copy = 0, COUNTER.search(stem)
    while copy:
        count = max(count, int((copy[1] or "1")[:9]))
        stem = stem[: copy.start()]
        copy = COUNTER.search(stem)
    if len(parts) > 1:
        return Owner(parts[0].strip(), order=(0, count))
    return Owner(person(stem, titles), order=(0, count))


def of_system(file):
    """Return the `Owner` of a file that Canvas or Moodle has named, or None.

    What a student calls a file stands behind what the system calls it.  So
    if it looks like both, the one whose name ends first is the system.

    Args:
        file: its name, without folders.
    """
    found = [m for m in (CANVAS.fullmatch(file), MOODLE.fullmatch(file)) if m]
    if not found:
        return None
    m = min(found, key=lambda m: len(m["name"] or ""))
    if m.re is MOODLE:
        return Owner(m["name"].strip(), m["id"] or "")
    order = (int(m["file"][:18]), 0)
    return Owner(m["name"] or m["id"], m["id"], bool(m["late"]), order)


def person(stem, titles):
    """Return the name of a person in a file's name, "" if there is none."""
    before, dash, after = stem.partition(" - ")
    if dash:
        return (after if is_title(before, titles) else before).strip()
    if is_title(stem, titles):
        return ""
    short = slug(stem)
    for title in titles:
        if short.startswith(f"{title}-"):
            return short.removeprefix(f"{title}-")
        if short.endswith(f"-{title}"):
            return short.removesuffix(f"-{title}")
    return stem.strip()


def is_title(text, titles):
    """Say whether a text names the assignment, or nothing at all."""
    short = slug(text)
    return short in titles or bool(UNTITLED.fullmatch(short))


def keys_of(names):
    """Return keys for students: readable, unique, safe as file names.

    Args:
        names: pairs of name and id, in the order in which students appear.
    """
    found, taken = [], set()
    for name, number in names:
        base = slug(name) or "unnamed"
        base = base if slug(number) in ("", base) else f"{base}-{slug(number)}"
        if base in ("con", "nul", "aux", "prn"):
            base += "-student"
        key, n = base, 1
        while key in taken:
            n += 1
            key = f"{base}-{n}"
        taken.add(key)
        found.append(key)
    return found
