"""What a class hands in is found, whatever happened to it on the way."""

import datetime
import io
import json
import os
import stat
import unicodedata
import zipfile
from dataclasses import replace
from pathlib import Path
from time import process_time

import nbformat
import pytest
from nbformat import v3, v4

from attnbook.teaching import files, notebooks, readers, students
from attnbook.teaching.answers import answers_of
from attnbook.teaching.bundle import Bundle, Task, read_due, write_bundle
from attnbook.teaching.collect import collect
from attnbook.teaching.magics import exported
from attnbook.teaching.owners import clean_line, find_owner, make_keys, slugify
from attnbook.teaching.reading import Notebook
from attnbook.teaching.submissions import Upload

NAME = "chapter-10-7f3a21c4"
STUB = '''def masks_for(source, target):
    """Return (encoder, decoder, cross)."""
    ...  # your code here'''


def task(id, name, form, stub=""):
    return Task(
        id=id, name=name, form=form, stub=stub, title="", kind="", points=1,
        minutes=1,
    )  # fmt: skip


TASKS = (
    task("10.1", "answer_10_1", "values"),
    task("10.3", "order_10_3", "order"),
    task("10.5", "masks_for", "function", STUB),
    task("10.8", "text_10_8", "text"),
)
CHECK = 'checks.assigned("10.5", "hidden")(masks_for)'
GIVEN = [  # what is given out
    "# bootstrap\nfrom attnbook import checks",
    f'ASSIGNMENT = "{NAME}"\n\nimport torch',
    'answer_10_1 = {"a": ..., "b": ...}',
    'order_10_3 = ""',
    f"{STUB}\n\n\n{CHECK}",
    'text_10_8 = """"""',
]
RIGHT = """def masks_for(source, target):
    return helper(source), torch.ones(SIZE), target"""
HELPER = "SIZE = 3\n\n\ndef helper(x):\n    return x != 0"
DONE = [
    *GIVEN[:2],
    'answer_10_1 = {"a": [1, 2], "b": 1 / 4}',
    'order_10_3 = "C B A"',
    HELPER,
    f"{RIGHT}\n\n\n{CHECK}",
    'text_10_8 = """Because rows\nmust sum to 1."""',
]


def notebook(cells):
    nb = v4.new_notebook(metadata={"attnbook": {"assignment": NAME}})
    for i, source in enumerate(cells):
        nb.cells += [v4.new_markdown_cell(f"Task {i}")]
        nb.cells += [v4.new_code_cell(source)]
    return nb


def saved(cells):
    """Return a notebook as text, the same bytes each time."""
    nb = notebook(cells)
    for i, cell in enumerate(nb.cells):
        cell.id = f"cell-{i}"
    return nbformat.writes(nb)


def answers(cells, given=GIVEN):
    """Return answers and notes of code cells."""

    def pairs(sources):
        return [("code", source) for source in sources]

    return answers_of(Notebook(pairs(cells), pairs(given)), TASKS)


def function(*cells):
    """Return the entry of the function, and run its source."""
    found, _ = answers([*GIVEN[:2], *cells])
    entry = found["10.5"]
    space = {}
    if not entry["error"]:
        exec(entry["source"], space)
    return entry, space


def asked(data, name="a.ipynb"):
    """Return what is read of a file's bytes."""
    cells = [("code", source) for source in GIVEN]
    return files.read(name, data, TASKS, cells)


# ------------------------------------------------------ answers by name
def test_an_answer_comes_with_what_it_needs():
    entry, space = function(HELPER, "import torch, os", f"{RIGHT}\n{CHECK}")
    assert space["masks_for"](1, 2)[0] is True
    assert "checks" not in entry["source"] and "os" not in entry["source"]
    assert entry["notes"] == [] and not entry["blank"]


def test_cells_in_any_order_split_and_added():
    head, tail = RIGHT.split("\n")
    for cells in (
        [RIGHT, HELPER],
        [HELPER, head, tail, "print(1)"],
        ["x = 1", RIGHT, "helper = None  # later, for another task", HELPER],
    ):
        _, space = function(*cells)
        assert space["masks_for"](0, 2)[0] is False


def test_a_constant_has_the_value_that_it_had_at_the_check():
    _, space = function(HELPER, RIGHT, "SIZE = 99")
    assert len(space["masks_for"](1, 2)[1]) == 3


def test_a_deleted_import_comes_from_the_released_notebook():
    found, _ = answers([HELPER, RIGHT])
    assert "import torch" in found["10.5"]["source"]


@pytest.mark.parametrize(
    "source",
    [
        "masks_for = lambda source, target: (source, target)",
        "if True:\n    def masks_for(source, target):\n        return 1, 2",
        "def deco(f):\n    return f\n@deco\ndef masks_for(a, b): return 1, 2",
        "def outer():\n    def inner(a, b): return a, b\n    return inner\n"
        "masks_for = outer()",
        "x = 1; masks_for = lambda a, b: x",
        "from __future__ import annotations\n"
        "def masks_for(a: Missing, b): return a",
        "def masks_for(a, b): return a\nmasks_for = print and masks_for",
        "(masks_for := lambda a, b: a)",
        "!pip install x\n%matplotlib inline\ntorch?\nmasks_for = max",
        "%%time\nmasks_for = max",
        "def g(:\n    pass\nmasks_for = max",
        "files = !ls\nmasks_for = max",
        "\ufeffmasks_for = max".replace("\ufeff", "\r\n"),
        "from math import *\nmasks_for = lambda a, b: floor(2.5)",
    ],
)
def test_every_way_to_define_it(source):
    entry, space = function(source)
    assert callable(space["masks_for"]), entry
    space["masks_for"](1, 2)


def test_a_coroutine_is_taken_too():
    entry, _ = function("async def masks_for(a, b): return a")
    assert entry["source"].startswith("async def")


def test_defined_twice_the_last_counts():
    entry, space = function("masks_for = min", "masks_for = max")
    assert space["masks_for"] is max
    assert entry["notes"] == ["defined 2 times; the last one counts"]


def test_a_stub_left_below_is_passed_over():
    entry, space = function("masks_for = max", STUB)
    assert space["masks_for"] is max
    assert "passed over" in entry["notes"][0]


def test_renamed_is_found_if_there_is_one():
    mine = RIGHT.replace("masks_for", "my_masks")
    for cells in ([HELPER, mine], [HELPER, STUB, mine]):
        entry, space = function(*cells)
        assert entry["notes"] == ["found as my_masks"]
        assert space["masks_for"](1, 2)
    entry, _ = function(STUB, mine, mine.replace("my_", "your_"))
    assert not entry["blank"] and "which one is meant?" in entry["look"]


def test_unchanged_broken_and_missing_are_named():
    entry, _ = function(STUB.replace("encoder", "other words"))
    assert entry["blank"] and entry["notes"] == ["as it was given out"]
    entry, _ = function("def masks_for(a, b):\n    return (a")
    assert (
        "cannot be read" in entry["error"] and "return (a" in entry["source"]
    )
    found, notes = answers(GIVEN[:2])
    assert found == {} and "10.5: masks_for was not found" in notes


# --------------------------------------------------------------- values
@pytest.mark.parametrize(
    "source, value",
    [
        ('answer_10_1 = {"a": 1, "b": -0.5}', {"a": 1, "b": -0.5}),
        ('answer_10_1 = {"a": (1, [2])}', {"a": [1, [2]]}),
        ('answer_10_1 = {"a": 1 / 4 + 2 * 3}', {"a": 6.25}),
        ('answer_10_1: dict = {"a": True}', {"a": True}),
        ('answer_10_1 = {"a": torch.Size([2, 3])}', {"a": [2, 3]}),
        ('answer_10_1 = {"a": [Size((2, 3)), 1]}', {"a": [[2, 3], 1]}),
        ('answer_10_1 = {}\nanswer_10_1["a"] = "x"', {"a": "x"}),
    ],
)
def test_values(source, value):
    found, _ = answers([source])
    assert found["10.1"]["value"] == value
    json.dumps(found, allow_nan=False)


