"""What an answer may not call is named; right answers raise no alarm."""

import inspect
import textwrap
from pathlib import Path

import pytest

from answers import TASKS
from attnbook.teaching.exercises import all_exercises
from attnbook.checks.engine.policy import complaints

BANNED = ["scaled_dot_product_attention", "softmax"]
HEAD = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n"


def imports_of(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    return [
        line
        for line in lines
        if line.startswith(("import ", "from "))
        and "answers" not in line
        and "attnbook" not in line
    ]


@pytest.mark.parametrize("task", sorted(TASKS))
def test_no_false_alarm(task):
    for answer in TASKS[task].right:
        path = Path(inspect.getsourcefile(inspect.unwrap(answer)))
        if path.parent.name != "answers":
            continue  # made of the package's own solution
        source = textwrap.dedent(inspect.getsource(inspect.unwrap(answer)))
        source = "\n".join([*imports_of(path), source])
        assert complaints(source) == [], answer.__name__


@pytest.mark.parametrize(
    "source, word",
    [
        ("import os", "imports os"),
        ("import os.path as p", "imports os"),
        ("from subprocess import run", "imports subprocess"),
        ("from . import x", "a file beside it"),
        ("from attnbook import masks", "the course's own package"),
        ("import attnbook.masks as m", "the course's own package"),
        ("f = lambda: checks.solution", "the course's own package"),
        ("import torch._C", "torch._C"),
        ("import torch as t\nt.ops.aten.x()", "torch.ops"),
        ("from torch import ops", "torch.ops"),
        ("from torch.utils import data", "torch.utils"),
        ("import torch\ntorch.load('x')", "torch.load"),
        ("import torch\ntorch.os.system('x')", "torch.os"),
        ("import dataclasses\ndataclasses.sys.exit()", "dataclasses.sys"),
        ("import numpy as np\nnp.load('x')", "numpy.load"),
        ("eval('1')", "uses eval"),
        ("f = exec", "uses exec"),
        ("__import__('os')", "uses __import__"),
        ("open('x')", "uses open"),
        ("().__class__.__base__", "uses __class__"),
        ("f.__globals__", "uses __globals__"),
        ("getattr(f, '__globals__')", "names __globals__"),
        ("__builtins__['eval']", "uses __builtins__"),
        ("import torch\ngetattr(torch, 'a' + 'b')()", "with getattr"),
        ("import torch\nvars(torch)['x']", "with vars"),
        ("import torch as t\nu = t\nu._C", "torch._C"),
        ("import torch\n[torch][0]._C", "hands on torch"),
        ("import torch\n[torch.nn.modules.loss.F][0]", "hands on torch.nn"),
        ("from torch import nn\nf = lambda g=getattr: g(nn, 'x')", "hands on"),
        ("import warnings\nwarnings.catch_warnings()._module", "_module"),
        ("f().sys.modules['os']", "uses sys"),
        ("getattr(x, 'soft' + 'max')", "looks into x with getattr"),
        ("look = getattr", "hands on getattr"),
        ("import torch.nn.functional as F\nt = F.torch\nt.ops", "torch.ops"),
        ("import torch\n[getattr(torch, 'nn')][0]", "hands on torch"),
        ("import torch\nclass A:\n    t = torch\nA.t.x", "hands on torch"),
        ("import torch\ndef f(t=torch): ...", "hands on torch"),
        ("def f():\n    import torch\n    return torch", "hands on torch"),
        ("f(vars(type(x)))", "looks into a value with vars"),
        ("def f(eval): ...\neval('1')", "uses eval"),
        ("eval('1')\ndef eval(x): ...", "uses eval"),
        ("[1 for eval in ()] and eval('1')", "uses eval"),
        ("from torch.nn.functional import *", "imports everything"),
        ("from operator import *", "imports everything"),
        ("import operator\noperator.attrgetter('x')", "operator.attrgetter"),
        ("import typing as t\nt.get_type_hints(f)", "typing.get_type_hints"),
    ],
)
def test_what_no_task_may(source, word):
    said = complaints(source)
    assert said and word in " ".join(said)
    assert all("\n" not in line for line in said)


@pytest.mark.parametrize(
    "line",
    [
        "F.softmax(x, -1)",
        "x.softmax(-1)",
        "from torch import softmax",
        "from torch import softmax as s",
        "s = torch.softmax",
        "getattr(x, 'softmax')(-1)",
        "__import__('operator').methodcaller('softmax', -1)(x)",
        "operator.attrgetter('nn.functional.softmax')(torch)",
        "softmax(x)",
        "match x:\n    case object(softmax=f): f(-1)",
        "self = F\ndef softmax(): ...\nself.softmax(x)",
    ],
)
def test_what_one_task_may_not(line):
    assert any("softmax" in said for said in complaints(HEAD + line, BANNED))


@pytest.mark.parametrize(
    "source",
    [
        "def softmax(x):\n    return x.exp() / x.exp().sum()\ny = softmax(2)",
        "class A:\n    def softmax(self): ...\n    def f(self):\n"
        "        return self.softmax()",
        '"""Return the softmax of it."""',
        "import torch.nn as nn\nnn.Linear(2, 3).eval()",
        "def f(open):\n    return open",
        "import re\nre.compile('x')",
        "import copy\ndef f(x):\n    copy = x.clone()\n    return copy",
        "class A:\n    def f(self):\n        self.x = self._x = 1; self._x",
        "p = p._replace(x=1)",
        "from math import *\ndef f(x): return exp(x)",
        "import torch.nn.functional as F\nG = F\ng = G.gelu",
        "input = 1\nprint(input)",
        "def broken(:",
    ],
)
def test_what_one_may(source):
    assert complaints(source, BANNED) == []


def test_deep_nesting_is_named_or_left_to_the_run():
    assert isinstance(complaints("(" * 150 + ")" * 150), list)
    assert isinstance(complaints("-" * 20_000 + "1"), list)


FORBIDDEN = {
    "2.5": "torch.gru_cell(x)",
    "4.4": "F.multi_head_attention_forward(x)",
    "4.7": "torch.autograd.functional.jacobian(f, x)",
    "5.4": "x.softmax(-1)",
    "9.4": "F.layer_norm(x, (3,))",
    "10.6": "nn.MultiheadAttention(3, 1)",
    "16.4": "class A(torch.autograd.Function): ...",
}


@pytest.mark.parametrize("exercise", all_exercises(), ids=lambda e: e.id)
def test_what_a_page_forbids_is_refused_and_its_solution_is_not(exercise):
    if exercise.check:
        source = HEAD + exercise.solution_code
        assert complaints(source, exercise.forbids) == []
    if exercise.id in FORBIDDEN:
        assert complaints(HEAD + FORBIDDEN[exercise.id], exercise.forbids)
