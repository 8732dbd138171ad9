"""The teachers' pages: the catalogue, the map of sessions, their links."""

import re
import shutil

import pytest

import browser
import catalogue
import chapter_files
import session_plans
import sessions
from attnbook.teaching.assign import selected
from attnbook.teaching.tasks import BY_HAND, WITH_VARIANTS
from symptoms import slugify

ROOT = chapter_files.ROOT
TEACH = sorted((ROOT / "book/teach").glob("*.md"))
KNOWN = catalogue.known()
FOUND = [*KNOWN.values()]
LINK = re.compile(r"\]\(\.\./\.\./chapters/(\w+)\.ipynb(?:#([\w-]+))?\)")
EVERY = [
    pytest.param(name, number, session, id=f"{name} {number}")
    for name, plan in session_plans.PLANS.items()
    for number, session in enumerate(plan.sessions, 1)
]
each_session = pytest.mark.parametrize(("plan", "number", "session"), EVERY)


def text(name):
    return (ROOT / "book/teach" / name).read_text(encoding="utf-8")


def test_the_catalogue_lists_every_exercise_once():
    rows = re.findall(r"^\| (\d+\.\d+) \|", text("catalogue.md"), re.M)
    assert rows == [e.id for e in FOUND]
    minutes = f"{sum(e.minutes for e in FOUND):,}"
    assert f"| **all** | {len(FOUND)} | {minutes} |" in text("catalogue.md")


def test_a_checked_exercise_is_marked_by_its_checker():
    ways = catalogue.ways()
    assert set(ways.values()) <= set(catalogue.WAYS)
    for e in FOUND:
        called = e.check and e.check.removeprefix("check_") not in BY_HAND
        assert (ways[e.id] == "checker") == bool(called), e.id
        assert e.kind != "explain" or ways[e.id] == "by hand"
    drawn = [e.id for e in FOUND if e.check and ways[e.id] == "by hand"]
    assert drawn == ["5.5"]  # as the pages say


def test_what_the_pages_say_of_marking_is_so():
    ways = catalogue.ways()
    words = ("predict", "trace", "parsons", "debug")
    for e in FOUND:
        if int(e.id.partition(".")[0]) in WITH_VARIANTS and e.kind in words:
            assert ways[e.id] != "by hand", e.id
        elif e.kind in words[:3] or e.kind in ("explain", "investigate"):
            assert ways[e.id] == "by hand", e.id
    *some, last = [e.id for e in FOUND if e.explains]
    assert f"{', '.join(some)} and {last}, also ask" in text("catalogue.md")
    assert all(e.explains == 1 for e in FOUND if e.id in (*some, last))
    most = max(e.difficulty for e in FOUND)
    assert f"from 1 (one look) to {most}." in text("catalogue.md")


@pytest.mark.parametrize("page", TEACH, ids=lambda page: page.stem)
def test_links_to_chapters_lead_to_sections(page):
    for stem, anchor in LINK.findall(page.read_text(encoding="utf-8")):
        whole = (chapter_files.TEXTS / f"{stem}.md").read_text("utf-8")
        heads = re.findall(r"^##+ (.+)$", whole, re.MULTILINE)
        assert not anchor or anchor in map(slugify, heads), f"{stem}#{anchor}"


def test_the_script_is_small():
    script = ROOT / "book/_static/catalogue.js"
    assert script.stat().st_size < 4000


@each_session
def test_a_session_fits_and_asks_nothing_twice(plan, number, session):
    assert sessions.spent(session.here) + sessions.TALK <= sessions.CLASS
    assert sessions.reading(session) <= 135
    assert not set(session.here) & set(session.home)
    own = {str(chapter) for chapter in session.skip}
    every = (*session.here, *session.home, *session.exam)
    assert {i.partition(".")[0] for i in every} <= own


@each_session
def test_an_exam_needs_no_computer(plan, number, session):
    paper = {"predict", "trace", "parsons"}  # with numbers to change
    assert {KNOWN[i].kind for i in session.exam} <= paper
    assert set(session.exam) <= set(session.here)


def skipped_though_named(session):
    """Return pairs of an exercise and a skipped section that it names."""
    headings = [x for some in session.skip.values() for x in some]
    return [
        (i, heading)
        for i in (*session.here, *session.home)
        for heading in headings
        if heading in "\n".join([KNOWN[i].text, *KNOWN[i].folds.values()])
    ]


@each_session
def test_no_hint_or_solution_names_a_skipped_section(plan, number, session):
    assert skipped_though_named(session) == []


def test_a_hint_that_names_a_skipped_section_is_noticed():
    hill = "Deeper: how flat is a softmax?"
    session = session_plans.Session(
        skip={4: (hill,)}, here=("4.1",), home=("4.7",), exam=()
    )
    assert skipped_though_named(session) == [("4.7", hill)]


