"""Answers to the tasks of chapter 13, Translation, in full."""

import itertools
import random
import re

import numpy as np
import sacrebleu
import torch

from answers.registry import right, wrong
from attnbook.data.batches import bucket_batches as package_buckets

PAD, BOS, EOS, UNK = range(4)
BLANK = "\u2581"

# ----------------------------------------------------- BLEU and its inputs
TASK = "corpus_bleu_inputs"


@right(TASK)
def bleu_plain(ids, references, pieces):
    hypotheses = []
    for row in ids:
        if EOS in row:
            row = row[: row.index(EOS)]
        words = [pieces[i] for i in row if i not in (PAD, BOS)]
        hypotheses.append("".join(words).replace(BLANK, " ").strip())
    score = sacrebleu.BLEU().corpus_score(hypotheses, [references]).score
    return hypotheses, [references], score


@right(TASK)
def bleu_takewhile(rows, refs, names):
    texts = []
    for row in rows:
        row = itertools.takewhile(lambda i: i != EOS, row)
        text = "".join(names[i] for i in row if i > EOS)
        texts.append(" ".join(text.replace(BLANK, " ").split()))
    return texts, [refs], sacrebleu.corpus_bleu(texts, [refs]).score


@right(TASK)
def bleu_loops(ids, references, pieces):
    texts = []
    for row in ids:
        text = ""
        for i in row:
            if i == EOS:
                break
            if i in (PAD, BOS):
                continue
            text += pieces[i]
        texts.append(text.replace(BLANK, " ").strip())
    metric = sacrebleu.BLEU(tokenize="13a", smooth_method="exp")
    found = metric.corpus_score(texts, [list(references)])
    return [texts, [list(references)], found.score]


@right(TASK)
def bleu_by_names(ids, references, pieces):
    texts = []
    for row in ids:
        words = " ".join(pieces[i] for i in row).split("<eos>")[0].split(" ")
        words = [w for w in words if w not in ("<pad>", "<bos>")]
        texts.append("".join(words).replace(BLANK, " ").strip())
    score = sacrebleu.BLEU().corpus_score(texts, (tuple(references),))
    return texts, (tuple(references),), np.float64(score.score)


@right(TASK)
def bleu_tensors(ids, references, pieces):
    texts = []
    for row in ids:
        row = torch.tensor(row, dtype=torch.long)
        ends = (row == EOS).nonzero()
        row = row[: ends[0, 0]] if len(ends) else row
        keep = row[(row != PAD) & (row != BOS)].tolist()
        texts.append("".join(pieces[i] for i in keep).replace(BLANK, " "))
    texts = [text.strip() for text in texts]
    return (
        texts,
        [references],
        sacrebleu.corpus_bleu(texts, [references]).score,
    )


@right(TASK)
def bleu_subs(ids, references, pieces):
    joined = ["".join(pieces[i] for i in row) for row in ids]
    cut = [re.sub(r"<eos>.*", "", text) for text in joined]
    clean = [re.sub(r"<pad>|<bos>", "", text) for text in cut]
    texts = [re.sub(BLANK, " ", text).strip() for text in clean]
    return (
        texts,
        [references],
        torch.tensor(
            sacrebleu.corpus_bleu(texts, [references]).score,
            dtype=torch.float64,
        ),
    )


def texts_of(ids, pieces):
    return bleu_plain(ids, [""] * len(ids), pieces)[0]


def score_of(texts, references):
    return sacrebleu.corpus_bleu(texts, [references]).score


@right(TASK)
def bleu_in_float32(ids, references, pieces):
    texts = texts_of(ids, pieces)
    return texts, [references], torch.tensor(score_of(texts, references))


@right(TASK)
def bleu_by_splitting_at_the_sign(ids, references, pieces, sign=BLANK):
    texts = []
    for row in ids:
        end = [*row, EOS].index(EOS)
        text = "".join(pieces[i] for i in row[:end] if i > BOS)
        texts.append(" ".join(word for word in text.split(sign) if word))
    metric = sacrebleu.metrics.BLEU()
    return texts, (references,), metric.corpus_score(texts, [references]).score


