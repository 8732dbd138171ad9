"""What is wrong in a stack of layers, read off the log of its calls.

Dimension letters:
    B batch, S source length, D = d_model.
"""

from attnbook.checks.encoder_decoder.spies import described, same, terms
from attnbook.checks.engine.verdict import Hint


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
    if called == wanted[::-1]:
        return "the layers are called in reverse order"
    if len(set(called)) == 1 and len(called) == len(wanted) > 1:
        return Hint(
            "{} is called {} times, the others never; every layer has "
            "parameters of its own",
            called[0],
            len(called),
        )
    missing = [n for n in wanted if n not in called]
    if missing == wanted[-1:]:
        return Hint("the last layer, {}, is never called", missing[0])
    if missing:
        return Hint(
            "never called: {}; all layers, in order", ", ".join(missing)
        )
    if len(called) == len(wanted):
        return Hint(
            "the layers are called in the wrong order, {}; go from the "
            "first to the last",
            ", ".join(called),
        )
    return "a layer is called more than once; all layers once, in order"


def wrong_inputs(x, mask, log):
    """Return a hint if a layer gets the wrong stream or mask."""
    found, before = terms(log, x=x), x
    for entry in (e for e in log if e.name != "norm"):
        if not same(entry.inputs[0], before):
            return wrong_stream(entry, before, x, mask, found)
        if entry.mask is None:
            return Hint("{} is called without the mask", Hint(entry.name))
        if not same(entry.mask, mask):
            return Hint(
                "{} gets another mask than the encoder", Hint(entry.name)
            )
        if entry.output is None:
            return None
        before = entry.output
    return None


def wrong_stream(entry, before, x, mask, found):
    """Return the hint for a layer that gets another stream than `before`."""
    name, got = entry.name, entry.inputs[0]
    text = described(got, found)
    if same(got, mask):
        return Hint(
            "{} gets the mask first; its inputs are x, mask", Hint(name)
        )
    if same(got, x):
        return Hint(
            "{} gets x and not what the layer before it returns; the "
            "layers stand one above the other",
            Hint(name),
        )
    if same(got, before * mask[:, 0, 0, :, None]):
        return Hint(
            "{} gets pads that were set to 0; a key of zeros is read "
            "too, so pass the stream as it is, and the mask",
            Hint(name),
        )
    if text.startswith("norm("):
        return Hint(
            "{} gets a normed stream, {}; each layer has its own "
            "norms, and the last norm comes at the end",
            Hint(name),
            text,
        )
    if " + " not in text:
        return Hint(
            "{} gets {}: the stream is changed on the way; pass it on "
            "as it is",
            Hint(name),
            text,
        )
    return Hint(
        "{} gets {}; a layer holds its residuals, so what it "
        "returns is the new stream",
        Hint(name),
        text,
    )


def wrong_norm(x, names, log, result):
    """Return a hint if the last norm is missing, misplaced or unused."""
    last = log[-1] if log else None
    if "norm" not in names:
        return (
            "norm is never called, so there is no final norm: in pre-norm "
            "nothing inside the layers holds the size of the stream, so the "
            "one that you are given stands at the end"
        )
    if names.count("norm") > 1:
        return Hint(
            "the norm is called {} times; once, last", names.count("norm")
        )
    if last.name != "norm":
        return "the norm comes before the last layer; it stands at the end"
    layer = log[-2] if len(log) > 1 else None
    if layer is not None and same(result, layer.output):
        return "you call the norm, and return the stream from before it"
    if layer is not None and not same(last.inputs[0], layer.output):
        text = described(last.inputs[0], terms(log, x=x))
        return Hint(
            "the norm gets {}, and not what the last layer returns", text
        )
    if same(result, last.inputs[0] + last.output):
        return "you add the stream to the normed stream; return the norm of it"
    return None
