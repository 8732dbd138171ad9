"""What `pronoun.py` measures of one translator.

Wherever a list has five numbers, they are those of `probes.pronoun.judge`:
the share of doer and of object readings in which the right word beats the
other reading's, the shares in which it beats all words, and the margin.
"""

import torch

from attnbook.probes import (
    alignment,
    edges,
    linear_probe,
    places,
    pronoun,
    tracing,
)

FEW = 50  # minimal pairs, for single heads
PROBED = 100  # pairs that the linear probe learns from; the rest judge it
DRAWS = 3  # of the control
SEED = 15
# The control takes the weight of these edges from other words; of edges in
# several parts, those of the named part alone, and the others are cut.
CONTROLLED = {
    "it to nouns": "encoder",
    "adjective to nouns": "encoder",
    "all to adjective": "encoder",
    "step to adjective": "cross",
    "step to nouns": "cross",
    "adjective to nouns, step to both": "encoder",
}


def rounded(x, digits=4):
    """Return a tensor as nested lists of rounded numbers."""
    return torch.round(x.double(), decimals=digits).tolist()


def alignment_rates(translator, pairs):
    """Return hit rates of all heads, read right and one row late.

    Returns:
        A dict; "best head" is chosen on the first half of the sentences and
        judged on the other.
    """
    batch = alignment.encode(translator, pairs)
    cross = translator.model.attention_maps(batch.source, batch.target)
    cross = cross["cross"]
    rates = alignment.hit_rates(cross, pairs)  # (B, N, H)
    half = len(pairs) // 2
    best = rates[:half].mean(0).flatten().argmax()
    return {
        "heads": rounded(rates.mean(0)),
        "late": rounded(alignment.hit_rates(cross, pairs, True).mean(0)),
        "best head": rounded(rates[half:].mean(0).flatten()[best]),
    }