@pytest.mark.parametrize(
    "part",
    [
        "x",
        "torch.Size(3)",
        "torch.zeros([2])",
        "1 / 0",
        "10**10**9",
        "9**99",
        "1e999",
        "1" * 4000,
        "{1}",
    ],
)
def test_a_part_that_is_no_value_costs_that_part(part):
    found, _ = answers([f'answer_10_1 = {{"a": 1, "b": {part}}}'])
    assert found["10.1"]["value"] == {"a": 1, "b": None}
    assert "b is not read" in found["10.1"]["notes"][0]


@pytest.mark.parametrize(
    "source", ['answer_10_1 = {"a": 1 "b": 2}', 'answer_10_1 = {"a": x}']
)
def test_a_value_that_cannot_be_read_is_not_blank(source):
    for cells in ([source], [source, GIVEN[2]]):
        entry = answers(cells)[0]["10.1"]
        assert not entry["blank"] and (entry["error"] or entry["notes"])


def test_a_text_that_is_computed_is_kept_for_the_reader():
    entry = answers(['text_10_8 = "a " + "b"'])[0]["10.8"]
    assert entry["source"] == "a b"
    entry = answers(['text_10_8 = f"it is {2}"'])[0]["10.8"]
    assert "it is" in entry["source"] and not entry["blank"]
    entry = answers(['text_10_8 = "half an emoji \\ud800"'])[0]["10.8"]
    assert entry["source"].encode().endswith(b"?")


EMPTY = 'text_10_8 = """\n\n"""  # your answer, between the quotes'
WORDS = "Because rows sum\nto one. Is it so?"


@pytest.mark.parametrize(
    "cell",
    [
        f'text_10_8 = """{WORDS}""""',
        f'text_10_8 = """He said """rows""", {WORDS}"""',
        f"text_10_8 = {WORDS}",
        f"text_10_8: {WORDS}",
        f"{EMPTY}\n{WORDS}",
        f"{EMPTY}\n# " + WORDS.replace("\n", "\n# "),
        f'{EMPTY}\n"""{WORDS}"""',
        f'text_10_8 += """{WORDS}"""',
        f'text_10_8 = """{WORDS}',
    ],
)
def test_no_text_is_lost_by_a_slip(cell):
    given = [*GIVEN[:5], EMPTY]
    for cells in ([cell], [*GIVEN[:5], cell], [*GIVEN[:5], EMPTY, cell]):
        if cells == [cell] and "#" in cell:  # as in a .py, with other notes
            continue
        entry = answers(cells, given)[0]["10.8"]
        assert not entry["blank"] and not entry["error"]
        assert "Because rows sum" in entry["value"]
        assert entry["value"].rstrip('"').endswith("Is it so?")
        assert "all that stands in its cell" in entry["notes"][0]


def test_a_text_of_a_script_ends_where_the_next_answer_begins():
    slip = f'text_10_8 = """{WORDS}""""'
    entry = answers(["\n\n".join([slip, *GIVEN[1:5]])])[0]["10.8"]
    assert entry["value"] == slip


def test_a_text_without_a_slip_is_the_text_alone():
    given = [*GIVEN[:5], EMPTY]
    good = EMPTY.replace("\n\n", WORDS)
    for more in ([], [EMPTY], ["text_10_8"]):
        entry = answers([*GIVEN[:5], good, *more], given)[0]["10.8"]
        assert (entry["value"], entry["notes"]) == (WORDS, [])
    script = "\n\n".join([*given, "y = 1", "def f(:\n    pass"])
    for cells in (given, [script], [*given, EMPTY]):
        assert answers(cells, given)[0]["10.8"]["blank"]


def test_a_value_given_out_again_below_is_passed_over():
    found, _ = answers([DONE[2], GIVEN[2]])
    assert found["10.1"]["value"]["b"] == 0.25
    found, _ = answers([GIVEN[2]])
    assert found["10.1"]["blank"]


def test_texts_are_cut_and_found_in_a_text_cell():
    found, _ = answers([f'text_10_8 = "{"a" * 30_000}"'])
    assert len(found["10.8"]["value"]) == 20_000
    assert found["10.8"]["notes"] == ["cut at 20000 letters"]
    cells = [("code", GIVEN[5]), ("markdown", "Because.")]
    released = Notebook(cells, [("code", GIVEN[5])])
    entry = answers_of(released, TASKS)[0]["10.8"]
    assert entry["source"] == "Because." and not entry["blank"]


@pytest.mark.parametrize(
    ("below", "source"),
    [
        ("### 10.9\n\nMask 5 keys.", ""),  # the next task, of another seed
        ("### 10.9\n\nMask 4 keys.\n\nBecause.", None),  # added to it
        ("### Mine\n\nBecause.", None),
        ("Because.", None),
    ],
)
def test_a_task_of_another_seed_is_no_answer(below, source):
    given = [("code", GIVEN[5]), ("markdown", "### 10.9\n\nMask 4 keys.")]
    read = Notebook([given[0], ("markdown", below)], given)
    entry = answers_of(read, TASKS)[0]["10.8"]
    assert entry["source"] == (below if source is None else source)
    assert entry["blank"] == (source == "")


# ------------------------------------------- typed otherwise than asked
def pairs(*cells):
    """Return cells: code, or words if they begin with "md "."""
    return [
        ("markdown", x[3:]) if x.startswith("md ") else ("code", x)
        for x in cells
    ]


SHEET = [  # the released notebook with its text cells
    "md # Chapter 10",
    *GIVEN[:2],
    "md ## Exercise 10.1\n\nWhich numbers?",
    GIVEN[2],
    "md ## Exercise 10.3\n\nWhich order?",
    GIVEN[3],
    "md ## Exercise 10.5\n\nAll masks.",
    GIVEN[4],
    "md ## Exercise 10.8\n\nWhy?",
    GIVEN[5],
]
PLACES = {"10.1": 4, "10.3": 6, "10.5": 8, "10.8": 10}


def handed_in(id_, *new):
    """Return answers where cells stand in the place of one that was given.

    None of the others is touched, and none may take what is new.
    """
    i = PLACES[id_]
    cells = pairs(*SHEET[:i], *new, *SHEET[i + 1 :])
    found, notes = answers_of(Notebook(cells, pairs(*SHEET)), TASKS)
    for other in {*PLACES} - {id_}:
        entry = found[other]
        assert entry["blank"] and "look" not in entry, (other, entry)
    return found.get(id_), notes


BOTH = '{"a": 1, "b": [2]}'


@pytest.mark.parametrize(
    "line",
    [
        f"answer_10_1.update({BOTH})",
        "answer_10_1.update(a=1, b=[2])",
        'answer_10_1.update([("a", 1), ("b", [2])])',
        'answer_10_1.update(zip(["a", "b"], [1, [2]]))',
        f"answer_10_1 |= {BOTH}",
        f"answer_10_1 = answer_10_1 | {BOTH}",
        f"answer_10_1 = {{**answer_10_1, **{BOTH}}}",
        "answer_10_1 = dict(a=1, b=[2])",
        f"answer_10_1 = {BOTH},",
        f"answer_10_1, x = {BOTH}, 3",
        f"x = answer_10_1 = {BOTH}",
        f"(answer_10_1 := {BOTH})",
        'answer_10_1["a"], answer_10_1["b"] = 1, [2]',
        'answer_10_1["a"] = 1\nanswer_10_1["b"] = [2]\nprint(answer_10_1)',
        f"Answer_10_1 = {BOTH}",
        f"answer10_1 = {BOTH}",
        f"answer_10_1_new = {BOTH}",
        f"my_answer_10_1 = {BOTH}",
        'answer_10_1 = {"a": round(math.exp(0), 2), "b": np.array([2])}',
        'answer_10_1 = {"a": np.float64(1.0), "b": [-(-2)]}',
        'answer_10_1 = {"a": 3 // 2, "b": torch.tensor([2]).tolist()}',
    ],
)
def test_a_value_is_found_however_it_is_set(line):
    for cells in ([GIVEN[2], line], [line], [line, GIVEN[2]]):
        entry, _ = handed_in("10.1", *cells)
        assert entry["value"] == {"a": 1, "b": [2]}, entry
        assert "look" not in entry and not entry["blank"]


