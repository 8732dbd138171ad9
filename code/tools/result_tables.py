"""The tables of stored results, for the pages of the book."""

import json
import statistics

from attnbook import results
from blocks import block, table

LABELS = {
    "ours": "ours",
    "plain": "the loop of chapter 12",
    "common-loop": "the common loop",
    "torch-best": "`nn.Transformer` at its best",
    "no-cache": "ours without the cache",
    "x-transformers": "x-transformers",
    "transformers": "Marian of transformers",
    "compiled-torch-best": "`nn.Transformer` at its best, compiled",
    "compiled-ours": "ours, compiled",
}


def origin(name: str) -> str:
    """Return a line that says where a stored result comes from."""
    r = results.load(name)
    m = r["machine"]
    where = f"{m['device']}, {m['threads']} threads, {m['capability']}"
    seed = f"seed {', '.join(map(json.dumps, r['seeds']))}"
    commits = ", ".join(c[:7] for c in r.get("commits", [r["commit"]]))
    return (
        f"`make experiments RUN={name}`, {r['date']}, commit {commits}, "
        f"{seed}, {where}, torch {m['torch']}."
    )


def cite(name: str, head: list[str], rows: list[list]) -> str:
    """Return the table of a stored result, and where that comes from."""
    return f"{table(head, rows)}\n\n{origin(name)}"


def split(key: str) -> tuple[str, str]:
    """Return label and precision of a contender's key."""
    name, precision = key.rsplit(" ", 1)
    return LABELS[name], precision


@block("results: speed_steps")
def speed_steps() -> str:
    """Return one row per change, from the common loop to ours."""
    rows = results.load("speed_steps")["values"]["rows"]
    first = rows[0]["labels_per_second"]
    lines = [
        [
            row["change"],
            f"{row['labels_per_second']:,}",
            f"{row['gain']:.2f}" if "gain" in row else "",
            f"{row['least']:.2f} to {row['most']:.2f}"
            if "gain" in row
            else "",
            f"{row['labels_per_second'] / first:.1f}",
        ]
        for row in rows
    ]
    head = ["change", "labels/s", "gain", "range", "in all"]
    return cite("speed_steps", head, lines)


@block("results: padding")
def padding() -> str:
    """Return how much of the two kinds of batches is padding."""
    kinds = results.load("speed_steps")["values"]["padding"]
    lines = [
        [name, f"{share['source']:.1%}", f"{share['labels']:.1%}"]
        for name, share in kinds.items()
    ]
    return table(["padding", "source", "target"], lines)


@block("results: training", "benchmark")
@block("results: training_gpu", "benchmark_gpu")
def training(name: str) -> str:
    """Return speed and memory of all contenders of a benchmark."""
    lines = []
    for size, values in results.load(name)["values"].items():
        ratios = values["ratios"]
        for key, speeds in values["labels_per_second"].items():
            label, precision = split(key)
            one = key.rsplit(" ", 1)[0]
            found = [
                ratios[r]
                for r in ratios
                if r.startswith(f"{one} {size} ")
                and (one == "common-loop" or r.endswith(precision))
            ]
            lines.append(
                [
                    label,
                    size,
                    precision,
                    f"{values['parameters'][key] / 1e6:.1f}",
                    f"{statistics.median(speeds):,.0f}",
                    f"{values['peak_bytes'][key] / 2**20:,.0f}",
                    " / ".join(f"{x:.2f}" for x, _, _ in found),
                    " / ".join(f"{a:.1f} to {b:.1f}" for _, a, b in found),
                ]
            )
    head = ["", "size", "precision", "M parameters", "labels/s"]
    head += ["peak MiB", "ours is faster by", "range"]
    return cite(name, head, lines)


@block("results: decoding", "benchmark")
@block("results: decoding_gpu", "benchmark_gpu")
def decoding(name: str) -> str:
    """Return sentences per second of a benchmark's decoding."""
    lines = []
    for size, values in results.load(name)["values"].items():
        for key, speeds in values["sentences_per_second"].items():
            kind, one = key.split()
            found = [
                r[0]
                for label, r in values["ratios"].items()
                if label.startswith(f"{kind}-{one} {size} ")
            ]
            lines.append(
                [
                    LABELS[one],
                    kind,
                    size,
                    f"{statistics.median(speeds):,.1f}",
                    "".join(f"{x:.1f}" for x in found),
                ]
            )
    head = ["", "decoding", "size", "sentences/s", "ours is faster by"]
    return cite(name, head, lines)


@block("results: floor")
def floor() -> str:
    """Return what a step computes and moves, and what that would take."""
    lines = []
    for size, values in results.load("benchmark")["values"].items():
        for key, f in values["floor"].items():
            lines.append(
                [
                    f"{size}, {key.rsplit(' ', 1)[1]}",
                    f"{f['labels']:,}",
                    f"{f['operations'] / 1e9:,.0f}",
                    f"{f['bytes'] / 1e9:.1f}",
                    f"{1e3 * f['step_seconds']:,.0f}",
                    f"{1e3 * f['seconds_at_matrix_rate']:,.0f}",
                    f"{1e3 * f['seconds_at_bandwidth']:,.0f}",
                    f"{f['time_in_products']:.0%}",
                    f"{f['share_of_matrix_rate']:.0%}",
                    f"{f['share_of_bandwidth']:.0%}",
                ]
            )
    head = ["size", "labels", "G operations", "GB", "ms", "ms at matrix rate"]
    head += ["ms at bandwidth", "time in products", "of matrix rate"]
    return cite("benchmark", [*head, "of bandwidth"], lines)


