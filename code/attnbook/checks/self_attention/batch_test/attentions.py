"""Right and wrong attentions, on which a learner's test is tried.

Dimension letters:
    B batch, T words, D = d_model; queries, keys and values are as wide.
"""

import functools
import math

import torch
import torch.nn.functional as F


@functools.lru_cache(maxsize=16)
def projections(draws, width):
    """Return W_Q, W_K and W_V, (3, width, width)."""
    w = torch.randn((3, width, width), generator=draws.seeded(0))
    return w / math.sqrt(width)


def views(draws, x):
    """Return queries, keys and values of words x, (B, T, D) each."""
    if not isinstance(x, torch.Tensor) or x.dim() != 3:
        raise ValueError("expected words x of shape (B, T, D)")
    w = projections(draws, x.size(-1)).to(x.dtype)
    return (x @ matrix for matrix in w)


def attend(draws, x, change=lambda q, k, v: (q, k, v), mask=None):
    """Attend with a change of the views and a mask of choice."""
    q, k, v = change(*views(draws, x))
    scores = q @ k.mT / math.sqrt(q.size(-1))  # (B, T, T)
    if mask is not None:
        hidden = mask(torch.ones_like(scores)) == 0  # (B, T, T)
        scores = scores.masked_fill(hidden, -math.inf)
    return scores.softmax(-1) @ v  # (B, T, D)


def sentence_by_sentence(draws, x):
    """Return the right context, computed in a loop."""
    return torch.stack([attend(draws, sentence[None])[0] for sentence in x])


def across(draws, x):
    """Attend along the batch, as with the axes B and T exchanged."""
    return attend(draws, x.transpose(0, 1)).transpose(0, 1)


def one_long_sentence(draws, x):
    """Attend among the words of all sentences."""
    return attend(draws, x.flatten(0, 1)[None]).view_as(x)


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


def unread(place):
    """Return a function that hides one word, a mask (..., T, T)."""

    def mask(one):
        shown = one.clone()
        shown[..., min(place, one.size(-1) - 1)] = 0
        return shown

    return mask


def deaf(place):
    """Return a function that shows one word itself alone, (..., T, T)."""

    def mask(one):
        shown, here = one.clone(), min(place, one.size(-1) - 1)
        shown[..., here, :] = 0
        shown[..., here, here] = 1
        return shown

    return mask


def alone(sentence):
    """Return a function that shows one sentence's words themselves alone."""

    def mask(one):
        shown = one.clone()
        if len(one) > sentence:
            shown[sentence] = torch.eye(one.size(-1))
        return shown

    return mask


def reading_one(draws, sentence):
    """Return an attention in which all sentences are scored against one."""

    def change(q, k, v):
        return q, k[[sentence]] if len(k) > sentence else k, v

    return lambda x: attend(draws, x, change)


def half_leaking(draws, x):
    """Return the context; its last half reads across the batch too.

    What it reads there sums to 0, if it is more than one number.
    """
    middle = x.size(-1) // 2
    leak = across(draws, x)[..., middle:]
    if leak.size(-1) > 1:
        leak = leak - leak.flip(-1)
    return attend(draws, x) + F.pad(leak, (middle, 0))


