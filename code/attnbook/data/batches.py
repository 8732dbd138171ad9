"""Batches of sentences of similar length, bounded by tokens.

Dimension letters:
    B sentences, S source length, T target length.
"""

from dataclasses import dataclass

import torch

from attnbook.data.vocabulary import BOS, EOS, PAD


def pad(rows, pad_id=PAD):
    """Lay rows of ids on top of each other, padded at the end.

    Args:
        rows: lists of ids.
        pad_id: what fills the shorter ones.

    Returns:
        int64, (B, longest).

    Raises:
        ValueError: no row, or an empty one.
    """
    if not rows or not all(rows):
        raise ValueError("expected rows with at least one id each, got none")
    longest = max(len(row) for row in rows)
    filled = [row + [pad_id] * (longest - len(row)) for row in rows]
    return torch.tensor(filled, dtype=torch.long)  # (B, longest)


@dataclass(frozen=True)
class Batch:
    """Sentences that are computed together.

    Attributes:
        source: source ids with <eos>, int64, (B, S).
        target: decoder input, <bos> and the words, int64, (B, T).
        labels: what is to be predicted, the words and <eos>, (B, T).
    """

    source: torch.Tensor
    target: torch.Tensor
    labels: torch.Tensor

    @property
    def tokens(self):
        """Return the number of labels that are no padding."""
        return int((self.labels != PAD).sum())

    def rows(self, cut):
        """Return some rows, a `Batch`, given a slice or a list."""
        return Batch(self.source[cut], self.target[cut], self.labels[cut])

    def to(self, device):
        """Return the batch on another device."""
        moved = (self.source, self.target, self.labels)
        return Batch(*(x.to(device, non_blocking=True) for x in moved))


def make_batch(pairs):
    """Make one batch of encoded pairs.

    The target is shifted by one: input t predicts label t, the next word.

    Args:
        pairs: (source ids, target ids), without special tokens.

    Returns:
        A `Batch`.
    """
    source = pad([list(s) + [EOS] for s, _ in pairs])  # (B, S)
    target = pad([[BOS, *t] for _, t in pairs])  # (B, T)
    labels = pad([list(t) + [EOS] for _, t in pairs])  # (B, T)
    return Batch(source, target, labels)


def bucket_batches(lengths, max_tokens, seed):
    """Group sentences of similar length; every one occurs exactly once.

    Sentences are shuffled, sorted by length (equal lengths stay shuffled),
    cut into groups whose padded size is at most max_tokens, and the groups
    are shuffled.

    Args:
        lengths: (source length, target length) of every pair, in tokens.
        max_tokens: bound on padded tokens of the longer side.
        seed: fixes the order; change it from epoch to epoch.

    Returns:
        A list of lists of indices into `lengths`.

    Raises:
        ValueError: no pair, or one that is longer than max_tokens.
    """
    longest = max((max(pair) for pair in lengths), default=0)
    if not 0 < longest <= max_tokens:
        raise ValueError(
            f"expected pairs of 1 to {max_tokens} tokens (max_tokens), got "
            f"a longest side of {longest}"
        )
    generator = torch.Generator().manual_seed(seed)
    order = torch.randperm(len(lengths), generator=generator).tolist()
    order.sort(key=lambda i: (lengths[i][1], lengths[i][0]))
    groups, group, widest = [], [], 0
    for i in order:
        width = max(widest, *lengths[i])
        if group and width * (len(group) + 1) > max_tokens:
            groups.append(group)
            group, width = [], max(lengths[i])
        group.append(i)
        widest = width
    groups.append(group)
    shuffled = torch.randperm(len(groups), generator=generator).tolist()
    return [groups[i] for i in shuffled]


def batch_stream(pairs, max_tokens, seed, start=(0, 0)):
    """Yield batches for ever, epoch after epoch.

    Args:
        pairs: encoded pairs, (source ids, target ids).
        max_tokens: see `bucket_batches`.
        seed: fixes the order of all epochs.
        start: epoch and number of batches of it to skip.

    Yields:
        (epoch, position after this batch) and the `Batch`.
    """
    lengths = [(len(s) + 1, len(t) + 1) for s, t in pairs]  # with <eos>
    epoch, skip = start
    while True:
        groups = bucket_batches(lengths, max_tokens, seed * 100_003 + epoch)
        for position in range(skip, len(groups)):
            batch = make_batch([pairs[i] for i in groups[position]])
            yield (epoch, position + 1), batch
        epoch, skip = epoch + 1, 0
