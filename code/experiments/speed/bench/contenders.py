"""What the benchmark compares: our trainer, and what people use instead.

All see the same sentences, sizes, vocabulary and loss.  A contender is a
model, its batches, and one function that makes a step.

Dimension letters:
    B batch, S source length, T target length, D = d_model, vocab words of the
    vocabulary.
"""

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn

from attnbook.config import TransformerConfig
from attnbook.data.batches import batch_stream, make_batch
from attnbook.data.vocabulary import PAD
from attnbook.fast import halves
from attnbook.positions import SinusoidalPositions
from attnbook.training.config import TrainConfig
from attnbook.training.loop import make_optimizer, update
from attnbook.training.precision import (
    PRECISIONS,
    autocast,
    choose_precision,
    for_many_shapes,
)
from attnbook.transformer import Transformer

SMOOTHING, DROPOUT, RATE = 0.1, 0.3, 5e-4
COMMON_BATCH = 128  # sentences, as the well-known notebooks have it
MAX_LENGTH = 256


@dataclass(frozen=True)
class Size:
    """Sizes of a model: layers in each stack, widths, heads."""

    name: str
    layers: int
    d_model: int
    num_heads: int
    d_ff: int
    max_tokens: int  # of a bucketed batch
    part: int = 1  # a round has this part of the work: 1 / part


SIZES = {
    "A": Size("A", 3, 256, 8, 512, 4096),
    "B": Size("B", 6, 512, 8, 2048, 2048, 8),  # the paper's base model
}


class Contender:
    """A model with its batches and its way to make a step.

    Args:
        name: what the table calls it.
        model: source and target ids -> logits (B, T, vocab).
        batches: a list of `Batch`, the same in every round.
        precision: "fp32", "bf16" or "fp16", which has a gradient scaler, as
            PyTorch's guide has it.
        optimizer: of the model's parameters.
    """

    def __init__(self, name, model, batches, precision, optimizer):
        self.name, self.model, self.batches = name, model, batches
        self.precision, self.optimizer = precision, optimizer
        self.device = next(model.parameters()).device
        self.scaler = torch.amp.GradScaler(
            self.device.type, enabled=precision == "fp16"
        )

    def step(self, batch):
        """Make one step: loss, gradients, clipping, update."""
        batch = batch.to(self.device)
        self.optimizer.zero_grad(set_to_none=True)
        with autocast(self.precision, self.device):
            logits = self.model(batch.source, batch.target)  # (B, T, vocab)
        loss = F.cross_entropy(
            logits.flatten(0, 1).float(),
            batch.labels.flatten(),
            ignore_index=PAD,
            label_smoothing=SMOOTHING,
        )
        self.scaler.scale(loss).backward()
        self.scaler.unscale_(self.optimizer)
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.scaler.step(self.optimizer)
        self.scaler.update()
        return loss.detach()


class Ours(Contender):
    """The course's model in the course's trainer."""

    def __init__(self, name, model, batches, precision):
        self.config = TrainConfig(smoothing=SMOOTHING, precision=precision)
        optimizer = make_optimizer(model, self.config)
        super().__init__(name, model, batches, precision, optimizer)

    def step(self, batch):
        """Make one step as `attnbook train` does."""
        fastest = choose_precision("auto", self.device)
        asked = "auto" if self.precision == fastest else self.precision
        dtype = PRECISIONS[self.precision]
        with for_many_shapes(self.device):
            return update(
                self.model,
                self.optimizer,
                self.scaler,
                [batch],
                self.config,
                self.precision,
                halves.find_gradients(self.model, asked, dtype),
            )[0]


