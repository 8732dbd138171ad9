"""A class whose grades are known before anybody grades it.

Every student is of a kind: right in some style, wrong in a way of the
catalogue, blank, corrupted, hostile, mangled by an editor, late, double, or
with last year's answers.  What a wrong answer deserves is asked of the check
itself, called directly in this process, with no sandbox, notebook or zip
between; what a right or a hostile one deserves is known.
"""

import ast
import contextlib
import copy
import io
import json
import random
import re
import zipfile
from dataclasses import dataclass, field

import nbformat

from answer_sources import catalogue
from attnbook.teaching.grader import Grader

IMPORTS = "import math\n\nimport torch\nimport torch.nn.functional as F\n"


@dataclass
class Expected:
    """What a student deserves for one task; points None: by hand."""

    points: float | None
    statuses: tuple  # those that are fine


@dataclass
class Handed:
    """One student of the class, and what they hand in."""

    name: str
    kind: str
    sources: dict = field(default_factory=dict)  # task id -> source
    expected: dict = field(default_factory=dict)  # task id -> Expected
    mangle: str = ""
    files: dict = field(default_factory=dict)  # name in the zip -> bytes
    late: bool = False
    says: str = ""  # words that must stand in the notes of collect


# ----------------------------------------------------------- what is deserved
def deserved(grader, task, source):
    """Return what an answer deserves, an `Expected`.

    The check is asked directly, but for what grading does not allow: a call
    that the task forbids, and a loop that does not end.
    """
    try:
        parts = [*ast.walk(ast.parse(source))]
    except SyntaxError:  # a mutant that is no Python
        return Expected(0.0, ("wrong",))
    called = {x.attr for x in parts if isinstance(x, ast.Attribute)}
    if called & set(task.may_not_call):
        return Expected(0.0, ("refused",))
    _, held_out = grader.checks(task)
    names = {}
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            exec(source, names)
        except Exception:
            return Expected(0.0, ("wrong",))
        verdict = held_out(names[task.name])
    if verdict:  # an alien mutant that does no harm
        return Expected(task.points, ("right",))
    if "come to an end" in verdict.hint or verdict.status == "late":
        return Expected(0.0, ("stopped",))
    if verdict.status == "partly":
        return Expected(round(task.partial * task.points, 2), ("partly",))
    return Expected(0.0, ("wrong", "stopped", "refused", "blank"))


def right_source(task):
    """Return the teacher's solution of a function, as source."""
    code = re.findall(r"```python\n(.*?)```", task.solution, re.DOTALL)
    return IMPORTS + "\n\n" + "\n\n".join(code)


def right_value(task):
    """Return the right answer cell of a task that is no function."""
    if task.form == "values":
        return f"{task.name} = {task.answers!r}"
    if task.form == "order":
        return f'{task.name} = "{" ".join(task.order)}"'
    return f'{task.name} = """It depends on the mask. <b>Bold</b> claim."""'


def fully(task):
    """Return a right answer's `Expected`."""
    if task.form == "text":
        return Expected(None, ("by hand",))
    return Expected(task.points, ("right",))


def all_right(student, tasks):
    """Let a student answer everything as the teacher does."""
    for task in tasks:
        function = task.form == "function"
        source = right_source(task) if function else right_value(task)
        student.sources[task.id] = source
        student.expected[task.id] = fully(task)
    return student


# ------------------------------------------------------------------- the kinds
def mutants(source):
    """Yield a right answer with one thing changed, as sources."""
    for old, new in (
        ("dim=-1", "dim=-2"), ("math.sqrt", ""), (" / ", " * "),
        ("-2, -1", "-1, -2"), (".transpose(1, 2)", ""), ("~", ""),
        ("-math.inf", "0.0"), ("<=", "<"), ("!=", "=="), (" - ", " + "),
        ("return ", "return 2 * "), ("None, None, :]", "None, :, None]"),
        ("q @ k", "k @ q"), ("@ v", "@ k"), (".softmax(", ".log_softmax("),
        ("size(-1)", "size(-2)"), ("masked_fill(mask", "masked_fill(~mask"),
    ):  # fmt: skip
        if old in source:
            yield f"{old!r} for {new!r}", source.replace(old, new, 1)


def wrong_sources(task):
    """Return what a class gets wrong in a task, a list of sources."""
    if task.rules:  # the catalogue answers the page
        return [source for _, source in mutants(right_source(task))]
    # the order of a set differs from process to process
    found = [source for _, source in catalogue(task.check, task.name)[1]]
    return [source for source in found if "set(" not in source]


def styles(task):
    """Return right answers in several styles, a list of sources."""
    if task.rules:
        return [right_source(task)]
    return [source for _, source in catalogue(task.check, task.name)[0]]