def looks(model, batch):
    """Return weights on right and wrong noun, per row, reading and head.

    Returns:
        A dict of row -> "share", "right", "wrong", each (2, N, H): doer
        readings, object readings; and "chosen": the head with the largest
        share on every other minimal pair, and its share and two weights on
        the others.
    """
    maps = model.attention_maps(batch.source, batch.target)
    rows = {
        "it": ("encoder", batch.places["it"]),
        "adjective": ("encoder", batch.places["adjective"]),
        "step": ("cross", batch.row),
    }
    first = torch.arange(len(batch.row)) % (len(batch.row) // 2) // 2 % 2 == 0
    found = {}
    for name, (part, row) in rows.items():
        right, wrong = pronoun.find_noun_weights(maps[part], row, batch)
        wins = (right > wrong).float()  # (B, N, H)
        best = wins[first].mean(0).flatten().argmax()
        fresh = [
            x[~first].mean(0).flatten()[best] for x in (wins, right, wrong)
        ]
        found[name] = {
            "share": rounded(pronoun.average_by_reading(wins)),
            "right": rounded(pronoun.average_by_reading(right)),
            "wrong": rounded(pronoun.average_by_reading(wrong)),
            "chosen": [int(best), *rounded(torch.stack(fresh))],
        }
    return found


def margins(model, batch, **changes):
    """Return the margins of a model with something changed in it, (B,)."""
    logits = pronoun.step_logits(model, batch, **changes)
    return pronoun.margins(logits, batch)


def judged(model, batch, attend=tracing.keep_attention):
    """Return the five numbers of `pronoun.judge`, rounded."""
    logits = pronoun.step_logits(model, batch, attend=attend)
    *shares, margin = pronoun.judge(logits, batch).values()
    return [*(round(x, 4) for x in shares), round(margin, 3)]


def traced(model, batch):
    """Return flip shares of both readings, per group of places and depth."""
    before = margins(model, batch)
    found = {}
    for name, group in places.group_places(batch).items():
        found[name] = []
        for depth in range(len(model.encoder.layers) + 1):
            carry = tracing.patch_states(depth, group)
            after = margins(model, batch, edit=carry)
            found[name].append(rounded(pronoun.flip_shares(before, after)))
    return found


def missed(model, batch):
    """Return what `judged` does with edges cut, and with edges zeroed."""
    return {
        name: {
            "cut": judged(model, batch, edges.cut_edges(**parts)),
            "zeroed": judged(model, batch, edges.zero_edges(**parts)),
        }
        for name, parts in places.edge_interventions(batch).items()
    }


def held(maps, cut):
    """Return the weight on some edges, and how much of it others can give.

    Args:
        maps: (N, B, H, T, S).
        cut: bool, (B, 1, T, S).

    Returns:
        The means over layers, heads and rows with such an edge, two numbers.
    """
    weight = (maps * cut).sum(-1).mean(2)  # (N, B, T), mean of the heads
    weight = weight[:, cut.any(-1)[:, 0]]  # (N, rows)
    return rounded(
        torch.stack([weight.mean(), weight.minimum(1 - weight).mean()])
    )


def instead(part, parts, order, kind):
    """Make the control of some edges; see `CONTROLLED`.

    Args:
        part: where random other words give the weight.
        parts: the edges, as in `edges.cut_edges`.
        order: (B, S), see `edges.match_weight`.
        kind: "cut" (the weight is shared out) or "zeroed" (it is lost).

    Returns:
        A function to pass to `tracing.run` as `attend`.
    """
    cut = kind == "cut"
    control = edges.take_as_much(order, cut, **{part: parts[part]})
    others = {name: edge for name, edge in parts.items() if name != part}
    other = (edges.cut_edges if cut else edges.zero_edges)(**others)
    return lambda p, n: control(p, n) if p == part else other(p, n)


def controlled(model, batch):
    """Return what it costs if random other words give an edge's weight.

    Returns:
        A dict of name -> "weight", see `held`, and for "cut" and "zeroed"
        one `judged` per draw.
    """
    maps = model.attention_maps(batch.source, batch.target)
    every = places.edge_interventions(batch)
    generator = torch.Generator().manual_seed(SEED)
    shape = (DRAWS, *batch.source.shape)
    orders = torch.rand(shape, generator=generator)  # (draws, B, S)
    found = {}
    for name, part in CONTROLLED.items():
        parts = every[name]
        found[name] = {"weight": held(maps[part], parts[part])}
        for kind in ("cut", "zeroed"):
            found[name][kind] = [
                judged(model, batch, instead(part, parts, order, kind))
                for order in orders
            ]
    return found


def heads(model, batch):
    """Return what is right without each head, and what its output turns.

    Returns:
        "nothing", `judged` without any change; for "zero" and "mean", which
        a head is set to, a dict of part and layer -> `judged` per head; for
        "swap" the flip shares of both readings if pairs exchange it.
    """
    before = margins(model, batch)
    found = {"zero": {}, "mean": {}, "swap": {}}
    means = tracing.mean_contexts(model, batch.source, batch.target)
    for (part, layer), contexts in means.items():
        lists = {kind: [] for kind in found}
        for head, context in enumerate(contexts):
            place = part, layer, head
            for kind, value in (("zero", None), ("mean", context)):
                attend = tracing.ablate_head(*place, value)
                lists[kind].append(judged(model, batch, attend))
            after = margins(model, batch, attend=tracing.patch_head(*place))
            flips = pronoun.flip_shares(before, after)
            lists["swap"].append(rounded(flips))
        for kind, values in lists.items():
            found[kind][f"{part} {layer}"] = values
    return {"nothing": judged(model, batch)} | found


def read_off(model, batch):
    """Return how often a linear probe tells the readings, word and depth.

    Returns:
        A dict of word -> one rate per depth, on pairs that it is new to.
    """
    states = linear_probe.encoder_states(model, batch.source, batch.target)
    each = torch.arange(len(batch.row))
    half = len(each) // 2
    label, train = each < half, each % half < PROBED
    return {
        name: [
            round(linear_probe.probe_accuracy(x[each, where], label, train), 4)
            for x in states
        ]
        for name, where in places.find_word_places(batch).items()
    }


def measure(translator, pairs, unseen, sentences):
    """Measure one model; return what is stored about it."""
    model = translator.model
    batch = pronoun.encode_readings(translator, pairs)
    few = pronoun.encode_readings(translator, pairs[:FEW])
    return {
        "right": judged(model, batch),
        "held out": judged(model, pronoun.encode_readings(translator, unseen)),
        "alignment": alignment_rates(translator, sentences),
        "looks": looks(model, batch),
        "flips": traced(model, batch),
        "cuts": missed(model, batch),
        "control": controlled(model, batch),
        "heads": heads(model, few),
        "probe": read_off(model, batch),
    }
