"""Checks of a padding mask and of the three masks of an encoder-decoder.

Dimension letters:
    B batch, H heads, T target length, S source length.
"""

import torch

from attnbook.checks.calling import SQUEEZED, call, lost_axis
from attnbook.checks.masks_judge import (
    call_for_three,
    judge,
    require_mask,
    spread,
)
from attnbook.checks.masks_mistakes import (
    wrong_cross,
    wrong_decoders,
    wrong_encoders,
)
from attnbook.checks.padding_mistakes import wrong_paddings
from attnbook.checks.verdict import Mistake, checker

NAMES = ("encoder", "decoder", "cross-attention")
H = 6  # no other size is 6, so a mask cannot fit the heads by accident


def sentences(words, length, pad, first=11, front=False):
    """Return token ids, int64, (B, length), padded with one id.

    The words are ids from `first` on; with `front` the pads come first.
    """
    rows = []
    for b, count in enumerate(words):
        row = [first + (3 * b + i) % 8 for i in range(count)]
        pads = [pad] * (length - count)
        rows.append(pads + row if front else row + pads)
    return torch.tensor(rows)


def with_word(tokens, word):
    """Return the tokens with an id in the place of every first one."""
    tokens = tokens.clone()
    tokens[:, 0] = word
    return tokens


def scattered(x):
    """Return the same numbers, lying in memory in another order."""
    return x.t().contiguous().t()


PADDING = (
    ("", with_word(sentences((3, 5, 2), 5, 7), 0), 7),
    ("right for one padding id, but not for others: ",
     with_word(sentences((4, 2, 7), 7, 3), 0), 3),
    ("right while ids are above the padding id, but not below: ",
     sentences((3, 2), 4, 50), 50),
    ("right, but not when as many sentences as tokens (do the same at every "
     "size): ", sentences((4, 2, 1, 3), 4, 0), 0),
    ("right when pads come last, but not when they come first: ",
     sentences((2, 4, 3), 5, 9, front=True), 9),
    ("right, but not without any pad: ", sentences((4, 4), 4, 9), 9),
    ("right, but not for one token: ", sentences((1,), 1, 9), 9),
    ("right for int64 ids, but not for int32 ones that lie in memory in "
     "another order: ", scattered(sentences((5, 2, 3), 5, 7).int()), 7),
)  # fmt: skip


@checker
def check_padding_mask(answer):
    """Check exercise ``padding_mask(tokens, pad_id)``.

    Args:
        answer: a function of token ids, int, (B, S), and the padding id
            that returns a bool mask, (B, 1, 1, S), True at words.

    Returns:
        A `Verdict`; the check prints it too, and never raises.
    """
    for prefix, tokens, pad in PADDING:
        try:
            mask = call(answer, tokens, pad)
            require_mask(mask, "the mask", tokens)
            right = (tokens != pad)[:, None, None]  # (B, 1, 1, S)
            b, s = tokens.shape
            wrong = wrong_paddings(tokens, pad)
            name, shape = "the mask", "(B, 1, 1, S)"
            judge(mask, right, (b, H, s, s), wrong, name, shape)
            # The queries of cross-attention are not as many as the keys.
            judge(mask, right, (b, H, s + 4, s), wrong, name, shape)
            if lost_axis(mask, right.shape):
                raise Mistake(f"the mask: {SQUEEZED}")
            if mask.shape != right.shape:
                raise Mistake(
                    f"the mask: its shape is {tuple(mask.shape)}; make it "
                    f"(B, 1, 1, S), here {tuple(right.shape)}"
                )
        except Mistake as mistake:
            raise Mistake(f"{prefix}{mistake}") from None


def both(source, target, source_pad, target_pad):
    """Put the other side's padding id among the words of each side."""
    source = torch.where(source == 12, target_pad, source)
    target = torch.where(target == 13, source_pad, target)
    return source, target, source_pad, target_pad


STAGES = (
    ("", both(sentences((3, 5, 2), 5, 0), sentences((3, 4, 1), 4, 9), 0, 9)),
    ("right for one pair of padding ids, but not for others: ",
     both(sentences((3, 7), 7, 8), sentences((5, 3), 5, 1), 8, 1)),
    ("right while all sizes differ, but not when B = S = T (do the same at "
     "every size): ",
     both(sentences((4, 2, 3, 1), 4, 0), sentences((3, 4, 1, 2), 4, 9), 0, 9)),
    ("right, but not when both sides have the same padding id: ",
     (sentences((3, 5), 5, 0), sentences((4, 2), 4, 0), 0, 0)),
    ("right with pads, but not in a batch without any: ",
     (sentences((5, 5), 5, 0), sentences((3, 3), 3, 9), 0, 9)),
    ("right, but not for one sentence of one token: ",
     (sentences((1,), 1, 0), sentences((1,), 1, 9), 0, 9)),
    ("right, but not when the source is padded in front: ",
     (sentences((2, 4, 3), 5, 0, front=True), sentences((4, 1, 2), 4, 9),
      0, 9)),
    ("right for int64 ids, but not for int32 ones that lie in memory in "
     "another order: ",
     (scattered(sentences((5, 2), 5, 0).int()),
      scattered(sentences((4, 3), 4, 9).int()), 0, 9)),
)  # fmt: skip


def three_of(masks, like):
    """Return what the answer returned, if it is three bool tensors."""
    several = isinstance(masks, (tuple, list))
    if not several or len(masks) != 3:
        got = f"{len(masks)} things" if several else type(masks).__name__
        raise Mistake(
            "return three masks, of the encoder, of the decoder and of "
            f"cross-attention, in this order; you return {got}"
        )
    for mask, name in zip(masks, NAMES, strict=True):
        require_mask(mask, name, like)
    return masks


def require_order(masks, own):
    """Refuse the decoder's mask in another place than its own."""
    first, second, third = (spread(mask, own.shape) for mask in masks)
    if second is not None and torch.equal(second, own):
        return
    for other in (first, third):
        if other is not None and torch.equal(other, own):
            raise Mistake(
                "the decoder's mask stands in the wrong place; the order is "
                "encoder, decoder, cross-attention"
            )


def judge_three(answer, inputs):
    """Raise a mistake in the three masks for these inputs."""
    source, target, source_pad, target_pad = inputs
    masks = three_of(call_for_three(answer, inputs), source)
    (b, s), t = source.shape, target.size(1)
    words = (source != source_pad)[:, None, None]  # (B, 1, 1, S)
    past = torch.ones(t, t, dtype=torch.bool).tril()
    own = (target != target_pad)[:, None, None] & past  # (B, 1, T, T)
    if s != t:
        require_order(masks, own.expand(b, H, t, t))
    full = ((b, H, s, s), (b, H, t, t), (b, H, t, s))
    right = (words, own, words)
    shapes = ("(B, 1, 1, S)", "(B, 1, T, T)", "(B, 1, 1, S)")
    tables = (wrong_encoders, wrong_decoders, wrong_cross)
    for i, name in enumerate(NAMES):
        wrong = tables[i](*inputs)
        judge(masks[i], right[i], full[i], wrong, name, shapes[i])


@checker
def check_masks_for(answer):
    """Check exercise ``masks_for(source, target, source_pad, target_pad)``.

    Args:
        answer: a function of source ids, int, (B, S), target ids, int,
            (B, T), and their padding ids that returns the bool masks of
            the encoder, of the decoder and of cross-attention.

    Returns:
        A `Verdict`; the check prints it too, and never raises.
    """
    for prefix, inputs in STAGES:
        try:
            judge_three(answer, inputs)
        except Mistake as mistake:
            raise Mistake(f"{prefix}{mistake}") from None
