"""What the checks of masks call the answer with.

Dimension letters:
    B batch.
"""

import torch

AGAIN = (
    "right, but not in a later call with other sentences of the same shape "
    "(is something kept between calls?): "
)
LARGE = "right for small ids, but not for large ones: "
LARGE_PAD = 2**24  # float32 does not tell it from its successor
LONG = "right for short sentences, but not for long ones: "


def sentences(words, length, pad, first=11, front=False):
    """Return token ids, int64, (B, length), padded with one id.

    The words are ids from `first` on; with `front` the pads come first.
    """
    rows = []
    for b, count in enumerate(words):
        row = [first + (3 * b + i) % 8 for i in range(count)]
        pads = [pad] * (length - count)
        rows.append(pads + row if front else row + pads)
    return torch.tensor(rows)


def with_word(tokens, word):
    """Return the tokens with an id in the place of every first one."""
    tokens = tokens.clone()
    tokens[:, 0] = word
    return tokens


def scattered(x):
    """Return the same numbers, lying in memory in another order."""
    return x.t().contiguous().t()


def large(pad):
    """Return ids, (2, 4), that coarse types take for the padding id."""
    words = [pad + 1, pad + 256, pad + 2**16]
    return torch.tensor([[*words, pad], [*words[1:], pad, pad]])


PADDING = (
    ("", with_word(sentences((3, 5, 2), 5, 7), 0), 7),
    (AGAIN, with_word(sentences((5, 1, 4), 5, 7), 0), 7),
    ("right for one padding id, but not for others: ",
     with_word(sentences((4, 2, 7), 7, 3), 0), 3),
    ("right while ids are above the padding id, but not below: ",
     sentences((3, 2), 4, 50), 50),
    ("right, but not when as many sentences as tokens (do the same at every "
     "size): ", sentences((4, 2, 1, 3), 4, 0), 0),
    ("right when pads come last, but not when they come first: ",
     sentences((2, 4, 3), 5, 9, front=True), 9),
    ("right, but not without any pad: ", sentences((4, 4), 4, 9), 9),
    ("right, but not for one token: ", sentences((1,), 1, 9), 9),
    ("right for int64 ids, but not for int32 ones that lie in memory in "
     "another order: ", scattered(sentences((5, 2, 3), 5, 7).int()), 7),
    ("right, but not when the padding id is -1: ",
     with_word(sentences((3, 2), 4, -1), 1), -1),
    (LARGE, large(LARGE_PAD), LARGE_PAD),
    (LONG, sentences((70, 40), 70, 9), 9),
)  # fmt: skip


def both(source, target, source_pad, target_pad):
    """Put the other side's padding id among the words of each side."""
    source = torch.where(source == 12, target_pad, source)
    source = torch.where(source == 14, 6, source)  # a word below one pad
    target = torch.where(target == 13, source_pad, target)
    target = torch.where(target == 11, 5, target)  # here, too
    return source, target, source_pad, target_pad


STAGES = (
    ("", both(sentences((3, 5, 2), 5, 0), sentences((3, 4, 1), 4, 9), 0, 9)),
    (AGAIN,
     both(sentences((5, 1, 4), 5, 0), sentences((1, 4, 2), 4, 9), 0, 9)),
    ("right for one pair of padding ids, but not for others: ",
     both(sentences((3, 7), 7, 8), sentences((5, 3), 5, 1), 8, 1)),
    ("right while the source is longer than the target, but not the other "
     "way round: ",
     both(sentences((3, 2), 3, 0), sentences((6, 4), 6, 9), 0, 9)),
    ("right while all sizes differ, but not when B = S = T (do the same at "
     "every size): ",
     both(sentences((4, 2, 3, 1), 4, 0), sentences((3, 4, 1, 2), 4, 9), 0, 9)),
    ("right, but not when both sides have the same padding id: ",
     (sentences((3, 5), 5, 0), sentences((4, 2), 4, 0), 0, 0)),
    ("right with pads, but not in a batch without any: ",
     (sentences((5, 5), 5, 0), sentences((3, 3), 3, 9), 0, 9)),
    ("right, but not for one sentence of one token: ",
     (sentences((1,), 1, 0), sentences((1,), 1, 9), 0, 9)),
    ("right, but not when the source is padded in front: ",
     (sentences((2, 4, 3), 5, 0, front=True), sentences((4, 1, 2), 4, 9),
      0, 9)),
    ("right for int64 ids, but not for int32 ones that lie in memory in "
     "another order: ",
     (scattered(sentences((5, 2), 5, 0).int()),
      scattered(sentences((4, 3), 4, 9).int()), 0, 9)),
    (LARGE, (large(LARGE_PAD), large(LARGE_PAD + 512),
             LARGE_PAD, LARGE_PAD + 512)),
    (LONG, (sentences((70, 40), 70, 0), sentences((50, 75), 75, 9), 0, 9)),
)  # fmt: skip