@each_session
def test_the_line_that_assigns_homework_assigns_it(plan, number, session):
    name = f"{session_plans.PLANS[plan].word} {number}"
    lines = "\n".join(sessions.describe(session, name))
    found = re.search(r"assign --exercises (.+) --out (.+)`", lines)
    ids, out = found.groups()
    assert [e.id for e in selected((), ids.split())] == [*session.home]
    assert out == name.lower().replace(" ", "-")


def test_homework_is_counted_by_who_marks_it():
    # 4.7 and 4.1 change, 5.4 does not; 5.5 is a drawing, 4.8 is in words
    ids = ("4.1", "4.7", "5.4", "5.5", "4.8")
    assert sessions.graded(ids) == [3, 2, 2]


def test_times_to_run_are_added_up():
    assert sessions.lasting(["30 seconds", "25 seconds"]) == "55 seconds"
    both = sessions.lasting(["3 minutes", "40 seconds"])
    assert both == "3 minutes and 40 seconds"
    assert sessions.lasting(["20 seconds", "40 seconds", "2 minutes"]) == (
        "3 minutes"
    )
    near = sessions.lasting(["30 seconds", "40 seconds"])
    assert near == "1 minute and 10 seconds"


TWO_DEPTHS = """# 3 Scores

| needs | the path | deeper | exercises | to run |
|---|---|---|---|---|
| no more | 45 minutes, 60 with exercises 3.4 and 3.1 | 40 minutes | \
110 minutes more | about 10 seconds on 2 CPU cores |

## What you can do now

## Deeper: one
12345678
## Deeper: two
12345678
## Exercises
"""


def test_a_chapter_of_two_depths_counts_the_minutes_of_both(tmp_path):
    text = tmp_path / "03_scores.md"
    text.write_text(TWO_DEPTHS)
    head = sessions.Chapter(text)
    assert (head.path, head.both, head.read, head.more) == (45, 60, 85, 125)
    assert head.path_ids == ["3.4", "3.1"] and head.run == "10 seconds"
    assert head.minutes(()) == 85
    assert head.minutes(("Deeper: one",)) == 65
    assert head.minutes(("Deeper",)) == 45
    assert head.link("Deeper").startswith("all that is *Deeper* in [3 Sc")


def test_sessions_keep_the_chapters_order():
    for plan in session_plans.PLANS.values():
        order = [n for session in plan.sessions for n in session.skip]
        assert order == sorted(set(order), key=order.index)
        assert [n for n in order if n > 3] == sorted(n for n in order if n > 3)
    counts = {n: len(p.sessions) for n, p in session_plans.PLANS.items()}
    assert counts == {"term": 14, "days": 10}  # as the pages say


PLANS = """term:
  word: Week
  sessions:
  - skip: {4: [Summary, "A title: with a colon"]}
    aims: {4: [1, 3]}
    here: [4.1, 4.10]
    home: []
    exam: [4.1]
"""


def test_a_plan_is_read_as_it_is_typed():
    (plan,) = session_plans.read_plans(PLANS).values()
    assert plan == session_plans.Plan(
        "Week",
        (
            session_plans.Session(
                skip={4: ("Summary", "A title: with a colon")},
                aims={4: (1, 3)},
                here=("4.1", "4.10"),  # no number, which would be 4.1
                home=(),
                exam=("4.1",),
            ),
        ),
    )


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        (PLANS, "", "expected plans by name, got None"),
        ("term:", "- term:", "expected plans by name"),
        ("Week", "[Week", "course.yml: expected YAML, "),
        ("word: Week", "name: Week", "expected a plan with word and sessions"),
        ("  - skip", "    skip", "expected a list of sessions"),
        ("home: []", "homme: []", "expected a session with skip, here, home"),
        ("    home: []\n", "", r"sessions\[0\]: expected a session with skip"),
        ("home: []", "home: 4.2", "home: expected a list of exercises"),
        ("home: []", "home:", "home: expected a list of exercises, got ''"),
        ("home: []", "here: []", "expected every key once"),
        ('"A title: with a colon"', "A title: x", "expected text .in quotes"),
        ("[4.1, 4.10]", "{4: [1]}", "here: expected a list of exercises"),
        ("{4: [Sum", "{four: [Sum", "skip: expected chapters by number"),
        ("[1, 3]", "[1, all]", "expected the number of an obj.*got 'all'"),
    ],
)
def test_another_plan_is_refused(right, wrong, said):
    assert right in PLANS
    with pytest.raises(ValueError, match=said):
        session_plans.read_plans(PLANS.replace(right, wrong))


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"skip": {99: ()}}, "expected a chapter's number, got 99"),
        ({"skip": {4: ("Nowhere",)}}, "expected sections of 04_scaling"),
        ({"home": ("4.99",)}, r"expected ids of exercises, got \['4.99'\]"),
        ({"exam": ("4",)}, "expected ids of exercises"),
        ({"aims": {4: (0,)}}, "expected objectives 1 to . of chapter 4"),
        ({"aims": {4: (9,)}}, r"of chapter 4, got \(9,\)"),
    ],
)
def test_a_plan_of_what_does_not_exist_is_refused(other, said):
    good = {"skip": {4: ()}, "here": ("4.1",), "home": (), "exam": ()}
    assert list(sessions.describe(session_plans.Session(**good), "Week 1"))
    session = session_plans.Session(**good | other)
    with pytest.raises(ValueError, match=said):
        list(sessions.describe(session, "Week 1"))