HOSTILE = {
    "endless": "    while True:\n        pass\n",
    "endless in one line": "    [0 for _ in iter(int, 1)]\n",
    "endless in C": "    sum(iter(int, 1))\n",
    "twenty gigabytes": "    return torch.zeros(5_000_000_000) + 1\n",
    "recursion": "    return {name}(*inputs)\n",
    "prints a gigabyte": "    while True:\n        print('x' * 10_000_000)\n",
    "exits": "    raise SystemExit(0)\n",
    "os._exit": "    import os\n    os._exit(0)\n",
    "fork bomb": "    import os\n    while True:\n        os.fork()\n",
    "deletes files": "    import shutil\n    shutil.rmtree('/')\n",
    "a socket": "    import socket\n    socket.create_server(('', 8080))\n",
    "the package": "    from attnbook import masks\n    return masks\n",
    "the checks": "    from attnbook.checks.masks.masks_for import check\n"
    "    return check\n",
    "frames": "    import sys\n    return sys._getframe(1).f_locals\n",
    "gc": "    import gc\n    return gc.get_objects()\n",
    "tracing": "    import sys\n    sys.settrace(lambda *a: None)\n",
    "patches allclose": "    torch.allclose = lambda *a, **k: True\n"
    "    return inputs[0]\n",
    "patches builtins": "    __builtins__['all'] = lambda x: True\n"
    "    return inputs[0]\n",
    "shows its inputs": "    raise ValueError(str(inputs))\n",
    "a string of 100 MB": "    return 'x' * 100_000_000\n",
    "script": "    raise ValueError('<script>alert(1)</script>')\n",
}  # fmt: skip


def hostile_source(task, kind):
    """Return a hostile answer."""
    body = HOSTILE[kind].format(name=task.name)
    return f"{IMPORTS}\n\ndef {task.name}(*inputs):\n{body}"


def off(value):
    """Return another value of the same form."""
    if isinstance(value, (list, tuple)):
        return [off(x) for x in value]
    if isinstance(value, str):
        others = {"yes": "no", "no": "yes", "same": "animal"}
        return others.get(value, "z" if len(value) == 1 else "same")
    return value + 7


def values_wrong(task, rng):
    """Return an answer cell with some wrong parts, and its `Expected`.

    Some are of the form that is asked for; of others nobody can say what
    they mean, which is not wrong but the teacher's to read.
    """
    answers = copy.deepcopy(task.answers)
    parts = list(answers)
    bad = rng.sample(parts, rng.randint(1, len(parts)))
    for part in bad:
        answers[part] = off(answers[part])
    if rng.random() < 0.3:
        answers[bad[0]] = "nothing of the kind"
        return f"{task.name} = {answers!r}", Expected(None, ("by hand",))
    share = 1 - len(bad) / len(parts)
    status = "partly" if share else "wrong"
    points = round(share * task.points, 2)
    return f"{task.name} = {answers!r}", Expected(points, (status,))


def order_wrong(task):
    """Return an order that cannot do what is asked for."""
    source = f'{task.name} = "{" ".join(task.order[:-2])}"'
    return source, Expected(0.0, ("wrong",))


# ------------------------------------------------------------------ notebooks
def filled(released, bundle, sources):
    """Return the released notebook with answers in it."""
    nb = copy.deepcopy(released)
    for task in bundle.tasks:
        if task.id not in sources:
            continue
        for cell in nb.cells:
            if cell.cell_type == "code" and cell.source == task.stub.strip():
                call = task.stub.rsplit("\n\n\n", 1)
                more = f"\n\n\n{call[1]}" if task.form == "function" else ""
                cell.source = sources[task.id].rstrip() + more
    return nb


def mangled(nb, how):
    """Return a notebook, a dict, as an editor or a student leaves it."""
    nb = json.loads(nbformat.writes(nb))
    for step in how.split("+"):
        nb = MANGLES[step](nb)
    return nb


def without_metadata(nb):
    nb["metadata"] = {}
    for cell in nb["cells"]:
        cell["metadata"] = {}
        cell.pop("id", None)
    return nb | {"nbformat_minor": 2}


def saved_by_colab(nb):
    nb["metadata"] |= {"colab": {"provenance": []}, "accelerator": "GPU"}
    for i, cell in enumerate(nb["cells"]):
        cell.pop("id", None)
        cell["metadata"] = {"id": f"aB3dE{i}", "outputId": "x"}
    return nb | {"nbformat_minor": 0}


def in_strings(nb):
    for cell in nb["cells"]:
        cell["source"] = "".join(cell["source"])
    return nb