@pytest.mark.parametrize(
    "line",
    [
        f"for k, v in {BOTH}.items():\n    answer_10_1[k] = v",
        f"if True:\n    answer_10_1 = {BOTH}",
        f"def fill():\n    answer_10_1.update({BOTH})\nfill()",
        "d = answer_10_1\nd['a'] = 1",
        "fill(answer_10_1)",
        "answer_10_1.update(computed())",
        "answer_10_1.setdefault('a', 1)",
        "answer_10_1['a'][0] = 1",
        "answer_10_1 = (1, [2])",
        "answer_10_1 = [x.item() for x in y]",
        'answer_10_1 = {"a": weights[0], "b": [2]}',
        f"answer_10_1: {BOTH}",
        f"answer_10_1 == {BOTH}",
        f"answer_10_1_a = {BOTH}\nanswer_10_1_b = {BOTH}",
        f"ans_10_1 = {BOTH}",
        f"anwser_101 = {BOTH}",
        f"# answer_10_1 = {BOTH}",
        f"x = 'answer_10_1 = {BOTH}'",
        f"%%bash\nanswer_10_1 = {BOTH}",
        f"md answer_10_1 = {BOTH}",
        "md a) 1, b) 2",
    ],
)
def test_a_value_that_is_not_read_is_left_to_the_teacher(line):
    for cells in ([GIVEN[2], line], [line]):
        entry, _ = handed_in("10.1", *cells)
        assert "cell" in entry["look"] or "which one" in entry["look"]
        assert entry["notes"][-1] == f"look at it: {entry['look']}"
        kept = "".join(entry["source"].split()).replace("'", '"')
        assert not entry["blank"]
        assert kept in "".join(line.split()).replace("'", '"')


def test_a_cell_that_is_gone_is_named_by_what_stands_there():
    entry, _ = handed_in("10.1", "print(40)")
    assert entry["look"] == "other code stands in cell 5"
    entry, notes = handed_in("10.1")
    assert entry is None and notes == ["10.1: answer_10_1 was not found"]
    for shown in ("answer_10_1", "print(answer_10_1)", "x = 3"):
        entry, _ = handed_in("10.1", GIVEN[2], shown)
        assert entry["blank"] and "look" not in entry


@pytest.mark.parametrize(
    "name", ["Masks_For", "MasksFor", "masksfor", "masks_for_2", "my_masks"]
)
def test_a_function_is_found_under_a_name_that_is_nearly_its_own(name):
    mine = f"def {name}(source, target):\n    return 1, 2"
    entry, _ = handed_in("10.5", GIVEN[4], mine)
    assert entry["notes"] == [f"found as {name}"] and not entry["blank"]


@pytest.mark.parametrize(
    "cell",
    [
        f"md ```python\n{RIGHT}\n```",
        f"%%writefile masks.py\n{RIGHT}",
        "# " + RIGHT.replace("\n", "\n# "),
        f"get_ipython().run_cell_magic('bash', '', {RIGHT!r})",
        f"answer = '''{RIGHT}'''",
        RIGHT.replace("(source, target)", "(a, b, c)").replace("for", "fer"),
        RIGHT.replace("masks_for(source, target)", "masks_for_all(a, b, c)"),
    ],
)
def test_a_function_that_is_not_taken_is_left_to_the_teacher(cell):
    for cells in ([GIVEN[4], cell], [cell]):
        entry, _ = handed_in("10.5", *cells)
        assert "cell" in entry["look"] and not entry["blank"]


def test_nothing_is_credited_to_a_neighbour():
    stub = STUB.replace("masks_for", "causal_masks")
    twin = replace(TASKS[2], id="10.6", name="causal_masks", stub=stub)
    for name, expected in (
        ("causal_masks_2", {"10.6": "found as causal_masks_2"}),
        ("masks_for_2", {"10.5": "found as masks_for_2"}),
        ("helper", dict.fromkeys(["10.5", "10.6"], "which one is meant?")),
    ):
        code = f"def {name}(source, target):\n    return 1, 2"
        found, _ = answers_of(
            Notebook(pairs(*SHEET, stub, code), pairs(*SHEET)),
            [*TASKS, twin],
        )
        open_ = {x: y for x, y in found.items() if not y["blank"]}
        assert {*open_} == {*expected}
        for id_, note in expected.items():
            assert open_[id_]["notes"][0].endswith(note)


@pytest.mark.parametrize(
    ("id_", "again"),
    [
        ("10.8", f"answer_10_1 = {BOTH}"),  # the cell of 10.1, copied
        ("10.5", "def f(a):\n    return a\n\norder_10_3 = f('B A C')"),
        ("10.3", 'text_10_8 = """Because."""'),
    ],
)
def test_a_name_in_the_place_of_another_answer_is_left_to_the_teacher(
    id_, again
):
    i = PLACES[id_]
    given, own = pairs(*SHEET), pairs(again)
    read = Notebook([*given[:i], *own, *given[i + 1 :]], given)
    found, _ = answers_of(read, TASKS)
    open_ = {x: y["look"] for x, y in found.items() if not y["blank"]}
    other = next(t.id for t in TASKS if t.name in again)
    assert {*open_} == {id_, other}
    assert f"stands in cell {i + 1}" in open_[id_]
    assert f"is set again in cell {i + 1}" in open_[other]
    filled = [*given[: PLACES[other]], *own, *given[PLACES[other] + 1 :]]
    found, _ = answers_of(Notebook([*filled, *own], given), TASKS)
    assert [x for x, y in found.items() if not y["blank"]] == [other]


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (["md Because."], "found in cell 11"),
        ([GIVEN[5], "md Because."], "found in cell 12"),
        (["%%markdown\nBecause."], "found in cell 11"),
        (['text_10_8_final = """Because."""'], "found as text_10_8_final"),
        (['"""Because."""'], "look at it: other code stands in cell 11"),
        (["Because."], "look at it: other code stands in cell 11"),
    ],
)
def test_a_text_without_its_cell_is_found(cells, said):
    entry, _ = handed_in("10.8", *cells)
    assert "Because." in entry["source"] and entry["notes"] == [said]


def test_a_text_that_is_added_to_its_task_is_found():
    task = SHEET[9] + "\n\nBecause."
    cells = pairs(*SHEET[:9], task, SHEET[10])
    found, _ = answers_of(Notebook(cells, pairs(*SHEET)), TASKS)
    assert found["10.8"]["source"] == "Because."
    assert [x for x, y in found.items() if not y["blank"]] == ["10.8"]


@pytest.mark.parametrize("sign", ["# ", "# MAGIC ", ""])
def test_a_text_cell_of_a_script_is_found_below_its_heading(sign):
    def script(*cells):
        between = "\n\n# COMMAND ----------\n\n" if "M" in sign else "\n\n"
        return between.join(
            source
            if kind == "code"
            else sign + f"%md\n{source}".replace("\n", f"\n{sign}")
            if sign
            else f'"""{source}"""'
            for kind, source in pairs(*cells)
        )

    for text, said in (
        (script(*SHEET[:10], "md Because."), "stand in the file below"),
        (script(*SHEET, "md Because."), "stand in the file below"),
        (script(*SHEET), None),
    ):
        read = Notebook([("code", exported(text))], pairs(*SHEET))
        found, _ = answers_of(read, TASKS)
        open_ = [x for x, y in found.items() if not y["blank"]]
        assert open_ == ["10.8"] * bool(said)
        if said:
            assert said in found["10.8"]["look"]
            assert found["10.8"]["source"] == "Because."


