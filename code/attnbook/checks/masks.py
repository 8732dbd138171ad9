"""Checks of a padding mask and of the three masks of an encoder-decoder.

Dimension letters:
    B batch, H heads, T target length, S source length.
"""

import torch

from attnbook.checks.engine.calling import SQUEEZED, call, lost_axis
from attnbook.checks.engine.verdict import Mistake, checker
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
from attnbook.checks.masks_stages import PADDING, STAGES
from attnbook.checks.padding_mistakes import wrong_paddings

NAMES = ("encoder", "decoder", "cross-attention")
H = 6  # no other size is 6, so a mask cannot fit the heads by accident


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