class TorchTransformer(nn.Module):
    """PyTorch's own encoder-decoder with embeddings and an output layer.

    Args:
        size: a `Size`.
        vocab: number of tokens of the joint vocabulary.
        tied: whether both embeddings and the output share one matrix.
        dropout: share that is dropped.
    """

    def __init__(self, size, vocab, tied, dropout=DROPOUT):
        super().__init__()
        self.d_model, self.tied = size.d_model, tied
        self.source_embedding = nn.Embedding(vocab, size.d_model)
        self.target_embedding = nn.Embedding(vocab, size.d_model)
        self.output = nn.Linear(size.d_model, vocab, bias=False)
        if tied:
            self.target_embedding = self.source_embedding
            nn.init.normal_(self.source_embedding.weight, std=0.06)
            self.output.weight = self.source_embedding.weight
        self.positions = SinusoidalPositions(size.d_model, MAX_LENGTH)
        self.dropout = nn.Dropout(dropout)
        self.transformer = nn.Transformer(
            size.d_model,
            size.num_heads,
            size.layers,
            size.layers,
            size.d_ff,
            dropout,
            batch_first=True,
            norm_first=True,
        )

    def embed(self, table, tokens):
        """Return the first vectors of the stream, (B, T, D)."""
        x = table(tokens) * math.sqrt(self.d_model)  # (B, T, D)
        return self.dropout(self.positions(x))

    def forward(self, source, target):
        """Return the logits, (B, T, vocab)."""
        hidden = source == PAD  # (B, S)
        memory = self.transformer.encoder(
            self.embed(self.source_embedding, source),
            src_key_padding_mask=hidden,
        )  # (B, S, D)
        return self.decode(target, memory, hidden)

    def decode(self, target, memory, hidden):
        """Return the logits, (B, T, vocab), given the memory, (B, S, D)."""
        length = target.size(1)
        future = torch.ones(
            length, length, dtype=torch.bool, device=target.device
        ).triu(1)  # (T, T); True is hidden here
        # Padding of the target stands at the end, where the causal mask
        # hides it; only the plain loop hands it over all the same.
        padding = None if self.tied else target == PAD  # (B, T)
        x = self.transformer.decoder(
            self.embed(self.target_embedding, target),
            memory,
            tgt_mask=future,
            tgt_key_padding_mask=padding,
            memory_key_padding_mask=hidden,
            tgt_is_causal=self.tied,
        )
        return self.output(x)  # (B, T, D) -> (B, T, vocab)


def our_model(size, vocab, tied=True, dropout=DROPOUT):
    """Return the course's model, by default with one matrix for all."""
    return Transformer(
        TransformerConfig(
            source_vocab=vocab,
            target_vocab=vocab,
            d_model=size.d_model,
            num_heads=size.num_heads,
            d_ff=size.d_ff,
            num_encoder_layers=size.layers,
            num_decoder_layers=size.layers,
            dropout=dropout,
            shared_embeddings=tied,
            max_length=MAX_LENGTH,
        )
    )


def bucketed(pairs, size, tokens):
    """Return batches of similar length that hold this many labels."""
    batches, count = [], 0
    for _, batch in batch_stream(pairs, size.max_tokens, seed=0):
        batches.append(batch)
        count += batch.tokens
        if count >= tokens:
            return batches
    return batches


def shuffled(pairs, tokens):
    """Return batches of 128 random sentences, padded to the longest."""
    generator = torch.Generator().manual_seed(0)
    order = torch.randperm(len(pairs), generator=generator).tolist()
    batches, count = [], 0
    for first in range(0, len(order), COMMON_BATCH):
        group = order[first : first + COMMON_BATCH]
        batches.append(make_batch([pairs[i] for i in group]))
        count += batches[-1].tokens
        if count >= tokens:
            break
    return batches


def adam(model, **options):
    """Return the usual optimizer of the usual loop."""
    return torch.optim.Adam(
        model.parameters(), lr=RATE, betas=(0.9, 0.98), eps=1e-9, **options
    )


def best_optimizer(model):
    """Return the optimizer of our trainer, for somebody else's model."""
    return torch.optim.AdamW(
        model.parameters(),
        lr=RATE,
        betas=(0.9, 0.98),
        eps=1e-9,
        weight_decay=0.01,
        fused=True,
    )
