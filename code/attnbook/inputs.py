"""What a model may be given: token ids that it knows, and a memory of them.

Dimension letters:
    B batch, T target length, S source length, D = d_model.
"""

import torch

from attnbook.attention import check_mask
from attnbook.masks import is_symbolic
from attnbook.positions import check_length


def check_tokens(tokens, vocab, max_length, name):
    """Refuse token ids that the model cannot look up.

    Args:
        tokens: token ids, (B, T).
        vocab: number of known tokens.
        max_length: number of positions.
        name: "source" or "target", for the message.

    Raises:
        ValueError: wrong type or shape, an empty batch or sentence, a
            sentence that is too long, or an id out of range.
    """
    if tokens.dim() != 2 or tokens.dtype not in (torch.int64, torch.int32):
        raise ValueError(
            f"expected {name} ids as integers of shape (batch, length), got "
            f"{tokens.dtype} of shape {tuple(tokens.shape)}"
        )
    if 0 in tokens.shape:
        raise ValueError(
            f"expected at least one {name} sentence with at least one token, "
            f"got shape {tuple(tokens.shape)}"
        )
    check_length(tokens.size(1), max_length)
    if is_symbolic(tokens):
        return
    low, high = int(tokens.min()), int(tokens.max())
    if low < 0 or high >= vocab:
        raise ValueError(
            f"expected {name} ids from 0 to {vocab - 1}, got {low} to {high}"
        )


def check_memory(target, memory, memory_mask):
    """Refuse a memory that does not belong to the target.

    Args:
        target: decoder input ids, (B, T).
        memory: output of the encoder, (B, S, D).
        memory_mask: bool, broadcastable to (B, 1, 1, S), or None.

    Raises:
        ValueError: another number of sentences, or a mask that is not bool,
            does not fit, has an axis of queries, or hides a whole sentence.
    """
    if memory.dim() != 3 or len(memory) != len(target):
        raise ValueError(
            f"expected as many source as target sentences, got a memory of "
            f"shape {tuple(memory.shape)} for {len(target)} target sentences"
        )
    if memory_mask is not None:
        # A row for each query would be the encoder's, and fit where S = T.
        shape = (len(target), 1, 1, memory.size(1))
        check_mask(memory_mask, shape)
