"""Check of the three masks of an encoder-decoder.

Dimension letters:
    B batch, H heads, T target length, S source length.
"""

import functools

import torch

from attnbook.checks.engine.calling import lost_axis, unanswered
from attnbook.checks.engine.exercise import Case, Exercise, check
from attnbook.checks.engine.steps import Row, table
from attnbook.checks.engine.verdict import Hint, Mistake
from attnbook.checks.masks.padding_mask.check import (  # noqa: F401 (rows use some)
    AGAIN,
    ANY_INTEGER,
    COARSE,
    LARGE,
    LARGE_PAD,
    LONG,
    NEGATIVE,
    between_words,
    count,
    first_places,
    large,
    large_pad,
    require_mask,
    scattered,
    sentences,
    triangle,
    with_hole,
    with_words,
    words_after,
)
from attnbook.checks.masks.padding_mask.check import MISTAKES as PADDING

SHAPES = {
    "encoder": "(B, 1, 1, S)",
    "decoder": "(B, 1, T, T)",
    "cross-attention": "(B, 1, 1, S)",
}
H = 6  # no other size is 6, so a mask cannot fit the heads by accident
ANY_LENGTH = (
    "a mask is as long as its sentences, however long they are; leave buffers "
    "and windows of a fixed length out"
)
TYPES = "join bool tensors by &: torch.ones needs dtype=torch.bool; no `and`"


def masks_for(source, target, source_pad, target_pad):
    """Make the masks of an encoder-decoder, True = may attend.

    Args:
        source: token ids, int, (B, S).
        target: token ids, int, (B, T), padded at the end.
        source_pad: the id of the source's padding.
        target_pad: the id of the target's padding; both may be words on the
            other side.

    Returns:
        Three bool masks, each broadcastable to its scores: of the encoder,
        (B, 1, 1, S), of the decoder, (B, 1, T, T), and of cross-attention,
        (B, 1, 1, S).
    """
    words = source != source_pad  # (B, S)
    spoken = target != target_pad  # (B, T)
    t = target.size(1)
    own = spoken[:, None, None]  # (B, 1, 1, T)
    past = torch.ones(t, t, dtype=torch.bool).tril()
    decoder = own & past
    encoder = words[:, None, None]
    cross = words[:, None, None]
    return encoder, decoder, cross


NOT_HERE = ("triangle", "!= 7", ".size(1)")  # not wrong, or not so, here
SOURCE = table("""
    words = tokens != target_pad
        it looks for target_pad in the source; each side has its own id
    words = (tokens != pad_id) & (tokens != target_pad)
        both padding ids are hidden, but target_pad may be a word of the
        source; hide pad_id alone
""")


def of_source(step, name):
    """Return the mistakes in a mask of the source, for one step."""
    rows = []
    for wrong, hint in (*PADDING, *SOURCE):
        place, value = wrong.split(" = ", 1)
        value = f"({value})[:, None, None]" if place == "words" else value
        if not any(text in value for text in NOT_HERE):
            value = value.replace("tokens", "source")
            row = f"{step} = {value}", f"{name}: {hint}"
            rows.append(Row(*(x.replace("pad_id", "source_pad") for x in row)))
    return tuple(rows)