@pytest.mark.parametrize("mark", ["# In[ ]:\n\n", "# %%\n", "# +\n", ""])
@pytest.mark.parametrize(
    ("id_", "cell"),
    [
        ("10.1", "mine = {'a': 1}\nprint(mine)"),
        ("10.3", "'B A C'"),
        ("10.5", "def masks for(source, target):\n    return 1, 2"),
        ("10.8", "words = 'Because.'"),
    ],
)
def test_other_code_in_the_place_of_an_answer_is_named_in_a_script(
    mark, id_, cell
):
    given = pairs(*SHEET)
    for new in (cell, ""):
        cells = [*SHEET[: PLACES[id_]], new, *SHEET[PLACES[id_] + 1 :]]
        text = "\n\n".join(
            mark + source if kind == "code" else f'"""{source}"""'
            for kind, source in pairs(*cells)
        )
        found, _ = answers_of(Notebook([("code", text)], given), TASKS)
        assert [x for x, y in found.items() if "look" in y] == [id_][
            : len(new)
        ]
        if new:
            assert found[id_]["look"] == "other code stands in the file"
            assert cell in found[id_]["source"].replace("\n\n", "\n")


def test_an_exercise_without_its_heading_keeps_what_stands_below_it():
    before = "md ## Exercise 10.9\n\nHow?"
    given = pairs(*SHEET[:-2], before, "text_10_9 = ''", *SHEET[-2:])
    tasks = [*TASKS, replace(TASKS[3], id="10.9", name="text_10_9")]
    for cells in (
        [before, "text_10_9 = ''", GIVEN[5], "md Because."],
        [before, "text_10_9 = ''", SHEET[9], GIVEN[5], "md Because."],
        [SHEET[9], GIVEN[5], "md Because.", before, "text_10_9 = ''"],
        [before, "text_10_9 = ''", SHEET[9], "md Because."],
        [before, "text_10_9 = ''", "md # Exercise 10.8: done", "md Because."],
    ):
        read = Notebook(pairs(*SHEET[:-2], *cells), given)
        found, _ = answers_of(read, tasks)
        assert found["10.8"]["source"].endswith("Because.")
        assert found["10.9"]["blank"]


@pytest.mark.parametrize(
    "cell",
    [
        "  masks_for = max",
        "    def masks_for(a, b):\n        return a\n    !ls",
        "  %%time\n  def masks_for(a, b):\n    return a",
    ],
)
def test_an_indented_cell_is_run_as_ipython_runs_it(cell):
    for before in ("x = 1", "def f():\n    pass", ""):
        entry, space = function(before, cell)
        assert callable(space["masks_for"]), entry
    head, tail = "def masks_for(a, b):\n    c = a", "    c += b\n    return c"
    assert function(head, tail)[1]["masks_for"](1, 2) == 3


@pytest.mark.parametrize(
    "typed",
    [
        r"$\frac{1}{2}$, $\nabla_\theta L$, $\alpha \rightarrow \beta$",
        r"\begin{x} \xi \underline{a} \Nabla \U \vec v \\ \neq \times",
        r"Either\nor, 100\% of a\b, C:\new\table",
        "a tab\there, no backslash",
    ],
)
def test_latex_is_shown_as_it_was_typed(typed):
    for quotes in ('"""', "'''", '"', "'", 'r"""', "u'", 'R"'):
        cell = f"text_10_8 = {quotes}{typed}{quotes[-1] * len(quotes)}"
        if quotes[0] in "rRu":
            cell = f"text_10_8 = {quotes}{typed}{quotes[1:]}"
        found, _ = answers([cell])
        assert found["10.8"]["value"] == typed and not found["10.8"]["notes"]


def test_latex_that_python_cannot_read_costs_no_other_answer():
    words = r"It is $\xi$, \underline{x}, \Nabla."
    script = [*DONE[:6], f'text_10_8 = """{words}"""', "x = 1; y = 2"]
    docs = 'def masks_for(a, b):\n    """Return \\xi."""'
    for cells in (script, ["\n\n".join(script)], ["\n\n".join(script[::-1])]):
        entries = answers(cells)[0]
        assert entries["10.8"]["value"] == words
        assert not any(x["error"] or x["blank"] for x in entries.values())
    assert "unicode" in function(docs)[0]["error"]


def test_what_python_needs_in_a_text_is_not_shown():
    cell = r"""text_10_8 = 'It\'s "a\"\u00e9\n\nTwo\
three' ' and \frac' + " four" """
    entry = answers([cell])[0]["10.8"]
    assert entry["value"] == 'It\'s "a\\"é\n\nTwothree and \\frac four'


# ---------------------------------------------------------------- files
def test_every_format_of_notebooks_is_read():
    nb = notebook(DONE)
    lines = json.loads(nbformat.writes(nb))
    for cell in lines["cells"]:
        cell["source"] = cell["source"] if cell["source"] else []
        cell["metadata"] = {"colab": {"x": 1}, "vscode": {"languageId": "p"}}
    del lines["metadata"]
    old = nbformat.convert(v4.upgrade(nb), 3)
    minor = dict(lines, nbformat_minor=0)
    script = "\n\n".join(DONE)
    for data, name in (
        (json.dumps(lines), "a.ipynb"),
        (json.dumps(minor), "a.json"),
        (v3.nbjson.writes(old), "a.ipynb"),
        (script, "a.py"),
        (script.replace("\n", "\r\n"), "a.py"),
    ):
        for encoding in ("utf-8", "utf-8-sig", "utf-16"):
            found = asked(data.encode(encoding), name)
            assert found["problem"] == "" and found["assignment"] == NAME
            assert sorted(found["answers"]) == ["10.1", "10.3", "10.5", "10.8"]
            assert not any(a["blank"] for a in found["answers"].values())


@pytest.mark.parametrize(
    "data, name, word",
    [
        (b"", "a.ipynb", "empty"),
        (b" \n", "a.ipynb", "empty"),
        (b'{"cells": [', "a.ipynb", "not JSON"),
        (b"<!DOCTYPE html><html>", "a.ipynb", "a saved web page"),
        (b"[1, 2]", "a.ipynb", "not a notebook"),
        (b'{"cells": {}}', "a.ipynb", "not a notebook"),
        (b'{"cells": []}', "a.ipynb", "without code"),
        (b"%PDF-1.4", "a.pdf", "not a notebook but a .pdf file"),
        (b"[" * 100_000, "a.ipynb", "deep"),
        (b"\x00\xff\xfe\x01", "a.ipynb", "not JSON"),
    ],
)
def test_files_that_are_no_notebooks_are_named(data, name, word):
    assert word in asked(data, name)["problem"]


def test_hostile_json_is_read_or_named():
    for cells in (
        [None, 3, {"cell_type": 4, "source": {"a": 1}}],
        [{"cell_type": "code", "source": [1, "x = 1", None]}],
        [{"cell_type": "code", "source": "x = '\ud800\0'"}],
        [{"cell_type": "code", "source": "(" * 5000}],
        [{"cell_type": "code", "source": "-" * 5000 + "1"}],
    ):
        found = asked(json.dumps({"cells": cells}).encode())
        assert isinstance(found["problem"], str)


def test_half_a_letter_in_a_text_cell_costs_nobody(folder, tmp_path):
    nb = notebook(GIVEN)
    nb.cells += [v4.new_markdown_cell("because \ud800 of it")]
    place = tmp_path / "in"
    place.mkdir()
    (place / "eve.ipynb").write_text(json.dumps(nb))
    (eve,) = collect(place, folder).students
    assert eve["answers"]["10.8"]["value"] == "because ? of it"


def test_no_file_has_a_thousand_notes(folder, tmp_path, capsys):
    parts = ", ".join(f"'{i}': f()" for i in range(1000))
    members = [(f"{i}.ipynb", "{") for i in range(1000)]
    members += [("x.ipynb", saved([*GIVEN, f"answer_10_1 = {{{parts}}}"]))]
    (tmp_path / "in").mkdir()
    zipped([("eve.zip", zipped(members)), ("a/b", "")], tmp_path / "in/c.zip")
    eve = collect(tmp_path / "in", folder).students[-1]
    assert "and 991 more notes" in eve["notes"]
    assert len(eve["answers"]["10.1"]["notes"]) == 11
    assert len(capsys.readouterr().out.splitlines()) < 40


