"""Grading a class: what an answer gets, and how a run goes on."""

import contextlib
import json
import time
import zipfile
from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch

from attnbook import checks
from attnbook.checks.engine.verdict import (
    NOT_ANSWERED,
    Hint,
    Mistake,
    Verdict,
)
from attnbook.teaching import judges, judging
from attnbook.teaching.bundle import Bundle, Task, write_bundle
from attnbook.teaching.forms import judged as is_right
from attnbook.teaching.grade import grade
from attnbook.teaching.judges import judge_answers
from attnbook.teaching.judging import judge
from attnbook.teaching.results import Store, lock_folder, result
from fake_grader import Make


def task(number="10.5", form="function", **more):
    return Task(
        **{"id": number, "title": "T", "kind": "code", "points": 4,
           "minutes": 5, "form": form, "name": "f", "stub": "...",
           "check": "f", "partial": 0.5} | more,
    )  # fmt: skip


def verdict(mistake):
    if mistake is None:
        return lambda answer: Verdict("f", "right")
    said = str(mistake), mistake.said.outline
    return lambda answer: Verdict("f", mistake.status, *said)


def grader(public=None, hidden=None, died="", complaints=(), works=None):
    """Return a grader whose checks say what they are told to."""

    @contextlib.contextmanager
    def opened(source, name):
        def answer():
            """Stand in for a function."""

        answer.died = died
        yield answer

    return SimpleNamespace(
        open_answer=opened,
        find_complaints=lambda source, names: [*complaints],
        checks=lambda task: (verdict(public), verdict(hidden)),
        works=works or (lambda task, program: False),
    )


ENTRY = {"source": "def f(): ...", "name": "f", "notes": []}
KNOWN = "you ignore the mask"  # of masked_attention
GIVEN = "right for small scores, but not for scores of several hundred: "
WRONG = Mistake(KNOWN)


def said(**how):
    found = judge(task(), ENTRY, grader(**how))
    return found.status, found.points, found.comment


def test_a_right_function_gets_all_points():
    assert said() == ("right", 4, "right")


def test_the_hint_of_the_public_check_is_shown_in_full():
    hint = Mistake("{}, {}", Hint(KNOWN), 0.25)
    assert said(public=hint, hidden=WRONG) == ("wrong", 0, f"{KNOWN}, 0.25")
    later = hint.behind(Hint("right for {}, but not for more: ", (2, 3)))
    whole = f"right for (2, 3), but not for more: {KNOWN}, 0.25"
    assert said(public=later, hidden=later) == ("partly", 2, whole)


def test_of_the_held_out_hint_no_detail_is_shown():
    hint = WRONG.behind(Hint("right for (B, T) = {}, but not for {}: ", 7, 9))
    lead = "right for (B, T) = ..., but not for ...: "
    comment = f"{judging.ELSEWHERE}: {lead}{KNOWN}"
    assert said(hidden=hint) == ("partly", 2, comment)
    secret = Mistake("the context must have the axes {}, here {}", "B", (7, 9))
    comment = f"{judging.ELSEWHERE}: the context must have the axes ..., here "
    assert said(hidden=secret) == ("wrong", 0, f"{comment}...")
    hint = secret.behind(GIVEN, partly=False)
    assert said(hidden=hint)[:2] == ("wrong", 0)
    error = Mistake("your function raised an error: {}", 0.25, kind="error")
    comment = said(hidden=error)[2]
    assert (
        comment == f"{judging.ELSEWHERE}: your function raised an error: ..."
    )


def test_a_function_that_knows_the_public_inputs_gets_nothing():
    assert said(hidden=WRONG)[:2] == ("wrong", 0)


def test_other_ends_of_a_function():
    empty = Mistake(NOT_ANSWERED, kind="blank")
    assert said(public=empty, hidden=WRONG)[:2] == ("blank", 0)
    comment = "your function was stopped: ran out of time"
    assert said(died="ran out of time") == ("stopped", 0, comment)
    comment = "not graded: it imports os"
    assert said(complaints=["it imports os"]) == ("refused", 0, comment)
    late = Mistake("it does not end", kind="late")
    assert (
        said(hidden=late)[0] == said(public=late, hidden=WRONG)[0] == "stopped"
    )
    lost = Mistake("could not be judged: {}", "X", kind="unjudged")
    found = judge(task(), ENTRY, grader(hidden=lost))
    assert found.status == "wrong" and found.look
    assert judge(task(), None, None).status == "missing"
    assert judge(task(), ENTRY | {"blank": True}, None).status == "blank"
    found = judge(task(), ENTRY | {"error": "cannot be read: x"}, None)
    assert (found.status, found.comment) == ("wrong", "cannot be read: x")


