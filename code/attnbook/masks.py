"""Masks: which key each query may attend to.

One rule in the whole course: a mask is bool, True = may attend, and it is
broadcastable to (B, H, T, S).  Masks are combined with ``&``.

Dimension letters:
    B batch, H heads, T query length, S key length; "..." stands for any
    leading axes.
"""

import torch


def is_symbolic(tensor):
    """Say whether a tensor's values cannot be looked at.

    There are none on the meta device, and while `torch.compile` or a CUDA
    graph records what is to be computed.

    Args:
        tensor: any tensor.
    """
    if torch.compiler.is_compiling() or tensor.is_meta:
        return True
    return tensor.is_cuda and torch.cuda.is_current_stream_capturing()


def check_visible_keys(mask):
    """Refuse a mask in which some query may attend to nothing.

    The softmax of a row that is masked everywhere is NaN.

    Args:
        mask: bool, (..., T, S); True where the query may attend.

    Raises:
        ValueError: a row without any True.
    """
    if is_symbolic(mask):
        return
    blind = ~mask.any(dim=-1)  # (..., T)
    if blind.any():
        first = tuple(blind.nonzero()[0].tolist())
        raise ValueError(
            "expected at least one True in every row of the mask, got "
            f"{int(blind.sum())} row(s) without any; the first is {first}"
        )


def padding_mask(tokens, pad_id):
    """Keep the keys that are words, hide the padding.

    Args:
        tokens: token ids, int, (B, S).
        pad_id: the id that means "no word here".

    Returns:
        bool, (B, 1, 1, S); True where the key is a word.

    Raises:
        ValueError: not integers (B, S), or a sentence without a single word.
    """
    if tokens.dim() != 2 or tokens.is_floating_point():
        raise ValueError(
            "expected integer token ids of shape (batch, length), got "
            f"{tokens.dtype} of shape {tuple(tokens.shape)}"
        )
    not_pad = tokens != pad_id  # (B, S)
    if not is_symbolic(tokens) and not not_pad.any(dim=-1).all():
        empty = (~not_pad.any(dim=-1)).nonzero().flatten().tolist()
        raise ValueError(
            "expected at least one word in every sentence, got only padding "
            f"(id {pad_id}) in sentence(s) {empty}"
        )
    return not_pad[:, None, None, :]  # (B, S) -> (B, 1, 1, S)


def causal_mask(length, device=None):
    """Keep the past and the present, hide the future.

    Vaswani et al. (2017), sec. 3.2.3: position i may attend to positions
    0..i, so that a prediction cannot read the word it has to predict.

    Args:
        length: number of positions T, at least 1.
        device: where the mask is made; the CPU if None.

    Returns:
        bool, (T, T); True on and below the diagonal.

    Raises:
        ValueError: length below 1.
    """
    if length < 1:
        raise ValueError(f"expected a length of at least 1, got {length}")
    ones = torch.ones(length, length, dtype=torch.bool, device=device)
    return ones.tril()  # (T, T)


def decoder_mask(target, pad_id):
    """Keep the words that are not in the future.

    Args:
        target: decoder input ids, int, (B, T), padded at the end.
        pad_id: padding id of the target.

    Returns:
        bool, (B, 1, T, T).

    Raises:
        ValueError: an empty sentence, or one that starts with padding: its
            first position could attend to nothing.
    """
    causal = causal_mask(target.size(-1), target.device)  # (T, T)
    mask = padding_mask(target, pad_id) & causal  # (B, 1, T, T)
    check_visible_keys(mask)
    return mask


def masks_for(source, target, source_pad, target_pad):
    """Make the three masks of an encoder-decoder, side by side.

    The package's models make each where they use it: `source_mask` and
    `target_mask` of `Transformer`.

    Args:
        source: source token ids, int, (B, S).
        target: decoder input ids, int, (B, T), padded at the end.
        source_pad: padding id of the source.
        target_pad: padding id of the target.

    Returns:
        The masks of encoder self-attention, (B, 1, 1, S), decoder
        self-attention, (B, 1, T, T), and cross-attention, (B, 1, 1, S).

    Raises:
        ValueError: an empty sentence, or a target that starts with padding.
    """
    encoder = padding_mask(source, source_pad)  # (B, 1, 1, S)
    decoder = decoder_mask(target, target_pad)  # (B, 1, T, T)
    return encoder, decoder, encoder
