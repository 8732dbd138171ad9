"""Numbers may move within their tolerance; nothing else may."""

import importlib
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import nbformat
import pytest

import cell_numbers
import notebook_numbers
import spread

# pandas would take code/experiments/bottleneck.py for a library that it uses.
sys.modules["bottleneck"] = None
pd = importlib.import_module("pandas")
del sys.modules["bottleneck"]

ROOT = Path(__file__).resolve().parents[1]
TABLE = {"loss": [0.5, 0.25], "the loss": [1.5, 12.0]}
IMPORT = "import pandas as pd\n"
SHOW_SVG = """from IPython.display import display
svg = '<svg class="{}">new</svg>'
display({{"image/svg+xml": svg, "text/plain": "a"}}, raw=True)"""
PLOT = {
    "image/svg+xml": '<svg class="attnbook-plot">old</svg>',
    "text/plain": "a",
}
SHOW = f"{IMPORT}pd.DataFrame({TABLE}, index=['first', 'last one'])"


def table(**changes):
    columns = TABLE | {"the loss": changes.pop("the_loss", TABLE["the loss"])}
    return pd.DataFrame(columns | changes, index=["first", "last one"])


# name: source, stored output, metadata, what the message must hold; None
# where the cell must pass.  All are cells of one notebook.
CELLS = {
    "inside": ("print('a 0.52')", "a 0.50\n", {"absolute": 0.03}, None),
    "outside": (
        "print('a 0.52')",
        "a 0.50\n",
        {"relative": 0.03},
        ["stored 0.50", "got 0.52", "0.015"],
    ),
    "wider": (
        "print('[-0.1,  9.9]')",
        "[ 0.1, 10.0]\n",
        {"absolute": 0.2},
        None,
    ),
    "word": (
        "print('b 0.50')",
        "a 0.50\n",
        {"absolute": 1},
        ["stored 'a <number>', got 'b <number>'"],
    ),
    "integer": (
        "print('a 0.50 7')",
        "a 0.50 8\n",
        {"absolute": 9},
        ["'a <number> 8', got 'a <number> 7'"],
    ),
    "nan": (
        "print('nan')",
        "0.50\n",
        {"absolute": 9},
        ["stored '<number>', got 'nan'"],
    ),
    "no number": ("print('#')", "0.50\n", {"absolute": 9}, ["got '#'"]),
    "row": (
        "print('0.50')",
        "0.50\n0.40\n",
        {"absolute": 9},
        ["stored '<number>', got None"],
    ),
    "no metadata": (
        "print('a 0.52')",
        "a 0.50\n",
        None,
        ["mismatch 'stdout'"],
    ),
    "claims without a tolerance": (
        "print('a 0.5')",
        "a 0.50\n",
        {"claims": ["len(TABLE) > 0"]},
        ["mismatch 'stdout'"],
    ),
    "another kind": (
        "print('a 0.50')\n3",
        "a 0.50\n",
        {"absolute": 1},
        ["Unexpected output fields"],
    ),
    "column": (
        SHOW,
        table(the_loss=[1.9, 9.9]),
        {"columns": {"the loss": {"relative": 0.3}}},
        None,
    ),
    "other column": (
        SHOW,
        table(loss=[0.6, 0.25]),
        {"columns": {"the loss": {"relative": 0.3}}},
        [
            "stored 0.60, got 0.50: may move by 0",
            "stored 0.60, got 0.50 in column 'loss': may move by 0",
        ],
    ),
    "a column that is not there": (
        SHOW,
        table(),
        {"columns": {"accuracy": {"absolute": 0.5}}},
        ["column 'accuracy': expected a table that has it"],
    ),
    "near column": (
        SHOW,
        table(the_loss=[1.9, 9.9]),
        {"absolute": 3, "columns": {"the loss": {"absolute": 0.5}}},
        ["stored 9.9, got 12.0 in column 'the loss': may move by 0.5"],
    ),
    "claims": (
        "last, steps = 0.93, 400\nprint(last)",
        "0.92\n",
        {
            "absolute": 0.02,
            "claims": ["last > 0.9", "0.8 < last < 1", "steps == 400"],
        },
        None,
    ),
    "a column's claims": (
        SHOW,
        table(),
        {"claims": ["loss['last one'] < loss['first']", "loss.min() > 0.2"]},
        None,
    ),
    "no table, no columns": (
        "print(1)",
        "1\n",
        {"claims": ["loss['first'] > 0"]},
        ["NameError", "'loss'"],
    ),
    "false": (
        "print(last)",
        "0.93\n",
        {"absolute": 0.02, "claims": ["last > 0.95"]},
        ["'last > 0.95'", "last = 0.93 +- 0.02"],
    ),
    "too near": (
        "print(last)",
        "0.93\n",
        {"absolute": 0.02, "claims": ["last > 0.92"]},
        ["within the tolerance", "last = 0.93 +- 0.02"],
    ),
    "not a number": (
        "print(last)",
        "0.93\n",
        {"claims": ["str(last) > 0.92"]},
        ["to be a number, got '0.93'"],
    ),
    "unknown": (
        "print(last)",
        "0.93\n",
        {"claims": ["lost > 0.92"]},
        ["lost > 0.92", "'lost' is not defined"],
    ),
    "nothing": (
        "print(last)",
        "0.93\n",
        {"claims": ["0.9 > 0.5"]},
        ["expected a name in the claim"],
    ),
    "ignored output": (
        "# NBVAL_IGNORE_OUTPUT\nprint(last)",
        "0.1\n",
        {"claims": ["last > 0.95"]},
        ["'last > 0.95'"],
    ),
    "unknown key": (
        "print(last)",
        "0.93\n",
        {"tolerance": 0.05},
        ["expected a key out of", "'tolerance'"],
    ),
    "a plot": (SHOW_SVG.format("attnbook-plot"), PLOT, None, None),
    "a plot with numbers": (
        SHOW_SVG.format("attnbook-plot"),
        PLOT,
        {"absolute": 1},
        None,
    ),
    "a drawing": (
        SHOW_SVG.format("attnbook-drawing"),
        PLOT | {"image/svg+xml": "<svg/>"},
        None,
        ["mismatch 'image/svg+xml'"],
    ),
    "before": (
        "known = set(globals())",
        None,
        {"claims": ["len(known) > 0"]},
        None,
    ),
    "no trace": ("print(set(globals()) - known)", "{'known'}\n", None, None),
}


