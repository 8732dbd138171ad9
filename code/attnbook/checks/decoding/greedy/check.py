"""Check of greedy decoding with a batch.

Dimension letters:
    B sentences, S source length, T words so far, vocab words of the
    vocabulary.
"""

from collections import Counter

import torch

from attnbook.checks.decoding.greedy.toy import Language, Toy, lists_of
from attnbook.checks.engine.calling import unanswered
from attnbook.checks.engine.exercise import Case, Exercise, check
from attnbook.checks.engine.steps import table
from attnbook.checks.engine.verdict import Hint


def greedy(model, source, bos, eos, longest):
    """Write the most probable next word until all rows have ended.

    Args:
        model: in train mode; ``model(source, words)`` gives logits,
            (B, T, vocab), for source and the words so far, (B, T).
        source: ids, (B, S).
        bos: id of <bos>.
        eos: id of <eos>.
        longest: the most words to write, and the most calls of the model
            for a sentence.

    Returns:
        B lists of ids without <bos> and <eos>.
    """
    model = model.eval()
    rounds = longest
    start = torch.full((len(source), 1), bos)
    words = start
    for _ in range(rounds):
        fed = words
        every = model(source, fed)  # (B, T, vocab)
        logits = every[:, -1]  # (B, vocab)
        word = logits.argmax(-1)  # (B,)
        stop = False  # or: every row has its <eos>
        if stop:
            break
        words = torch.cat([words, word[:, None]], 1)  # (B, T + 1)
    written = words[:, 1:]
    rows = written.tolist()
    cut = [row[: [*row, eos].index(eos)] for row in rows]
    result = cut
    return list(result)


def last(row, eos):
    """Return a row up to its last <eos>."""
    return row[: len(row) - 1 - row[::-1].index(eos)] if eos in row else row


def filled(rows, word):
    """Return rows of equal length."""
    return [row + [word] * (max(map(len, rows)) - len(row)) for row in rows]


def hidden(logits, word, value):
    """Return logits with a value in the place of one word's."""
    return logits.index_fill(1, torch.tensor([word]), value)