def test_a_real_check_says_the_same_where_it_has_no_details():
    def unmasked(q, k, v, mask):
        weights = (q @ k.mT / q.size(-1) ** 0.5).softmax(-1)
        return weights @ v, weights

    public = checks.check_masked_attention

    @contextlib.contextmanager
    def opened(source, name):
        def answer(*inputs):
            return unmasked(*inputs)

        answer.died = ""
        yield answer

    own = grader()
    own.checks = lambda x: (verdict(None), public)
    own.open_answer = opened
    found = judge(task(), ENTRY, own)
    assert found.comment == f"{judging.ELSEWHERE}: {KNOWN}"


ANSWERS = {"a": 3, "b": 0.25, "c": [[1, 2], [True, "x"]], "d": "yes"}


def values(given, **more):
    entry = {"source": given} if isinstance(given, str) else {"value": given}
    form = {"answers": ANSWERS, "tolerance": 0.01} | more
    found = judge(task(form="values", **form), entry, None)
    return found.status, found.points, found.comment


def test_values_count_part_by_part():
    right = {"a": 3, "b": 0.259, "c": ((1, 2), (True, "x")), "d": " yes "}
    assert values(right) == ("right", 4, "right")
    assert values(repr(right)) == ("right", 4, "right")
    wrong = right | {"a": 4, "c": [[1, 2], [1, "x"]]}
    assert values(wrong) == ("partly", 2, "right: b, d; wrong: a, c")
    some = {"a": 3, "b": None}
    said = "right: a; not answered: b, c, d"
    assert values(some) == ("partly", 1, said)
    assert values({"a": 1})[:2] == ("wrong", 0)
    assert "0.25" not in values({"b": 7})[2]


@pytest.mark.parametrize(
    "given",
    ["(2, 1, 3)", "[2, 1, 3]", "2 x 1 x 3", "2×1×3", "torch.Size([2, 1, 3])",
     " Size([2,1,3]) ", "2, 1, 3"],
)  # fmt: skip
def test_a_shape_may_be_a_text(given):
    assert is_right(given, [2, 1, 3]) and is_right([given], [[2, 1, 3]])
    assert not is_right(given, [2, 1, 4]) and not is_right(given, 213)
    assert not is_right("a 2 x 1", [2, 1]) and not is_right("9" * 9999, [9])


def test_a_part_that_cannot_be_read_is_not_said_to_be_empty():
    entry = {"value": {"a": None, "b": 0.25}, "unread": ["a"]}
    form = {"answers": {"a": 3, "b": 0.25, "c": 1}}
    found = judge(task(form="values", **form), entry, None)
    said = "could not be judged; your teacher looks at it"
    assert found.comment == f"right: b; not answered: c; a: {said}"
    assert found.look.endswith("part a; the others give 1.33 points")
    entry = {"value": {"a": None}, "unread": ["a"]}
    found = judge(task(form="values", **form), entry, None)
    said = f"not answered: b, c; a: {said}"
    assert (found.status, found.comment) == ("by hand", said)
    assert found.points is None and found.look


def test_what_is_not_read_as_a_whole_is_left_open_and_never_wrong():
    entry = {"look": "b is not read, in cell 3", "source": "x"}
    left = ("by hand", None, "could not be judged; your teacher looks at it")
    for form in ("values", "order", "text", "function"):
        found = judge(task(form=form), entry, None)
        assert (found.status, found.points, found.comment) == left
        assert not found.note
    entry |= {"value": {"a": 3, "b": None}, "unread": ["b"]}
    form = {"answers": {"a": 3, "b": 0.25, "c": 1}}
    found = judge(task(form="values", **form), entry, None)
    assert (found.status, found.points, found.comment) == left
    said = f"right: a; not answered: c; b: {left[2]}"
    assert found.note == f"as far as it can be read, {said}"


@pytest.mark.parametrize("given", [None, {}, {"a": None, "b": "..."}, "..."])
def test_blank_values(given):
    assert values(given)[0] == "blank"


@pytest.mark.parametrize(
    "given", ["__import__('os')", "(" * 5000, "3", "[1]", "{[]: 1}", "a ="]
)
def test_values_that_are_none(given):
    said = "could not be judged; your teacher looks at it"
    assert values(given) == ("by hand", None, said)


