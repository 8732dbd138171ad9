"""The chapters: plain Markdown, pacing, anatomy, and what they must show."""

import ast
import functools
import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import pytest

import attnbook
import chapter_files as chapters
import sessions
import sync_cells
from attnbook import results

ROOT = chapters.ROOT
TEXTS = chapters.texts()
ids = [text.stem for text in TEXTS]
each = pytest.mark.parametrize("text", TEXTS, ids=ids)
read = functools.cache(chapters.read)  # nobody here changes a cell
CODE_LINES = 30
SECTIONS = [
    "Recall",
    "Break it on purpose",
    "Paper and practice",
    "Exercises",
    "Summary",
    "Going further",
]
SECTIONS_OF_PATH = [SECTIONS[0], "What you can do now", *SECTIONS[3:]]

# Definitions of the teaching modules that chapters do not show yet, or never
# will; a later chapter takes its names out of here.
NOT_SHOWN = {
    "masks.is_symbolic": "the guard of the guard, for compiled models",
    "attention.check_attention": "the guard; chapter 4 shows what it says",
    "attention.check_additive": "the guard; chapter 4 shows what such say",
    "attention.AdditiveAttention": "chapter 2 shows the function",
    "multihead.check_heads": "the guard; chapter 7 shows what it says",
    "multihead.check_inputs": "the guard of what the module is given",
    "positions.check_length": "the guard; chapter 8 says what it refuses",
    "positions.check_positions": "the guard of the vectors as well",
    "positions.NoPositions": "adds nothing",
    "positions.LearnedPositions": "chapter 8 shows the sinusoidal one, "
    "which differs in one line",
    "recurrent_layers": "used by chapter 2, which shows the cells by hand",
    "recurrent": "used by chapter 2; its parts are PyTorch's",
    "data.bpe.BytePairs": "chapter 1 uses it and shows what it is made of",
    "data.vocabulary": "chapter 1 builds its own, step by step, then uses it",
    "data.batches.pad": "stacks rows; chapter 1 writes its own",
    "data.batches.Batch": "three tensors with names",
    "training.loss.check_labels": "the guard of chapter 12's loss",
    "training.precision.has_bfloat16": "asks PyTorch; chapter 16 says why",
    "compat.cpu_has_bfloat16": "asks PyTorch again",
    "training.loop.Interrupt": "lets Ctrl-C wait for the end of a step",
    "training.workers": "asks torchrun who is who; see chapter 16",
    "training.parallel.broadcast_parameters": "gives all one set of weights",
    "training.parallel.seed_dropout": "seeds; chapter 16 says why",
    "decoding.greedy.inference": "eval mode and no gradients; see chapter 14",
    "decoding.greedy.cut_at_eos": "cuts a list; an exercise of chapter 14",
}
TEACHING = [
    "masks",
    "attention",
    "multihead",
    "positions",
    "layers",
    "stacks",
    "transformer",
    "recurrent_layers",
    "recurrent",
    "data.bpe",
    "data.vocabulary",
    "data.batches",
    "training.loss",
    "training.schedule",
    "training.precision",
    "training.loop",
    "training.workers",
    "training.parallel",
    "decoding.greedy",
    "decoding.beam",
    "decoding.cache",
]


def markdown(text):
    """Return the Markdown cells of a chapter."""
    return [c.source for c in read(text).cells if c.cell_type != "code"]


def without_code(source):
    """Return Markdown without fenced and inline code and formulas."""
    source = re.sub(r"```.*?```", "", source, flags=re.DOTALL)
    source = re.sub(r"\$\$.*?\$\$", "", source, flags=re.DOTALL)
    return re.sub(r"`[^`\n]*`|\$[^$\n]*\$", "", source)


def code_cells(text):
    return [c for c in read(text).cells if c.cell_type == "code"]


def test_there_are_chapters():
    assert "04_scaling" in ids


