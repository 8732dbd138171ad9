"""Address and release: all files agree, all change, or none."""

import re
import shutil
import subprocess

import pytest

import attnbook
import publish
from chapter_files import notebook_of, texts
from publish import ROOT, changed, current, main

CHAPTER = texts()[0], notebook_of(texts()[0])
KINDS = [*publish.LINES, "CHANGELOG.md", "book/teach/homework.md"]
KINDS += [path.relative_to(ROOT).as_posix() for path in CHAPTER]
EXAMPLES = "chapters/text", "github/github", "some-one/my.course"


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """A checkout with one file of each kind, one of them not yet added."""
    for name in KINDS:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    monkeypatch.setattr(publish, "ROOT", tmp_path)
    git("init", "-q")
    git("add", *KINDS[:-1])
    git("commit", "-qm", "state")
    return tmp_path


def git(*words):
    name = "-c", "user.name=test", "-c", "user.email=test@localhost"
    subprocess.run(["git", *name, *words], cwd=publish.ROOT, check=True)


@pytest.fixture(scope="module")
def course():
    """The texts of the course that name address or release."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    return publish.read()


def test_every_file_names_the_same_address_and_release(course):
    repo, version = current()
    assert attnbook.__version__ == version
    assert changed(course, repo, version) == {}
    for text in texts():
        found = course[text.relative_to(ROOT).as_posix()]
        place = f"{repo}/blob/v{version}/chapters/{text.stem}.ipynb)"
        assert f"(https://colab.research.google.com/github/{place}" in found
        assert f'ADDRESS = "https://github.com/{repo}"' in found
        assert f'f"git+{{ADDRESS}}@v{version}"' in found


@pytest.mark.parametrize("repo", EXAMPLES)
def test_nothing_keeps_the_old_address_or_release(course, repo, monkeypatch):
    old, version = current()
    new = course | changed(course, repo, "99.9.0")
    for text in new.values():
        assert f"github.com/{old}" not in text
        assert f"@v{version}" not in text and f"/v{version}" not in text
    for name in KINDS:
        assert name == "CHANGELOG.md" or "99.9.0" in new[name]
    monkeypatch.setattr(publish, "current", lambda: (repo, "99.9.0"))
    assert new | changed(new, old, version) == course


def test_no_word_is_taken_for_the_address():
    texts = {
        "a.md": "https://github.com/{0}-2 https://github.com/{0}.js {0}",
        "b.md": "https://github.com/other/{1} https://other.github.io/{1}",
        "c.yml": "\n    version: {2}\n  branch: v{2}, x/y@v{2}",
    }
    repo, version = current()
    words = repo, repo.split("/")[1], version
    texts = {name: text.format(*words) for name, text in texts.items()}
    assert changed(texts, "me/mine", "9.0.0") == {}


def test_a_course_is_published(copy, capsys):
    main(["address", "some-one/my.course"])
    main(["release", "99.9.0"])
    assert "main v99.9.0\n" in capsys.readouterr().out
    with pytest.raises(ValueError, match=r"no tag v99.9.0 yet"):
        main(["check"])
    git("add", ".")
    git("commit", "-qm", "[release] Publish 99.9.0")
    git("tag", "v99.9.0")
    main(["check"])
    main(["address", "some-one/my.course"])
    git("diff", "--exit-code")
    text = (copy / "CHANGELOG.md").read_text(encoding="utf-8")
    dated = r"^## Unreleased\n\n## 99\.9\.0, (\d{4}-\d\d-\d\d)\n"
    day = re.search(dated, text, re.MULTILINE)[1]
    cited = (copy / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: 99.9.0\ndate-released: {day}\n" in cited
    main(["release", "99.10.0"])  # on the same day


@pytest.mark.parametrize("name", [*KINDS[1:5], *KINDS[6:]])
def test_a_file_that_disagrees_is_named_and_mended(copy, name):
    before = (copy / name).read_text(encoding="utf-8")
    wrong = before.replace(current()[1], "0.0.7")
    (copy / name).write_text(wrong, encoding="utf-8")
    with pytest.raises(ValueError, match=f"{name} names another"):
        main(["check"])
    publish.write(changed(publish.read(), *current()))
    assert (copy / name).read_text(encoding="utf-8") == before


def test_a_placeholder_is_not_published(copy):
    text = (copy / "_config.yml").read_text(encoding="utf-8")
    old, version = current()
    text = text.replace(old, publish.PLACEHOLDER)
    (copy / "_config.yml").write_text(text, encoding="utf-8")
    git("tag", f"v{version}")
    with pytest.raises(ValueError, match=r"make address REPO=owner/name"):
        main(["check"])


def test_an_address_that_only_the_configuration_names_is_found(copy):
    publish.write(changed(publish.read(), publish.PLACEHOLDER, current()[1]))
    text = (copy / "_config.yml").read_text(encoding="utf-8")
    text = text.replace(publish.PLACEHOLDER, "me/my-course")
    (copy / "_config.yml").write_text(text, encoding="utf-8")
    for name in ("README.md", "CITATION.cff", KINDS[-1]):
        with pytest.raises(ValueError, match=f"{name} names another"):
            main(["check"])


BAD = [("address", word) for word in (
    "", "name", "a/b/c", "-a/b", "a_b/c", "a/b c", "a//b", "a/", "a/..",
    "a/b.git", "a/b\n", "x" * 40 + "/b", "https://github.com/a/b",
    publish.PLACEHOLDER,
)]  # fmt: skip
BAD += [("release", word) for word in (
    "", "1", "9.2", "v9.2.0", "9.2.x", "9.02.0", "9.2.0\n", "0.0.9",
    current()[1],
)]  # fmt: skip


@pytest.mark.parametrize("words", BAD)
def test_what_cannot_be_is_refused_and_changes_nothing(copy, words):
    with pytest.raises(
        ValueError, match=r"^expected (REPO|VERSION|a version)"
    ):
        main([*words])
    git("diff", "--exit-code")


@pytest.mark.parametrize("name, line", [
    ("CHANGELOG.md", "## Unreleased"),
    ("CITATION.cff", "date-released: "),
    ("_config.yml", "  branch: v"),
])  # fmt: skip
def test_a_file_without_its_line_stops_a_release(copy, name, line):
    text = (copy / name).read_text(encoding="utf-8")
    (copy / name).write_text(text.replace(line, "x: "), encoding="utf-8")
    git("commit", "-qam", "without")
    with pytest.raises(ValueError, match=name):
        main(["release", "99.0.0"])
    git("diff", "--exit-code")