def outputs_of(stored):
    """The outputs of a cell that has shown something, printed, or neither."""
    if stored is None:
        return []
    if isinstance(stored, str):
        return [nbformat.v4.new_output("stream", text=stored)]
    if isinstance(stored, dict):
        return [nbformat.v4.new_output("display_data", stored)]
    data = {"text/plain": repr(stored), "text/html": stored._repr_html_()}
    return [nbformat.v4.new_output("execute_result", data, execution_count=1)]


def make_cell(source, stored, numbers):
    """A cell as it lies in a notebook, with its stored output."""
    return nbformat.v4.new_code_cell(
        source,
        outputs=outputs_of(stored),
        execution_count=1,
        metadata={} if numbers is None else {"numbers": numbers},
    )


@pytest.fixture(scope="module")
def messages(tmp_path_factory):
    """What the plugin says of each cell, "" where it passes."""
    folder = tmp_path_factory.mktemp("notebook")
    cells = [make_cell(*case[:3]) for case in CELLS.values()]
    nbformat.write(
        nbformat.v4.new_notebook(cells=cells), folder / "cells.ipynb"
    )
    command = [sys.executable, "-m", "pytest", "-q", "--color=no"]
    command += ["-c", str(ROOT / "tests/pytest-notebooks.ini")]
    command += [f"--rootdir={folder}", f"--junitxml={folder / 'found.xml'}"]
    run = subprocess.run(
        [*command, str(folder)], cwd=ROOT, capture_output=True, text=True
    )
    assert run.returncode == 1, run.stdout + run.stderr
    tests = ElementTree.parse(folder / "found.xml").iter("testcase")
    found = ["".join(test.itertext()) for test in tests]
    return dict(zip(CELLS, found, strict=True))


