"""The tools notice what they are there to notice."""

import copy
import json
import shutil
import subprocess
import sys

import nbformat
import pytest

import chapter_files
import check_book
import forked_kernels
import notebooks
import plain_run
import publish
import sync_cells
from attnbook.data.files import write_json

TEXT = chapter_files.TEXTS / "04_scaling.md"  # it has tagged cells


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A copy of one chapter, text and notebook."""
    text = tmp_path / "chapters/text" / TEXT.name
    text.parent.mkdir(parents=True)
    shutil.copy(TEXT, text)
    shutil.copy(chapter_files.notebook_of(TEXT), text.parents[1])
    monkeypatch.setattr(chapter_files, "ROOT", tmp_path)
    monkeypatch.setattr(chapter_files, "TEXTS", text.parent)
    monkeypatch.setattr(notebooks, "ROOT", tmp_path)
    return text


def edit(folder, change):
    path = chapter_files.notebook_of(folder)
    nb = nbformat.read(path, 4)
    change(nb)
    nbformat.write(nb, path)
    return list(notebooks.complaints(folder))


def code(nb):
    return [c for c in nb.cells if c.cell_type == "code" and c.outputs]


def test_a_fresh_notebook_has_no_complaint(folder):
    assert list(notebooks.complaints(folder)) == []
    assert not notebooks.changed(folder)


def drop_pictures(nb):
    for cell in code(nb):
        cell.outputs = [o for o in cell.outputs if "image/" not in str(o)]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda nb: nb.cells[0].update(source="# Other"), "differs from"),
        (lambda nb: nb.cells.pop(), "differs from"),
        (lambda nb: code(nb)[1].update(execution_count=None), "top to bottom"),
        (lambda nb: code(nb)[1].update(execution_count=99), "top to bottom"),
        (drop_pictures, "no picture in cell"),
        (
            lambda nb: code(nb)[0].metadata.update(numbers={"loose": 1}),
            "expected a key out of",
        ),
        (
            lambda nb: code(nb)[0].outputs.append(
                nbformat.v4.new_output("error", ename="E", evalue="")
            ),
            "stores an error",
        ),
        (
            lambda nb: code(nb)[0].outputs.append(
                nbformat.v4.new_output(
                    "stream", text="/".join(["", "tmp", "secret"])
                )
            ),
            "stores a path",
        ),
        (
            lambda nb: code(nb)[0].outputs.append(
                nbformat.v4.new_output("stream", text="x" * 10**6)
            ),
            "1,000,000 are allowed",
        ),
    ],
)
def test_the_notebook_check_notices(folder, change, message):
    assert any(message in line for line in edit(folder, change))


def test_a_missing_notebook_and_one_without_text_are_noticed(folder):
    notebook = chapter_files.notebook_of(folder)
    notebook.rename(notebook.with_name("99_stray.ipynb"))
    assert "is missing" in next(iter(notebooks.complaints(folder)))
    assert [p.name for p in notebooks.orphans()] == ["99_stray.ipynb"]


def test_building_twice_gives_the_same_file(folder):
    """A short text with a print, an intended error and a result."""
    body = folder.read_text(encoding="utf-8").split("\n# ")[0]
    body += "\n# Short\n\n```{code-cell}\nprint(1)\n2\n```\n"
    body += "\n```{code-cell}\n:tags: [raises-exception]\n\n1 / 0\n```\n"
    folder.write_text(body, encoding="utf-8")
    notebook = chapter_files.notebook_of(folder)
    notebooks.build(folder)
    first = notebook.read_bytes()
    notebooks.build(folder, again=True)
    assert notebook.read_bytes() == first
    assert list(notebooks.complaints(folder)) == []


def test_other_prose_keeps_the_outputs_and_other_code_does_not(
    folder, monkeypatch
):
    ran = []
    monkeypatch.setattr(notebooks, "execute", lambda *_: ran.append(1))
    notebook = chapter_files.notebook_of(folder)
    old = nbformat.read(notebook, 4)
    text = folder.read_text(encoding="utf-8")
    folder.write_text(text + "\nMore.\n", encoding="utf-8")
    notebooks.build(folder)
    new = nbformat.read(notebook, 4)
    assert not ran and "More." in new.cells[-1].source
    assert [c.get("outputs") for c in new.cells] == [
        c.get("outputs") for c in old.cells
    ]
    folder.write_text(text.replace("import math", "import  math", 1))
    notebooks.build(folder)
    assert ran


def cell_with(text, picture="<svg/>", **metadata):
    cell = nbformat.v4.new_code_cell("draw()", metadata=metadata)
    data = {"text/plain": text, "image/svg+xml": picture}
    cell.outputs = [nbformat.v4.new_output("display_data", data)]
    return cell


@pytest.mark.parametrize(
    ("text", "numbers", "message"),
    [
        ("loss 0.50", {}, None),
        ("loss 0.51", {}, "stored 0.50, got 0.51"),
        ("loss 0.51", {"absolute": 0.1}, None),
        ("losses 0.50", {"absolute": 0.1}, "got 'losses <number>'"),
    ],
)
def test_a_plot_is_taken_over_where_all_else_agrees(text, numbers, message):
    old = cell_with("loss 0.50", "<svg>old</svg>")
    new = cell_with(text, numbers=numbers)
    assert (message or "None") in str(notebooks.disagreement(new, old))
    new.outputs[0].data["text/html"] = "more"
    assert notebooks.disagreement(new, old) == "other kinds of output"


def test_plots_are_replaced_and_nothing_else(folder, monkeypatch):
    path = chapter_files.notebook_of(folder)
    before = nbformat.read(path, 4)

    def execute(nb, _):
        for cell, known in zip(nb.cells, before.cells, strict=True):
            if cell.cell_type == "code":
                cell.outputs = copy.deepcopy(known.outputs)

    monkeypatch.setattr(notebooks, "execute", execute)
    nb = copy.deepcopy(before)
    plots = [
        output
        for cell in code(nb)
        for output in filter(chapter_files.is_plot, cell.outputs)
    ]
    for output in plots:
        output.data["image/png"] = output.data.pop("image/svg+xml")
    words = plots[0].data["text/plain"]
    plots[0].data["text/plain"] = "another figure"
    nbformat.write(nb, path)
    (left,) = notebooks.replace_plots(folder)
    assert "got '<Figure" in left
    plots[0].data["text/plain"] = words
    nbformat.write(nb, path)
    assert notebooks.replace_plots(folder) == []
    assert nbformat.read(path, 4) == before


def test_a_picture_has_its_text_in_the_output_too(folder):
    notebook = chapter_files.notebook_of(folder)
    nb = nbformat.read(notebook, 4)
    cells = [c for c in code(nb) if "figure" in c.metadata.get("mystnb", {})]
    assert cells
    for cell in cells:
        alt = cell.metadata["mystnb"]["image"]["alt"]
        kind = "image/svg+xml"
        found = [o.metadata for o in cell.outputs if kind in o.data]
        assert found == [{kind: {"alt": alt}}]
        cell.outputs[-1].metadata = {}
    nbformat.write(nb, notebook)
    assert "differs from" in next(notebooks.complaints(folder))
    notebooks.build(folder)
    assert list(notebooks.complaints(folder)) == []


def test_a_cell_that_differs_by_one_word_is_found_and_mended(folder, capsys):
    text = folder.read_text(encoding="utf-8")
    broken = text.replace("Mix the values, each query", "Mix the keys", 1)
    assert broken != text
    folder.write_text(broken, encoding="utf-8")
    assert sync_cells.main(write=False) == 1
    assert "+    " in capsys.readouterr().out
    assert folder.read_text(encoding="utf-8") == broken
    assert sync_cells.main(write=True) == 0
    assert folder.read_text(encoding="utf-8") == text
    assert sync_cells.main(write=False) == 0


def test_a_tag_without_a_definition_is_refused():
    with pytest.raises(ValueError, match="expected 'nothing' defined in"):
        sync_cells.source_of("attnbook.masks.nothing")


GOOD = '<html lang="en"><article><img src="a.png" alt="A"></article></html>'


@pytest.mark.parametrize(
    ("page", "message"),
    [
        (GOOD, None),
        (GOOD.replace('alt="A"', ""), "picture without text"),
        (GOOD.replace("a.png", "b.png"), "b.png, which is missing"),
        (GOOD.replace("a.png", "https://x.org/a.png"), "loads https://x.org"),
        (GOOD.replace(' lang="en"', ""), "language"),
        (GOOD + '<script src="//x.org/a.js"></script>', "loads //x.org"),
        (GOOD + '<script>import("https://x.org/a.js")</script>', "x.org"),
        (
            GOOD.replace("<img", '<img srcset="//x.org/b.png 2x"'),
            "loads //x.org/b.png",
        ),
        (
            GOOD.replace("<img", '<img style="background:url(//x.org/c)"'),
            "loads //x.org/c",
        ),
        (GOOD + '<iframe src="https://x.org"></iframe>', "loads https://x"),
        (GOOD + '<link rel="stylesheet" href="//x.org/d.css">', "//x.org/d"),
        (
            GOOD.replace("<img", '<a href="gone.html">x</a><img'),
            "gone.html, which is missing",
        ),
        (
            GOOD.replace("<img", '<a href="index.html#gone">x</a><img'),
            "index.html#gone, which is missing",
        ),
        (GOOD.replace("<img", '<a href="#a" id="a">x</a><img'), None),
    ],
)
def test_the_book_check_notices(tmp_path, page, message, capsys):
    (tmp_path / "a.png").write_bytes(b"")
    (tmp_path / "index.html").write_text(page)
    status = check_book.main(str(tmp_path))
    assert status == (message is not None)
    assert (message or "1 pages load") in capsys.readouterr().out


def test_the_book_check_looks_into_style_sheets(tmp_path, capsys):
    (tmp_path / "a.png").write_bytes(b"")
    (tmp_path / "index.html").write_text(GOOD)
    (tmp_path / "a.css").write_text("@font-face{src:url(https://x.org/f)}")
    assert check_book.main(str(tmp_path)) == 1
    assert "a.css loads https://x.org/f" in capsys.readouterr().out


def test_an_empty_book_is_no_book(tmp_path):
    assert check_book.main(str(tmp_path)) == 1


def fake_python(folder, name, version, has_venv):
    """Write a program that answers like some Python."""
    real = sys.executable
    path = folder / name
    path.write_text(
        f"""#!/bin/sh
