"""List every stored result, and re-run those that are stale.

    make experiments                        the list
    make experiments RUN=stale              and re-runs what is stale
    make experiments RUN=unknown            and what has no fingerprint
    make experiments RUN="race beam_width"  these, whatever they are

"fresh" is a result whose experiment gives the same fingerprint now, "stale"
one with another, "unknown" one that was stored without, or whose experiment
cannot be asked here, because what it needs is not there.  They run one after
the other and may be stopped: what is stored is stale no more, and the longest
keep their finished rows.
"""

import subprocess
import sys
import textwrap
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from attnbook import results
from lab.catalogue import ROOT, RUN, needs_of
from lab.fingerprints import differences, find
from lab.needs import Missing
from lab.progress import track

STATES = ("fresh", "stale", "unknown")
WORKERS = 2  # fingerprints that are taken at the same time


def others(name):
    """Return the results that an experiment needs, a set of names."""
    return {*needs_of(name).split(", ")} & {*results.names()}


def state_of(result):
    """Return the state of a stored result, and why it is so.

    Args:
        result: see `results.load`.

    Returns:
        One of `STATES`, and a str that may be empty.
    """
    if "fingerprint" not in result:
        return "unknown", "stored without a fingerprint"
    try:
        found = find(result["name"])
    except (Missing, RuntimeError) as error:
        return "unknown", str(error).splitlines()[-1]
    other = differences(result["fingerprint"], found)
    return ("stale", f"other {', '.join(other)}") if other else ("fresh", "")


def order(names):
    """Return names in alphabetical order, those that need others last."""
    return sorted(names, key=lambda n: (bool(others(n) & {*names}), n))


def check_all(stored):
    """Return name -> state and reason; stale is also what needs the stale.

    Args:
        stored: name -> result.
    """
    with ThreadPoolExecutor(WORKERS) as pool:
        found = pool.map(state_of, stored.values())
        states = dict(
            zip(stored, track(found, "results", len(stored)), strict=True)
        )
    for name in order(stored):
        old = [n for n in others(name) if states[n][0] == "stale"]
        if old and states[name][0] == "fresh":
            states[name] = "stale", f"as {', '.join(old)} is"
    return states


def show(stored, states):
    """Print the table and the sums."""
    minutes = {name: r["seconds"] / 60 for name, r in stored.items()}
    wide = max(len(needs_of(name)) for name in stored)
    print(f"{'result':21}  {'needs':{wide}}  minutes  state")
    for name, (state, why) in states.items():
        why = textwrap.shorten(why, 60, placeholder="...")
        print(
            f"{name:21}  {needs_of(name):{wide}}  {minutes[name]:7.1f}  "
            + (f"{state}: {why}" if why else state)
        )
    counts = Counter(state for state, _ in states.values())
    for state in STATES:
        total = sum(minutes[n] for n, (s, _) in states.items() if s == state)
        print(f"{counts[state]} {state}, {total:.0f} minutes")


def start(*words):
    """Run an experiment; say whether it came to its end.

    Args:
        words: its name and its options.

    Raises:
        KeyboardInterrupt: Ctrl-C, after the experiment has ended.
    """
    command = [sys.executable, "-W", "ignore", RUN, *words]
    process = subprocess.Popen(command, cwd=ROOT)
    try:
        return process.wait() == 0
    except KeyboardInterrupt:
        process.wait()  # it got the signal, too, and ends in one line
        raise


def rerun(names, stored):
    """Re-run experiments one after the other.

    Raises:
        Missing: some of them failed; the others ran.
    """
    failed = []
    for number, name in enumerate(order(names), 1):
        print(
            f"{number}/{len(names)}: {name}, "
            f"{stored[name]['seconds'] / 60:.1f} minutes last time",
            flush=True,
        )
        if not start(name):
            failed.append(name)
    if failed:
        raise Missing(f"not re-run: {', '.join(failed)}")


def main(words):
    """List, and re-run what was asked for."""
    stored = {name: results.load(name) for name in results.names()}
    wrong = [word for word in words if word not in {*stored, *STATES}]
    if wrong:
        raise Missing(
            f"expected {', '.join(STATES)} or results out of "
            f"{', '.join(stored)}; got {', '.join(wrong)}"
        )
    chosen = {word for word in words if word in stored}
    if not words or len(chosen) < len(words):
        states = check_all(stored)
        show(stored, states)
        chosen |= {n for n, (state, _) in states.items() if state in words}
    rerun(chosen, stored)
