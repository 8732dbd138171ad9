"""Other masks of an encoder-decoder than those of exercise 10.5.

Dimension letters:
    B batch, T length of a target, S length of a source.
"""

import torch

from attnbook.checks.engine.rules import Rule, RuleMistake
from attnbook.checks.engine.verdict import Hint
from attnbook.checks.masks.mask_kinds import GAPS, each, gaps_hidden, kinds
from attnbook.checks.masks.masks_for.check import masks_for

SIGNATURE = "`masks_for(source, target, source_pad, target_pad)`"
FIRST_LINE = "masks_for(source, target, source_pad, target_pad):"
MASKS = "Return three bool masks, True = may attend: "
ORDER = "of the encoder's self-attention, of the decoder's, of cross-attention"
JOINED = "spoken & past"


def reordered(*places):
    """Return an adapter of three masks in another order.

    Args:
        places: where encoder, decoder and cross-attention stand.
    """

    def adapt(answer):
        def run(*inputs):
            result = answer(*inputs)
            three = isinstance(result, (tuple, list)) and len(result) == 3
            return tuple(result[i] for i in places) if three else result

        return run

    return adapt


def with_heads(mask, name):
    """Return a mask with an axis for the heads."""
    if not isinstance(mask, torch.Tensor):
        return mask
    if mask.dim() != 3:
        raise RuleMistake(
            "{} must have three axes, for scores (B, T, S) without "
            "heads; yours has the shape {}",
            Hint(name),
            tuple(mask.shape),
        )
    return mask.unsqueeze(1)


BOTH_GAP = Rule(
    name="gap",
    text=(("The target is padded at the end.", "The target is padded at the "
           "end. On both sides the id {value} marks a gap: as a key, it is "
           "hidden like padding."),),
    code=(("    words = ",
           "    source = source.masked_fill(source == {value}, source_pad)\n"
           "    target = target.masked_fill(target == {value}, target_pad)\n"
           "    words = "),),
    adapt=gaps_hidden(masks_for, 2),
    page="here the id {value} is hidden as well",
    seen="for tokens without the id {value}",
    values=GAPS,
)  # fmt: skip
DECODER_FIRST = Rule(
    name="decoder-first",
    text=((ORDER, "of the decoder's self-attention, of the encoder's, of "
           "cross-attention"),),
    code=(
        ("(encoder, decoder, cross)", "(decoder, encoder, cross)"),
        ("return words, ", "return "),
        (", words\n", ", words, words\n"),
    ),
    adapt=reordered(1, 0, 2),
    page="here the decoder's mask comes first",
    seen="with its masks in the page's order",
)  # fmt: skip
DECODER_LAST = Rule(
    name="decoder-last",
    text=((ORDER, "of the encoder's self-attention, of cross-attention, of "
           "the decoder's self-attention"),),
    code=(
        ("(encoder, decoder, cross)", "(encoder, cross, decoder)"),
        ("return words, ", "return words, words, "),
        (", words\n", "\n"),
    ),
    adapt=reordered(0, 2, 1),
    page="here the decoder's mask comes last",
    seen="with its masks in the page's order",
)  # fmt: skip
NO_HEADS = Rule(
    name="no-heads",
    text=(("Each must be broadcastable to its scores.", "The scores have no "
           "axis of heads here, (B, T, S), so each mask has three axes and "
           "is broadcastable to its scores."),),
    code=(
        ("[:, None, None, :]  # (B, 1, 1, S)", "[:, None, :]  # (B, 1, S)"),
        ("[:, None, None, :]  # (B, 1, 1, T)", "[:, None, :]  # (B, 1, T)"),
    ),
    adapt=lambda answer: each(answer, with_heads),
    page="here masks have three axes",
    seen="with an axis for the heads in each mask",
)  # fmt: skip
BOTH_LENGTH_FIRST = Rule(
    name="length-first",
    text=(("`source` is (B, S) and `target` is (B, T)", "`source` is (S, B) "
           "and `target` is (T, B)"),),
    code=(
        ("[:, None, None, :]  # (B, 1, 1, S)",
         ".t()[:, None, None, :]  # (B, 1, 1, S)"),
        ("[:, None, None, :]  # (B, 1, 1, T)",
         ".t()[:, None, None, :]  # (B, 1, 1, T)"),
        ("target.size(1)", "target.size(0)"),
    ),
    adapt=lambda answer: lambda source, target, *pads: answer(
        source.t(), target.t(), *pads
    ),
    page="here tokens are (S, B) and (T, B)",
)  # fmt: skip
TARGET_FIRST = Rule(
    name="target-first",
    text=((SIGNATURE, "`masks_for(target, source, target_pad, source_pad)`"),),
    code=((FIRST_LINE, "masks_for(target, source, target_pad, source_pad):"),),
    adapt=lambda answer: lambda s, t, sp, tp: answer(t, s, tp, sp),
    page="here the target and its padding come before the source's",
)
PADS_BETWEEN = Rule(
    name="pads-between",
    text=((SIGNATURE, "`masks_for(source, source_pad, target, target_pad)`"),),
    code=((FIRST_LINE, "masks_for(source, source_pad, target, target_pad):"),),
    adapt=lambda answer: lambda s, t, sp, tp: answer(s, sp, t, tp),
    page="here each padding follows its tokens",
)
MASKS_FOR = (
    (BOTH_GAP,),
    (DECODER_FIRST, DECODER_LAST),
    kinds(
        MASKS,
        lambda kind, what: f"Return three {kind} masks, {what}: ",
        {
            "hidden": (("source != source_pad", "source == source_pad"),
                       ("target != target_pad", "target == target_pad"),
                       ("] <= place[", "] > place["),
                       (": key <= query", ": key > query"),
                       (JOINED, "spoken | past")),
            "ones": (("(source != source_pad)",
                      "(source != source_pad).long()"),
                     (JOINED, "(spoken & past).long()")),
            "added": (("(source != source_pad)",
                       "torch.where(source != source_pad, 0.0, {value})"),
                      (JOINED, "torch.where(spoken & past, 0.0, {value})")),
        },
    ),
    (NO_HEADS, BOTH_LENGTH_FIRST),
    (TARGET_FIRST, PADS_BETWEEN),
)  # fmt: skip

RULES = {"10.5": MASKS_FOR}
