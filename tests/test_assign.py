"""Assignments: the same seed gives the same files, and none tells too much."""

import contextlib
import io
import json
import math
import re

import nbformat
import pytest
from docutils.nodes import make_id

from attnbook import checks
from attnbook.checks import RULES
from attnbook.checks.engine import allowed
from attnbook.checks.engine.rules import rule_of, sentence_of
from attnbook.command.main import main
from attnbook.teaching.assign import assign, read_site, selected, title_of
from attnbook.teaching.bundle import WHY, read_bundle, read_due, write_bundle
from attnbook.teaching.changes import changes_of, recoded
from attnbook.teaching.exercises import all_exercises
from attnbook.teaching.guide import round_decimals
from attnbook.teaching.judging import judge
from attnbook.teaching.seeds import derive_key, make_rng
from attnbook.teaching.tasks import WITH_VARIANTS, edited, make_tasks

SEED = "a seed for tests"
EVERY = {e.id: e for e in all_exercises()}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("work") / "out"
    assign(out, chapters=[4, 10], ids=["1.4", "8.7"], seed=SEED)
    return out


def files_of(folder):
    paths = (p for p in folder.rglob("*") if p.is_file())
    return {str(p.relative_to(folder)): p.read_bytes() for p in paths}


def student_of(folder):
    bundle = read_bundle(folder)
    return nbformat.read(folder / bundle.notebook, 4)


def test_the_same_seed_gives_the_same_bytes(folder, tmp_path):
    assign(tmp_path / "b", [10, 4], ["8.7", "1.4"], seed=SEED)
    assert files_of(tmp_path / "b") == files_of(folder)
    other = assign(tmp_path / "c", [4, 10], ["1.4", "8.7"], seed="another")
    assert other.assignment != read_bundle(folder).assignment
    assert files_of(tmp_path / "c").keys() == files_of(folder).keys()


def test_a_seed_is_drawn_if_none_is_given(tmp_path):
    seeds = {assign(tmp_path / x, [8]).seed for x in "ab"}
    assert len(seeds) == 2 and all(len(seed) == 16 for seed in seeds)


def test_what_is_assigned_stands_in_the_bundle(folder):
    bundle = read_bundle(folder)
    ids = [task.id for task in bundle.tasks]
    assert ids[0] == "1.4" and ids[-1] == "10.8" and "8.7" in ids
    assert bundle.points == sum(
        EVERY[id].points for id in ids if not id.endswith(WHY)
    )
    again = folder.parent / "again"
    again.mkdir()
    write_bundle(bundle, again)
    assert read_bundle(again) == bundle


def test_a_students_notebook_is_valid_and_says_which_it_is(folder):
    nb = student_of(folder)
    nbformat.validate(nb)
    mark = read_bundle(folder).assignment
    assert nb.metadata["attnbook"] == {"assignment": mark}
    assert sum(f'ASSIGNMENT = "{mark}"' in c.source for c in nb.cells) == 1
    assert all(not c.get("outputs") for c in nb.cells)
    assert len({c.id for c in nb.cells}) == len(nb.cells)


def sentences(markdown):
    """Return what is long enough to be recognised."""
    plain = re.sub(r"\s+", " ", markdown)
    return {s for s in re.split(r"(?<=[.:]) ", plain) if len(s) > 40}


def test_no_solution_rubric_hint_or_seed_is_in_a_students_notebook(folder):
    text = (folder / read_bundle(folder).notebook).read_text("utf-8")
    flat = re.sub(
        r"\s+", " ", "\n".join(c.source for c in student_of(folder).cells)
    )
    assert SEED not in text and read_bundle(folder).key.hex() not in text
    tasks = read_bundle(folder).tasks
    own = {t.id: EVERY[t.id.removesuffix(WHY)] for t in tasks}
    pages = "\n".join(e.task + e.stub for e in own.values())
    for task in tasks:
        e = own[task.id]
        said = sentences(e.task) | sentences(task.stub)
        for secret in (task.solution, task.rubric, *e.hints):
            for sentence in sentences(secret) - said:
                assert sentence not in flat, (task.id, sentence)
        for line in e.solution_code.splitlines():
            known = line.strip() in pages or "import " in line
            if len(line) > 30 and not known:
                assert line.strip() not in text, (task.id, line)
        if task.answers:
            assert json.dumps(task.answers) not in text