case "$2" in
  *print*) echo {version} ;;
  *exit*) {real} -c "import sys; v = tuple(map(int, '{version}'.split('.')));
sys.exit(not (3, 11) <= v <= (3, 13))" ;;
  *venv*) exit {0 if has_venv else 1} ;;
esac
"""
    )
    path.chmod(0o755)


@pytest.mark.parametrize(
    ("pythons", "status", "words"),
    [
        ({}, 1, "found no Python"),
        ({"python3": ("3.9", True)}, 1, "python3 is Python 3.9"),
        ({"python3": ("3.12", False)}, 1, "python3 lacks venv"),
        ({"python3": ("3.12", True)}, 0, "/python3"),
        (
            {"python3": ("3.14", True), "python3.12": ("3.12", True)},
            0,
            "/python3.12",
        ),
    ],
)
def test_a_python_is_found_or_missed_in_one_line(
    tmp_path, pythons, status, words
):
    for name, (version, has_venv) in pythons.items():
        fake_python(tmp_path, name, version, has_venv)
    script = chapter_files.Path(sync_cells.__file__).with_name(
        "find_python.sh"
    )
    done = subprocess.run(
        ["/bin/sh", str(script)],
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == status
    printed = done.stderr if status else done.stdout
    assert words in printed
    assert printed.count("\n") == 1


@pytest.mark.parametrize(
    ("stored", "passes"), [("0.12\n", True), ("0.13\n", False)]
)
def test_the_notebook_run_compares_printed_numbers(tmp_path, stored, passes):
    nb = nbformat.v4.new_notebook()
    cell = nbformat.v4.new_code_cell("print(0.12)", execution_count=1)
    cell.outputs = [nbformat.v4.new_output("stream", text=stored)]
    nb.cells = [cell]
    nbformat.write(nb, tmp_path / "a.ipynb")
    config = chapter_files.ROOT / "tests/pytest-notebooks.ini"
    words = ["-m", "pytest", "-c", config, f"--rootdir={tmp_path}", "a.ipynb"]
    done = subprocess.run(
        [sys.executable, *words], cwd=tmp_path, capture_output=True
    )
    assert (done.returncode == 0) == passes


@pytest.mark.skipif(sys.platform != "linux", reason="no forks elsewhere")
def test_a_forked_kernel_is_as_a_reader_starts_one(tmp_path, monkeypatch):
    """In the notebook's folder, and without what pytest puts on the path."""
    code = "import os, sys; print(os.getcwd()); print(sys.argv[0])"
    code += "; print([p for p in sys.path if p.endswith(('tests', 'tools'))])"
    nb = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)])
    factory = forked_kernels.KernelProvisionerFactory.instance()
    monkeypatch.setattr(factory, "default_provisioner_name", "forked")
    monkeypatch.setenv("MPLBACKEND", forked_kernels.INLINE)
    monkeypatch.setattr(forked_kernels, "IMPORTED", ["ipykernel.kernelapp"])
    forked_kernels.pytest_configure()
    notebooks.execute(nb, tmp_path)
    (output,) = nb.cells[0].outputs
    assert output.text == f"{tmp_path}\nipykernel_launcher.py\n[]\n"


