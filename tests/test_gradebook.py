"""The table of marks: kept, typed into, mangled by editors, filled in."""

import csv
import html
import io
import re
import unicodedata
import zipfile

import pytest

from attnbook.teaching import canvas, moodle
from attnbook.teaching.gradebook import (
    Row,
    add_up_points,
    format_csv,
    merge_marks,
)
from attnbook.teaching.lms import match_students, number_of_student
from attnbook.teaching.spreadsheet import escape_formula


def row(student="ada", exercise="10.5", points=3.0, **more):
    given = {
        "name": student.title(), "maximum": 5, "status": "wrong",
        "comment": "you ignore the mask", "answer": "def f(): ...",
    }  # fmt: skip
    return Row(student=student, exercise=exercise, points=points,
               **given | more)  # fmt: skip


def hand(student="ada", exercise="10.8", **more):
    given = {"points": None, "status": "by hand", "comment": "", "maximum": 4}
    return row(student, exercise, **given | more)


ROWS = [row(), hand(), row("bob", points=5.0), hand("bob")]


def lines_of(text):
    return [*csv.DictReader(io.StringIO(text.removeprefix("\ufeff")))]


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "grades.csv"
    path.write_text(format_csv(ROWS), encoding="utf-8", newline="")
    return path


def typed(path, *edits):
    """Change cells of the table: (line from 0, column, text)."""
    lines = lines_of(path.read_text(encoding="utf-8"))
    for place, column, text in edits:
        lines[place][column] = text
    save(path, lines)


def save(path, lines, encoding="utf-8-sig", **how):
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, [*lines[0]], **how)
    writer.writeheader()
    writer.writerows(lines)
    path.write_bytes(out.getvalue().encode(encoding))


def points_of(rows):
    return [row.points for row in rows]


def test_a_table_that_nobody_edits_changes_nothing(path):
    assert merge_marks(ROWS, path) == ROWS
    assert merge_marks(ROWS, path.with_name("none.csv")) == ROWS


def test_typed_marks_are_kept_and_the_table_stays_the_same(path):
    typed(path, (1, "points", "3,5"), (0, "points", "4"),
          (1, "comment", "Well argued."))  # fmt: skip
    rows = merge_marks(ROWS, path)
    assert points_of(rows) == [4, 3.5, 5, None]
    assert rows[1].comment == "Well argued."
    assert rows[0].note == "typed by hand; computed: 3"
    text = format_csv(rows)
    path.write_text(text, encoding="utf-8", newline="")
    assert format_csv(merge_marks(ROWS, path)) == text
    assert add_up_points(rows) == {"ada": (7.5, 9), "bob": (None, 9)}


def test_a_note_of_the_teachers_is_kept_and_a_computed_one_follows(path):
    typed(path, (0, "note", "=ask her"), (1, "points", "2"))
    for late in ("", "late", "late"):
        new = [row(note=late), hand(answer="new", note=late), *ROWS[2:]]
        rows = merge_marks(new, path)
        text = format_csv(rows)
        notes = [line["note"] for line in lines_of(text)]
        assert notes[0] == "'=ask her" and rows[0].note == late
        assert notes[1].startswith(late) and "has changed" in notes[1]
        path.write_text(text, encoding="utf-8", newline="")
        assert format_csv(merge_marks(new, path)) == text
    typed(path, (0, "note", ""))
    assert lines_of(format_csv(merge_marks(new, path)))[0]["note"] == "late"


def test_a_computed_mark_follows_the_answer_a_typed_one_is_flagged(path):
    typed(path, (3, "points", "2"), (1, "points", "1"))
    new = [row(points=5.0, answer="new"), hand(), ROWS[2],
           hand("bob", answer="new")]  # fmt: skip
    rows = merge_marks(new, path)
    assert points_of(rows) == [5, 1, 5, 2]
    assert "has changed" in rows[3].note and not rows[1].note
    path.write_text(format_csv(rows), encoding="utf-8", newline="")
    assert format_csv(merge_marks(new, path)) == format_csv(rows)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_table_is_read_however_it_was_saved(path, encoding, delimiter, end):
    lines = lines_of(format_csv([row(name="Åsa Müller"), *ROWS[1:]]))
    lines[1]["points"] = "2,5"
    lines = [x | {"Group": "B"} for x in reversed(lines)]
    lines[0] = {name: lines[0][name] for name in reversed(lines[0])}
    save(path, lines, encoding, delimiter=delimiter, lineterminator=end)
    rows = merge_marks(ROWS, path)
    assert points_of(rows) == [3, 2.5, 5, None]
    assert {x.more["Group"] for x in rows} == {"B"}
    assert lines_of(format_csv(rows))[0]["Group"] == "B"


