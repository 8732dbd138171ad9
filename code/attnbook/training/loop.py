"""Training: batches, loss, update, checkpoint, again.

Dimension letters:
    B batch, T target length, vocab words of the vocabulary.
"""

import contextlib
import signal

import torch

from attnbook.data.batches import batch_stream, bucket_batches, make_batch
from attnbook.data.vocabulary import PAD
from attnbook.fast import halves
from attnbook.fast.chunked_loss import output_loss
from attnbook.training import parallel, workers
from attnbook.training.loss import sequence_loss
from attnbook.training.muon import with_muon
from attnbook.training.number_types import decide
from attnbook.training.precision import PRECISIONS, autocast, for_many_shapes
from attnbook.training.runs import RunFolder
from attnbook.training.schedule import learning_rate


def make_optimizer(model, config):
    """Return Adam with the paper's betas (sec. 5.3) and decoupled decay."""
    return torch.optim.AdamW(
        model.parameters(),
        lr=config.learning_rate,
        betas=(0.9, 0.98),
        eps=1e-9,
        weight_decay=config.weight_decay,
        fused=True,  # one pass over each parameter instead of a dozen
    )


def update(
    model, optimizer, scaler, batches, config, precision, gradients=None
):
    """Make one step from one or several batches, with all workers.

    The loss is averaged over the labels of all batches together, and the
    norm that is clipped is that of the whole gradient.

    Args:
        model: the model; changed in place.
        optimizer: its optimizer; changed in place.
        scaler: a `torch.amp.GradScaler`, in use with fp16 alone.
        batches: a list of `Batch`, whole ones, the same at every worker.
        config: a `TrainConfig`.
        precision: see `precision.choose_precision`.
        gradients: a faster way to add those of a batch and to return its
            loss (`fast.halves`), or None.

    Returns:
        The loss in nats per label, a scalar tensor without gradient, and
        the number of labels.
    """
    device = next(model.parameters()).device
    count = sum(batch.tokens for batch in batches)
    total = torch.zeros((), device=device)
    scaler.scale(total)  # makes its factor, even where no row comes
    optimizer.zero_grad(set_to_none=True)
    for batch in (parallel.shard(batch).to(device) for batch in batches):
        if not len(batch.labels):  # more workers than rows
            continue
        if gradients is not None:
            total += gradients(model, batch, count, config.smoothing)
            continue
        with autocast(precision, device):
            states = model.states(batch.source, batch.target)  # (B, T, D)
            weight, labels = model.output.weight, batch.labels
            loss = output_loss(states, weight, labels, PAD, config.smoothing)
        scaler.scale(loss / count).backward()
        total += loss.detach()
    total = parallel.sum_gradients(model, total)
    if config.clip:
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), config.clip)
    scaler.step(optimizer)
    scaler.update()
    return total / count, count


@torch.no_grad()
def validation_loss(model, pairs, max_tokens=4096):
    """Return the unsmoothed loss of a model on encoded pairs.

    Args:
        model: the model; its mode is given back as it was.
        pairs: (source ids, target ids).
        max_tokens: bound on padded tokens of one batch.

    Returns:
        Nats per label, a float.
    """
    device = next(model.parameters()).device
    training = model.training
    model.eval()
    lengths = [(len(s) + 1, len(t) + 1) for s, t in pairs]
    total, count = 0.0, 0
    for group in bucket_batches(lengths, max_tokens, seed=0):
        batch = make_batch([pairs[i] for i in group]).to(device)
        logits = model(batch.source, batch.target)  # (B, T, vocab)
        loss = sequence_loss(logits, batch.labels, PAD, reduction="sum")
        total, count = total + loss.item(), count + batch.tokens
    model.train(training)
    return total / count


class Interrupt:
    """Note Ctrl-C instead of stopping between two halves of a step."""

    def __init__(self):
        self.came = False

    def __enter__(self):
        """Take the signal over, where that is possible."""
        self.old = None
        with contextlib.suppress(ValueError):  # not in the main thread
            self.old = signal.signal(signal.SIGINT, self.note)
        return self

    def note(self, *_):
        """Remember that the signal came; the second time, stop at once."""
        if self.came:
            raise KeyboardInterrupt
        self.came = True

    def __exit__(self, *_):
        """Give the signal back."""
        if self.old is not None:
            signal.signal(signal.SIGINT, self.old)