def test_the_commands_exit_with_1_when_something_is_wrong(folder, capsys):
    assert notebooks.main(["check"]) == 0
    path = chapter_files.notebook_of(folder)
    path.with_name("99_stray.ipynb").write_text(path.read_text())
    assert notebooks.main(["check"]) == 1
    assert "99_stray.ipynb has no text" in capsys.readouterr().out
    assert notebooks.main(["nonsense"]) == 2


def test_a_changed_caption_makes_a_notebook_stale(folder):
    text = folder.read_text(encoding="utf-8")
    folder.write_text(text.replace('alt: "', 'alt: "New. ', 1))
    assert notebooks.changed(folder)


def test_only_changed_chapters_are_executed(folder, capsys, monkeypatch):
    built = []
    monkeypatch.setattr(notebooks, "build", lambda text, _: built.append(text))
    assert notebooks.main(["build"]) == 0
    assert built == []
    assert notebooks.main(["build", "--all"]) == 0
    assert built == [folder]
    folder.write_text(folder.read_text() + "\nMore.\n")
    assert notebooks.main(["build"]) == 0
    assert built == [folder, folder]


def test_a_changed_bootstrap_cell_is_found(folder, capsys):
    text = folder.read_text(encoding="utf-8")
    folder.write_text(text.replace("import subprocess\n", "", 1))
    assert sync_cells.main(write=False) == 1
    assert sync_cells.main(write=True) == 0
    assert folder.read_text(encoding="utf-8") == text


