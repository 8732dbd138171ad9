"""Parallel text: pairs of sentences from files."""

from pathlib import Path

from attnbook.data.characters import clean_text

NAMED = 5  # lines that a message names
HELD = 50  # one pair in so many is kept for validation


def split_lines(text):
    r"""Return the lines of a text as models read them.

    Lines end at ``\n`` alone, because a sentence may hold other characters
    that Python takes for line ends; outer blanks are cut.

    Args:
        text: str.

    Returns:
        A list of str, see `characters.clean_text`.
    """
    lines = text.removesuffix("\n").split("\n")
    return [clean_text(line).strip() for line in lines]


def read_lines(path):
    """Read one sentence per line.

    Args:
        path: a text file in UTF-8.

    Returns:
        A list of str, see `split_lines`.

    Raises:
        ValueError: no such file, not UTF-8, or no line in it.
    """
    path = Path(path)
    if not path.is_file():
        raise ValueError(f"expected a text file, got {path}, which is none")
    try:
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"expected {path} in UTF-8, got byte {error.object[error.start]} "
            f"at position {error.start}; convert it with iconv"
        ) from None
    lines = split_lines(text)
    if not any(lines):
        raise ValueError(f"expected sentences in {path}, got an empty file")
    return lines


def read_sides(source_path, target_path):
    """Read two files whose lines translate each other, empty ones too.

    Args:
        source_path: text file of the source side.
        target_path: text file of the target side.

    Returns:
        A list of (source, target), one for each line.

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
    return list(zip(source, target, strict=True))


def read_pairs(source_path, target_path, report=print):
    """Read two files whose lines translate each other; see `read_sides`.

    Args:
        source_path: text file of the source side.
        target_path: text file of the target side.
        report: called with a line about pairs that are left out.

    Returns:
        A list of (source, target), pairs with an empty side left out.

    Raises:
        ValueError: as `read_sides`, or no pair is left.
    """
    pairs = read_sides(source_path, target_path)
    empty = [i for i, pair in enumerate(pairs, 1) if not all(pair)]
    if len(empty) == len(pairs):
        raise ValueError(
            f"expected pairs in {source_path} and {target_path}, got an "
            "empty side in each line"
        )
    if empty:
        report(
            f"left out {len(empty)} of {len(pairs)} pairs, because a side is "
            f"empty: {name_lines(empty)} of {source_path} and {target_path}"
        )
    return [pair for pair in pairs if all(pair)]


def hold_out(pairs):
    """Keep every fiftieth pair for validation, the first among them.

    Args:
        pairs: a list of (source, target).

    Returns:
        The pairs to train on, and those that are kept, two lists.

    Raises:
        ValueError: fewer than 50 pairs.
    """
    if len(pairs) < HELD:
        raise ValueError(
            f"expected at least {HELD} pairs, or validation files of their "
            f"own, got {len(pairs)} pairs"
        )
    rest = [pair for i, pair in enumerate(pairs) if i % HELD]
    return rest, pairs[::HELD]


def name_lines(numbers):
    """Return the first of some lines' numbers for a message.

    Args:
        numbers: a list of int, at least one.

    Returns:
        A str, such as "line 3" or "lines 1, 2, 3, 4, 5 and 12 more".
    """
    named = ", ".join(map(str, numbers[:NAMED]))
    more = len(numbers) - NAMED
    rest = f" and {more} more" if more > 0 else ""
    return f"line{'s' if len(numbers) > 1 else ''} {named}{rest}"


def squeeze(pair):
    """Return a pair of texts with one space for all blanks in a row."""
    return tuple(" ".join(text.split()) for text in pair)


def report_known(name, pairs, train, report):
    """Report how many pairs were trained on: a score on these is too good.

    Other blanks between the words make no other pair.

    Args:
        name: of the pairs, such as "validation".
        pairs: a list of (source, target).
        train: the pairs to train on.
        report: called with a line, if there are such pairs.
    """
    known = set(map(squeeze, train))
    count = sum(squeeze(pair) in known for pair in pairs)
    if count:
        report(
            f"warning: {count} of {len(pairs)} {name} pairs stand in the "
            "training text, too; a score on them shows what was learned by "
            "heart"
        )
