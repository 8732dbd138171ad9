"""The glossary, the page of symptoms, and what the search is given."""

import json
import re
import sys
from pathlib import Path

import pytest
import torch
from docutils import nodes
from py_mini_racer import MiniRacer
from sphinx.search.en import SearchEnglish

import chapter_files as chapters
import search_check
import symptoms

ROOT = chapters.ROOT
TEXTS = {text.stem: text for text in chapters.texts()}
GLOSSARY = (ROOT / "book/glossary.md").read_text(encoding="utf-8")
SYMPTOMS = (ROOT / "book/symptoms.md").read_text(encoding="utf-8")
LINK = re.compile(r"\]\(\.\./chapters/(\w+)\.ipynb(?:#([\w-]+))?\)")
NOT_TAUGHT = {"induction head"}


def entries():
    """Return the glossary's entries: names, and what stands below them."""
    body = re.search(r"```\{glossary\}\n(.*)```", GLOSSARY, re.DOTALL)[1]
    for entry in body.strip().split("\n\n"):
        lines = entry.split("\n")
        names = [x for x in lines if not x.startswith(" ")]
        yield names, " ".join(x for x in lines if x.startswith(" "))


def anchors(stem):
    """Return the anchors of a chapter's headings."""
    heads = re.findall(
        r"^##+ (.+)$", TEXTS[stem].read_text(encoding="utf-8"), re.MULTILINE
    )
    return {symptoms.slugify(head) for head in heads}


def test_the_glossary_is_sorted_and_no_name_stands_twice():
    found = list(entries())
    first = [names[0] for names, _ in found]
    assert len(found) > 120
    assert first == sorted(first, key=str.lower)
    every = [name.lower() for names, _ in found for name in names]
    assert len(every) == len(set(every))


def test_a_glossary_entry_explains_and_leads_to_a_chapter_with_the_word():
    for names, body in entries():
        assert re.search(r"[a-z$`)]\. ?", body), names
        if names[0] in NOT_TAUGHT:
            continue
        stem, _ = LINK.findall(body)[-1]
        text = TEXTS[stem].read_text(encoding="utf-8").lower()
        word = re.split(r"[ -]", names[0].lower())[0].rstrip("e")
        plain = text.replace("{", "").replace("\\text", "")
        assert word in plain, f"{names[0]} is not on the page {stem}"


@pytest.mark.parametrize("name", ["RoPE", "KV cache", "d_k", "GQA", "\uac12"])
def test_the_glossary_knows_other_names(name):
    assert any(name in names for names, _ in entries())


@pytest.mark.parametrize("page", [GLOSSARY, SYMPTOMS], ids=["words", "errors"])
def test_links_lead_to_sections(page):
    found = LINK.findall(page)
    assert len(found) > 60
    for stem, anchor in found:
        assert not anchor or anchor in anchors(stem), f"{stem}#{anchor}"


def test_a_message_of_pytorch_is_the_one_that_it_gives():
    with pytest.raises(RuntimeError) as caught:
        torch.zeros(1).half().masked_fill(torch.tensor([True]), -1e9)
    rows = (
        "* `RuntimeError: value cannot be converted to type at::Half without "
        "overflow` (before PyTorch 2.10) \u2192",
        "* `RuntimeError: value cannot be converted to type c10::Half without "
        "overflow` \u2192",
    )
    assert all(row in SYMPTOMS for row in rows)
    version = tuple(map(int, torch.__version__.split(".")[:2]))
    assert f"`RuntimeError: {caught.value}`" in rows[version >= (2, 10)]


def test_messages_are_read_from_code():
    source = 'def f(x):\n    raise ValueError(f"expected 1, got {x} " "and")'
    assert list(symptoms.refusals(source)) == [
        "`ValueError: expected 1, got … and`"
    ]


def test_a_mark_of_an_unknown_group_is_refused(tmp_path):
    text = tmp_path / "01_x.md"
    text.write_text("# 1 X\n\n## Y\n<!-- symptom odd: Z -->\n", "utf-8")
    with pytest.raises(ValueError, match="expected a group out of .* 'odd'"):
        list(symptoms.symptoms(text))


@pytest.fixture
def index(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "book/_ext"))
    import search_index

    yield search_index
    del sys.modules["search_index"]


def test_the_index_leaves_out_what_nobody_looks_for(index):
    cell = nodes.container("", nodes.Text("RuntimeError"))
    cell["classes"] = ["cell", "tag_bootstrap"]
    output = nodes.container("", nodes.Text("DataFrame"))
    output["classes"] = ["cell_output"]
    math = nodes.math("", r"\frac")
    page = nodes.container("", cell, output, math, nodes.Text("the masks"))
    assert index.words_of(page) == ["mask"]


def test_the_index_cuts_words_as_the_search_does(index):
    cut = index.stems("The $d_k$ of 12 Gradients, nn.Linear")
    assert cut == ["d_k", "gradient", "nn", "linear"]


TYPED = [
    ("42.45 BLEU", ["42.45", "bleu"]),
    ("42,45", ["42.45"]),
    ("29,000 captions", ["29000", "caption"]),
    ("29000", ["29000"]),
    ("1,234,567.8", ["1234567.8"]),
    ("exercise 5.4 (b)", ["exerc", "5.4", "b"]),
    ("2017 in 6", ["2017"]),
    ("layer normalisation", ["layer", "normal"]),
    ("Layer-Normalization", ["layer", "normal"]),
    ("optimizers, optimisers", ["optim", "optim"]),
    ("noisy colours", ["noisi", "color"]),
    ("\uba40\ud2f0\ud5e4\ub4dc KV", ["\uba40\ud2f0\ud5e4\ub4dc", "kv"]),
    ("softmax\ub97c", ["softmax"]),  # an ending
    ("BLEU\uc810\uc218", ["bleu", "\uc810\uc218"]),
    ("KV\uce90\uc2dc\ub780", ["kv", "\uce90\uc2dc\ub780"]),
    ("d_k\ub294 64\uac1c", ["d_k", "\uac1c"]),
    ("What is it?", []),
]