MISTAKES = (
    *of_source("encoder", "encoder"),
    *of_source("cross", "cross-attention"),
    *table("""
    encoder = words[:, None, None] & triangle(source)
        encoder: it hides the future; the source is known from the start, so
        every word may look at every word
    encoder = triangle(source)
        encoder: it hides the future and not the padding; the encoder needs it
        the other way round
    encoder = spoken[:, None, None]
        encoder: it is made of the target; the encoder reads the source
    past = torch.ones(t, t, dtype=torch.bool).triu()
        decoder: triu keeps the future and hides the past; keep the keys on and
        below the diagonal
    past = torch.ones(t, t, dtype=torch.bool).triu(1)
        decoder: it is upside down: the future is kept, the past and the
        present hidden (another library's True means hidden)
    decoder = ~(own & past)
        decoder: the whole mask is inverted: True marks what must be hidden
    past = torch.ones(t, t, dtype=torch.bool).tril(1)
        decoder: the diagonal is off by one: each word sees the next one, which
        it has to predict
    past = torch.ones(t, t, dtype=torch.bool).tril(-1)
        decoder: the diagonal is off by one: a word does not see itself, and
        the first row has no True
    past = torch.ones(t, t, dtype=torch.bool)
        decoder: it hides the padding but not the future
    own = torch.ones_like(spoken)[:, None, None]
        decoder: it hides the future but not the padding; with pads at the end
        the words do not notice, but this mask promises both
    decoder = own | past
        decoder: padding and future are joined by |, which keeps what either
        keeps; a key must pass both, so join them by &
    decoder = own ^ past
        decoder: padding and future are joined by ^, which keeps what one of
        them keeps and not the other; a key must pass both, so join them by &
    own = spoken[:, None, :, None]
    own = spoken[:, None, :, None] & spoken[:, None, None]
        decoder: the rows (queries) of pads are hidden, so they have no True;
        hide columns (keys) alone
    own = (target != source_pad)[:, None, None]
        decoder: it looks for source_pad (or the id 0) in the target; each side
        has its own id
    own = ~spoken[:, None, None]
        decoder: True marks the padding; it must mark the words
    decoder = torch.ones_like(past)
        decoder: nothing is hidden
    decoder = (own & past).mT
        decoder: the mask is transposed; its rows are queries, its columns keys
    decoder = own & past | torch.eye(t, dtype=torch.bool)
        decoder: pads may see themselves; a pad's column is hidden in every
        row, in its own, too (pads at the end need no repair as those in front
        do: their rows see the words before them)
    decoder = own & past | ~spoken[:, None, :, None]
        decoder: rows (queries) of pads are open everywhere; leave them as they
        are, only columns of pads are hidden
    decoder = words[:, None, None] & triangle(source)
        decoder: it is made of the source; the decoder reads the target
    own = (spoken & (target != source_pad))[:, None, None]
        decoder: both padding ids are hidden, but source_pad may be a word of
        the target; hide target_pad alone
    own = (target > target_pad)[:, None, None]
        decoder: it hides what is not above target_pad; words may have smaller
        ids than the padding
    own = spoken[:1, None, None]
        decoder: every sentence has the mask of the first one
    own = spoken.all(0)[None, None, None]
        decoder: a place is hidden in every sentence as soon as it is hidden in
        one; each sentence has a mask of its own
    cross = spoken[:, None, None]
        cross-attention: it is the padding of the target; the keys are the
        source's words, so hide the source's padding
    cross = (target != source_pad)[:, None, None]
        cross-attention: it looks at the target's tokens; the keys are the
        source's words, so compare source with source_pad
    cross = decoder
        cross-attention: it is the decoder's own mask; the keys are the
        source's words, and none of them lies in the future
    cross = spoken[:, None, :, None]
        cross-attention: it is the padding of the target, on the query axis;
        hide the source's padding, on the key axis
    cross = words[:, None, None] & spoken[:, None, :, None]
        cross-attention: the rows of target pads are hidden too and have no
        True; hide keys alone
    cross = words[:, None, None] & torch.ones(t, words.size(1)).tril().bool()
        cross-attention: it hides later source words; the whole source is known
        before the first target word
    """),
)


def spread(mask, full):
    """Return the mask broadcast to the shape of all scores, or None."""
    try:
        return mask.expand(full) if mask.dim() <= 4 else None
    except RuntimeError:
        return None


def three_of(masks, like):
    """Return what the answer returned, if it is three bool tensors."""
    several = isinstance(masks, (tuple, list))
    if not several or len(masks) != 3:
        got = f"{len(masks)} things" if several else type(masks).__name__
        raise Mistake(
            "return three masks, of the encoder, of the decoder and of "
            "cross-attention, in this order; you return {}",
            got,
        )
    for mask, name in zip(masks, SHAPES, strict=True):
        require_mask(mask, name, like)
    return masks


def require_order(masks, own):
    """Refuse the decoder's mask in another place than its own."""
    first, second, third = (spread(mask, own.shape) for mask in masks)
    if second is not None and torch.equal(second, own):
        return
    if any(x is not None and torch.equal(x, own) for x in (first, third)):
        raise Mistake(
            "the decoder's mask stands in the wrong place; the order is "
            "encoder, decoder, cross-attention"
        )


def first_wrong(answer, *inputs):
    """Return name, shape and values of the first wrong mask, or "right"."""
    masks = answer(*inputs)
    if unanswered(masks):
        return masks
    three_of(masks, inputs[0])
    (b, s), t = inputs[0].shape, inputs[1].size(1)
    rights = masks_for(*inputs)
    if s != t:
        require_order(masks, rights[1].expand(b, H, t, t))
    full = ((b, H, s, s), (b, H, t, t), (b, H, t, s))
    for name, mask, right, wide in zip(
        SHAPES, masks, rights, full, strict=True
    ):
        found = spread(mask, wide)
        if found is None:
            return name, tuple(mask.shape), mask.tolist()
        if not torch.equal(found, right.expand(wide)):
            return name, wide, found.tolist()
    return "right"