@pytest.mark.parametrize("name", CELLS)
def test_a_cell_passes_or_says_why_not(messages, name):
    expected = CELLS[name][3]
    if expected is None:
        assert messages[name] == ""
    else:
        for part in expected:
            assert part in messages[name]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("-0.5 and 1.5e-3, 2e+10", ["-0.5", "1.5e-3", "2e+10"]),
        ("1,234.5 of 99.9%", ["1,234.5", "99.9"]),
        ("tensor([0.5, -0.25])", ["0.5", "-0.25"]),
        ("0.1-0.2", ["0.1", "0.2"]),
        ("7, 1,234, nan, inf, 3.11.7, v1.2, e5, a2e3, 5.", []),
    ],
)
def test_a_number_that_may_move_has_a_point_or_an_exponent(text, numbers):
    assert cell_numbers.NUMBER.findall(text) == numbers


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a:  9.9\n", "a: 10.0\n"),
        ("    loss\na   0.1", "     loss\na  -0.1"),
        ("[[0.1, 9.9]]", "[[ 0.1, 10.0]]"),
    ],
)
def test_alignment_does_not_count(old, new):
    assert cell_numbers.words(old) == cell_numbers.words(new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("0.1 0.2", "0.1"),
        ("0.1", "0.1\n"),
        ("0.1\n0.2", "0.1 0.2"),
        ("0.1 a", "0.1 b"),
        ("a b 0.1", "ab 0.1"),
        ("3 0.1", "4 0.1"),
        ("0.1", "inf"),
    ],
)
def test_words_rows_and_integers_do(old, new):
    same = cell_numbers.words(old) == cell_numbers.words(new)
    assert same == (old.strip() == new.strip())


def test_columns_are_found_in_tables_that_wrap_and_share_cells():
    index = pd.MultiIndex.from_product([["u", "v"], [1, 2]])
    names = [f"column {n}" for n in range(12)]
    values = [[row + n / 100 for n in range(12)] for row in range(4)]
    frame = pd.DataFrame(values, index, names)
    for text in (frame.to_string(line_width=60), frame.to_html()):
        found = {
            match[0]: cell_numbers.column_of(text, match, dict.fromkeys(names))
            for match in cell_numbers.NUMBER.finditer(text)
        }
        assert len(found) == 48
        for shown, column in found.items():
            assert column == f"column {round(100 * float(shown)) % 100}"


def test_a_name_that_ends_in_another_has_its_own_column():
    text = repr(table())
    found = [
        cell_numbers.column_of(text, match, TABLE)
        for match in cell_numbers.NUMBER.finditer(text)
    ]
    assert found == ["loss", "the loss"] * 2


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ([1], "expected keys and values"),
        ({"relative": "0.1"}, "relative as a number of at least 0"),
        ({"absolute": -1}, "absolute as a number of at least 0"),
        ({"absolute": float("nan")}, "absolute as a number of at least 0"),
        ({"absolute": True}, "absolute as a number of at least 0"),
        ({"tolerance": 1}, "expected a key out of"),
        ({"columns": ["a"]}, "columns: expected names"),
        ({"columns": {"a": 0.1}}, "column 'a': expected names and values"),
        ({"columns": {"a": {"claims": []}}}, "column 'a': expected a key"),
        ({"columns": {4: {"absolute": 1}}}, "expected a name in quotes"),
        ({"claims": "a > 1"}, "claims: expected a list"),
        ({"claims": ["a"]}, "expected a comparison"),
        ({"claims": ["a >"]}, "expected a comparison"),
        ({"claims": [True]}, "expected a comparison"),
        ({"claims": ["a in b"]}, "expected a comparison with one of"),
        ({"claims": ["not a > 1"]}, "expected a comparison with one of"),
        ({"claims": ["len([]) < 1"]}, "expected a name in the claim"),
    ],
)
def test_malformed_metadata_is_refused(numbers, message):
    assert any(message in c for c in cell_numbers.complaints(numbers))


def test_well_formed_metadata_is_accepted():
    numbers = {"relative": 0.1, "absolute": 0, "claims": ["0 < a <= b[3]"]}
    numbers["columns"] = {"a": {"absolute": 1}}
    assert cell_numbers.complaints(numbers) == []


