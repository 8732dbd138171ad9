"""Check of an encoder: layers one after the other, and the final norm.

Dimension letters:
    B batch, S source length, D = d_model.
"""

import torch

from attnbook.checks.encoder_decoder.encoder.mistakes import (
    find_mistake,
    wrong_inputs,
)
from attnbook.checks.encoder_decoder.encoder_layer.check import encoder_layer
from attnbook.checks.encoder_decoder.layer_gradients import judge_gradients
from attnbook.checks.encoder_decoder.layer_judge import (
    ALONE,
    LARGE,
    OTHER,
    stream,
    words,
)
from attnbook.checks.encoder_decoder.spies import (
    Bound,
    Call,
    Log,
    kept,
    make_parts,
    random_norm,
    run,
    spied,
)
from attnbook.checks.engine.calling import (
    LOST,
    SQUEEZED,
    check_tensor,
    close,
    lost_axis,
)
from attnbook.checks.engine.draws import make_check
from attnbook.checks.engine.verdict import Mistake

F32, F64 = torch.float32, torch.float64
EQUAL = "right while all sizes differ, but not when B = S = D: "
STAGES = {  # what to say when the answer fails: B, S, D, N, type, factor
    "": (3, 5, 6, 3, F32, 1.0),
    "right for three layers, but not for one: ": (3, 5, 6, 1, F32, 1.0),
    "right for three layers, but not for thirteen: ": (2, 5, 6, 13, F32, 1.0),
    EQUAL: (4, 4, 4, 2, F32, 1.0),
    ALONE: (1, 5, 6, 2, F32, 1.0),
    "right for several words, but not for one: ": (3, 1, 6, 2, F32, 1.0),
    "right for float32, but not for float64: ": (2, 5, 6, 3, F64, 1.0),
    LARGE: (2, 4, 6, 2, F32, 1000.0),
    OTHER: (3, 5, 6, 3, F32, 0.5),
}


def spied_layer(draws, number, log, d_model):
    """Return a layer that writes its calls down."""
    parts = make_parts(
        draws, Log(), d_model, ("self_attention",), seed=20 + number
    )

    def layer(x, mask=None):
        entry = Call(f"layers[{number}]", [kept(x)], kept(mask))
        log.append(entry)
        if not isinstance(x, torch.Tensor):
            raise TypeError(f"a layer got a {type(x).__name__}, not a tensor")
        y = encoder_layer(x, mask, parts)
        entry.output = kept(y)
        return y

    return layer


def make(draws, log, d_model, count):
    """Return layers and a norm that write their calls down."""
    layers = [spied_layer(draws, n, log, d_model) for n in range(count)]
    generator = draws.seeded(12)
    return layers, spied("norm", log, random_norm(d_model, generator))


def encoder(x, mask, layers, norm):
    """Compute what is right."""
    for layer in layers:
        x = layer(x, mask)
    return norm(x)


def attempt(bound, log, x, mask, count):
    """Return the result; turn an error into the hint that fits best."""
    try:
        return run(bound, x, mask)
    except Mistake as mistake:
        hint = mistake.kind == "error" and wrong_inputs(x, mask, log)
        if not hint:
            raise
        raise Mistake(hint) from None


def judge(answer, draws, batch, length, d_model, count, dtype, factor):
    """Raise the mistake that an answer makes for these sizes."""
    x = factor * stream(draws, batch, length, d_model, dtype, 2)  # (B, S, D)
    mask = words(draws, batch, length)  # (B, 1, 1, S)
    mask = mask.flip(0, -1) if factor < 1 else mask  # padded on the left
    log = Log()
    layers, norm = make(draws, log, d_model, count)
    whole = list(layers)
    bound = Bound(answer, lambda x, mask: (x, mask, layers, norm))
    result = attempt(bound, log, x, mask, count)
    if isinstance(result, tuple | list):
        raise Mistake(
            "return the memory alone, one tensor; what the layers before the "
            "last one return is on no one's way to the decoder"
        )
    seen = Log(log)
    if layers != whole:
        raise Mistake(
            "your function changes the list of layers; the next call needs "
            "them too, so only read it"
        )
    if isinstance(result, torch.Tensor) and lost_axis(result, x.shape):
        raise Mistake(SQUEEZED)
    check_tensor(result, x, "the memory")
    want = encoder(x, mask, layers, norm)
    if close(result, want, 1e-9 if dtype == F64 else 1e-5):
        return
    if not close(result, run(bound, x, mask)):
        raise Mistake("two calls with the same inputs differ")
    hint = find_mistake(x, mask, count, seen, result)
    if hint is None and close(result, want, 1e-4):
        hint = LOST
    raise Mistake(
        hint
        or "layers and norm are called rightly, and the result is not what "
        "the norm returns"
    )


@make_check
def check_encoder(answer, draws):
    """Check exercise ``encoder(x, mask, layers, norm)``.

    Its argument is a function of the embedded source x, (B, S, D), a bool
    mask, a list of layers, functions of (x, mask) that return the new stream,
    and a norm; it returns the memory, (B, S, D).  The check returns a
    `Verdict`, prints it too, and never raises.
    """
    for prefix, stage in STAGES.items():
        try:
            judge(answer, draws, *stage)
        except Mistake as mistake:
            raise mistake.behind(prefix) from None
    batch, length, d_model, count, dtype, _ = STAGES[""]
    mask, log = words(draws, batch, length), Log()
    layers, norm = make(draws, log, d_model, count)

    def arrange(x):
        return x, mask, layers, norm

    x = stream(draws, batch, length, d_model, dtype, 2)
    judge_gradients(Bound(answer, arrange), Bound(encoder, arrange), log, x)