def test_numbers_are_compared_as_numbers():
    assert is_right(3.0, 3, 0) and not is_right(True, 1, 0)
    assert not is_right(1, True, 0) and is_right(1, 1.0, 0)
    for none in (float("nan"), float("inf"), 10**400, "thirty", None, [3, 4]):
        assert not is_right(none, 3.0, 0.01)
        assert not is_right(none, 3, 0.01)


def test_words_are_compared_without_their_case():
    assert is_right("Yes ", "yes") and is_right(["B", "b"], ["b", "B"])
    assert not is_right("no", "yes") and not is_right(None, "none")


ONE = "a shape, [2, 1, 3, 3]"
PAIRS = "pairs [sentence, row], both counted from 0, in order"
PLACES = "two numbers, [smaller, larger]; count from 1"
MORE = '"animal", "street" or "same"'


@pytest.mark.parametrize(
    "given, right, form, verdict",
    [
        ("40", 40, "", True),
        (" 40. ", 40, "", True),
        ("$40$", 40, "", True),
        ("= 40", 40, "", True),
        ([40], 40, "", True),
        ({"d": "40"}, 40, "", True),
        (40.0, 40, "", True),
        ("41", 40, "", False),
        ("forty", 40, "", None),
        ("40 or 41", 40, "", None),
        ([4, 0], 40, "", None),
        (True, 1, "", None),
        ("1,5", 1.5, "", True),
        ("1,234", 1.234, "", True),
        ("1,234", 1234, "", True),
        ("1,234", 12.34, "", False),
        ("50 %", 0.5, "", True),
        ("0.5 %", 0.5, "", False),
        ("1/3", 1 / 3, "", True),
        ("1/0", 1.0, "", None),
        ("≈ 0,27", 0.268, "", True),
        ("−0.5", -0.5, "", True),
        ("1e-3", 0.001, "", True),
        ("sqrt(3)", 1.73, "", None),
        ("(b)", "b", "", True),
        ("b)", "b", "", True),
        (" B ", "b", "", True),
        ("row b", "b", "", True),
        ("Row (A)", "a", "", True),
        (["b"], "b", "", True),
        ("row c", "b", "", False),
        ("a and b", "b", "", None),
        (2, "b", "", None),
        ("ｂ", "b", "", True),
        ("а", "a", "", None),  # a Cyrillic letter
        ("０．６７，０．０９、０．２４", [0.67, 0.09, 0.24], "", True),
        ("10²", 102, "", None),
        ("No, none.", "no", "", True),
        (False, "no", "", True),
        ("Y", "yes", "", True),
        ("yes", "no", "", False),
        ("yes and no", "no", "", None),
        ("not at all", "no", "", None),
        ("*same*", "same", MORE, True),
        ("street", "same", MORE, False),
        ("equal", "same", MORE, None),
        (["0.73", "0", "0.27"], [0.73, 0.0, 0.27], "", True),
        (("0,73", 0, "27 %"), [0.73, 0.0, 0.27], "", True),
        ("0.67, 0.09, 0.24", [0.67, 0.09, 0.24], "", True),
        ("0,67, 0,09, 0,24", [0.67, 0.09, 0.24], "", True),
        ("0,67; 0,09; 0,24", [0.67, 0.09, 0.24], "", True),
        ("(0.67 0.09 0.24)", [0.67, 0.09, 0.24], "", True),
        ("0.67, 0.09 and 0.24", [0.67, 0.09, 0.24], "", True),
        ("0.67 | 0.09 | 0.24", [0.67, 0.09, 0.24], "", True),
        ("67 %, 9 %, 24 %", [0.67, 0.09, 0.24], "", True),
        ("tensor([0.67, 0.09, 0.24])", [0.67, 0.09, 0.24], "", True),
        (["0.67, 0.09, 0.24"], [0.67, 0.09, 0.24], "", True),
        ({0: 0.67, 1: 0.09, 2: 0.24}, [0.67, 0.09, 0.24], "", True),
        ({0: 0.67, 1: 0.24, 2: 0.09}, [0.67, 0.09, 0.24], "", None),
        ("0.09, 0.67, 0.24", [0.67, 0.09, 0.24], "", False),
        ([0.67, 0.33], [0.67, 0.09, 0.24], "", False),
        ([0.67, "a tenth", 0.24], [0.67, 0.09, 0.24], "", None),
        ([0.5, "a tenth", 0.24], [0.67, 0.09, 0.24], "", False),
        ([0.67, None, 0.24], [0.67, 0.09, 0.24], "", False),
        ("two thirds and the rest", [0.67, 0.33], "", None),
        (0.67, [0.67, 0.33], "", None),
        ([[2, 1, 3, 3]], [2, 1, 3, 3], ONE, True),
        (["2", 1, 3, 3], [2, 1, 3, 3], ONE, True),
        ([[2, 1], [1, 5]], [[2, 1], [1, 5]], "", True),
        ([2, 1, 1, 5], [[2, 1], [1, 5]], "", True),
        ([2, 1, 1, 6], [[2, 1], [1, 5]], "", None),
        ([[2, 1, 1], [5]], [[2, 1], [1, 5]], "", False),
        ("(2, 1) and (1, 5)", [[2, 1], [1, 5]], "", True),
        ("torch.Size([2, 1]), torch.Size([1, 5])", [[2, 1], [1, 5]], "", True),
        (["2 x 1", "(1, 5)"], [[2, 1], [1, 5]], "", True),
        ([1, 3], [[1, 3]], PAIRS, True),
        ([[1, 3], [0, 2]], [[0, 2], [1, 3]], PAIRS, True),
        ([[3, 1], [0, 2]], [[0, 2], [1, 3]], PAIRS, False),
        ([0, 3, 1, 2], [[0, 2], [1, 3]], PAIRS, None),
        ("3, 1", [1, 3], PLACES, True),
        ([3, 2], [1, 3], PLACES, False),
        ("9" * 9999, [9], "", None),
        ("((" * 200, [1, 2], "", None),
    ],
)
def test_values_are_read_as_people_write_them(given, right, form, verdict):
    assert is_right(given, right, 0.011, form) is verdict
    assert is_right(right, right, 0.011, form) is True


