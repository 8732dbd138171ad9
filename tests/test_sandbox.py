"""Answers of students in a process of their own: same verdicts, no harm."""

import errno
import json
import os
import platform
import random
import socket
import subprocess
import sys
import threading
import time
import venv
from pathlib import Path

import pytest
import torch

import answers
from attnbook import checks
from attnbook.checks.engine.verdict import Mistake
from attnbook.teaching.sandbox import (
    caller,
    calls,
    client,
    jail,
    nodes,
    wire,
)
from attnbook.teaching.sandbox.tensors import tensors_from
from hostile_answers import DIES, FAILS, HARMLESS
from sandboxed_answers import said, source_of

pytestmark = pytest.mark.skipif(
    client.isolation() != "full", reason=client.isolation()
)
GOOD = "import torch\ndef f(q, k):\n    return (q @ k.T).softmax(-1)\n"
M = 2**61 - 1  # all its multiples have the hash 0
CANNOT = {"plot_attention"}  # an Axes cannot travel


@pytest.fixture(scope="module")
def sandbox():
    with client.Sandbox() as made:
        yield made


def works(answer):
    """Say whether an answer made of GOOD does what it shall."""
    q, k = torch.randn(3, 4), torch.randn(5, 4)
    return torch.equal(answer(q, k), (q @ k.T).softmax(-1))


@pytest.fixture(scope="module")
def neighbour(sandbox):
    """Open an answer that is there through all attacks."""
    with sandbox.open(GOOD, "f") as answer:
        yield answer


@pytest.fixture
def unharmed(sandbox, neighbour):
    """See that neighbours before and after, and the zygote, go on."""
    zygote = sandbox.zygote.process.pid
    yield
    assert works(neighbour)
    with sandbox.open(GOOD, "f") as after:
        assert works(after)
    assert sandbox.zygote.process.pid == zygote


# --------------------------------------------------------- same verdicts
def chosen(task):
    """Return a right answer and a wrong one that have a source, with it."""
    for group in answers.TASKS[task].right, answers.TASKS[task].wrong:
        yield next((a, source) for a in group if (source := source_of(a)))


@pytest.mark.parametrize("task", sorted(set(answers.TASKS) - CANNOT))
def test_a_verdict_is_the_same_as_without_a_sandbox(sandbox, task):
    check = getattr(checks, f"check_{task}")
    for answer, source in chosen(task):
        torch.manual_seed(0)
        with sandbox.open(*source) as there:
            assert said(check, there) == said(check, answer)
            assert not there.died
            assert not there.problem


def test_gradients_cross_the_pipe_both_ways(sandbox):
    source = "def f(x, part): return 2 * part(x * x) + x\n"
    x = torch.randn(4, requires_grad=True)
    with sandbox.open(source, "f") as answer:
        y = answer(x, lambda z: z.sin())
        (found,) = torch.autograd.grad(y.sum(), x)
    want = 4 * x * (x * x).cos() + 1
    torch.testing.assert_close(found, want)


def test_the_way_back_has_an_end_too(sandbox):
    source = (
        "import torch\n"
        "class Slow(torch.autograd.Function):\n"
        "    @staticmethod\n"
        "    def forward(ctx, x): return x * 2\n"
        "    @staticmethod\n"
        "    def backward(ctx, g):\n"
        "        while True: pass\n"
        "def f(x): return Slow.apply(x)\n"
    )
    x = torch.randn(4, requires_grad=True)
    with sandbox.open(source, "f", seconds=0.4) as answer:
        with pytest.raises(client.Died):
            answer(x).sum().backward()
        assert answer.died == "ran out of time"


def test_a_model_can_be_switched_and_asked(sandbox):
    source = (
        "def f(m, x):\n"
        "    before = m.training\n"
        "    m.eval()\n"
        "    return before, m.training, m(x)\n"
    )
    model = torch.nn.Dropout()
    with sandbox.open(source, "f") as answer:
        before, after, y = answer(model, torch.ones(3))
    assert (before, after) == (True, False)
    assert not model.training
    assert y.tolist() == [1, 1, 1]


def test_what_cannot_travel_comes_back_as_a_name(sandbox):
    with sandbox.open("def f(): yield 1\n", "f") as answer:
        assert type(answer()).__name__ == "generator"


def test_a_result_that_is_cut_off_says_so(sandbox):
    x = torch.randn(4, requires_grad=True)
    with sandbox.open("def f(x): return x.detach(), x\n", "f") as answer:
        cut, whole = answer(x)
    assert not cut.requires_grad
    assert whole.requires_grad


