"""Check of an encoder: layers one after the other, and the final norm.

Dimension letters:
    B batch, S source length, D = d_model.
"""

import torch

from attnbook.checks.encoder_decoder.encoder_layer.check import encoder_layer
from attnbook.checks.encoder_decoder.parts import (
    ALONE,
    DIFFER,
    ERRORS,
    F32,
    F64,
    LARGE,
    OTHER,
    cases,
    guess,
    make_parts,
    random_norm,
    require_tensors,
    stream,
    words,
)
from attnbook.checks.engine.exercise import Exercise, check
from attnbook.checks.engine.steps import table

SIZES = {  # what to say when the answer fails: B, S, D, N, type, factor
    "": (3, 5, 6, 3, F32, 1.0),
    "right for three layers, but not for one: ": (3, 5, 6, 1, F32, 1.0),
    "right for three layers, but not for thirteen: ": (2, 5, 6, 13, F32, 1.0),
    "right while all sizes differ, but not when B = S = D: ": (
        (4, 4, 4, 2, F32, 1.0)
    ),
    ALONE: (1, 5, 6, 2, F32, 1.0),
    "right for several words, but not for one: ": (3, 1, 6, 2, F32, 1.0),
    "right for float32, but not for float64: ": (2, 5, 6, 3, F64, 1.0),
    LARGE: (2, 4, 6, 2, F32, 1000.0),
    OTHER: (3, 5, 6, 3, F32, 0.5),
}


def encoder(x, mask, layers, norm):
    """Compute the memory, (B, S, D), from the embedded source x, (B, S, D).

    mask is a bool mask, layers is a list of functions of (x, mask) that return
    the new stream, and norm is a function of the stream.
    """
    order = layers
    for layer in order:
        x = layer(x, mask)
    memory = norm(x)
    return memory


MISTAKES = table("""
    memory = x
        the stream from before the final norm comes back: in pre-norm nothing
        inside the layers holds the size of the stream, so the norm that you
        are given stands at the end, and its result is the memory
    memory = x + norm(x)
        you add the stream to the normed stream; return the norm of it
    memory = F.layer_norm(x, x.shape[-1:])
    memory = (x - x.mean(-1, keepdim=True)) / x.std(-1, keepdim=True)
        the memory is normed, but not by the norm that you are given, which has
        a gain and a bias of its own
    memory = norm(norm(x))
        the norm is called twice; once, last
    memory = norm(x / len(layers))
        the norm gets the stream divided by the number of layers; pass it on as
        it is
    x = layer(norm(x) if layer is layers[0] else x, mask); memory = x
        the first layer gets a normed stream; the norm comes at the end, and
        each layer has its own norms
    x = layer(norm(x) if layer is layers[-1] else x, mask); memory = x
        the last layer gets a normed stream; the norm comes after it, and each
        layer has its own norms
    x = norm(layer(x, mask)); memory = x
    x = norm(layer(x, mask))
    x = layer(norm(x), mask)
    x = layer(norm(x), mask); memory = x
        the layers get a normed stream; each layer has its own norms, and the
        last norm comes at the end, once
    x = x + layer(x, mask)
        you add the stream around each layer; a layer holds its residuals, so
        what it returns is the new stream
    x = layer(x, mask) / 2
        the stream is changed on the way; pass it on as it is
    x = layer(x)
        the layers are called without the mask
    x = layer(x, mask[:1])
        every sentence gets the mask of the first one; each has its own pads
    x = layer(x, mask if layer is layers[0] else None)
        only the first layer gets the mask
    x = layer(x * mask[:, 0, 0, :, None])
    x = layer(x * mask[:, 0, 0, :, None] if layer is layers[0] else x)
        the layers get pads that were set to 0, and no mask; a key of zeros is
        read too, so pass the stream as it is, and the mask
    order = layers[::-1]
        the layers are called in reverse order
    order = [*layers[1:2], *layers[:1], *layers[2:]]
        two layers are exchanged; go from the first to the last
    order = layers[:1] * len(layers)
        the first layer is called for all, the others never; every layer has
        parameters of its own
    order = layers[-1:] * len(layers)
        the last layer is called for all, the others never; every layer has
        parameters of its own
    order = layers[:-1]
        the last layer is never called
    order = layers[1:]
        the first layer is never called
    order = layers[:1]
        only the first layer counts; is the return inside the loop?
    order = layers[-1:]
        only the last layer counts, and it gets x; each gets what the layer
        before it returns
    order = [*layers, *layers]
        a layer is called more than once; all layers once, in order
""")


def exercise(draws):
    """Return the exercise with its inputs."""

    def layer_of(number, d_model):
        """Return a layer as a function of the stream and a mask."""
        parts = make_parts(draws, d_model, "self_attention", seed=20 + number)

        def layer(x, mask=None):
            require_tensors("a layer", x)
            if x.dtype == torch.bool:
                raise TypeError("a layer got the mask first")
            return encoder_layer(x, mask, parts)

        return layer

    def inputs(batch, length, d_model, count, dtype, factor):
        x = factor * stream(draws, batch, length, d_model, dtype, 2)
        mask = words(draws, batch, length)  # (B, 1, 1, S)
        mask = mask.flip(0, -1) if factor < 1 else mask  # padded on the left
        layers = [layer_of(number, d_model) for number in range(count)]
        return x, mask, layers, random_norm(d_model, draws.seeded(12))

    made = tuple(cases(inputs, SIZES))
    return Exercise(
        right=encoder,
        returns={"the memory": "B S D"},
        takes=("B S D", "", "", ""),
        cases=made,
        mistakes=MISTAKES,
        combine=("x", "memory"),
        errors=ERRORS,
        guess=guess,
        differ=DIFFER,
        trains=(("", made[0].inputs),),
    )


check_encoder = check(exercise)
