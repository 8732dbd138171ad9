"""Other bugs of the mask in exercise 10.4, each with its symptom."""

from attnbook.teaching.variants import Variant

REPORT = (
    '"My encoder works while all sentences are equally long. With padding, '
    "sentences that have pads come out NaN: at the pads first, after two "
    'layers at every word."'
)
CODE = """    words = tokens != pad_id  # (B, S)
    return words[:, None, :, None]
"""
WHY = (
    "Explain why equal lengths work, why the pads become NaN first, and why "
    "the words follow a layer later."
)
COMPARE = "    words = tokens != pad_id  # (B, S)\n"
ON_PAGE = " (The repair stands on this page, the explanation does not.)"
BUGS = (  # her lines, her report, what is to be explained, the solution
    (
        CODE,
        REPORT,
        WHY,
        "Her mask stands on the query axis.",
    ),
    (
        COMPARE + "    both = words[:, None, None, :] & words[:, None, :, "
        "None]\n    return both\n",
        '"My encoder works while all sentences are equally long. With '
        "padding its outputs are NaN at the pads after one layer, while the "
        "words are as they should be; after two layers all of a padded "
        'sentence is NaN."',
        "Explain why equal lengths work, why the words are right after one "
        "layer, and why they are not after two.",
        "Rows of pads have no True: she hides queries, too. The second layer "
        "reads the pads' keys and values, and 0 times NaN is NaN.",
    ),
    (
        COMPARE + "    words = words.cumprod(1).bool()\n"
        "    return words[:, None, None, :]\n",
        '"My encoder works, also with padding at the end of the sentences. '
        "Since another program pads in front, every padded sentence is NaN "
        'after one layer, all of it."',
        "Explain why padding at the end works, why a sentence that is padded "
        "in front is NaN, and why all of its rows are at once.",
        "All is hidden from the first pad on, and here that is everything.",
    ),
    (
        COMPARE + "    past = torch.ones(2 * tokens.shape[1:]).tril().bool()\n"
        "    return words[:, None, None, :] & past\n",
        '"My encoder gives no NaN with padding at the end. Since another '
        "program pads in front, the first rows of padded sentences are NaN "
        'after one layer, and the whole sentence after two."',
        "Explain why padding at the end gives no NaN, which rows are NaN "
        "first when it stands in front, and what else is wrong with this "
        "mask for an encoder.",
        "Her mask is causal as well: a row that stands before the first word "
        "has no key left. And no word sees the later ones.",
    ),
    (
        COMPARE + "    words = words.all(0)[None]  # (1, S)\n"
        "    return words[:, None, None, :]\n",
        '"My encoder gives no NaN while all sentences are equally long. '
        "In a batch of two, one padded in front and the other at the end, "
        'so that no place is free of pads, everything is NaN."',
        "Explain why equal lengths work, why everything is NaN in that "
        "batch, and what goes wrong in batches without NaN.",
        "A place is hidden in every sentence as soon as it is a pad in one.",
    ),
)


def other_mask(exercise, rng):
    """10.4: another bug with its symptom."""
    code, report, why, solution = rng.choice(BUGS[1:])
    return Variant(
        edits=((REPORT, report), (CODE, code), (WHY, why), (ON_PAGE, "")),
        solution=f"{solution} The mask must hide keys, each sentence its own "
        "pads, wherever they stand, and nothing else.",
    )
