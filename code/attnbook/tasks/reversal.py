"""Reverse a row of digits, with and without attention; see chapter 2.

Dimension letters:
    B sentences, S source length.
"""

import torch

from attnbook.config import RecurrentConfig
from attnbook.data.batches import make_batch
from attnbook.data.vocabulary import PAD
from attnbook.masks import padding_mask
from attnbook.recurrent import Recurrent
from attnbook.tasks import digits
from attnbook.training.repro import seed_everything

LONGEST = 16  # digits in training
WIDTHS = {"no attention": 60, "attention": 48, "one state": 48}


class OneState(Recurrent):
    """A recurrent model with attention that can see one state alone.

    The decoder, its weights and its size are those of `Recurrent` with
    attention, but the mask hides every state except the last word's.
    """

    def source_mask(self, source):
        """Return the mask that keeps the last word of a source, (B, S)."""
        words = padding_mask(source, PAD)  # (B, 1, 1, S)
        after = torch.nn.functional.pad(words[..., 1:], (0, 1))
        return words & ~after  # (B, 1, 1, S)


def make_model(kind, seed):
    """Return an untrained model.

    Args:
        kind: "no attention", "attention" or "one state".
        seed: of its first weights.

    Returns:
        A `Recurrent`, a GRU in one layer.

    Raises:
        ValueError: an unknown kind.
    """
    if kind not in WIDTHS:
        raise ValueError(f"expected a kind of {list(WIDTHS)}, got {kind!r}")
    seed_everything(seed)
    config = RecurrentConfig(
        source_vocab=len(digits.TOKENS),
        target_vocab=len(digits.TOKENS),
        attention=kind != "no attention",
        d_model=WIDTHS[kind],
        dropout=0.0,
        max_length=64,
    )
    return (OneState if kind == "one state" else Recurrent)(config)


def draw_rows(count, seed, shortest=3, longest=LONGEST):
    """Draw a row of digits and its reverse; see `digits.draw_rows`."""
    return digits.draw_rows("reverse", count, seed, shortest, longest)


def fit(model, seed, steps):
    """Train a model in place on 20,000 rows of 3 to 16 digits.

    Args:
        model: see `make_model`.
        seed: of the rows and their order.
        steps: number of updates.

    Returns:
        The model, in eval mode.
    """
    config = digits.make_train_config(steps, seed)
    digits.fit(model, draw_rows(20_000, seed), config)
    return model


@torch.no_grad()
def measure_offsets(model, pairs):
    """Say where the largest weight lies while each digit is written.

    Args:
        model: a model with attention.
        pairs: rows of one length S - 1, see `draw_rows`.

    Returns:
        int64, (B, S - 1): 0 where the largest weight lies on the digit
        that is to be written, 1 on its right neighbour, and so on.
    """
    batch = make_batch(pairs)
    maps = model.attention_maps(batch.source, batch.target)["cross"]
    best = maps[0, :, 0, :-1].argmax(dim=-1)  # (B, S - 1), without <eos>
    right = torch.arange(best.size(1)).flip(0)  # (S - 1,)
    return best - right
