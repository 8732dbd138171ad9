"""What is wrong in a stack of layers, read off the log of its calls.

Dimension letters:
    B batch, S source length, D = d_model.
"""

from attnbook.checks.spies import described, same, terms


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
        return (
            f"{called[0]} is called {len(called)} times, the others never; "
            "every layer has parameters of its own"
        )
    missing = [n for n in wanted if n not in called]
    if missing == wanted[-1:]:
        return f"the last layer, {missing[0]}, is never called"
    if missing:
        return f"never called: {', '.join(missing)}; all layers, in order"
    if len(called) == len(wanted):
        return (
            f"the layers are called in the wrong order, {', '.join(called)}; "
            "go from the first to the last"
        )
    return "a layer is called more than once; all layers once, in order"


def wrong_inputs(x, mask, log):
    """Return a hint if a layer gets the wrong stream or mask."""
    found, before = terms(log, x=x), x
    for entry in (e for e in log if e.name != "norm"):
        if not same(entry.inputs[0], before):
            return wrong_stream(entry, before, x, mask, found)
        if entry.mask is None:
            return f"{entry.name} is called without the mask"
        if not same(entry.mask, mask):
            return f"{entry.name} gets another mask than the encoder"
        if entry.output is None:
            return None
        before = entry.output
    return None


def wrong_stream(entry, before, x, mask, found):
    """Return the hint for a layer that gets another stream than `before`."""
    name, got = entry.name, entry.inputs[0]
    text = described(got, found)
    if same(got, mask):
        return f"{name} gets the mask first; its inputs are x, mask"
    if same(got, x):
        return (
            f"{name} gets x and not what the layer before it returns; the "
            "layers stand one above the other"
        )
    if same(got, before * mask[:, 0, 0, :, None]):
        return (
            f"{name} gets pads that were set to 0; a key of zeros is read "
            "too, so pass the stream as it is, and the mask"
        )
    if text.startswith("norm("):
        return (
            f"{name} gets a normed stream, {text}; each layer has its own "
            "norms, and the last norm comes at the end"
        )
    if " + " not in text:
        return (
            f"{name} gets {text}: the stream is changed on the way; pass it "
            "on as it is"
        )
    return (
        f"{name} gets {text}; a layer holds its residuals, so what it "
        "returns is the new stream"
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
