"""What is wrong in a layer, read off the log of its parts.

Dimension letters:
    B batch, T target length, S source length, D = d_model.
"""

import torch

from attnbook.checks.encoder_decoder.layer_sources import sources, wrong_mask
from attnbook.checks.encoder_decoder.spies import (
    describe,
    described,
    same,
    terms,
)
from attnbook.checks.engine.verdict import Hint

ENCODER = ("self_attention", "feed_forward")
DECODER = ("self_attention", "cross_attention", "feed_forward")
LOST = {
    "self_attention": "then no word reads another one of its own side",
    "cross_attention": "then the target never reads the source",
    "feed_forward": "it is the last of the sublayers",
}


class Plan:
    """What a layer should do with these inputs.

    Args:
        subs: names of the sublayers, in their order.
        given: the tensors x and, in a decoder, memory, by name.
        masks: the mask of each attention, by name.
    """

    def __init__(self, subs, given, masks):
        self.subs, self.given, self.masks = subs, given, masks
        self.norms = [f"norm_{i + 1}" for i in range(len(subs))]


def find_mistake(plan, log, result):
    """Return the hint for the first mistake, or None.

    Args:
        plan: what the layer should do.
        log: what it did.
        result: what it returned; None if it raised an error.
    """
    names = log.names()
    whole = result is not None
    hint = normed_memory(plan, log)
    hint = hint or (wrong_counts(plan, names) if whole else None)
    return hint or wrong_order(plan, names) or walk(plan, log, result)


def normed_memory(plan, log):
    """Return a hint if a norm gets the memory."""
    for entry in log:
        memory = plan.given.get("memory")
        if entry.name in plan.norms and same(entry.inputs[0], memory):
            return Hint(
                "{} gets the memory; leave the memory as it is, the "
                "encoder's last norm has normed it",
                Hint(entry.name),
            )
    return None


def wrong_counts(plan, names):
    """Return a hint if a part is never called, or more than once."""
    missing = [n for n in (*plan.norms, *plan.subs) if n not in names]
    often = [n for n in dict.fromkeys(names) if names.count(n) > 1]
    shared = [n for n in often if n in plan.norms]
    if shared and [n for n in missing if n in plan.norms]:
        lost = next(n for n in missing if n in plan.norms)
        return Hint(
            "{} is called twice and {} never; every sublayer has a "
            "norm of its own, with its own gain and bias",
            shared[0],
            lost,
        )
    if "cross_attention" in missing and "self_attention" in often:
        return (
            "self_attention is called in the place of cross_attention, which "
            "has matrices of its own"
        )
    for name in plan.subs:
        if name in missing:
            return Hint("{} is never called; {}", Hint(name), LOST[name])
    if missing:
        sub = plan.subs[plan.norms.index(missing[0])]
        return Hint(
            "{} is never called; it belongs before {}", missing[0], Hint(sub)
        )
    if often:
        count = names.count(often[0])
        return Hint("{} is called {} times; once is right", often[0], count)
    return None


def wrong_order(plan, names):
    """Return a hint if parts come in another order than they should."""
    subs = [n for n in names if n in plan.subs]
    wanted = [n for n in plan.subs if n in subs]
    if list(dict.fromkeys(subs)) != wanted:
        late = next(a for a, b in zip(wanted, subs, strict=False) if a != b)
        early = subs[wanted.index(late)]
        return Hint(
            "{} comes before {}; the order is {}",
            Hint(early),
            Hint(late),
            arrow(plan.subs),
        )
    for norm, sub in zip(plan.norms, plan.subs, strict=True):
        if norm not in names or sub not in names:
            continue
        if names.index(norm) < names.index(sub):
            continue
        before = names[: names.index(sub)][-1:]
        if before and before[0] in plan.norms and before[0] != norm:
            return Hint(
                "{} stands before {}, where {} belongs",
                Hint(before[0]),
                Hint(sub),
                Hint(norm),
            )
        return Hint(
            "{} comes after {}, as in post-norm; in pre-norm the "
            "sublayer reads the normed stream, and the sum is not "
            "normed",
            Hint(norm),
            Hint(sub),
        )
    return None


def arrow(names):
    """Return names joined for a hint."""
    return ", then ".join(names)


def walk(plan, log, result):
    """Follow the stream through the layer; return the first deviation."""
    found = terms(log, **plan.given)
    streams = [plan.given["x"]]
    last = None  # the sublayer before, with what it read and returned
    for norm, sub in zip(plan.norms, plan.subs, strict=True):
        normed, entry = log.first(norm), log.first(sub)
        if normed is None:
            break
        if not same(normed.inputs[0], streams[-1]):
            return residual(normed.inputs[0], streams, last, norm, found)
        if entry is None or normed.output is None:
            break
        hint = sources(plan, entry, normed.output, streams[-1], norm, found)
        hint = hint or wrong_mask(plan, entry)
        if hint or entry.output is None:
            return hint
        streams.append(streams[-1] + entry.output)
        last = sub, normed.output, entry.output
    returned = isinstance(result, torch.Tensor) and last
    if returned and not same(result, streams[-1]):
        return residual(result, streams, last, "the result", found)
    return None


def residual(got, streams, last, where, found):
    """Return a hint for a stream that is not what it should be."""
    text = describe(got, found)
    is_is = "is" if where == "the result" else "gets"
    if last is None:
        return Hint(
            "{} {} {}, and not x",
            Hint(where),
            Hint(is_is),
            described(got, found),
        )
    sub, read, written = last
    if same(got, written):
        return Hint(
            "no residual around {}: {} {} what {} returns, alone; add "
            "the stream",
            Hint(sub),
            Hint(where),
            Hint(is_is),
            Hint(sub),
        )
    if same(got, read + written):
        return Hint(
            "the residual around {} adds the normed stream; add the "
            "stream as it was before the norm",
            Hint(sub),
        )
    if same(got, streams[-2]):
        return Hint(
            "{} {} the stream from before {}, without what {} returns",
            Hint(where),
            Hint(is_is),
            Hint(sub),
            Hint(sub),
        )
    if len(streams) > 2 and same(got, streams[0] + written):
        return Hint(
            "the residual around {} adds the first x; add the stream "
            "as the sublayer before left it",
            Hint(sub),
        )
    made, want = text, ""
    if not isinstance(got, torch.Tensor):
        made = f"a {type(got).__name__} (of an attention, take [0])"
    elif got.shape != streams[-1].shape:
        made = f"a tensor of shape {tuple(got.shape)}"
        want = f", of shape {tuple(streams[-1].shape)}"
    made = made or (
        "no sum of what parts return (is something scaled, added, cut or "
        "rounded?)"
    )
    return Hint(
        "{} {} {}; it should be the stream after {}{}",
        Hint(where),
        Hint(is_is),
        made,
        Hint(sub),
        want,
    )
