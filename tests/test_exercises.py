import functools
import re

import pytest
import torch
import torch.nn.functional as F

import sessions
from attnbook import checks, results
from attnbook.teaching.exercises import exercises_of
from chapter_files import texts
from course import solutions
from lab.fingerprints import hash_of

OWN = {text.stem: exercises_of(text) for text in texts()}
EXERCISES = [e for own in OWN.values() for e in own]
each = pytest.mark.parametrize("e", EXERCISES, ids=lambda e: e.id)

STORED = results.load("solutions")
LINES = STORED["values"]["lines"]  # id -> what the solution's code printed
# steps=400, rounds = 600, for steps in (0, 25, 100)
STEPS = re.compile(r"\b((?:steps|rounds)(?: ?= ?| in ))(\d+|\([\d, ]+\))")
DECIMAL = re.compile(r"(?<![\w.])\d+\.\d+(?![\d.]*\w)")
DERIVED = {  # id -> numbers in its words that are of the page or worked out
    "1.7": "0.7 2.4",
    "3.9": "0.28",
    "4.8": "0.25 0.13 0.06 0.03",
    "6.6": "1.8 1.6 0.9 4.4",
    "6.8": "0.24",
}

COMMENT = (
    "<!-- exercise id=1.1 kind=code difficulty=2 minutes=10 points=3 "
    'objective="write it" check=check_it -->'
)


def namespace():
    return {"torch": torch, "F": F, "checks": checks}


@functools.cache
def solved(number):
    """Run the code of a solution, once; return what it defines.

    It trains for two steps: what it prints is not judged here.
    """
    (code,) = [solutions.program(e) for e in EXERCISES if e.id == number]
    names = {}
    exec(STEPS.sub(lambda m: m[1] + re.sub(r"\d{2,}", "2", m[2]), code), names)
    return names


@each
def test_an_exercise_is_complete(e):
    assert e.id.split(".")[0] == str(int(e.chapter[:2]))
    assert 1 <= e.difficulty <= 5
    assert 1 <= e.minutes <= 60 and 1 <= e.points <= 10
    assert e.objective.split()[0].islower()
    assert len(e.hints) == 3, "nudge, property, line"
    assert e.solution
    assert f"-->\n\n{e.line}\n" in e.text
    assert ("Rubric" in e.folds) == (e.kind == "explain")
    if e.kind == "explain":
        assert e.folds["Rubric"].count("**") == 8  # claim to limits


@pytest.mark.parametrize(
    "e", [e for e in EXERCISES if e.forbids], ids=lambda e: e.id
)
def test_a_task_says_what_it_forbids(e):
    assert any(re.search(rf"\b{name}\b", e.task) for name in e.forbids)


@each
def test_a_checked_exercise_has_stub_check_and_right_solution(e, capsys):
    if e.check is None:
        assert e.kind != "code"
        return
    check = getattr(checks, e.check)
    assert f"checks.{e.check}(" in e.stub
    names = namespace()
    exec(e.stub, names)
    assert "not answered yet" in capsys.readouterr().out
    called = e.stub.rsplit(f"checks.{e.check}(", 1)[1].rstrip(") \n")
    assert check(solved(e.id)[called]), capsys.readouterr().out


@each
def test_code_of_a_solution_runs(e, capsys):
    solved(e.id)


def test_every_solution_that_prints_has_printed_what_is_stored():
    """If it fails: make experiments RUN=solutions"""
    code = {e.id: hash_of(solutions.program(e)) for e in solutions.printing()}
    assert STORED["fingerprint"]["code"] == code
    assert list(LINES) == list(code)


def rounds_to(said, numbers):
    """Say whether a number, as it is written, is one of others, rounded."""
    digits = len(said.partition(".")[2])
    return any(f"{number:.{digits}f}" == said for number in numbers)


