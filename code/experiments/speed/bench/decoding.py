"""Sentences per second of decoding, with the cache, without, and elsewhere.

Models are untrained, so they rarely end a sentence: every contender writes
as many words as the batch's longest source has.

Dimension letters:
    B batch, S source length, T target length, vocab words of the vocabulary.
"""

import time

import torch

from attnbook.data.batches import make_batch
from attnbook.data.vocabulary import BOS, PAD
from attnbook.decoding.greedy import greedy
from attnbook.decoding.search import fast_beam_search, fast_greedy
from lab.progress import track

BATCH = 64  # sentences


def source_batches(pairs, count, device):
    """Return source ids of sentences of similar length, a list of (B, S)."""
    rows = sorted(pairs[:count], key=lambda pair: len(pair[0]))
    groups = [rows[i : i + BATCH] for i in range(0, len(rows), BATCH)]
    return [make_batch(group).source.to(device) for group in groups]


def torch_greedy(model, source, longest):
    """Decode with `nn.Transformer` as its tutorials do, without a cache."""
    hidden = source == PAD  # (B, S)
    x = model.embed(model.source_embedding, source)
    memory = model.transformer.encoder(x, src_key_padding_mask=hidden)
    written = torch.full_like(source[:, :1], BOS)  # (B, 1)
    for _ in range(longest):
        logits = model.decode(written, memory, hidden)[:, -1]  # (B, vocab)
        word = logits.argmax(dim=-1, keepdim=True)  # (B, 1)
        written = torch.cat([written, word], dim=1)
    return written


def generate(model, source, longest, beams):
    """Decode with the Hugging Face model, its own cache in use."""
    return model.model.generate(
        input_ids=source,
        attention_mask=(source != PAD).long(),
        max_new_tokens=longest,
        min_new_tokens=longest,
        num_beams=beams,
        do_sample=False,
    )


def ways(models):
    """Return name -> function of (source, longest).

    Args:
        models: "ours", "torch-best" and perhaps "transformers" -> model.
    """
    ours = models["ours"]
    found = {
        "greedy ours": lambda s, n: fast_greedy(ours, s, n),
        "greedy no-cache": lambda s, n: greedy(ours, s, n, cached=False),
        "beam-5 ours": lambda s, n: fast_beam_search(ours, s, 5, longest=n),
    }
    if torch_best := models.get("torch-best"):
        found["greedy torch-best"] = lambda s, n: torch_greedy(
            torch_best, s, n
        )
    if marian := models.get("transformers"):
        found["greedy transformers"] = lambda s, n: generate(marian, s, n, 1)
        found["beam-5 transformers"] = lambda s, n: generate(marian, s, n, 5)
    return found


@torch.inference_mode()
def measure(models, pairs, rounds, count, wait):
    """Return sentences per second of every way, a list per round.

    Args:
        models: see `ways`.
        pairs: encoded pairs.
        rounds: how often; each round has all ways.
        count: number of sentences.
        wait: waits until the device has finished.
    """
    device = next(models["ours"].parameters()).device
    batches = source_batches(pairs, count, device)
    for model in models.values():
        model.eval()
    speeds = {name: [] for name in ways(models)}
    for number in track(range(rounds + 1), "rounds of decoding"):
        for name, way in ways(models).items():
            start = time.perf_counter()
            for source in batches if number else batches[:1]:
                way(source, source.size(1))
            wait()
            seconds = time.perf_counter() - start
            if number:  # the first one warms up
                speeds[name].append(sum(map(len, batches)) / seconds)
    return speeds