def test_a_change_in_place_comes_back(sandbox):
    source = "def f(x, xs):\n    x += 1\n    xs.append(3)\n    return x\n"
    x, xs = torch.zeros(2), [1]
    with sandbox.open(source, "f") as answer:
        answer(x, xs)
    assert x.tolist() == [1, 1]
    assert xs == [1, 3]


def test_strides_and_types_cross_the_pipe(sandbox):
    x = torch.arange(24.0).view(2, 3, 4).permute(2, 0, 1)[1:, :, ::2]
    with sandbox.open("def f(x): return x.stride(), x, x.half()", "f") as f:
        stride, same, half = f(x)
    assert stride == x.stride()
    assert torch.equal(same, x)
    assert half.dtype == torch.float16


def test_a_figure_can_be_drawn_though_it_does_not_come_back(sandbox):
    source = (
        "import matplotlib.pyplot as plt\n"
        "def f(x):\n"
        "    image = plt.imshow(x)\n"
        "    plt.show()\n"
        "    return len(image.axes.images)\n"
    )
    with sandbox.open(source, "f") as answer:
        assert answer(torch.eye(3)) == 1


def test_an_error_keeps_its_name_and_words(sandbox):
    source = (
        "class Odd(ValueError): pass\n"
        "def f(n):\n"
        "    if n: raise Odd('no')\n"
        "    return {}[0]\n"
    )
    with sandbox.open(source, "f") as answer:
        with pytest.raises(ValueError, match="^no$") as caught:
            answer(1)
        assert type(caught.value).__name__ == "Odd"
        with pytest.raises(KeyError):
            answer(0)


def test_an_error_of_the_judge_comes_back_as_itself(sandbox):
    mistake = Mistake("the loop does not end")

    def part(x):
        raise mistake

    call = sandbox.open("def f(p): return p(1)\n", "f")
    with call as answer, pytest.raises(Mistake) as caught:
        answer(part)
    assert caught.value is mistake


def test_the_judge_keeps_no_more_than_it_must(sandbox, monkeypatch):
    source = (
        "import torch\ndef f(p):\n"
        " x = torch.ones(100, requires_grad=True)\n"
        " try: p(x, x)\n except TypeError: pass\n"
        " return len([p(x) for _ in range(20)])"
    )
    with sandbox.open(source, "f") as answer:
        assert answer(lambda x: x * 2) == 20
        (error,) = answer.peer.faults.met
        assert error.__traceback__ is None  # its frames hold what was sent
    monkeypatch.setattr(caller, "GRAPHS", 1000)
    with sandbox.open(source, "f") as answer, pytest.raises(client.Died):
        answer(lambda x: x * 2)
    assert answer.died == client.NO_REPLY


def test_the_same_seed_gives_the_same_draws(sandbox):
    source = (
        "import random, numpy, torch\n"
        "def f(): return (torch.rand(3).tolist(), random.random(),\n"
        "                 float(numpy.random.rand()))\n"
    )
    drawn = []
    for _ in range(2):
        torch.manual_seed(3)
        with sandbox.open(source, "f") as answer:
            drawn.append((answer(), answer()))
    assert drawn[0] == drawn[1]
    assert drawn[0][0] != drawn[0][1]


def test_a_source_without_the_function_is_a_problem(sandbox):
    with sandbox.open("def g(): ...\n", "f") as answer:
        assert "there is no f" in answer.problem
    with sandbox.open("def f(:\n", "f") as answer:
        assert answer.problem.startswith("SyntaxError")


@pytest.mark.parametrize(
    "line",
    ["Z = exit(0)", "import sys; sys.exit('no')", "raise SystemExit",
     "raise KeyboardInterrupt", "raise GeneratorExit",
     "class Own(BaseException): pass\nraise Own", "Z = 1 + " * 3000 + "1",
     "Z = " + "[" * 20_000 + "]" * 20_000, "Z = " + "9" * 90_000],
)  # fmt: skip
def test_an_answer_that_ends_while_it_is_opened_is_a_problem(sandbox, line):
    with sandbox.open(f"{line}\ndef f(): return Z", "f") as answer:
        assert answer.problem and not answer.died
        with pytest.raises(RuntimeError):
            answer()


def test_what_comes_back_at_opening_is_read_under_the_clock(
    sandbox, monkeypatch
):
    monkeypatch.setattr(client, "code_of", lambda facts: time.sleep(60))
    start = time.monotonic()
    with sandbox.open(GOOD, "f", seconds=0.4) as answer:
        assert answer.died == client.OUT_OF_TIME
    assert time.monotonic() - start < 20


