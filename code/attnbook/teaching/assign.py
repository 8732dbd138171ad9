"""Make an assignment: what students get, and what the teacher keeps."""

import hashlib
import math
import re
import secrets
from pathlib import Path

from attnbook import __version__
from attnbook.teaching.bundle import Bundle, read_due, write_bundle
from attnbook.teaching.exercises import COURSE, all_exercises
from attnbook.teaching.guide import format_guide
from attnbook.teaching.handouts import (
    first_cells,
    solved,
    stub_of,
    write_notebook,
)
from attnbook.teaching.seeds import derive_key
from attnbook.teaching.tasks import make_tasks


def selected(chapters, ids, course=COURSE):
    """Return the exercises that were asked for, in the course's order.

    Args:
        chapters: numbers; all exercises of these.
        ids: such as "10.4"; these too, or these alone without chapters.
        course: a checkout of the course.

    Raises:
        ValueError: nothing was asked for, or what does not exist.
    """
    known = all_exercises(course)
    numbers = {int(e.id.split(".")[0]) for e in known}
    lost = [str(c) for c in chapters if c not in numbers]
    lost += sorted(set(ids) - {e.id for e in known})
    if lost or not (chapters or ids):
        raise ValueError(
            f"expected chapters out of 0 to {max(numbers)} or exercises such "
            f"as 10.4, got {', '.join(lost) or 'none'}"
        )
    return [
        e for e in known
        if e.id in ids or int(e.id.split(".")[0]) in chapters
    ]  # fmt: skip


def assign(
    out, chapters=(), ids=(), seed=None, title=None, due=None, points=None,
    course=COURSE,
):  # fmt: skip
    """Write an assignment into a folder.

    Args:
        out: the folder, which must not exist, or be empty.
        chapters: numbers of chapters.
        ids: of single exercises.
        seed: a str; drawn, if None.
        title: of the assignment; made of what it holds, if None.
        due: ISO 8601, as "2027-03-01T23:59"; local time without an offset.
        points: id -> points, for those that differ from the course's.
        course: a checkout of the course.

    Returns:
        The `Bundle`.

    Raises:
        ValueError: bad input, or a folder that holds something.
    """
    out, points = Path(out), dict(points or {})
    if out.exists() and any(out.iterdir()):
        raise ValueError(f"expected an empty folder or a new one, got {out}")
    exercises = selected(chapters, ids, course)
    check_points(points, exercises)
    seed = secrets.token_hex(8) if seed is None else str(seed)
    site = read_site(course)
    every = [
        one
        for e in exercises
        for one in make_tasks(e, derive_key(seed), points.get(e.id), site)
    ]
    tasks = tuple(one.task for one in every)
    title = title or title_of(chapters, exercises)
    bundle = Bundle(
        assignment=f"{slug(title)}-{mark_of(tasks, derive_key(seed))}",
        title=title,
        due=read_due(due),
        seed=seed,
        version=__version__,
        notebook=f"student/{slug(title)}.ipynb",
        tasks=tasks,
    )
    write_all(out, bundle, every, first_cells(bundle, exercises, course))
    return bundle


def read_site(course=COURSE):
    """Return the address of the book: html.baseurl in _config.yml.

    Args:
        course: a checkout of the course.

    Raises:
        ValueError: the configuration names no address.
    """
    config = (course / "_config.yml").read_text(encoding="utf-8")
    found = re.search(
        r"^  baseurl: *(https?://\S+?)/?\s", config, re.MULTILINE
    )
    if not found:
        raise ValueError(
            f"expected html.baseurl: https://... in {course}/_config.yml, "
            "got none"
        )
    return found[1]


def write_all(out, bundle, every, head):
    """Write what students get, and what the teacher keeps.

    Args:
        out: the folder.
        bundle: the `Bundle`.
        every: all `Made`.
        head: kind and source of the cells above the tasks.
    """
    for folder in ("student", "teacher"):
        (out / folder).mkdir(parents=True, exist_ok=True)
    solutions = out / "teacher/solutions.ipynb"
    write_notebook(out / bundle.notebook, bundle, head, every, stub_of)
    write_notebook(solutions, bundle, head, every, solved)
    guide = format_guide(bundle, every)
    (out / "teacher/marking.md").write_text(guide, encoding="utf-8")
    write_bundle(bundle, out)


def mark_of(tasks, key):
    """Return eight letters that tell assignments apart.

    Args:
        tasks: all `Task`.
        key: bytes, of the seed.
    """
    text = repr(tasks).encode()
    return hashlib.blake2b(text, key=key, digest_size=4).hexdigest()


def check_points(points, exercises):
    """Refuse points of what is not assigned, or that are none.

    Args:
        points: id -> points.
        exercises: what is assigned.

    Raises:
        ValueError: such points.
    """
    for id, number in points.items():
        right = 0 < number < math.inf
        if id not in {e.id for e in exercises} or not right:
            raise ValueError(
                "expected a finite number of points above 0 of an exercise "
                f"that is assigned, got {id}={number}"
            )


def title_of(chapters, exercises):
    """Return a title that says what is assigned.

    Args:
        chapters: those of which every exercise is assigned.
        exercises: all that are.
    """
    numbers = [e.id for e in exercises]
    whole = {int(x.split(".")[0]) for x in numbers} == set(chapters)
    if not whole:
        several = "s" if len(numbers) > 1 else ""
        return f"Exercise{several} {', '.join(numbers)}"
    word = "Chapter" if len(chapters) == 1 else "Chapters"
    return f"{word} {', '.join(map(str, sorted(chapters)))}"


def slug(title):
    """Return a title as a file name."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:60] or "work"