@pytest.mark.parametrize(
    "given, result",
    [
        ({"(A)": "1", "b_shape": 2, "part b true": 3}, ("right", 4)),
        ({"a": 1, "b": {"shape": 2, "True": 3}}, ("right", 4)),
        ({"a": 1, "b shape": 2, "b True": 3, "c": 4}, ("right", 4)),
        ([1, "2", 3], ("right", 4)),
        ([1, 2, 4], ("by hand", None)),  # in this order, who knows
        ({"a": 1, "b shape": 2, "b": 3}, ("by hand", None)),
        ({"x": 1, "y": 2, "z": 3}, ("by hand", None)),
        ({"a": 1, "b shape": 5}, ("partly", 1.33)),
        ({"x": None, "y": ""}, ("blank", 0)),
        ("1, 2, 3", ("right", 4)),
        ("'1, 2, 3'", ("by hand", None)),
    ],
)
def test_parts_are_found_under_the_names_that_people_give_them(given, result):
    parts = {"a": 1, "b shape": 2, "b True": 3}
    assert values(given, answers=parts)[:2] == result


def test_the_cell_of_the_student_says_which_words_there_are_to_choose():
    stub = f'answer = {{\n    "more": ...,  # {MORE}\n}}'
    form = {"answers": {"more": "same"}, "stub": stub}
    for word, status in (("equal", "by hand"), ("animal", "wrong")):
        assert values({"more": word}, **form)[0] == status


def order(given, works=None):
    lines = {"A": "x = 1", "B": "y = x", "C": "z = y"}
    asked = task(form="order", order=("B", "A", "C"), lines=lines)
    found = judge(asked, {"source": given}, grader(works=works))
    return found.status, found.points


def test_orders():
    for given in ('"B A C"', '"bac"', "['B', 'A', 'C']", '"B, A, C"'):
        assert order(given) == ("right", 4)
    assert order('"A B C"') == ("wrong", 0)
    works = {"x = 1\ny = x\nz = y"}
    assert order('"A B C"', lambda task, x: x in works) == ("right", 4)
    assert order('"A B X"', lambda task, x: True) == ("wrong", 0)
    assert order('"Ｂ，Ａ，Ｃ"') == ("right", 4)
    assert order('"В А С"') == ("by hand", None)  # Cyrillic letters
    for odd in ('"first y = x, then x = 1"', '"2 1 3"', "{1: 'y = x'}"):
        assert order(odd) == ("by hand", None)
    for given in ("('B', 'A', 'C')", '"B -> A -> C"', '"(b) (a) (c)"'):
        assert order(given) == ("right", 4)
    assert order('""') == order('"..."') == ("blank", 0)


