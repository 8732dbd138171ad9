"""Check of an encoder layer, pre-norm.

Dimension letters:
    B batch, S source length, D = d_model.
"""

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


def encoder_layer(x, mask, parts):
    """Compute the stream after a layer, (B, S, D), from the one before, x.

    mask is a bool mask that is broadcastable to (B, H, S, S), and parts has
    self_attention, feed_forward, norm_1 and norm_2.
    """
    y_1 = parts.norm_1(x)
    read = parts.self_attention(y_1, y_1, y_1, mask)[0]
    middle = x + read
    y_2 = parts.norm_2(middle)
    fed = parts.feed_forward(y_2)
    result = middle + fed
    return result


MISTAKES = table("""
    middle = read
        no residual around self_attention: add the stream
    result = fed
        no residual around feed_forward: add the stream
    middle = y_1 + read
        the residual around self_attention adds the normed stream; add the
        stream as it was before the norm
    result = y_2 + fed
        the residual around feed_forward adds the normed stream; add the stream
        as it was before the norm
    result = x + fed
        the residual around feed_forward adds the first x; add the stream as
        self_attention left it
    result = x + middle + fed
        you add the first x once more; it is in the stream already
    middle = x + read + read
        what self_attention returns is added twice
    middle = x
        the stream is without what self_attention returns; then no word reads
        another one
    result = middle
        the stream is without what feed_forward returns
    y_2 = parts.norm_2(x)
        feed_forward reads the stream from before self_attention, without what
        self_attention returns
    y_2 = parts.norm_2(x); result = x + fed
        the stream is without what self_attention returns; then no word reads
        another one
    y_2 = parts.norm_1(middle)
        norm_1 stands before feed_forward, where norm_2 belongs; every sublayer
        has a norm of its own, with its own gain and bias
    y_1 = parts.norm_2(x)
        norm_2 stands before self_attention, where norm_1 belongs; every
        sublayer has a norm of its own, with its own gain and bias
    y_1 = x
        self_attention reads the stream without norm_1
    y_2 = middle
        feed_forward reads the stream without norm_2
    y_1 = x; middle = parts.norm_1(x + read)
        norm_1 comes after self_attention, as in post-norm; in pre-norm the
        sublayer reads the normed stream, and the sum is not normed
    y_2 = middle; result = parts.norm_2(middle + fed)
        norm_2 comes after feed_forward, as in post-norm; in pre-norm the
        sublayer reads the normed stream, and the sum is not normed
    y_1 = x; read = parts.norm_1(parts.self_attention(x, x, x, mask)[0])
        norm_1 gets what self_attention returns; in pre-norm it comes before
        its sublayer, which reads the normed stream
    y_2 = middle; fed = parts.norm_2(parts.feed_forward(middle))
        norm_2 gets what feed_forward returns; in pre-norm it comes before its
        sublayer, which reads the normed stream
    y_1 = x; read = parts.norm_1(parts.self_attention(x, x, x, mask)[0]); \
    middle = x + read; y_2 = middle; \
    fed = parts.norm_2(parts.feed_forward(middle))
        both norms get what their sublayers return; in pre-norm they come
        before them, and the sublayers read the normed stream
    y_1 = x; middle = parts.norm_1(x + read); y_2 = middle; \
    result = parts.norm_2(middle + fed)
        both norms come after their sublayers, as in post-norm; in pre-norm a
        sublayer reads the normed stream, and the sum is not normed
    read = parts.self_attention(y_1, y_1, y_1)[0]
        self_attention is called without its mask
    read = parts.self_attention(y_1, y_1, y_1, mask[:1])[0]
        every sentence gets the mask of the first one; each has its own pads
    read = parts.self_attention(y_1, y_1, y_1, mask & \
    torch.ones(x.size(1), x.size(1), dtype=torch.bool).tril())[0]
        self_attention gets a causal mask; in the encoder a word may read the
        words behind it too
    read = parts.self_attention(y_1, y_1, x, mask)[0]
        the values of self_attention are made of the stream without norm_1
    read = parts.self_attention(y_1, x, y_1, mask)[0]
        the keys of self_attention are made of the stream without norm_1
    read = parts.self_attention(x, y_1, y_1, mask)[0]
        the queries of self_attention are made of the stream without norm_1
    read = parts.self_attention(y_1, x, x, mask)[0]
        keys and values of self_attention are made of the stream without norm_1
    y_1 = x + parts.feed_forward(parts.norm_2(x)); read = \
    parts.self_attention(*[parts.norm_1(y_1)] * 3, mask)[0]; \
    result = y_1 + read
        feed_forward comes before self_attention; the order is self_attention,
        then feed_forward
    result = (middle + fed) / 2
        the result is half of what it should be; a residual adds and takes no
        mean
""")


def exercise(draws):
    """Return the exercise with its inputs."""

    def inputs(batch, _, length, d_model, dtype, factor):
        x = factor * stream(draws, batch, length, d_model, dtype, 0)
        mask = words(draws, batch, length)  # (B, 1, 1, S)
        mask = mask.flip(0, -1) if factor < 1 else mask  # padded on the left
        return x, mask, make_parts(draws, d_model, "self_attention")

    made = tuple(cases(inputs, SIZES))
    return Exercise(
        right=encoder_layer,
        returns={"the stream": "B S D"},
        takes=("B S D", "", ""),
        cases=made,
        mistakes=MISTAKES,
        combine=("y_1", "y_2", "middle", "fed", "result"),
        errors=ERRORS,
        guess=guess,
        differ=DIFFER,
        trains=(("", made[0].inputs),),
    )


check_encoder_layer = check(exercise)