def changed(hint, name, change):
    """Register an answer that changes every right translation."""

    def answer(ids, references, pieces):
        texts = [change(text) for text in texts_of(ids, pieces)]
        return texts, [references], score_of(texts, references)

    answer.__name__ = name
    wrong(TASK, hint)(answer)


changed("a translation is no str", "lists_of_words", str.split)
changed(
    "a translation has blanks at its ends",
    "blank_at_the_end",
    lambda text: text + " ",
)
changed("a long row is cut short", "five_words", lambda text: text[:99])
changed(
    "blanks stand where they should not",
    "blanks_around_unknown",
    lambda text: " ".join(text.replace("<unk>", " <unk> ").split()),
)
changed(
    "<unk> is replaced",
    "unknown_as_question_marks",
    lambda text: text.replace("<unk>", "??"),
)
changed(
    "a letter beyond a to z is lost",
    "ascii_alone",
    lambda text: text.encode("ascii", "ignore").decode(),
)


@wrong(TASK, "cut the row before it; and: the blank before the first word is")
def eos_kept_and_not_stripped(ids, references, pieces):
    cut = [row[: [*row, EOS].index(EOS) + 1] for row in ids]
    texts = ["".join(pieces[i] for i in row) for row in cut]
    texts = [text.replace(BLANK, " ") for text in texts]
    return texts, [references], score_of(texts, references)


@wrong(TASK, "raised an error")
def every_row_has_an_end(ids, references, pieces):
    texts = texts_of([row[: row.index(EOS)] for row in ids], pieces)
    return texts, [references], score_of(texts, references)


@wrong(TASK, "one long text")
def one_text(ids, references, pieces):
    texts = texts_of(ids, pieces)
    return " ".join(texts), [references], score_of(texts, references)


@wrong(TASK, "an empty one")
def empty_dropped(ids, references, pieces):
    texts = [text for text in texts_of(ids, pieces) if text]
    kept = references[: len(texts)]
    return texts, [kept], score_of(texts, kept)


@wrong(TASK, "two rows are equal: 3 rows, but 2 translations")
def equal_dropped(ids, references, pieces):
    texts = list(dict.fromkeys(texts_of(ids, pieces)))
    return texts, [references], score_of(texts, references[: len(texts)])


@wrong(TASK, "not in the order of the rows")
def texts_sorted(ids, references, pieces):
    texts = sorted(texts_of(ids, pieces), key=len)
    return texts, [references], score_of(texts, references)


@wrong(TASK, "another order: translation 0 is not the text of its row")
def pieces_by_heart(ids, references, pieces, seen=[]):  # noqa: B006
    seen.append(list(pieces))
    texts = texts_of(ids, seen[0])
    return texts, [references], score_of(texts, references)


@wrong(TASK, "changes its inputs")
def pops_the_end(ids, references, pieces):
    for row in ids:
        while EOS in row:
            row.pop()
    return bleu_plain(ids, references, pieces)


def other_end(hint, name, make):
    """Register an answer with right texts and something else."""

    def answer(ids, references, pieces):
        return make(*bleu_plain(ids, references, pieces))

    answer.__name__ = name
    wrong(TASK, hint)(answer)


other_end(
    "nested once too often in the score",
    "too_deep_for_the_score",
    lambda t, r, s: (t, r, score_of(t, r)),
)
other_end(
    "references are lower-cased; leave both sides as they are; and: the "
    "references are a flat list",
    "lower_and_flat",
    lambda t, r, s: (t, [x.lower() for x in r[0]], s),
)
other_end(
    "must be a list of sets of references",
    "translations_as_references",
    lambda t, r, s: (t, [t], s),
)
other_end(
    "one list of str, not ndarray",
    "references_as_an_array",
    lambda t, r, s: (t, np.array(r), s),
)
other_end(
    "your score is sacreBLEU's whole result; take its .score",
    "whole_result",
    lambda t, r, s: (t, r, sacrebleu.corpus_bleu(t, r)),
)
other_end("you round", "rounded", lambda t, r, s: (t, r, round(s, 1)))
other_end("a number, not str", "as_text", lambda t, r, s: (t, r, f"{s:.2f}"))
other_end("not sacreBLEU's corpus BLEU", "half", lambda t, r, s: (t, r, s / 2))
other_end(
    "a translation is a list of pieces",
    "lists_and_a_score",
    lambda t, r, s: ([text.split() for text in t], r, s),
)
other_end(
    "must be a list of str, not ndarray",
    "an_array_of_texts",
    lambda t, r, s: (np.array(t), r, s),
)
other_end("are not in order", "references_first", lambda t, r, s: (r, t, s))
other_end("are not in order", "score_first", lambda t, r, s: (s, t, r))
other_end("you return the score alone", "only_score", lambda t, r, s: s)
other_end("return three things", "two_things", lambda t, r, s: (t, r))


