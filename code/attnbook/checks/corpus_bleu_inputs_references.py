"""The wrong forms of references that the check knows by name."""

import re


def wrong_references(references):
    """Return pairs of a hint and references in a wrong form."""
    references = list(references)
    low = "the references are lower-cased; leave both sides as they are"
    apart = "the references are cut into tokens; leave the text as it is"
    cut = [re.findall(r"\w+|[^\w\s]", text) for text in references]
    return [
        (
            "the references are nested per sentence, which sacreBLEU reads "
            "as many references for the first sentence alone; it wants one "
            "list of all references, inside of a list",
            [[text] for text in references],
        ),
        (
            "the references are a flat list; sacreBLEU wants a list of sets "
            "of references, so put your list into a list",
            references,
        ),
        (
            "the references are nested once too often",
            [[[text] for text in references]],
        ),
        ("the references are nested once too often", [[references]]),
        (low, [[text.lower() for text in references]]),
        (low, [text.lower() for text in references]),
        (low, [[text.lower()] for text in references]),
        (apart, [cut]),
        (apart, cut),
        (apart, [[" ".join(words) for words in cut]]),
        (
            "the references are joined to one text; keep one per sentence",
            [[" ".join(references)]],
        ),
        ("the references are sorted; keep their order", [sorted(references)]),
    ]
