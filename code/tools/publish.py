"""The course's address and release: written into every file, and checked.

    python code/tools/publish.py show
    python code/tools/publish.py address owner/name
    python code/tools/publish.py release 0.2.0
    python code/tools/publish.py check

They have one place, ``repository`` in _config.yml; ``address`` and ``release``
write a new one there and wherever a file repeats it, and execute nothing.  A
release is a tag: no push changes what a class was given.  ``check`` fails
while the address is the placeholder, a file disagrees, or git has no such tag.
Needs git and the standard library only.
"""

import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PLACEHOLDER = "your_org/attention-from-scratch"  # no account has a "_"
REPO = re.compile(
    r"(?a)[a-zA-Z0-9][a-zA-Z0-9-]{,38}/(?!\.+$)[\w.-]{1,100}(?<!\.git)"
)
VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)")
ANYWHERE = (  # how a file names address and release
    "//github.com/{owner}/{name}",
    "google.com/github/{owner}/{name}",
    "//{owner}.github.io/{name}",
    "/{owner}/{name}@{tag}",
    "/{owner}/{name}/blob/{tag}",
    "{{ADDRESS}}@{tag}",
)
LINES = {
    "_config.yml": ("\n  branch: {tag}", '\n    version: "{version}'),
    "pyproject.toml": ('\nversion = "{version}',),
    "code/attnbook/__init__.py": ('\n__version__ = "{version}',),
    "CITATION.cff": ("\nversion: {version}",),
    "README.md": ("`git tag {tag}", "`git push origin main {tag}"),
}
ANY = r"[\w-]+(?:\.[\w-]+)*"  # a version, a tag, a branch
END = r"(?![\w-]|\.\w)"  # a longer name is another


def current() -> tuple[str, str]:
    """Return the address, owner/name, and the version of the release."""
    config = (ROOT / "_config.yml").read_text(encoding="utf-8")
    url = re.search(r"\n  url: https://github\.com/([^/\s]+/\S+)\s", config)
    tag = re.search(rf"\n  branch: v({VERSION.pattern})\s", config)
    if not url or not tag:
        raise ValueError(
            "expected repository.url: https://github.com/owner/name and a "
            "tag such as v0.2.0 as repository.branch in _config.yml"
        )
    return url[1], tag[1]


def git(*words: str) -> str:
    """Return what git prints."""
    run = subprocess.run(["git", *words], cwd=ROOT, stdout=-1, check=True)
    return run.stdout.decode()


def read() -> dict[str, str]:
    """Return the texts of all files that may name address or release."""
    how = "-zlIF", "--untracked", "--no-color"
    what = "-egithub", "-e__version__ =", "-e## Unreleased"
    names = git("grep", *how, *what, "--", ".", ":!code/tools", ":!tests")
    return {
        name: (ROOT / name).read_text(encoding="utf-8")
        for name in names.split("\0")[:-1]
    }


def filled(form: str, repo: str, tag: str, version: str) -> str:
    """Return a form with address and release filled in."""
    owner, name = repo.split("/")
    return form.format(owner=owner, name=name, tag=tag, version=version)


def changed(texts: dict, repo: str, version: str) -> dict[str, str]:
    """Return the texts that are others with this address and release."""
    known = [re.escape(old) for old in (PLACEHOLDER, current()[0], repo)]
    found = {}
    for file, text in texts.items():
        new = text
        for form in ANYWHERE + LINES.get(file, ()):
            right = filled(form, repo, f"v{version}", version)
            for old in known:
                new = re.sub(filled(form, old, ANY, ANY) + END, right, new)
        if new != text:
            found[file] = new
    return found


def released(texts: dict, new: str) -> dict[str, str]:
    """Return the texts that a newer version changes, dated today."""
    repo, old = current()
    if not VERSION.fullmatch(new):
        raise ValueError(f"expected VERSION=X.Y.Z as in 0.2.0, got {new!r}")
    if [*map(int, new.split("."))] <= [*map(int, old.split("."))]:
        raise ValueError(f"expected a version newer than {old}, got {new}")
    found = changed(texts, repo, new)
    day = f"{datetime.now(UTC):%Y-%m-%d}"
    for file, line, dated in (
        ("CITATION.cff", "date-released: .+", f"date-released: {day}"),
        ("CHANGELOG.md", "## Unreleased", rf"\g<0>\n\n## {new}, {day}"),
    ):
        text = found.get(file) or texts.get(file, "")
        found[file], count = re.subn(f"(?m)^{line}$", dated, text, count=1)
        if not count:
            raise ValueError(f"expected a line {line!r} in {file}, got none")
    return found


def write(texts: dict) -> None:
    """Write all texts, or none if one file cannot be written."""
    for file in texts:
        (ROOT / file).open("a").close()
    for file, text in texts.items():
        (ROOT / file).write_text(text, encoding="utf-8", newline="\n")
    print(f"{len(texts)} files changed; what remains:")


def check() -> None:
    """Raise a ValueError that says why nothing can be published."""
    repo, version = current()
    bad = [
        f"{file} names another address or release (make address mends that)"
        for file in changed(read(), repo, version)
    ]
    if not REPO.fullmatch(repo):
        bad.append(f"no address yet but {repo}: make address REPO=owner/name")
    if not git("tag", "--list", f"v{version}"):
        bad.append(f"no tag v{version} yet: git tag v{version}")
    if bad:
        raise ValueError("\n".join(bad))
    print(f"every file says {repo} and v{version}")


def main(arguments: list[str]) -> None:
    """Run the command that was typed."""
    match arguments:
        case ["show"]:
            print(current()[0])
        case ["address", repo]:
            if not REPO.fullmatch(repo):
                raise ValueError(f"expected REPO=owner/name, got {repo!r}")
            write(changed(read(), repo, current()[1]))
            print('    git commit -am "[release] Write the address"')
        case ["release", new]:
            write(released(read(), new))
            print(f'    git commit -am "[release] Publish {new}"')
            print(f"    git tag v{new}\n    git push origin main v{new}")
        case ["check"]:
            check()
        case _:
            raise ValueError(__doc__)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except (OSError, ValueError, subprocess.CalledProcessError) as error:
        sys.exit(str(error))
