import re
import shutil
import subprocess

import pytest

import address
from chapter_files import notebook_of, texts

ROOT = address.ROOT
HERE = [*texts(), *map(notebook_of, texts()), ROOT / "_config.yml"]


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """A copy of every file that may name the address."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    for path in address.files():
        target = tmp_path / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    monkeypatch.setattr(address, "ROOT", tmp_path)
    return tmp_path


def contents(folder):
    return {
        path.relative_to(folder): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and ".git" not in path.relative_to(folder).parts
    }


def test_the_address_stands_in_the_configuration():
    assert re.fullmatch(r"[\w.-]+/[\w.-]+", address.current())
    assert address.branch()


def test_no_account_can_have_the_placeholder_s_name():
    assert not address.VALID.fullmatch(address.PLACEHOLDER)


def test_every_file_agrees_with_the_configuration():
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    assert address.strays() == []


def test_colab_links_and_bootstrap_name_the_same_reference():
    for text in texts():
        source = text.read_text(encoding="utf-8")
        link = re.search(
            r"colab\.research\.google\.com/github/(\S+)\)", source
        )
        want = f"{address.current()}/blob/{address.branch()}/chapters/"
        assert link[1] == f"{want}{text.stem}.ipynb"
        assert f'ADDRESS = "https://github.com/{address.current()}"' in source
        assert f'f"git+{{ADDRESS}}@{address.branch()}"' in source


def test_a_new_address_reaches_every_file_and_back(copy, capsys):
    before = contents(copy)
    assert address.main(["set", "some-one/my.course"]) == 0
    after = contents(copy)
    assert b"your_org/attention" not in b"".join(after.values())
    for path in HERE:
        assert b"some-one/my.course" in after[path.relative_to(ROOT)]
    assert address.strays() == []
    assert address.main(["check"]) == 0
    assert address.main(["set", address.PLACEHOLDER]) == 0
    assert contents(copy) == before


def test_a_placeholder_is_not_published(copy, capsys):
    address.rewrite(address.PLACEHOLDER)
    assert address.main(["check"]) == 1
    assert "make address REPO=owner/name" in capsys.readouterr().out


def test_a_file_that_disagrees_is_found(copy):
    name = address.current().split("/")[1]
    (copy / "NEWS.md").write_text(f"https://github.com/other/{name}\n")
    (copy / "MORE.md").write_text(f"https://other.github.io/{name}/\n")
    found = address.strays()
    assert any("NEWS.md" in line for line in found)
    assert any("MORE.md" in line for line in found)


@pytest.mark.parametrize(
    "repo", ["", "name", "a/b/c", "-a/b", "a_b/c", "a/b c", "a//b", "a/"]
)
def test_a_name_that_cannot_be_is_refused(copy, repo, capsys):
    before = contents(copy)
    assert address.main(["set", repo]) == 2
    assert "expected REPO=owner/name" in capsys.readouterr().out
    assert contents(copy) == before


def test_a_configuration_without_address_is_refused(copy):
    (copy / "_config.yml").write_text("title: x\n")
    with pytest.raises(ValueError, match="expected repository.url"):
        address.current()


def test_half_a_change_is_found(copy):
    """The configuration alone was edited, by hand."""
    config = copy / "_config.yml"
    text = config.read_text().replace(address.PLACEHOLDER, "me/my-course")
    config.write_text(text)
    found = "\n".join(address.strays())
    for name in ("README.md", "CITATION.cff", "book/intro.md", ".ipynb"):
        assert name in found
    assert address.main(["check"]) == 1


@pytest.mark.parametrize(
    "repo", ["chapters/text", "code/tools", "github/github", "a/attnbook"]
)
def test_there_and_back_changes_nothing_else(copy, repo):
    before = contents(copy)
    address.rewrite(repo)
    assert address.strays() == []
    address.rewrite(address.PLACEHOLDER)
    assert contents(copy) == before


@pytest.mark.parametrize("repo", ["x" * 40 + "/b", "a/..", "a/b.git", "a/."])
def test_more_names_that_cannot_be(repo):
    assert not address.VALID.fullmatch(repo)
