"""Right and wrong attentions, on which a learner's test is tried.

Dimension letters:
    B batch, T words, D = d_model; queries, keys and values are as wide.
"""

import math

import torch


def views(x):
    """Return queries, keys and values of words x, (B, T, D) each."""
    if not isinstance(x, torch.Tensor) or x.dim() != 3:
        raise ValueError("expected words x of shape (B, T, D)")
    generator = torch.Generator().manual_seed(0)
    shape = 3, x.size(-1), x.size(-1)
    w = torch.randn(shape, generator=generator).to(x.dtype)
    return (x @ matrix / math.sqrt(x.size(-1)) for matrix in w)


def attend(x, change=lambda q, k, v: (q, k, v), dim=-1, mask=None):
    """Attend with a change of the views, an axis and a mask of choice."""
    q, k, v = change(*views(x))
    scores = q @ k.mT / math.sqrt(q.size(-1))  # (B, T, T)
    if mask is not None:
        hidden = mask(torch.ones_like(scores)) == 0  # (B, T, T)
        scores = scores.masked_fill(hidden, -math.inf)
    return scores.softmax(dim) @ v  # (B, T, D)


def sentence_by_sentence(x):
    """Return the right context, computed in a loop."""
    return torch.stack([attend(sentence[None])[0] for sentence in x])


def rounded_anew(x):
    """Return the right context with the last digits of every call its own."""
    return attend(x) + 5e-8 * torch.randn_like(x)


def across(x):
    """Attend along the batch, as with the axes B and T exchanged."""
    return attend(x.transpose(0, 1)).transpose(0, 1)


def one_long_sentence(x):
    """Attend among the words of all sentences."""
    return attend(x.flatten(0, 1)[None]).view_as(x)


def neighbours(x):
    """Return the right contexts, each in the place of the next sentence."""
    return attend(x).roll(1, 0)


def first_keys(q, k, v):
    """Return the views with the keys of the first sentence for all."""
    return q, k[:1], v


def last_values(q, k, v):
    """Return the views with the values of the last sentence for all."""
    return q, k, v[-1:]


def middle_keys(q, k, v):
    """Return the views with the keys of a sentence in the middle for all."""
    middle = len(k) // 2
    return q, k[middle : middle + 1], v


def window(one):
    """Return a mask (..., T, T) that shows the neighbours alone."""
    return one.tril(1).triu(-1)


def ends(one):
    """Return a mask (..., T, T) that shows the first and last word alone."""
    mask = one * torch.eye(one.size(-1))
    mask[..., [0, -1]] = 1
    return mask


def inside(one):
    """Return a mask (..., T, T) that hides the first and the last word."""
    mask = one.clone()
    mask[..., [0, -1]] = 0
    return mask + torch.eye(one.size(-1))


def gap(one):
    """Return a mask (..., T, T) that hides the word two places before."""
    return one - one.tril(-2).triu(-2)


def unread(place):
    """Return a function that hides one word, a mask (..., T, T)."""

    def mask(one):
        shown = one.clone()
        shown[..., min(place, one.size(-1) - 1)] = 0
        return shown

    return mask


def half_leaking(x):
    """Return the context; its last half reads across the batch too."""
    middle = x.size(-1) // 2
    leak = across(x)
    leak[..., :middle] = 0
    return attend(x) + leak


def leaking_from(step):
    """Return an attention that reads a word of another sentence too."""
    return lambda x: attend(x) + 0.1 * x.roll((step, step), (0, 1))


RIGHT = (attend, sentence_by_sentence, rounded_anew)
WRONG = (  # what it is, what to do about it, the attention
    (
        "attention across the batch, with the axes B and T exchanged",
        "change one word, and ask whether another sentence moves",
        across,
    ),
    (
        "attention among all words of the batch, as if they were one long "
        "sentence",
        "draw more than one sentence, and ask whether another one moves",
        one_long_sentence,
    ),
    (
        "a softmax over the batch",
        "ask whether another sentence moves",
        lambda x: attend(x, dim=0),
    ),
    (
        "an attention in which every sentence is scored against the keys of "
        "the first",
        "change words of the first sentence too",
        lambda x: attend(x, first_keys),
    ),
    (
        "an attention in which every sentence gets the values of the last",
        "change words of the last sentence too, and ask whether the others "
        "move",
        lambda x: attend(x, last_values),
    ),
    (
        "an attention in which every sentence is scored against the keys of "
        "one in the middle",
        "change words of every sentence, not of the first and the last alone",
        lambda x: attend(x, middle_keys),
    ),
    (
        "an attention of which the last half of each word's numbers comes "
        "from other sentences too",
        "look at all numbers of a word, with .amax(-1)",
        half_leaking,
    ),
    (
        "a small leak, a thousandth of the mean of all sentences",
        "take .abs() of the differences, and call all above about 1e-6 a move",
        lambda x: attend(x) - 1e-3 * x.mean(0),
    ),
    (
        "an attention that moves nothing but the changed word",
        "change one word alone, and ask whether all words of its sentence "
        "move",
        lambda x: attend(x, mask=lambda one: one * torch.eye(one.size(-1))),
    ),
    (
        "an attention that hides the later words",
        "change the last word too, and ask whether the words before it move",
        lambda x: attend(x, mask=torch.tril),
    ),
    (
        "an attention that hides the earlier words",
        "change the first word too, and ask whether the words after it move",
        lambda x: attend(x, mask=torch.triu),
    ),
    (
        "a sliding window, in which a word reads its two neighbours alone",
        "draw sentences of five words or so, and ask whether all of them move",
        lambda x: attend(x, mask=window),
    ),
    (
        "an attention that hides all words but the first and the last",
        "change every word in turn, those in the middle too",
        lambda x: attend(x, mask=ends),
    ),
    (
        "an attention that hides the first and the last word",
        "change every word in turn, the first and the last too",
        lambda x: attend(x, mask=inside),
    ),
    (
        "an attention in which no word reads the one two places before it",
        "ask whether all words of the sentence move, not one or two",
        lambda x: attend(x, mask=gap),
    ),
    (
        "an attention in which only the first and the last word read the "
        "others",
        "ask whether all words of the sentence move, not the first and the "
        "last alone",
        lambda x: attend(x, mask=lambda one: ends(one).mT),
    ),
    (
        "an attention in which no word reads the first",
        "change every word in turn, the first too",
        lambda x: attend(x, mask=unread(0)),
    ),
    (
        "an attention in which no word reads the last",
        "change every word in turn, the last of every sentence too",
        lambda x: attend(x, mask=unread(-1)),
    ),
    (
        "an attention in which no word reads the second",
        "change every word in turn, and leave none out",
        lambda x: attend(x, mask=unread(1)),
    ),
    (
        "an attention in which a word reads one of the next sentence too",
        "ask of all other sentences whether any of their words moves",
        leaking_from(-1),
    ),
    (
        "an attention in which a word reads one of the sentence before too",
        "ask of all other sentences whether any of their words moves",
        leaking_from(1),
    ),
    (
        "an attention that returns the context of another sentence",
        "ask which sentence moves, not how many",
        neighbours,
    ),
    (
        "an attention that returns NaN everywhere",
        "a comparison with NaN is never true, so ask whether all differences "
        "are as they should be, not whether one is not",
        lambda x: attend(x) * math.nan,
    ),
)
