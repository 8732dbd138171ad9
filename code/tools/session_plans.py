"""The plans of a course, read from ``book/teach/course.yml``.

The file holds choices; everything that is a number is computed by `sessions`.
"""

import reprlib
from dataclasses import dataclass, field

import jsonschema
import yaml

from chapter_files import ROOT

FILE = ROOT / "book/teach/course.yml"


@dataclass(frozen=True, kw_only=True)
class Session:
    """One session.

    Attributes:
        skip: chapter -> headings of the sections to leave out.
        here: ids of the exercises in class.
        home: ids of those for homework.
        exam: ids of those that an exam may ask in another form.
        aims: chapter -> which of its objectives are reached, from 1; all if
            it is not named.
    """

    skip: dict[int, tuple[str, ...]]
    here: tuple[str, ...]
    home: tuple[str, ...]
    exam: tuple[str, ...]
    aims: dict[int, tuple[int, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Plan:
    """A course: what its sessions are called, and they."""

    word: str
    sessions: tuple[Session, ...]


def each(said: str, form: dict) -> dict:
    """Return the schema of a list."""
    return {"description": said, "type": "array", "items": form}


def keys(said: str, optional: tuple[str, ...] = (), **forms: dict) -> dict:
    """Return the schema of a mapping with these keys and no others."""
    return {
        "description": said,
        "type": "object",
        "properties": forms,
        "required": [key for key in forms if key not in optional],
        "additionalProperties": False,
    }


def by_chapter(form: dict) -> dict:
    """Return the schema of a mapping from chapters."""
    return {
        "description": "chapters by number",
        "type": "object",
        "patternProperties": {"^[0-9]+$": form},
        "additionalProperties": False,
    }


TEXT = {"description": "text (in quotes if it has a colon)", "type": "string"}
AIM = {"description": "the number of an objective", "pattern": "^[0-9]+$"}
IDS = each("a list of exercises", TEXT)
SESSION = keys(
    "a session with skip, here, home, exam, and aims if not all are reached",
    optional=("aims",),
    skip=by_chapter(each("a list of headings", TEXT)),
    aims=by_chapter(each("a list of objectives", TEXT | AIM)),
    here=IDS,
    home=IDS,
    exam=IDS,
)
PLAN = keys(
    "a plan with word and sessions",
    word=TEXT,
    sessions=each("a list of sessions", SESSION),
)
PLANS_BY_NAME = {
    "description": "plans by name",
    "type": "object",
    "additionalProperties": PLAN,
}


class Loader(yaml.BaseLoader):
    """Leaves every scalar a text: 1.10 is no number."""

    def construct_mapping(self, node, deep=False):
        """Return a mapping; a key that stands twice is refused."""
        names = [str(key.value) for key, _ in node.value]
        if len(set(names)) < len(names):
            line = node.start_mark.line + 1
            raise ValueError(
                f"{FILE.name}, from line {line} on: expected every key once, "
                f"got {names}"
            )
        return super().construct_mapping(node, deep)


def make_session(found: dict) -> Session:
    """Return a session as the file has it."""
    aims = found.get("aims", {})
    return Session(
        skip={int(n): tuple(some) for n, some in found["skip"].items()},
        aims={int(n): tuple(map(int, some)) for n, some in aims.items()},
        **{key: tuple(found[key]) for key in ("here", "home", "exam")},
    )


def read_plans(text: str) -> dict[str, Plan]:
    """Return the plans that a text in YAML holds, by name.

    Raises:
        ValueError: another text; it says where, and what was expected.
    """
    try:
        found = yaml.load(text, Loader)
    except yaml.YAMLError as error:
        raise ValueError(f"{FILE.name}: expected YAML, {error}") from error
    errors = jsonschema.Draft202012Validator(PLANS_BY_NAME).iter_errors(found)
    worst = jsonschema.exceptions.best_match(errors)
    if worst:
        wanted, got = worst.schema["description"], reprlib.repr(worst.instance)
        raise ValueError(
            f"{FILE.name}, {worst.json_path}: expected {wanted}, got {got}"
        )
    return {
        name: Plan(plan["word"], tuple(map(make_session, plan["sessions"])))
        for name, plan in found.items()
    }


PLANS = read_plans(FILE.read_text(encoding="utf-8"))
