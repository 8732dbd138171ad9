"""The words of sentences about *it*, and the edges between them.

Dimension letters:
    B batch, T target length, S source length.
"""

import torch

from attnbook.data.vocabulary import BOS, PAD


def mark_places(batch, *names):
    """Mark positions of the source, keys of `batch.places`: bool, (B, S)."""
    marked = torch.zeros_like(batch.source, dtype=torch.bool)
    for name in names:
        marked.scatter_(1, batch.places[name][:, None], True)
    return marked  # (B, S)


def find_word_places(batch):
    """Return where the words stand that every such sentence has.

    Args:
        batch: `Readings`.

    Returns:
        A dict of name -> position in the source, (B,): the first word, both
        nouns, and all from "because" to <eos>.
    """
    it, adjective = batch.places["it"], batch.places["adjective"]
    return {
        "first word": torch.zeros_like(it),
        "doer": batch.places["doer"],
        "object": batch.places["object"],
        "because": it - 1,
        "it": it,
        "was": adjective - 2,
        "too": adjective - 1,
        "adjective": adjective,
        "full stop": adjective + 1,
        "<eos>": adjective + 2,
    }


def group_places(batch):
    """Return the groups of places whose states are carried over.

    Args:
        batch: `Readings`.

    Returns:
        A dict of name -> bool, (B, S): "it", "adjective", "both nouns", and
        "the rest", which is every other token, <eos> included.
    """
    named = {
        "it": mark_places(batch, "it"),
        "adjective": mark_places(batch, "adjective"),
        "both nouns": mark_places(batch, "doer", "object"),
    }
    taken = torch.stack(list(named.values())).any(0)  # (B, S)
    return named | {"the rest": ~taken & (batch.source != PAD)}


def edge_interventions(batch):
    """Return the edges whose loss is measured.

    No cut takes <bos> away, so that every row keeps a key of no meaning.

    Args:
        batch: `Readings`.

    Returns:
        A dict of name -> the arguments of `edges.cut_edges`.  "step" is the
        decoder's row that predicts the word at which the pair parts; its
        "prefix" are the words written before the one that this row reads;
        "both" are nouns and prefix.  "was, too", the two words before the
        adjective, stand for the nouns in two controls with as many edges.
    """
    it, adjective, nouns, _ = group_places(batch).values()
    control = adjective.roll(-1, 1) | adjective.roll(-2, 1)  # (B, S)
    step = torch.zeros_like(batch.target, dtype=torch.bool)
    step.scatter_(1, batch.row[:, None], True)  # (B, T)

    def edge(rows, columns):
        return (rows[:, :, None] & columns[:, None, :])[:, None]

    to_nouns = edge(step, nouns)
    prefix = edge(step, ~step & (batch.target != BOS))
    step_to_both = {"cross": to_nouns, "decoder": prefix}
    adjective_to_nouns = {"encoder": edge(adjective, nouns)}
    adjective_to_control = {"encoder": edge(adjective, control)}
    return {
        "it to nouns": {"encoder": edge(it, nouns)},
        "it to adjective": {"encoder": edge(it, adjective)},
        "adjective to nouns": adjective_to_nouns,
        "nouns to adjective": {"encoder": edge(nouns, adjective)},
        "all to adjective": {"encoder": edge(~adjective, adjective)},
        "step to it": {"cross": edge(step, it)},
        "step to adjective": {"cross": edge(step, adjective)},
        "step to was, too": {"cross": edge(step, control)},
        "step to nouns": {"cross": to_nouns},
        "step to prefix": {"decoder": prefix},
        "step to nouns and prefix": step_to_both,
        "adjective to nouns, step to both": adjective_to_nouns | step_to_both,
        "adjective to was, too, step to both": (
            adjective_to_control | step_to_both
        ),
    }