@each
def test_markdown_is_what_all_four_readers_render(text):
    for source in markdown(text):
        fences = re.findall(r"^ *(```+|~~~+|:::+)(.*)$", source, re.MULTILINE)
        for fence, info in fences:
            assert fence.startswith("`"), fence
            assert info.strip() in {"", "python", "text"}, info
        plain = without_code(source)
        assert not re.search(r"\{[a-z:-]+\}`", source), "a role"
        assert not re.search(r"^\([\w-]+\)=", plain, re.MULTILINE), "a label"
        assert r"\label" not in source and r"\eqref" not in source
        assert not re.search(r"!\[[^]]*\]\(https?:", plain), "a remote image"
        assert not re.search(r"<(script|iframe|img|style)\b", plain)
        for tag in re.findall(r"</?([a-z]+)[ >]", plain):
            assert tag in {"details", "summary"}, tag


@each
def test_folds_are_closed_and_blank_lines_let_them_render(text):
    for source in markdown(text):
        assert source.count("<details>") == source.count("</details>")
        for match in re.finditer(r"</summary>(.{0,2})", source, re.DOTALL):
            assert match[1] == "\n\n"
        for match in re.finditer(r"(.{0,2})</details>", source, re.DOTALL):
            assert match[1] == "\n\n"


@each
def test_anatomy(text):
    whole = "\n".join(markdown(text))
    number = int(text.stem[:2])
    assert re.match(rf"# {number} \S", whole)
    heads = re.findall(r"^## (.+)$", whole, re.MULTILINE)
    path = SECTIONS_OF_PATH[1] in heads
    wanted = SECTIONS_OF_PATH if path else SECTIONS
    wanted = wanted[number <= 1 :]
    assert [h for h in heads if h in wanted] == wanted
    assert "You will be able to" in whole
    columns = "the path | deeper | exercises" if path else "to read"
    assert f"| needs | {columns} | to run |" in whole
    if "Recall" in wanted:
        recall = whole.split("## Recall")[1].split("\n## ")[0]
        assert 3 <= recall.count("<summary>") <= 5
    assert whole.count("**Predict.**") >= 2
    summary = whole.split("## Summary")[1].split("\n## ")[0]
    assert len(re.findall(r"^\d\. ", summary, re.MULTILINE)) == 5
    assert "| symbol |" in summary


@each
def test_the_minutes_to_read_follow_one_rule(text):
    """Words outside of code, up to the exercises: 40 to 56 a minute."""
    whole = "\n".join(markdown(text))
    words = len(whole.split("\n## Exercises")[0].split())
    assert 40 <= words / sessions.Chapter(text).read <= 56


@each
def test_the_seconds_to_run_are_those_of_the_stored_run(text):
    said = re.search(r"more \| about (\d+) (\w+)", "\n".join(markdown(text)))
    seconds = int(said[1]) * {"seconds": 1, "minutes": 60}[said[2]]
    stored = results.load("running_cost")["values"]["notebooks"]
    if text.stem not in stored:
        pytest.skip("due: make experiments RUN=running_cost")
    stored = stored[text.stem]
    assert abs(seconds - stored) <= max(2.6, 0.05 * stored)