def leaking_from(draws, step):
    """Return an attention whose words read one of another sentence too.

    With the step 1, the first words do not, with -1 the last ones.
    """

    def attention(x):
        leak = 0.1 * x.roll((step, step), (0, 1))
        leak[:, (step - 1) // 2] = 0
        return attend(draws, x) + leak

    return attention


def wrong_in_one_place(draws, shape):
    """Yield as `wrong_attentions`, for words and sentences of a test.

    Args:
        draws: where the weights come from.
        shape: (B, T) of the test's words.
    """
    sentences, words = (draws.shuffled([*range(n)])[:12] for n in shape)
    for n in words:
        yield (
            "an attention in which no word reads one of the others",
            "change every word in turn, and leave none out",
            functools.partial(attend, draws, mask=unread(n)),
        )
        yield (
            "an attention in which one word reads itself alone",
            "ask of every word of the sentence whether it moves, and leave "
            "none out",
            functools.partial(attend, draws, mask=deaf(n)),
        )
    for n in sentences:
        yield (
            "an attention in which every sentence is scored against the keys "
            "of one",
            "change words of every sentence, and leave none out",
            reading_one(draws, n),
        )
        yield (
            "an attention in which the words of one sentence read themselves "
            "alone",
            "ask in every sentence whether all of its words move",
            functools.partial(attend, draws, mask=alone(n)),
        )


def right_attentions(draws):
    """Return right attentions, the last with other last digits."""
    attention = functools.partial(attend, draws)
    return (
        attention,
        functools.partial(sentence_by_sentence, draws),
        lambda x: attention(x) + 5e-8 * torch.randn_like(x),
    )


def wrong_attentions(draws):
    """Yield what it is, what to do about it, and a wrong attention."""
    yield (
        "attention across the batch, with the axes B and T exchanged",
        "change one word, and ask whether another sentence moves",
        functools.partial(across, draws),
    )
    yield (
        "attention among all words of the batch, as if they were one long "
        "sentence",
        "return False as soon as a word of another sentence moves, whatever "
        "the own one does",
        functools.partial(one_long_sentence, draws),
    )
    yield (
        "an attention in which every sentence is scored against the keys of "
        "the first",
        "change words of the first sentence too",
        lambda x: attend(draws, x, lambda q, k, v: (q, k[:1], v)),
    )
    yield (
        "an attention in which every sentence gets the values of the last",
        "change words of the last sentence too, and ask whether the others "
        "move",
        lambda x: attend(draws, x, lambda q, k, v: (q, k, v[-1:])),
    )
    yield (
        "an attention in which every sentence is scored against the keys of "
        "one in the middle",
        "change words of every sentence, not of the first and the last alone",
        lambda x: attend(draws, x, lambda q, k, v: (q, k[[len(k) // 2]], v)),
    )
    yield (
        "an attention of which the last half of each word's numbers comes "
        "from other sentences too",
        "look at all numbers of a word, with .abs().amax(-1), not at one of "
        "them or at their sum",
        functools.partial(half_leaking, draws),
    )
    yield (
        "a small leak, a thousandth of the mean of all sentences",
        "take .abs() of the differences, and call all above about 1e-6 a move",
        lambda x: attend(draws, x) - 1e-3 * x.mean(0),
    )
    yield (
        "an attention that moves nothing but the changed word",
        "change one word alone, and ask whether all words of its sentence "
        "move",
        lambda x: attend(
            draws, x, mask=lambda one: one * torch.eye(one.size(-1))
        ),
    )
    yield (
        "an attention that hides the later words",
        "change the last word too, and ask whether the words before it move",
        lambda x: attend(draws, x, mask=torch.tril),
    )
    yield (
        "an attention that hides the earlier words",
        "change the first word too, and ask whether the words after it move",
        lambda x: attend(draws, x, mask=torch.triu),
    )
    yield (
        "a sliding window, in which a word reads its two neighbours alone",
        "draw sentences of three words or more, and ask whether all of them "
        "move",
        lambda x: attend(draws, x, mask=lambda one: one.tril(1).triu(-1)),
    )
    yield (
        "an attention that hides all words but the first and the last",
        "change every word in turn, those in the middle too",
        lambda x: attend(draws, x, mask=ends),
    )
    yield (
        "an attention that hides the first and the last word",
        "change every word in turn, the first and the last too",
        lambda x: attend(draws, x, mask=inside),
    )
    yield (
        "an attention in which no word reads the one two places before it",
        "ask whether all words of the sentence move, not one or two",
        lambda x: attend(
            draws, x, mask=lambda one: one - one.tril(-2).triu(-2)
        ),
    )
    yield (
        "an attention in which only the first and the last word read the "
        "others",
        "ask whether all words of the sentence move, not the first and the "
        "last alone",
        lambda x: attend(draws, x, mask=lambda one: ends(one).mT),
    )
    yield (
        "an attention in which no word reads the first",
        "change every word in turn, the first too",
        lambda x: attend(draws, x, mask=unread(0)),
    )
    yield (
        "an attention in which no word reads the last",
        "change every word in turn, the last of every sentence too",
        lambda x: attend(draws, x, mask=unread(-1)),
    )
    yield (
        "an attention in which no word reads the second",
        "change every word in turn, and leave none out",
        lambda x: attend(draws, x, mask=unread(1)),
    )
    yield (
        "an attention in which no word reads itself",
        "ask whether the changed word moves too",
        lambda x: (1 - torch.eye(x.size(1), dtype=x.dtype)) @ x,
    )
    yield (
        "an attention in which all words but the last of a sentence read one "
        "of the next sentence too",
        "ask of all other sentences whether any of their words moves",
        leaking_from(draws, -1),
    )
    yield (
        "an attention in which all words but the first of a sentence read one "
        "of the sentence before too",
        "ask of all other sentences whether any of their words moves",
        leaking_from(draws, 1),
    )
    yield (
        "an attention that returns the context of another sentence",
        "ask which sentence moves, not how many",
        lambda x: attend(draws, x).roll(1, 0),
    )
    yield (
        "an attention that returns NaN everywhere",
        "a comparison with NaN is never true, so ask whether all differences "
        "are as they should be, not whether one is not",
        lambda x: attend(draws, x) * math.nan,
    )
