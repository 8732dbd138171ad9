import pytest

from attnbook.data.corpus import read_lines, read_pairs


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


def test_a_byte_order_mark_is_no_part_of_the_first_word(tmp_path):
    data = "\ufeffein Hund\n"
    assert read_lines(write(tmp_path / "a", data)) == ["ein Hund"]
    bad = write(tmp_path / "b", data.encode() + b"\xdf\n")
    with pytest.raises(ValueError, match="got byte 223 at position"):
        read_lines(bad)


def test_pairs_without_one_side_are_left_out(tmp_path):
    source = write(tmp_path / "a", "one\n\nthree\n")
    target = write(tmp_path / "b", "un\ndeux\ntrois\n")
    assert read_pairs(source, target) == [("one", "un"), ("three", "trois")]


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
