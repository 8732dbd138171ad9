"""The gradients of `training.loop.update`, from two halves of a batch.

Many operations of a small model are too short to be worth cutting up among
threads.  So each thread takes half of the sentences through all of them.
What the two find is added up: the same gradients as of the whole batch, but
for rounding and for the random numbers of dropout.

Dimension letters:
    B batch, S source length, T target length, D = d_model, vocab words of the
    vocabulary, N positions that count.
"""

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache, partial
from typing import NamedTuple

import torch

from attnbook.data.vocabulary import PAD
from attnbook.fast.chunked_loss import loss_and_gradients
from attnbook.fast.forward import Forward, is_fast, leaves_of
from attnbook.inputs import check_tokens

HALVES = 2  # more parts than that have not been measured


@lru_cache(maxsize=1)
def pool_of(threads):
    """Return an executor whose workers share PyTorch's threads evenly.

    Args:
        threads: of PyTorch, at least `HALVES`.

    Returns:
        A `ThreadPoolExecutor` of `HALVES` workers.
    """
    all_there = threading.Barrier(HALVES, timeout=60)
    pool = ThreadPoolExecutor(HALVES, "half")

    def start(_):
        all_there.wait()
        torch.get_num_threads()  # the first call sets what all threads share
        torch.set_num_threads(threads // HALVES)

    list(pool.map(start, range(HALVES)))
    torch.set_num_threads(threads)  # of this thread, and of those to come
    return pool


if hasattr(os, "register_at_fork"):  # a child process has no such threads
    os.register_at_fork(after_in_child=pool_of.cache_clear)


class Found(NamedTuple):
    """What one half of a batch gives."""

    loss: torch.Tensor  # summed, a scalar
    to_table: torch.Tensor  # gradient of the output matrix, (vocab, D)
    to_embedded: list  # of the first vectors, (B, S, D) and (B, T, D)
    to_leaves: list  # of the leaves, in their order


@torch.enable_grad()
def half(model, leaves, batch, smoothing, seed, dtype, loss_of):
    """Compute loss and gradients of some rows of a batch.

    Args:
        model: the model.
        leaves: see `forward.leaves_of`.
        batch: a `Batch`.
        smoothing: of labels.
        seed: of the random numbers of dropout.
        dtype: in which products are computed.
        loss_of: `loss_and_gradients`, or a function like it.

    Returns:
        A `Found`.
    """
    forward = Forward(model, leaves, torch.Generator().manual_seed(seed))
    embedded = []
    for part, tokens in (
        (model.source_embedding, batch.source),
        (model.target_embedding, batch.target),
    ):
        x = part.table.weight.detach()[tokens] * part.scale  # (B, T, D)
        embedded.append(part.add(x, 0).requires_grad_())
    states = forward.states(*embedded, model.source_mask(batch.source))
    counts = batch.labels != PAD  # (B, T)
    loss, to_states, to_table = loss_of(
        states.detach()[counts],  # (N, D)
        model.output.weight.detach(),
        batch.labels[counts],
        smoothing,
        dtype,
    )
    above = torch.zeros_like(states)
    above[counts] = to_states
    wanted = [*embedded, *leaves.values()]
    found = torch.autograd.grad(states, wanted, above)
    return Found(loss, to_table, found[:2], found[2:])


def halves_of(model, leaves, batch, smoothing, dtype, loss_of):
    """Return the halves of a batch, each with what it gives.

    Arguments as in `half`, without the seed.
    """

    def compute(part, seed):
        return part, half(model, leaves, part, smoothing, seed, dtype, loss_of)

    threads = torch.get_num_threads()
    seeds = torch.randint(2**62, (HALVES,)).tolist()
    cuts = [slice(i, None, HALVES) for i in range(HALVES)]
    parts = [batch.rows(cut) for cut in cuts[: len(batch.labels)]]
    both = map if threads < HALVES else pool_of(threads).map
    return list(both(compute, parts, seeds))


@torch.no_grad()
def add_gradients(
    model,
    batch,
    count,
    smoothing,
    dtype,
    loss_of=loss_and_gradients,
):
    """Add the gradients of a batch to those of the parameters.

    The same as the backward pass of ``output_loss(...) / count``, where
    padding stands at the ends of sentences.

    Args:
        model: a model that `is_fast`; its gradients are changed in place.
        batch: a `Batch` of one row or more.
        count: labels of the whole step.
        smoothing: of labels.
        dtype: in which products are computed.
        loss_of: `loss_and_gradients`, or a function like it.

    Returns:
        The summed loss, a scalar.

    Raises:
        ValueError: ids that the model cannot look up, an empty sentence, a
            sentence longer than max_length, or labels that are all padding.
    """
    if not batch.tokens:
        raise ValueError("expected at least one label that is no padding")
    c, table = model.config, model.output.weight
    for name in ("source", "target"):
        ids = getattr(batch, name)
        check_tokens(ids, c.source_vocab, c.max_length, name)
    leaves = leaves_of(model, dtype)
    for p in (table, *leaves):
        if p.grad is None:
            p.grad = torch.zeros_like(p)
    total = torch.zeros((), dtype=table.dtype)
    found = halves_of(model, leaves, batch, smoothing, dtype, loss_of)
    for part, one in found:
        total += one.loss
        add(model, leaves, part, one, count)
    return total


def add(model, leaves, batch, found, count):
    """Add what `half` found to the gradients of the parameters.

    Args:
        model: the model; its gradients are changed in place.
        leaves: see `forward.leaves_of`.
        batch: what it was found for.
        found: a `Found`.
        count: labels of the whole step.
    """
    table = model.output.weight
    table.grad.add_(found.to_table, alpha=1 / count)
    scale = model.source_embedding.scale / count
    sides = batch.source, batch.target
    for ids, gradient in zip(sides, found.to_embedded, strict=True):
        rows = gradient.flatten(0, 1)  # (B * T, D)
        table.grad.index_add_(0, ids.flatten(), rows, alpha=scale)
    for p, gradient in zip(leaves, found.to_leaves, strict=True):
        p.grad.add_(gradient, alpha=1 / count)


def find_gradients(model, asked, dtype):
    """Return what adds a model's gradients in halves, or None.

    Args:
        model: any model.
        asked: the precision asked for, see `forward.is_fast`.
        dtype: in which products are computed.

    Returns:
        `add_gradients` with that type, if it can train the model.
    """
    if not is_fast(model, asked):
        return None
    return partial(add_gradients, dtype=dtype)