@pytest.mark.parametrize(("text", "words"), TYPED)
def test_the_index_and_the_search_cut_alike(index, ranking, text, words):
    assert index.stems(text) == words
    assert ranking(f"stems({json.dumps(text)})") == words


def test_the_index_holds_the_numbers_of_outputs(index):
    table = "<style>p {top: 9.75px}</style><td>42.45</td><td>12</td>"
    output = nodes.container(
        "",
        nodes.raw("", table, format="html"),
        nodes.literal_block("", "loss 0.58, after 4,000 steps"),
    )
    output["classes"] = ["cell_output"]
    page = nodes.container("", output, nodes.Text("the loss of 0.58"))
    assert index.words_of(page) == ["42.45", "0.58", "4000", "loss", "0.58"]


def test_a_symptom_leads_to_the_list_and_to_its_place(index):
    link = nodes.reference("", "x", refuri="../chapters/10_x.html#nan")
    words = nodes.paragraph("", "", nodes.Text("nan \u2192 "), link)
    part = nodes.section("", nodes.bullet_list("", nodes.list_item("", words)))
    part["ids"] = ["not-a-number"]
    page = nodes.section("", part, ids=["top"])
    assert list(index.symptom_entries(page)) == [
        ("nan", ("book/symptoms", "not-a-number"), None),
        ("nan", ("chapters/10_x", "nan"), None),
    ]


@pytest.fixture(scope="module")
def ranking():
    """The script that ranks, with what Sphinx puts around it."""
    script = (ROOT / "book/_ext/search_rank.js").read_text(encoding="utf-8")
    english = SearchEnglish({})
    words = json.dumps(sorted(english.stopwords))
    racer = MiniRacer()
    racer.eval(
        f"{english.js_stemmer_code}; var stopwords = {words}, splitQuery;"
        f"const Search = {{_index: {{titleterms: {{}}}}}}; {script}"
    )
    return lambda code: json.loads(racer.eval(f"JSON.stringify({code})"))


MULTI = "\uba40\ud2f0 \ud5e4\ub4dc \uc5b4\ud150\uc158"


@pytest.mark.parametrize(
    ("typed", "share"),
    [
        (MULTI, 1),
        (MULTI.replace(" ", ""), 1),
        (MULTI[:5], 4 / 7),  # of seven letters
        (MULTI[:5].replace(" ", ""), 4 / 7),
        (MULTI + "\uc774\ub780", 7 / 9),  # an ending
        ("\ub85c\uc9d3", 0),
    ],
)
def test_a_korean_name_is_found_however_it_is_spaced(ranking, typed, share):
    code = f"likenessKorean({json.dumps(typed.split())}, {json.dumps(MULTI)})"
    assert ranking(code) == pytest.approx(share)


def test_a_word_of_another_title_counts_for_a_section(ranking):
    ranking("Search._index.titleterms = {softmax: [5], axi: [5]}")
    code = "likeness(['softmax', 'axi'], '{}', {}, {})"
    assert ranking(code.format("axi", 5, 1)) == pytest.approx(0.85)
    assert ranking(code.format("axi", 5, 0)) == 0  # another name
    assert ranking(code.format("axi", 4, 1)) == 0  # another page
    assert ranking(code.format("softmax axi", 4, 1)) == 1


def test_places_are_pages_and_anchors(index):
    links = [
        nodes.reference("", "a", refuri="../chapters/04_x.html#the-scale"),
        nodes.reference("", "b", refuri="https://example.org/c.html"),
    ]
    part = nodes.paragraph("", "", *links)
    found = list(index.places(part, "book/glossary"))
    assert found == [("chapters/04_x", "the-scale")]


def test_queries_name_pages_that_exist():
    asked = search_check.queries()
    assert len(asked) >= 50
    for _, pages in asked:
        for page in pages:
            path = Path(ROOT, page.split("#")[0])
            assert path.with_suffix(".md").exists() or path.name in TEXTS
    first = {query for query, _ in asked[: search_check.FIRST]}
    assert {"RoPE", "d_k", "softmax", "gradient"} <= first


def test_without_a_browser_the_search_says_that_it_is_not_checked(
    monkeypatch, capsys
):
    monkeypatch.setattr(search_check, "find_browser", lambda: None)
    assert search_check.main(["nowhere"]) == 0
    assert "SEARCH NOT CHECKED" in capsys.readouterr().out


def test_the_right_section_must_come_first_and_not_its_page_alone(
    monkeypatch, capsys
):
    asked = [("softmax", ["a/softmax"]), ("axis", ["a/softmax#which"])]
    monkeypatch.setattr(search_check, "queries", lambda: asked)
    monkeypatch.setattr(search_check, "find_browser", lambda: "one")
    top, which = ["a/softmax", "", "S"], ["a/softmax", "#which", "W"]
    found = [[which, top], [top, which]]
    monkeypatch.setattr(search_check, "search", lambda *_: found)
    search_check.main(["book"])
    assert capsys.readouterr().out.startswith("axis: 2 (first is a/softmax)")
