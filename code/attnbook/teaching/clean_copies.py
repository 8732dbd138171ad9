"""Clean copies: the released notebook with a student's answers in it."""

import copy
import json

from attnbook.teaching.notebooks import cells_of, notebook_of, source_of
from attnbook.teaching.statements import statements


class Released:
    """The notebook that was given out, and where its answers stand.

    Args:
        path: of the notebook.
        tasks: all `Task` of the assignment.

    Raises:
        ValueError: it is no notebook.
    """

    def __init__(self, path, tasks):
        self.notebook = notebook_of(path.read_text("utf-8"))
        self.cells = cells_of(self.notebook)
        self.places = {}
        for i, (kind, source) in enumerate(self.cells):
            if kind == "code":
                bound = {n for s in statements(source) for n in s.binds}
                for task in tasks:
                    if task.name in bound:
                        self.places[task.id] = (i, task)

    def with_answers(self, answers):
        """Return the notebook as text, with answers and without outputs."""
        notebook = copy.deepcopy(self.notebook)
        for id_, (i, task) in self.places.items():
            cell = notebook["cells"][i]
            if id_ in answers:
                cell["source"] = replaced(source_of(cell), task, answers[id_])
        for cell in notebook["cells"]:
            if cell.get("cell_type") == "code":
                cell |= {"outputs": [], "execution_count": None}
        return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def replaced(source, task, answer):
    """Return the source of an answer's cell, with an answer in its place.

    What the released cell does beside, such as the public check, stays.

    Args:
        source: of the released cell.
        task: its `Task`.
        answer: the student's entry.
    """
    if answer.get("look"):
        return (
            "".join(f"# {x}\n" for x in answer["source"].split("\n")) + source
        )
    rest = [s.text for s in statements(source) if task.name not in s.binds]
    return "\n\n".join([answer_lines(task, answer), *rest])


def answer_lines(task, answer):
    """Return an answer as it is in its cell."""
    if task.form == "function":
        return answer["source"].rstrip("\n") + "\n"
    if task.form == "text":
        return f"{task.name} = {quoted(answer['source'])}"
    return f"{task.name} = {answer['source']}"


def quoted(text):
    """Return a text as Python, in three quotes if it can stand there."""
    simple = '"""' not in text and text[-1:] not in ('"', "\\")
    raw = "r" * ("\\" in text)
    return f'{raw}"""{text}"""' if simple else repr(text)
