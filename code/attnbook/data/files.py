"""Files that are complete or not there."""

import errno
import json
import os
from contextlib import suppress
from pathlib import Path

# What a system says that cannot sync a folder: Windows, some network drives.
CANNOT = {errno.EACCES, errno.EBADF, errno.EINVAL, errno.EISDIR, errno.EPERM}
CANNOT |= {errno.ENOSYS, errno.ENOTSUP}


def sync_folder(path):
    """Have the names in a folder outlive a power cut, where that is possible.

    Args:
        path: the folder.

    Raises:
        OSError: the disk fails.
    """
    try:
        number = os.open(path, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)
    except OSError as error:
        if error.errno not in CANNOT:
            raise


def make_folder(path):
    """Make a folder, and those above it, so that they outlive a power cut."""
    if not path.exists():
        make_folder(path.parent)
        path.mkdir(exist_ok=True)
        sync_folder(path.parent)


def write_file(path, data):
    """Write a file completely or not at all, and have it on the disk.

    Args:
        path: where; an existing file is replaced, a link is followed, and
            missing folders are made.
        data: bytes, or a str that is written in UTF-8.

    Raises:
        ValueError: the path is a folder or a device.
        OSError: the disk refuses; an existing file keeps its content.
    """
    path = Path(path).resolve()
    if path.exists() and not path.is_file():
        raise ValueError(f"expected the path of a file, got {path}")
    data = data.encode("utf-8") if isinstance(data, str) else data
    partial = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        make_folder(path.parent)
        with partial.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())  # on the disk before it gets its name
        os.replace(partial, path)
        sync_folder(path.parent)  # now its name is on the disk too
    except OSError as error:
        with suppress(OSError):
            partial.unlink()
        raise OSError(
            error.errno,
            f"{error.strerror}: could not write {len(data):,} bytes to "
            f"{path}; free space or choose another folder",
        ) from error
    except BaseException:
        with suppress(OSError):
            partial.unlink()
        raise


def write_json(path, content):
    """Write a JSON file completely or not at all.

    Args:
        path: where; see `write_file`.
        content: a dict that JSON can hold.

    Raises:
        ValueError: the path is a folder or a device.
        OSError: the disk refuses; an existing file keeps its content.
    """
    write_file(path, json.dumps(content, ensure_ascii=False) + "\n")


def read_json(path):
    """Read a file that holds one JSON object.

    Args:
        path: the file.

    Returns:
        A dict.

    Raises:
        ValueError: no such file, or not a JSON object in UTF-8.
        OSError: the disk refuses.
    """
    path = Path(path)
    if not path.is_file():
        raise ValueError(f"expected a JSON file, got no file at {path}")
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"expected JSON in {path}, got: {error}") from error
    if not isinstance(content, dict):
        raise ValueError(
            f"expected a JSON object in {path}, got {type(content).__name__}"
        )
    return content


def read_list(path, kinds):
    """Read a file that holds one list, called like the file's kind.

    Args:
        path: the file.
        kinds: the kinds that are expected, an iterable of str.

    Returns:
        The kind and the list, its items unchecked.

    Raises:
        ValueError: no file, not JSON, another kind, or no list.
    """
    content = read_json(path)
    kind = content.get("kind")
    if kind not in list(kinds):
        raise ValueError(
            f"expected a kind out of {list(kinds)} in {path}, got {kind!r}"
        )
    if not isinstance(content.get(kind), list):
        raise ValueError(f"expected a list {kind!r} in {path}, got none")
    return kind, content[kind]
