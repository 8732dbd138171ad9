"""What an answer may not call is named; right answers raise no alarm."""

import functools
import inspect
import math
import re
import sys
import textwrap
import time
import types
from pathlib import Path

import pytest
import torch.nn.functional as F

from answers import TASKS
from attnbook.attention import scaled_dot_product_attention
from attnbook.checks.engine import allowed
from attnbook.checks.engine.policy import complaints
from attnbook.checks.engine.rules import adapted
from attnbook.checks.engine.verdict import checker
from attnbook.teaching.exercises import all_exercises

BANNED = ["scaled_dot_product_attention", "softmax"]
HEAD = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n"
FORBIDS = {e.id: e.forbids for e in all_exercises()}


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
        (
            "import fractions as f\nf.operator.attrgetter",
            "operator.attrgetter",
        ),
        (
            "from fractions import operator as o\no.attrgetter('x')",
            "attrgetter",
        ),
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
        "cls = F\ndef softmax(): ...\ncls.softmax(x)",
        "class F: ...\ndef softmax(): ...\nF.softmax(x)",
        "class A: ...\nA.softmax(x)",
        "d = {'name': 'softmax'}\nd = [getattr(x, 'softmax')]",
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
        "class A:\n    @staticmethod\n    def softmax(x): ...\n"
        "    @classmethod\n    def _f(cls, x): return cls.softmax(x)\n"
        "y = A._f(2) + A.softmax(2)",
        "out = {'softmax': 1}\ny = out['softmax']",
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


DEEP = ["is nested too deeply to be read"]


@pytest.mark.parametrize(
    "source, said",
    [
        ("(" * 150 + ")" * 150, []),  # Python refuses it when it is run
        ("-" * 20_000 + "1", DEEP),
        ("x = " + "1 + " * 600 + "1", []),
        ("x = " + "1 + " * 30_000 + "1", DEEP),
        ("x = " + "lambda a: " * 9_000 + "1", DEEP),
        ("import torch\nx = torch" + ".b" * 900, []),
        (" " * 90_000 + "\nx = 1" + " " * 90_000, []),
        ("a = " * 20_000 + "1", []),
        (
            "import math as a0\n"
            + "".join(f"a{i + 1} = a{i}.b\n" for i in range(2_000)),
            [],
        ),
        (
            "".join(f"{' ' * i}def f(x=f):\n" for i in range(90))
            + f"{' ' * 90}return x",
            [],
        ),
    ],
)
def test_no_source_is_too_deep_or_takes_long(source, said):
    began = time.perf_counter()
    assert complaints(source, ["softmax"]) in (said, [])  # a newer Python
    assert time.perf_counter() - began < 5


FORMULA = "def f(x): return x.exp() / x.exp().sum()"


@pytest.mark.parametrize(
    "kind, line",
    [
        ("4.7", "torch.func.hessian(f)"),
        ("4.7", "torch.func.grad(f)(x)"),
        ("4.7", "torch.func.linearize(f, x)"),
        ("4.7", "from torch import func as g"),
        ("4.7", "from torch.func import vmap, grad_and_value"),
        ("4.7", "import functorch"),
        ("4.7", "import torch.autograd.forward_ad as fw"),
        ("4.7", "y.sum().backward()"),
        ("4.7", "torch.autograd.grad(y, x)"),
        ("7.6", "nn.TransformerEncoderLayer(8, 2).self_attn"),
        ("7.6", "layer = nn.TransformerDecoderLayer"),
        ("7.6", "from torch.nn.modules.transformer import Transformer"),
        ("7.6", "getattr(nn, 'TransformerEncoder')"),
        ("10.6", "from torch.nn.attention import flex_attention"),
        ("10.6", "nn.attention.varlen.varlen_attn(q)"),
        ("10.6", "torch.ops.aten.scaled_dot_product_attention(q)"),
        ("6.4", "torch.ao.nn.quantizable.MultiheadAttention(8, 2)"),
        ("5.4", "F.cross_entropy(x, y, reduction='none')"),
        ("5.4", "F.linear_cross_entropy(x, y, z)"),
        ("5.4", "torch.distributions.Categorical(logits=x).probs"),
        ("5.4", "F.scaled_dot_product_attention(x, y, z)"),
        ("5.4", "F.gumbel_softmax(x)"),
        ("9.4", "F.batch_norm(x.T, None, None, training=True)"),
        ("9.4", "nn.InstanceNorm1d(3)"),
        ("9.4", "F.rms_norm(x - x.mean(), (3,))"),
        ("9.4", "nn.TransformerEncoderLayer(8, 1).norm1(x)"),
        ("2.5", "nn.RNNBase('GRU', 3, 4)"),
    ],
)
def test_a_task_forbids_all_ways_of_its_kind(kind, line):
    assert complaints(HEAD + line, FORBIDS[kind])
    assert not complaints(f"{HEAD}{FORMULA}", FORBIDS[kind])


