"""Check of an encoder layer, pre-norm.

Dimension letters:
    B batch, S source length, D = d_model.
"""

from attnbook.checks.encoder_decoder.layer_judge import check, stream, words
from attnbook.checks.encoder_decoder.layer_mistakes import ENCODER, Plan
from attnbook.checks.engine.draws import make_check


def encoder_layer(x, mask, parts):
    """Compute what is right."""
    y = parts.norm_1(x)
    x = x + parts.self_attention(y, y, y, mask)[0]
    return x + parts.feed_forward(parts.norm_2(x))


def encoder_case(draws, sizes):
    """Return tensors, masks, how to arrange them, and the plan's parts."""
    batch, _, length, d_model, dtype, factor = sizes
    x = factor * stream(draws, batch, length, d_model, dtype, 0)  # (B, S, D)
    mask = words(draws, batch, length)  # (B, 1, 1, S)
    mask = mask.flip(0, -1) if factor < 1 else mask  # padded on the left

    def arrange(parts):
        return lambda x, mask: (x, mask, parts)

    plan = Plan(ENCODER, {"x": x}, {"self_attention": mask})
    return [x], [mask], arrange, plan


@make_check
def check_encoder_layer(answer, draws):
    """Check exercise ``encoder_layer(x, mask, parts)``.

    Its argument is a function of the stream x, (B, S, D), a bool mask that is
    broadcastable to (B, H, S, S), and parts with self_attention, feed_forward,
    norm_1 and norm_2; it returns (B, S, D).  The check returns a `Verdict`,
    prints it too, and never raises.
    """
    check(answer, encoder_layer, encoder_case, draws)
