"""A notebook alone in an empty folder fetches the package and runs.

The environment is a new one that sees what runs the tests, without attnbook;
the package is a wheel that was built.  `make colab` does this for every
notebook with the versions that Colab ships.
"""

import re
import sysconfig
import zipfile
from pathlib import Path

import nbformat
import pytest
from nbval.plugin import get_sanitize_patterns

import colab
from chapter_files import ROOT, notebook_of, read, texts
from publish import PLACEHOLDER, current

SHORT = texts()[0]  # the quickest


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The packages that run the tests, without attnbook."""
    folder = tmp_path_factory.mktemp("site")
    for path in Path(sysconfig.get_path("purelib")).iterdir():
        if "attnbook" not in path.name:
            (folder / path.name).symlink_to(path)
    return folder


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return str(colab.build_wheel(tmp_path_factory.mktemp("wheel")))


def notebook_with(path, source, output):
    """Write a notebook of the bootstrap cell and one more."""
    first = next(
        cell for cell in read(texts()[0]).cells if cell.cell_type == "code"
    )
    cells = [nbformat.v4.new_code_cell(first.source, execution_count=1)]
    cells.append(nbformat.v4.new_code_cell(source, execution_count=2))
    result = nbformat.v4.new_output(
        "execute_result", {"text/plain": output}, execution_count=2
    )
    cells[1].outputs.append(result)
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    return path


def test_without_an_address_the_first_cell_says_so(site, tmp_path):
    if current()[0] != PLACEHOLDER:
        pytest.skip("the course has an address")
    path = notebook_with(tmp_path / "a.ipynb", "1 + 1", "2")
    status, printed = colab.run(path, tmp_path / "run", site, "")
    assert status == 1
    assert "This copy of the course is not published yet" in printed
    assert "Cloning" not in printed


def test_a_notebook_alone_gives_the_stored_outputs(site, wheel, tmp_path):
    folder = tmp_path / "run"
    (tmp_path / "__init__.py").write_text("import no_such_module")
    status, printed = colab.run(notebook_of(SHORT), folder, site, wheel)
    assert status == 0, printed[-3000:]
    own = colab.names(colab.own_site(folder / "venv"))
    assert own == {"attnbook"}, "a package that was there has changed"
    assert re.fullmatch(r"\d+ passed", colab.verdict(status, printed, set()))


def test_the_wheel_holds_every_file_of_the_package(wheel):
    held = {n for n in zipfile.ZipFile(wheel).namelist() if "info/" not in n}
    package = ROOT / "code/attnbook"
    wanted = {
        path.relative_to(ROOT / "code").as_posix()
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert held == wanted


def test_an_output_that_differs_fails_with_its_cell(site, wheel, tmp_path):
    path = notebook_with(tmp_path / "a.ipynb", "1 + 1", "3")
    status, printed = colab.run(path, tmp_path / "run", site, wheel)
    assert colab.verdict(status, printed, set()) == "FAILED in cell 1"


def test_a_verdict_says_what_went_wrong():
    assert colab.verdict(0, "\n7 passed in 3 s\n", set()) == "7 passed"
    assert "replaces numpy, torch" in colab.verdict(
        0, "7 passed in 3 s", {"torch", "numpy"}
    )
    lines = "FAILED a.ipynb::Cell 3\nFAILED a.ipynb::Cell 14 - because\n"
    assert colab.verdict(1, lines, set()) == "FAILED in cell 3, 14"
    assert colab.verdict(4, "x\nno such plugin\n", set()) == (
        "FAILED: no such plugin"
    )


def test_chapters_are_chosen_by_number(capsys):
    assert len(colab.chosen([])) == len(texts())
    assert [p.stem[:2] for p in colab.chosen(["10", "2"])] == ["10", "02"]
    assert colab.main(["99"]) == 2
    assert "expected CHAPTERS of 00, 01" in capsys.readouterr().out


def test_every_version_of_colab_is_exact():
    text = (ROOT / "code/tools/colab.txt").read_text(encoding="utf-8")
    lines = [x for x in text.splitlines() if x and not x.startswith("#")]
    assert all(re.fullmatch(r"[\w-]+==[\w.]+", line) for line in lines)
    assert {"torch", "numpy", "pandas"} <= {x.split("==")[0] for x in lines}


def test_two_spellings_of_a_blank_are_equal_and_numbers_are_not():
    text = (ROOT / "code/tools/colab.cfg").read_text(encoding="utf-8")
    patterns = get_sanitize_patterns(text)
    assert len(patterns) == 1

    def clean(text):
        for pattern, new in patterns:
            text = re.sub(pattern, new, text)
        return text

    old, new = "<td>2.00  0.67</td>", "<td>2.00&nbsp;&nbsp;0.67</td>"
    assert clean(old) == clean(new) != clean("<td>2.00  0.68</td>")
    assert clean("\n   a") == "\n   a"  # alignment is compared
