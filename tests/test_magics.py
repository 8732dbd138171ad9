"""What is no Python in a cell is told from what is, as IPython does it."""

import ast
import time

import pytest
from IPython.core.inputtransformer2 import TransformerManager

from attnbook.teaching.magics import cell_magics, exported, without_magics
from attnbook.teaching.notebooks import parse
from attnbook.teaching.statements import statements

CELLS = [
    "x = (\n  a\n!= b\n)\n!ls",
    "x = [a\n% b,\n c]\n%time",
    "x = a \\\n  % b\n%cd b",
    "x = '''\n%a\n!b\nc?\n'''\n!ls",
    'x = f"""\n!{a!r}\n"""\nx?',
    "x = {'a': '''\n?b\n'''}\n?x",
    "if a:\n    !ls\n    %cd b\n    y = 2\nelse:\n    %cd c",
    "def f(a):\n    !ls\n    return a \\\n    % b",
    "files = !ls\na, b = %who\na[0] = !ls -l",
    "!ls \\\n  -l (\nx = 1",
    "!echo '(' \"\nx = 1",
    "x??\nx.y?\nx = y?\n# what?\nprint('a?')",
    "x = a != b\nprint('!ls', '%a')",
    "x = 'it\\'s'\n!ls\ny = r'\\\\'\n%a",
    "x = 1\n%%time\ny = 2",
    "x = 1  # '''\n%a\ny = 2  # '''",
]


def shape(source):
    """Return the syntax of a source, calls of IPython's as `pass`."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        for body in (getattr(node, "body", 0), getattr(node, "orelse", 0)):
            for i, s in enumerate(body if isinstance(body, list) else []):
                if ast.unparse(s).startswith("get_ipython()."):
                    body[i] = ast.Pass()
    return ast.dump(tree)


@pytest.mark.parametrize("cell", CELLS)
def test_a_line_is_a_magic_where_ipython_takes_it_for_one(cell):
    mine, theirs = without_magics(cell), TransformerManager().transform_cell
    assert shape(mine) == shape(theirs(cell))
    assert mine.count("\n") == cell.count("\n")


def test_what_is_timed_is_run():
    made = without_magics("%time x = f(2)\n  %time\ny = %time g(x)")
    assert made == "x = f(2)\n  pass\ny = g(x)"


@pytest.mark.parametrize(
    "head",
    ["%%time", "\n%%timeit -n 2\n", "%%capture out\n%%time", "%%debug",
     "%%memit -r 1", "%%ipytest -qq", "%%prun", "%%unknown of tomorrow",
     "%%time\n\n!ls\n%matplotlib inline"],
)  # fmt: skip
def test_under_most_cell_magics_the_rest_is_python(head):
    cell = f"{head}\nx = (\n    a\n    != b\n)\ny = 3"
    found = statements(cell)
    assert [n for s in found for n in sorted(s.binds)] == ["x", "y"]
    assert not any(s.error for s in found)
    assert cell_magics(cell)[1].count("\n") == cell.count("\n")


@pytest.mark.parametrize(
    "head", ["%%bash", "%%html", "%%writefile a.py", "%%!", "%%time\n%%sh"]
)
def test_under_some_it_is_not(head):
    assert statements(f"{head}\nx = 3") == []


def test_a_broken_cell_with_magics_keeps_its_other_statements():
    cell = "!ls\n%cd a\ndef f(:\n    pass\n\nx = (\n1\n!= 2\n)\ny = '''\n%a'''"
    found = [s for s in statements(cell) if not s.error]
    bound = [s for s in found if s.binds]
    assert [*map(str, bound[0].binds)] == ["x"] and "!= 2" in bound[0].text
    assert bound[1].node.value.value == "\n%a"


CELL = 'def f(a):\n    """Say \'it\'."""\n    # a % b\n\n    return a'
TIMED = "%%time\n" + CELL
COMMENT = "# Commented out IPython magic to ensure Python compatibility.\n"


@pytest.mark.parametrize(
    "script",
    [
        f"get_ipython().run_cell_magic('time', '', {CELL!r})\n",
        f"get_ipython().run_cell_magic(u'time', u'', u{CELL!r})\n",
        f"get_ipython().run_cell_magic('capture', 'x', {TIMED!r})",
        COMMENT + "# %%time\n# " + CELL.replace("\n", "\n# ") + "\n",
        COMMENT + "# %%time\n# " + CELL.replace("\n", "\n# ").replace(
            "# \n", "#\n"),
        f"# %%\n# %%time\n{CELL}\n",
        f"# In[3]:\n\n\n%%time\n{CELL}\n",
        f"{COMMENT}# %matplotlib inline\n{CELL}",
        f"get_ipython().system('ls')\n{CELL}",
    ],
)  # fmt: skip
def test_a_cell_of_a_script_is_read_in_the_form_of_any_export(script):
    text = f"import os\n\n{script}\n\nx = 3\n"
    for data in (text, text.replace("\n", "\r\n")):
        ((kind, source),), _ = parse("a.py", data.encode())
        (f,) = [s for s in statements(source) if "f" in s.binds]
        assert kind == "code" and f.text == CELL
        assert {"os", "x"} <= {n for s in statements(source) for n in s.binds}


@pytest.mark.parametrize(
    "line",
    [
        f"get_ipython().run_cell_magic('bash', '', {CELL!r})\n",
        "get_ipython().run_cell_magic('time', '')\n",
        "get_ipython().run_cell_magic(name, '', cell)\n",
        "x = '''\nget_ipython().system('ls')\n'''\n",
        COMMENT + "# %%bash\n# def f(a): return a\n",
    ],
)
def test_what_is_no_cell_of_python_stays_as_it_is(line):
    assert exported(line) == line


@pytest.mark.parametrize(
    "text", ["(" * 99_999, "'" * 99_999, "\\" * 99_999, "\n?" * 30_000,
             "x = !" * 30_000, "!\\\n" * 50_000, "'''\n%a\n" * 20_000],
)  # fmt: skip
def test_no_text_stalls_it(text):
    start = time.perf_counter()
    without_magics(text)
    cell_magics("%%a\n" * len(text))
    exported("get_ipython()\n" + text)
    assert time.perf_counter() - start < 5
