"""Read submitted files, each in a process of its own with limits.

    echo '{"path": ..., "tasks": [...]}' | python -m attnbook.teaching.files

A file that is a bomb, or that crashes what reads it, costs that file only.
Nothing is unpacked to the disk and nothing is executed.  Takes a request a
line and prints a list of what was found, both JSON.
"""

import contextlib
import hashlib
import io
import json
import os
import re
import signal
import stat
import sys
import warnings
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from attnbook.teaching.answers import answers_of
from attnbook.teaching.kinds import is_zip
from attnbook.teaching.notebooks import Unreadable, parse
from attnbook.teaching.pythons import is_newer, written_with
from attnbook.teaching.reading import Notebook

FILE = 200 * 2**20  # bytes of one file
ALL = 600 * 2**20  # bytes of all that a student's zip holds
MEMBERS = 2_000  # files in a student's zip
MEMORY = 3 * 2**30
SECONDS = 30  # of computing, for one file
PATIENCE = 120  # seconds, in all
SCRIPT = re.compile(r"%%|In\s*\[|-\*-|coding:|!/|get_ipython\(\)")
BROKEN = (  # what a zip may raise
    zipfile.BadZipFile,
    zlib.error,
    OSError,
    EOFError,
    RuntimeError,
    ValueError,
)


def limit():
    """Bound what this process may use, where the system can."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.alarm(PATIENCE)


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


def bytes_of(request):
    """Return the bytes of a submitted file, on the disk or in a zip."""
    path = Path(request["path"])
    if request.get("member") is None:
        if path.stat().st_size > FILE:
            raise Unreadable(f"larger than {FILE >> 20} MB")
        return path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        return member(archive, archive.infolist()[request["member"]])


def read(name, data, request):
    """Return what one file holds, a dict for JSON."""
    found = {"file": name, "digest": hashlib.sha256(data).hexdigest()}
    found |= {"problem": "", "assignment": None, "answers": {}, "notes": []}
    try:
        pairs, found["assignment"] = parse(name, data)
        answers, notes = answers_of(
            Notebook(pairs, request["released"]), request["tasks"]
        )
    except Unreadable as error:
        return found | {"problem": str(error)}
    except (RecursionError, MemoryError):
        return found | {"problem": "nested too deeply, or too large"}
    for answer in answers.values():
        if answer["error"] and not is_newer(answer["error"]):
            answer["error"] += written_with(data)
    same = len(answers) == len(request["tasks"])
    same = same and is_untouched(pairs, request["released"])
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
    """Say whether all lines of a file stand in what was given out."""
    return lines_of(cells) <= lines_of(released)


def read_zip(name, data, request):
    """Return what the files of a student's zip hold."""
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
            found.append(read(inner, content, request))
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


def answer(request):
    """Return what a submitted file holds, a list with a dict for each file."""
    name = request["name"]
    try:
        data = bytes_of(request)
        if is_zip(name, data):
            return read_zip(name, data, request)
        return [read(name, data, request)]
    except Unreadable as error:
        return [{"file": name, "problem": str(error)}]
    except BROKEN as error:
        said = f"cannot be opened: {str(error)[:100]}"
        return [{"file": name, "problem": said}]
    except (MemoryError, RecursionError):
        return [{"file": name, "problem": "nested too deeply, or too large"}]


def in_child(line):
    """Answer one request in a child with limits, and wait for its end."""
    child = os.fork()
    if child == 0:
        limit()
        sys.stdout.write(json.dumps(answer(json.loads(line))))
        sys.stdout.flush()
        os._exit(0)
    os.waitpid(child, 0)


def main():
    """Answer each request on standard input with a line.

    The line is empty, or ends early, if what was read killed its reader.
    """
    warnings.simplefilter("ignore")
    for line in sys.stdin:
        if hasattr(os, "fork"):
            in_child(line)
        else:
            sys.stdout.write(json.dumps(answer(json.loads(line))))
        sys.stdout.write("\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
