"""Make the skeleton of an exercise with a checker: text, checker, answers.

    python code/tools/new_exercise.py 5.9 centred

Adds exercise 5.9 behind the last one of chapter 5, its checker
``code/attnbook/checks/softmax/centred/check.py``, its answers to
``tests/answers/chapter_05.py`` and its minutes to the chapter's head and the
front page.  What it makes is a small exercise that works; change it step by
step, and run ``make check CHAPTER=05`` between.  Nothing is overwritten: if
anything is in the way, nothing is written.
"""

import re
import sys
from pathlib import Path
from string import Template

import chapter_files
from attnbook.teaching.exercises import exercises_of
from attnbook.teaching.tasks import WITH_VARIANTS

SKELETON = Path(__file__).parent / "skeleton"
MINUTES = 10
ANSWERS = '''"""Answers to the tasks of chapter {number}."""

import torch

from answers.registry import right, wrong
'''
USAGE = "expected an id and a name, such as 6.8 centred; got {}"


def text_of(number: int) -> Path:
    """Return the text of a chapter."""
    found = [p for p in chapter_files.texts() if int(p.stem[:2]) == number]
    if not found:
        raise ValueError(f"expected the number of a chapter, got {number}")
    return found[0]


def with_exercise(path: Path, id: str, piece: str) -> str:
    """Return a chapter's text with one exercise more.

    Raises:
        ValueError: the id is not the next one, or a place is not found.
    """
    want = f"{id.split('.')[0]}.{len(exercises_of(path)) + 1}"
    if id != want:
        raise ValueError(f"expected the next id, {want}; got {id}")
    text = path.read_text(encoding="utf-8")
    minutes = re.search(r"(exercises )?(\d+)( minutes)? more \|", text)
    if text.count("\n## Summary\n") != 1 or not minutes:
        raise ValueError(
            f"expected '## Summary' and 'exercises N more |' (or "
            f"'N minutes more |') in {path.name}"
        )
    more = minutes[0].replace(minutes[2], str(int(minutes[2]) + MINUTES))
    text = text.replace(minutes[0], more)
    last = text.rindex("\n### Exercise ")
    place = text.index("\n## ", last) + 1  # a section may stand between
    return text[:place] + piece + text[place:]


def skeleton(id: str, name: str) -> dict[Path, str]:
    """Return what to write: path -> text.

    Args:
        id: of the exercise, such as "6.8".
        name: of its function, a name of Python in small letters.

    Raises:
        ValueError: the id or the name cannot be used.
    """
    if not re.fullmatch(r"\d+\.\d+", id) or not re.fullmatch(
        r"[a-z][a-z0-9_]*", name
    ):
        raise ValueError(USAGE.format(f"{id} {name}"))
    root, number = chapter_files.ROOT, int(id.split(".")[0])
    checks = root / "code/attnbook/checks"
    if [*checks.glob(f"*/{name}/check.py")]:
        raise ValueError(f"expected a name that is free; got {name}")
    answers = root / f"tests/answers/chapter_{number:02}.py"
    old = ANSWERS.format(number=number)
    if answers.exists():
        old = answers.read_text(encoding="utf-8")
    values = {"ID": id, "NAME": name, "MINUTES": MINUTES}
    text, check, given = (
        Template((SKELETON / file).read_text("utf-8")).substitute(values)
        for file in ("text.md", "checker.txt", "answers.txt")
    )
    chapter = text_of(number)
    return {
        chapter: with_exercise(chapter, id, text),
        checks / chapter.stem[3:] / name / "check.py": check,
        answers: old + given,
    }


def main(words: list[str]) -> int:
    """Write the skeleton and say what comes next."""
    try:
        if len(words) != 2:
            raise ValueError(USAGE.format(" ".join(words) or "nothing"))
        files = skeleton(*words)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        print(path.relative_to(chapter_files.ROOT))
    number = int(words[0].split(".")[0])
    print(
        "Next: the brackets of the text, the checker's table (at least 11 "
        f"mistakes), answers; make notebooks; make check CHAPTER={number:02}"
    )
    if number in WITH_VARIANTS:
        print(
            "A seed changes what this chapter asks: it needs rules or a "
            "variant, too (CONTRIBUTING.md)"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
