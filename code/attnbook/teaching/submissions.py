"""The files that a class has handed in: a folder, or a zip.

Nothing is opened here and nothing unpacked; `readers` has them read, in
processes with limits.
"""

import datetime
import os
import re
import zipfile
from dataclasses import dataclass
from pathlib import Path

from attnbook.teaching.files import is_work, name_of, unsafe
from attnbook.teaching.kinds import is_zip

WORK = (".ipynb", ".py", ".zip")
MOST = 20_000  # files of one class
# A part of a download of Drive; a browser may have counted it.
DRIVE = re.compile(r".*-\d{8}T\d{6}Z(-\d+)+(?: ?\(\d+\))?\.zip")


@dataclass(frozen=True)
class Upload:
    """One file as it was handed in."""

    path: Path  # on the disk
    member: int | None  # place in the zip, if path is one
    name: str  # with folders, "/" between them
    time: datetime.datetime | None
    problem: str = ""  # why it must not be opened


def time_in_zip(info, zone):
    """Return the time of a member of a zip, which has no zone of its own."""
    try:
        return datetime.datetime(*info.date_time, tzinfo=zone)
    except ValueError:
        return None


def in_zip(path, zone):
    """Return the uploads of a class's zip, in order of their names.

    Args:
        path: of the zip.
        zone: tzinfo that its times are taken to be in.

    Raises:
        ValueError: it is no zip, or holds more files than any class.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            infos = list(enumerate(archive.infolist()))
    except (zipfile.BadZipFile, OSError, NotImplementedError) as error:
        raise ValueError(
            f"expected a folder or a zip, got {path}: {error}"
        ) from None
    infos = [(i, info) for i, info in infos if is_work(info.filename)]
    if len(infos) > MOST:
        raise ValueError(
            f"expected at most {MOST} files, got {len(infos)} in {path}"
        )
    found = [
        Upload(
            path,
            i,
            name_of(info).replace("\\", "/"),
            time_in_zip(info, zone),
            unsafe(info),
        )
        for i, info in infos
    ]
    return sorted(found, key=lambda upload: (upload.name, upload.member))


def named(path, folder):
    """Return the name of a path in a folder, "/" between its parts."""
    name = path.relative_to(folder).as_posix()
    return name.encode("utf-8", "replace").decode()


def in_folder(folder):
    """Return the uploads of a folder, in order of their names."""
    found = []

    def unreadable(error):
        path = Path(error.filename)
        said = f"cannot be opened: {error.strerror}"
        name = named(path, folder)
        found.append(Upload(path, None, name, None, said))

    for top, folders, files in os.walk(folder, onerror=unreadable):
        links = [f for f in folders if (Path(top) / f).is_symlink()]
        for file in [*files, *links]:
            path = Path(top) / file
            name = named(path, folder)
            hidden = file.startswith(".") and not file.endswith(WORK)
            if not is_work(name) or hidden:
                continue
            if path.is_symlink() or not path.is_file():
                found.append(
                    Upload(path, None, name, None, "a link, or no file")
                )
                continue
            seconds = path.stat().st_mtime
            time = datetime.datetime.fromtimestamp(seconds, datetime.UTC)
            found.append(Upload(path, None, name, time))
    return sorted(found, key=lambda upload: upload.name)


def start_of(path):
    """Return the first bytes of a file, none if it cannot be opened."""
    try:
        with path.open("rb") as file:
            return file.read(4096)
    except OSError:
        return b""


def are_the_class(found):
    """Say whether files are zips of a class, and none is of one student.

    Args:
        found: list of `Upload` of a folder.
    """
    if any(upload.problem for upload in found):
        return False
    if len(found) == 1:
        return is_zip(found[0].name, start_of(found[0].path))
    return all(DRIVE.fullmatch(upload.name) for upload in found)


def uploads(submissions, zone):
    """Return all files that were handed in.

    Args:
        submissions: Path of a folder or a zip.  A folder that holds one zip
            and nothing else is that zip, and so are the parts that Drive
            makes of a large folder.
        zone: tzinfo that the times in a zip are taken to be in.

    Returns:
        A list of `Upload`, common folders above all of them left out.

    Raises:
        ValueError: there is nothing, or no zip.
    """
    if not submissions.exists():
        raise ValueError(f"expected a folder or a zip, got {submissions}")
    if submissions.is_dir():
        found = in_folder(submissions)
        if are_the_class(found):
            parts = [in_zip(part.path, zone) for part in found]
            found = sorted(sum(parts, []), key=lambda upload: upload.name)
    else:
        found = in_zip(submissions, zone)
    if not found:
        raise ValueError(f"expected submissions, got none in {submissions}")
    return found
