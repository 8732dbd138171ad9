"""Does training notice that heads are merged without the transpose?

    python code/experiments/merge_bug.py

Copy and reverse 12 random digits, with the right merge and with the wrong
one.  The reader sees the digits and writes all answers at once; the writer,
an encoder-decoder, writes them one by one.  About three minutes on one core.
"""

import itertools

import torch
import torch.nn.functional as F

from attnbook import multihead
from attnbook.config import TransformerConfig
from attnbook.transformer import Transformer
from fingerprints import first_losses
from needs import in_one_line
from store import clean_commit, store
from track import track

NEEDS = "nothing"
T, BATCH, STEPS, RATE = 12, 64, 500, 2e-3
SEEDS = (0, 1, 2)
RIGHT = multihead.merge_heads


def wrong_merge(x):
    """Flatten (B, H, T, K) to (B, T, D) without the transpose."""
    return x.reshape(x.size(0), x.size(2), -1)


def draw(task, size, generator):
    """Return digits, (B, T), and <bos> with the answer, (B, T + 1)."""
    source = torch.randint(3, 13, (size, T), generator=generator)
    answer = source.flip(1) if task == "reverse" else source
    begin = torch.ones(size, 1, dtype=torch.long)
    return source, torch.cat([begin, answer], dim=1)


def score(model, kind, source, target):
    """Return logits, (B, T, V), of all answers at once."""
    if kind == "reader":
        return model.output(model.encode(source))
    return model(source, target[:, :-1])


def train(kind, task, seed):
    """Return a trained model."""
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
        source, target = draw(task, BATCH, generator)
        optimizer.param_groups[0]["lr"] = RATE * min(1, (step + 1) / 50)
        logits = score(model, kind, source, target)
        loss = F.cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model, loss.item()


@torch.no_grad()
def judge(model, kind, task):
    """Return accuracies, all at once and one by one, and what leaks."""
    source, target = draw(task, 500, torch.Generator().manual_seed(12345))
    logits = score(model, kind, source, target)
    at_once = (logits.argmax(-1) == target[:, 1:]).float().mean().item()
    if kind == "reader":
        return {"at_once": round(at_once, 4)}
    changed = target.clone()
    changed[:, -2] = (changed[:, -2] - 3 + 1) % 10 + 3  # the last one read
    moved = score(model, kind, source, changed) - logits  # (B, T, V)
    written = target[:, :1]
    for _ in range(T):
        best = model(source, written)[:, -1].argmax(-1, keepdim=True)
        written = torch.cat([written, best], dim=1)
    one_by_one = (written == target)[:, 1:].float().mean().item()
    return {
        "at_once": round(at_once, 4),
        "one_by_one": round(one_by_one, 4),
        "moved": round(moved[:, :-1].abs().max().item(), 4),
    }


def fingerprint():
    """Return what shows whether the stored result is stale."""
    return {
        kind: first_losses(train, kind, "copy", SEEDS[0])
        for kind in ("reader", "writer")
    }


def main():
    """Train every combination and store it."""
    commit = clean_commit()
    runs = []
    merges = {"right": RIGHT, "wrong": wrong_merge}
    plan = itertools.product(
        ("reader", "writer"), ("copy", "reverse"), merges, SEEDS
    )
    for kind, task, merge, seed in track(plan, "models"):
        multihead.merge_heads = merges[merge]  # looked up at every call
        model, loss = train(kind, task, seed)
        about = {"kind": kind, "task": task, "merge": merge, "seed": seed}
        runs.append(
            about | {"loss": round(loss, 4)} | judge(model, kind, task)
        )
        print(runs[-1], flush=True)
    store(
        commit,
        f"Share of right digits after {STEPS} steps, right and wrong merge; "
        "how far earlier outputs move when the last digit read changes",
        SEEDS,
        "12 random digits, drawn anew for every batch of 64; judged on 500",
        {"steps": STEPS, "runs": runs},
    )


if __name__ == "__main__":
    torch.set_num_threads(1)
    in_one_line(main)