def test_a_value_of_a_million_parts_is_not_kept():
    long = "1, " * 100_000
    found, _ = answers([*GIVEN, f"answer_10_1 = {{'a': [{long}]}}"])
    assert "letters, more than" in found["10.1"]["error"]
    assert len(found["10.1"]["source"]) == 0


@pytest.mark.parametrize("blank", [" ", "\t", "\n", "a, ", "(", "%", "f'{"])
def test_ninety_thousand_letters_of_a_kind_are_read_at_once(blank):
    cell = "x = = 3\n" + 90_000 // len(blank) * blank + f"\n{HELPER}"
    start = process_time()
    data = notebook([*GIVEN[:2], cell, RIGHT])
    _, name = notebooks.parse("a.ipynb", nbformat.writes(data).encode())
    found, _ = answers([*GIVEN[:2], cell, RIGHT])
    assert name == NAME and "def helper" in found["10.5"]["source"]
    assert process_time() - start < 5  # of quadratic time: minutes


def test_ten_thousand_cells_and_long_outputs():
    sources = [*(f"x{i} = {i}" for i in range(10_000)), *DONE]
    cells = [{"cell_type": "code", "source": source} for source in sources]
    cells[0]["outputs"] = [{"text": "a" * 20_000_000}]
    found = asked(json.dumps({"cells": cells}).encode())
    assert len(found["answers"]) == 4


@pytest.mark.parametrize(
    "cell",
    ["-" * 400_000 + "1", "(\n" * 3_000, "def f(:\n" * 3_000, "x = \0 3 4"],
)
def test_a_cell_that_cannot_be_read_costs_that_cell(cell):
    found, notes = answers([cell, *DONE])
    assert len(found) == 4 and notes == []


@pytest.mark.parametrize("limit", ["FILE", "ALL", "MEMBERS"])
def test_zip_bombs_are_not_unpacked(monkeypatch, limit):
    bomb = zipped([(f"{i}.ipynb", b"0" * 20_000) for i in range(3)])
    monkeypatch.setattr(files, limit, 2)
    try:
        found = files.read_zip("bomb.zip", bomb, TASKS, [])
        said = [f["problem"] for f in found]
    except files.Unreadable as error:
        said = [str(error)]
    assert all("more than" in text for text in said)


def test_a_zip_that_lies_about_its_size_is_named():
    data = bytearray(zipped([("a.ipynb", saved(DONE))]))
    place = data.rindex(b"PK\x01\x02") + 24
    data[place : place + 4] = (5).to_bytes(4, "little")
    found = files.read_zip("a.zip", bytes(data), TASKS, [])
    assert "broken in the zip" in found[0]["problem"]


# ---------------------------------------------------------------- names
@pytest.mark.parametrize(
    "name, person, number, late",
    [
        ("doejohn_12345_67890_chapter-10.ipynb", "doejohn", "12345", False),
        ("doejohn_LATE_12345_67890_a_1_2_b-1.ipynb", "doejohn", "12345", True),
        ("anon_x7Ab2_67890_a.ipynb", "anon_x7Ab2", "anon_x7Ab2", False),
        ("LATE_anon_x7Ab2_67890_a.ipynb", "anon_x7Ab2", "anon_x7Ab2", True),
        ("group_3_12345_67890_a.ipynb", "group", "3", False),
        ("Ana Lima_77_assignsubmission_file_/a.ipynb", "Ana Lima", "77", None),
        ("c/Ana Lima_77_assignsubmission_file/b/a.py", "Ana Lima", "77", None),
        ("Ana Lima_77_assignsubmission_file_a.ipynb", "Ana Lima", "77", None),
        ("Team 1_assignsubmission_file_/a.ipynb", "Team 1", "", None),
        ("Ana Lima - Chapter 10.ipynb", "Ana Lima", "", None),
        ("Copy of Ana Lima - Chapter 10 (2).ipynb", "Ana Lima", "", None),
        ("chapter-10 - Ana Lima.ipynb", "Ana Lima", "", None),
        ("chapter-10_ana.ipynb", "ana", "", None),
        ("ana/chapter-10.ipynb", "ana", "", None),
        ("ana.ipynb", "ana", "", None),
        ("user-1.py", "user-1", "", None),
        ("Copy of chapter-10 (1).ipynb", "", "", None),
        ("Untitled0.ipynb", "", "", None),
        # a student's own words do not make another student
        ("ana_1_2_Ben_3_assignsubmission_file_x.ipynb", "ana", "1", False),
        ("Ana_1_assignsubmission_file_ben_2_3_x.ipynb", "Ana", "1", None),
        ("ana/ben_2_3_x.ipynb", "ana", "", None),
    ],
)
def test_whose_it_is(name, person, number, late):
    who = find_owner(name.split("/"), 0, {"chapter-10"})
    assert (who.name, who.id, who.late) == (person, number, late)


def test_keys_are_safe_unique_and_readable():
    names = ["Ana Lima", "ana  lima", "../../etc", "<b>x</b>", "Łukasz", "李"]
    names += ["=cmd()", "con", "\x1b[31m", "\u202e", "a" * 500, "-", ""]
    keys = make_keys([(name, "") for name in names])
    assert len(set(keys)) == len(keys)
    assert keys[0] == "ana-lima" and keys[4:6] == ["łukasz", "李"]
    for key in keys:
        assert not set(key) & set("/\\<>.=\"'& \x1b") and key[0] != "-"
        assert len(key.encode()) < 120
    assert make_keys([("doejohn", "12345")]) == ["doejohn-12345"]


# ----------------------------------------------------------- everything
@pytest.fixture
def folder(tmp_path):
    """Return what was assigned."""
    place = tmp_path / "assigned"
    (place / "student").mkdir(parents=True)
    (place / "student/chapter-10.ipynb").write_text(saved(GIVEN))
    bundle = Bundle(
        assignment=NAME,
        title="Masks",
        due=read_due("2027-03-01T23:59:00+01:00"),
        seed="a seed",
        version="0.1.0",
        notebook="student/chapter-10.ipynb",
        tasks=TASKS,
    )
    write_bundle(bundle, place)
    return place


