"""Judge one answer of one student.

All that is trusted happens here: the checkers, the inputs drawn from the seed,
the right values.  A student's function runs elsewhere; what is called here is
its stand-in, an `Answer` of the sandbox.
"""

import contextlib
import io
from dataclasses import replace

from attnbook.checks.engine.time_limit import TooLong, time_limit
from attnbook.checks.engine.verdict import Verdict, describe
from attnbook.teaching.pythons import is_newer
from attnbook.teaching.results import blank, cut, result
from attnbook.teaching.values import is_blank, judge_order, judge_values

READING = 10  # seconds to read a source
ELSEWHERE = "right on the inputs of the public check, but not on others"


def judge(task, entry, grader):
    """Return the `Result` of one answer.

    Args:
        task: a `Task` of the bundle.
        entry: what was collected for it, a dict with ``name``, ``source``,
            perhaps ``value``, ``blank`` and ``error``; None if nothing was
            found.
        grader: a `grader.Grader`, which opens the answer and has its checks.
    """
    if entry is None:
        found = f"{task.name} was not found in what you handed in"
        return result(task, "missing", 0, found, mistake="missing")
    if entry.get("blank"):
        return blank(task)
    if entry.get("look"):
        return judge_unread(task, entry, grader)
    if entry.get("error"):
        error = entry["error"]
        if is_newer(error):
            comment = "could not be read yet; your teacher looks at it"
            return result(task, "by hand", None, comment, look=error)
        return result(task, "wrong", 0, error, mistake="cannot be read")
    forms = {
        "function": judge_function,
        "values": judge_values,
        "order": judge_order,
        "text": judge_text,
    }
    return forms[task.form](task, entry, grader)


def judge_unread(task, entry, grader):
    """Leave to the teacher what could not be read, or not as a whole."""
    note = ""
    if task.form == "values" and isinstance(entry.get("value"), dict):
        known = judge_values(task, entry, grader)
        note = f"as far as it can be read, {known.comment}"
    said = "could not be judged; your teacher looks at it"
    return result(task, "by hand", None, said, note)


def report_stop(task, reason):
    """Return the result of an answer whose process ended."""
    comment = f"your function was stopped: {reason}"
    look = "its process was stopped"
    return result(task, "stopped", 0, comment, look=look, mistake=reason)


def find_verdict(check, entry, grader):
    """Return a check's verdict, and why the answer's process ended, or ""."""
    with (
        contextlib.redirect_stdout(io.StringIO()),
        grader.open_answer(entry["source"], entry["name"]) as answer,
    ):
        verdict = check(answer)
        problem = getattr(answer, "problem", "")
        if problem and not verdict:
            said = f"your code fails: {problem}"
            verdict = Verdict(verdict.name, "error", said, "your code fails")
        return replace(verdict, hint=cut(verdict.hint)), str(answer.died or "")


def list_complaints(task, entry, grader):
    """Return what a source may not call, or why that cannot be said."""
    try:
        with time_limit(READING):
            return grader.find_complaints(entry["source"], task.may_not_call)
    except TooLong:
        return [f"takes more than {READING} seconds to be read"]
    except (RecursionError, MemoryError):
        return ["is nested too deeply to be read"]
    except Exception as error:
        return [f"cannot be read: {describe(error)}"]


def judge_function(task, entry, grader):
    """Judge a function: may it call that, does it pass, does it elsewhere?"""
    complaints = list_complaints(task, entry, grader)
    if complaints:
        said = "; ".join(complaints)
        comment = f"not graded: {said}"
        return result(task, "refused", 0, comment, comment, mistake=said)
    if task.check is None:
        said, note = "marked by your teacher", "run it in Colab, not here"
        return result(task, "by hand", None, said, note)
    public, held_out = grader.checks(task)
    hidden, died = find_verdict(held_out, entry, grader)
    if hidden and not died:
        return result(task, "right", 1, "right")
    if died or hidden.status == "late":
        return report_stop(task, died or "it did not end")
    home, died = find_verdict(public, entry, grader)
    if died or home.status == "late":
        return report_stop(task, died or "it did not end")
    if home.status == "blank":
        return blank(task)
    return weigh_verdicts(task, home, hidden)


def weigh_verdicts(task, home, hidden):
    """Return the result of an answer that is not right.

    Args:
        task: a `Task`.
        home: verdict of the public check, whose hint anybody may read.
        hidden: of the held-out check, which gives the points; nobody may
            read more of it than its outline.
    """
    said = f"{ELSEWHERE}: {hidden.outline}" if home else home.hint
    share = task.partial if hidden.status == "partly" else 0
    status = "partly" if share else "wrong"
    lost = "unjudged" in (home.status, hidden.status)
    look = "the check could not judge it" if lost else ""
    return result(task, status, share, said, look=look, mistake=said)


def judge_text(task, entry, grader):
    """Leave a text to the teacher."""
    if is_blank(entry["source"]):
        return blank(task)
    return result(task, "by hand", None, "marked by your teacher")
