"""Check of greedy decoding with a batch.

Dimension letters:
    B sentences, S source length, V vocabulary.
"""

import functools
import numbers
from collections import Counter

import numpy as np
import torch

from attnbook.checks.engine.calling import call
from attnbook.checks.engine.verdict import Mistake, checker
from attnbook.checks.greedy_mistakes import wrong_greedy
from attnbook.checks.greedy_toy import Toy, cut, write

ONE = 1.0, 0.0  # logits as they are
STAGES = (  # what to say, lengths of the rows, V, bos, eos, longest, and what
    # multiplies the logits and is added to them
    ("", (4, 2, 6), 11, 1, 2, 9, ONE),
    ("right for three sentences, but not for one: ", (4,), 11, 1, 2, 9, ONE),
    (
        "right if bos is 1 and eos is 2, but not for other ids: ",
        (5, 3),
        13,
        6,
        9,
        10,
        ONE,
    ),
    ("right, but not when eos is 0: ", (3, 5, 2), 7, 4, 0, 8, ONE),
    (
        "right, but not when a sentence ends at once: ",
        (3, 0, 4),
        11,
        1,
        2,
        9,
        ONE,
    ),
    (
        "right when every row ends in time, but not when some never do: ",
        (99, 3, 99),
        11,
        1,
        2,
        5,
        ONE,
    ),
    ("right, but not when longest is 1: ", (99, 0, 3), 11, 1, 2, 1, ONE),
    (
        "right, but not for logits in the thousands: ",
        (4, 6),
        9,
        1,
        2,
        9,
        (1e4, 0.0),
    ),
    (
        "right, but not for logits that are all below 0: ",
        (5, 3),
        9,
        1,
        2,
        8,
        (1.0, -9.0),
    ),
    (
        "right, but not for logits that differ little; compare all digits: ",
        (7, 3),
        13,
        1,
        2,
        9,
        (0.02, 9.0),
    ),
    ("right, but not for a longer batch: ", (3, 7, 1, 5, 2), 5, 3, 4, 12, ONE),
    (
        "right, but not when a sentence occurs twice: ",
        (4, 2, 4),
        11,
        1,
        2,
        9,
        ONE,
    ),
    ("right, but not for forty words: ", (40, 99), 11, 1, 2, 41, ONE),
)
EXPLAINED = {  # what an error means here
    "the loop does not end": "the loop does not end; stop after longest "
    "words, or when every row has its <eos>",
    "need the same rows": "source and the words so far need the same number "
    "of rows; start with one <bos> per sentence",
    "source and target are tensors": "the model takes two tensors of ids, "
    "source (B, S) and the words so far (B, T); start with "
    "torch.full((B, 1), bos)",
    "ids are int64": "the words so far must be ids, int64; torch.full with "
    "an int gives them, torch.zeros gives floats",
    "Tensors must have same number of dimensions": "torch.cat needs the new "
    "words as a column, (B, 1): word[:, None]",
    "Sizes of tensors must match except": "torch.cat needs the new words as "
    "a column, (B, 1), and dim=1",
    "is not in list": "a row without <eos> has no place to cut; ask first "
    "whether it is there",
    "out of bounds for dimension 1": "the place that you read does not "
    "exist; with T words fed the last one is T - 1, logits[:, -1]",
    "only one element tensors can be converted": "a condition on a whole "
    "batch of words; use .all() once every row has ended",
    "more than one value is ambiguous": "a condition on a whole batch of "
    "words; use .all() once every row has ended",
}


def lists_of(result, count):
    """Return the result as lists of ints, or say why it is none."""
    if isinstance(result, (torch.Tensor, np.ndarray)):
        raise Mistake(
            "return a list of lists; a tensor cannot hold rows of different "
            "lengths"
        )
    if not isinstance(result, (list, tuple)):
        raise Mistake(
            f"return a list of lists of ids, not {type(result).__name__}"
        )
    rows = []
    for row in result:
        if isinstance(row, (torch.Tensor, np.ndarray)) and row.ndim == 1:
            row = row.tolist()
        if isinstance(row, (numbers.Integral, torch.Tensor)):
            raise Mistake("return one list of ids per sentence, B of them")
        if not isinstance(row, (list, tuple)):
            raise Mistake(f"each row is a list, not {type(row).__name__}")
        row = [i.item() if isinstance(i, torch.Tensor) else i for i in row]
        if not all(isinstance(i, numbers.Integral) for i in row):
            raise Mistake("the rows must hold ids, whole numbers")
        rows.append([int(i) for i in row])
    if len(rows) != count:
        raise Mistake(f"{count} sentences went in, {len(rows)} rows came back")
    return rows


