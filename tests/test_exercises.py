import functools
from unittest import mock

import pytest

from attnbook import checks
from attnbook.tasks import reversal
from attnbook.teaching.exercises import exercises_of
from chapter_files import texts

OWN = {text.stem: exercises_of(text) for text in texts()}
EXERCISES = [e for own in OWN.values() for e in own]
each = pytest.mark.parametrize("e", EXERCISES, ids=lambda e: e.id)

COMMENT = (
    "<!-- exercise id=1.1 kind=code difficulty=2 minutes=10 points=3 "
    'objective="write it" check=check_it -->'
)


def namespace():
    import math

    import torch
    import torch.nn.functional as F

    return {"math": math, "torch": torch, "F": F, "checks": checks}


@functools.cache
def solved(number):
    """Run the code of a solution, once; return what it defines."""
    (code,) = [e.solution_code for e in EXERCISES if e.id == number]
    names, fit = namespace(), reversal.fit
    few = functools.wraps(fit)(
        lambda *rest, steps, **more: fit(*rest, steps=9, **more)
    )
    with mock.patch.object(reversal, "fit", few):  # its numbers are not judged
        exec(code, names)
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


def test_every_chapter_has_enough_of_enough_kinds():
    for chapter, own in OWN.items():
        assert len(own) >= 5
        assert len({e.kind for e in own}) >= 4
        assert any(e.check for e in own)
        number = int(chapter[:2])
        want = [f"{number}.{i + 1}" for i in range(len(own))]
        assert [e.id for e in own] == want


@pytest.mark.parametrize("text", texts(), ids=lambda text: text.stem)
def test_the_table_at_the_top_adds_the_minutes_up(text):
    whole = text.read_text(encoding="utf-8")
    minutes = sum(e.minutes for e in OWN[text.stem])
    assert f"exercises {minutes} more |" in whole


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