# --------------------------------------------------------------- no harm
def with_paths(source, folder):
    """Return a source that knows where secrets lie."""
    secret = folder / "bundle.json"
    secret.write_text("{}")
    paths = f"BUNDLE, ANSWERS = {str(secret)!r}, {answers.__file__!r}\n"
    return paths + source


@pytest.mark.usefixtures("unharmed")
@pytest.mark.parametrize("name", DIES)
def test_an_attack_ends_its_own_process(sandbox, name):
    source, reason = DIES[name]
    seconds = 0.4 if "time" in reason else 5
    with sandbox.open(source, "f", seconds) as answer:
        with pytest.raises(client.Died):
            while True:
                answer(torch.ones(2))
        assert reason in answer.died


@pytest.mark.usefixtures("unharmed")
@pytest.mark.parametrize("name", FAILS)
def test_an_attack_brings_nothing(sandbox, name, tmp_path):
    source = with_paths(FAILS[name], tmp_path)
    with sandbox.open(source, "f", seconds=5) as answer:
        assert not answer.problem
        try:
            assert answer(torch.ones(2)) is None
        except (Exception, SystemExit, client.Died) as error:
            assert not isinstance(error, AssertionError), error
            assert not answer.died
    assert (tmp_path / "bundle.json").read_text() == "{}"


@pytest.mark.usefixtures("unharmed")
@pytest.mark.parametrize("name", HARMLESS)
def test_an_attack_spoils_its_own_process_alone(sandbox, name):
    with sandbox.open(HARMLESS[name], "f", seconds=5) as answer:
        assert answer(torch.ones(2)) == 1.0


def test_nothing_is_left_for_the_next_answer(sandbox):
    write = "def f():\n    open('note', 'w').close()\n    return 1"
    read = "import os\ndef f(): return os.listdir('.')"
    with sandbox.open(write, "f") as first:
        assert first() == 1
        with sandbox.open(read, "f") as second:
            assert second() == []


def test_the_kernel_keeps_nothing_for_the_next_answer(sandbox):
    number = calls.CALLS["add_key"][calls.MACHINES[platform.machine()][0]]
    source = (
        "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        "def f():\n    size = ctypes.c_size_t(1)\n"
        f"    key = libc.syscall({number}, b'user', b'k', b'x', size, -4)\n"
        "    return key, ctypes.get_errno()\n"
    )
    with sandbox.open(source, "f") as answer:
        assert answer() == (-1, errno.ENOSYS)
    forget = "os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)"
    ask = "os.preadv(fd, [bytearray(9)], 0, os.RWF_NOWAIT)"
    for call in (forget, ask):
        source = f"import os\nfd = os.open(os.__file__, 0)\ndef f(): {call}"
        with sandbox.open(source, "f") as answer, pytest.raises(OSError) as e:
            answer()
        assert "not implemented" in str(e.value) or "not supp" in str(e.value)


def test_a_check_ends_with_the_process(sandbox):
    with sandbox.open("import os\ndef f(*x): os._exit(0)", "f") as answer:
        said(checks.check_masked_attention, answer)
        assert answer.died == "ended itself"


def test_a_dead_answer_stays_dead(sandbox):
    with sandbox.open("import os\ndef f(): os._exit(0)", "f") as answer:
        for _ in range(2):
            with pytest.raises(client.Died):
                answer()


def test_python_may_lie_where_the_new_root_would(tmp_path, monkeypatch):
    inside = tmp_path / "lib"
    monkeypatch.setattr(jail, "ROOTS", (str(tmp_path), "/mnt"))
    assert jail.place_for(["/usr/lib"]) == str(tmp_path)
    assert jail.place_for([str(inside)]) == "/mnt"
    with pytest.raises(OSError, match="lie below each"):
        jail.place_for([str(inside), "/mnt/python"])


def test_an_environment_in_the_temporary_folder_isolates(tmp_path):
    venv.create(tmp_path / "venv", with_pip=False)
    code = Path(client.__file__).parents[3]
    asked = subprocess.run(
        [tmp_path / "venv" / "bin" / "python", "-c",
         "from attnbook.teaching.sandbox import launch as x; "
         "print(x.isolation())"],
        env={"PYTHONPATH": os.pathsep.join([str(code), *sys.path])},
        capture_output=True, text=True,
    )  # fmt: skip
    assert asked.stdout.strip() == "PyTorch cannot be read there", asked


def test_without_isolation_trust_must_be_said(monkeypatch):
    monkeypatch.setattr(client, "isolation", lambda: "no user namespaces")
    with pytest.raises(ValueError, match="no user namespaces"):
        client.Sandbox()
    with client.Sandbox(trusted=True, modules=["torch"]) as sandbox:
        with sandbox.open(GOOD, "f") as answer:
            assert works(answer)
        source, reason = DIES["endless loop"]
        with sandbox.open(source, "f", seconds=0.5) as answer:
            with pytest.raises(client.Died):
                answer(1)
            assert answer.died == reason