@block("results: running_cost")
def running_cost() -> str:
    """Return the seconds of the course's own commands."""
    values = results.load("running_cost")["values"]
    lines = [
        [f"`{name.split(',')[0]}`,{name.split(',')[1]}", f"{seconds:.0f}"]
        for name, seconds in values.items()
        if name.startswith("make")
    ]
    lines += [
        [f"notebook {stem}", f"{seconds:.0f}"]
        for stem, seconds in values["notebooks"].items()
    ]
    head = ["command", "seconds"]
    return cite("running_cost", head, lines)


@block("results: graded_class")
def graded_class() -> str:
    """Return one row per class of the simulated ones, and their sum."""
    names = {"canvas": "Canvas", "moodle": "Moodle", "drive": "Google Drive"}
    counts = (
        "answers judged",
        "functions judged",
        "other grades than expected",
        "collect, seconds",
        "grade, seconds",
    )
    lines = [
        [
            names[one["files named as by"]],
            len(one["tasks"]),
            *(f"{one[count]:,}" for count in counts),
        ]
        for one in results.load("graded_class")["values"]["classes"]
    ]
    head = ["files named as by", "exercises", *counts]
    return cite("graded_class", head, lines)


def speedrun_runs() -> list[tuple[str, dict]]:
    """Return (way, run) of the speedrun's runs, the oldest way first."""
    ways = results.load("speedrun")["values"]["ways"]
    return [(name, run) for name, runs in ways.items() for run in runs]


def speedrun_table(runs: list[tuple[str, dict]], source: str) -> str:
    """Return how long every (way, run) took, in two factors."""
    lines = [
        [
            name,
            run["seed"],
            f"{'' if run['reached'] else 'over '}{run['seconds'] / 60:.1f}",
            f"{run['labels'] / 1e6:.2f}",
            f"{run['labels'] / run['seconds']:,.0f}",
            f"{run['validation']:.1f}",
        ]
        for name, run in runs
    ]
    head = ["way", "seed", "minutes", "M labels", "labels/s", "validation"]
    return cite(source, head, lines)


@block("results: speedrun_times")
def speedrun_times() -> str:
    """Return the runs of the history."""
    return speedrun_table(speedrun_runs(), "speedrun")


@block("results: no_bfloat16")
def no_bfloat16() -> str:
    """Return the speedrun on a processor without bf16."""
    values = results.load("no_bfloat16")["values"]
    kinds = "speedrun", "longer speedrun"  # the second if the first failed
    runs = [values[kind] for kind in kinds if kind in values]
    return speedrun_table([(run["way"], run) for run in runs], "no_bfloat16")


@block("results: no_bfloat16_speeds")
def no_bfloat16_speeds() -> str:
    """Return the speeds of training there, and ours by theirs."""
    by_size = results.load("no_bfloat16")["values"]["labels_per_second"]
    lines = []
    for size, speeds in by_size.items():
        for name, theirs in speeds.items():
            ours = speeds["ours"]
            each = [a / b for a, b in zip(ours, theirs, strict=True)]
            gain = f"{statistics.median(each):.2f}"
            spread = f"{min(each):.2f} to {max(each):.2f}"
            lines.append(
                [
                    LABELS[name],
                    size,
                    f"{statistics.median(theirs):,.0f}",
                    *(("", "") if name == "ours" else (gain, spread)),
                ]
            )
    head = ["", "size", "labels/s", "ours is faster by", "range"]
    return cite("no_bfloat16", head, lines)


@block("results: number_types")
def number_types() -> str:
    """Return what a GPU learned in each number type."""
    name, lines = "multi30k_number_types", []
    for run in results.load(name)["values"]["runs"]:
        notes = {note["step"]: note["valid"] for note in run["history"]}
        score = run["test_beam"]["lowercased_moses_bleu"]["score"]
        killed = run["killed_after"] or ""
        losses = [f"{notes[step]:.3f}" for step in (400, 1000)]
        lines.append([run["precision"], killed, *losses, f"{score:.1f}"])
    head = ["type", "killed after", "loss, step 400", "loss, step 1000"]
    return cite(name, [*head, "BLEU"], lines)


@block("results: speedrun_scores")
def speedrun_scores() -> str:
    """Return the test scores of every run, and the record's lead."""
    kinds = ("lowercased_moses_bleu", "bleu", "chrf")
    lines, signatures = [], []
    for name, run in speedrun_runs():
        lead = run.get("to_record", {"bleu": None})["bleu"]
        scores = [run["test"][kind] for kind in kinds]
        signatures = [f"`{one['signature']}`" for one in scores]
        lines.append(
            [
                name,
                run["seed"],
                *(f"{one['score']:.1f}" for one in scores),
                "{difference:+.1f} ({low:+.1f} to {high:+.1f})".format(**lead)
                if lead
                else "",
            ]
        )
    head = ["way", "seed", "lower-cased, Moses", "sacreBLEU", "chrF"]
    text = table([*head, "record's lead, sacreBLEU"], lines)
    return f"{text}\n\n{', '.join(signatures)}."
