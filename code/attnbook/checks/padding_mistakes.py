"""The wrong padding masks that the check knows by name.

Dimension letters:
    B batch, S source length.
"""

import torch

from attnbook.checks.masks_shared_mistakes import coarse, over_the_batch, same


def wrong_paddings(tokens, pad):
    """Return pairs of a hint and the padding mask that the mistake gives."""
    b, s = tokens.shape
    words = tokens != pad  # (B, S)
    keys, queries = words[:, None, None], words[:, None, :, None]
    past = torch.ones(s, s, dtype=torch.bool).tril()
    lengths = words.sum(1, keepdim=True)  # (B, 1)
    after = words.flip(1).cumsum(1).flip(1) > 0  # (B, S): a word follows
    shape = "its shape is {}, and the axes of the scores are (B, H, T, S); "
    fits = [
        ("True marks the padding; True must mark the words", ~keys),
        (
            "True marks the padding, and on the query axis; mark the words, "
            "as (B, 1, 1, S)",
            ~queries,
        ),
        (
            "it hides rows (queries) and not columns (keys); the sentence "
            "belongs on the last axis",
            queries,
        ),
        (
            "it hides rows (queries) of pads too, so these rows have no True; "
            "hide keys alone",
            keys & queries,
        ),
        (
            shape.format("(B, S)") + "insert two axes of size 1 between "
            "(squeeze takes them away)",
            words,
        ),
        (shape.format("(B, 1, S)") + "one axis is missing", words[:, None]),
        (
            shape.format("(B, S, 1, 1)") + "the sentence belongs on the last "
            "axis",
            words[:, :, None, None],
        ),
        (
            shape.format("(1, 1, B, S)") + "the batch belongs on the first "
            "axis",
            words[None, None],
        ),
        (
            "words and a causal triangle are joined; this task hides padding "
            "alone, so leave the triangle out",
            keys & past,
        ),
        ("it hides the future; this task hides padding alone", past),
        (
            "words as keys and words as queries are joined by |, so every "
            "word reads the pads; take the keys alone",
            keys | queries,
        ),
        (
            "every query has a row of its own, (B, 1, S, S); in "
            "cross-attention there are more or fewer queries than keys, so "
            "leave 1 on that axis",
            keys.expand(b, 1, s, s),
        ),
        (
            "pads are hidden only at the end; compare each id with pad_id",
            after[:, None, None],
        ),
        (
            "all is hidden from the first pad on; compare each id with pad_id",
            words.cumprod(1).bool()[:, None, None],
        ),
        *coarse(tokens, pad),
        ("nothing is hidden", torch.ones_like(keys)),
        ("all is hidden", torch.zeros_like(keys)),
        *over_the_batch(keys),
        (
            "rows (queries) of pads are open everywhere, so the mask has a "
            "row per query; hide columns and leave rows alone, (B, 1, 1, S)",
            keys | ~queries,
        ),
        (
            "it hides the id 0; hide the id pad_id",
            (tokens != 0)[:, None, None],
        ),
        (
            "it hides what is not above pad_id; words may have smaller ids "
            "than the padding",
            (tokens > pad)[:, None, None],
        ),
        (
            "it hides what is not below pad_id; words may have larger ids "
            "than the padding",
            (tokens < pad)[:, None, None],
        ),
        (
            "the mask counts the words and keeps as many first places; "
            "compare each id with pad_id instead",
            (torch.arange(s) < lengths)[:, None, None],
        ),
        (
            "it keeps one place too many",
            (torch.arange(s) <= lengths)[:, None, None],
        ),
        (
            "it hides the last word as well",
            (torch.arange(s) < lengths - 1)[:, None, None],
        ),
    ]
    right = [keys]
    return [(h, m) for h, m in fits if not any(same(m, r) for r in right)]
