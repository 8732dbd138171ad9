"""What every check says of every listed answer, to compare before and after.

    python tests/golden.py OUT [--task NAME]... [--workers 1]
    python tests/golden.py --compare OLD NEW

The answers are the right and wrong ones of `tests/answers`, stubs and hostile
ones, and the rows of the tables of mistakes.  Each is judged by the public
check and under three keys; rules' solutions, stubs and some wrong answers
under each rule, and what the variants draw under three seeds.
"""

import argparse
import contextlib
import hashlib
import io
import json
import multiprocessing
import os
import re
import sys
import time
from pathlib import Path

import torch

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE)]

import answers  # noqa: E402
import rules_of_exercises as rules  # noqa: E402
from attnbook import checks  # noqa: E402
from attnbook.checks import CHECKED, RULES  # noqa: E402
from attnbook.checks.engine.held_out import held_out  # noqa: E402
from attnbook.checks.engine.rules import assigned  # noqa: E402
from attnbook.checks.engine.steps import with_mistakes  # noqa: E402
from attnbook.checks.translation.bucket_batches import check as bucket_batches  # noqa: E402

KEYS = {x: hashlib.sha256(x.encode()).digest() for x in "abc"}
THREADS = 1
ADDRESS = re.compile(r"0x[0-9a-f]{6,}")


def status_of(verdict):
    """Return the status; an error counts as wrong."""
    return {"error": "wrong"}.get(verdict.status, verdict.status)


def feedback_of(verdict):
    """Return what a student may read of a held-out verdict."""
    return verdict.outline


def judged(check, answer, hidden=False):
    """Return status and line, and what is shown if the inputs are hidden."""
    torch.manual_seed(0)
    with contextlib.redirect_stdout(io.StringIO()):
        verdict = check(answer)
    said = [status_of(verdict), str(verdict)]
    if hidden:
        said.append(feedback_of(verdict))
    return [ADDRESS.sub("0x", x) for x in said]


def answers_of(task):
    """Yield id and function of all answers to a task."""
    known = answers.TASKS[task]
    for kind, found in (("right", known.right), ("wrong", known.wrong)):
        for i, function in enumerate(found):
            yield f"{kind} {i} {function.__name__}", function
    for function in answers.STUBS:
        yield f"stub {function.__name__}", function
    for name, function in answers.HOSTILE.items():
        yield f"hostile {name}", function


def rows_of(exercise):
    """Yield id and function of each row, by its place."""
    for i, row in enumerate(exercise.mistakes if exercise else ()):
        wrong = with_mistakes(exercise.right, row.wrong)
        yield f"row {i}: {row.wrong}", wrong


def task_lines(task):
    """Return id -> what is said, of one task."""
    torch.set_num_threads(THREADS)
    bucket_batches.PATIENCE = 1.5
    found, start = {}, time.time()
    public = getattr(checks, f"check_{task}")
    for key in (None, *KEYS):
        check = public if key is None else held_out(task, KEYS[key])
        listed = [*answers_of(task)]
        listed += rows_of(getattr(check, "exercise", None))
        for name, answer in listed:
            if key and name.startswith("hostile"):
                continue
            id = f"{task} / {key or 'public'} / {name}"
            found[id] = judged(check, answer, hidden=bool(key))
    return task, found, time.time() - start


def rule_lines(id):
    """Return id -> what is said, of the rules of one exercise."""
    torch.set_num_threads(THREADS)
    found, start = {}, time.time()
    task = CHECKED[id]
    hidden = held_out(task, KEYS["a"])
    rows = rows_of(getattr(hidden, "exercise", None))
    wrong = [
        (f"wrong {i}", x) for i, x in enumerate(answers.TASKS[task].wrong)
    ]
    wrong = [*wrong[::2], *[*rows][::6]]
    for specs in [*rules.singles(id), *rules.samples(id, 3)[-3:]]:
        listed = [("page", rules.solutions(id)[0])]
        listed += [("stub", rules.stub(id, specs))]
        listed += [
            (f"solution {i}", f)
            for i, f in enumerate(rules.solutions(id, specs))
        ]
        public = rules.check_of(id, specs)
        secret = assigned(hidden, RULES[id], specs)
        for name, answer in [*listed, *wrong]:
            where = f"{id} {' '.join(specs)}"
            found[f"{where} / public / {name}"] = judged(public, answer)
            found[f"{where} / a / {name}"] = judged(
                secret, answer, hidden=True
            )
    return id, found, time.time() - start


def value_lines(_):
    """Return id -> what the variants draw under three seeds."""
    from variants_of_exercises import VARIANTS, variant

    found, start = {}, time.time()
    for id in VARIANTS:
        for seed in range(3):
            v = variant(id, seed)
            found[f"{id} / variant {seed}"] = [
                repr((v.edits, v.answers, v.order))
            ]
    return "variants", found, time.time() - start


def work(job):
    return {"task": task_lines, "rule": rule_lines, "values": value_lines}[
        job[0]
    ](job[1])


def compare(old, new):
    """Print what differs; return how much."""
    old, new = (json.loads(Path(x).read_text()) for x in (old, new))
    count = 0
    for id in sorted(old.keys() | new.keys()):
        a, b = old.get(id), new.get(id)
        if a == b:
            continue
        count += 1
        print(id)
        if a is None or b is None:
            print(f"  only in the {'new' if a is None else 'old'} one")
            continue
        for x, y in zip(a, b, strict=False):
            if x != y:
                print(f"  - {x}\n  + {y}")
    print(f"{count} of {len(old)} differ")
    return count


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out", nargs="*")
    parser.add_argument("--compare", action="store_true")
    parser.add_argument("--task", action="append", default=[])
    parser.add_argument("--no-rules", action="store_true")
    parser.add_argument("--workers", type=int, default=1)
    args = parser.parse_args()
    if args.compare:
        sys.exit(bool(compare(*args.out)))
    jobs = [("task", task) for task in args.task or sorted(answers.TASKS)]
    if not args.no_rules and not args.task:
        jobs += [("rule", id) for id in RULES] + [("values", None)]
    jobs += [("rule", id) for id in RULES if id in args.task]
    jobs = [job for job in jobs if job[1] not in RULES or job[0] == "rule"]
    if os.environ.get("PYTHONHASHSEED") != "0":  # the order of sets
        os.environ["PYTHONHASHSEED"] = "0"
        os.execv(sys.executable, [sys.executable, *sys.argv])
    found, start = {}, time.time()
    context = multiprocessing.get_context("spawn")
    with context.Pool(args.workers, maxtasksperchild=1) as pool:
        for name, lines, took in pool.imap_unordered(work, jobs, chunksize=1):
            found |= lines
            now = time.time() - start
            print(
                f"{now:6.0f} s  {name}: {len(lines)} in {took:.0f} s",
                flush=True,
            )
    Path(args.out[0]).write_text(
        json.dumps(found, indent=0, sort_keys=True) + "\n"
    )


if __name__ == "__main__":
    main()
