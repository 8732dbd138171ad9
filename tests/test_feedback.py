"""The pages that students and teachers open: whole, and safe to open."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from attnbook.teaching import by_hand, feedback, report
from attnbook.teaching.bars import count_tenths
from attnbook.teaching.bundle import Bundle, Task
from attnbook.teaching.gradebook import Row
from attnbook.teaching.visible import make_visible

EVIL = (
    "</title></style></pre></textarea>--><script>alert(1)</script>"
    "<img src=x onerror=alert(1)>\"' onload='alert(1)' javascript:alert(1)"
)


def task(number, form="function", **more):
    return Task(
        id=f"10.{number}", title=f"Task {number}", kind="code", points=4,
        minutes=5, form=form, name="f", stub="...",
        **{"rubric": "Claim, evidence.", "answers": {"a": 314159}} | more,
    )  # fmt: skip


BUNDLE = Bundle(
    assignment="chapter-10-7f3a21c4", title="Chapter 10", due=None,
    seed="the seed 2027", version="0.1.0", notebook="student/x.ipynb",
    tasks=(task(1), task(2, "values"), task(3, "order"), task(4, "text")),
)  # fmt: skip


def row(number, status, points, comment="", student="ada", **more):
    return Row(
        student=student, name=student.title(), exercise=f"10.{number}",
        points=points, maximum=4, status=status, comment=comment, **more,
    )  # fmt: skip


ROWS = [
    row(1, "partly", 2.0, "right for one head, but: mind the others",
        answer="def f(x):\n    return x", mistake="mind the others"),
    row(2, "wrong", 0.0, "wrong: a", mistake="part a is wrong",
        note="computed elsewhere"),
    row(3, "right", 4.0, "right", answer='order = "C B A"'),
    row(4, "by hand", None, "marked by your teacher", answer="I think so."),
]  # fmt: skip
STUDENT = {
    "student": "ada", "name": "Ada", "files": ["a", "b"], "late": True,
    "notes": ["the same file as that of bob"], "problem": "",
    "answers": {"10.1": {"source": "", "notes": ["found as g"]}},
}  # fmt: skip


class Reader(HTMLParser):
    """Collect tags and what stands in attributes and texts."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.attributes, self.said = [], [], ""
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, *pair) for pair in attrs]

    def handle_data(self, data):
        self.said += data


def page(rows=ROWS, student=STUDENT, bundle=BUNDLE, links=None):
    return feedback.render_feedback(bundle, student, rows, links or {})


def whole(rows=ROWS, students=(STUDENT,), bundle=BUNDLE):
    return report.render_report(bundle, students, rows)


def test_a_student_reads_points_words_and_the_own_code():
    read = Reader(page())
    for text in (
        "6 of 16 points", "4 of them are still open", "2 of 4 points",
        "Right for one head, but: mind the others", "handed in late",
        "2 files",
        "found as g", "def f(x):\n    return x",
        "still open, up to 4 points", "Wrong: a",
    ):  # fmt: skip
        assert text in read.said


def test_a_student_reads_nothing_that_is_the_teachers():
    text = page()
    for secret in (
        "314159",
        "bob",
        "the seed 2027",
        "computed elsewhere",
        "Claim",
    ):
        assert secret not in text


def test_a_wrong_answer_leads_to_the_page():
    links = {f"10.{x}": f"https://book.org/10.html#{x}" for x in range(1, 5)}
    links["10.2"] = "javascript:alert(1)"
    found = [x for x in Reader(page(links=links)).attributes if x[0] == "a"]
    assert found == [
        ("a", "href", "https://book.org/10.html#1"),
        ("a", "href", "https://book.org/10.html#4"),
    ]


def test_a_refused_answer_is_listed_until_it_has_points():
    said = "not graded: imports einops"
    one = row(2, "refused", 0.0, said, mistake="imports einops")
    wanted = f"10.2 is refused, 0 points: {said}"
    assert (wanted, ["ada"]) in report.needs([STUDENT], [one])
    marked = replace(one, points=2.0)
    assert not any("refused" in x for x, _ in report.needs([], [marked]))


def evil_pages():
    tasks = tuple(replace(x, title=EVIL) for x in BUNDLE.tasks)
    bundle = replace(BUNDLE, title=EVIL, tasks=tasks)
    rows = [
        replace(x, name=EVIL, comment=EVIL, note=EVIL, look=EVIL,
                answer=EVIL, mistake=EVIL, student=EVIL)
        for x in ROWS
    ]  # fmt: skip
    answers = {"10.1": {"source": EVIL, "notes": [EVIL]}}
    student = STUDENT | {
        "student": EVIL, "name": EVIL, "notes": [EVIL], "problem": EVIL,
        "answers": answers,
    }  # fmt: skip
    return (
        feedback.render_feedback(bundle, student, rows, {"10.1": EVIL}),
        report.render_report(bundle, [student], rows),
    )


