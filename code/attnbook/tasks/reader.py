"""A small reader whose positions can be chosen; see chapter 8.

It reads a row of digits and answers at every place at once, by layers of
self-attention.

Dimension letters:
    B rows, T length, D = d_model, vocab digits.
"""

import torch
import torch.nn.functional as F
from torch import nn

from attnbook.attention import fast_attention
from attnbook.config import TransformerConfig
from attnbook.masks import causal_mask
from attnbook.stacks import Encoder, EncoderLayer
from attnbook.transformer import Embedding, initialise

DIGITS = 10
SHORTEST, LONGEST = 4, 16  # digits of a row in training
NOT_COUNTED = -100  # the label of a place without an answer


class Reader(nn.Module):
    """Embedding, positions, self-attention, one answer per place.

    Args:
        positions: a kind of `TransformerConfig`: "sinusoidal",
            "learned", "rotary" or "none".
        seed: of the first parameters.
        causal: whether a place may attend only to itself and to what
            stands before it.
        num_layers: layers of attention.
        d_model: width D.
    """

    def __init__(
        self, positions, seed, causal=False, num_layers=2, d_model=64
    ):
        super().__init__()
        torch.manual_seed(seed)
        config = TransformerConfig(
            source_vocab=DIGITS,
            target_vocab=DIGITS,
            d_model=d_model,
            num_heads=4,
            d_ff=2 * d_model,
            dropout=0.0,
            positions=positions,
            max_length=128,
        )
        self.causal = causal
        table = nn.Embedding(DIGITS, d_model)
        self.embedding = Embedding(table, config)
        layers = [EncoderLayer(config) for _ in range(num_layers)]
        self.encoder = Encoder(layers, config)
        self.output = nn.Linear(d_model, DIGITS)
        self.apply(initialise)

    def forward(self, tokens):
        """Return the scores of every digit at every place, (B, T, vocab)."""
        mask = causal_mask(tokens.size(1)) if self.causal else None
        x = self.embedding(tokens)  # (B, T, D)
        x, _ = self.encoder(x, mask, fast_attention)  # (B, T, D)
        return self.output(x)  # (B, T, vocab)


def draw(task, rows, length, generator):
    """Draw rows of digits and what is to be answered.

    Args:
        task: "before", the digit before each place, or "reverse".
        rows: number of rows B.
        length: digits of each row T.
        generator: a `torch.Generator`.

    Returns:
        The digits and the labels, int64, (B, T) each; the label of a
        place without an answer is `NOT_COUNTED`.

    Raises:
        ValueError: an unknown task.
    """
    tokens = torch.randint(DIGITS, (rows, length), generator=generator)
    if task == "before":
        labels = tokens.roll(1, dims=1)  # (B, T)
        labels[:, 0] = NOT_COUNTED
    elif task == "reverse":
        labels = tokens.flip(1)  # (B, T)
    else:
        raise ValueError(f"expected 'before' or 'reverse', got {task!r}")
    return tokens, labels


def train(model, task, steps, seed, rate=2e-3):
    """Train a reader in place with Adam on rows of 4 to 16 digits.

    Each step sees 64 new rows of one length.

    Args:
        model: a `Reader`.
        task: see `draw`.
        steps: number of updates.
        seed: fixes the rows.
        rate: largest learning rate; it rises for 50 steps, then stays.

    Returns:
        The loss of every step before its update, a list of floats.
    """
    generator = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)
    losses = []
    for step in range(steps):
        optimizer.param_groups[0]["lr"] = rate * min(1, (step + 1) / 50)
        lengths = SHORTEST, LONGEST + 1
        length = torch.randint(*lengths, (), generator=generator).item()
        tokens, labels = draw(task, 64, length, generator)
        loss = F.cross_entropy(
            model(tokens).flatten(0, 1),
            labels.flatten(),
            ignore_index=NOT_COUNTED,
        )
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    return losses


@torch.no_grad()
def accuracy(model, task, length, rows=200, seed=12345):
    """Measure a reader on rows of one length that training has not drawn.

    Args:
        model: a `Reader`.
        task: see `draw`.
        length: digits of a row T.
        rows: number of rows.
        seed: fixes them.

    Returns:
        The share of right answers at every place, float, (T,); NaN at a
        place that has no answer.
    """
    generator = torch.Generator().manual_seed(seed)
    tokens, labels = draw(task, rows, length, generator)
    right = (model(tokens).argmax(-1) == labels).float()  # (B, T)
    right[labels == NOT_COUNTED] = torch.nan
    return right.mean(0)  # (T,)
