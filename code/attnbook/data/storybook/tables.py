"""Read the tables in which the lexicons are written.

A lexicon is for people who know a language and need not know Python: one
entry per line, columns apart by blanks.
"""


def read_rows(text):
    """Split a table into its lines, and each into its columns, a tuple."""
    return [tuple(line.split()) for line in text.splitlines() if line.strip()]


def read_table(text, make):
    """Read a table whose first column is the key.

    Args:
        text: a table, see `read_rows`.
        make: called with the other columns of a line, gives its entry.

    Returns:
        A dict from first column to entry, in the order of the lines.

    Raises:
        ValueError: a key that stands there twice, or a line with a wrong
            number of columns.
    """
    entries = {}
    for key, *columns in read_rows(text):
        if key in entries:
            raise ValueError(f"expected every key once, got {key!r} twice")
        try:
            entries[key] = make(*columns)
        except TypeError as error:
            raise ValueError(
                f"expected the columns of {make.__name__} for {key!r}, got "
                f"{columns}"
            ) from error
    return entries
