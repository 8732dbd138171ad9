"""Find out whose file it is.

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
  with (1); copied, with *Copy of* in the reader's language (see `copies`).

All else is read as ``student/file.ipynb`` or ``student.ipynb``.
"""

import re
import unicodedata
from dataclasses import dataclass

from attnbook.teaching.copies import QUOTES, original
from attnbook.teaching.names import JOINS
from attnbook.teaching.visible import make_visible

CANVAS = re.compile(
    r"(?:(?!LATE_)(?P<name>.+?)_)?(?P<late>LATE_)?"
    r"(?P<id>\d+|anon_[A-Za-z0-9]+)_(?P<file>\d+)_(?P<rest>.+)"
)
MOODLE = re.compile(
    r"(?P<name>.+?)_(?:(?P<id>\d+)_)?assignsubmission_[a-z]+(?:_(?P<rest>.*))?"
)
UNTITLED = re.compile(
    r"(?:untitled|notebook|main|submission|ohne-titel|sans-titre|sin-título|"
    r"sem-título|senza-titolo|无标题|未命名|無題|без-названия)-?\d*"
)
NO_NAME = re.compile(  # a word beside a title that is not a name
    r"v?\d{1,2}|final|finished|done|solved|solutions?|answers?|homework|hw|"
    r"submission|version|new|latest"
)
AROUND = QUOTES + "_-–—.,;:()[]（）"  # between a person and a title


@dataclass(frozen=True)
class Owner:
    """Whose file it is, as its name says."""

    name: str  # "" if the name does not say
    id: str = ""  # the number of the system, if it has one
    late: bool | None = None  # None: the name does not say
    order: tuple = (0, 0)  # larger is newer, among the files of one student
    sure: bool = True  # False: the name may be other words


def slugify(text):
    """Return a text as a safe, readable file name, "" if nothing is left."""
    text = unicodedata.normalize("NFC", text.casefold())
    text = "".join(c for c in text if c not in JOINS)
    letters = [c if unicodedata.category(c)[0] in "LMN" else " " for c in text]
    words = "".join(letters).split()
    while len("-".join(words).encode()) > 80:
        words = words[:-1] if len(words) > 1 else [words[0][:20]]
    return "-".join(words)


def clean_line(text, letters=100):
    """Return a text on one line, with nothing invisible in it."""
    text = make_visible(text[: 2 * letters])
    kept = [
        c if c.isprintable() or c in "\u200c\u200d" else "\ufffd" for c in text
    ]
    return "".join(kept).strip()[:letters]


def count_common(names):
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


def find_owner(parts, depth, titles):
    """Return the `Owner` of a file.

    Args:
        parts: of its path: folders and file.
        depth: how many of the folders are common to all files.
        titles: slugs of the assignment's own names, which are no person's.
    """
    for part in parts[:-1]:
        found = MOODLE.fullmatch(part)
        if found:
            return Owner(found["name"].strip(), found["id"] or "")
    parts = parts[depth:]
    if len(parts) == 1:
        found = read_system_name(parts[0])
        if found:
            return found
    stem, count = original(parts[-1])
    order = (0, count)
    if len(parts) > 1:
        folder = parts[0].strip()
        named = folder * (not is_title(folder, titles))
        return Owner(named, order=order)
    name, sure = find_person(stem, titles)
    return Owner(name, order=order, sure=sure)


def read_system_name(file):
    """Return the `Owner` of a file that Canvas or Moodle has named, or None.

    The system's words come first, the student's own name of the file last.  So
    if it looks like both systems, the one whose name ends first is right.

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


def find_person(stem, titles):
    """Return the name of a person in a file's name, "" if there is none.

    Args:
        stem: what `copies.original` returns.
        titles: see `find_owner`.

    Returns:
        The name, and whether it is sure to be one: *nakala ya chapter-10* is
        a copy, in a language that `copies` does not know.
    """
    if is_title(stem, titles):
        return "", True
    before, dash, after = stem.partition(" - ")
    if dash and not is_title(before, titles):
        return before.strip(), True
    if dash:
        return find_beside_title(after * (not is_title(after, titles)))
    for title in sorted(titles, key=len, reverse=True):
        words = r"[\W_]*".join(map(re.escape, title.split("-")))
        found = re.search(rf"(?<![^\W_]){words}(?![^\W_])", stem, re.I)
        if found:
            sides = stem[: found.start()], stem[found.end() :]
            names = [x for x in sides if x.strip(AROUND)]
            if len(names) == 1:
                return find_beside_title(names[0])
    return stem.strip(), True


def find_beside_title(text):
    """Return the name beside a title, and whether it is sure to be one.

    Args:
        text: with the signs between them.
    """
    name = text.strip(AROUND)
    words = slugify(name).split("-")
    if is_title(name, ()) or all(map(NO_NAME.fullmatch, words)):
        return "", True
    words = name.split()
    capitals = len(words) > 1 and all(word[0].isupper() for word in words)
    return name, capitals or text.strip(QUOTES) != name


def is_title(text, titles):
    """Say whether a text names the assignment, or nothing but a copy."""
    short = slugify(original(text)[0])
    joined = short.replace("-", "")
    same = any(joined == title.replace("-", "") for title in titles)
    return same or not short or bool(UNTITLED.fullmatch(short))


def make_keys(names):
    """Return keys for students: readable, unique, safe as file names.

    Args:
        names: pairs of name and id, in the order in which students appear.
    """
    found, taken = [], set()
    for name, number in names:
        base = slugify(name) or "unnamed"
        number = slugify(number)
        base = base if number in ("", base) else f"{base}-{number}"
        if base in ("con", "nul", "aux", "prn"):
            base += "-student"
        key, n = base, 1
        while key in taken:
            n += 1
            key = f"{base}-{n}"
        taken.add(key)
        found.append(key)
    return found