def run_cells(nb, wanted):
    """Run the first cells and those that hold a word; return what is said."""
    names, printed = {}, io.StringIO()
    with contextlib.redirect_stdout(printed):
        for cell in nb.cells:
            top = cell.id.startswith("head") and cell.cell_type == "code"
            if top or (cell.cell_type == "code" and wanted in cell.source):
                # pandas looks for a bottleneck, and finds an experiment
                exec(cell.source.replace("import pandas as pd", ""), names)
    return printed.getvalue().splitlines()


def test_stubs_are_unanswered_and_solutions_right_on_the_public_check(folder):
    functions = [t for t in read_bundle(folder).tasks if t.form == "function"]
    said = run_cells(student_of(folder), "checks.")
    assert [x.split(": ")[1] for x in said] == ["not answered yet"] * len(
        functions
    )
    solved = nbformat.read(folder / "teacher/solutions.ipynb", 4)
    said = run_cells(solved, "checks.")
    assert [x.split(": ")[1] for x in said] == ["right."] * len(functions)


def test_a_solution_begins_a_paragraph_of_its_own(folder):
    solved = nbformat.read(folder / "teacher/solutions.ipynb", 4)
    found = [c.source for c in solved.cells if "**Solution.**" in c.source]
    assert found and all(x.startswith("**Solution.**\n\n") for x in found)


def test_a_function_that_no_grader_calls_promises_no_other_inputs(tmp_path):
    assign(tmp_path / "out", ids=["5.4", "5.5"], seed=SEED)
    told = [c.source for c in student_of(tmp_path / "out").cells]
    first, second = (x for x in told if x.startswith("## Exercise"))
    assert "Your points come from other inputs" in first
    assert "Your teacher marks the function." in second
    assert "other inputs" not in second


def test_a_notebook_says_what_may_be_used_and_its_checks_refuse_the_rest(
    folder, tmp_path
):
    head = student_of(folder).cells[0].source
    assert allowed.SAID in head
    assert allowed.SAID not in student_of(assigned(tmp_path)).cells[0].source
    for task in read_bundle(folder).tasks:
        if task.form != "function":
            continue
        call = task.stub.rsplit("\n\n\n", 1)[1]
        short = allowed.in_short(task.may_not_call)
        assert f'{task.name}, forbids="{short}"' in call, task.id
        assert max(map(len, call.splitlines())) < 80
    (jacobian,) = (
        x.source
        for x in student_of(folder).cells
        if x.source.startswith("## Exercise 4.7")
    )
    assert "so is any other way to let PyTorch differentiate" in jacobian


def assigned(tmp_path):
    """Return the folder of an assignment without functions."""
    assign(tmp_path / "words", ids=["8.7"], seed=SEED)
    return tmp_path / "words"


def test_a_notebook_gives_its_solutions_away_without_the_seed(folder):
    """What *Integrity* says: rules stand in it, and the package is public."""
    found = 0
    for task in read_bundle(folder).tasks:
        call = task.form == "function" and task.stub.rsplit("\n\n\n", 1)[1]
        spec = call and re.match(r"checks\.assigned\((.*?)\)\(", call)
        if not spec:
            continue
        id, *rules = json.loads(f"[{spec[1]}]")
        edits = changes_of(RULES[id], rules)[1]
        assert recoded(EVERY[id].solution_code, edits) in task.solution
        found += 1
    assert found == 7


def test_a_task_leads_to_its_exercise_in_the_book(folder):
    for e in EVERY.values():
        name = make_id(f"Exercise {e.id} {e.title}")
        assert e.page == f"chapters/{e.chapter}.html#{name}"
    text = "\n".join(c.source for c in student_of(folder).cells)
    for task in read_bundle(folder).tasks:
        assert (
            task.page.startswith(f"{read_site()}/")
            and f"({task.page})" in text
        )