@pytest.mark.parametrize(
    "e",
    [e for e in EXERCISES if e.kind == "investigate" and e.id in LINES],
    ids=lambda e: e.id,
)
def test_an_investigation_tells_the_numbers_that_its_code_printed(e):
    words = re.sub(r"```.*?```", "", e.solution, flags=re.DOTALL)
    said = dict.fromkeys(DECIMAL.findall(words))
    printed = {float(x) for x in DECIMAL.findall(" ".join(LINES[e.id]))}
    missing = [x for x in said if not rounds_to(x, printed)]
    assert missing == DERIVED.get(e.id, "").split()


def test_every_chapter_has_enough_of_enough_kinds():
    for chapter, own in OWN.items():
        number = int(chapter[:2])
        kinds = {e.kind for e in own}
        assert len(own) >= (5 if number else 3)
        assert len(kinds) >= (4 if number else 3)
        assert any(e.check for e in own)
        want = [f"{number}.{i + 1}" for i in range(len(own))]
        assert [e.id for e in own] == want


@pytest.mark.parametrize("text", texts(), ids=lambda text: text.stem)
def test_the_table_at_the_top_adds_the_minutes_up(text):
    own, head = OWN[text.stem], sessions.Chapter(text)
    assert head.more == sum(e.minutes for e in own)
    path = [e for e in own if e.path]
    assert sorted(head.path_ids) == sorted(e.id for e in path)
    minutes = sum(e.minutes for e in path)
    assert head.path is None or head.both == head.path + minutes


def write(tmp_path, body):
    path = tmp_path / "01_test.md"
    head = "---\njupytext:\n  text_representation:\n    extension: .md\n"
    head += "    format_name: myst\nkernelspec:\n  name: python3\n"
    path.write_text(head + "  display_name: Python 3\n---\n" + body)
    return path


def test_the_reader_understands_the_syntax(tmp_path):
    body = f"""
## Exercises

### Exercise 1.1 The title
{COMMENT}

Do it.

```{{code-cell}}
def f(): ...
```

<details>
<summary>Hint 1</summary>

Nudge.

</details>

<details>
<summary>Solution</summary>

```python
def f(): return 1
```

</details>

## Summary
"""
    (e,) = exercises_of(write(tmp_path, body))
    assert (e.id, e.title, e.kind) == ("1.1", "The title", "code")
    assert (e.difficulty, e.minutes, e.points) == (2, 10, 3)
    assert (e.objective, e.check) == ("write it", "check_it")
    assert not e.path and e.line.endswith("3 points.*")
    (e,) = exercises_of(write(tmp_path, body.replace("=10", "=10 path=yes")))
    assert e.path and e.line.endswith("3 points, on the path.*")
    assert e.hints == ["Nudge."]
    assert e.stub == "def f(): ..."
    assert e.solution_code == "def f(): return 1\n"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (COMMENT, "", "expected <!-- exercise"),
        ("points=3 ", "", "expected the fields"),
        ("kind=code", "kind=quiz", "a kind out of"),
        ("id=1.1", "id=1.2", "expected id=1.1"),
        ("points=3", "points=3 explains=3", "below the points, got .*=3"),
        ("check=check_it", "explains=1", "expected explains beside a check"),
        ("points=3", "points=3 path=1", "expected path=yes or no"),
        ("difficulty=2", "difficulty 2", "expected name=value"),
        ("difficulty=2", "difficulty=two", "exercise 1.1: expected whole"),
        ('"write it"', '"write it', "exercise 1.1: expected closed quotes"),
        ("### Exercise 1.1 T", "### Exercise 1.1", "above each of 1 comm"),
        ("### Exercise", "#### Exercise", "above each of 1 comments"),
    ],
)
def test_the_reader_refuses(tmp_path, old, new, message):
    body = f"\n### Exercise 1.1 T\n{COMMENT}\n\nDo it.\n".replace(old, new)
    with pytest.raises(ValueError, match=message):
        exercises_of(write(tmp_path, body))