@pytest.mark.parametrize("line", ["grad = x - y\nz = grad @ grad"] + [
    f"class A:\n    def {name}(self, x): return self.{name}(x)"
    for name in ("self_attn", "func", "softmax", "layer_norm")
])  # fmt: skip
def test_one_s_own_function_may_have_such_a_name(line):
    every = [name for names in allowed.KINDS.values() for name in names]
    assert complaints(HEAD + line, every) == []


def test_kinds_are_named_in_short_and_name_all_that_is_forbidden():
    for exercise in all_exercises():
        short = allowed.in_short(exercise.forbids)
        assert allowed.forbidden(exercise.forbids) <= allowed.forbidden(
            short.split()
        )
    assert allowed.in_short(FORBIDS["10.6"]) == "attention"
    assert allowed.in_short(["Function"]) == "Function"
    assert allowed.in_short([]) == "attnbook"
    assert set(allowed.OTHERS) == set(allowed.KINDS)


def test_what_the_notebook_says_is_the_rule():
    may, refused = allowed.SAID.split(". ", 1)
    for name in may.partition("import ")[2].partition(" and other")[0].split():
        assert complaints(f"import {name.strip(',')}") == []
    for name in re.findall(r"`(.*?)`", refused):
        assert complaints(f"import torch\n{name}(x)")
    for name in ("einops", "scipy", "attnbook", "xformers", "pandas"):
        assert complaints(f"import {name}")


CELLS = [
    "import torch, math\nimport torch.nn.functional as F\n"
    "from attnbook import checks, results, plots",
    "from einops import rearrange",
    "from torch.nn import MultiheadAttention as Layer",
    "def helper(x):\n    return F.scaled_dot_product_attention(x, x, x)",
    "G = F",
    "this is no Python",
    "def f(x, x): ...\ndef helper(x): nonlocal x",
    "class Held:\n    layer = Layer(4, 1)",
    "get_ipython().run_cell_magic('time', '', 'def timed(x):\\n"
    "    return helper(x)\\n')",
    "get_ipython().run_cell_magic('bash', '', 'ls | wc')",
]


@pytest.mark.parametrize(
    "body, word",
    [
        ("return helper(x)", "calls scaled_dot_product_attention"),
        ("return timed(x)", "calls scaled_dot_product_attention"),
        ("return G.scaled_dot_product_attention(x)", "calls scaled_dot"),
        ("return rearrange(x, 'a b -> b a')", "imports einops"),
        ("return Held.layer(x)", "imports MultiheadAttention"),
        ("import scipy.special\n    return x", "imports scipy"),
        ("return torch.compile(x)", "uses torch.compile"),
        ("return checks", "uses attnbook.checks"),
        ("results = [math.sqrt(x)]\n    return results", ""),
        ("return F.relu(x)", ""),
        ("return {'attention': x}['attention']", ""),
        ("return checks.attention(x)", "uses attnbook.checks"),
    ],
)
def test_the_check_at_home_refuses_what_the_grader_does(body, word):
    source = f"def f(x):\n    {body}"
    notebook = {"get_ipython": None, "In": ["", *CELLS, source]}
    notebook["__name__"] = "__main__"
    exec(source, notebook)
    said = home(notebook["f"], forbids="attention")
    assert (f"would not be graded: {word}" in said) == bool(word), said
    assert (word in said) if word else said == "right"
    assert home(notebook["f"]) == "right"


