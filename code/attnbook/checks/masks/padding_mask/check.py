"""Check of a padding mask, and what the checks of masks share.

Dimension letters:
    B batch, S length of a sentence.
"""

import functools

import torch

from attnbook.checks.engine.asking import require_tensor
from attnbook.checks.engine.calling import SQUEEZED, lost_axis, unanswered
from attnbook.checks.engine.exercise import Case, Exercise, check
from attnbook.checks.engine.steps import table
from attnbook.checks.engine.verdict import Hint, Mistake

AGAIN = (
    "right, but not in a later call with other sentences of the same shape "
    "(is something kept between calls?): "
)
LARGE = "right for small ids, but not for large ones: "
LARGE_PAD = 2**53  # float64 does not tell it from its successor
NEGATIVE = "right, but not with negative ids among the words: "
ANY_INTEGER = (
    "a word may have any id but that of the padding; compare by !=, without "
    "abs, and hide no other id"
)
COARSE = (
    "it compares the ids in a type that cannot tell large ones apart "
    "(float16, float32, int8, ...), or by `is`; compare them as they come, "
    "by !="
)
LONG = "right for short sentences, but not for long ones: "


def padding_mask(tokens, pad_id):
    """Say which keys are words.

    Args:
        tokens: ids, int, (B, S).
        pad_id: the id of the padding, int; pads may stand anywhere.

    Returns:
        A bool mask, (B, 1, 1, S), True at words.
    """
    words = tokens != pad_id  # (B, S)
    keys = words[:, None, None]  # (B, 1, 1, S)
    return keys


MISTAKES = table("""
    words = tokens == tokens
        nothing is hidden, so words attend to the padding
    words = tokens != tokens
        all is hidden
    words = tokens == pad_id
        True marks the padding; True must mark the words
    words = tokens == 0
        True marks the id 0; mark the words, tokens != pad_id
    keys = ~words[:, None, :, None]
        True marks the padding, and on the query axis; mark the words, as
        (B, 1, 1, S)
    keys = words[:, None, :, None]
        it hides rows (queries) and not columns (keys); the sentence belongs
        on the last axis, (B, 1, 1, S)
    keys = words[:, None, None] & words[:, None, :, None]
        it hides rows (queries) of pads too, so these rows have no True and
        their softmax is NaN; hide keys alone
    keys = words
        its shape is (B, S), and the axes of the scores are (B, H, T, S);
        insert two axes of size 1 between (squeeze takes them away)
    keys = words[:, None]
        its shape is (B, 1, S), and the axes of the scores are (B, H, T, S);
        one axis is missing (squeeze takes it away)
    keys = words[:, :, None, None]
        its shape is (B, S, 1, 1), and the axes of the scores are
        (B, H, T, S); the sentence belongs on the last axis
    keys = words[None, None]
        its shape is (1, 1, B, S), and the axes of the scores are
        (B, H, T, S); the batch belongs on the first axis
    keys = words.mT[:, None, None]
        its shape is (S, 1, 1, B); the batch belongs on the first axis, the
        sentence on the last
    keys = words[:, None, None] & triangle(tokens)
        words and a causal triangle are joined; this task hides padding alone,
        so leave the triangle out
    keys = triangle(tokens)
    keys = triangle(tokens)[None, None]
        it hides the future; this task hides padding alone
    keys = words[:, None, None] | words[:, None, :, None]
        words as keys and words as queries are joined by |, so every word
        reads the pads; take the keys alone
    keys = words[:, None, None] | ~words[:, None, :, None]
        rows (queries) of pads are open everywhere, so the mask has a row per
        query; hide columns and leave rows alone, (B, 1, 1, S)
    keys = words[:, None, None].expand(-1, -1, tokens.size(1), -1)
        every query has a row of its own, (B, 1, S, S); in cross-attention
        there are more or fewer queries than keys, so leave 1 on that axis
    words = between_words(tokens != pad_id)
        pads between words are not hidden; compare each id with pad_id
    words = words_after(tokens != pad_id)
        pads are hidden only at the end; compare each id with pad_id
    words = words_after((tokens != pad_id).flip(1)).flip(1)
        pads are hidden only at the start; compare each id with pad_id
    words = (tokens != pad_id).cumprod(1).bool()
        all is hidden from the first pad on; compare each id with pad_id
    keys = words[:1, None, None]
    keys = words[:1, None, None].expand(len(tokens), 1, 1, -1)
        every sentence has the mask of the first one
    keys = words[-1:, None, None]
    keys = words[-1:, None, None].expand(len(tokens), 1, 1, -1)
        every sentence has the mask of the last one
    keys = words.all(0)[None, None, None]
    keys = words.all(0).expand(len(tokens), 1, 1, -1)
        a place is hidden in every sentence as soon as it is hidden in one;
        each sentence has a mask of its own
    keys = words.any(0)[None, None, None]
    keys = words.any(0).expand(len(tokens), 1, 1, -1)
        a place is open in every sentence as soon as it is open in one; each
        sentence has a mask of its own
    words = tokens != 0
    words = tokens.bool()
        it hides the id 0; hide the id pad_id
    words = tokens > pad_id
        it hides what is not above pad_id; words may have smaller ids than the
        padding
    words = tokens >= pad_id
        it hides what is below pad_id, and not pad_id itself; hide pad_id alone
    words = (tokens != pad_id) & (tokens != 0)
        the id 0 is hidden as well; hide pad_id alone
    words = (tokens != pad_id) | (pad_id == 0)
        a padding id of 0 hides nothing; compare with pad_id whatever it is (no
        division by it, no "if pad_id")
    words = tokens != 7
        it hides the padding id of the first call (is something kept between
        calls?); compare each id with pad_id as it comes
    words = tokens < pad_id
        it hides what is not below pad_id; words may have larger ids than the
        padding
    words = tokens != tokens[:, -1:]
        it takes the last token of each sentence for the padding; a full
        sentence ends with a word
    words = first_places(tokens, count(tokens, pad_id))
        the mask counts the words and keeps as many first places; compare each
        id with pad_id instead
    words = first_places(tokens, count(tokens, pad_id) + 1)
        it keeps one place too many
    words = first_places(tokens, count(tokens, pad_id) - 1)
        it hides the last word as well
""")


