import random
import unicodedata

import pytest

from attnbook.data import datasets
from attnbook.data.characters import MARKS, clean_text, name_invisible
from attnbook.data.corpus import (
    name_lines,
    read_lines,
    read_pairs,
    read_sides,
    report_known,
)


def write(path, data):
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def test_lines_end_at_newlines_alone(tmp_path):
    text = " ein\u00a0Hund \nzwei\tHunde\nmit\x85Zeichen\u2028drin\n"
    lines = read_lines(write(tmp_path / "a", text))
    assert lines == [
        "ein\u00a0Hund",
        "zwei\tHunde",
        "mit\x85Zeichen\u2028drin",
    ]


FORMS = [  # one text as it may be typed, and as it is read
    ("l'e\u0301le\u0300ve", "l'élève"),
    ("u\u0308ber", "über"),
    ("\u1112\u1161\u11ab\u1100\u116e\u11a8", "한국"),
    ("\u212b\u2126", "\xc5\u03a9"),  # signs for Ångström and Ohm
    ("stu\xaddent", "student"),
    ("\u200bI\u200b am\ufeff \u2060here\u200e", "I am here"),
    ("\u202eabc\u202c \u2066d\u2069", "abc d"),
    ("e\xad\u0301", "é"),
    ("null\x00 bell\x07 escape\x1b", "null bell escape"),
    ("Auf\u200clage a\u200db \u200d", "Auflage ab "),  # no letters that join
    ("2\ufe0f a\ufe0f \u845b\U000e0100", "2 a \u845b"),
    ("\u0645\u06cc\u200c\u200c\u062e\u0648 \u0645\u200c.",
     "\u0645\u06cc\u200c\u062e\u0648 \u0645."),  # Persian
    ("나는\u3164학생", "나는 학생"),
    ("\U000e0061b \U0001f469\u200d c", "b \U0001f469 c"),
]  # fmt: skip
OWN = [  # what is invisible and belongs to a word or an emoji
    "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",  # Persian
    "\u0915\u094d\u200d\u0937 \u0d28\u0d4d\u200d",  # Hindi, Malayalam
    "\u09b0\u200d\u09cd\u09af \u0dc1\u0dca\u200d\u0dbb",  # Bengali, Sinhala
    "\u182d\u180b",  # Mongolian
    "\U0001f469\u200d\U0001f467 \u2764\ufe0f \U0001f3f3\ufe0f\u200d\U0001f308",
    "1\ufe0f\u20e3 \xa9\ufe0f",
    "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e007f",  # a region's flag
]
PLAIN = ["", " a\tb\xa0c\u2028d", "It's « déjà » — 3,5 €…", "ﬁ ｆ ² ㅎ \ufffd"]


@pytest.mark.parametrize(("typed", "read"), FORMS)
def test_a_text_has_one_form(typed, read):
    assert clean_text(typed) == read


@pytest.mark.parametrize("text", OWN + PLAIN)
def test_what_belongs_to_a_text_stays(text):
    assert clean_text(text) == text


def test_a_clean_text_stays_as_it_is():
    draw = random.Random(7)
    signs = MARKS[::50] + "".join(map("".join, FORMS)) + "".join(OWN)
    for _ in range(3000):
        text = clean_text("".join(draw.choices(signs, k=6)))
        assert clean_text(text) == text
        assert unicodedata.is_normalized("NFC", text)


def test_no_text_is_refused():
    with pytest.raises(ValueError, match="text as str, got bytes"):
        clean_text(b"a")
    with pytest.raises(ValueError, match="lone surrogates, got"):
        clean_text("a\udce9")


def test_what_cannot_be_seen_is_named_by_its_number():
    assert name_invisible("stu\xaddent") == "stu<U+00AD>dent"
    assert name_invisible("don\x92t\U000e0001") == "don<U+0092>t<U+E0001>"
    assert name_invisible("été 한") == "été 한"


@pytest.mark.parametrize("name", ["files", "storybook", "multi30k"])
def test_every_dataset_reads_the_same_form(name, tmp_path):
    kind = datasets.find(name)
    typed = "\u200bl'e\u0301le\u0300ve est la\xad ."
    assert kind.read_text(typed) == "l'élève est la ."
    read = [kind.read_text(part) for part in kind.split_text(typed)]
    assert read == ["l'élève est la ."]
    assert kind.split_text(" \u200b\ufeff ") == []
    assert read_lines(write(tmp_path / "a", typed)) == read


def test_a_byte_order_mark_is_no_part_of_the_first_word(tmp_path):
    data = "\ufeffein Hund\n"
    assert read_lines(write(tmp_path / "a", data)) == ["ein Hund"]
    bad = write(tmp_path / "b", data.encode() + b"\xdf\n")
    with pytest.raises(ValueError, match="got byte 223 at position"):
        read_lines(bad)


def test_pairs_without_one_side_are_left_out(tmp_path):
    source = write(tmp_path / "a", "one\n\nthree\n")
    target = write(tmp_path / "b", "un\ndeux\ntrois\n")
    said = []
    pairs = read_pairs(source, target, said.append)
    assert pairs == [("one", "un"), ("three", "trois")]
    assert said == [
        "left out 1 of 3 pairs, because a side is empty: line 2 of "
        f"{source} and {target}"
    ]
    assert read_sides(source, target)[1] == ("", "deux")


def test_nothing_is_said_of_pairs_that_are_whole(tmp_path):
    source = write(tmp_path / "a", "one\n")
    assert read_pairs(source, source, pytest.fail) == [("one", "one")]


def test_pairs_that_all_lack_a_side_are_refused(tmp_path):
    source = write(tmp_path / "a", "one\n\u200b\n")
    target = write(tmp_path / "b", "\xad\ndeux\n")
    with pytest.raises(ValueError, match="got an empty side in each line"):
        read_pairs(source, target)


def test_the_first_lines_are_named():
    assert name_lines([3]) == "line 3"
    assert name_lines([1, 2, 4, 5, 6]) == "lines 1, 2, 4, 5, 6"
    assert name_lines([*range(9, 17)]) == "lines 9, 10, 11, 12, 13 and 3 more"


def test_pairs_that_were_trained_on_are_counted():
    train = [("a", "b"), ("c", "d"), ("a", "b")]
    said = []
    report_known(
        "test", [("a", "b"), ("a", "d"), ("c", "d")], train, said.append
    )
    report_known("test", [("d", "c")], train, pytest.fail)
    assert len(said) == 1
    assert said[0].startswith("warning: 2 of 3 test pairs stand in the train")


@pytest.mark.parametrize("blank", ["  ", "\t", "\xa0", "\u202f", "\u2009 "])
def test_other_blanks_make_no_other_pair(blank):
    said, test = [], [("go !", f"va{blank}!"), (f"go{blank}!", "va!")]
    report_known("test", test, [("go !", "va !")], said.append)
    assert said[0].startswith("warning: 1 of 2 test pairs")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "got an empty file"),
        (b"\n\n", "got an empty file"),
        (b"Stra\xdfe\n", "in UTF-8, got byte 223 at position 4; convert"),
    ],
)
def test_bad_files_are_refused(tmp_path, data, message):
    with pytest.raises(ValueError, match=message):
        read_lines(write(tmp_path / "a", data))


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(ValueError, match="expected a text file, got .*none"):
        read_lines(tmp_path / "none")


def test_sides_of_different_length_are_refused(tmp_path):
    source = write(tmp_path / "a", "one\ntwo\n")
    target = write(tmp_path / "b", "un\n")
    with pytest.raises(ValueError, match=r"got 2 in .*a and 1 in .*b"):
        read_pairs(source, target)