def test_windows_letters_and_a_lost_last_column(path):
    lines = lines_of(format_csv(ROWS))
    lines[0] |= {"name": "Åsa", "points": "1"}
    lines = [{x: y for x, y in z.items() if x != "graded"} for z in lines]
    save(path, lines, "cp1252", delimiter=";")
    assert points_of(merge_marks(ROWS, path)) == [1, None, 5, None]


def test_marks_that_are_none_are_named_with_their_lines(path):
    typed(path, (0, "points", "6"), (1, "points", "two"),
          (2, "student", "eve"), (2, "points", "1"),
          (3, "points", "-1"))  # fmt: skip
    before = path.read_bytes()
    with pytest.raises(ValueError, match="was left as it is") as error:
        merge_marks(ROWS, path)
    said = str(error.value)
    for number in (2, 3, 4, 5):
        assert f"line {number}: expected" in said
    assert path.read_bytes() == before


@pytest.mark.parametrize("text", ["nan", "inf", "1e3", "0x1", "=1+1", "١"])
def test_no_other_spelling_of_a_number(path, text):
    typed(path, (0, "points", text))
    with pytest.raises(ValueError, match="line 2"):
        merge_marks(ROWS, path)


def test_a_mark_twice_and_a_table_of_something_else(path):
    path.write_bytes(path.read_bytes() + path.read_bytes().split(b"\n")[1])
    with pytest.raises(ValueError, match="second row of ada"):
        merge_marks(ROWS, path)
    path.write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match="expected the columns"):
        merge_marks(ROWS, path)
    path.write_text("")
    with pytest.raises(ValueError, match="empty file"):
        merge_marks(ROWS, path)


def test_who_is_gone_goes_unless_a_mark_was_typed(path):
    assert merge_marks(ROWS[:2], path) == ROWS[:2]
    typed(path, (3, "points", "2"))
    with pytest.raises(ValueError, match="line 5.*got bob 10.8"):
        merge_marks(ROWS[:2], path)


def test_excel_may_take_a_key_for_a_number_but_no_exercise(path):
    rows = [row("0071", "10.10"), row("0072", "10.1")]
    path.write_text(format_csv(rows), encoding="utf-8", newline="")
    assert "Exercise 10.10," in format_csv(rows)
    typed(path, (0, "student", "71"), (0, "points", "1"))
    assert points_of(merge_marks(rows, path)) == [1, 3]


def test_words_beside_a_function_have_a_row_of_their_own(path):
    rows = [row(exercise="10.4"), hand(exercise="10.4-why")]
    path.write_text(format_csv(rows), encoding="utf-8", newline="")
    typed(path, (1, "points", "1"))
    assert points_of(merge_marks(rows, path)) == [3, 1]


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t=", " ="])
def test_nothing_that_a_spreadsheet_would_run(path, start):
    evil = f'{start}HYPERLINK("http://x","y")'
    rows = [row(name=evil, comment=evil, note=evil)]
    text = format_csv(rows)
    for line in csv.reader(io.StringIO(text)):
        assert not any(cell.startswith(tuple("=+-@\t\r")) for cell in line)
    path.write_text(text, encoding="utf-8", newline="")
    assert merge_marks(rows, path) == rows  # nobody has typed that


@pytest.mark.parametrize("sign", [";", "\t", "; "])
def test_nothing_that_runs_where_a_semicolon_ends_a_cell(path, sign):
    evil = f"oh{sign}=HYPERLINK(1)"  # where commas are decimal
    text = format_csv([row(name=evil, comment=evil)])
    cells = re.split(r"[;\t]", text.replace('"', ""))
    assert not any(x.strip().startswith("=") for x in cells)
    path.write_text(text, encoding="utf-8", newline="")
    (again,) = merge_marks([row(name=evil, comment=evil)], path)
    assert again.graded == "" and again.comment == evil


def test_html_for_moodle_says_what_was_said():
    (cell,) = [moodle.format_comments([row(comment="a <== 1; =1")])]
    assert html.unescape(escape_formula(cell)).endswith("a <== 1; '=1")


def test_a_terminal_that_shows_the_table_obeys_nothing_in_it(path):
    text = format_csv([row(comment="\x1b[2J\x9b1m\u202eoh\x00")])
    assert not set("\x1b\x9b\u202e\x00") & set(text)


