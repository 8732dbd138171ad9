"""Data-parallel training: several workers make every step together.

``torchrun`` starts the workers, one process each.  All hold the same weights
and take the same batches; each computes some rows of every batch; the
gradients of all are added up, and each makes the same step with the sum.

PyTorch's `DistributedDataParallel` averages the workers' means instead,
which is another number when they have different numbers of labels, and
waits for ever for a worker that has no row.  It sends while it still
computes, which this module does not.

The step itself is `loop.update`, with one worker or with many.

Dimension letters:
    B rows of a batch, G numbers in all gradients together.
"""

import numpy as np
import torch
import torch.distributed as dist

from attnbook.data.batches import Batch
from attnbook.training import workers


def broadcast_parameters(model, step):
    """Give all workers the weights of worker 0.

    Args:
        model: the model; changed in place.
        step: of the checkpoint that this worker has read.

    Raises:
        ValueError: workers that have read different checkpoints.
    """
    if not workers.is_distributed():
        return
    found = torch.zeros(workers.world_size(), dtype=torch.int64)
    found[workers.rank()] = step
    dist.all_reduce(found)
    found = found.tolist()
    if len(set(found)) > 1:
        raise ValueError(
            "expected all workers to find the same last checkpoint, got "
            f"those of steps {found}; all must see the same folder"
        )
    for parameter in model.parameters():
        dist.broadcast(parameter.detach(), src=0)


def seed_dropout(seed, step):
    """Seed the random numbers of one step of one worker.

    They depend on nothing else, so no checkpoint has to hold them.

    Args:
        seed: of the run.
        step: its number.
    """
    mixed = np.random.SeedSequence([seed, step, workers.rank()])
    torch.manual_seed(int(mixed.generate_state(1)[0]))


def shard(batch):
    """Return this worker's rows of a batch: every n-th of n workers.

    Args:
        batch: a `Batch` of B rows.

    Returns:
        A `Batch` of B / n rows, rounded up or down; of none where there
        are more workers than rows, of all where there is one worker.
    """
    rows = slice(workers.rank(), None, workers.world_size())
    return Batch(batch.source[rows], batch.target[rows], batch.labels[rows])


def sum_gradients(model, loss):
    """Add up the gradients and the losses of all workers, in one message.

    Args:
        model: the model; its gradients are replaced by the sums, where
            there are other workers.
        loss: of this worker's rows, a scalar tensor.

    Returns:
        The loss of all rows, a scalar tensor.
    """
    if not workers.is_distributed():
        return loss
    learned = [p for p in model.parameters() if p.requires_grad]
    for p in learned:
        if p.grad is None:  # a worker without rows has nothing to add
            p.grad = torch.zeros_like(p)
    flat = torch.cat([loss.view(1), *(p.grad.flatten() for p in learned)])
    dist.all_reduce(flat)  # (1 + G,)
    total, *parts = flat.split([1, *(p.numel() for p in learned)])
    for p, part in zip(learned, parts, strict=True):
        p.grad = part.view_as(p)
    return total.squeeze(0)
