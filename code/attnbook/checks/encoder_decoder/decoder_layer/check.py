"""Check of a decoder layer, pre-norm.

Dimension letters:
    B batch, T target length, S source length, D = d_model.
"""

import torch

from attnbook.checks.encoder_decoder.parts import (
    DIFFER,
    ERRORS,
    SIZES,
    cases,
    guess,
    make_parts,
    stream,
    words,
)
from attnbook.checks.engine.exercise import Exercise, check
from attnbook.checks.engine.steps import table


def decoder_layer(x, memory, masks, parts):
    """Compute the stream after a layer, (B, T, D), from the one before, x.

    memory is (B, S, D), masks are two bool masks, of self- and
    cross-attention, and parts has self_attention, cross_attention,
    feed_forward and norm_1 to norm_3.
    """
    y_1 = parts.norm_1(x)
    own = parts.self_attention(y_1, y_1, y_1, masks[0])[0]
    x_1 = x + own
    y_2 = parts.norm_2(x_1)
    read = parts.cross_attention(y_2, memory, memory, masks[1])[0]
    x_2 = x_1 + read
    y_3 = parts.norm_3(x_2)
    fed = parts.feed_forward(y_3)
    result = x_2 + fed
    return result


MISTAKES = table("""
    x_1 = own
        no residual around self_attention: add the stream
    x_2 = read
        no residual around cross_attention: add the stream
    result = fed
        no residual around feed_forward: add the stream
    x_1 = y_1 + own
        the residual around self_attention adds the normed stream; add the
        stream as it was before the norm
    x_2 = y_2 + read
        the residual around cross_attention adds the normed stream; add the
        stream as it was before the norm
    result = y_3 + fed
        the residual around feed_forward adds the normed stream; add the stream
        as it was before the norm
    x_2 = x + read
        the residual around cross_attention adds the first x; add the stream as
        self_attention left it
    result = x + fed
        the residual around feed_forward adds the first x; add the stream as
        cross_attention left it
    x_1 = x
        the stream is without what self_attention returns
    x_2 = x_1
        the stream is without what cross_attention returns; then the target
        never reads the source
    x_2 = x_1; y_3 = parts.norm_2(x_1)
        cross_attention is never called; then the target never reads the source
    result = x_2
        the stream is without what feed_forward returns
    y_2 = parts.norm_2(x)
        cross_attention reads the stream from before self_attention, without
        what self_attention returns
    y_3 = parts.norm_3(x_1)
        feed_forward reads the stream from before cross_attention, without what
        cross_attention returns
    y_1 = x
        self_attention reads the stream without norm_1
    y_2 = x_1
        cross_attention asks with the stream without norm_2
    y_2 = y_1
        cross_attention asks with what norm_1 made before self_attention; norm
        the stream again, with norm_2
    y_3 = y_2
        feed_forward reads what norm_2 made before cross_attention; norm the
        stream again, with norm_3
    y_3 = x_2
        feed_forward reads the stream without norm_3
    y_2 = parts.norm_1(x_1)
        norm_1 stands before cross_attention, where norm_2 belongs; every
        sublayer has a norm of its own
    y_3 = parts.norm_1(x_2)
        norm_1 stands before feed_forward, where norm_3 belongs; every sublayer
        has a norm of its own
    y_3 = parts.norm_2(x_2)
        norm_2 stands before feed_forward, where norm_3 belongs; every sublayer
        has a norm of its own
    y_1 = parts.norm_2(x)
        norm_2 stands before self_attention, where norm_1 belongs; every
        sublayer has a norm of its own
    y_2 = parts.norm_3(x_1)
        norm_3 stands before cross_attention, where norm_2 belongs; every
        sublayer has a norm of its own
    y_1 = x; x_1 = parts.norm_1(x + own); y_2 = x_1; \
    x_2 = parts.norm_2(x_1 + read); y_3 = x_2; result = parts.norm_3(x_2 + fed)
        all norms come after their sublayers, as in post-norm; in pre-norm a
        sublayer reads the normed stream, and the sum is not normed
    y_1 = x; own = parts.norm_1(parts.self_attention(x, x, x, masks[0])[0])
        norm_1 gets what self_attention returns; in pre-norm it comes before
        its sublayer, which reads the normed stream
    y_2 = x_1; read = \
    parts.norm_2(parts.cross_attention(x_1, memory, memory, masks[1])[0])
        norm_2 gets what cross_attention returns; in pre-norm it comes before
        its sublayer, which reads the normed stream
    y_3 = x_2; fed = parts.norm_3(parts.feed_forward(x_2))
        norm_3 gets what feed_forward returns; in pre-norm it comes before its
        sublayer, which reads the normed stream
    result = parts.norm_3(x_2 + fed)
        norm_3 is called twice: the sum at the end is not normed
    own = parts.self_attention(y_1, y_1, y_1)[0]
        self_attention is called without its mask
    own = parts.self_attention(y_1, y_1, y_1, masks[0][:1])[0]
        self_attention gets the mask of the first sentence for all; each
        sentence has its own pads
    own = parts.self_attention(y_1, y_1, y_1, \
    torch.ones(x.size(1), x.size(1), dtype=torch.bool).tril())[0]
        self_attention gets the triangle alone; its mask hides the pads too
    own = parts.self_attention(y_1, y_1, x, masks[0])[0]
        the values of self_attention are made of the stream without norm_1
    own = parts.self_attention(y_1, x, y_1, masks[0])[0]
        the keys of self_attention are made of the stream without norm_1
    own = parts.self_attention(x, y_1, y_1, masks[0])[0]
        the queries of self_attention are made of the stream without norm_1
    own = parts.self_attention(y_1, memory, memory, masks[1])[0]
        keys and values of self_attention come from the memory; that is cross
    read = parts.cross_attention(y_2, memory, memory)[0]
        cross_attention is called without its mask
    read = parts.cross_attention(y_2, memory, memory, masks[1][:1])[0]
        cross_attention gets the mask of the first sentence for all; each
        sentence has its own pads
    read = parts.cross_attention(y_2, y_2, y_2, masks[0])[0]
        keys and values of cross_attention are made of the target, so the
        source is never read; they come from the memory
    own = parts.self_attention(y_1, memory, memory, masks[1])[0]; \
    y_2 = parts.norm_2(x + own); \
    read = parts.cross_attention(y_2, y_2, y_2, masks[0])[0]
        self_attention reads the memory and cross_attention the target; they
        are exchanged
    read = parts.self_attention(y_2, memory, memory, masks[1])[0]
        self_attention is called in the place of cross_attention, which has
        matrices of its own
    read = parts.cross_attention(y_2, *[parts.norm_2(memory)] * 2, masks[1])[0]
        norm_2 gets the memory; leave the memory as it is, the encoder's last
        norm has normed it
    y_1 = x + parts.cross_attention(parts.norm_2(x), memory, memory, \
    masks[1])[0]; x_2 = y_1 + parts.self_attention(*[parts.norm_1(y_1)] * 3, \
    masks[0])[0]
        cross_attention comes before self_attention; the order is
        self_attention, then cross_attention, then feed_forward
    y_2 = x_1 + parts.feed_forward(parts.norm_3(x_1)); result = y_2 + \
    parts.cross_attention(parts.norm_2(y_2), memory, memory, masks[1])[0]
        feed_forward comes before cross_attention; the order is self_attention,
        then cross_attention, then feed_forward
    result = (x_2 + fed) / 2
        the result is half of what it should be; a residual adds and takes no
        mean
""")


def exercise(draws):
    """Return the exercise with its inputs."""

    def inputs(batch, length, source, d_model, dtype, factor):
        x = factor * stream(draws, batch, length, d_model, dtype, 0)
        memory = factor * stream(draws, batch, source, d_model, dtype, 1)
        past = torch.ones(length, length, dtype=torch.bool).tril()
        own = words(draws, batch, length) & past  # (B, 1, T, T)
        cross = words(draws, batch, source, turn=1)  # (B, 1, 1, S)
        if factor < 1:  # another mask of the same shape
            own, cross = own.flip(0), cross.flip(0, -1)
        names = "self_attention", "cross_attention"
        return x, memory, (own, cross), make_parts(draws, d_model, *names)

    made = tuple(cases(inputs, SIZES))
    return Exercise(
        right=decoder_layer,
        returns={"the stream": "B T D"},
        takes=("B T D", "B S D", "", ""),
        cases=made,
        mistakes=MISTAKES,
        combine=("y_1", "y_2", "y_3", "x_1", "x_2", "read", "result"),
        errors=ERRORS,
        guess=guess,
        differ=DIFFER,
        trains=(("", made[0].inputs),),
    )


check_decoder_layer = check(exercise)
