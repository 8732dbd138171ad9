"""Write the notebooks of an assignment, the students' and the teacher's."""

import ast
import re

from attnbook.checks.engine.allowed import OTHERS, SAID, kinds_in
from attnbook.teaching.bundle import WHY
from attnbook.teaching.guide import round_decimals
from attnbook.teaching.spreadsheet import format_count

KERNEL = {
    "display_name": "Python 3",
    "language": "python",
    "name": "python3",
}
HEAD = """\
# {title}

{points}, about {minutes}.{due} The exercises are those of \
the course *Attention, from Scratch*, some with other numbers or rules: \
read each to its end. Leave the names of functions and answers as they are; \
they are how your work is found. What a function needs, other functions too, \
may stand in any cell. {allowed}
"""
TASK = """\
## Exercise {id} {title}

*{kind}, {points}, about {minutes}.*{page}{more}

{text}
"""
PAGE = (
    "\n\n[This exercise in the book]({page}) stands below the drawings, cells "
    "and numbers that it speaks of. Where it differs, this one counts."
)
WORDS = """\
### Exercise {id}, in words

*{points}.*

Write here what the task asks for beside the function: the cause, the \
reasons, the numbers. Your teacher reads and marks it.
"""
FUNCTION = (
    "The check below names mistakes. Your points come from other inputs: all "
    "of them if every case is right, {partial:g} if the plain case is. Write "
    "it yourself; a call of {names} is refused{others}."
)
BY_HAND = (
    "The check below names mistakes. Your teacher marks the function. Write "
    "it yourself; a call of {names} is refused{others}."
)


def either(names):
    """Return "this course's package", and what else is not to be called."""
    *most, last = "this course's package", *names
    return f"{', '.join(most)} or {last}" if most else last


def first_cells(bundle, exercises, course):
    """Return kind and source of the cells above the tasks.

    Args:
        bundle: the `Bundle`.
        exercises: what is assigned.
        course: a checkout of the course.
    """
    due = ""
    if bundle.due:
        due = f" Due {bundle.due:%A, %d %B %Y, %H:%M (UTC%z)}."
    minutes = sum(task.minutes for task in bundle.tasks)
    functions = any(task.form == "function" for task in bundle.tasks)
    head = HEAD.format(
        title=bundle.title,
        points=format_count(bundle.points, "point"),
        minutes=format_count(minutes, "minute"),
        due=due,
        allowed=SAID if functions else "",
    )
    own = {task.name for task in bundle.tasks}
    bootstrap, imports = chapter_cells(exercises, course, own)
    mark = f'ASSIGNMENT = "{bundle.assignment}"  # leave this as it is'
    return [
        ("markdown", head),
        ("code", bootstrap),
        ("code", f"{imports}\n\n{mark}"),
    ]


def chapter_cells(exercises, course, own):
    """Return the bootstrap cell, and the imports of the chapters.

    Args:
        exercises: of an assignment.
        course: a checkout of the course.
        own: names that students define, which are not imported.
    """
    import jupytext

    modules, bootstrap = {"import torch": {}, "attnbook": {"checks": 0}}, ""
    for chapter in sorted({e.chapter for e in exercises}):
        cells = jupytext.read(course / f"chapters/text/{chapter}.md").cells
        for cell in cells:
            if cell.cell_type != "code":
                continue
            if "bootstrap" in cell.metadata.get("tags", []):
                bootstrap = cell.source.strip()
                continue
            for module, name in imports_of(cell.source):
                if name not in own:
                    modules.setdefault(module, {})[name] = None
    lines = [
        f"from {module} import {', '.join(sorted(names))}"
        if names.keys() - {None}
        else module
        for module, names in modules.items()
    ]
    return bootstrap, "\n".join(sorted(lines, key=place_of_import))


def imports_of(source):
    """Yield the imports of a cell: pairs of a module and a name of it.

    For ``import math`` that is the line itself and None.

    Args:
        source: Python.
    """
    for node in ast.parse(source).body:
        if isinstance(node, ast.Import):
            yield ast.unparse(node), None
        elif isinstance(node, ast.ImportFrom):
            for name in node.names:
                yield node.module, ast.unparse(name)


def place_of_import(line):
    """Sort plain imports first, the course's own last."""
    return "attnbook" in line, line.startswith("from"), line


def stub_of(made):
    """Return the cells of a task below its text, for students."""
    return [("code", made.task.stub)]


def solved(made):
    """Return the cells of a task below its text, for the teacher."""
    task = made.task
    if task.form == "function":
        code = "\n".join(
            re.findall(r"```python\n(.*?)```", task.solution, re.DOTALL)
        )
        call = task.stub.rsplit("\n\n\n", 1)[1]
        return [("code", f"{code.rstrip()}\n\n\n{call}")]
    source = round_decimals(f"{task.name} = {task.answers!r}")
    if task.form == "order":
        source = f'{task.name} = "{" ".join(task.order)}"'
    cells = [("markdown", f"**Solution.**\n\n{round_decimals(task.solution)}")]
    return cells if task.form == "text" else [*cells, ("code", source)]


def words_of(made):
    """Return the Markdown of a task."""
    task, more = made.task, ""
    if task.id.endswith(WHY):
        return WORDS.format(
            id=made.exercise.id, points=format_count(task.points, "point"),
        )  # fmt: skip
    if task.form == "function":
        more = "\n\n" + (FUNCTION if task.check else BY_HAND).format(
            partial=task.partial * task.points,
            names=either(f"`{name}`" for name in task.may_not_call),
            others="".join(OTHERS[x] for x in kinds_in(task.may_not_call)),
        )
    elif task.form == "values":
        more = (
            f"\n\nFill in `{task.name}` in the form that stands beside each "
            "part; every part counts the same. Numbers may be rounded to two "
            "decimals."
        )
    return TASK.format(
        id=task.id, title=task.title, kind=task.kind.capitalize(),
        points=format_count(task.points, "point"), more=more, text=made.text,
        minutes=format_count(task.minutes, "minute"),
        page=PAGE.format(page=task.page) if task.page else "",
    )  # fmt: skip


def write_notebook(path, bundle, head, every, below):
    """Write a notebook of all tasks; the same input gives the same bytes.

    Args:
        path: of the notebook.
        bundle: the `Bundle`.
        head: kind and source of the cells above the tasks.
        every: all `Made`.
        below: a function of a `Made` that returns kind and source of the
            cells below a task's text.
    """
    import nbformat
    from nbformat import v4

    parts = [("head", cell) for cell in head]
    for one in every:
        name = f"task-{one.task.id.replace('.', '-')}"
        cells = [("markdown", words_of(one)), *below(one)]
        parts += [(name, cell) for cell in cells]
    nb = v4.new_notebook()
    nb.metadata = {
        "kernelspec": KERNEL,
        "language_info": {"name": "python"},
        "attnbook": {"assignment": bundle.assignment},
    }
    for number, (name, (kind, source)) in enumerate(parts):
        new = v4.new_code_cell if kind == "code" else v4.new_markdown_cell
        nb.cells.append(new(source.strip(), id=f"{name}-{number}"))
    nbformat.write(nb, path)