def explained(answer, *inputs):
    """Call the answer; say what the usual errors mean here."""
    try:
        return call(answer, *inputs)
    except Mistake as mistake:
        for words, meaning in EXPLAINED.items():
            if words in str(mistake):
                raise Mistake(meaning) from None
        raise


def sources(count, vocabulary):
    """Draw sources that all differ, int64, (B, S)."""
    generator = torch.Generator().manual_seed(14)
    source = torch.randint(0, vocabulary, (count, 4), generator=generator)
    source[:, 0] = torch.arange(count).flip(0)
    return source


def why(rows, right, given, make, used):
    """Return the hint for wrong rows; `used` is the model behind them."""
    source, _, _, longest = given
    known = {tuple(row) for row in source.tolist()}
    if used.parts_train:
        return "training = False leaves parts in train mode; call eval()"
    for hint, wrong in wrong_greedy(make, *given):
        if rows == wrong != right:
            return hint
    if not set(used.asked) <= known:
        return (
            "the model's first argument is the source, its second the words "
            "so far"
        )
    if used.strange_start:
        return "the words so far must begin with <bos>, in every call"
    if used.calls == 1 < longest:
        return (
            "the model is called once; every word needs a call, with the "
            "words before it"
        )
    if used.growth > 1:
        return (
            "the words so far grow by more than one per call; append the "
            "word of the last place alone"
        )
    if all(row == r[: len(row)] for row, r in zip(rows, right, strict=True)):
        return f"a row is cut short; only <eos> or longest = {longest} ends it"
    return (
        "these are not the most probable words; take argmax over the last "
        "axis of the logits, row by row, and append it to the words so far"
    )


def judge_greedy(answer, twice, lengths, vocabulary, bos, eos, longest, scale):
    """Raise a mistake in one batch; say whether the calls are few."""
    source = sources(len(lengths), vocabulary)
    if twice:
        source[2] = source[0]
    most = 4 * len(lengths) * (longest + 2)

    def make():
        ids = bos, eos
        return Toy(source, lengths, ids, vocabulary, scale, most).eval()

    given = source, bos, eos, longest
    right = cut(write(make(), *given), eos)
    rows, models = [], [make().train(), make().train()]
    for model in models:
        bound = functools.partial(answer, model)
        rows.append(lists_of(explained(bound, *given), len(lengths)))
    if rows[0] != rows[1]:
        raise Mistake(
            "two calls differ; take the most probable word, draw nothing, "
            "and keep nothing between calls"
        )
    if rows[0] != right:
        raise Mistake(why(rows[0], right, given, make, models[0]))
    there = Counter(tuple(row) for row in source.tolist())
    asked = models[0].asked
    return all(asked[row] <= longest * n for row, n in there.items())


@checker
def check_greedy(answer):
    """Check exercise ``greedy(model, source, bos, eos, longest)``.

    Args:
        answer: a function of a model, which gives logits, (B, T, V), for
            source, (B, S), and words so far, (B, T), the source, the ids
            of <bos> and <eos>, and the most words to write; it returns B
            lists of ids without <bos> and <eos>.

    Returns:
        A `Verdict`; the check prints it too, and never raises.
    """
    few = True
    for prefix, *stage in STAGES:
        try:
            few &= judge_greedy(answer, "twice" in prefix, *stage)
        except Mistake as mistake:
            raise Mistake(f"{prefix}{mistake}") from None
    if not few:
        raise Mistake(
            "the words are right, but the model is called more than longest "
            "times for a sentence; one call per word is enough"
        )