MISTAKES = table("""
    model = model
        the model is in train mode, where dropout disturbs it; call
        model.eval() before the loop
    model = setattr(model, "training", False) or model
        training = False leaves parts in train mode; call eval()
    rounds = longest + 1
        one word too many: longest bounds the words
    rounds = longest - 1
        one word too few: longest words may be written, and a row without <eos>
        keeps them all
    start = torch.full((len(source), 1), 0)
    start = torch.full((len(source), 1), eos)
        the words so far must begin with <bos>, in every call
    start = torch.full((len(source), 1), 1)
        you write <bos> as 1; take the id that is handed in
    cut = [row[: [*row, 2].index(2)] for row in rows]
        you look for <eos> as 2; take the id that is handed in
    cut = [row[: [*row, 0].index(0)] for row in rows]
        you cut a row at the id 0; cut it at <eos>
    fed = words[:, -1:]
        only the newest word is fed, so the model forgets those before; feed
        all words so far, <bos> included
    every = model(fed, source)
        the model's first argument is the source, its second the words so far
    every = model(source[:1].expand_as(source), fed)
    result = [cut[0]] * len(cut)
        every row is written for the first source
    logits = every[:, 0]
        you read the logits of the first place at every step; the next word's
        are at the last place, logits[:, -1]
    logits = every[:, max(-2, -every.size(1))]
        you read one place too early; the last one is -1
    logits = every.mean(1)
    logits = every.sum(1)
        you add up the logits of all places; the next word's are at the last
        place, logits[:, -1]
    word = logits.argmin(-1)
        the least probable words; take argmax, not argmin
    word = logits.topk(2).indices[:, 1]
        the second best words; the best stands first
    word = (logits.argmax() % logits.size(1)).expand(len(logits))
        one word is chosen for the whole batch; each row has its own, with
        argmax(dim=-1)
    word = logits.mean(0).argmax().expand(len(logits))
        the logits of all sentences are averaged; each row has its own word
    word = logits.softmax(0).argmax(-1)
        the softmax is taken over the sentences; words compete along the last
        axis
    word = logits.abs().argmax(-1)
        the signs of the logits are lost; a logit far below 0 is improbable
    word = hidden(logits, bos, 0.0).argmax(-1)
        <bos> is hidden with the logit 0, which may be the largest
    word = hidden(logits, eos, -math.inf).argmax(-1)
        <eos> is never chosen, so no row ends; it is a word like another
    word = hidden(logits, eos if words.size(1) == 1 else bos, -9e9).argmax(-1)
        <eos> is never the first word; a sentence may be empty
    word = torch.where((logits.topk(2).indices == eos).any(1), eos, \
logits.argmax(-1))
        a row ends where <eos> is only the second best word; take the best
    word = hidden(logits, 0, -math.inf).argmax(-1)
    word = logits[:, 1:].argmax(-1) + 1
        the word with id 0 is never written; it is a word like another
    word = logits.scatter(1, words, -math.inf).argmax(-1)
        no word is written twice; greedy takes the most probable one, however
        often it stands there
    word = logits.scatter(1, words[:, -1:], -math.inf).argmax(-1)
        the word before is never written again; greedy takes the most probable
        one
    stop = bool((word == eos).any())
    stop = bool((words == eos).any())
        all rows stop when the first one ends; go on until every row has its
        <eos>
    stop = bool(word[0] == eos)
    stop = bool((words[0] == eos).any())
        the loop stops when the first sentence of the batch ends, and the
        others are cut short; wait for every row
    stop = bool(word[-1] == eos)
        the loop stops when the last sentence of the batch ends; wait for every
        row
    stop = (words == eos).sum() >= len(words)
        the loop stops once B <eos> are written, but an ended row may write
        several; note which rows have ended
    written = words
        your rows still begin with <bos>; cut it off
    written = words[:, 2:]
        the first word of each row is lost
    cut = [row[: [*row, eos].index(eos) + 1] for row in rows]
        your rows still hold <eos>; cut there, without it
    cut = rows
    stop = bool((words == eos).any(1).all()); cut = rows
    stop = bool((words[:, -1] == eos).all()); cut = rows
        a row goes on behind its <eos>; cut it at the first <eos>
    cut = [row[:-1] for row in rows]
    stop = bool((words == eos).any(1).all()); cut = [r[:-1] for r in rows]
        only the last id is cut off; a row that ended earlier goes on behind
        its <eos>
    cut = [[i for i in row if i != eos] for row in rows]
        <eos> is taken out, but the words behind it stay; cut the row there
    cut = [last(row, eos) for row in rows]
        a row is cut at its last <eos>; cut it at the first
    cut = [row[: row.index(eos)] if eos in row else [] for row in rows]
        a row without <eos> comes back empty; it keeps its longest words
    cut = [r[: r.index(eos)] if eos in r else [*r, eos] for r in rows]
        <eos> is put behind a row that never ended; leave it as it is
    result = [row[:-1] for row in cut]
        the last word of each row is lost
    result = [row[::-1] for row in cut]
        the words stand in reverse order
    result = sorted(cut, key=len)
    result = sorted(cut)
        the shortest rows come first; keep the order of the sources
    result = filled(cut, 0)
        short rows are filled up; each list ends where its words end
    result = filled(cut, eos)
        short rows are filled up with <eos>; cut them there
    result = [[i for i in row if i] for row in cut]
        ids that are 0 are lost; 0 is a word like another
    result = [list(dict.fromkeys(row)) for row in cut]
        a word that occurs twice in a row is written once; keep both
""")
COLUMN = "torch.cat needs the new words as a column, (B, 1): word[:, None]"
WHOLE = (
    "a condition on a whole batch of words; use .all() once every row has "
    "ended"
)
ERRORS = {
    "Tensors must have same number of dimensions": COLUMN,
    "Sizes of tensors must match except": f"{COLUMN}, and dim=1; if you have "
    "vocab words and not B, argmax ran over the batch: take dim=-1",
    "is not in list": "a row without <eos> has no place to cut; ask first "
    "whether it is there",
    "out of bounds for dimension 1": "the place that you read does not "
    "exist; with T words fed the last one is T - 1, logits[:, -1]",
    "only one element tensors can be converted": WHOLE,
    "cannot be converted to Scalar": WHOLE,
    "more than one value is ambiguous": WHOLE,
}


BEST = (
    "these are not the most probable words; take argmax over the last axis "
    "of the logits, row by row, and append it to the words so far"
)


class Rows(list):
    """The rows that a learner returns, and the calls behind them."""

    calls = None


def through(answer, language, source, bos, eos, longest):
    """Return what the answer writes, and whether the calls are few."""
    model = Toy(source, language, longest).train()
    result = answer(model, source, bos, eos, longest)
    if unanswered(result):
        return result
    rows = Rows(lists_of(result, len(source)))
    rows.calls = calls = model.calls
    there = Counter(tuple(row) for row in source.tolist())
    few = all(calls.asked[row] <= longest * n for row, n in there.items())
    return rows, few or not language.counted


