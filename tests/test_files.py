import errno
import os
import stat
from pathlib import Path

import pytest

from attnbook.data.files import read_json, read_list, write_file, write_json
from power_cut import Disk

OLD = {"kind": "words", "words": ["이전", "old"]}
FULL = Path("/dev/full")  # a disk without room, where the system has it


def partial_of(path):
    """Return the name that a file has while it is written."""
    return path.with_name(f"{path.name}.{os.getpid()}.part")


def test_what_is_written_is_read(tmp_path):
    path = tmp_path / "a.json"
    write_json(path, OLD)
    assert read_json(path) == read_json(str(path)) == OLD
    assert "이전" in path.read_text(encoding="utf-8")
    write_json(path, {"new": 1})
    assert read_json(path) == {"new": 1}
    assert list(tmp_path.iterdir()) == [path]


def test_a_power_cut_leaves_the_old_file_or_the_new_one(tmp_path, monkeypatch):
    (tmp_path / "disk").mkdir()
    with monkeypatch.context() as patch:
        disk = Disk(tmp_path / "disk", patch)
        path = disk.root / "a" / "b.txt"
        write_file(path, "old")
        written = len(disk.moments)
        write_file(path, "new")
        disk.note()
    disk.close()
    for name, content in disk.moments[written:]:
        assert content["a"]["b.txt"] in (b"old", b"new"), name
    for name, content in disk.moments[-3:]:
        assert content == {"a": {"b.txt": b"new"}}, name


@pytest.mark.parametrize("number", [errno.EACCES, errno.EINVAL, errno.EIO])
def test_a_system_that_cannot_sync_a_folder_is_no_error(
    tmp_path, monkeypatch, number
):
    """Windows cannot open one; a broken disk is another matter."""
    path = tmp_path / "a.json"

    def refuse(*_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "open", refuse)
    if number == errno.EIO:
        with pytest.raises(OSError, match="could not write"):
            write_json(path, OLD)
    else:
        write_json(path, OLD)
        assert read_json(path) == OLD


def test_a_link_is_followed(tmp_path):
    path, link = tmp_path / "a.json", tmp_path / "link.json"
    link.symlink_to(path)
    write_json(link, OLD)
    assert link.is_symlink() and read_json(path) == OLD


def test_a_failure_half_way_leaves_the_old_file(tmp_path):
    path = tmp_path / "a.json"
    write_json(path, OLD)
    for bad in ({"a": object()}, {"a": "\ud800"}):
        with pytest.raises((TypeError, UnicodeEncodeError)):
            write_json(path, bad)
        assert read_json(path) == OLD
        assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(not FULL.exists(), reason="no /dev/full here")
def test_a_full_disk_leaves_the_old_file(tmp_path):
    path = tmp_path / "a.json"
    write_json(path, OLD)
    partial_of(path).symlink_to(FULL)
    with pytest.raises(OSError, match="No space left"):
        write_json(path, {"new": 1})
    assert read_json(path) == OLD
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(not FULL.exists(), reason="no /dev/full here")
def test_a_device_is_refused_and_stays(tmp_path):
    link = tmp_path / "link"
    link.symlink_to(FULL)
    with pytest.raises(ValueError, match="path of a file, got /dev/full"):
        write_json(link, OLD)
    assert stat.S_ISCHR(FULL.stat().st_mode)


def test_a_folder_is_refused(tmp_path):
    with pytest.raises(ValueError, match="expected the path of a file"):
        write_json(tmp_path, OLD)


def test_a_path_below_a_file_leaves_the_file(tmp_path):
    path = tmp_path / "a.json"
    write_json(path, OLD)
    with pytest.raises(NotADirectoryError):
        write_json(path / "b.json", {"new": 1})
    assert read_json(path) == OLD


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "expected JSON in .*a.json, got: Expecting value"),
        (b'{"kind": ', "expected JSON in .*a.json, got: Expecting value"),
        (b'{"a": "\xff"}', "expected JSON in .*a.json, got: 'utf-8'"),
        (b"[" * 100_000, "expected JSON in .*a.json, got: .*recursion"),
        (b"[1]", "expected a JSON object in .*a.json, got list"),
    ],
)
def test_what_is_no_json_object_is_refused(tmp_path, text, message):
    path = tmp_path / "a.json"
    path.write_bytes(text)
    with pytest.raises(ValueError, match=message):
        read_json(path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ValueError, match="got no file at .*b.json"):
        read_json(tmp_path / "b.json")
    with pytest.raises(ValueError, match="got no file at"):
        read_json(tmp_path)


def test_a_list_of_an_expected_kind_is_read(tmp_path):
    path = tmp_path / "a.json"
    write_json(path, OLD)
    assert read_list(path, {"words": 1}) == ("words", OLD["words"])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({}, r"kind out of \['words'\] in .*, got None"),
        ({"kind": "merges", "merges": []}, "got 'merges'"),
        ({"kind": ["words"], "words": []}, r"got \['words'\]"),
        ({"kind": "words"}, "expected a list 'words' in .*a.json, got none"),
        ({"kind": "words", "words": {"a": 1}}, "list 'words'.*got none"),
    ],
)
def test_another_kind_or_no_list_is_refused(tmp_path, content, message):
    path = tmp_path / "a.json"
    write_json(path, content)
    with pytest.raises(ValueError, match=message):
        read_list(path, ["words"])