def test_texts_wait_for_the_teacher():
    found = judge(task(form="text"), {"source": "Because."}, None)
    assert (found.status, found.points) == ("by hand", None)
    found = judge(task(form="text"), {"source": " "}, None)
    assert (found.status, found.points) == ("blank", 0)


BUNDLE = Bundle(
    assignment="chapter-10-7f3a21c4", title="Chapter 10", due=None,
    seed="2027", version="0.1.0", notebook="student/x.ipynb",
    tasks=(task(), task("10.8", "text", page="https://book/10.8")),
)  # fmt: skip


def student(key, source, **more):
    answers = {
        "10.5": ENTRY | {"source": source},
        "10.8": {"source": f"I am {key}.", "name": "text", "notes": []},
    }
    return {
        "student": key, "name": key.title(), "files": [f"{key}.ipynb"],
        "late": False, "notes": [], "problem": "", "answers": answers,
    } | more  # fmt: skip


CLASS = [
    student("ada", ""),
    student("bob", "wrong", late=True, notes=["two files"]),
    student("cleo", "die"),
    student("dan", "fail"),
    student("eve", "", answers={}, problem="not JSON"),
    student("fay", "", answers={}),
]


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "work"
    (folder / "collected").mkdir(parents=True)
    write_bundle(BUNDLE, folder)
    collect(folder, CLASS)
    return folder


def collect(folder, students):
    content = {"assignment": BUNDLE.assignment, "students": students}
    path = folder / "collected/collected.json"
    path.write_text(json.dumps(content))


def files_of(folder):
    grades = folder / "grades"
    return {x: (x.read_bytes(), x.stat().st_mtime_ns)
            for x in grades.rglob("*") if x.is_file()}  # fmt: skip


def seen(tmp_path):
    marks = tmp_path / "marks"
    found = sorted(x.read_text() for x in marks.iterdir())
    for x in marks.iterdir():
        x.unlink()
    return found


def test_a_class_is_graded_once_and_goes_on_from_there(folder, tmp_path):
    (tmp_path / "marks").mkdir()
    make = Make(tmp_path / "marks")
    run = grade(folder, make_grader=make)
    assert run.new == run.answers == 8
    lines = (folder / "grades/grades.csv").read_text("utf-8-sig").splitlines()
    start = [line.split(",")[:6] for line in lines]
    assert start[1:] == [
        ["ada", "Ada", "Exercise 10.5", "4", "4", "right"],
        ["ada", "Ada", "Exercise 10.8", "", "4", "by hand"],
        ["bob", "Bob", "Exercise 10.5", "0", "4", "wrong"],
        ["bob", "Bob", "Exercise 10.8", "", "4", "by hand"],
        ["cleo", "Cleo", "Exercise 10.5", "", "4", "by hand"],
        ["cleo", "Cleo", "Exercise 10.8", "", "4", "by hand"],
        ["dan", "Dan", "Exercise 10.5", "", "4", "by hand"],
        ["dan", "Dan", "Exercise 10.8", "", "4", "by hand"],
        ["eve", "Eve", "Exercise 10.5", "", "4", "missing"],
        ["eve", "Eve", "Exercise 10.8", "", "4", "missing"],
        ["fay", "Fay", "Exercise 10.5", "0", "4", "missing"],
        ["fay", "Fay", "Exercise 10.8", "0", "4", "missing"],
    ]
    assert "late; two files" in lines[3] and "not JSON" in lines[9]
    assert "look at it: its judge ended" in lines[5]
    assert "RuntimeError: oh" in lines[7]
    assert {*seen(tmp_path)} == {"", "die", "fail", "wrong"} | {
        f"I am {x}." for x in ("ada", "bob", "cleo", "dan")
    }
    again_nothing_changes(folder, tmp_path, make)
    a_changed_answer_alone_is_judged(folder, tmp_path, make)


def again_nothing_changes(folder, tmp_path, make):
    before = files_of(folder)
    run = grade(folder, make_grader=make)
    assert seen(tmp_path) == [] and run.changed == [] and run.new == 0
    assert files_of(folder) == before


def a_changed_answer_alone_is_judged(folder, tmp_path, make):
    collect(folder, [CLASS[0], student("bob", "")])
    run = grade(folder, make_grader=make)
    assert seen(tmp_path) == [""] and run.new == 1
    text = (folder / "grades/grades.csv").read_text("utf-8-sig")
    assert "bob,Bob,Exercise 10.5,4,4,right" in text and "cleo" not in text


