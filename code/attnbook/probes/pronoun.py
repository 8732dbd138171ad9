"""What a trained translator does about *it*; see chapter 15.

Dimension letters:
    B batch, H heads, T target length, S source length, N layers.
"""

from dataclasses import dataclass

import torch

from attnbook.data.batches import pad
from attnbook.data.vocabulary import BOS, EOS
from attnbook.probes import tracing


@dataclass(frozen=True)
class Readings:
    """Minimal pairs as a batch: the doer readings, then the object readings.

    Args:
        source: source ids, (B, S); sentence i and i + B / 2 are
            a minimal pair.
        target: decoder input up to the word where they part, (B, T).
        row: index of the decoder row that predicts that word, (B,).
        right: id of the right word there, (B,).
        wrong: id of the other reading's word, (B,).
        places: positions in the source, (B,) each: "it", "adjective",
            "right" and "wrong" noun, "doer" and "object".
    """

    source: torch.Tensor
    target: torch.Tensor
    row: torch.Tensor
    right: torch.Tensor
    wrong: torch.Tensor
    places: dict


def encode_readings(translator, pairs):
    """Make a batch of minimal pairs, one half per reading.

    Args:
        translator: a `Translator`.
        pairs: a list of `storybook.MinimalPair`.

    Returns:
        `Readings` of twice as many sentences.
    """
    readings = [pair.doer for pair in pairs] + [pair.object for pair in pairs]
    sources, targets, answers = [], [], []
    for number, reading in enumerate(readings):
        step = pairs[number % len(pairs)].step
        words = translator.target.encode(" ".join(reading.target))
        ids = translator.source.encode(" ".join(reading.source))
        sources.append([*ids, EOS])
        targets.append([BOS, *words[:step]])
        answers.append(words[step])
    right = torch.tensor(answers)  # (B,)
    notes = [reading.pronoun for reading in readings]
    where = {"it": "pronoun", "adjective": "adjective"}
    where |= {"right": "right", "wrong": "wrong"}
    places = {
        name: torch.tensor([getattr(note, field) for note in notes])
        for name, field in where.items()
    }
    half = len(pairs)
    doer, other = places["right"][:half], places["right"][half:]
    places |= {"doer": doer.repeat(2), "object": other.repeat(2)}
    row = torch.tensor([len(target) - 1 for target in targets])
    source, target = pad(sources), pad(targets)
    return Readings(source, target, row, right, right.roll(half), places)


def step_logits(model, batch, **changes):
    """Return the logits of the row that writes the word of the reading.

    Args:
        model: a `Transformer` in eval mode.
        batch: `Readings`.
        changes: `attend` or `edit` of `tracing.run`.

    Returns:
        (B, vocab).
    """
    logits = tracing.run(model, batch.source, batch.target, **changes)
    return logits[torch.arange(len(logits)), batch.row]  # (B, vocab)


def margins(logits, batch):
    """Return by how much the right word beats the other reading's.

    Args:
        logits: what `step_logits` returned, (B, vocab).
        batch: `Readings`.

    Returns:
        The difference of the two logits, which is the logarithm of the
        ratio of their probabilities, (B,); above 0 is right.
    """
    each = torch.arange(len(logits))
    return logits[each, batch.right] - logits[each, batch.wrong]


def average_by_reading(values):
    """Return the mean over the doer and over the object readings.

    Args:
        values: numbers or bools, the doer readings first, (B, ...).

    Returns:
        (2, ...).
    """
    return values.float().unflatten(0, (2, -1)).mean(1)


def judge(logits, batch):
    """Judge a model's answers.

    Args:
        logits: what `step_logits` returned, (B, vocab).
        batch: `Readings`.

    Returns:
        A dict of floats: the share of the "doer" and of the "object"
        readings whose margin is above 0; "doer first" and "object first",
        the share in which no other word at all has a larger logit than the
        right one; "margin", the mean margin.
    """
    margin = margins(logits, batch)
    doer, other = average_by_reading(margin > 0).tolist()
    first = average_by_reading(logits.argmax(-1) == batch.right).tolist()
    return {
        "doer": doer,
        "object": other,
        "doer first": first[0],
        "object first": first[1],
        "margin": margin.mean().item(),
    }


def flip_shares(before, after):
    """Return how often a change turns a right answer round.

    Args:
        before: margins without the change, (B,).
        after: margins with it, (B,).

    Returns:
        (2,): the share of the doer and of the object readings that get the
        other reading's word, among those that are right without the change
        (0 if there is none).
    """
    right = average_by_reading(before > 0)  # (2,)
    turned = average_by_reading((before > 0) & (after < 0))  # (2,)
    return torch.where(right > 0, turned / right, 0.0)


def find_noun_weights(weights, rows, batch):
    """Return the weight of one row on the right and on the wrong noun.

    Args:
        weights: maps over the source, (N, B, H, T, S).
        rows: number of the row in each sentence, (B,).
        batch: `Readings`.

    Returns:
        Two tensors, (B, N, H).
    """
    each = torch.arange(len(rows))
    row = weights.transpose(0, 1)[each, :, :, rows]  # (B, N, H, S)
    return tuple(
        row[each, :, :, batch.places[noun]] for noun in ("right", "wrong")
    )