def zipped(members, path=None):
    """Return the bytes of a zip; members are (name or ZipInfo, data)."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(name, data)
    if path:
        path.write_bytes(file.getvalue())
    return file.getvalue()


def link(name):
    info = zipfile.ZipInfo(name)
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info


def tree(place):
    """Return all files of a folder, with what is in them."""
    paths = sorted(p for p in place.rglob("*") if p.is_file())
    return {p.relative_to(place).as_posix(): p.read_bytes() for p in paths}


def test_a_class_from_canvas(folder, tmp_path, capsys):
    bomb = zipped([(f"{i}.ipynb", b"0" * 2**20) for i in range(2)])
    many = zipped([(f"{i}.ipynb", b"") for i in range(files.MEMBERS + 1)])
    other = [DONE[0], DONE[1].replace("7f3a21c4", "00000000"), *DONE[2:]]
    members = [
        ("ana_1_11_a.ipynb", saved(DONE)),
        ("ben_LATE_2_12_a.ipynb", saved(DONE)),
        ("cem_3_13_old.ipynb", saved(GIVEN)),
        ("cem_3_14_old-1.ipynb", saved(DONE[:-1])),
        ("dan_4_15_a.zip", zipped([("hw/a.ipynb", saved(DONE[:-2]))])),
        ("eva_5_16_a.zip", zipped([("../../evil.ipynb", saved(DONE))])),
        ("fay_6_17_a.zip", zipped([(link("a.ipynb"), "/etc/passwd")])),
        ("gus_7_18_a.zip", bomb),
        ("hal_8_19_a.zip", many),
        ("ida_9_20_a.zip", b"PK no zip"),
        ("jan_10_21_a.pdf", b"%PDF"),
        ("kim_11_22_a.ipynb", saved(other)),
        ("<script>alert(1)</script>_12_23_a.ipynb", saved(GIVEN)),
        (link("lee_13_24_a.ipynb"), "/etc/passwd"),
        ("../mia_14_25_a.ipynb", saved(DONE)),
        ("__MACOSX/._ana_1_11_a.ipynb", b"x"),
    ]
    zipped(members, tmp_path / "all.zip")
    found = collect(tmp_path / "all.zip", folder)
    by = {s["student"].split("-")[0]: s for s in found.students}
    assert len(by) == 14
    assert [by[n]["problem"] for n in ("ana", "ben", "cem", "dan")] == [""] * 4
    assert by["ben"]["late"] and "late, says Canvas" in by["ben"]["notes"]
    assert not by["ana"]["late"]
    assert "time of the download" in found.problems[0]  # of mia's file
    twins = "the same file as that of ben-2"
    assert twins in by["ana"]["notes"]
    assert "2 files; cem_3_14_old-1.ipynb is graded" in by["cem"]["notes"]
    assert "10.8: text_10_8 was not found" in by["cem"]["notes"]
    assert len(by["dan"]["answers"]) == 2
    for name, word in (
        ("eva", "leads out of the zip"),
        ("fay", "a link"),
        ("gus", "not JSON"),
        ("hal", "more than 2000"),
        ("ida", "cannot be opened"),
        ("jan", "a .pdf file"),
        ("kim", "another seed's"),
        ("lee", "a link"),
    ):
        assert word in by[name]["problem"], name
    script = by["script"]
    assert "nothing filled in" in " ".join(script["notes"])
    printed = capsys.readouterr().out
    assert "14 students, 1 late" in printed and "notes.txt" in printed
    assert len(printed.splitlines()) <= 10
    first = tree(folder)
    told = first["collected/notes.txt"].decode()
    assert "another seed's" in told and "14 students, 1 late" in told
    assert "collected/ana-1.ipynb" in first
    assert not any("evil" in name or ".." in name for name in first)
    collect(tmp_path / "all.zip", folder)
    assert tree(folder) == first


def test_a_clean_copy_holds_the_answers(folder, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in/ana.ipynb").write_text(saved(DONE))
    (tmp_path / "in/ben.py").write_text("\n\n".join(DONE))
    collect(tmp_path / "in", folder)
    for name in ("ana", "ben"):
        path = folder / f"collected/{name}.ipynb"
        nb = nbformat.read(path, 4)
        nbformat.validate(nb)
        code = [c.source for c in nb.cells if c.cell_type == "code"]
        assert len(code) == len(GIVEN) and code[:2] == GIVEN[:2]
        assert "def helper" in code[4] and code[4].endswith(CHECK)
        assert code[5] == DONE[6] and "0.25" not in code[2]
        again = asked(path.read_bytes())
        assert not any(a["blank"] for a in again["answers"].values())
        assert again["notes"] == []


def test_a_clean_copy_keeps_what_was_typed(folder, tmp_path):
    words = "$\\nabla$\nand\n\\textbf{rows}"
    cells = [*DONE[:2], "for x in y:\n    answer_10_1[x] = 1", *DONE[3:6]]
    cells += [f'text_10_8 = """{words}"""']
    (tmp_path / "in").mkdir()
    (tmp_path / "in/ana.ipynb").write_text(saved(cells))
    collect(tmp_path / "in", folder)
    again = asked((folder / "collected/ana.ipynb").read_bytes())["answers"]
    assert again["10.8"]["value"] == words
    assert "a comment" in again["10.1"]["look"]
    assert "for x in y" in again["10.1"]["source"]


@pytest.mark.parametrize("encoding", ["utf-8", "cp437"])
def test_names_in_a_zip_that_does_not_say_how_they_are_written(
    folder, tmp_path, encoding
):
    name = "María García.ipynb"
    long = "x" * len(name.encode(encoding))
    data = zipped([(long, saved(DONE))])
    data = data.replace(long.encode(), name.encode(encoding))
    (tmp_path / "a.zip").write_bytes(data)
    (found,) = collect(tmp_path / "a.zip", folder).students
    assert (found["student"], found["files"]) == ("maría-garcía", [name])
    (inner,) = files.read_zip("a.zip", data, [], [])
    assert inner["file"] == f"a.zip/{name}"


def test_folders_of_moodle_and_times(folder, tmp_path):
    place, late = tmp_path / "in", datetime.datetime(2027, 3, 2).timestamp()
    for n, (name, time) in enumerate(
        (
            ("Ana Lima_1", late - 9e5),
            ("Ben B_2", late),
            ("Ben B_3", late - 9e6),
        )
    ):
        path = place / f"{name}_assignsubmission_file_" / "chapter-10.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(saved([*DONE, f"n = {n}"]))
        os.utime(path, (time, time))
    os.symlink("/etc/passwd", place / "link.ipynb")
    found = {s["student"]: s for s in collect(place, folder).students}
    assert sorted(found) == ["ana-lima-1", "ben-b-2", "ben-b-3", "link"]
    assert [found[k]["late"] for k in sorted(found)] == [False, True] + [
        False
    ] * 2
    assert "2027-03-02" in found["ben-b-2"]["notes"][-1]
    assert "a link" in found["link"]["problem"]


def test_names_of_drive(folder, tmp_path):
    names = ["Ana - Masks.ipynb", "Ana - Masks (1).ipynb", "Masks.ipynb"]
    names += ["Copy of Masks.ipynb", "???.ipynb"]
    members = [(f"Masks/{name}", saved(DONE)) for name in names]
    (tmp_path / "in").mkdir()
    zipped(members, tmp_path / "in/drive-download.zip")
    found = collect(tmp_path / "in", folder)
    keys = [s["student"] for s in found.students]
    assert keys == ["ana", "copy-of-masks", "masks", "unnamed"]
    assert "2 files" in found.students[0]["notes"][0]
    for s in found.students[1:]:
        assert any("whose is it?" in note for note in s["notes"])
    assert "time of the download" in found.problems[0]


def test_parts_of_a_download_are_one_class(folder, tmp_path):
    place = tmp_path / "in"
    place.mkdir()
    for part, names in (("001", ("Ana", "Ben")), ("002", ("Cem", "Dea"))):
        members = [(f"Masks/{x} - Masks.ipynb", saved(DONE)) for x in names]
        zipped(members, place / f"Masks-20270301T101500Z-1-{part}.zip")
    found = collect(place, folder)
    keys = [s["student"] for s in found.students]
    assert keys == ["ana", "ben", "cem", "dea"]


def test_people_whose_names_are_alike_stay_apart(folder, tmp_path):
    place = tmp_path / "in"
    place.mkdir()
    names = ["anna.m", "anna-m", "Anna M", f"{'w' * 90}a", f"{'w' * 90}b"]
    for name in names:
        (place / f"{name}.ipynb").write_text(saved(DONE))
    found = collect(place, folder).students
    assert len(found) == 5 and all(len(s["files"]) == 1 for s in found)
    assert len({s["student"] for s in found}) == 5


def test_a_folder_that_cannot_be_opened_is_named(
    folder, tmp_path, monkeypatch
):
    scandir, place = os.scandir, tmp_path / "in"

    def closed(path):
        if str(path).endswith("ben"):
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    for name in ("ana", "ben"):
        (place / name).mkdir(parents=True)
        (place / name / "a.ipynb").write_text(saved(DONE))
    monkeypatch.setattr(os, "scandir", closed)
    _, ben = collect(place, folder).students
    assert "Permission denied" in ben["problem"]


def test_what_crashes_the_reader_costs_one_file(folder, tmp_path, monkeypatch):
    place = tmp_path / "in"
    place.mkdir()
    (place / "ana.ipynb").write_text(saved(DONE))
    (place / "ben.ipynb").write_text(saved(["-" * 400_000 + "1"]))
    deep = '{"cells": ' + "[" * 500_000
    (place / "cem.ipynb").write_text(deep)
    found = {s["student"]: s for s in collect(place, folder).students}
    assert found["ana"]["problem"] == ""
    assert found["ben"]["problem"] and found["cem"]["problem"]


def test_a_reader_that_dies_costs_one_file(monkeypatch):
    names = ["good", "dies", "good", "link", "good"]
    found = [
        Upload(Path(x), None, x, None, "a link" * (x == "link")) for x in names
    ]

    def run_jobs(open_worker, jobs, workers, seconds):
        for i, (upload,) in [*enumerate(jobs)][::-1]:
            dies = upload.name == "dies"
            yield i, None if dies else [i], "its process ended" * dies

    monkeypatch.setattr(readers, "run_jobs", run_jobs)
    good, dead, also, link, last = readers.read_all(found, TASKS, [], 1)
    assert (good, also, last) == ([0], [2], [3])
    assert "could not be read" in dead[0]["problem"]
    assert link == [{"file": "link", "problem": "a link"}]


def test_a_reader_has_limits(monkeypatch):
    resource = pytest.importorskip("resource")
    held = {}
    monkeypatch.setattr(resource, "setrlimit", held.__setitem__)
    monkeypatch.setattr(readers, "read_upload", lambda *given: [*held])
    with readers.open_reader(TASKS, []) as read:
        read(None)
    assert held[resource.RLIMIT_CPU][0] <= process_time() + readers.SECONDS
    assert held[resource.RLIMIT_CORE] == (0, 0)
    assert held[resource.RLIMIT_AS][0] > readers.MEMORY


def test_nothing_is_left_half_written(folder, tmp_path, monkeypatch):
    place = tmp_path / "in"
    place.mkdir()
    (place / "ana.ipynb").write_text(saved(DONE))
    collect(place, folder)
    before = tree(folder)

    def stop(*inputs):
        raise KeyboardInterrupt

    (place / "ben.ipynb").write_text(saved(DONE))
    monkeypatch.setattr(Path, "rename", stop)
    with pytest.raises(KeyboardInterrupt):
        collect(place, folder)
    assert tree(folder) == before


def test_what_a_killed_run_has_left_is_taken_away(folder, tmp_path):
    place = tmp_path / "in"
    place.mkdir()
    (place / "ana.ipynb").write_text(saved(DONE))
    (folder / ".collected-x7").mkdir()
    (folder / ".collected-x8.old").mkdir()
    collect(place, folder)
    names = sorted(p.name for p in folder.iterdir())
    assert names == ["bundle.json", "collected", "student"]


def test_a_file_of_old_makes_nobody_late(folder, tmp_path):
    place, late = tmp_path / "in", datetime.datetime(2027, 4, 1).timestamp()
    place.mkdir()
    for name in ("ana", "ben", "cem", "eve"):
        path = place / f"{name}.ipynb"
        path.write_text(saved(DONE))
        os.utime(path, (late, late * (name != "eve")))
    found = collect(place, folder)
    assert not any(s["late"] for s in found.students)
    assert "time of the download" in found.problems[0]


def test_bad_input_is_named(folder, tmp_path):
    with pytest.raises(ValueError, match="expected a folder or a zip"):
        collect(tmp_path / "nothing", folder)
    (tmp_path / "no.zip").write_bytes(b"x")
    with pytest.raises(ValueError, match="expected a folder or a zip"):
        collect(tmp_path / "no.zip", folder)
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="got none"):
        collect(tmp_path / "empty", folder)
    with pytest.raises(ValueError, match="attnbook assign"):
        collect(tmp_path / "empty", tmp_path)


def test_lateness_without_a_word():
    assert (
        students.explain_lateness(
            find_owner(["a.ipynb"], 0, set()), None, None
        )
        == ""
    )
    assert slugify("") == ""


# --------------------------------------------------------- copies and copies
COPIES = (
    """