def test_several_definitions_and_decorators(monkeypatch, tmp_path):
    module = tmp_path / "code/attnbook/one.py"
    module.parent.mkdir(parents=True)
    want = "@deco\ndef f():\n    return 1"
    module.write_text(f"{want}\n\n\nclass G:\n    x = 2\n")
    monkeypatch.setattr(sync_cells, "ROOT", tmp_path)
    assert sync_cells.source_of("attnbook.one.f") == want
    both = ["source:attnbook.one.f", "source:attnbook.one.G"]
    assert sync_cells.wanted(both) == f"{want}\n\n\nclass G:\n    x = 2"
    assert sync_cells.wanted(["hide-input"]) is None


def test_numbers_of_a_result_stand_on_one_line():
    store = pytest.importorskip("lab.store")
    result = {"a": [[1, -2.5], [3e-05]], "b": ["[1, 2]", "[\n1\n]"], "c": []}
    text = store.as_text(result)
    assert json.loads(text) == result
    assert "[1, -2.5]" in text and "[3e-05]" in text


def test_an_experiment_refuses_changed_code(tmp_path, monkeypatch):
    store = pytest.importorskip("lab.store")
    monkeypatch.setattr(store, "ROOT", tmp_path)
    monkeypatch.setattr(store, "find", lambda name: {})
    name = ["-c", "user.name=t", "-c", "user.email=t@localhost"]
    file = tmp_path / "code/a.py"
    file.parent.mkdir()
    file.write_text("1\n")
    (tmp_path / "requirements.txt").write_text("")
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "x"]):
        subprocess.run(["git", *name, *words], cwd=tmp_path, check=True)
    commit = store.clean_commit("some")
    assert len(commit) == 40
    file.write_text("2\n")
    with pytest.raises(ValueError, match="expected a clean tree"):
        store.clean_commit("some")


def at_another_address(nb):
    """Change the bootstrap cell as `make address` does."""
    first = next(c for c in nb.cells if "bootstrap" in chapter_files.tags(c))
    first.source = first.source.replace(publish.current()[0], "some/one")


def test_a_changed_notebook_must_be_run_plainly_again(
    tmp_path, folder, monkeypatch, capsys
):
    path = chapter_files.notebook_of(folder)
    known = plain_run.state(path)
    monkeypatch.setattr(plain_run, "texts", lambda: [folder])
    monkeypatch.setattr(plain_run, "NOTED", tmp_path / "noted.json")
    write_json(plain_run.NOTED, {path.stem: known})
    assert plain_run.main(["check"]) == 0
    edit(folder, at_another_address)
    assert plain_run.main(["check"]) == 0
    edit(folder, lambda nb: code(nb)[3].outputs.clear())
    assert plain_run.main(["check"]) == 1
    assert path.name in capsys.readouterr().out
