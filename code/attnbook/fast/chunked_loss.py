"""`training.loss.sequence_loss`, without ever holding all the logits.

The logits are by far the largest tensor of a training step: one number for
every word of the vocabulary at every position.  PyTorch's own loss writes
them, their type's copy, their log-softmax and the gradients of all three to
memory.  Here a few hundred positions at a time go all the way, from states
to loss to gradient, while they are still in the processor's cache.

Dimension letters:
    N positions that count, C positions of one chunk, D = d_model, vocab words
    of the vocabulary.
"""

import torch

CHUNK = {"cpu": 256, "cuda": 8192}  # positions; on a GPU few launches count


def chunk_gradient(logits, labels, smoothing):
    """Return loss and gradient of some logits.

    With z the logits, p = softmax(z) and q the smoothed label, the loss is
    logsumexp(z) - q . z and its gradient p - q.

    Args:
        logits: float32 or float64, (C, vocab); becomes the gradient.
        labels: int64, (C,).
        smoothing: share of all words, from 0 to below 1.

    Returns:
        The summed loss, a scalar, and the gradient, (C, vocab).
    """
    labels = labels[:, None]  # (C, 1)
    right = logits.gather(1, labels).sum()
    every = logits.mean(dim=-1).sum()
    total = logits.logsumexp(dim=-1, keepdim=True)  # (C, 1)
    loss = total.sum() - (1 - smoothing) * right - smoothing * every
    gradient = logits.sub_(total).exp_()  # (C, vocab), p
    if smoothing:
        gradient -= smoothing / gradient.size(-1)
    right = torch.full_like(labels, smoothing - 1, dtype=gradient.dtype)
    return loss, gradient.scatter_add_(1, labels, right)


def bfloat16_gradient(logits, labels, smoothing):
    """Return loss and gradient of logits in bfloat16, in fewer passes.

    PyTorch's softmax of bfloat16 computes in float32 and writes bfloat16,
    which the gradient would be rounded to anyway.  With r the right word,
    the loss without smoothing is -log p_r, and logsumexp(z) = z_r - log p_r.
    What smoothing takes from every word alike is left to the caller: it
    needs no pass over all logits.

    Args:
        logits: bfloat16, (C, vocab).
        labels: int64, (C,).
        smoothing: share of all words, from 0 to below 1.

    Returns:
        The summed loss but for smoothing * mean(z), a float32 scalar, and
        the gradient but for smoothing / vocab, bfloat16, (C, vocab).
    """
    at = torch.arange(len(labels), device=labels.device), labels
    right = logits[at].float()  # (C,)
    gradient = logits.softmax(dim=-1)  # (C, vocab), p
    p = gradient[at].float()  # (C,)
    gradient[at] = (p - (1 - smoothing)).bfloat16()
    logp = p.clamp_min(torch.finfo(p.dtype).tiny).log()
    return (smoothing * right - logp).sum(), gradient


def loss_and_gradients(states, weight, labels, smoothing, dtype):
    """Return summed cross-entropy of ``states @ weight.T``, and gradients.

    The gradients are computed chunk by chunk, while the logits exist.

    Args:
        states: what the output layer reads, float, (N, D).
        weight: of the output layer, float, (vocab, D).
        labels: int64, (N,).
        smoothing: share of all words, from 0 to below 1.
        dtype: in which products are computed.

    Returns:
        The loss, a scalar, and its gradients by states, (N, D), and by
        weight, (vocab, D).
    """
    wide = torch.promote_types(dtype, torch.float32)
    short = dtype == torch.bfloat16
    loss = states.new_zeros((), dtype=wide)
    size = CHUNK.get(states.device.type, CHUNK["cuda"])
    to_states, to_weight = [], torch.zeros_like(weight)
    small = weight.to(dtype)  # (vocab, D)
    chunks = states.to(dtype).split(size), labels.split(size)
    for x, wanted in zip(*chunks, strict=True):
        logits = x @ small.T  # (C, vocab)
        gradient_of = bfloat16_gradient if short else chunk_gradient
        part, gradient = gradient_of(
            logits if short else logits.to(wide), wanted, smoothing
        )
        gradient = gradient.to(dtype)  # (C, vocab)
        to_states.append(gradient @ small)  # (C, D)
        to_weight += gradient.T @ x  # (vocab, D)
        loss += part
    to_states = torch.cat(to_states).to(states)  # (N, D)
    if short:  # what smoothing takes from every word alike
        every = states.to(wide).sum(0)  # (D,)
        loss -= smoothing * (every @ weight.mean(0))
        to_states -= smoothing * weight.mean(0)
        to_weight -= smoothing / len(weight) * every
    return loss, to_states, to_weight


class ChunkedLoss(torch.autograd.Function):
    """The loss of `loss_and_gradients`, whose gradients are kept."""

    @staticmethod
    def forward(ctx, *args):
        """Return the loss, a scalar; arguments as there."""
        loss, *gradients = loss_and_gradients(*args)
        ctx.save_for_backward(*gradients)
        return loss

    @staticmethod
    def backward(ctx, above):
        """Return the gradients of states and weight."""
        to_states, to_weight = ctx.saved_tensors
        return above * to_states, above * to_weight, None, None, None


def product_type(x):
    """Return the type in which matrix products of x are computed here."""
    device = x.device.type
    if torch.is_autocast_enabled(device):
        return torch.get_autocast_dtype(device)
    return x.dtype


def output_loss(states, weight, labels, pad_id, smoothing=0.0):
    """Return the summed cross-entropy of the next words.

    The same number, with the same gradients, as `loss.sequence_loss`
    with reduction="sum" of the logits ``states @ weight.T``.  Positions
    whose label is padding are not computed at all.

    Args:
        states: what the output layer reads, float, (..., D).
        weight: of the output layer, float, (vocab, D).
        labels: the next words, int64, (...,).
        pad_id: the label that does not count.
        smoothing: see `sequence_loss`.

    Returns:
        The loss in nats, a scalar, float32; float64 if all else is.

    Raises:
        ValueError: shapes that do not fit, smoothing out of range, or
            labels that are all padding.
    """
    if states.shape[:-1] != labels.shape or states.size(-1) != weight.size(-1):
        raise ValueError(
            "expected states of shape (..., D), labels (...) and a weight "
            f"(vocab, D), got {tuple(states.shape)}, "
            f"{tuple(labels.shape)} and "
            f"{tuple(weight.shape)}"
        )
    if not 0 <= smoothing < 1:
        raise ValueError(
            f"expected smoothing from 0 to below 1, got {smoothing}"
        )
    counts = labels != pad_id  # (...)
    states, labels = states[counts], labels[counts]  # (N, D), (N,)
    if not len(labels):
        raise ValueError("expected at least one label that is no padding")
    dtype = product_type(weight)
    with torch.autocast(states.device.type, enabled=False):
        return ChunkedLoss.apply(states, weight, labels, smoothing, dtype)