def test_typed_marks_outlive_another_run(folder, tmp_path):
    (tmp_path / "marks").mkdir()
    make = Make(tmp_path / "marks")
    collect(folder, CLASS[:1])
    grade(folder, make_grader=make)
    path = folder / "grades/grades.csv"
    text = path.read_text("utf-8-sig")
    path.write_text(text.replace("Exercise 10.8,,4", "Exercise 10.8,7,4"))
    with pytest.raises(ValueError, match="line 3: expected points from 0"):
        grade(folder, make_grader=make)
    path.write_text(text.replace("Exercise 10.8,,4", "Exercise 10.8,3,4"))
    run = grade(folder, make_grader=make)
    assert "feedback/ada.html" in run.changed
    page = (folder / "grades/feedback/ada.html").read_text()
    assert "7 of 8 points" in page and 'href="https://book/10.8"' in page
    sums = (folder / "grades/totals.csv").read_text("utf-8-sig")
    assert sums.splitlines() == [
        "student,name,points,maximum",
        "ada,Ada,7,8",
    ]
    assert grade(folder, make_grader=make).changed == []


def table(folder, name):
    return (folder / "grades" / name).read_text("utf-8-sig")


def test_a_student_who_leaves_is_taken_out_and_stays_out(
    folder, tmp_path, capsys
):
    make = Make(tmp_path)
    collect(folder, CLASS[:2])
    grade(folder, make_grader=make)
    path = folder / "grades/grades.csv"
    path.write_text(table(folder, "grades.csv").replace("10.8,,4", "10.8,3,4"))
    collect(folder, CLASS[1:2])  # ada's file is gone, her typed mark is not
    with pytest.raises(ValueError, match="got ada 10.8; .* --withdraw ada"):
        grade(folder, make_grader=make)
    assert "ada" in table(folder, "grades.csv")
    with pytest.raises(ValueError, match="in its first column, got zoe"):
        grade(folder, make_grader=make, leaving=["ada", "zoe"])
    capsys.readouterr()
    grade(folder, make_grader=make, leaving=["ada"])
    assert "withdrawn.csv" in capsys.readouterr().out
    assert "ada,Ada,Exercise 10.8,3,4" in table(folder, "withdrawn.csv")
    assert "ada" not in table(folder, "grades.csv") + table(
        folder, "totals.csv"
    )
    assert "bob,Bob,Exercise 10.8,3,4" in table(folder, "grades.csv")
    assert not (folder / "grades/feedback/ada.html").exists()
    collect(folder, CLASS[:2])  # a download still has her file
    for _ in range(2):
        run = grade(folder, make_grader=make, leaving=["ada"])
        assert [x["student"] for x in run.students] == ["bob"]
        assert table(folder, "withdrawn.csv").count("ada") == 2
    (folder / "grades/withdrawn.csv").unlink()
    grade(folder, make_grader=make)
    assert "ada,Ada,Exercise 10.8,,4" in table(folder, "grades.csv")


def test_a_student_without_a_file_is_named(folder, tmp_path, capsys):
    make = Make(tmp_path)
    collect(folder, CLASS[:2])
    grade(folder, make_grader=make)
    collect(folder, CLASS[1:2])
    for count in (1, 0):
        capsys.readouterr()
        grade(folder, make_grader=make)
        said = "ada: has no file any more, and is taken out of the table"
        assert capsys.readouterr().out.count(said) == count


def test_a_file_that_cannot_be_read_gets_no_zero(folder, tmp_path, capsys):
    collect(folder, [CLASS[4]])
    sheet = tmp_path / "worksheet.csv"
    sheet.write_text("Identifier,Full name,Grade\nParticipant 7,Eve,3\n")
    grade(folder, make_grader=Make(tmp_path), moodle=sheet)
    said = capsys.readouterr().out
    assert "Eve (eve): not JSON; points are left empty" in said
    assert "Eve (eve): not all is marked" in said and "to mark" not in said
    text = (folder / "grades/totals.csv").read_text("utf-8-sig")
    assert "eve,Eve,,8" in text
    page = (folder / "grades/feedback/eve.html").read_text()
    assert page.count("not JSON") == 1 and "in again" in page
    path = folder / "grades/grades.csv"
    path.write_text(path.read_text("utf-8-sig").replace(",,4", ",0,4"))
    grade(folder, make_grader=Make(tmp_path))
    assert "left empty" not in capsys.readouterr().out