def guess(results, rights, inputs):
    """Return what the calls of the model say of wrong rows."""
    (rows, _), (right, _), (_, source, *_, longest) = results, rights, inputs
    calls, known = rows.calls, {tuple(row) for row in source.tolist()}
    if not set(calls.asked) <= known:
        return (
            "hand the source to the model as it is: the model's first "
            "argument is the source, its second the words so far"
        )
    if calls.strange_start:
        return "the words so far must begin with <bos>, in every call"
    if calls.trained:
        return (
            "the model is in train mode in some calls; call model.eval() "
            "before the loop"
        )
    if any(len(row) > longest for row in rows):
        return Hint("more than longest = {} words are written", longest)
    if calls.count == 1 < longest:
        return (
            "the model is called once; every word needs a call, with the "
            "words before it"
        )
    if calls.start > 1:
        return "start with one <bos> per sentence, (B, 1), and no more"
    if calls.growth > 1:
        return (
            "the words so far grow by more than one per call; append the "
            "word of the last place alone, and give each row a list of its own"
        )
    if all(row == r[: len(row)] for row, r in zip(rows, right, strict=True)):
        return Hint(
            "a row is cut short; only <eos> or longest = {} ends it", longest
        )
    if all(row[: len(r)] == r for row, r in zip(rows, right, strict=True)):
        return "a row goes on behind its <eos>; cut it at the first <eos>"
    if rows[0] == right[0]:
        return (
            "the first row is right, others are not; do they begin with <bos> "
            "alone, and does each have its own words?"
        )
    return BEST


def case(
    draws, shown, lengths, sizes, scale=(1.0, 0.0), otherwise="", counted=False
):
    """Return a case; its sources all differ, unless one occurs twice."""
    *ids, longest = sizes
    generator = draws.seeded(14)
    shape = len(lengths), 6
    source = torch.randint(0, ids[0], shape, generator=generator)
    source[:, 0] = torch.arange(len(lengths)).flip(0)
    if "twice" in shown:
        source[2] = source[0]
    language = Language(draws, lengths, *ids, *scale, counted)
    inputs = language, source, *ids[1:], longest
    return Case(shown, inputs, otherwise=otherwise, only=bool(otherwise))


USUAL = 11, 1, 2, 9  # vocab, bos, eos, longest


def cases(draws):
    """Yield all cases."""
    yield case(draws, "", (3, 2, 6), USUAL)
    yield case(
        draws, "right for three sentences, but not for one: ", (4,), USUAL
    )
    yield case(
        draws,
        "right when every row ends in time, but not when some never do: ",
        (99, 3, 99),
        (11, 1, 2, 5),
    )
    yield case(
        draws,
        "right if bos is 1 and eos is 2, but not for other ids: ",
        (5, 3),
        (13, 6, 9, 10),
    )
    yield case(
        draws, "right, but not when eos is 0: ", (3, 5, 2), (7, 4, 0, 8)
    )
    yield case(
        draws,
        "right, but not when a sentence ends at once: ",
        (3, 0, 4),
        USUAL,
    )
    yield case(
        draws, "right, but not when longest is 1: ", (99, 0, 3), (11, 1, 2, 1)
    )
    yield case(
        draws,
        "right, but not for a longer batch: ",
        (3, 7, 1, 5, 2),
        (5, 3, 4, 12),
    )
    yield case(
        draws,
        "right, but not for logits in the thousands: ",
        (4, 6),
        (9, 1, 2, 9),
        (1e4, 0.0),
        otherwise=BEST,
    )
    yield case(
        draws,
        "right, but not for logits that differ little; compare all digits: ",
        (7, 3),
        (13, 1, 2, 9),
        (0.02, 9.0),
        otherwise=BEST,
    )
    yield case(
        draws,
        "right, but not for logits that are all below 0: ",
        (5, 3),
        (9, 1, 2, 8),
        (1.0, -9.0),
    )
    yield case(
        draws,
        "right, but not when a sentence occurs twice: ",
        (4, 2, 4),
        USUAL,
    )
    yield case(
        draws,
        "right, but not for forty words: ",
        (40, 99),
        (11, 1, 2, 41),
        otherwise="only <eos> or longest = 41 ends a row",
    )
    yield case(
        draws,
        "",
        (4, 99),
        (11, 1, 2, 5),
        otherwise="the words are right, but the model is called more than "
        "longest times for a sentence; one call per word is enough",
        counted=True,
    )


def exercise(draws):
    """Return the exercise with its inputs."""
    return Exercise(
        right=greedy,
        returns={"the rows": "", "the number of calls": ""},
        takes=("", "", "", "", ""),
        cases=tuple(cases(draws)),
        mistakes=MISTAKES,
        combine=("model", "rounds", "start", "logits", "written", "cut"),
        errors=ERRORS,
        guess=guess,
        through=through,
    )


check_greedy = check(exercise)
