"""One answer of a submission, as it is in collected.json."""

CODE = 100_000  # letters of an answer's source
LOOK = "look at it: "


def entry(name, source="", **more):
    """Return an answer as it is in collected.json."""
    return {
        "name": name,
        "source": source[:CODE],
        "blank": False,
        "error": "",
        "notes": [],
    } | more


def too_long(source):
    """Return what is wrong with a source that is too long."""
    return f"its source has {len(source)} letters, more than {CODE}"


def open_to_teacher(name, source, said, notes=(), **more):
    """Return the entry of what a teacher must look at to mark it."""
    notes = [*notes, LOOK + said]
    return entry(name, source, look=said, notes=notes, **more)