def with_outputs(nb, size=3_000_000):
    for cell in nb["cells"]:
        if cell["cell_type"] == "code":
            text = "x" * (size // len(nb["cells"]))
            cell["outputs"] = [
                {"output_type": "stream", "name": "stdout", "text": text}
            ]
    return nb


def split(nb):
    """Cut each answer cell into one cell for every definition."""
    cells = []
    for cell in nb["cells"]:
        text = "".join(cell["source"])
        try:
            parts = ast.parse(text).body if cell["cell_type"] == "code" else []
        except SyntaxError:
            parts = []
        if "bootstrap" in text or "importlib" in text or len(parts) < 2:
            cells.append(cell)
            continue
        lines = text.splitlines()
        for part in parts:
            own = "\n".join(lines[part.lineno - 1 : part.end_lineno])
            cells.append(cell | {"source": own, "id": None})
    for cell in cells:
        if cell.get("id", 0) is None:
            cell.pop("id")
    return nb | {"cells": cells, "nbformat_minor": 4}


def reordered(nb):
    head, rest = nb["cells"][:3], nb["cells"][3:]
    return nb | {"cells": rest[::-1] + head}


def with_junk(nb):
    junk = ["%matplotlib inline\n!pip install torch", "x = (", "?torch", ""]
    cells = [
        {"cell_type": "code", "metadata": {}, "source": text, "outputs": [],
         "execution_count": None}
        for text in junk
    ]  # fmt: skip
    return nb | {"cells": cells + nb["cells"], "nbformat_minor": 4}


def without_texts(nb):
    kept = [c for c in nb["cells"] if c["cell_type"] == "code"]
    return nb | {"cells": kept}


MANGLES = {
    "": lambda nb: nb,
    "no metadata": without_metadata,
    "colab": saved_by_colab,
    "strings": in_strings,
    "outputs": with_outputs,
    "split": split,
    "reordered": reordered,
    "junk": with_junk,
    "no texts": without_texts,
}


def as_python(nb):
    """Return the code of a notebook as a .py file."""
    code = ["".join(c["source"]) for c in nb["cells"]
            if c["cell_type"] == "code"]  # fmt: skip
    return "\n\n\n".join(code).encode()


# ------------------------------------------------------------- the whole class
def lms_name(style, student, number, file):
    """Return how a learning-management system names a student's file."""
    if style == "canvas":
        late = "LATE_" if student.late else ""
        flat = re.sub(r"[^a-z]", "", student.name.lower())
        return f"{flat}_{late}{1000 + number}_{90000 + number}_{file}"
    if style == "moodle":
        return f"{student.name}_{1000 + number}_assignsubmission_file/{file}"
    return f"{student.name} - {file}"


def name_of(number):
    """Return a name; no two are equal."""
    first = "Ada Bo Chidi Dana Émile Fatma Gao Hana Inga Jun Kofi Lena Mei"
    last = "Okafor Lee Moreau Kim Rossi Silva Weiss Yilmaz Park Novak Haddad"
    first, last = [*first.split(), "Noor", "Olu", "Pia"], last.split()
    last += ["Berg", "Cruz"]
    return f"{first[number % 16]} {last[number // 16]}"


CORRUPT = {
    "empty": (b"", "empty"),
    "truncated": (b'{"cells": [{"cell_type": "code", "sour', "JSON"),
    "a picture": (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "JSON"),
    "no notebook": (b'{"a": 1}', "notebook"),
}


def kinds_of(count, rng):
    """Return the kind of each student, in the shares of a real bad year."""
    shares = {
        "right": 0.12, "style": 0.09, "blank": 0.02, "corrupt": 0.02,
        "hostile": 0.105, "mangled": 0.06, "late": 0.02, "double": 0.02,
        "page": 0.02, "wrong": 0.525,
    }  # fmt: skip
    kinds = [
        k
        for k, share in shares.items()
        for _ in range(max(1, round(share * count)))
    ]
    return kinds[:count] + ["wrong"] * (count - len(kinds))


class Class:
    """A class that hands in one assignment.

    Args:
        bundle: the `Bundle`.
        released: its notebook.
        count: of students.
        style: "canvas", "moodle" or "drive".
        other: bundle of another seed, whose answers some hand in.
    """

    def __init__(self, bundle, released, count, style, other=None):
        self.bundle, self.released, self.style = bundle, released, style
        self.grader = Grader(bundle)
        self.rng = random.Random(bundle.assignment)
        self.functions = [t for t in bundle.tasks if t.form == "function"]
        self.wrongs = {t.id: wrong_sources(t) for t in self.functions}
        self.given = dict.fromkeys(self.wrongs, 0)
        self.hostile = list(HOSTILE)
        self.students = []
        for number, kind in enumerate(kinds_of(count, self.rng)):
            student = Handed(name_of(number), kind)
            getattr(self, f"make_{kind}")(student, number)
            if not student.files:
                self.hand_in(student, number)
            self.students.append(student)

    # one method a kind
    def make_right(self, student, number):
        all_right(student, self.bundle.tasks)

    def make_style(self, student, number):
        all_right(student, self.bundle.tasks)
        for task in self.functions:
            found = styles(task)
            if found:
                source = found[number % len(found)]
                student.sources[task.id] = source
                wanted = deserved(self.grader, task, source)
                refused = wanted.statuses == ("refused",)
                student.expected[task.id] = wanted if refused else fully(task)

    def make_wrong(self, student, number):
        all_right(student, self.bundle.tasks)
        for task in self.bundle.tasks:
            if task.form == "function":
                source = self.next_wrong(task)
                wanted = deserved(self.grader, task, source)
            elif task.form == "values":
                source, wanted = values_wrong(task, self.rng)
            elif task.form == "order":
                source, wanted = order_wrong(task)
            else:
                continue
            student.sources[task.id] = source
            student.expected[task.id] = wanted

    def next_wrong(self, task):
        """Return a wrong answer that nobody has handed in yet."""
        rows, place = self.wrongs[task.id], self.given[task.id]
        self.given[task.id] += 1
        return rows[place % len(rows)]

    def make_blank(self, student, number):
        for task in self.bundle.tasks:
            student.expected[task.id] = Expected(0.0, ("blank",))

    def make_corrupt(self, student, number):
        data, student.says = [*CORRUPT.values()][number % len(CORRUPT)]
        student.files[lms_name(self.style, student, number, "work.ipynb")] = (
            data
        )
        for task in self.bundle.tasks:
            student.expected[task.id] = Expected(None, ("missing",))

    def make_hostile(self, student, number):
        all_right(student, self.bundle.tasks)
        task = self.functions[number % len(self.functions)]
        kind = self.hostile[number % len(self.hostile)]
        student.kind = f"hostile: {kind}"
        student.sources[task.id] = hostile_source(task, kind)
        fine = ("stopped", "refused", "wrong")
        student.expected[task.id] = Expected(0.0, fine)

    def make_mangled(self, student, number):
        all_right(student, self.bundle.tasks)
        names = [*MANGLES][1:]
        one, two = names[number % len(names)], names[(number + 3) % len(names)]
        student.mangle = f"{one}+{two}"

    def make_late(self, student, number):
        all_right(student, self.bundle.tasks)
        student.late = True

    def make_double(self, student, number):
        all_right(student, self.bundle.tasks)
        nb = mangled(self.released, "")
        old = lms_name(self.style, student, number, "work.ipynb")
        self.hand_in(student, number)
        ((new, data),) = student.files.items()
        if self.style == "canvas":  # the larger number is the newer one
            new = re.sub(r"_9\d{4}_", f"_{99000 + number}_", new)
        else:
            new = new.replace("work.ipynb", "work (1).ipynb")
        student.files = {old: json.dumps(nb).encode(), new: data}

    def make_page(self, student, number):
        """Hand in what stands folded on the page."""
        from attnbook.teaching.exercises import all_exercises

        pages = {e.id: e for e in all_exercises()}
        all_right(student, self.bundle.tasks)
        for task in self.functions:
            source = f"{IMPORTS}\n\n{pages[task.id].solution_code}"
            student.sources[task.id] = source
            if task.rules:
                student.expected[task.id] = Expected(0.0, ("wrong",))

    def hand_in(self, student, number):
        """Write a student's notebook as a file of the zip."""
        nb = filled(self.released, self.bundle, student.sources)
        nb = mangled(nb, student.mangle)
        name = lms_name(self.style, student, number, "work.ipynb")
        data = json.dumps(nb, ensure_ascii=False).encode()
        if student.kind == "style" and number % 3 == 0:
            name, data = name.replace(".ipynb", ".py"), as_python(nb)
        student.files[name] = data

    def write(self, path):
        """Write the zip that the teacher downloads."""
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
            for place, student in enumerate(self.students):
                for more, (name, data) in enumerate(student.files.items()):
                    when = (2027, 1, 10, 12, place % 60, 2 * more)
                    file.writestr(zipfile.ZipInfo(name, when), data)

    def differences(self, rows):
        """Yield where grades are not what was expected.

        Args:
            rows: of grades.csv, dicts.
        """
        found = {(r["name"], r["exercise"].split()[-1]): r for r in rows}
        for student in self.students:
            for task in self.bundle.tasks:
                row = found.get((student.name, task.id)) or found.get(
                    (flat(student.name), task.id)
                )
                want = student.expected[task.id]
                if row is None:
                    yield student.name, student.kind, task.id, "no row", want
                    continue
                points = float(row["points"]) if row["points"] else None
                said = f"{points} {row['status']}: {row['comment']}"
                if points != want.points or row["status"] not in want.statuses:
                    yield student.name, student.kind, task.id, said, want


def flat(name):
    """Return a name as Canvas writes it into file names."""
    return re.sub(r"[^a-z]", "", name.lower())