CANVAS = (
    "Student,ID,SIS User ID,SIS Login ID,Section,Chapter 10 (77),"
    "Quiz (78),Final Score\n"
    ",,,,,Manual Posting,,\n"
    "    Points Possible,,,,,18,3,(read only)\n"
    '"Lovelace, Ada",101,s1,ada@x.org,A,,1,50\n'
    '"Smith, Bob",102,s2,bsmith,A,N/A,2,50\n'
    '"Smith, Bob",103,s3,bsmith2,B,,2,50\n'
    '"Gone, Eve",104,s4,eve,B,1,2,50\n'
    '"Student, Test",105,,x,B,,,\n'
)
MARKED = [
    row("ada", points=2.25, name="Ada Lovelace"),
    hand("ada", points=4.0),
    row("bob", points=5.0, name="Bob Smith"),
    hand("bob", points=1.0),
    row("cleo", name="Cleo <b>"),
    hand("dan"),
]


def test_canvas_gets_its_own_table_back(tmp_path):
    path = tmp_path / "export.csv"
    path.write_bytes(b"\xef\xbb\xbf" + CANVAS.encode())
    bob = {"id": "103"}
    numbers = {"bob": number_of_student(bob)}
    text, problems = canvas.fill_canvas(MARKED, path, "chapter 10", numbers)
    table = [*csv.reader(io.StringIO(text.removeprefix("\ufeff")))]
    assert table[0][-1] == "Chapter 10 (77)" and len(table[0]) == 6
    assert [line[-1] for line in table[2:]] == [
        "18", "12.5", "N/A", "12", "1", ""]  # fmt: skip
    assert problems[:3] == [
        "Cleo <b> (cleo): no such student, or several",
        "Dan (dan): no such student, or several",
        "points are converted: 9 here are 18 there",
    ]
    assert problems[3:] == [
        "3 in Canvas left as they are",
        "2 filled in, column 'Chapter 10 (77)'",
    ]


def test_canvas_without_a_number_does_not_guess_between_two(tmp_path):
    path = tmp_path / "export.csv"
    path.write_text(CANVAS)
    text, problems = canvas.fill_canvas(MARKED[2:4], path, "Chapter 10")
    assert "Bob (bob): no such student, or several" in problems
    with pytest.raises(ValueError, match="expected one column named"):
        canvas.fill_canvas(MARKED, path, "Chapter 11")
    path.write_text("a,b\n")
    with pytest.raises(ValueError, match="columns ID and Section"):
        canvas.fill_canvas(MARKED, path, "Chapter 10")


def test_canvas_fills_the_column_of_the_title_alone():
    header = ["ID", "Section", "Homework 10 (4711)", "Quiz (4712)"]
    with pytest.raises(ValueError, match="give the assignment in Canvas"):
        canvas.find_column(header, "Homework 1")
    assert canvas.find_column(header, "homework 10") == 2
    assert canvas.find_column(header[:3], "Homework 1") == 2  # the only one


def test_no_student_gets_the_row_of_another(tmp_path):
    path = tmp_path / "export.csv"
    path.write_text(CANVAS)
    eve = {"files": ["eve/x_101_99_y.ipynb"]}  # which eve has called it
    assert number_of_student(eve) == ""
    rows = [row("ada", name="ada@x.org"), row("aaron", name="Ada Lovelace")]
    text, problems = canvas.fill_canvas(rows, path, "Chapter 10")
    assert '"Lovelace, Ada",101,s1,ada@x.org,A,\r\n' in text
    assert "ada@x.org (ada): is the same as aaron; left as it is" in problems
    assert (
        "Ada Lovelace (aaron): is the same as ada; left as it is" in problems
    )


MOODLE = (
    'Identifier,"Full name","Email address",Status,Grade,"Maximum Grade",'
    '"Grade can be changed","Last modified (submission)",'
    '"Last modified (grade)","Feedback comments"\n'
    "Participant 21,Ada Lovelace,ada@x.org,Submitted,,100.00,Yes,-,-,\n"
    "Participant 22,Bob Smith,bob@x.org,Submitted,,100.00,Yes,-,-,\n"
    "Participant 23,Bob Smith,b2@x.org,No submission,,100.00,Yes,-,-,old\n"
)