# ----------------------------------------------------------- bucket_batches
TASK = "bucket_batches"


def wide(pair):
    return max(len(pair[0]), len(pair[1]))


def refuse(pairs, max_tokens):
    if any(wide(pair) > max_tokens for pair in pairs):
        raise ValueError("a pair is longer than max_tokens")


def cut(pairs, max_tokens, size=None):
    """Return batches of pairs in this order."""
    size = size or (lambda batch: max(map(wide, batch)) * len(batch))
    batches, batch = [], []
    for pair in pairs:
        if batch and size([*batch, pair]) > max_tokens:
            batches.append(batch)
            batch = []
        batch.append(pair)
    return [*batches, batch]


def shuffled(items, seed):
    items = list(items)
    random.Random(seed).shuffle(items)
    return items


@right(TASK)
def buckets_plain(pairs, max_tokens, seed):
    refuse(pairs, max_tokens)
    return shuffled(cut(sorted(pairs, key=wide), max_tokens), seed)


@right(TASK)
def buckets_of_the_package(pairs, max_tokens, seed):
    lengths = [(len(s), len(t)) for s, t in pairs]
    groups = package_buckets(lengths, max_tokens, seed)
    return [[pairs[i] for i in group] for group in groups]


@right(TASK)
def buckets_by_target(pairs, bound, seed):
    generator = torch.Generator().manual_seed(seed)
    order = torch.randperm(len(pairs), generator=generator).tolist()
    order.sort(key=lambda i: (len(pairs[i][1]), len(pairs[i][0])))
    batches = []
    while order:
        batch, widest = [], 0
        while order:
            widest = max(widest, wide(pairs[order[0]]))
            if widest > bound:
                raise ValueError("too long")
            if widest * (len(batch) + 1) > bound:
                break
            batch.append(pairs[order.pop(0)])
        batches.append(batch)
    order = torch.randperm(len(batches), generator=generator)
    return [batches[i] for i in order]


@right(TASK)
def buckets_by_slices(pairs, max_tokens, seed):
    rows = sorted(pairs, key=lambda p: -max(len(p[0]), len(p[1])))
    if wide(rows[0]) > max_tokens:
        raise ValueError(f"{wide(rows[0])} tokens, {max_tokens} at most")
    batches, start = [], 0
    while start < len(rows):  # the first of a batch is its longest
        stop = start + max_tokens // wide(rows[start])
        batches.append(tuple(rows[start:stop]))
        start = stop
    random.seed(seed)
    random.shuffle(batches)
    return tuple(batches)


@right(TASK)
def buckets_by_source(pairs, max_tokens, seed):
    refuse(pairs, max_tokens)
    draw = np.random.default_rng(seed)
    rows = [pairs[i] for i in draw.permutation(len(pairs))]
    rows.sort(key=lambda pair: (len(pair[0]), len(pair[1])))
    batches = cut(rows, max_tokens)
    return [batches[i] for i in draw.permutation(len(batches))]


@wrong(TASK, "you sort by the source alone; sort by the longer side")
def buckets_by_source_alone(pairs, max_tokens, seed):
    refuse(pairs, max_tokens)
    rows = sorted(pairs, key=lambda pair: len(pair[0]))
    return shuffled(cut(rows, max_tokens), seed)


