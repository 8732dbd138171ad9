"""Change one thing inside a trained Transformer and see what it writes.

A head can be ablated, or a head's output or a state be patched with another
sentence's; `edges` takes single edges out.  It is done with PyTorch's hooks,
which are taken off again: the model itself is never changed.

Dimension letters:
    B batch, H heads, T target length, S source length, D = d_model, d_k = D /
    H, N layers.
"""

import contextlib

import torch

from attnbook.attention import scaled_dot_product_attention
from attnbook.data.vocabulary import PAD

PARTS = ("encoder", "decoder", "cross")


def check_parts(parts):
    """Refuse names that no attention of a Transformer has.

    Args:
        parts: an iterable of str.

    Raises:
        ValueError: a name out of `PARTS` alone is accepted.
    """
    for part in parts:
        if part not in PARTS:
            raise ValueError(f"expected a part of {PARTS}, got {part!r}")


def keep_attention(part, layer):
    """Choose ordinary attention everywhere; see `run`.

    Args:
        part: "encoder", "decoder" or "cross".
        layer: number of the layer, from 0.

    Returns:
        The attention function to use there.
    """
    return scaled_dot_product_attention


def keep_stream(depth, x):
    """Leave the encoder's stream, (B, S, D), as it is; see `run`."""
    return x


def hook_attention(model, attend):
    """Yield hooks that give every attention another function; see `run`."""

    def hook(module, function):
        # Arguments of MultiHeadAttention: q, k, v, mask, attend.
        return module.register_forward_pre_hook(
            lambda _, given: (*given[:4], function)
        )

    for n, layer in enumerate(model.encoder.layers):
        own = model.encoder.own(attend("encoder", n))
        yield hook(layer.self_attention, own)
    for n, layer in enumerate(model.decoder.layers):
        own = model.decoder.own(attend("decoder", n))
        yield hook(layer.self_attention, own)
        yield hook(layer.cross_attention, attend("cross", n))


def hook_stream(model, edit):
    """Yield hooks that edit the encoder's stream at every depth; see `run`."""
    layers = model.encoder.layers
    yield layers[0].register_forward_pre_hook(
        lambda _, given: (edit(0, given[0]), *given[1:])
    )
    for depth, layer in enumerate(layers, start=1):
        yield layer.register_forward_hook(
            lambda _, given, found, depth=depth: (
                edit(depth, found[0]),
                *found[1:],
            )
        )


@torch.no_grad()
def run(model, source, target, attend=keep_attention, edit=keep_stream):
    """Run a Transformer with interventions in its attention or encoder.

    Args:
        model: a `Transformer` in eval mode.
        source: source ids, int, (B, S).
        target: decoder input ids, int, (B, T).
        attend: a function of the part and the layer's number that returns
            the attention function to use there.
        edit: a function of a depth and the encoder's stream, (B, S, D),
            that returns the stream to go on with.  Depth 0 is before the
            first layer, depth N after the last.

    Returns:
        The logits, (B, T, vocab).
    """
    with contextlib.ExitStack() as hooks:
        for handle in hook_attention(model, attend):
            hooks.enter_context(handle)
        for handle in hook_stream(model, edit):
            hooks.enter_context(handle)
        return model(source, target)


def ablate_head(part, layer, head, value=None):
    """Make the attention of a model whose one head is replaced.

    Args:
        part: "encoder", "decoder" or "cross".
        layer: number of the layer.
        head: number of the head.
        value: what the head returns for every query, (d_k,); None for zeros.

    Returns:
        A function to pass to `run` as `attend`.

    Raises:
        ValueError: an unknown part.
    """
    check_parts([part])

    def ablated(q, k, v, mask=None):
        context, weights = scaled_dot_product_attention(q, k, v, mask)
        context = context.clone()  # (B, H, T, d_k)
        context[:, head] = 0 if value is None else value
        return context, weights

    return lambda p, n: (
        ablated if (p, n) == (part, layer) else keep_attention(p, n)
    )


def patch_head(part, layer, head):
    """Make attention in which pairs exchange what one head returns.

    Sentence i and sentence i + B / 2 are a minimal pair; each gets the
    other's context of this head, for every query.

    Args:
        part: "encoder", "decoder" or "cross".
        layer: number of the layer.
        head: number of the head.

    Returns:
        A function to pass to `run` as `attend`.

    Raises:
        ValueError: an unknown part.
    """
    check_parts([part])

    def patched(q, k, v, mask=None):
        context, weights = scaled_dot_product_attention(q, k, v, mask)
        other = context.roll(len(context) // 2, dims=0)  # (B, H, T, d_k)
        context = context.clone()
        context[:, head] = other[:, head]
        return context, weights

    return lambda p, n: (
        patched if (p, n) == (part, layer) else keep_attention(p, n)
    )


def patch_states(depth, places):
    """Make an edit that exchanges states between two halves of a batch.

    Sentence i and sentence i + B / 2 are a minimal pair; each gets the
    other's state at some places.  The field calls this activation patching.

    Args:
        depth: where; see `run`.
        places: bool, (B, S), True = take the other's state.

    Returns:
        A function to pass to `run` as `edit`.
    """

    def edit(n, x):
        if n != depth:
            return x
        other = x.roll(len(x) // 2, dims=0)  # (B, S, D)
        return torch.where(places[..., None], other, x)  # (B, S, D)

    return edit


def mean_contexts(model, source, target):
    """Return what each head returns on average.

    Args:
        model: a `Transformer` in eval mode.
        source: source ids, int, (B, S).
        target: decoder input ids, int, (B, T).

    Returns:
        A dict of (part, layer) -> (H, d_k), the mean over all tokens that
        are no padding.
    """
    means = {}

    def attend(part, layer):
        ids = source if part == "encoder" else target

        def noting(q, k, v, mask=None):
            context, weights = scaled_dot_product_attention(q, k, v, mask)
            real = context.transpose(1, 2)[ids != PAD]  # (tokens, H, d_k)
            means[part, layer] = real.mean(0)  # (H, d_k)
            return context, weights

        return noting

    run(model, source, target, attend)
    return means
