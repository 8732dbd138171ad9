"""Gradients that a GPU computes after one launch, not after a thousand.

Python launches each small program of an update by itself, and a fast GPU waits
for the next one.  A CUDA graph records all launches of a piece of work once;
after that a single launch repeats them, on the same places in memory.  A
record holds for one shape of batch, so there is one for each.
"""

from collections import deque

import torch

from attnbook.data.batches import Batch

AHEAD = 2  # updates that may wait for the GPU


def shape_of(batch):
    """Return sentences, source places and target places of a batch."""
    return *batch.source.shape, batch.target.size(1)


def parts(batch):
    """Return the three tensors of a batch."""
    return batch.source, batch.target, batch.labels


class Recorded:
    """A function that adds gradients, recorded for some shapes of batches.

    A batch of any other shape is computed as it was before.  On a CPU there is
    nothing to record: the function is called, on the same places in memory.

    Args:
        add: a function of a batch and a number that adds gradients to those
            that are there; while it is recorded it must not wait for the
            device.
        device: a `torch.device`.
    """

    def __init__(self, add, device):
        self.add, self.device = add, device
        self.known, self.pool, self.ahead = {}, None, deque()

    def learn(self, batch):
        """Compute a batch once, so that all is there, and record it.

        The gradients that this leaves behind mean nothing: fill them with
        zeros, and do not throw them away, the records write to them.

        Args:
            batch: a `Batch` with a shape that is not known yet.
        """
        held = Batch(*(x.to(self.device, copy=True) for x in parts(batch)))
        count = torch.ones((), device=self.device)
        self.add(held, count)
        launch = None
        if self.device.type == "cuda":
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, pool=self.pool):
                self.add(held, count)
            self.pool = graph.pool()  # nothing in it outlives a launch
            launch = graph.replay
        self.known[shape_of(batch)] = launch, held, count

    def __call__(self, batch, count):
        """Add the gradients of a batch; arguments as those of ``add``."""
        if shape_of(batch) not in self.known:
            self.add(batch, count)
            return
        launch, held, number = self.known[shape_of(batch)]
        number.fill_(count)
        for old, new in zip(parts(held), parts(batch), strict=True):
            if launch:
                new = new.pin_memory()  # or the copy waits for the GPU
            old.copy_(new, non_blocking=True)
        if launch:
            launch()
            self.wait()
        else:
            self.add(held, number)

    def wait(self):
        """Let no more than `AHEAD` updates wait for the GPU."""
        event = torch.cuda.Event()
        event.record()
        self.ahead.append(event)
        if len(self.ahead) > AHEAD:
            self.ahead.popleft().synchronize()