def test_a_typed_mark_of_an_answer_that_has_changed_is_named(
    folder, tmp_path, capsys
):
    collect(folder, CLASS[:1])
    make = Make(tmp_path)
    grade(folder, make_grader=make)
    path = folder / "grades/grades.csv"
    path.write_text(path.read_text("utf-8-sig").replace(",,4", ",3,4"))
    new = student("ada", "")
    new["answers"]["10.8"]["source"] = "I was wrong."
    for students, count in ((CLASS[:1], 0), ([new], 1), ([new], 1)):
        collect(folder, students)
        capsys.readouterr()
        grade(folder, make_grader=make)
        page = (folder / "grades/report.html").read_text()
        said = "the answer has changed since its mark was typed"
        line = f"Ada (ada), 10.8: look at it: {said}"
        assert capsys.readouterr().out.count(line) == count
        assert page.count(f"10.8: {said}") == count


def test_moodle_is_given_marks_and_pages(folder, tmp_path):
    (tmp_path / "marks").mkdir()
    make = Make(tmp_path / "marks")
    eve = student("eve", "", answers={}, id="7")
    collect(folder, [*CLASS[:1], eve])
    sheet = tmp_path / "worksheet.csv"
    sheet.write_text(
        "Identifier,Full name,Grade\nParticipant 7,Eve,\nParticipant 8,Ada,\n"
    )
    grade(folder, make_grader=make, moodle=sheet)
    pages = zipfile.ZipFile(folder / "grades/moodle-feedback.zip")
    name = "eve_7_assignsubmission_file/feedback.html"  # Ada is not marked
    assert pages.namelist() == [name]
    page = (folder / "grades/feedback/eve.html").read_bytes()
    assert pages.read(name) == page
    assert grade(folder, make_grader=make, moodle=sheet).changed == []
    collect(folder, CLASS[:1])
    mine = folder / "grades/moodle-worksheet.csv"
    mine.write_bytes(sheet.read_bytes())
    said = " ".join(grade(folder, make_grader=make).problems)
    for name in ("moodle.csv", "moodle-feedback.zip"):  # of older marks
        assert f"{name} was of an earlier run" in said
        assert not (folder / "grades" / name).exists()
    assert mine.exists()
    assert not (folder / "grades/feedback/eve.html").exists()


@pytest.mark.parametrize("lms", ["canvas", "moodle"])
def test_a_file_that_cannot_be_filled_is_refused_first(folder, tmp_path, lms):
    make = Make(tmp_path / "none")
    path = tmp_path / "export.csv"
    with pytest.raises(ValueError, match="export.csv, got: No such file"):
        grade(folder, make_grader=make, **{lms: path})
    path.write_text("a,b\n")
    with pytest.raises(ValueError, match="expected the columns"):
        grade(folder, make_grader=make, **{lms: path})
    assert not (folder / "grades").exists()


