"""Read submitted files.

Nothing is unpacked to the disk and nothing is executed.
"""

import contextlib
import hashlib
import io
import re
import stat
import zipfile
import zlib
from pathlib import PurePosixPath

from attnbook.teaching.answers import answers_of
from attnbook.teaching.kinds import is_zip
from attnbook.teaching.notebooks import Unreadable, parse
from attnbook.teaching.pythons import is_newer, written_with
from attnbook.teaching.reading import Notebook

FILE = 200 * 2**20  # bytes of one file
ALL = 600 * 2**20  # bytes of all that a student's zip holds
MEMBERS = 2_000  # files in a student's zip
SCRIPT = re.compile(r"%%|In\s*\[|-\*-|coding:|!/|get_ipython\(\)")
BROKEN = (  # what a zip may raise
    zipfile.BadZipFile,
    zlib.error,
    OSError,
    EOFError,
    RuntimeError,
    ValueError,
)


def name_of(info):
    """Return the name of a member of a zip.

    Many programs write UTF-8 and do not say so; such a name is read as the
    letters of DOS.

    Args:
        info: a `zipfile.ZipInfo`.
    """
    if not info.flag_bits & 0x800:  # does not say that it is UTF-8
        with contextlib.suppress(UnicodeError):
            return info.filename.encode("cp437").decode("utf-8")
    return info.filename


def unsafe(info):
    """Return why a member of a zip is not read, "" if it is."""
    parts = PurePosixPath(info.filename.replace("\\", "/")).parts
    if stat.S_ISLNK(info.external_attr >> 16):
        return "a link, not a file"
    if ".." in parts or parts[:1] == ("/",) or ":" in info.filename[:3]:
        return "a path that leads out of the zip"
    if info.flag_bits & 1:
        return "locked with a password"
    if info.file_size > FILE:
        return f"{info.file_size >> 20} MB unpacked, more than {FILE >> 20}"
    return ""


def member(archive, info):
    """Return the bytes of a member of a zip.

    Args:
        archive: a `zipfile.ZipFile`.
        info: the member's `zipfile.ZipInfo`.

    Raises:
        Unreadable: it is a link, too large, broken ...
    """
    said = unsafe(info)
    if said:
        raise Unreadable(said)
    try:
        with archive.open(info) as file:
            data = file.read(FILE + 1)
    except BROKEN as error:
        raise Unreadable(f"broken in the zip: {str(error)[:100]}") from None
    if len(data) > FILE:
        raise Unreadable(f"more than {FILE >> 20} MB unpacked")
    return data


def bytes_of(upload):
    """Return the bytes of an `Upload`, on the disk or in a zip."""
    if upload.member is None:
        if upload.path.stat().st_size > FILE:
            raise Unreadable(f"larger than {FILE >> 20} MB")
        return upload.path.read_bytes()
    with zipfile.ZipFile(upload.path) as archive:
        return member(archive, archive.infolist()[upload.member])


def read(name, data, tasks, released):
    """Return what one file holds, a dict.

    Args:
        name: of the file.
        data: its bytes.
        tasks: all `Task` of the assignment.
        released: pairs of kind and source, the cells that were given out.
    """
    found = {"file": name, "digest": hashlib.sha256(data).hexdigest()}
    found |= {"problem": "", "assignment": None, "answers": {}, "notes": []}
    try:
        pairs, found["assignment"] = parse(name, data)
        answers, notes = answers_of(Notebook(pairs, released), tasks)
    except Unreadable as error:
        return found | {"problem": str(error)}
    except (RecursionError, MemoryError):
        return found | {"problem": "nested too deeply, or too large"}
    for answer in answers.values():
        if answer["error"] and not is_newer(answer["error"]):
            answer["error"] += written_with(data)
    same = len(answers) == len(tasks) and is_untouched(pairs, released)
    return found | {"answers": answers, "notes": notes, "untouched": same}


def lines_of(cells):
    """Return the lines of cells that hold more than signs, as a set.

    Args:
        cells: pairs of kind and source.  A script has text as comments, and
            marks where its cells begin.
    """
    lines = [x.strip(" \t#") for _, text in cells for x in text.splitlines()]
    return {x for x in lines if x and not SCRIPT.match(x)}


def is_untouched(cells, released):
    """Say whether all lines of a file are in what was given out."""
    return lines_of(cells) <= lines_of(released)


def read_zip(name, data, tasks, released):
    """Return what the files of a student's zip hold.  Arguments as in `read`.

    Raises:
        Unreadable: too much is in it.
    """
    archive = zipfile.ZipFile(io.BytesIO(data))
    infos = [i for i in archive.infolist() if is_work(i.filename)]
    if len(infos) > MEMBERS:
        raise Unreadable(f"a zip of {len(infos)} files, more than {MEMBERS}")
    if sum(i.file_size for i in infos) > ALL:
        raise Unreadable(f"a zip of more than {ALL >> 20} MB unpacked")
    found, total = [], 0
    for info in infos:
        inner = f"{name}/{name_of(info)}"
        try:
            if info.filename.lower().endswith(".zip"):
                raise Unreadable("a zip in a zip in a zip")
            content = member(archive, info)
            total += len(content)
            if total > ALL:
                raise Unreadable(f"more than {ALL >> 20} MB unpacked")
            found.append(read(inner, content, tasks, released))
        except Unreadable as error:
            found.append({"file": inner, "problem": str(error)})
    return found or [{"file": name, "problem": "empty"}]


def is_work(name):
    """Say whether a name is not one that systems leave behind."""
    parts = PurePosixPath(name.replace("\\", "/")).parts
    left = ("__MACOSX", ".ipynb_checkpoints", "__pycache__")
    return not (
        name.endswith("/")
        or any(p in left or p.startswith("._") for p in parts)
        or parts[-1:] in ((".DS_Store",), ("Thumbs.db",), ("desktop.ini",))
    )


def read_upload(tasks, released, upload):
    """Return what an `Upload` holds, a list with a dict for each file.

    Other arguments as in `read`.
    """
    name = upload.name
    try:
        data = bytes_of(upload)
        if is_zip(name, data):
            return read_zip(name, data, tasks, released)
        return [read(name, data, tasks, released)]
    except Unreadable as error:
        return [{"file": name, "problem": str(error)}]
    except BROKEN as error:
        said = f"cannot be opened: {str(error)[:100]}"
        return [{"file": name, "problem": said}]
    except (MemoryError, RecursionError):
        return [{"file": name, "problem": "nested too deeply, or too large"}]