@pytest.mark.parametrize("which", [0, 1])
def test_script_in_names_code_titles_and_comments_stays_text(which):
    read = Reader(evil_pages()[which])
    assert not {"script", "img", "iframe", "textarea"} & set(read.tags)
    assert read.tags.count("style") == read.tags.count("title") == 1
    names = {name for _, name, _ in read.attributes}
    assert not [name for name in names if name.startswith("on")]
    assert EVIL in read.said


@pytest.mark.parametrize("text", [page(), whole()])
def test_a_page_fetches_nothing_and_may_run_nothing(text):
    read = Reader(text)
    metas = [x[2] for x in read.attributes if x[:2] == ("meta", "content")]
    assert metas[0].startswith("default-src 'none'; style-src 'sha256-")
    assert not [x for x in read.attributes if x[1] in ("src", "style")]
    assert text.index("Content-Security-Policy") < text.index("<title>")


def test_letters_that_nobody_sees_are_shown():
    assert make_visible("علی\u200cرضا क्\u200dष") == "علی\u200cرضا क्\u200dष"
    assert make_visible("a\u200cb\u200d") == "a�b�"
    assert make_visible("a\u202eb\x00\x1b\ud800\tc\r\nd") == "a�b���\tc\nd"
    text = page([replace(ROWS[0], answer="a\ud800\x08\u202eb")])
    text.encode()
    assert "<code>a���b</code>" in text


def test_a_very_long_answer_is_cut():
    text = page([replace(ROWS[0], answer="x" * 1_000_000)])
    assert len(text) < 40_000 and "980,000 letters more" in text


def test_the_report_says_what_waits_and_which_mistakes_there_are():
    rows, students = [], []
    for i in range(30):
        key = f"s{i:02d}"
        students.append(STUDENT | {"student": key, "late": i < 2, "notes": []})
        rows += [
            row(1, "wrong", 0.0, student=key,
                mistake=f"mistake {i % 7}" if i < 28 else "no cause"),
            row(2, "stopped", 0.0, student=key, mistake="ran out of time",
                look="its process was stopped") if i == 3
            else row(2, "right", 4.0, student=key),
            row(4, "by hand", None if i else 3.0, student=key),
        ]  # fmt: skip
    read = Reader(whole(rows, students))
    for text in (
        "10.4 is marked by hand: 29 to marks01, s02, s03, s04, s05 and 24",
        "10.2: its process was stopped s03", "late s00, s01",
        "4 × mistake 0 s00, s07, s14, s21", "wrong 30 (100 %)",
        "right 29 (97 %)", "29 marks are still open",
        "Mean 3 of 4 points. Not marked yet, and left out: 29.",
        "Mean 0 of 4 points.",
    ):  # fmt: skip
        assert text in read.said, text
    assert "mistake 5" not in read.said  # five of each exercise
    labels = [x[2] for x in read.attributes if x[1] == "aria-label"]
    assert "10.2 Task 2: right 29 (97 %), wrong 1 (3 %)" in labels


def test_points_are_counted_in_tenths():
    assert count_tenths([0, 0.99, 1, 9.99, 10], 10) == [2, 1, *[0] * 7, 2]
    assert count_tenths([0.3 * 10], 10)[3] == 1


def test_a_report_of_nobody():
    assert "Nothing." in Reader(whole([], [])).said


def test_texts_to_mark_by_hand_stay_texts():
    answer = f"```\n# {EVIL}\n````\n\x1b[2J\u202e" + "long " * 40
    rows = [replace(ROWS[3], answer=answer, name="<b>[A](x)")]
    text = by_hand.list_answers(BUNDLE, rows)
    assert "`````text\n```\n" in text and "Claim, evidence." in text
    assert r"### \<b\>\[A\]\(x\) (ada)" in text
    assert max(map(len, text.splitlines())) <= 200
    assert "10.1" not in text
    assert "\x1b" not in text and "\u202e" not in text


def test_one_point_is_no_points():
    one = replace(ROWS[3], maximum=1)
    bundle = replace(BUNDLE, tasks=(replace(BUNDLE.tasks[3], points=1),))
    texts = [
        feedback.render_feedback(bundle, STUDENT, [one], {}),
        feedback.render_feedback(
            bundle, STUDENT, [replace(one, points=0.5)], {}
        ),
        report.render_report(bundle, [STUDENT], [one]),
        report.render_report(bundle, [STUDENT], [replace(one, points=0.5)]),
        by_hand.list_answers(bundle, [one]),
    ]
    for text in texts:
        assert not re.search(r"\b1 (points|marks|answers|students)", text)
    assert "up to 1 point<" in texts[0] and "0.5 of 1 point<" in texts[1]
    assert "1 of them is still open" in texts[0]
    assert "1 student, 1 answer." in texts[2]
    assert "1 mark is still open and counts as 0" in texts[2]
    assert "Mean 0.5 of 1 point." in texts[3]
    assert "1 answer." in texts[4] and "up to 1 point\n" in texts[4]