def test_a_run_that_is_stopped_goes_on(folder, tmp_path, monkeypatch):
    (tmp_path / "marks").mkdir()
    make = Make(tmp_path / "marks")
    collect(folder, CLASS[:2])
    put = Store.put

    def stop(self, *arguments):
        put(self, *arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr(Store, "put", stop)
    with pytest.raises(KeyboardInterrupt):
        grade(folder, workers=1, make_grader=make)
    monkeypatch.undo()
    assert not (folder / "grades/grades.csv").exists()
    run = grade(folder, workers=1, make_grader=make)
    assert (run.answers, run.new) == (4, 3)


def test_a_folder_that_cannot_be_graded(folder, tmp_path):
    with pytest.raises(ValueError, match="no namespaces here"):
        grade(folder, make_grader=Make(None))
    collect(folder, [student("../../x", "")])
    with pytest.raises(ValueError, match="keys that name a file"):
        grade(folder, make_grader=Make(None))
    write_bundle(replace(BUNDLE, assignment="chapter-10-other"), folder)
    with pytest.raises(ValueError, match="got chapter-10-7f3a21c4"):
        grade(folder, make_grader=Make(None))
    (folder / "collected/collected.json").unlink()
    with pytest.raises(ValueError, match="run attnbook collect"):
        grade(folder, make_grader=Make(None))


def test_no_more_judges_than_answers(tmp_path):
    jobs = [("ada", task(form="text"), {"source": "x"})]
    (found,) = judge_answers(jobs, Make(tmp_path), workers=5)
    assert found[1].status == "by hand"
    assert len({x.name.split("-")[1] for x in tmp_path.iterdir()}) == 1


def test_a_judge_that_takes_too_long_costs_one_answer(tmp_path, monkeypatch):
    jobs = [(x, task(), {"source": x}) for x in ("sleep", "")]
    monkeypatch.setattr(judges, "SECONDS", 3)
    start = time.monotonic()
    found = {job[0]: (out, why) for job, out, why in
             judge_answers(jobs, Make(tmp_path), workers=1)}  # fmt: skip
    assert found["sleep"] == (
        None,
        "its judge did not answer within 300 seconds",
    )
    assert found[""][0].status == "right"
    assert time.monotonic() - start < 30


def test_a_judge_that_eats_memory_costs_one_answer(tmp_path):
    jobs = [(x, task(), {"source": x}) for x in ("eat", "")]
    found = {job[0]: (out, why) for job, out, why in
             judge_answers(jobs, Make(tmp_path), workers=1)}  # fmt: skip
    assert found["eat"][0] is None and "MemoryError" in found["eat"][1]
    assert found[""][0].status == "right"


def test_a_judge_that_had_others_before_blames_no_answer(tmp_path):
    jobs = [(x, task(), {"source": x}) for x in ("", "tired", "exit", "wrong")]
    found = {job[0]: (out and out.status, why) for job, out, why in
             judge_answers(jobs, Make(tmp_path), workers=1)}  # fmt: skip
    assert found == {
        "": ("right", ""),
        "tired": ("right", ""),
        "exit": (None, "SystemExit: 3"),
        "wrong": ("wrong", ""),
    }


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (RecursionError(), "is nested too deeply to be read"),
        (MemoryError(), "is nested too deeply to be read"),
        (ValueError("null bytes"), "cannot be read: ValueError: null bytes"),
        (None, "takes more than 0.1 seconds to be read"),
    ],
)
def test_a_source_that_cannot_be_looked_through_is_its_own_loss(
    monkeypatch, error, said
):
    monkeypatch.setattr(judging, "READING", 0.1)

    def complaints(source, names):
        if error:
            raise error
        time.sleep(60)

    own = grader()
    own.find_complaints = complaints
    found = judge(task(), ENTRY, own)
    assert (found.status, found.comment) == ("refused", f"not graded: {said}")


def test_an_answer_of_a_newer_python_waits_for_the_teacher():
    error = "cannot be read: needs Python 3.14 or newer (a t-string); "
    entry = ENTRY | {"error": error + "Python 3.11 grades"}
    found = judge(task(), entry, None)
    assert (found.status, found.points) == ("by hand", None)
    assert found.look == entry["error"]


def test_a_comment_fits_into_the_cell_of_a_table():
    many = [f"uses __a{i}__, which no task needs" for i in range(9000)]
    found = judge(task(), ENTRY, grader(complaints=many))
    assert all(len(x) < 2100 for x in (found.comment, found.mistake))
    assert len(said(public=Mistake("x" * 10**6), hidden=WRONG)[2]) < 2100


def test_two_runs_at_once_are_refused(folder, tmp_path):
    refused = pytest.raises(ValueError, match="expected no other process")
    with lock_folder(folder), refused:
        grade(folder, make_grader=Make(tmp_path))
    assert not (folder / "grades").exists()


def test_a_page_of_nobody_is_taken_away(folder, tmp_path):
    collect(folder, [student("unnamed", ""), student("ada", "")])
    grade(folder, make_grader=Make(tmp_path))
    collect(folder, [student("bob", ""), student("ada", "")])
    grade(folder, make_grader=Make(tmp_path))
    pages = sorted(x.stem for x in (folder / "grades/feedback").iterdir())
    assert pages == ["ada", "bob"]


def test_a_damaged_store_is_judged_again(tmp_path):
    store = Store(tmp_path)
    store.put("ada", "10.5", "key", result(task(), "right", 1, "right"))
    assert Store(tmp_path).get("ada", "10.5", "key").points == 4
    assert Store(tmp_path).get("ada", "10.5", "other") is None
    (tmp_path / "ada.json").write_text("{")
    assert Store(tmp_path).get("ada", "10.5", "key") is None


def test_judging_leaves_the_dice_of_torch_alone():
    torch.manual_seed(1)
    before = torch.random.get_rng_state()
    judge(task(), ENTRY, grader())
    assert torch.equal(before, torch.random.get_rng_state())