def test_moodle_gets_its_worksheet_back(tmp_path):
    path = tmp_path / "sheet.csv"
    path.write_text(MOODLE)
    bob = {"id": "22"}
    numbers = {
        "bob": number_of_student(bob),
        "x": number_of_student({"id": 23}),
    }
    rows = [*MARKED[:4], row("x", comment="<script>1</script>"),
            hand("x")]  # fmt: skip
    text, problems, known = moodle.fill_moodle(rows, path, numbers)
    assert known == {"ada": "21", "bob": "22"}
    lines = lines_of(text)
    assert [line["Grade"] for line in lines] == ["69.44", "66.67", ""]
    assert lines[0]["Feedback comments"].startswith("10.5: 2.25 of 5; you ig")
    assert lines[2]["Feedback comments"] == "old"
    assert "<script>" not in text
    assert problems[0] == "X (x): not all is marked; left as it is"
    assert "points are converted: 9 here are 100 there" in problems
    path.write_text("Kennung,Bewertung\n")
    with pytest.raises(ValueError, match="choose English"):
        moodle.fill_moodle(rows, path, numbers)


def test_moodle_is_read_whatever_the_case_of_its_header(tmp_path):
    path = tmp_path / "sheet.csv"
    path.write_text(MOODLE.replace("Maximum Grade", "Maximum grade"))
    text, problems, _ = moodle.fill_moodle(MARKED[:2], path)
    assert lines_of(text)[0]["Grade"] == "69.44"
    assert lines_of(text)[0]["Maximum grade"] == "100.00"
    assert "points are converted: 9 here are 100 there" in problems


@pytest.mark.parametrize("most", ["", "0.00"])
def test_points_that_cannot_be_converted_are_named(tmp_path, most):
    path = tmp_path / "sheet.csv"
    path.write_text(MOODLE.replace("100.00", most))
    text, problems, _ = moodle.fill_moodle(MARKED[:2], path)
    assert lines_of(text)[0]["Grade"] == "6.25"
    assert "points are not converted" in problems[0]
    assert "out of 9" in problems[0]
    path.write_text(CANVAS.replace(",18,3,", f",{most},3,"))
    text, problems = canvas.fill_canvas(MARKED[:2], path, "Chapter 10")
    assert "points are not converted" in problems[0]


def test_moodle_gets_pages_in_folders_that_it_knows(tmp_path):
    for name in ("ada", "bob-22"):
        (tmp_path / f"{name}.html").write_text(f"<p>{name}")
    numbers = {"bob-22": "22", "ada": "21"}
    data = moodle.zip_feedback(tmp_path, numbers)
    archive = zipfile.ZipFile(io.BytesIO(data))
    assert archive.namelist() == [
        "ada_21_assignsubmission_file/feedback.html",
        "bob-22_22_assignsubmission_file/feedback.html",
    ]
    assert archive.read(archive.namelist()[1]) == b"<p>bob-22"
    assert data == moodle.zip_feedback(tmp_path, dict(sorted(numbers.items())))


# ---------------------------------------------------------- names with marks
def met(students, people):
    """Return which row each student gets, by names, and what is said."""
    rows = [row(f"s{i}", name=name) for i, name in enumerate(students)]
    listed = [{"number": "", "login": "", "name": name} for name in people]
    found, said = match_students(rows, listed, {})
    pairs = {people[x]: students[int(y[0][1:])] for x, y in found.items()}
    return pairs, said


TWO = [  # names of two people, which differ by a mark
    ("मीना शर्मा", "मोना शर्मा"),
    ("André Klein", "Andre Klein"),
    ("Nguyễn Thị Lân", "Nguyễn Thị Làn"),
    ("น้ำ", "นำ"),
    ("דָּן", "דן"),
    ("مُحَمَّد", "محمد"),
    ("Anna Weiß", "Anna Weiss"),
    ("Алёна", "Алена"),
    ("が", "か"),
]


@pytest.mark.parametrize("pair", TWO)
@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_a_mark_makes_another_name(pair, form):
    students = [unicodedata.normalize(form, name) for name in pair]
    pairs, said = met(students[::-1], [*pair, "Ada Lovelace"])
    assert pairs == dict(zip(pair, students, strict=True)) and said == []
    pairs, said = met(students, [f"X, {pair[0]}", pair[1], pair[1]])
    assert pairs == {} and len(said) == 2


@pytest.mark.parametrize("pair", [TWO[0], TWO[2], *TWO[3:6], TWO[8]])
def test_nobody_gets_the_points_of_another_name(pair):
    pairs, (said,) = met(pair[:1], pair[1:])
    assert pairs == {} and "no such student" in said