def test_a_course_without_an_address_is_named(tmp_path):
    (tmp_path / "_config.yml").write_text("repository:\n  branch: v1\n")
    with pytest.raises(ValueError, match="expected html.baseurl"):
        read_site(tmp_path)


def test_what_a_task_asks_in_words_has_a_place_and_points(tmp_path):
    points = {"10.4": 6.0}
    bundle = assign(tmp_path / "out", (), ["10.4", "10.5"], SEED,
                    points=points)  # fmt: skip
    function, words, _ = bundle.tasks
    assert (function.form, words.form) == ("function", "text")
    assert (function.points, words.points) == (4, 2)
    assert (words.id, words.name) == ("10.4-why", "why_10_4")
    assert words.solution and "```python" not in words.solution
    cells = student_of(tmp_path / "out").cells
    places = [i for i, c in enumerate(cells) if "why_10_4" in c.source]
    assert len(places) == 1 and "padding_mask" in cells[places[0] - 2].source
    assert "2 points" in cells[places[0] - 1].source


def test_who_asks_for_a_cause_beside_a_function_collects_it():
    asks = re.compile(r"\b(explain|say (why|which)|find (the|both) causes?)\b")
    for e in EVERY.values():
        asked = e.check and asks.search(e.task.lower())
        assert bool(asked) == bool(e.explains), e.id


def test_a_marking_guide_has_solutions_rubrics_and_mistakes(folder):
    guide = (folder / "teacher/marking.md").read_text("utf-8")
    for task in read_bundle(folder).tasks:
        assert f"## {task.id} {task.title}" in guide
        assert round_decimals(task.solution) in guide and task.rubric in guide
    assert "Mistakes that the check names" in guide


def test_a_marking_guide_names_mistakes_as_they_read_under_the_rules(folder):
    guide = (folder / "teacher/marking.md").read_text("utf-8")
    parts = {x.split()[0]: f"{x}\n" for x in guide.split("\n## ")[1:]}
    count = 0
    for task in read_bundle(folder).tasks:
        check = getattr(checks, f"check_{task.check}", None)
        rows = getattr(getattr(check, "exercise", None), "mistakes", ())
        groups = RULES.get(task.id, ())
        chosen = [rule_of(groups, spec) for spec in task.rules]
        for row in rows:
            assert f"* {row.hint}\n" in parts[task.id]
        said = sentence_of(chosen)
        if rows and said:
            count += 1
            assert f"Each ends with *{said}*\n" in parts[task.id]
    assert count


def test_every_exercise_of_the_course_can_be_assigned():
    key = derive_key("all of them")
    for exercise in EVERY.values():
        task = make_tasks(exercise, key)[0].task
        assert task.name in task.stub and task.solution, exercise.id
        number = int(exercise.id.split(".")[0])
        if number in WITH_VARIANTS and exercise.kind in (
            "predict",
            "trace",
            "parsons",
        ):
            assert task.form in ("values", "order"), exercise.id


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({}, "expected chapters out of 0 to 17"),
        ({"chapters": [18]}, "got 18"),
        ({"ids": ["10.99"]}, "got 10.99"),
        ({"chapters": [8], "points": {"9.1": 3}}, "got 9.1=3"),
        ({"chapters": [8], "points": {"8.1": 0}}, "got 8.1=0"),
        ({"chapters": [8], "points": {"8.1": math.inf}}, "got 8.1=inf"),
        ({"chapters": [8], "points": {"8.1": math.nan}}, "got 8.1=nan"),
        ({"chapters": [8], "due": "tomorrow"}, "got 'tomorrow'"),
        ({"chapters": [8], "seed": " "}, "expected a seed"),
    ],
)
def test_bad_input_is_refused_and_nothing_written(how, said, tmp_path):
    with pytest.raises(ValueError, match=re.escape(said)):
        assign(tmp_path / "out", **how)
    assert not (tmp_path / "out").exists()