@wrong(TASK, "you sort by the shorter side alone; sort by the longer side")
def buckets_by_the_shorter_side(pairs, max_tokens, seed):
    refuse(pairs, max_tokens)
    rows = sorted(pairs, key=lambda pair: min(map(len, pair)))
    return shuffled(cut(rows, max_tokens), seed)


@wrong(TASK, "do you count both sides together?")
def buckets_for_both_sides(pairs, max_tokens, seed):
    refuse(pairs, max_tokens)

    def size(batch):
        return len(batch) * max(len(s) + len(t) for s, t in batch)

    return shuffled(cut(sorted(pairs, key=wide), max_tokens, size), seed)


@wrong(TASK, "the longest before the new pair is in")
def buckets_with_the_width_before(pairs, max_tokens, seed):
    refuse(pairs, max_tokens)

    def size(batch):
        return len(batch) * max(map(wide, batch[:-1]))

    return shuffled(cut(sorted(pairs, key=wide), max_tokens, size), seed)


def buckets_as_the_page_sorts(pairs, max_tokens, seed, size):
    refuse(pairs, max_tokens)
    rows = sorted(pairs, key=lambda pair: (len(pair[1]), len(pair[0])))
    return shuffled(cut(rows, max_tokens, size), seed)


@wrong(TASK, "the longest before the new pair is in")
def buckets_by_target_with_the_width_before(pairs, max_tokens, seed):
    def size(batch):
        return len(batch) * max(map(wide, batch[:-1]))

    return buckets_as_the_page_sorts(pairs, max_tokens, seed, size)


@wrong(TASK, "you add the length of the new pair to the size before it")
def buckets_by_target_that_add(pairs, max_tokens, seed):
    def size(batch):
        return (len(batch) - 1) * max(map(wide, batch[:-1])) + wide(batch[-1])

    return buckets_as_the_page_sorts(pairs, max_tokens, seed, size)


@wrong(TASK, "you count the targets alone; sources count too")
def buckets_by_target_that_count_targets(pairs, max_tokens, seed):
    def size(batch):
        return len(batch) * max(len(target) for _, target in batch)

    return buckets_as_the_page_sorts(pairs, max_tokens, seed, size)


@wrong(TASK, "none has more than 8 pairs, though 10 fit")
def buckets_of_eight_or_sixteen(pairs, max_tokens, seed):
    refuse(pairs, max_tokens)
    rows, batches = sorted(pairs, key=wide, reverse=True), []
    while rows:
        count = max_tokens // wide(rows[0])
        count -= count % 8 if count > 8 else 0
        batches.append(rows[:count])
        rows = rows[count:]
    return shuffled(batches, seed)


@wrong(TASK, "batches come first whatever the seed; shuffle all batches")
def buckets_shuffled_in_two_halves(pairs, max_tokens, seed):
    refuse(pairs, max_tokens)
    batches = cut(sorted(pairs, key=wide), max_tokens)
    half = len(batches) // 2
    return shuffled(batches[:half], seed) + shuffled(batches[half:], seed)


@right(TASK)
def buckets_new_lists(pairs, max_tokens, seed):
    refuse(pairs, max_tokens)
    rows = sorted(pairs, key=lambda pair: len(pair[0]) + len(pair[1]))
    batches = cut([[list(s), list(t)] for s, t in rows], max_tokens)
    return random.Random(seed).sample(batches, len(batches))


def by_cutting(hint, name, make):
    """Register an answer that refuses and shuffles, but cuts wrongly."""

    def answer(pairs, max_tokens, seed):
        refuse(pairs, max_tokens)
        return shuffled(make(sorted(pairs, key=wide), max_tokens), seed)

    answer.__name__ = name
    wrong(TASK, hint)(answer)


def torn(rows, bound):
    sources = sorted((s for s, _ in rows), key=len)
    targets = sorted((t for _, t in rows), key=len)
    return cut(list(zip(sources, targets, strict=True)), bound)


def boundary_lost(rows, bound):
    batches, batch = [], []
    for pair in rows:
        if batch and wide(pair) * (len(batch) + 1) > bound:
            batches.append(batch)
            batch = []
        else:
            batch.append(pair)
    return [*batches, *([batch] if batch else [])]


def first_twice(rows, bound):
    return cut([rows[0], *rows], bound)


