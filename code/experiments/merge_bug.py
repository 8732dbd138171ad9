"""Does training notice that heads are merged without the transpose?

    python code/experiments/merge_bug.py

Copy and reverse 12 random digits, with the right merge and with the wrong
one.  The reader sees the digits and writes all answers at once; the writer,
an encoder-decoder, writes them one by one.  About four minutes on one core.
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
LENGTHS = (12,)
BATCH, STEPS, RATE = 64, 500, 2e-3
SEEDS = (0, 1, 2)


def wrong_merge(x):
    """Flatten (B, H, T, K) to (B, T, D) without the transpose."""
    return x.reshape(x.size(0), x.size(2), -1)


MERGES = {"right": multihead.merge_heads, "wrong": wrong_merge}


def draw(task, size, length, generator):
    """Return digits, (B, T), and <bos> with the answer, (B, T + 1)."""
    source = torch.randint(3, 13, (size, length), generator=generator)
    answer = source.flip(1) if task == "reverse" else source
    begin = torch.ones(size, 1, dtype=torch.long)
    return source, torch.cat([begin, answer], dim=1)


def score(model, kind, source, target):
    """Return logits, (B, T, V), of all answers at once."""
    if kind == "reader":
        return model.output(model.encode(source))
    return model(source, target[:, :-1])


def train(kind, task, lengths, seed):
    """Return a trained model and its last loss."""
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
        source, target = draw(task, BATCH, length, generator)
        optimizer.param_groups[0]["lr"] = RATE * min(1, (step + 1) / 50)
        logits = score(model, kind, source, target)
        loss = F.cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model, loss.item()


@torch.no_grad()
def judge_at(model, kind, task, length):
    """Return accuracies, all at once and one by one, and what leaks."""
    generator = torch.Generator().manual_seed(12345)
    source, target = draw(task, 500, length, generator)
    logits = score(model, kind, source, target)
    at_once = (logits.argmax(-1) == target[:, 1:]).float().mean().item()
    if kind == "reader":
        return {"at_once": at_once}
    changed = target.clone()
    changed[:, -2] = (changed[:, -2] - 3 + 1) % 10 + 3  # the last one read
    moved = score(model, kind, source, changed) - logits  # (B, T, V)
    written = target[:, :1]
    for _ in range(length):
        best = model(source, written)[:, -1].argmax(-1, keepdim=True)
        written = torch.cat([written, best], dim=1)
    one_by_one = (written == target)[:, 1:].float().mean().item()
    return {
        "at_once": at_once,
        "one_by_one": one_by_one,
        "moved": moved[:, :-1].abs().max().item(),
    }


def judge(model, kind, task, lengths):
    """Return mean accuracies over the lengths, and the largest leak."""
    found = [judge_at(model, kind, task, length) for length in lengths]
    result = {
        name: round(sum(f[name] for f in found) / len(found), 4)
        for name in found[0]
    }
    if "moved" in result:
        result["moved"] = round(max(f["moved"] for f in found), 4)
    return result


def fingerprint():
    """Return what shows whether the stored result is stale."""
    return {
        kind: first_losses(train, kind, "copy", LENGTHS, SEEDS[0])
        for kind in ("reader", "writer")
    }


def main():
    """Train every combination and store it."""
    commit = clean_commit()
    runs = []
    plan = itertools.product(
        ("reader", "writer"), ("copy", "reverse"), MERGES, SEEDS
    )
    for kind, task, merge, seed in track(plan, "models"):
        multihead.merge_heads = MERGES[merge]  # looked up at every call
        model, loss = train(kind, task, LENGTHS, seed)
        about = {"kind": kind, "task": task, "merge": merge, "seed": seed}
        found = judge(model, kind, task, LENGTHS)
        runs.append(about | {"loss": round(loss, 4)} | found)
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
