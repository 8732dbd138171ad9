"""Reading a batch without most of its padding.

Dimension letters:
    B sentences, S source length, D = d_model.
"""

import torch

from attnbook.data.vocabulary import PAD
from attnbook.inputs import check_tokens

ALIKE = 0.75  # length of a sentence that is read with a longer one, at least
TOGETHER = 8  # sentences that are read together, at least


def groups_of(ends):
    """Group sentences of similar length.

    Args:
        ends: lengths, a list, the longest first.

    Returns:
        The number of sentences of each group, a list.
    """
    first, sizes = 0, []
    for i, end in enumerate(ends):
        if end < ALIKE * ends[first] and i - first >= TOGETHER:
            sizes.append(i - first)
            first = i
    return [*sizes, len(ends) - first]


def read(model, source):
    """Return the memory, as `model.encode` does, and the source's mask.

    Sentences of similar length are read together, so that a short one does
    not pay for the padding that the longest one of the batch needs.

    Args:
        model: a `Transformer`.
        source: source ids, int, (B, S), padded with `PAD`.

    Returns:
        The memory, (B, S, D), and the mask, (B, 1, 1, S).

    Raises:
        ValueError: see `Transformer.forward`.
    """
    c = model.config
    check_tokens(source, c.source_vocab, c.max_length, "source")
    mask = model.source_mask(source)  # (B, 1, 1, S)
    places = torch.arange(1, source.size(1) + 1, device=source.device)
    ends = ((source != PAD) * places).amax(dim=1)  # (B,)
    ends, order = ends.sort(descending=True)  # (B,) each
    ends = ends.tolist()
    sizes = groups_of(ends)
    if len(sizes) == 1:
        return model.encode(source), mask
    parts, start = [], 0
    for rows in order.split(sizes):
        parts.append(model.encode(source[rows, : ends[start]]))
        start += len(rows)
    memory = parts[0].new_zeros(*source.shape, c.d_model)  # (B, S, D)
    for rows, part in zip(order.split(sizes), parts, strict=True):
        memory[rows, : part.size(1)] = part  # (B', S', D)
    return memory, mask
