"""The wrong masks of an encoder-decoder that the check knows by name.

Dimension letters:
    B batch, T target length, S source length.
"""

import torch

from attnbook.checks.masks_shared_mistakes import (
    coarse,
    ids_confused,
    ones,
    over_the_batch,
    same,
)


def wrong_encoders(source, target, source_pad, target_pad):
    """Return pairs of a hint and an encoder mask that the mistake gives."""
    words = source != source_pad  # (B, S)
    keys, queries = words[:, None, None], words[:, None, :, None]
    pairs = [
        ("True marks the padding; True must mark the words", ~keys),
        (
            "it hides rows (queries) and not columns (keys); the sentence "
            "belongs on the last axis, (B, 1, 1, S)",
            queries,
        ),
        (
            "it hides the rows of pads too, so these rows have no True and "
            "their softmax is NaN; hide keys alone",
            keys & queries,
        ),
        (
            "it looks for target_pad in the source; each side has its own id",
            (source != target_pad)[:, None, None],
        ),
        (
            "it hides the future; the source is known from the start, so "
            "every word may look at every word",
            keys & ones(source.size(1)).tril(),
        ),
        (
            "it hides the future and not the padding; the encoder needs it "
            "the other way round",
            ones(source.size(1)).tril(),
        ),
        (
            "nothing is hidden, so words attend to padding",
            torch.ones_like(keys),
        ),
        (
            "it hides the id 0; hide the id source_pad",
            (source != 0)[:, None, None],
        ),
        (
            "its shape is (B, S), and the axes of the scores are "
            "(B, H, T, S); insert two axes of size 1 between (squeeze takes "
            "them away)",
            words,
        ),
        *ids_confused(source, source_pad, target_pad, "source", "target"),
        *over_the_batch(keys),
        *coarse(source, source_pad),
        (
            "it is made of the target; the encoder reads the source",
            (target != target_pad)[:, None, None],
        ),
    ]
    pairs = [x for x in pairs if (source == 0).any() or "id 0;" not in x[0]]
    return [(h, m) for h, m in pairs if not same(m, keys)]


def wrong_decoders(source, target, source_pad, target_pad):
    """Return pairs of a hint and a decoder mask that the mistake gives."""
    words = target != target_pad  # (B, T)
    keys, queries = words[:, None, None], words[:, None, :, None]
    square = ones(target.size(1))
    past = square.tril()
    other = (target != source_pad)[:, None, None]
    which = "source_pad" if source_pad else "source_pad (or the id 0)"
    pairs = [
        (
            "triu keeps the future and hides the past; keep the keys on and "
            "below the diagonal",
            keys & square.triu(),
        ),
        (
            "it is upside down: the future is kept, the past and the present "
            "hidden (another library's True means hidden)",
            keys & square.triu(1),
        ),
        (
            "the whole mask is inverted: True marks what must be hidden",
            ~(keys & past),
        ),
        (
            "the diagonal is off by one: each word sees the next one, which "
            "it has to predict",
            keys & square.tril(1),
        ),
        (
            "the diagonal is off by one: a word does not see itself, and the "
            "first row has no True",
            keys & square.tril(-1),
        ),
        ("it hides the padding but not the future", keys),
        (
            "it hides the future but not the padding; with pads at the end "
            "the words do not notice, but this mask promises both",
            past,
        ),
        (
            "padding and future are joined by |, which keeps what either "
            "keeps; a key must pass both, so join them by &",
            keys | past,
        ),
        (
            "the rows (queries) of pads are hidden, so they have no True; "
            "hide columns (keys) alone",
            queries & past,
        ),
        (
            f"it looks for {which} in the target; each side has its own id",
            other & past,
        ),
        ("True marks the padding; it must mark the words", ~keys & past),
        (
            "it hides the id 0; hide the id target_pad",
            (target != 0)[:, None, None] & past,
        ),
        ("nothing is hidden", square),
    ]
    pairs += rare_decoders(source, target, source_pad, target_pad)
    pairs = [x for x in pairs if (target == 0).any() or "id 0;" not in x[0]]
    return [(h, m) for h, m in pairs if not same(m, keys & past)]


def rare_decoders(source, target, source_pad, target_pad):
    """Return more pairs of a hint and a decoder mask."""
    words = target != target_pad  # (B, T)
    keys, queries = words[:, None, None], words[:, None, :, None]
    past = ones(target.size(1)).tril()
    own = keys & past  # (B, 1, T, T)
    by_id = ids_confused(target, target_pad, source_pad, "target", "source")
    by_id += coarse(target, target_pad)
    return [
        (
            "the mask is transposed; its rows are queries, its columns keys",
            own.transpose(-2, -1),
        ),
        (
            "pads may see themselves; a pad's column is hidden in every row, "
            "in its own, too",
            own | torch.eye(target.size(1), dtype=torch.bool),
        ),
        (
            "rows (queries) of pads are open everywhere; leave them as they "
            "are, only columns of pads are hidden",
            own | ~queries,
        ),
        (
            "it is made of the source; the decoder reads the target",
            (source != source_pad)[:, None, None]
            & ones(source.size(1)).tril(),
        ),
        *((hint, mask & past) for hint, mask in by_id),
        *(x for x in over_the_batch(own) if not (x[1] == past).all()),
    ]


def wrong_cross(source, target, source_pad, target_pad):
    """Return pairs of a hint and a cross mask that the mistake gives."""
    words = source != source_pad  # (B, S)
    keys = words[:, None, None]  # (B, 1, 1, S)
    spoken = target != target_pad  # (B, T)
    t, s = target.size(1), source.size(1)
    past = torch.ones(t, s, dtype=torch.bool).tril()
    pairs = [
        (
            "it is the padding of the target; the keys are the source's "
            "words, so hide the source's padding",
            spoken[:, None, None],
        ),
        (
            "it looks at the target's tokens; the keys are the source's "
            "words, so compare source with source_pad",
            (target != source_pad)[:, None, None],
        ),
        (
            "it is the decoder's own mask; the keys are the source's words, "
            "and none of them lies in the future",
            spoken[:, None, None] & ones(t).tril(),
        ),
        (
            "it is the padding of the target, on the query axis; hide the "
            "source's padding, on the key axis",
            spoken[:, None, :, None],
        ),
        (
            "the rows of target pads are hidden too and have no True; hide "
            "keys alone",
            keys & spoken[:, None, :, None],
        ),
        ("True marks the padding; True must mark the words", ~keys),
        (
            "the source's padding stands on the query axis; the keys are the "
            "last axis, (B, 1, 1, S)",
            words[:, None, :, None],
        ),
        (
            "it looks for target_pad in the source; each side has its own id",
            (source != target_pad)[:, None, None],
        ),
        (
            "it hides later source words; the whole source is known before "
            "the first target word",
            keys & past,
        ),
        (
            "nothing is hidden, so target words attend to the source's "
            "padding",
            torch.ones_like(keys),
        ),
        *ids_confused(source, source_pad, target_pad, "source", "target"),
        *over_the_batch(keys),
        *coarse(source, source_pad),
    ]
    return [(h, m) for h, m in pairs if not same(m, keys)]