@pytest.mark.parametrize(
    ("claim", "sizes", "holds"),
    [
        ("a > 0.8", [0.95, 0.8], True),
        ("a > 0.9", [0.95, 0.9], False),  # 0.85 is not
        ("a < b", [0.4, 0.7], True),
        ("a < b", [0.4, 0.55], False),  # both move
        ("0.1 < a < 0.9", [0.1, 0.5, 0.9], True),
        ("0.1 < a < 0.9", [0.1, 0.85, 0.9], False),
        ("n > 4", [5, 4], True),  # an integer does not move
        ("n == 5", [5, 5], True),
        ("n == 5", [6, 5], False),
        ("a == 0.5", [0.5, 0.5], False),  # a number that moves never equals
        ("a != 0.5", [0.55, 0.5], False),
        ("a != 0.5", [0.75, 0.5], True),
        ("a >= 0.5", [float("nan"), 0.5], False),
        ("loss > 1.0", [1.2, 1.0], False),  # its column may move by 0.5
        ("loss > 1.0", [1.6, 1.0], True),
    ],
)
def test_a_claim_holds_for_all_values_within_the_tolerance(
    claim, sizes, holds
):
    numbers = {"absolute": 0.1, "columns": {"loss": {"absolute": 0.5}}}
    wrong = notebook_numbers.judge(claim, sizes, numbers)
    assert (wrong is None) == holds
    assert holds or (repr(claim) in wrong and "expected" in wrong)


@pytest.mark.parametrize(
    "claim", ["a - b > 0.2", "2 * a < 2", "abs(a + b) > 1"]
)
def test_a_sum_has_no_tolerance_that_could_be_told(claim):
    numbers = {"absolute": 0.05}
    with pytest.raises(ValueError, match="expected a name, or products"):
        notebook_numbers.judge(claim, [1.5, 0.2], numbers)
    numbers = {"relative": 0.05}
    sums = "*" not in claim
    if sums:
        with pytest.raises(ValueError, match="expected a name, or products"):
            notebook_numbers.judge(claim, [1.5, 0.2], numbers)


@pytest.mark.parametrize(
    ("claim", "sizes", "holds"),
    [
        ("a / b < 2.5", [2.0, 2.5], True),
        ("a / b < 2.3", [2.0, 2.3], False),  # 10 % of each
        ("2 * a < 2.3", [2.0, 2.3], True),
        ("a[3 - 1] < 2.3", [2.0, 2.3], True),  # an index is no number
    ],
)
def test_the_tolerances_of_factors_add_up(claim, sizes, holds):
    wrong = notebook_numbers.judge(claim, sizes, {"relative": 0.1})
    assert (wrong is None) == holds


def printed(text, numbers=None):
    return make_cell("", text, numbers)


@pytest.mark.parametrize(
    ("texts", "numbers", "line", "fine"),
    [
        (("a 0.50", "a 0.50"), None, None, True),
        (("a 0.50", "a 0.52"), None, "TOO LITTLE IS", False),
        (("a 0.50", "a 0.52"), {"absolute": 0.05}, "TOO LITTLE", False),
        (("a 0.50", "a 0.52"), {"absolute": 0.06}, "spread 0.02", True),
        (("a 0.50", "a 0.52"), {"relative": 0.12}, "relative 0.12", True),
        (("a 0.50", "a 0.50"), {"absolute": 0.06}, "spread 0 or 0", True),
        (("a 0.50", "b 0.50"), {"absolute": 0.06}, "words", False),
        (("a 0.50", ""), {"absolute": 0.06}, "words", False),
    ],
)
def test_the_spread_is_measured_and_compared(texts, numbers, line, fine):
    cells = [printed(text, numbers) for text in texts]
    lines, enough = spread.measure(cells)
    assert enough == fine
    assert lines == [] if line is None else line in lines[0]


def test_the_spread_of_a_table_is_measured_by_column():
    tables = table(), table(the_loss=[1.6, 12.0])
    cells = [make_cell("", t, {"absolute": 0.3}) for t in tables]
    lines, fine = spread.measure(cells)
    assert fine
    assert len(lines) == 2
    assert "column 'loss': 2, spread 0 " in lines[0]
    assert "column 'the loss': 2, spread 0.1 " in lines[1]


def test_the_tool_says_which_cell_moves_too_much(monkeypatch, capsys):
    runs = [
        nbformat.v4.new_notebook(cells=[printed("fixed"), printed(text)])
        for text in ("0.50", "0.52")
    ]
    monkeypatch.setattr(spread, "run_all", lambda text, last: runs)
    assert spread.main(["02"]) == 1
    assert "cell 1, numbers: 1, spread 0.02" in capsys.readouterr().out
    assert spread.main(["02", "0"]) == 0
    assert "enough is declared" in capsys.readouterr().out
    assert spread.main(["99"]) == 2
