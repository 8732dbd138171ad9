"""Formulas that MathJax, KaTeX and GitHub all accept."""

import re

import pytest

import chapter_files as chapters

PAGES = [*chapters.texts(), *sorted((chapters.ROOT / "book").glob("*.md"))]
FORMULA = re.compile(r"\$\$(.+?)\$\$|(?<![\\$])\$([^$\n]+?)\$", re.DOTALL)
# What one of them refuses, and why.
REFUSED = {
    "a double superscript": r"\^(\{[^{}]*\}|\\[a-z]+|\w)\^",
    "a double subscript": r"_(\{[^{}]*\}|\\[a-z]+|\w)_",
    "a macro that GitHub blocks": r"\\(operatorname|newcommand|def|href)\b",
}


def formulas(text):
    """Return the formulas of Markdown, without those in code."""
    text = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    text = re.sub(r"`[^`\n]*`", "", text)
    return ["".join(pair) for pair in FORMULA.findall(text)]


def complaints(formula):
    """Return what is wrong with a formula."""
    bare = re.sub(r"\\[{}]", "", formula)
    found = [why for why, bad in REFUSED.items() if re.search(bad, formula)]
    if bare.count("{") != bare.count("}"):
        found.append("braces that do not close")
    return found


@pytest.mark.parametrize("page", PAGES, ids=[page.stem for page in PAGES])
def test_formulas_can_be_set(page):
    for formula in formulas(page.read_text(encoding="utf-8")):
        assert not complaints(formula), formula


@pytest.mark.parametrize(
    "formula",
    [r"W = W^Q^\top W^K", r"x_1_2", r"\operatorname{ent}(p)", r"\frac{1}{2"],
)
def test_bad_formulas_are_noticed(formula):
    assert complaints(formula)


def test_formulas_are_found():
    text = "`$a$` $b$ and $$c\n$$\n```\n$d$\n```\n"
    assert [f.strip() for f in formulas(text)] == ["b", "c"]


@pytest.mark.parametrize("page", chapters.texts(), ids=lambda p: p.stem)
def test_pictures_of_chapters_are_outputs(page):
    """Colab shows neither attachments nor files beside a notebook."""
    text = page.read_text(encoding="utf-8")
    assert not re.search(r"!\[[^]]*\]\(|<img\b", text)
