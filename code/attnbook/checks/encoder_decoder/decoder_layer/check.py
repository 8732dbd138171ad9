"""Check of a decoder layer, pre-norm.

Dimension letters:
    B batch, T target length, S source length, D = d_model.
"""

import torch

from attnbook.checks.encoder_decoder.layer_judge import check, stream, words
from attnbook.checks.encoder_decoder.layer_mistakes import DECODER, Plan
from attnbook.checks.engine.draws import make_check


def decoder_layer(x, memory, masks, parts):
    """Compute what is right."""
    y = parts.norm_1(x)
    x = x + parts.self_attention(y, y, y, masks[0])[0]
    y = parts.norm_2(x)
    x = x + parts.cross_attention(y, memory, memory, masks[1])[0]
    return x + parts.feed_forward(parts.norm_3(x))


def decoder_case(draws, sizes):
    """Return tensors, masks, how to arrange them, and the plan's parts."""
    batch, length, source, d_model, dtype, factor = sizes
    x = factor * stream(draws, batch, length, d_model, dtype, 0)  # (B, T, D)
    memory = stream(draws, batch, source, d_model, dtype, 1)  # (B, S, D)
    memory = factor * memory
    past = torch.ones(length, length, dtype=torch.bool).tril()
    own = words(draws, batch, length) & past  # (B, 1, T, T)
    cross = words(draws, batch, source).flip(0)  # (B, 1, 1, S)
    if factor < 1:  # another mask of the same shape
        own, cross = own.flip(0), cross.flip(0, -1)

    def arrange(parts):
        return lambda x, memory, own, cross: (x, memory, (own, cross), parts)

    masks = {"self_attention": own, "cross_attention": cross}
    plan = Plan(DECODER, {"x": x, "memory": memory}, masks)
    return [x, memory], [own, cross], arrange, plan


@make_check
def check_decoder_layer(answer, draws):
    """Check exercise ``decoder_layer(x, memory, masks, parts)``.

    Its argument is a function of the stream x, (B, T, D), the memory, (B, S,
    D), two bool masks, of self- and cross-attention, and parts with
    self_attention, cross_attention, feed_forward and norm_1 to norm_3; it
    returns (B, T, D).  The check returns a `Verdict`, prints it too, and never
    raises.
    """
    check(answer, decoder_layer, decoder_case, draws)
