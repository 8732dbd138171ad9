"""Check of a test: does it see words that read the wrong sentences?

Dimension letters:
    B batch, T words, D = d_model; queries, keys and values are as wide.
"""

import math

import torch

from attnbook.checks.calling import unanswered
from attnbook.checks.verdict import NOT_ANSWERED, Mistake, checker, describe


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


def first_keys(q, k, v):
    """Return the views with the keys of the first sentence for all."""
    return q, k[:1], v


def last_values(q, k, v):
    """Return the views with the values of the last sentence for all."""
    return q, k, v[-1:]


RIGHT = (attend, sentence_by_sentence, rounded_anew)
WRONG = (
    (
        "attention across the batch, with the axes B and T exchanged; change "
        "one word, and ask whether another sentence moves",
        across,
    ),
    (
        "attention among all words of the batch, as if they were one long "
        "sentence; draw more than one sentence, and ask whether another one "
        "moves",
        one_long_sentence,
    ),
    (
        "a softmax over the batch; ask whether another sentence moves",
        lambda x: attend(x, dim=0),
    ),
    (
        "an attention in which every sentence is scored against the keys of "
        "the first; change words of the first sentence too",
        lambda x: attend(x, first_keys),
    ),
    (
        "an attention in which every sentence gets the values of the last; "
        "change words of the last sentence too, and ask whether the others "
        "move",
        lambda x: attend(x, last_values),
    ),
    (
        "a small leak, a thousandth of the mean of all sentences; call every "
        "difference above about 1e-6 a move",
        lambda x: attend(x) + 1e-3 * x.mean(0),
    ),
    (
        "an attention that moves nothing but the changed word; ask whether "
        "all words of its sentence move",
        lambda x: attend(x, mask=lambda one: one * torch.eye(one.size(-1))),
    ),
    (
        "an attention that hides the later words; change the last word too, "
        "and ask whether the words before it move",
        lambda x: attend(x, mask=torch.tril),
    ),
    (
        "an attention that hides the earlier words; change the first word "
        "too, and ask whether the words after it move",
        lambda x: attend(x, mask=torch.triu),
    ),
)


def opinion(answer, attention):
    """Return what the learner's test says of an attention, as a bool."""
    try:
        said = answer(attention)
    except NotImplementedError:
        raise Mistake(NOT_ANSWERED) from None
    except AssertionError:
        raise Mistake(
            "your test fails an assert; return True or False instead, so "
            "that the caller can decide"
        ) from None
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise Mistake(
            "your test raised an error; it should call attend(x) with one "
            f"tensor x of shape (B, T, D): {describe(error)}"
        ) from None
    if unanswered(said):
        raise Mistake(NOT_ANSWERED)
    if str(said) not in ("True", "False", "tensor(True)", "tensor(False)"):
        raise Mistake(
            f"your test returns a {type(said).__name__}; return True or False"
        )
    return bool(said)


@checker
def check_batch_test(answer):
    """Check exercise ``batch_test(attend) -> bool``.

    Args:
        answer: a function that takes an attention, a function of words
            (B, T, D) that returns their context (B, T, D), calls it on
            words of its own, and returns True if every word is read by all
            words of its own sentence and by no others.

    Returns:
        A `Verdict`; the check prints it too, and never raises.
    """
    wrong = [opinion(answer, attention) for _, attention in WRONG]
    right = [opinion(answer, attention) for attention in RIGHT]
    if all(wrong) and not any(right):
        raise Mistake(
            "your test says True of wrong attentions and False of right ones; "
            "turn it round"
        )
    if not any(right):
        raise Mistake(
            "your test refuses every attention, right ones too; the words of "
            "the changed sentence may move, all others must not"
        )
    if not all(right):
        raise Mistake(
            "your test refuses a right attention whose last digits differ "
            "from call to call; call only differences above about 1e-6 a move"
        )
    for (mistake, _), passes in zip(WRONG, wrong, strict=True):
        if passes:
            raise Mistake(f"your test accepts {mistake}")