def guess(results, rights, inputs):
    """Return a hint for the first wrong mask, which no row explains."""
    ((name, shape, values),) = results
    rights = dict(zip(SHAPES, masks_for(*inputs), strict=True))
    (b, s), t = inputs[0].shape, inputs[1].size(1)
    if inputs[2] >= LARGE_PAD:
        return Hint("{}: {}", Hint(name), Hint(COARSE))
    rows, columns = t if name != "encoder" else s, rights[name].size(-1)
    full = (b, H, rows, columns)
    if shape != full:
        right = rights[name].shape
        if lost_axis(torch.empty(shape, device="meta"), right):
            why = "lacks an axis of size 1 (leave squeeze out, or insert it)"
        else:
            why = f"does not broadcast to the scores, {full}"
        return Hint(
            "{}: the shape {} {}; make it {}",
            Hint(name),
            shape,
            why,
            Hint(SHAPES[name]),
        )
    want = rights[name].expand(full)
    first = (torch.tensor(values) != want).nonzero()[0].tolist()
    verb = "hidden" if want[tuple(first)] else "open"
    return Hint(
        "{}: sentence {}, query {}, key {} is {} and should not be "
        "(counted from 0); write the rule for one pair of query "
        "and key",
        Hint(name),
        first[0],
        first[2],
        first[3],
        Hint(verb),
    )


def both(source, target, source_pad, target_pad):
    """Put the other side's padding id among the words of each side."""
    source = torch.where(source == 12, target_pad, source)
    source = torch.where(source == 14, 6, source)  # a word below one pad
    target = torch.where(target == 13, source_pad, target)
    target = torch.where(target == 11, 5, target)  # here, too
    return source, target, source_pad, target_pad


def cases(draws):
    """Yield all cases."""
    ids = functools.partial(sentences, draws)
    pad = large_pad(draws)
    for shown, inputs in (
        ("", both(ids((3, 5, 2), 5, 0), ids((3, 4, 1), 4, 9), 0,
                  9)),
        (AGAIN, both(ids((5, 1, 4), 5, 0), ids((1, 4, 2), 4, 9),
                     0, 9)),
        ("right for one pair of padding ids, but not for others: ",
         both(with_words(ids((3, 7), 7, 8), 0),
              ids((5, 3), 5, 1), 8, 1)),
        ("right, but not when the source is padded in front: ",
         (ids((2, 4, 3), 6, 0, front=True),
          ids((4, 1, 2), 4, 9), 0, 9)),
        ("right, but not when the source has pads between its words: ",
         (with_hole(ids((3, 6, 5), 6, 0), 0),
          ids((4, 1, 2), 4, 9), 0, 9)),
        ("right while the source is longer than the target, but not the "
         "other way round: ",
         both(torch.tensor([[10, 0, 10], [12, 10, 15]]),
              ids((6, 4), 6, 9), 10, 9)),
        ("right while all sizes differ, but not when B = S = T (do the same "
         "at every size): ",
         both(ids((4, 2, 3, 1), 4, 0), ids((3, 4, 1, 2), 4, 9),
              0, 9)),
        ("right for several sentences, but not for one: ",
         (torch.tensor([draws.shuffled([5, 0, 5, 9, 5])]),
          ids((3,), 4, 9), 5, 9)),
        ("right, but not for sentences of one token: ",
         (ids((1, 1, 1), 1, 0), ids((1, 1, 1), 1, 9), 0, 9)),
        ("right for int64 ids, but not for int32 ones that lie in memory in "
         "another order: ",
         (scattered(ids((5, 2), 5, 0).int()),
          scattered(ids((4, 3), 4, 9).int()), 0, 9)),
        (LARGE, (large(draws, pad), large(draws, pad + 512), pad, pad + 512)),
    ):  # fmt: skip
        yield Case(shown, inputs)
    yield Case(
        LONG,
        (ids((70,), 75, 0), ids((290,), 300, 9), 0, 9),
        otherwise=ANY_LENGTH,
        only=True,
    )
    for pad in (8, 0):
        source = with_words(ids((4, 3), 5, pad), -100, -8)
        target = with_words(ids((3, 2), 4, pad), -100, -8)
        yield Case(
            NEGATIVE,
            (source, target, pad, pad),
            otherwise=ANY_INTEGER,
            only=True,
        )


def exercise(draws):
    """Return the exercise with its inputs."""
    return Exercise(
        right=masks_for,
        returns={"the masks": ""},
        takes=("B S", "B T", "", ""),
        cases=tuple(cases(draws)),
        mistakes=MISTAKES,
        combine=("own", "past"),
        errors={
            "not implemented for": TYPES,
            "ambiguous": TYPES,
            "must match": "the decoder's mask is made of the target alone: "
            "its triangle is (T, T), as long as the target (no buffer of a "
            "fixed length), its padding that of the target",
        },
        through=first_wrong,
        guess=guess,
    )


check_masks_for = check(exercise)