def triangle(tokens):
    """Return a causal mask, (S, S)."""
    return torch.ones(2 * tokens.shape[1:], dtype=torch.bool).tril()


def words_after(words):
    """Return True where a word stands or follows, (B, S)."""
    return words.flip(1).cumsum(1).flip(1) > 0


def between_words(words):
    """Return True from the first word to the last one, (B, S)."""
    return words_after(words) & (words.cumsum(1) > 0)


def count(tokens, pad_id):
    """Return the number of words, (B, 1)."""
    return (tokens != pad_id).sum(1, keepdim=True)


def first_places(tokens, lengths):
    """Return True at the first places, (B, S)."""
    return torch.arange(tokens.size(1)) < lengths


def require_mask(mask, name, like):
    """Refuse what is no bool tensor on the device of the tokens."""
    require_tensor(mask, like, name)
    if mask.dtype != torch.bool:
        kind = str(mask.dtype).removeprefix("torch.")
        raise Mistake(
            "{} must be bool, True = may attend; yours is {}", name, kind
        )


def shape_and_values(answer, tokens, pad_id):
    """Return what is compared of a mask: its shape, and a list."""
    mask = answer(tokens, pad_id)
    if unanswered(mask):
        return mask
    require_mask(mask, "the mask", tokens)
    return tuple(mask.shape), mask.tolist()


def guess(results, rights, inputs):
    """Return a hint for a mask that no row explains."""
    ((shape, values),), ((want, right),), (tokens, pad_id) = (
        results,
        rights,
        inputs,
    )
    if shape != want:
        lost = lost_axis(torch.empty(shape, device="meta"), want)
        more = Hint(f": {SQUEEZED}" if lost else "")
        return Hint(
            "its shape is {}; make it (B, 1, 1, S), here {}{}",
            shape,
            want,
            more,
        )
    wrong = torch.tensor(values) != torch.tensor(right)
    b, _, _, s = wrong.nonzero()[0].tolist()
    verb = "open" if values[b][0][0][s] else "hidden"
    return Hint(
        "in sentence {}, token {} is {} and should not be (counted "
        "from 0): its id is {}, the padding's {}; compare each id "
        "with pad_id",
        b,
        s,
        verb,
        tokens[b, s],
        pad_id,
    )