def test_a_folder_that_holds_something_is_left_alone(tmp_path):
    (tmp_path / "mine").write_text("mine")
    with pytest.raises(ValueError, match="expected an empty folder"):
        assign(tmp_path, chapters=[8])
    assert files_of(tmp_path) == {"mine": b"mine"}


def test_without_a_checkout_it_says_what_is_needed(tmp_path):
    with pytest.raises(ValueError, match="expected a checkout of the course"):
        selected([10], [], tmp_path)


def test_the_command_says_what_to_give_out_and_warns_of_a_short_seed(
    tmp_path, capsys
):
    seed, out = "2027-03-01", str(tmp_path / "x")
    arguments = ["assign", "8", "--seed", seed, "--out", out]
    assert main([*arguments, "--points", "8.1=4"]) == 0
    out, error = capsys.readouterr()
    assert "give out" in out and "can find it by trying" in error
    assert read_bundle(tmp_path / "x").tasks[0].points == 4
    assert main(arguments) == 1
    assert "expected an empty folder" in capsys.readouterr().err


def test_the_command_refuses_points_of_one_exercise_twice(tmp_path, capsys):
    arguments = ["assign", "8", "--out", str(tmp_path / "x")]
    assert main([*arguments, "--points", "8.1=4", "8.1=5"]) == 1
    said = "expected points of each exercise once, got 8.1=4 8.1=5"
    assert said in capsys.readouterr().err
    assert not (tmp_path / "x").exists()


def test_an_edit_that_fits_twice_is_an_error():
    assert edited("a b", [("a", "c")], "x") == "c b"
    with pytest.raises(ValueError, match="expected once 'a', got it 2"):
        edited("a a", [("a", "c")], "x")


def test_numbers_of_one_purpose_say_nothing_of_another():
    key = derive_key("seed")
    draws = [
        make_rng(key, *names).random()
        for names in (("a",), ("b",), ("a", "b"))
    ]
    assert len(set(draws)) == 3
    assert make_rng(key, "a").random() == draws[0]
    assert derive_key(" seed ") == key != derive_key("Seed")


def test_the_teacher_reads_numbers_as_people_write_them(tmp_path):
    points = {"10.1": 1, "4.1": 1}
    bundle = assign(tmp_path, [4, 10], seed=SEED, points=points)
    texts = [data.decode() for name, data in files_of(tmp_path).items()
             if "bundle" not in name]  # fmt: skip
    assert texts and not re.search(r"\d\.\d{6}", "".join(texts))
    assert not re.search(r"\b1 (points|minutes)\b", "".join(texts))
    assert len(re.findall(r"\b1 point\b", "".join(texts))) >= 4
    nb = nbformat.read(tmp_path / "teacher/solutions.ipynb", 4)
    for task in bundle.tasks:
        if task.form == "values":  # and what they read is right
            (source,) = [c.source for c in nb.cells
                         if c.source.startswith(task.name)]  # fmt: skip
            entry = {"source": source.partition(" = ")[2]}
            assert judge(task, entry, None).status == "right", task.id


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("0.30000000000000004", "0.3"),
        ("[0.6652409557748219, -2.9999999999]", "[0.6652, -3]"),
        ("1.2345678901e-05", "1.235e-05"),
        ("1e-6, 1706.03762, 0.09003", "1e-6, 1706.03762, 0.09003"),
    ],
)
def test_long_decimals_are_cut_and_others_are_left(text, said):
    assert round_decimals(text) == said


def test_a_moment_keeps_the_zone_that_it_is_given_in():
    moment = "2027-03-01T23:59:00+01:00"
    assert read_due(moment).isoformat() == moment
    assert read_due(None) is None
    assert read_due(moment[:16]).tzinfo


def test_a_title_says_what_is_assigned():
    found = [e for e in all_exercises() if e.id in ("10.4", "10.5")]
    assert title_of((), found) == "Exercises 10.4, 10.5"
    assert title_of((), found[:1]) == "Exercise 10.4"