# ------------------------------------------------------------------ wire
def unpacked(header, body):
    """Return the value of a message, as the judge reads it."""
    tensors = tensors_from(header.get("tensors"), body)
    return nodes.Unpacker(tensors, refuse).value(header.get("value"))


def refuse(tag, parts):
    raise wire.Refused("nothing else")


def test_bytes_by_chance_are_refused():
    rng = random.Random(5)
    for _ in range(500):
        with pytest.raises(wire.Refused):
            wire.header_of(rng.randbytes(rng.randint(0, 80)))


def test_messages_changed_by_chance_are_refused_or_read():
    packer = nodes.Packer(refuse)
    value = [1, 2.5, {"a": (torch.ones(2, 3), {4, "b"})}, 1j, range(3), None]
    node = packer.node(value)
    abouts, body = packer.tables()
    text = json.dumps({"value": node, "tensors": abouts})
    rng, read = random.Random(6), 0
    for _ in range(3000):
        letters = list(text)
        for _ in range(rng.randint(1, 4)):
            place = rng.randrange(len(letters))
            letters[place] = rng.choice('[]{}",0123456789-.eaNtrue')
        try:
            unpacked(wire.header_of("".join(letters).encode()), body)
            read += 1
        except wire.Refused:
            pass
    assert 0 < read < 3000


@pytest.mark.parametrize(
    "about",
    [
        {"shape": [2**50], "stride": [0]},
        {"shape": [4], "stride": [1]},
        {"shape": [2], "stride": [-1]},
        {"shape": [-2], "stride": [1]},
        {"shape": [True], "stride": [1]},
        {"shape": [2, 2], "stride": [1]},
        {"shape": [1] * 20, "stride": [1] * 20},
        {"shape": [2**40], "kind": "sparse"},
        {"shape": [2], "stride": [1], "dtype": "object"},
        {"shape": 2, "stride": 1},
    ],
)
def test_a_tensor_that_its_bytes_do_not_fit_is_refused(about):
    about = {"dtype": "float32"} | about
    with pytest.raises(wire.Refused):
        tensors_from([about], bytes(8))


def test_a_value_that_is_too_deep_is_refused():
    deep = []
    for _ in range(100):
        deep = ["list", [deep]]
    with pytest.raises(wire.Refused):
        unpacked({"value": deep, "tensors": []}, b"")
    with pytest.raises(wire.Refused):
        wire.header_of(b"[" * 100_000)


@pytest.mark.parametrize(
    "node",
    [
        ["set", [k * M for k in range(1000)]],
        ["dict", [[k * M, 1] for k in range(1000)]],
        ["frozenset", [["tuple", [k * M, 1]] for k in range(1000)]],
        ["set", [["frozenset", [["frozenset", [1]]]]]],
        ["dict", [[["tuple", [["frozenset", [["frozenset", []]]]]], 1]]],
        ["set", [["frozenset", [k, -k]] for k in (1, 2)] * 20],
        ["range", 0, 10**9, 1],
        ["range", 0, 10**30, 1],
    ],
)
def test_a_value_without_end_or_slow_to_search_is_refused(node):
    with pytest.raises(wire.Refused):
        unpacked({"value": node, "tensors": []}, b"")


@pytest.mark.parametrize(
    "value",
    [
        {(a, b): [a] for a in (-1, -2) for b in (-1, -2)},
        {frozenset({"a", "b"}), frozenset({"c"}), frozenset()},
        {(frozenset({1}), 2.5): {"x": {1, 2}}, ("a", ("b", None)): {3}},
        {float(n) for n in range(1000)} | {f"{n}" for n in range(1000)},
        range(300_000),
    ],
)
def test_sets_and_dicts_of_real_answers_are_read(value):
    node = nodes.Packer(refuse).node(value)
    assert unpacked({"value": node, "tensors": []}, b"") == value


def test_bytes_that_keep_coming_do_not_stop_the_clock():
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(bytes(100))
        with pytest.raises(wire.Late):
            wire.receive(ours, time.monotonic() - 1)


def test_a_message_crosses_a_pipe_whole():
    ours, theirs = socket.socketpair()
    body = bytes(3_000_000)
    writer = threading.Thread(target=wire.send, args=(ours, {"a": 1}, body))
    writer.start()
    header, found = wire.receive(theirs)
    writer.join()
    ours.close()
    theirs.close()
    assert (header, found) == ({"a": 1}, body)