Copy of {}.ipynb|Copy of Copy of {}.ipynb|Kopie von {}.ipynb|Cópia de {}.ipynb
Copia di {}|Copie de {}.ipynb|Kopi af {}.ipynb|Kopia {}.ipynb|Копия {}.ipynb
Αντίγραφο του {}.ipynb|Bản sao của {}.ipynb|สำเนาของ {}.ipynb|نسخة من {}.ipynb
“{}.ipynb”的副本|「{}.ipynb」的副本 (2).ipynb|{}.ipynb のコピー
{} のコピー.ipynb|{}.ipynb의 사본|{}.ipynb nusxasi|{} - Kopie.ipynb
{}.ipynb adlı dosyanın kopyası
{} - Copy (2).ipynb|{} (copy).ipynb|{} copy 2.ipynb|{} (1).ipynb|{}.ipynb (1)
Kopia notatnika {}.ipynb|Копия блокнота {}.ipynb|副本{}.ipynb|복사본 - {}.ipynb
{}（1）.ipynb|{}.ipynb.txt|{}.ipynb a word in no table|{} - 副本 (3)
""".replace("\n", "|")
    .strip("|")
    .split("|")
)


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("copy", COPIES)
def test_the_words_for_a_copy_are_no_name(copy, form):
    for stem, name in (
        ("chapter-10", ""),
        ("Ana Lima - chapter-10", "Ana Lima"),
        ("Dr. Ana Lima", "Dr. Ana Lima"),
    ):
        file = unicodedata.normalize(form, copy.format(stem))
        assert find_owner([file], 0, {"chapter-10"}).name == name


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("chapter-10_ana", "ana"),
        ("chapter-10.ipynb - Ana Lima.ipynb", "Ana Lima"),
        ("chapter-10-7f3a_ana.ipynb", "ana"),
        ("ana.lima_Chapter 10.ipynb", "ana.lima"),
        ("chapter-10_1234567.ipynb", "1234567"),
        ("chapter-10_final_v2.ipynb", ""),
        ("chapter-10-2.ipynb", ""),
        ("chapter10.ipynb", ""),
        ("Copia.ipynb", ""),
        ("Másolat – chapter-10.ipynb", ""),
        ("Kopi - chapter-10 (1).ipynb", ""),
        ("Ana Copperfield.ipynb", "Ana Copperfield"),
        ("J.R. Smith", "J.R. Smith"),
        ("Copy of chapter-10/chapter-10.ipynb", ""),
        ("Ana Lima/Copy of chapter-10.ipynb", "Ana Lima"),
    ],
)
def test_what_stands_beside_the_title(file, name):
    titles = {"chapter-10", "chapter-10-7f3a"}
    assert find_owner(file.split("/"), 0, titles).name == name


def files_in(place, files):
    """Write files of a class: name -> text."""
    place.mkdir()
    for name, text in files.items():
        (place / name).write_text(text, encoding="utf-8")
    return place


def test_copies_of_two_students_never_become_one(folder, tmp_path):
    names = ["Copy of Masks.ipynb", "Copy of Masks (1).ipynb", "“Masks”的副本"]
    names += ["Cópia de Masks.ipynb", "Masks", "Nakala yako Masks.ipynb"]
    names += ["Nakala yako Masks (1).ipynb"]  # of a language in no table
    names += ["Másolat – Masks.ipynb", "Másolat – Masks (1).ipynb"]
    names += ["Masks - Kopijo.ipynb", "Masks - Kopijo (2).ipynb"]
    files = {x: saved([*DONE, f"n = {i}"]) for i, x in enumerate(names)}
    found = collect(files_in(tmp_path / "in", files), folder).students
    assert len(found) == len(names)
    for s in found:
        assert len(s["files"]) == 1 and len(s["answers"]) == 4
        assert any("whose is it?" in note for note in s["notes"])


def test_a_name_that_may_be_none_is_said(folder, tmp_path):
    files = {"notatnika Masks": True, "Ana Lima Masks": False}
    files |= {"ana.ipynb": False, "张三 Masks.ipynb": False}
    texts = {x: saved([*DONE, f"n = {i}"]) for i, x in enumerate(files)}
    found = collect(files_in(tmp_path / "in", texts), folder).students
    said = "whose is it? notatnika may not be a person's name"
    for s in found:
        assert (said in s["notes"]) == files[s["files"][0]]
        assert ("whose" in f"{s['notes']}") == files[s["files"][0]]


def test_one_students_copies_stay_one(folder, tmp_path):
    names = ["Ana Lima - Masks.ipynb", "Copy of Ana Lima - Masks.ipynb"]
    names += ["ana lima - Masks (2).ipynb", "Ana Lima Masks (1).ipynb"]
    files = {x: saved([*DONE, f"n = {i}"]) for i, x in enumerate(names)}
    (ana,) = collect(files_in(tmp_path / "in", files), folder).students
    assert ana["notes"][0].startswith("4 files; ana lima - Masks (2).ipynb is")


def test_a_mark_more_is_another_student(folder, tmp_path):
    names = ["मीना", "मोना", "Anna Weiß", "Anna Weiss", "André", "Andre"]
    files = {f"{name}.ipynb": saved(DONE) for name in names}
    files[unicodedata.normalize("NFD", "André (1).ipynb")] = saved(DONE)
    found = collect(files_in(tmp_path / "in", files), folder).students
    assert sorted(s["name"] for s in found) == sorted(names)


def test_letters_that_join_others_are_shown():
    name = "علی\u200cرضا"
    assert clean_line(name) == name and slugify(name) == "علیرضا"
    assert clean_line("a\u200cb\u202ec") == "a\ufffdb\ufffdc"


@pytest.mark.parametrize(
    "name",
    ["a", "a.ipynb (1)", "“a.ipynb”的副本", "Dr. Ana", "a.pdf", "a.txt",
     "a.ipynb"],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["notebook", "script"])
def test_a_file_is_judged_by_what_stands_in_it(name, kind):
    text = saved(DONE) if kind == "notebook" else "\n\n".join(DONE)
    found = asked(text.encode(), name)
    assert found["problem"] == "" and len(found["answers"]) == 4


def test_a_notebook_that_is_called_a_script_is_a_notebook():
    assert len(asked(saved(DONE).encode(), "a.py")["answers"]) == 4


@pytest.mark.parametrize(
    ("data", "name", "word"),
    [
        (b"%PDF-1.4", "“a.ipynb”的副本", "not JSON"),
        (b"import taxes are high", "essay.txt", "not JSON"),
        (b"# Masks\n```\nASSIGNMENT = 1\n```", "a.md", "a .md file"),
        (b'{"a": 1}', "a.pages", "a .pages file"),
        (b"<html>import torch", "a", "a saved web page"),
    ],
)
def test_what_is_neither_is_named_whatever_its_name(data, name, word):
    assert word in asked(data, name)["problem"]


@pytest.mark.parametrize("name", ["a.zip (1)", "a", "“a.zip”的副本", "A.ZIP"])
def test_a_zip_is_a_zip_whatever_its_name(tmp_path, name):
    (tmp_path / "x").write_bytes(zipped([("a.ipynb", saved(DONE))]))
    upload = Upload(tmp_path / "x", None, name, None)
    (found,) = files.read_upload(TASKS, [], upload)
    assert found["file"] == f"{name}/a.ipynb" and len(found["answers"]) == 4


@pytest.mark.parametrize(
    "names", [["class.zip (1)"], ["m-20270301T101500Z-1-001 (1).zip",
              "m-20270301T101500Z-1-002.zip"]],
)  # fmt: skip
def test_a_class_in_a_zip_that_a_browser_has_counted(folder, tmp_path, names):
    place = files_in(tmp_path / "in", {})
    for name, people in zip(names, (("Ana", "Ben"), ("Cem",)), strict=False):
        members = [(f"{x} - Masks.ipynb", saved(DONE)) for x in people]
        zipped(members, place / name)
    found = collect(place, folder).students
    assert len(found) == len(names) + 1


def test_a_document_of_an_office_is_no_zip(tmp_path):
    (tmp_path / "x").write_bytes(zipped([("[Content_Types].xml", "<x/>")]))
    upload = Upload(tmp_path / "x", None, "essay.docx", None)
    (found,) = files.read_upload(TASKS, [], upload)
    assert found["problem"] == "not a notebook but a .docx file"


# ------------------------------------------------------------- what is said
GIVEN_OUT = "handed in as it was given out, nothing filled in"


@pytest.mark.parametrize(
    ("cells", "is_true"),
    [
        (GIVEN, True),
        ([*GIVEN[:2], GIVEN[5], *GIVEN[2:5]], True),  # moved
        ([*GIVEN, "answer_10_2 = {'a': 1}"], False),  # renamed
        ([*GIVEN, "# Because rows sum to 1."], False),
        (GIVEN[:4], False),  # deleted
        ([x.replace("...", "None") for x in GIVEN], False),
    ],
)
@pytest.mark.parametrize("ending", ["ipynb", "py"])
def test_as_it_was_given_out_is_said_where_it_is_true(
    folder, tmp_path, cells, is_true, ending
):
    text = saved(cells) if ending == "ipynb" else "\n\n".join(cells)
    place = files_in(tmp_path / "in", {f"ana.{ending}": text})
    (ana,) = collect(place, folder).students
    assert (GIVEN_OUT in ana["notes"]) == is_true
    blank = all(x["blank"] for x in ana["answers"].values())
    changed = any("look at the file" in note for note in ana["notes"])
    assert changed == (blank and not is_true)


def test_a_late_file_replaces_none_without_a_word(folder, tmp_path, capsys):
    late = ("ana_LATE_1_12_b.ipynb", saved([*DONE, "n = 1"]))
    in_time = ("ana_1_11_a.ipynb", saved(DONE))
    zipped([in_time, late], tmp_path / "both.zip")
    (ana,) = collect(tmp_path / "both.zip", folder).students
    said = "the graded file is late, ana_1_11_a.ipynb was in time"
    assert any(note.startswith(said) for note in ana["notes"])
    for members, told in (
        ([in_time], ""), ([late], "in time when collected before, late now"),
        ([late], ""),
    ):  # fmt: skip
        zipped(members, tmp_path / "all.zip")
        capsys.readouterr()
        collect(tmp_path / "all.zip", folder)
        out = capsys.readouterr().out
        assert f"! {told}: ana-1" in out if told else "before" not in out


def test_what_matters_has_ten_lines_and_the_rest_a_file(
    folder, tmp_path, capsys
):
    files = {f"s{i}.ipynb": saved([*DONE, f"n = {i}"]) for i in range(60)}
    files |= {f"s{i} (1).ipynb": saved(DONE) for i in range(20)}
    files |= {f"bad{i}.ipynb": "{" for i in range(12)}
    files |= {f"Copy of Masks ({i}).ipynb": saved(GIVEN) for i in range(9)}
    collect(files_in(tmp_path / "in", files), folder)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 10 and max(map(len, lines)) < 160
    assert lines[0].startswith("81 students, 0 late, 12 with a problem")
    said = "12 cannot be graded as they are: bad0, bad1, bad10, bad11 and 8"
    assert any(said in line for line in lines)
    assert any(" 9 whose are they?: copy-of-masks-0" in x for x in lines)
    assert any("20 several files, of which one" in x for x in lines)
    path = folder / "collected/notes.txt"
    assert lines[-1] == f"all of it    {path}"
    told = path.read_text("utf-8")
    assert all(f"bad{i} " in told for i in range(12)) and "s7 (1)" in told


def test_a_small_class_is_told_whole(folder, tmp_path, capsys):
    place = files_in(tmp_path / "in", {"calculate.ipynb": saved(DONE)})
    collect(place, folder)
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split() == ["calculate", "4/4"]
    assert lines[-2].startswith("1 student, 0 late")
