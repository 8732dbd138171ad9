"""Answers of a newer Python than the one that grades."""

import json
import sys

import pytest

from attnbook.teaching import files
from attnbook.teaching.bundle import Task
from attnbook.teaching.pythons import is_newer, newer, written_with

STUB = "def masks_for(source):\n    ..."
LOOKS = {"title": "", "kind": "", "points": 1, "minutes": 1}
TASKS = (
    Task(id="10.5", name="masks_for", form="function", stub=STUB, **LOOKS),
    Task(id="10.1", name="answer", form="values", stub="", **LOOKS),
)
NEWER = [
    (12, 'print(f"{"shape"}: {x.shape}")'),
    (12, "x = f'{a['b']}' + f'{{}}'"),
    (12, 'x = f"{"\\n".join(y)}"'),
    (12, 'x = f"{\n    y  # of all\n}"'),
    (12, 'x = f"""\n\n{d["x"]!r:>{"5"}}\n{"\\n"}"""'),
    (12, 'x = f"{f"{f"{1 + 1}"}"}"'),
    (12, "def first[T](x: T) -> T:\n    return x"),
    (12, 'class A[T: list[int], *S]:\n    """A[T]."""\n    x: T'),
    (12, "type Pair[T] = tuple[T, T]"),
    (13, "def first[T = int](x): return x"),
    (14, "x = t'{a}'"),
    (14, "try:\n    pass\nexcept TypeError, a.ValueError:\n    pass"),
    (14, 'def f[T](x): return t"{x}" + f"{"a"}"'),
]
BROKEN = [
    'f"{x"', 'f"{x y}"', "def f(:", "def f[T](x:\n    return", "a = b[T](3",
    "x = = 3", "try:\n    1\nexcept (A, B:\n    2", 'f"{"a"}', "type = = 1",
]  # fmt: skip


@pytest.mark.parametrize(("version", "source"), NEWER)
def test_the_python_that_an_answer_needs_is_named(version, source):
    said = newer(source, here=(3, 11))
    assert said.startswith(f"needs Python 3.{version} or newer (")
    assert said.endswith("; Python 3.11 grades") and is_newer(said)
    assert newer(source, here=(3, 15)) == ""


@pytest.mark.parametrize("source", BROKEN)
def test_what_no_python_can_read_is_a_mistake(source):
    assert newer(source, here=(3, 11)) == ""


@pytest.mark.parametrize(
    "part", ['f"{', 'f"""{', "f'''{a\n", "def f[", "type x [", "except a,",
             "f'{a", "class ", " ", "\n", "{", "t'"]
)  # fmt: skip
def test_a_long_source_is_looked_through_at_once(part):
    assert newer(f"x = {part * 4000} = 3", here=(3, 11)) == ""


def notebook(source, version=None):
    """Return the bytes of a notebook with one cell."""
    about = {"language_info": {"name": "python", "version": version}}
    cell = {"cell_type": "code", "source": source}
    return json.dumps({"metadata": about, "cells": [cell]}).encode()


def entries(source, version=None):
    """Return what is collected of a notebook."""
    data = notebook(source, version)
    return files.read("a.ipynb", data, TASKS, [])["answers"]


old = pytest.mark.skipif(
    sys.version_info >= (3, 12), reason="this Python can read it"
)


@old
@pytest.mark.parametrize(
    "source",
    [
        'def masks_for(source):\n    return f"{"a"}"',
        "def masks_for[T](source: T):\n    return source",
        "def first[T](x: T): return x\n"
        "def masks_for(source): return first(source)",
        "type Pair = int\ndef masks_for(source) -> Pair: return source",
    ],
)
def test_such_an_answer_or_helper_is_no_silent_zero(source):
    assert is_newer(entries(source)["10.5"]["error"])


@old
def test_a_value_in_words_of_a_newer_python():
    assert is_newer(entries('answer = {"a": f"{"x"}"}')["10.1"]["error"])


def test_a_helper_that_no_python_can_read_is_named():
    source = "def first(x) return x\ndef masks_for(x): return first(x)"
    (entry,) = entries(source).values()
    assert (
        not entry["error"] and "needs first; first cannot" in entry["notes"][0]
    )


def test_a_notebook_says_with_which_python_it_was_written():
    broken = "def masks_for(source):\n    return = 1"
    error = entries(broken, "3.99.1")["10.5"]["error"]
    assert "; written with Python 3.99, and Python " in error
    assert is_newer(error)
    for version in ("3.9.1", "", None, 3, "x.y"):
        assert not is_newer(entries(broken, version)["10.5"]["error"])
    for data in (b"", b"{", b"[" * 100_000, b"\xff", b"[]", b"def f(): 1"):
        assert written_with(data) == ""
