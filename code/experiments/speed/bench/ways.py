"""Ways to train a translator, from the common loop to the record.

Each way keeps what the way before it has, and changes what it says.
"""

from dataclasses import dataclass, replace

import torch

from attnbook.data.batches import batch_stream, make_batch
from attnbook.training.config import TrainConfig
from attnbook.training.loop import make_optimizer
from attnbook.training.muon import with_muon
from attnbook.training.precision import choose_precision
from speed.bench.contenders import (
    COMMON_BATCH,
    Contender,
    Ours,
    Size,
    TorchTransformer,
    our_model,
)


@dataclass(frozen=True)
class Way:
    """How to train.

    Attributes:
        about: what changes, and why that saves time.
        ours: the course's model, in its trainer: batches of similar length
            by tokens, not 128 sentences; products in the device's short type.
        falls: the rate rises and falls with the time.
        optimizer: "adam", "adamw" or "muon".
        rate: the highest.
        num_heads: of attention.
        max_tokens: of a bucketed batch.
        dropout: while training.
        weight_decay: of AdamW and Muon; Adam has none.
        minutes: after which the rate is 0, or the run is given up.
    """

    about: str
    ours: bool = False
    falls: bool = False
    optimizer: str = "adam"
    rate: float = 5e-4
    num_heads: int = 8
    max_tokens: int = 2048
    dropout: float = 0.1
    weight_decay: float = 0.01
    minutes: float = 60.0


def changed(before, about, **changes):
    """Return a way that differs in a few things from another."""
    return replace(before, about=about, **changes)


COMMON = Way("`nn.Transformer`, 128 random sentences a batch, Adam at 0.0005")
OURS = changed(
    COMMON,
    "sentences of similar length together, products in bf16; our layers, "
    "loss and halves; one table; their first weights",
    ours=True,
)
FALLING = changed(
    OURS,
    "AdamW, whose rate rises to 0.002 and falls to 0; 4 heads",
    falls=True,
    optimizer="adamw",
    rate=2e-3,
    num_heads=4,
    minutes=10.0,
)
MUON = changed(
    FALLING,
    "Muon for the matrices of the layers",
    optimizer="muon",
    rate=5e-3,
    minutes=5.6,
)
DECAY = changed(
    MUON,
    "weight decay of 0.3 in the place of dropout",
    dropout=0.0,
    weight_decay=0.3,
    minutes=3.6,
)
WAYS = {
    "common loop": COMMON,
    "our engine": OURS,
    "a rate that falls": FALLING,
    "Muon": MUON,
    "weight decay": DECAY,
}
RECORD = "weight decay"


@torch.no_grad()
def as_ours(theirs, size, vocab):
    """Return the course's model with the weights of a `TorchTransformer`.

    Both then compute the same, and the course's decoder can be used: no way
    waits for a slow one.
    """
    ours = our_model(size, vocab, tied=theirs.tied)

    def copy(a, b):
        b.weight.copy_(a.weight)
        if getattr(b, "bias", None) is not None:
            b.bias.copy_(a.bias)

    def copy_norm(a, b):
        b.gain.copy_(a.weight)
        b.bias.copy_(a.bias)

    def copy_attention(a, b):
        weights, biases = a.in_proj_weight.chunk(3), a.in_proj_bias.chunk(3)
        for part, weight, bias in zip(
            (b.w_q, b.w_k, b.w_v), weights, biases, strict=True
        ):
            part.weight.copy_(weight)
            part.bias.copy_(bias)
        copy(a.out_proj, b.w_o)

    copy(theirs.source_embedding, ours.source_embedding.table)
    copy(theirs.target_embedding, ours.target_embedding.table)
    copy(theirs.output, ours.output)
    for name in ("encoder", "decoder"):
        a, b = getattr(theirs.transformer, name), getattr(ours, name)
        for one, other in zip(a.layers, b.layers, strict=True):
            copy_attention(one.self_attn, other.self_attention)
            norms = [other.around_self, other.around_feed]
            if name == "decoder":
                copy_attention(one.multihead_attn, other.cross_attention)
                norms.insert(1, other.around_cross)
            copy(one.linear1, other.feed_forward.inner)
            copy(one.linear2, other.feed_forward.outer)
            for number, around in enumerate(norms, start=1):
                copy_norm(getattr(one, f"norm{number}"), around.norm)
        copy_norm(a.norm, b.norm)
    return ours


class Runner:
    """A model on its way: batches, steps, and the model to translate with.

    Args:
        way: a `Way`.
        vocab: number of tokens of the joint vocabulary.
        size: `Size` of the model; that of the record if None.
    """

    def __init__(self, way, vocab, size=None):
        self.way, self.vocab = way, vocab
        size = size or Size("run", 3, 256, way.num_heads, 512, way.max_tokens)
        self.size = size
        if way.ours:
            precision = choose_precision("auto", torch.device("cpu"))
            model = our_model(size, vocab, dropout=way.dropout)
            self.contender = Ours("run", model, [], precision)
        else:
            model = TorchTransformer(size, vocab, False, dropout=way.dropout)
            for p in model.parameters():
                if p.dim() > 1:  # as the tutorials start
                    torch.nn.init.xavier_uniform_(p)
            self.contender = Contender("run", model, [], "fp32", None)
        if way.optimizer == "adam":
            optimizer = torch.optim.Adam(model.parameters())
        else:
            config = TrainConfig(
                optimizer=way.optimizer, weight_decay=way.weight_decay
            )
            optimizer = with_muon(make_optimizer, model, config)
        self.contender.optimizer = optimizer
        self.model = model.train()

    def step(self, batch, factor):
        """Make one step with a part of the highest rate; return the loss."""
        for group in self.contender.optimizer.param_groups:
            group["lr"] = self.way.rate * factor
        return self.contender.step(batch)

    def stream(self, pairs, seed=0):
        """Yield (epoch, batch) for ever, in an order of the seed's own."""
        if self.way.ours:
            for (epoch, _), batch in batch_stream(
                pairs, self.size.max_tokens, seed
            ):
                yield epoch, batch
        generator, epoch = torch.Generator().manual_seed(seed), 0
        while True:
            order = torch.randperm(len(pairs), generator=generator)
            for group in order.split(COMMON_BATCH):
                yield epoch, make_batch([pairs[i] for i in group.tolist()])
            epoch += 1

    def translating_model(self):
        """Return the course's model with the weights of now."""
        if self.way.ours:
            return self.model
        return as_ours(self.model, self.size, self.vocab)
