"""A class of twelve, from the assignment to the grades.

`code/experiments/course/graded_class.py` does the same with two hundred.
"""

import csv

import nbformat
import pytest

from attnbook.teaching.assign import assign
from attnbook.teaching.collect import collect
from attnbook.teaching.grade import grade
from attnbook.teaching.sandbox.client import isolation
from simulated_class import Class, flat

locked = pytest.mark.skipif(
    isolation() != "full", reason=f"no isolation: {isolation()}"
)


def files_of(folder):
    paths = (p for p in folder.rglob("*") if p.is_file())
    return {str(p.relative_to(folder)): p.read_bytes() for p in paths}


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("class")
    bundle = assign(folder / "work", chapters=[10], seed="twelve of them")
    released = nbformat.read(folder / "work" / bundle.notebook, 4)
    whole = Class(bundle, released, 12, "canvas")
    whole.write(folder / "class.zip")
    collect(folder / "class.zip", folder / "work")
    grade(folder / "work")
    return folder / "work", whole


@locked
def test_every_grade_is_the_expected_one(graded):
    folder, whole = graded
    table = (folder / "grades/grades.csv").read_text(encoding="utf-8-sig")
    rows = list(csv.DictReader(table.splitlines()))
    assert (
        len({student.kind.split(":")[0] for student in whole.students}) == 10
    )
    assert len(rows) == 12 * len(whole.bundle.tasks)
    assert not list(whole.differences(rows))


@locked
def test_grading_again_changes_nothing(graded):
    folder, _ = graded
    before = files_of(folder)
    run = grade(folder)
    assert run.new == 0 and files_of(folder) == before


@locked
def test_nobody_reads_what_is_held_out_or_of_another(graded):
    folder, whole = graded
    pages = [
        path.read_text(encoding="utf-8")
        for path in (folder / "grades/feedback").glob("*.html")
    ]
    assert len(pages) == len(whole.students)
    for student in whole.students:
        (page,) = [
            p for p in pages if student.name in p or flat(student.name) in p
        ]
        assert "<script" not in page and whole.bundle.seed not in page
        others = [x.name for x in whole.students if x is not student]
        assert not any(name in page or flat(name) in page for name in others)
        typed = "".join(student.sources.values())
        for task in whole.bundle.tasks:
            for value in task.answers.values():
                said = repr(value)
                assert len(said) < 8 or said in typed or said not in page
