"""The project's public address, which stands in one place.

    python code/tools/address.py show
    python code/tools/address.py set owner/name
    python code/tools/address.py check

The place is ``repository.url`` in _config.yml.  ``set`` writes a new address
there and wherever a file repeats the old one (links, Colab buttons, bootstrap
cells, in texts and notebooks); nothing is executed.  ``check`` fails while
the placeholder stands or a file disagrees.  Needs the standard library only.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# An underscore: no account of GitHub can have this name.
PLACEHOLDER = "your_org/attention-from-scratch"
KINDS = {".md", ".ipynb", ".yml", ".yaml", ".toml", ".cff"}
OWN = {"code/tools/address.py", "tests/test_address.py"}  # speak about it
VALID = re.compile(
    r"(?=[^/]{1,39}/)[A-Za-z0-9](-?[A-Za-z0-9])*"
    r"/(?!\.{1,2}$)(?!.*\.git$)[A-Za-z0-9._-]{1,100}"
)


def setting(name: str) -> str:
    """Return one setting under ``repository:`` in _config.yml."""
    config = (ROOT / "_config.yml").read_text(encoding="utf-8")
    block = re.search(r"^repository:\n((?:[ #].*\n)+)", config, re.MULTILINE)
    found = block and re.search(rf"^ +{name}: *(\S+)", block[1], re.MULTILINE)
    if not found:
        raise ValueError(
            f"expected repository.{name} in _config.yml, found none"
        )
    return found[1]


def current() -> str:
    """Return the address as owner/name."""
    return setting("url").removeprefix("https://github.com/")


def branch() -> str:
    """Return the branch or tag that readers are sent to."""
    return setting("branch")


def files() -> list[Path]:
    """Return the project's text files that may repeat the address."""
    listed = subprocess.run(
        ["git", "ls-files", "-coz", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\0")
    return [
        ROOT / name
        for name in sorted(listed)
        if Path(name).suffix in KINDS
        and name not in OWN
        and (ROOT / name).is_file()
    ]


def forms(repo: str) -> list[tuple[re.Pattern, str]]:
    """Return the ways in which a file writes an address, as patterns.

    An address follows ``github.com/`` or Colab's ``/github/``, so that no
    other words with a slash are taken for one.
    """
    owner, name = repo.split("/")
    end = r"(?![\w-]|\.\w)"
    return [
        (
            re.compile(rf"(?<=//github\.com/){re.escape(repo)}{end}"),
            repo,
        ),
        (
            re.compile(rf"(?<=google\.com/github/){re.escape(repo)}{end}"),
            repo,
        ),
        (
            re.compile(
                rf"(?<=//){re.escape(owner)}\.github\.io/"
                rf"{re.escape(name)}{end}"
            ),
            f"{owner}.github.io/{name}",
        ),
    ]


def rewrite(repo: str) -> list[Path]:
    """Write a new address wherever the old one stands.

    Args:
        repo: owner/name.

    Returns:
        The files that changed.

    Raises:
        ValueError: not a name that GitHub accepts.
    """
    if not VALID.fullmatch(repo) and repo != PLACEHOLDER:
        raise ValueError(
            "expected REPO=owner/name as GitHub spells it, got " + repr(repo)
        )
    pairs = list(zip(forms(current()), forms(repo), strict=True))
    changed = []
    for path in files():
        before = after = path.read_text(encoding="utf-8")
        for (old, _), (_, new) in pairs:
            after = old.sub(new, after)
        if after != before:
            path.write_text(after, encoding="utf-8", newline="\n")
            changed.append(path)
    return changed


def strays() -> list[str]:
    """Return the places that name another address than _config.yml."""
    own, project = current().split("/")
    name = re.escape(project)
    any_owner = re.compile(
        rf"github(?:\.com)?/([\w.-]+/{name})(?![\w-])"
        rf"|(?<![\w-])([\w-]+)\.github\.io/{name}"
    )
    found = []
    for path in files():
        text = path.read_text(encoding="utf-8")
        lines = [line for line in text.split("\n") if project in line]
        for match in any_owner.finditer("\n".join(lines)):
            owner = (match[1] or match[2]).split("/")[0]
            if owner != own:
                found.append(f"{path.relative_to(ROOT)}: {match[0]}")
        if current() != PLACEHOLDER:
            found += [
                f"{path.relative_to(ROOT)}: {form}"
                for pattern, form in forms(PLACEHOLDER)
                if pattern.search(text)
            ]
    return sorted(set(found))


def main(arguments: list[str]) -> int:
    """Run the command that was typed."""
    match arguments:
        case ["show"]:
            print(current())
        case ["set", repo]:
            try:
                changed = rewrite(repo)
            except ValueError as error:
                print(error)
                return 2
            for path in changed:
                print(path.relative_to(ROOT))
            print(f"{len(changed)} file(s) now say {repo}; commit them")
        case ["check"]:
            bad = strays()
            if current() != PLACEHOLDER and not VALID.fullmatch(current()):
                bad.append(f"{current()} is no owner/name of GitHub's")
            if current() == PLACEHOLDER:
                bad.append(
                    "the address is still the placeholder; run "
                    "make address REPO=owner/name and commit"
                )
            print("\n".join(bad) or f"every file says {current()}")
            return 1 if bad else 0
        case _:
            print(__doc__)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