def checked_late(rows, bound):
    batches, batch = [], []
    for pair in rows:
        batch.append(pair)
        if max(map(wide, batch)) * len(batch) > bound:
            batches.append(batch)
            batch = []
    return [*batches, *([batch] if batch else [])]


by_cutting("torn apart", "torn_apart", torn)
by_cutting(
    "longest pairs are lost", "last_batch_lost", lambda r, n: cut(r, n)[:-1]
)
by_cutting(
    "shortest pairs are lost", "first_batch_lost", lambda r, n: cut(r, n)[1:]
)
by_cutting("one pair per batch is lost", "boundary_lost", boundary_lost)
by_cutting("come more often", "first_pair_twice", first_twice)
by_cutting(
    "stay in the old one too",
    "opens_both",
    lambda r, n: (
        [[*a, *b[:1]] for a, b in zip(cut(r, n), cut(r, n)[1:], strict=False)]
        + cut(r, n)[-1:]
    ),
)
by_cutting(
    "have changed places",
    "sides_swapped",
    lambda r, n: cut([(t, s) for s, t in r], n),
)
by_cutting(
    "equal pairs count too",
    "equal_pairs_lost",
    lambda r, n: cut(
        list({(tuple(s), tuple(t)): (s, t) for s, t in r}.values()), n
    ),
)
by_cutting(
    "rows that were not given",
    "with_eos",
    lambda r, n: cut([([*s, 2], [*t, 2]) for s, t in r], n + 1),
)
by_cutting(
    "rows that were not given",
    "padded_rows",
    lambda r, n: [
        [(s + [0] * (wide(b[-1]) - len(s)), t) for s, t in b]
        for b in cut(r, n)
    ],
)
by_cutting(
    "count the sources alone",
    "bound_of_sources",
    lambda r, n: cut(r, n, lambda b: len(b) * max(len(s) for s, _ in b)),
)
by_cutting(
    "count the targets alone",
    "bound_of_targets",
    lambda r, n: cut(r, n, lambda b: len(b) * max(len(t) for _, t in b)),
)
by_cutting(
    "add up the real lengths",
    "bound_without_padding",
    lambda r, n: cut(
        r, n, lambda b: max(sum(len(p[i]) for p in b) for i in (0, 1))
    ),
)
by_cutting("before the new pair is in", "checked_too_late", checked_late)
by_cutting(
    "multiply with the shortest",
    "width_of_the_first",
    lambda r, n: cut(r, n, lambda b: len(b) * wide(b[0])),
)
by_cutting("you count pairs", "counts_pairs", lambda r, n: cut(r, n, len))
by_cutting(
    "every pair stands alone", "one_each", lambda r, n: [[p] for p in r]
)
by_cutting(
    "as would fit of the longest",
    "one_size",
    lambda r, n: [
        r[i : i + n // wide(r[-1])] for i in range(0, len(r), n // wide(r[-1]))
    ],
)
by_cutting(
    "do you count both sides",
    "counts_both_sides",
    lambda r, n: cut(
        r,
        n,
        lambda b: (
            len(b) * (max(len(s) for s, _ in b) + max(len(t) for _, t in b))
        ),
    ),
)
by_cutting(
    "exactly max_tokens is allowed",
    "one_less",
    lambda r, n: cut(r, max(n - 1, wide(r[-1]))),
)
by_cutting(
    "only pairs of one length",
    "exact_lengths",
    lambda r, n: [
        b
        for _, group in itertools.groupby(r, wide)
        for b in cut(list(group), n)
    ],
)
by_cutting(
    "one of your batches is empty",
    "empty_batch",
    lambda r, n: [[], *cut(r, n)],
)
by_cutting("one flat list", "flat_list", lambda r, n: r)
by_cutting(
    "hold whole numbers",
    "indices",
    lambda r, n: [[r.index(p) for p in b] for b in cut(r, n)],
)
by_cutting(
    "sort by length, and shuffle the batches",
    "shuffled_after_sorting",
    lambda r, n: cut(shuffled(r, 3), n),
)
by_cutting(
    "you sort by the ids", "sorted_by_ids", lambda r, n: cut(sorted(r), n)
)


@wrong(TASK, "order in which they were given")
def never_sorted(pairs, max_tokens, seed):
    refuse(pairs, max_tokens)
    return shuffled(cut(pairs, max_tokens), seed)


@wrong(TASK, "from short to long")
def never_shuffled(pairs, max_tokens, seed):
    refuse(pairs, max_tokens)
    return cut(sorted(pairs, key=wide), max_tokens)


@wrong(TASK, "from short to long")
def shuffled_before_sorting(pairs, max_tokens, seed):
    refuse(pairs, max_tokens)
    return cut(sorted(shuffled(pairs, seed), key=wide), max_tokens)


@wrong(TASK, "from long to short")
def long_ones_first(pairs, max_tokens, seed):
    refuse(pairs, max_tokens)
    return cut(sorted(pairs, key=wide), max_tokens)[::-1]


@wrong(TASK, "another seed gives the same")
def seed_ignored(pairs, max_tokens, seed):
    return buckets_plain(pairs, max_tokens, 5)


@wrong(TASK, "some different seeds")
def seed_odd_or_even(pairs, max_tokens, seed):
    return buckets_plain(pairs, max_tokens, seed % 2)


@wrong(TASK, "two calls with the same seed")
def no_seed(pairs, max_tokens, seed):
    refuse(pairs, max_tokens)
    batches = cut(sorted(pairs, key=wide), max_tokens)
    random.Random().shuffle(batches)
    return batches


@wrong(TASK, "come more often")
def keeps_the_last_call(pairs, max_tokens, seed, kept=[]):  # noqa: B006
    kept += buckets_plain(pairs, max_tokens, seed)
    return list(kept)


@wrong(TASK, "changes its inputs")
def sorts_in_place(pairs, max_tokens, seed):
    refuse(pairs, max_tokens)
    pairs.sort(key=wide)
    return shuffled(cut(pairs, max_tokens), seed)


@wrong(TASK, "source of 31 tokens and a max_tokens of 30 a batch exceeds")
def long_pair_alone(pairs, max_tokens, seed):
    return shuffled(cut(sorted(pairs, key=wide), max_tokens), seed)


@wrong(TASK, "left out without a word")
def long_pair_dropped(pairs, max_tokens, seed):
    pairs = [pair for pair in pairs if wide(pair) <= max_tokens]
    return buckets_plain(pairs, max_tokens, seed)


@wrong(TASK, "it must raise a ValueError")
def long_pair_asserted(pairs, max_tokens, seed):
    assert all(wide(pair) <= max_tokens for pair in pairs)
    return buckets_plain(pairs, max_tokens, seed)


@wrong(TASK, "target of 31 tokens and a max_tokens of 30 a batch exceeds")
def only_sources_are_refused(pairs, max_tokens, seed):
    if any(len(s) > max_tokens for s, _ in pairs):
        raise ValueError("too long")
    return long_pair_alone(pairs, max_tokens, seed)


@wrong(TASK, "of 30 your function does not come to an end")
def waits_for_ever(pairs, max_tokens, seed):
    rows, batches = sorted(pairs, key=wide), []
    while rows:
        batch = []
        while (
            rows
            and max(map(wide, [*batch, rows[0]])) * (len(batch) + 1)
            <= max_tokens
        ):
            batch.append(rows.pop(0))
        if batch:
            batches.append(batch)
    return shuffled(batches, seed)


@wrong(TASK, "your function does not come to an end")
def never_ends(pairs, max_tokens, seed):
    while True:
        pass


@wrong(TASK, "a yield makes a generator")
def yields(pairs, max_tokens, seed):
    yield from buckets_plain(pairs, max_tokens, seed)


@wrong(TASK, "right for a bound of 64, but not for one of 200: ")
def bound_by_heart(pairs, max_tokens, seed):
    refuse(pairs, max_tokens)
    return buckets_plain(pairs, 64, seed)


@wrong(TASK, "not for a single one: your function raised")
def needs_two(pairs, max_tokens, seed):
    if len(pairs) < 2:
        raise IndexError("list index out of range")
    return buckets_plain(pairs, max_tokens, seed)


@wrong(
    TASK,
    "longest pair fills a batch alone: a ValueError where every pair fits",
)
def refuses_what_fits(pairs, max_tokens, seed):
    if any(wide(pair) >= max_tokens for pair in pairs):
        raise ValueError("too long")
    return buckets_plain(pairs, max_tokens, seed)


class TooLong(ValueError):
    """A pair that fits nowhere."""


@right(TASK)
def buckets_with_an_error_of_their_own(pairs, max_tokens, seed):
    if any(wide(pair) > max_tokens for pair in pairs):
        raise TooLong("a pair is too long")
    return buckets_plain(pairs, max_tokens, seed)


@right(TASK)
def buckets_by_loops_alone(pairs, max_tokens, seed, *, largest=0):
    order = sorted(pairs, key=lambda p: (len(p[1]), len(p[0])))
    batches, batch = [], []
    for pair in order:
        width = largest
        for other in [*batch, pair]:
            for row in other:
                if len(row) > width:
                    width = len(row)
        if width > max_tokens and not batch:
            raise ValueError("too long")
        if width * (len(batch) + 1) > max_tokens:
            batches.append(batch)
            batch = []
        if wide(pair) > max_tokens:
            raise ValueError("too long")
        batch.append(pair)
    return shuffled([*batches, batch], seed)


def with_last_width(pairs, max_tokens, key, reset=True):
    """Cut sorted pairs with the width of the pair that comes in."""
    refuse(pairs, max_tokens)
    batches, batch, width = [], [], 0
    for pair in sorted(pairs, key=key):
        width = wide(pair) if reset else max(width, wide(pair))
        if batch and width * (len(batch) + 1) > max_tokens:
            batches.append(batch)
            batch = []
        batch.append(pair)
    return [*batches, batch]


@wrong(TASK, "one side is much longer than the other: a batch exceeds")
def width_of_the_new_pair(pairs, max_tokens, seed):
    batches = with_last_width(
        pairs, max_tokens, lambda p: (len(p[1]), len(p[0]))
    )
    return shuffled(batches, seed)


@wrong(TASK, "max_tokens: you multiply with the pair that comes in")
def width_of_the_new_pair_falling(pairs, max_tokens, seed):
    batches = with_last_width(pairs, max_tokens, lambda p: -wide(p))
    return shuffled(batches, seed)


@wrong(TASK, "begin the next with its own width")
def width_never_forgotten(pairs, max_tokens, seed):
    batches = with_last_width(pairs, max_tokens, lambda p: len(p[1]), False)
    return shuffled(batches, seed)


@wrong(TASK, "with seed 0 the batches run by length")
def seed_zero_is_none(pairs, max_tokens, seed):
    if seed:
        return buckets_plain(pairs, max_tokens, seed)
    refuse(pairs, max_tokens)
    return cut(sorted(pairs, key=wide), max_tokens)


@wrong(TASK, "some different seeds")
def seed_cut_short(pairs, max_tokens, seed):
    return buckets_plain(pairs, max_tokens, seed % 10)


@wrong(TASK, "the same batch is last")
def last_batch_after_shuffling(pairs, max_tokens, seed):
    refuse(pairs, max_tokens)
    *batches, last = cut(sorted(pairs, key=wide), max_tokens)
    return [*shuffled(batches, seed), last]


by_cutting(
    "none has more than 128 pairs",
    "at_most_128_pairs",
    lambda r, n: [
        b[i : i + 128] for b in cut(r, n) for i in range(0, len(b), 128)
    ],
)
by_cutting(
    "one batch holds all: 4 batches where 1 would do: fill a batch up",
    "by_steps_of_length",
    lambda r, n: [
        b
        for _, group in itertools.groupby(r, lambda p: (wide(p) - 1) // 5)
        for b in cut(list(group), n)
    ],
)


@wrong(TASK, "1 pair is lost; every pair must be in one batch, with an empty")
def empty_source_dropped(pairs, max_tokens, seed):
    pairs = [(source, target) for source, target in pairs if source]
    return buckets_plain(pairs, max_tokens, seed)