class Run:
    """A training under way: model, optimizer, number type, state, folder.

    Args:
        model: the model; gets the weights of the last checkpoint.
        config: a `TrainConfig`.
        folder: where checkpoints are, or None.

    Raises:
        ValueError: a checkpoint that cannot be read, or not the same one
            at every worker.
    """

    def __init__(self, model, config, folder):
        self.model, self.config = model, config
        self.folder = RunFolder(folder)
        device = next(model.parameters()).device
        kept = self.folder.read_state()
        self.precision, self.reason = decide(model, config, kept)
        fp16 = self.precision == "fp16"
        self.scaler = torch.amp.GradScaler(device.type, enabled=fp16)
        muons = self.precision if "precision" in kept else None
        self.optimizer = with_muon(make_optimizer, model, config, muons)
        dtype = PRECISIONS[self.precision]
        self.fast = halves.find_gradients(model, config.precision, dtype)
        new = {"step": 0, "at": [0, 0], "scaler": {}, "history": []}
        new["precision"] = self.precision
        torch.manual_seed(config.seed + 1)  # of dropout
        self.state = self.folder.load_last(model, self.optimizer) or new
        if self.state["scaler"]:  # empty where the run has none
            self.scaler.load_state_dict(self.state["scaler"])
        parallel.broadcast_parameters(model, self.state["step"])

    def step(self, step, stream):
        """Make one step; return loss, a tensor, and number of labels."""
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate(step, self.model, self.config)
        taken = [next(stream) for _ in range(self.config.accumulate)]
        batches = [batch for _, batch in taken]
        self.state |= {"step": step, "at": list(taken[-1][0])}
        if workers.is_distributed():
            parallel.seed_dropout(self.config.seed, step)
        changed = self.model, self.optimizer, self.scaler
        how = self.config, self.precision, self.fast
        return update(*changed, batches, *how)

    def note(self, loss, valid):
        """Add the step's losses to the history."""
        note = {"step": self.state["step"], "loss": round(loss.item(), 4)}
        if valid:
            note["valid"] = round(validation_loss(self.model, valid), 4)
        self.state["history"].append(note)

    def save(self):
        """Write a checkpoint, if there is a folder for it."""
        if workers.rank() > 0:
            return
        self.state["scaler"] = self.scaler.state_dict()
        self.folder.save_checkpoint(
            self.model, self.optimizer, self.state, self.config
        )


def train(model, pairs, config, folder=None, valid=None, progress=None):
    """Train a model, going on from the last checkpoint if there is one.

    Interrupted at any moment and called again with the same arguments, it
    ends with the same weights, on a CPU bit for bit.  Workers that torchrun
    has started train the same model together; worker 0 alone measures,
    reports and writes.

    Args:
        model: a model with the interface of `Transformer`, as
            `repro.seed_everything(config.seed)` makes it.
        pairs: encoded pairs, (source ids, target ids).
        config: a `TrainConfig`.
        folder: where checkpoints go; None for none.
        valid: encoded pairs that are measured at every checkpoint.
        progress: a `progress.Progress`, or None.

    Returns:
        A list with a dict of "step", "loss" and "valid" per checkpoint.

    Raises:
        ValueError: no pairs, pairs that are too long for a batch, or a
            checkpoint that cannot be read or written.
        KeyboardInterrupt: Ctrl-C, after the checkpoint was written.
    """
    run = Run(model, config, folder)
    if run.reason and progress is not None:
        progress.say(run.reason)
    stream = batch_stream(
        pairs, config.max_tokens, config.seed, tuple(run.state["at"])
    )
    model.train()
    first = workers.rank() == 0
    device = next(model.parameters()).device
    with Interrupt() as interrupt, for_many_shapes(device):
        for step in range(run.state["step"] + 1, config.steps + 1):
            loss, count = run.step(step, stream)
            if progress is not None and first:
                progress.update(step, loss, count)
            regular = step % config.save_every == 0 or step == config.steps
            if regular and first:
                run.note(loss, valid)
            stop = workers.is_any(interrupt.came)
            if regular or stop:
                run.save()
            if stop:
                workers.is_any(stop)  # worker 0 has written: all may end
                raise KeyboardInterrupt
    return run.state["history"]
