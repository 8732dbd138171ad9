"""Check of an encoder: layers one after the other, and the final norm.

Dimension letters:
    B batch, S source length, D = d_model.
"""

import torch

from attnbook.checks.calling import check_tensor, close, compare_gradients
from attnbook.checks.layers import encoder_layer, stream, words
from attnbook.checks.spies import (
    Bound,
    Call,
    Log,
    described,
    kept,
    make_parts,
    random_norm,
    run,
    same,
    spied,
    terms,
)
from attnbook.checks.verdict import NOT_ANSWERED, Mistake, checker

STAGES = {  # what to say when the answer fails: B, S, D, N, type
    "": (3, 5, 6, 3, torch.float32),
    "right for three layers, but not for one: ": (3, 5, 6, 1, torch.float32),
    "right while all sizes differ, but not when B = S = D: ": (
        4,
        4,
        4,
        2,
        torch.float32,
    ),
    "right for float32, but not for float64: ": (2, 5, 6, 3, torch.float64),
}


class Layers(list):
    """The layers of the learner's encoder, in a list that is not copied."""

    def __deepcopy__(self, memo):
        return self


def spied_layer(number, log, d_model):
    """Return a layer that writes its calls down."""
    parts = make_parts(Log(), d_model, ("self_attention",), seed=20 + number)

    def layer(x, mask=None):
        entry = Call(f"layers[{number}]", [kept(x)], kept(mask))
        log.append(entry)
        if not isinstance(x, torch.Tensor):
            raise TypeError(f"a layer got a {type(x).__name__}, not a tensor")
        y = encoder_layer(x, mask, parts)
        entry.output = kept(y)
        return y

    return layer


def make(log, d_model, count):
    """Return layers and a norm that write their calls down."""
    layers = Layers(spied_layer(n, log, d_model) for n in range(count))
    generator = torch.Generator().manual_seed(12)
    return layers, spied("norm", log, random_norm(d_model, generator))


def encoder(x, mask, layers, norm):
    """Compute what is right."""
    for layer in layers:
        x = layer(x, mask)
    return norm(x)


def find_mistake(x, mask, count, log, result):
    """Return the hint for the first mistake, or None."""
    names = log.names()
    called = [n for n in names if n != "norm"]
    wanted = [f"layers[{n}]" for n in range(count)]
    hint = wrong_layers(called, wanted)
    hint = hint or wrong_inputs(x, mask, log)
    return hint or wrong_norm(x, names, log, result)


def wrong_layers(called, wanted):
    """Return a hint if not every layer is called once, in order."""
    if called == wanted:
        return None
    if not called:
        return "no layer is called; every layer is a function of (x, mask)"
    if called == wanted[::-1]:
        return "the layers are called in reverse order"
    if len(set(called)) == 1 and len(called) == len(wanted) > 1:
        return (
            f"{called[0]} is called {len(called)} times, the others never; "
            "every layer has parameters of its own"
        )
    missing = [n for n in wanted if n not in called]
    if missing == wanted[-1:]:
        return f"the last layer, {missing[0]}, is never called"
    if missing:
        return f"never called: {', '.join(missing)}; all layers, in order"
    return "a layer is called more than once; all layers once, in order"


def wrong_inputs(x, mask, log):
    """Return a hint if a layer gets the wrong stream or mask."""
    found, before = terms(log, x=x), x
    for entry in (e for e in log if e.name != "norm"):
        got = entry.inputs[0]
        if not same(got, before):
            text = described(got, found)
            if same(got, x):
                return (
                    f"{entry.name} gets x and not what the layer before it "
                    "returns; the layers stand one above the other"
                )
            if text.startswith("norm("):
                return (
                    f"{entry.name} gets a normed stream, {text}; each layer "
                    "has its own norms, and the last norm comes at the end"
                )
            return (
                f"{entry.name} gets {text}; a layer holds its residuals, so "
                "what it returns is the new stream"
            )
        if entry.mask is None:
            return f"{entry.name} is called without the mask"
        if not same(entry.mask, mask):
            return f"{entry.name} gets another mask than the encoder"
        if entry.output is None:
            return None
        before = entry.output
    return None


def wrong_norm(x, names, log, result):
    """Return a hint if the last norm is missing, misplaced or unused."""
    last = log[-1] if log else None
    if "norm" not in names:
        return (
            "no final norm: in pre-norm nothing inside the layers holds the "
            "size of the stream, so one norm stands at the end"
        )
    if names.count("norm") > 1:
        return f"the norm is called {names.count('norm')} times; once, last"
    if last.name != "norm":
        return "the norm comes before the last layer; it stands at the end"
    layer = log[-2] if len(log) > 1 else None
    if layer is not None and same(result, layer.output):
        return "you call the norm, and return the stream from before it"
    if layer is not None and not same(last.inputs[0], layer.output):
        text = described(last.inputs[0], terms(log, x=x))
        return f"the norm gets {text}, and not what the last layer returns"
    if same(result, last.inputs[0] + last.output):
        return "you add the stream to the normed stream; return the norm of it"
    return None


def attempt(bound, log, x, mask, count):
    """Return the result; turn an error into the hint that fits best."""
    try:
        return run(bound, x, mask)
    except Mistake as mistake:
        text = str(mistake)
        if text == NOT_ANSWERED or "raised an error" not in text:
            raise
        raise Mistake(wrong_inputs(x, mask, log) or text) from None


def judge(answer, batch, length, d_model, count, dtype):
    """Raise the mistake that an answer makes for these sizes."""
    x, mask = stream(batch, length, d_model, dtype, 2), words(batch, length)
    log = Log()
    layers, norm = make(log, d_model, count)
    bound = Bound(answer, lambda x, mask: (x, mask, layers, norm))
    result = attempt(bound, log, x, mask, count)
    if isinstance(result, tuple | list):
        raise Mistake(
            "return the memory alone, one tensor; what the layers before the "
            "last one return is on no one's way to the decoder"
        )
    seen = Log(log)
    check_tensor(result, x, "the memory")
    want = encoder(x, mask, layers, norm)
    if close(result, want, 1e-9 if dtype == torch.float64 else 1e-5):
        return
    if not close(result, run(bound, x, mask)):
        raise Mistake("two calls with the same inputs differ")
    hint = find_mistake(x, mask, count, seen, result)
    raise Mistake(
        hint
        or "layers and norm are called rightly, and the result is not what "
        "the norm returns"
    )


@checker
def check_encoder(answer):
    """Check exercise ``encoder(x, mask, layers, norm)``.

    Args:
        answer: a function of the embedded source x, (B, S, D), a bool mask,
            a list of layers, functions of (x, mask) that return the new
            stream, and a norm; it returns the memory, (B, S, D).

    Returns:
        A `Verdict`; the check prints it too, and never raises.
    """
    for prefix, stage in STAGES.items():
        try:
            judge(answer, *stage)
        except Mistake as mistake:
            raise Mistake(f"{prefix}{mistake}") from None
    batch, length, d_model, count, dtype = STAGES[""]
    mask = words(batch, length)
    layers, norm = make(Log(), d_model, count)

    def arrange(x):
        return x, mask, layers, norm

    x = stream(batch, length, d_model, dtype, 2)
    compare_gradients(Bound(answer, arrange), Bound(encoder, arrange), x)
