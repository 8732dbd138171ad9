"""Parallel text: pairs of sentences from files."""

from pathlib import Path


def read_lines(path):
    r"""Read one sentence per line.

    Lines end at ``\n`` alone, because a sentence may hold other characters
    that Python takes for line ends; outer blanks are cut, and a byte order
    mark at the beginning.

    Args:
        path: a text file in UTF-8.

    Returns:
        A list of str.

    Raises:
        ValueError: no such file, not UTF-8, or no line in it.
    """
    path = Path(path)
    if not path.is_file():
        raise ValueError(f"expected a text file, got {path}, which is none")
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"expected {path} in UTF-8, got byte {error.object[error.start]} "
            f"at position {error.start}; convert it with iconv"
        ) from None
    lines = [line.strip() for line in text.removesuffix("\n").split("\n")]
    if not any(lines):
        raise ValueError(f"expected sentences in {path}, got an empty file")
    return lines


def read_pairs(source_path, target_path):
    """Read two files whose lines translate each other.

    Args:
        source_path: text file of the source side.
        target_path: text file of the target side.

    Returns:
        A list of (source, target), pairs with an empty side left out.

    Raises:
        ValueError: a file that cannot be read, or different numbers of
            lines.
    """
    source, target = read_lines(source_path), read_lines(target_path)
    if len(source) != len(target):
        raise ValueError(
            "expected as many lines on both sides, got "
            f"{len(source)} in {source_path} and {len(target)} in "
            f"{target_path}"
        )
    return [(s, t) for s, t in zip(source, target, strict=True) if s and t]