PAGE = """<!doctype html><html lang="en"><head><title>All</title></head>
<body><main><section id="the-list"><h2>The list</h2>{controls}
<div><table><thead><tr><th>nr</th></tr></thead><tbody>{rows}</tbody></table>
</div></section></main></body></html>"""
ROW = """<tr><td>{0}</td><td><a href="#x">{1}</a><br>{2}</td><td>{3}</td>
<td>{4}</td><td>{5}</td><td>{6}</td><td>{7}</td></tr>"""


def written(folder):
    """Write the list as a page of its own, with its script; return it."""
    for name in ("catalogue.js", "catalogue.css"):
        shutil.copy(ROOT / "book/_static" / name, folder)
    ways = catalogue.ways()
    controls = (
        catalogue.controls().replace("```{raw} html", "").replace("```", "")
    )
    rows = [
        ROW.format(
            e.id, e.title, e.objective, e.kind, e.difficulty, e.minutes,
            e.points, ways[e.id],
        )
        for e in FOUND
    ]  # fmt: skip
    html = PAGE.format(controls=controls, rows="".join(rows))
    html = html.replace("../../_static/", "")
    (folder / "all.html").write_text(html, encoding="utf-8")


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    if browser.missing():
        pytest.skip(browser.missing())
    folder = tmp_path_factory.mktemp("catalogue")
    written(folder)
    with browser.server(folder) as home, browser.browser() as opened:
        page = opened.new_page()
        page.goto(f"{home}/all.html")
        yield page


def said(page):
    return page.inner_text("[role=status]")


def total(some):
    minutes, points = sum(e.minutes for e in some), sum(e.points for e in some)
    return f"{len(some)} exercises, {minutes} minutes, {points} points."


def shown(page):
    return page.eval_on_selector_all(
        "tbody tr:not([hidden]) label", "all => all.map(x => x.innerText)"
    )


def ids_of(some):
    return [e.id for e in some]


def test_filters_narrow_the_list_and_add_up(page):
    page.click("[type=reset]")
    assert said(page).startswith(f"Shown: {total(FOUND)}")
    assert page.is_hidden(".atn-command")
    page.check("[value=code]")
    page.check("[value=debug]")
    page.fill("[name=minutes]", "12")
    page.select_option("[name=difficulty]", "2")
    some = [
        e for e in FOUND
        if e.kind in ("code", "debug") and e.minutes <= 12
        and e.difficulty == 2
    ]  # fmt: skip
    assert [x.strip() for x in shown(page)] == ids_of(some)
    assert said(page) == f"Shown: {total(some)}"
    page.fill("[name=words]", "MASK  padding")
    assert "10.4" in shown(page)[0]
    command = "attnbook assign --exercises 10.4 --out homework"
    assert page.inner_text(".atn-command code") == command


def test_what_is_ticked_is_assigned(page):
    page.click("[type=reset]")
    for name in ("10.4 NaN as soon as there is padding", "6.4 Self-attention"):
        page.get_by_role("checkbox", name=name).check()
    some = [KNOWN["6.4"], KNOWN["10.4"]]
    assert f"Ticked: {total(some)}" in said(page)
    command = "attnbook assign --exercises 6.4 10.4 --out homework"
    assert page.inner_text(".atn-command code") == command
    page.click("[type=reset]")
    page.wait_for_selector(".atn-command", state="hidden")


def test_verb_chapter_and_marking_are_filters(page):
    page.click("[type=reset]")
    page.select_option("[name=verb]", "repair")
    page.select_option("[name=marked]", "checker")
    page.select_option("[name=chapter]", "7")
    assert [x.strip() for x in shown(page)] == ["7.5"]
    assert said(page).startswith("Shown: 1 exercise, 8 minutes")


def test_a_search_without_result_says_so(page):
    page.click("[type=reset]")
    page.fill("[name=words]", "zebra")
    assert shown(page) == []
    assert said(page).startswith("Shown: 0 exercises, 0 minutes, 0 points.")
    assert page.is_hidden(".atn-command")


def test_without_a_script_the_controls_are_hidden():
    assert '<form class="atn-catalogue" hidden>' in text("catalogue.md")


def test_a_chapter_without_a_question_is_refused(tmp_path, monkeypatch):
    kept = sessions.QUESTIONS.read_text("utf-8").replace("9:", "18:", 1)
    (tmp_path / "questions.yml").write_text(kept, "utf-8")
    monkeypatch.setattr(sessions, "QUESTIONS", tmp_path / "questions.yml")
    with pytest.raises(ValueError, match=r"got others: \[18\]"):
        sessions.front()