@pytest.mark.parametrize(
    ("name", "there"),
    [
        ("André Klein", "Andre Klein"),
        ("Nguyen Duc", "Nguyễn Đức"),
        ("lukasz wisniewski", "Wiśniewski, Łukasz"),
        ("Ελενη Παππα", "Ελένη Παππά"),
        ("Алена", "Алёна"),
        ("doejane", "Doe, Jane"),
        ("pat obrien", "Pat O'Brien"),
        ("Anne-Marie Roy", "Anne Marie Roy"),
        ("علی\u200cرضا", "علیرضا"),
    ],
)
def test_a_name_that_is_nearly_the_same_is_taken_and_named(name, there):
    pairs, said = met([name], ["Ada Lovelace", there])
    assert pairs == {there: name}
    assert said == [f"{name} (s0): taken for {there}; is it the same person?"]


@pytest.mark.parametrize(
    ("students", "people"),
    [
        (["Nguyen Lan"], ["Nguyễn Lân", "Nguyễn Làn"]),  # two rows
        (["Andre Klein", "ANDRE KLEIN"], ["André Klein"]),  # two students
        (["Andrè Klein"], ["André Klein"]),  # other marks
        (["Andrè Klein"], ["Andre Klein", "André Klein"]),
    ],
)
def test_nearly_the_same_is_not_enough_where_two_fit(students, people):
    pairs, said = met(students, people)
    assert pairs == {} and len(said) == len(students)
    assert "nearly so: " in said[0] and people[0] in said[0]


def test_a_row_that_is_taken_is_not_given_away():
    pairs, said = met(["André Klein", "Andre Klein"], ["Andre Klein"])
    assert pairs == {"Andre Klein": "Andre Klein"}
    assert len(said) == 1 and said[0].startswith("André Klein (s0)")


def test_a_login_and_a_name_of_two_people_are_no_guess():
    people = [
        {"number": "", "login": "lan@x.org", "name": "Minh Lan"},
        {"number": "", "login": "b", "name": "Lan"},
    ]
    found, said = match_students([row("s", name="lan")], people, {})
    assert found == {} and "or several" in said[0]


# ----------------------------------------------------- letters that are lost
LOST = [  # what Excel's plain CSV makes of a key
    ("łukasz", "?ukasz"),
    ("मीना-शर्मा", "????-?????"),
    ("wiśniewski", "wisniewski"),  # a letter that looks like it
    ("李-小龍", "?-??"),
    ("ołena", "o³ena"),  # saved on a Polish computer, read as Western
    ("山\U00020bb7", "???"),
]


@pytest.mark.parametrize(("key", "cell"), LOST)
def test_letters_that_plain_csv_has_lost_are_named(tmp_path, key, cell):
    rows, path = [row(key), row("bob")], tmp_path / "grades.csv"
    path.write_text(format_csv(rows), encoding="utf-8", newline="")
    typed(path, (0, "student", cell), (1, "points", "5"))
    text = path.read_text("utf-8-sig")
    path.write_bytes(text.encode("cp1252", "replace"))
    before = path.read_bytes()
    with pytest.raises(ValueError, match="CSV UTF-8") as error:
        merge_marks(rows, path)
    assert f"got {cell} instead of {key};" in str(error.value)
    assert path.read_bytes() == before


def test_who_has_left_is_no_lost_letter(path):
    rows = [row("李-王"), row("ada"), hand("ada")]
    assert points_of(merge_marks(rows, path)) == [3, 3, None]
    both = [row("andre"), row("andré")]
    path.write_text(format_csv(both), encoding="utf-8", newline="")
    assert points_of(merge_marks(both[1:], path)) == [3]


def test_a_comment_that_plain_csv_has_changed_is_not_typed(path):
    rows = [row(comment="expected ≤ 1", note="→ see ż"), *ROWS[1:]]
    path.write_text(format_csv(rows), encoding="utf-8", newline="")
    text = path.read_text("utf-8").encode("cp1252", "replace")
    path.write_bytes(text.removeprefix(b"?"))
    assert merge_marks(rows, path) == rows


def test_names_of_an_lms_that_have_lost_letters_are_named(tmp_path):
    path = tmp_path / "export.csv"
    path.write_text(CANVAS.replace("Lovelace, Ada", "Nowak, ?ukasz"))
    rows = [row("łukasz", name="Łukasz Nowak")]
    _, problems = canvas.fill_canvas(rows, path, "Chapter 10")
    assert "such as Nowak, ?ukasz" in problems[0]
    assert "CSV UTF-8" in problems[0]


def test_a_key_is_found_in_either_form_of_its_marks(path):
    rows = [row("andré")]
    path.write_text(format_csv(rows), encoding="utf-8", newline="")
    typed(path, (0, "student", "andre\u0301"), (0, "points", "1"))
    assert points_of(merge_marks(rows, path)) == [1]