def sentences(draws, words, length, pad, first=11, front=False):
    """Return token ids, int64, (B, length), padded with one id.

    The words are ids from `first` on; with `front` the pads come first.
    """
    rows, ids = [], draws.shuffled([*range(first, first + 8)])
    for b, count in enumerate(draws.shuffled(words)):
        row = [ids[(3 * b + i) % 8] for i in range(count)]
        pads = [pad] * (length - count)
        rows.append(pads + row if front else row + pads)
    return torch.tensor(rows)


def with_words(tokens, *words):
    """Return the tokens with other ids at the first places."""
    tokens = tokens.clone()
    tokens[:, : len(words)] = torch.tensor(words)
    return tokens


def scattered(x):
    """Return the same numbers, lying in memory in another order."""
    return x.t().contiguous().t()


def with_hole(tokens, pad):
    """Return the tokens with a pad in the place of every second one."""
    tokens = tokens.clone()
    tokens[:, 1] = pad
    return tokens


def large_pad(draws):
    """Return a padding id that coarse types take for others."""
    return LARGE_PAD + 1024 * draws.number(0, 1, 999)


def large(draws, pad):
    """Return ids, (2, 5), that coarse types take for the padding id."""
    words = draws.shuffled([pad + 1, pad + 256, pad + 2**16, pad + 2**32])
    return torch.tensor([[*words, pad], [*words[1:], pad, pad]])


def cases(draws):
    """Yield all cases."""
    ids = functools.partial(sentences, draws)
    for shown, tokens, pad in (
        ("", with_words(ids((3, 5, 2), 5, 7), 0, 8), 7),
        (AGAIN, with_words(ids((5, 2, 4), 5, 7), 0, 6), 7),
        ("right when pads come last, but not when they come first: ",
         ids((2, 4, 3), 5, 9, front=True), 9),
        ("right for one padding id, but not for others: ",
         with_words(ids((4, 2, 7), 7, 3), 0), 3),
        ("right, but not when as many sentences as tokens (do the same at "
         "every size): ", ids((4, 2, 1, 3), 4, 0), 0),
        ("right when pads come first or last, but not when they stand "
         "between words: ", with_hole(ids((3, 6, 5), 6, 9), 9), 9),
        ("right, but not without any pad: ", ids((4, 4), 4, 9), 9),
        ("right for int64 ids, but not for int32 ones that lie in memory in "
         "another order: ", scattered(ids((5, 2, 3), 5, 7).int()), 7),
    ):  # fmt: skip
        yield Case(shown, (tokens, pad))
    for pad in (7, 0):
        tokens = with_words(ids((3, 2), 4, pad), -100, -7)
        yield Case(NEGATIVE, (tokens, pad), otherwise=ANY_INTEGER, only=True)
    for shown, tokens, pad in (
        ("right, but not when the padding id is -1: ",
         torch.tensor([draws.shuffled([-1, 1, -1, 7, -1])] * 2), -1),
        (LONG, ids((70, 40), 70, 9), 9),
        ("right for several sentences, but not for one: ",
         torch.tensor([draws.shuffled([9, 11, 9, 7, 9])]), 9),
    ):  # fmt: skip
        yield Case(shown, (tokens, pad))
    pad = large_pad(draws)
    yield Case(LARGE, (large(draws, pad), pad), otherwise=COARSE, only=True)
    yield Case(
        "right, but not for one token: ",
        (ids((1,), 1, 9), 9),
        otherwise=SQUEEZED,
        only=True,
    )


def exercise(draws):
    """Return the exercise with its inputs."""
    return Exercise(
        right=padding_mask,
        returns={"the mask": ""},
        takes=("B S", ""),
        cases=tuple(cases(draws)),
        mistakes=MISTAKES,
        through=shape_and_values,
        guess=guess,
    )


check_padding_mask = check(exercise)