LOGGED = """
import torch.nn.functional as F
def log(function):
    def inner(*inputs): return function(*inputs)
    return inner
def made(call):
    return lambda x: call(x)
"""


@pytest.mark.parametrize(
    "source",
    [
        "@log\ndef f(x):\n    return F.softmax(x, -1)",
        "f = log(lambda x: x.softmax(-1))",
        "f = made(F.softmax)",
        "call = F.softmax\nf = made(call)",
        "class A:\n    def __init__(self, call): self.call = call\n"
        "    def __call__(self, x): return self.call(x)\nf = A(F.softmax)",
    ],
)
def test_what_an_answer_is_made_of_is_read_at_home(source, monkeypatch):
    notebook = {"get_ipython": None, "In": ["", LOGGED, source]}
    monkeypatch.setitem(sys.modules, "notebook", types.ModuleType("notebook"))
    vars(sys.modules["notebook"]).update(notebook)
    exec(f"{LOGGED}\n{source}", vars(sys.modules["notebook"]))
    answer = sys.modules["notebook"].f
    for handed in (answer, adapted(answer, [])):
        said = home(handed, forbids="softmax")
        assert "softmax, which this task does not allow" in said


def test_what_an_answer_is_compared_with_is_no_part_of_it():
    cells = [
        f"{LOGGED}\n@log\ndef f(x): return x.exp()",
        "for function in (F.softmax, f): print(function)",
        "theirs, mine = F.softmax, f",
    ]
    notebook = {"get_ipython": None, "In": cells, "__name__": "__main__"}
    exec("\n".join(cells), notebook)
    assert home(notebook["f"], forbids="softmax") == "right"


@checker
def check_nothing(answer):
    """Pass."""


def home(answer, **more):
    return check_nothing(answer, **more).hint or "right"


def uses_the_package(x):
    F.softmax(x, -1)
    return scaled_dot_product_attention(x, x, x)


class Callable:
    def __call__(self, x):
        return F.softmax(x, -1)


@pytest.mark.parametrize(
    "answer, right",
    [
        (uses_the_package, False),
        (functools.partial(uses_the_package), False),
        (Callable(), False),
        (lambda x: F.softmax(x, -1), False),
        (math.sqrt, True),  # no source: nothing is said
        (eval("lambda x: 1"), True),
    ],
)
def test_an_answer_in_a_file_is_read_too(answer, right):
    assert (home(answer, forbids="softmax") == "right") is right


def test_home_says_each_thing_once_and_imports_first():
    said = home(uses_the_package, forbids="attnbook softmax").split(": ", 1)[1]
    assert said == (
        "uses attnbook.attention.scaled_dot_product_attention, the course's "
        "own package; imports scaled_dot_product_attention, which this task "
        "does not allow; calls softmax, which this task does not allow; calls "
        "scaled_dot_product_attention, which this task does not allow"
    )


def test_names_of_an_import_are_said_in_their_order():
    path = "torch.autograd.functional.jacobian.vjp.jvp.hvp.vhp.hessian"
    start, _, last = path.rpartition(".")
    said = complaints(f"from {start} import {last}", FORBIDS["4.7"])
    order = [x for x in path.split(".") if x not in ("torch", "functional")]
    assert [x.split()[1].rstrip(",") for x in said] == order


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
