"""What a sublayer should have got: its tensors and its mask.

Dimension letters:
    B batch, T target length, S source length, D = d_model.
"""

import torch

from attnbook.checks.encoder_decoder.spies import described, same
from attnbook.checks.engine.verdict import Hint

WHAT = ("queries", "keys", "values")
ORDER = "q, k, v, mask, in this order"


def sources(plan, entry, normed, stream, norm, found):
    """Return a hint if a sublayer reads the wrong tensors."""
    name, memory = entry.name, plan.given.get("memory")
    if any(getattr(y, "dtype", None) == torch.bool for y in entry.inputs):
        return Hint(
            "{} gets a mask among its tensors; its inputs are {}",
            Hint(name),
            Hint(ORDER),
        )
    if name == "cross_attention":
        return cross_sources(entry, normed, stream, memory, norm, found)
    wrong = [i for i, y in enumerate(entry.inputs) if not same(y, normed)]
    if not wrong:
        return None
    if all(same(y, stream) for y in entry.inputs):
        return Hint("{} reads the stream without {}", Hint(name), Hint(norm))
    which = " and ".join(WHAT[i] for i in wrong)
    whose = Hint("{} of {}", Hint(which), Hint(name))
    text = described(entry.inputs[wrong[0]], found)
    if name == "feed_forward":
        return Hint(
            "feed_forward reads {}, and not what {} returns", text, Hint(norm)
        )
    if same(entry.inputs[wrong[0]], memory):
        return Hint("{} come from the memory; that is cross", whose)
    if same(entry.inputs[wrong[0]], stream):
        return Hint("{} are made of the stream without {}", whose, Hint(norm))
    return Hint("{} are made of {}", whose, text)


def cross_sources(entry, normed, stream, memory, norm, found):
    """Return a hint if cross-attention reads the wrong tensors."""
    q, k, v = entry.inputs
    target = [same(y, normed) or same(y, stream) for y in (q, k, v)]
    if same(q, memory) and target[1] and target[2]:
        return (
            "the sources of cross_attention are exchanged: the memory asks "
            "and the target is asked; the word to be written asks"
        )
    if same(q, memory):
        return "the queries of cross_attention come from the memory"
    if target[1] and target[2]:
        return (
            "keys and values of cross_attention are made of the target, so "
            "the source is never read; they come from the memory"
        )
    if target[1] or target[2]:
        side, other = WHAT[1:] if target[1] else WHAT[:0:-1]
        return Hint(
            "the {} of cross_attention are made of the target and the "
            "{} of the memory; a key and its value belong to one word",
            Hint(side),
            Hint(other),
        )
    if same(q, stream):
        return Hint(
            "cross_attention asks with the stream without {}", Hint(norm)
        )
    for what, got, want in zip(
        WHAT, (q, k, v), (normed, memory, memory), strict=True
    ):
        if not same(got, want):
            text = described(got, found)
            return Hint(
                "the {} of cross_attention are made of {}", Hint(what), text
            )
    return None


def wrong_mask(plan, entry):
    """Return a hint if an attention gets another mask than its own."""
    if entry.name not in plan.masks:
        return None
    want, got = plan.masks[entry.name], entry.mask
    others = [m for name, m in plan.masks.items() if name != entry.name]
    if got is None:
        return Hint("{} is called without its mask", Hint(entry.name))
    if not isinstance(got, torch.Tensor):
        return Hint(
            "{} gets a {} as its mask", Hint(entry.name), type(got).__name__
        )
    if alike(got, want):
        return None
    if alike(got, ~want):
        return Hint(
            "{} gets its mask upside down; True = may attend", Hint(entry.name)
        )
    if any(alike(got, m) for m in others):
        return Hint(
            "{} gets the mask of the other attention; a mask belongs "
            "to the keys, and to those of one attention",
            Hint(entry.name),
        )
    return Hint("{} gets a mask that was changed on the way", Hint(entry.name))


def alike(a, b):
    """Say whether two masks are the same once they are broadcast."""
    try:
        a, b = torch.broadcast_tensors(a, b)
    except RuntimeError:
        return False
    return torch.equal(a, b)