@each
def test_pacing(text):
    cells = read(text).cells
    kinds = "".join("C" if c.cell_type == "code" else "m" for c in cells)
    code = code_cells(text)
    assert "CCC" not in kinds
    assert kinds.count("m") >= 1.0 * len(code)
    lengths, folded, copies = [], [], 0
    for c in code:
        lines = sum(bool(line.strip()) for line in c.source.splitlines())
        tags = set(chapters.tags(c))
        is_copy = any(t.startswith("source:") for t in tags)
        copies += is_copy
        if "hide-input" in tags:
            folded.append(lines)
        elif "bootstrap" not in tags:
            lengths.append(lines)
            assert is_copy or lines <= CODE_LINES, c.source
    assert sorted(lengths)[len(lengths) // 2] <= 10
    assert sum(n > CODE_LINES for n in lengths + folded) <= copies


@each
def test_one_image_text_and_caption_for_every_figure(text):
    notebook = read(chapters.notebook_of(text))
    for cell in notebook.cells:
        outputs = cell.get("outputs", [])
        if any("image/png" in o.get("data", {}) for o in outputs) or any(
            map(chapters.is_plot, outputs)
        ):
            mystnb = cell.metadata.get("mystnb", {})
            assert mystnb.get("figure", {}).get("caption"), cell.id
            assert mystnb.get("figure", {}).get("name"), cell.id
            assert len(mystnb.get("image", {}).get("alt", "")) > 60, cell.id


@each
def test_at_most_one_cell_hides_its_output_from_the_comparison(text):
    hidden = [c for c in code_cells(text) if "nbval" in str(chapters.tags(c))]
    marked = [c for c in code_cells(text) if "NBVAL" in c.source]
    assert len(hidden) + len(marked) <= 1


@each
def test_the_first_code_cell_is_the_bootstrap(text):
    first = code_cells(text)[0]
    assert set(chapters.tags(first)) == {"bootstrap", "hide-input"}
    assert first.source == sync_cells.bootstrap()


@each
def test_the_picture_of_the_one_idea_comes_before_anything_else(text):
    cells = read(text).cells
    at = [c.cell_type == "code" for c in cells].index(True)
    assert "drawing" in chapters.tags(cells[at + 1])
    above = "".join(c.source for c in cells[:at])
    assert above.count("\n") <= 2, "expected a title and a hook"


@each
def test_sources_are_in_the_bibliography(text):
    whole = "\n".join(markdown(text))
    cited = re.findall(
        r"\]\((https://(?:arxiv\.org|doi\.org|research\.google|aclanthology"
        r"\.org)[^)]*)\)",
        whole,
    )
    further = whole.split("## Going further")[1]
    cited += re.findall(r"\]\((https?://[^)]*)\)", further)
    known = (ROOT / "book/references.bib").read_text(encoding="utf-8")
    assert cited
    for address in cited:
        assert f"{{{address}}}" in known, address


def shown_in_chapters():
    """Return the dotted names that tagged cells show, with repetitions."""
    return [
        tag.removeprefix("source:attnbook.")
        for text in TEXTS
        for cell in code_cells(text)
        for tag in chapters.tags(cell)
        if tag.startswith("source:")
    ]


def test_every_definition_is_shown_once_or_listed_with_a_reason():
    shown = shown_in_chapters()
    assert len(shown) == len(set(shown))
    for module in TEACHING:
        loaded = importlib.import_module(f"attnbook.{module}")
        for name, value in vars(loaded).items():
            own = getattr(value, "__module__", "") == loaded.__name__
            if name.startswith("_") or not own:
                continue
            dotted = f"{module}.{name}"
            listed = dotted in NOT_SHOWN or module in NOT_SHOWN
            assert (dotted in shown) != listed, dotted


def test_the_list_of_what_is_not_shown_has_no_dead_names():
    for dotted in NOT_SHOWN:
        try:
            importlib.import_module(f"attnbook.{dotted}")
        except ModuleNotFoundError:
            module, _, name = dotted.rpartition(".")
            loaded = importlib.import_module(f"attnbook.{module}")
            assert hasattr(loaded, name), dotted


def test_modules_can_be_imported_one_by_one():
    for module in pkgutil.walk_packages(attnbook.__path__, "attnbook."):
        importlib.import_module(module.name)


def test_tagged_text_is_what_python_runs():
    """The synced text and the loaded function are the same source."""
    for dotted in shown_in_chapters():
        module, name = dotted.rsplit(".", 1)
        loaded = importlib.import_module(f"attnbook.{module}")
        text = sync_cells.source_of(f"attnbook.{dotted}")
        assert inspect.getsource(getattr(loaded, name)).rstrip() == text
        ast.parse(text)


def test_nothing_is_written_beside_the_texts():
    stray = [p.name for p in Path(ROOT / "chapters/text").iterdir()]
    assert sorted(stray) == [text.name for text in TEXTS]
