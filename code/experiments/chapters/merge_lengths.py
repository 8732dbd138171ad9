"""Does training notice that heads are merged without the transpose?

    python code/experiments/run.py merge_lengths

One layer of attention alone names both neighbours of every token in a ring,
with one length and with mixed ones, one for each batch.  A writer, a small
encoder-decoder, reverses 8 to 12 random digits; it is judged on all answers
at once, as it was trained, and on what it writes one by one.  About five
minutes on one core.
"""

import itertools

import torch
import torch.nn.functional as F

from attnbook import multihead
from attnbook.config import TransformerConfig
from attnbook.tasks import neighbours
from attnbook.transformer import Transformer
from lab.experiment import Experiment
from lab.fingerprints import first_losses

LENGTHS = {"12": (12,), "8 to 12": (8, 9, 10, 11, 12)}
BATCH, STEPS, RATE = 64, 500, 2e-3
RING_STEPS = 1200
SEEDS = (0, 1, 2)
PLAN = (("one layer", "12"), ("one layer", "8 to 12"), ("writer", "8 to 12"))


def wrong_merge(x):
    """Flatten (B, H, T, d_k) to (B, T, D) without the transpose."""
    return x.reshape(x.size(0), x.size(2), -1)


MERGES = {"right": multihead.merge_heads, "wrong": wrong_merge}


def ring(lengths, seed):
    """Train one layer with four heads; return its share of right answers.

    The mean over the lengths, of the neighbour that it names less often.
    """
    model = neighbours.Neighbours(4, seed=seed)
    losses = neighbours.train(model, RING_STEPS, seed, lengths=lengths)
    worse = [min(neighbours.judge(model, length=n)[1]) for n in lengths]
    mean = sum(worse) / len(worse)
    return {"loss": round(losses[-1], 4), "at_once": round(mean, 4)}


def draw(size, length, generator):
    """Return digits, (B, T), and <bos> with them reversed, (B, T + 1)."""
    source = torch.randint(3, 13, (size, length), generator=generator)
    begin = torch.ones(size, 1, dtype=torch.long)
    return source, torch.cat([begin, source.flip(1)], dim=1)


def train(lengths, seed):
    """Return a trained writer and its last loss."""
    torch.manual_seed(seed)
    config = TransformerConfig(
        source_vocab=13,
        target_vocab=13,
        d_model=32,
        d_ff=64,
        num_heads=4,
        num_encoder_layers=2,
        num_decoder_layers=2,
        dropout=0.0,
        max_length=16,
    )
    model = Transformer(config)
    optimizer = torch.optim.Adam(model.parameters(), lr=RATE)
    generator = torch.Generator().manual_seed(seed)
    for step in range(STEPS):
        length = lengths[step % len(lengths)]
        source, target = draw(BATCH, length, generator)
        optimizer.param_groups[0]["lr"] = RATE * min(1, (step + 1) / 50)
        logits = model(source, target[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model, loss.item()


@torch.no_grad()
def judge(model, length):
    """Return shares of right digits: all at once, and one by one."""
    generator = torch.Generator().manual_seed(12345)
    source, target = draw(500, length, generator)
    at_once = model(source, target[:, :-1]).argmax(-1)
    written = target[:, :1]
    for _ in range(length):
        best = model(source, written)[:, -1].argmax(-1, keepdim=True)
        written = torch.cat([written, best], dim=1)
    found = at_once, written[:, 1:]
    return [(f == target[:, 1:]).float().mean().item() for f in found]


def writer(lengths, seed):
    """Train a writer; return its last loss and means over the lengths."""
    model, loss = train(lengths, seed)
    shares = zip(*[judge(model, n) for n in lengths], strict=True)
    at_once, one_by_one = (round(sum(s) / len(s), 4) for s in shares)
    found = {"at_once": at_once, "one_by_one": one_by_one}
    return {"loss": round(loss, 4)} | found


RUN = {"one layer": ring, "writer": writer}


def fingerprint():
    """Return what shows whether the stored result is stale."""
    lengths = LENGTHS["8 to 12"]
    return {
        "ring": first_losses(ring, lengths, SEEDS[0]),
        "writer": first_losses(train, lengths, SEEDS[0]),
    }


def measure(kind, length, merge, seed):
    """Train one model with one merge; return its row."""
    multihead.merge_heads = MERGES[merge]  # looked up at every call
    about = {"kind": kind, "length": length, "merge": merge, "seed": seed}
    return about | RUN[kind](LENGTHS[length], seed)


EXPERIMENT = Experiment(
    "merge_lengths",
    needs="nothing",
    about="Share of right answers, right and wrong merge, trained with one "
    "length and with mixed lengths; mean over the lengths",
    seeds=SEEDS,
    data="random digits or tokens, drawn anew for every batch of 64, one "
    "length for each batch; judged on 500 or 1,000 rows of every length",
    plan=lambda: [
        (*one, *rest)
        for one in PLAN
        for rest in itertools.product(MERGES, SEEDS)
    ],
    row=measure,
    values=lambda runs: {
        "steps": STEPS,
        "ring_steps": RING_STEPS,
        "runs": runs,
    },
    fingerprint=fingerprint,
    threads=1,
    items="models",
)
