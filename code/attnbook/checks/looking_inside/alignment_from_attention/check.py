"""Check of reading an alignment off a map of cross-attention.

Dimension letters:
    H heads, T target tokens, S source tokens.
"""

import torch

from attnbook.checks.engine.exercise import Case, Exercise, check
from attnbook.checks.engine.steps import table
from attnbook.checks.engine.verdict import Mistake

SPECIAL = ("<bos>", "<eos>", "<pad>")


def words_of(tokens, *more):
    """Return the places of the words, special tokens and more left out."""
    return [n for n, t in enumerate(tokens) if t not in (*SPECIAL, *more)]


def alignment_from_attention(weights, source, target):
    """Read the alignment of every head off a padded map.

    Args:
        weights: of cross-attention, float, (H, T, S).
        source: the S source tokens, str: words, <eos>, padding.
        target: the T tokens that the decoder reads, str: <bos>, words,
            padding.

    Returns:
        The place in the source of each head's largest weight for each
        target word, int, (H, words).
    """
    maps = weights
    words = words_of(target)
    rows = [n - 1 for n in words]
    columns = words_of(source)
    part = maps[:, rows][..., columns]  # (H, words, words of the source)
    best = part.argmax(-1)  # (H, words)
    places = best
    return places


def halfway(part):
    """Return the place at which half of the weight of a row lies left."""
    return (part.cumsum(-1) < part.sum(-1, keepdim=True) / 2).sum(-1)


def mean_place(part):
    """Return the mean place, rounded."""
    numbers = torch.arange(part.size(-1), dtype=part.dtype)
    return ((part * numbers).sum(-1) / part.sum(-1)).round().long()


def each_once(part):
    """Return an alignment in which no column is taken twice."""
    part, rows = part.clone(), []
    for t in range(part.size(1)):
        rows.append(part[:, t].argmax(-1))  # (H,)
        part.scatter_(2, rows[-1][:, None, None].expand_as(part[..., :1]), -1)
    return torch.stack(rows, 1)


MISTAKES = table("""
    rows = words
        you read the row whose input is the word; the row that predicts it is
        the one before, whose input is the word before it
    rows = [0, *words]
        you keep the row of the last word, which predicts <eos>; there is one
        row per target word, and the first reads <bos>
    rows = list(range(len(target)))
        you keep the rows of the padding; only words have an alignment
    rows = list(range(1, len(target)))
        you keep the rows of the padding, and read the row whose input is the
        word instead of the one before it
    rows = list(range(len(target) - 1))
        you cut off the last row without looking whether it is padding; count
        the words of the target
    rows = [n - 1 for n in words_of(target, "<unk>")]
        you leave <unk> out of the target; it stands for a word, and the model
        predicts it like any other
    rows = [max(n - 2, 0) for n in words]
        you go two rows back; the row that predicts a word is the one just
        before it
    rows = list(range(len(target)))[-len(words) :]
        you count the rows from the end, where the padding stands; count from
        the start
    rows = list(range(len(target)))[: len(words_of(source))]
        you count the rows by the words of the source; rows are the target's
    rows = list(range(len(target))); columns = list(range(len(source)))
        you look at the whole map; keep the rows that predict words and the
        columns of words alone
    rows = list(range(len(target) - 1)); columns = list(range(len(source) - 1))
        you cut off the last row and the last column without looking whether
        they are padding; count the words of both sides
    rows = [*range(len(words_of(source)))]; columns = [*range(len(words))]
        you count the rows by the words of the source and the columns by the
        words of the target; rows are the target's, columns the source's
    rows = [0, *words]; columns = [*words_of(source), source.index("<eos>")]
        you leave out the padding alone; <bos> and <eos> are special too, so
        that there is a row and a column too many
    columns = [n for n, t in enumerate(source) if t != "<pad>"]
        you keep the column of <eos>; leave it out before you look for the
        largest weight
    rows = [n - 1 for n in words[:-1]]
        the row that predicts the last word is missing; there is one row per
        target word, from 0 to n - 1
    columns = words_of(source)[:-1]
        the column of the last source word is missing; m words have the columns
        0 to m - 1
    columns = list(range(len(source)))
        you keep the columns of the padding and of <eos>; leave both out before
        you look for the largest weight
    columns = [n for n, t in enumerate(source) if t != "<eos>"]
        you keep the columns of the padding; only words can be an answer
    maps = hidden(weights, source, "<eos>"); columns = list(range(len(source)))
        you leave <eos> out and keep the columns of the padding; only words can
        be an answer
    columns = list(range(len(source) - 1))
        you cut off the last column without looking whether it is padding;
        count the words of the source
    columns = [n + 1 for n in words_of(source)]
        your columns are off by one: the source has no <bos>, so its first word
        is column 0
    columns = words_of(source)[1:]; places = best + 1
        you leave out the first column; the source has no <bos>, its first word
        is column 0
    columns = words_of(source)[1:]
        you leave out the first column, and count the places from the second;
        the source has no <bos>, its first word is column 0
    columns = words_of(source, "<unk>")
        you leave <unk> out of the source, which moves the words after it; it
        stands for a word
    maps = hidden(weights, source, "<unk>")
        you never answer with the place of <unk>; it stands for a word
    columns = list(range(len(source)))[: len(words)]
        you count the columns by the words of the target; columns are the
        source's
    places = best + 1
        your places are counted from 1; count them from 0
    places = maps[:, rows].argmax(-1) % len(columns)
    places = maps[:, rows].argmax(-1).clamp(max=len(columns) - 1)
    places = (x := maps[:, rows].argmax(-1)).where(x < len(columns), 0)
        you look for the largest weight among all columns and move it to a word
        afterwards; leave the special tokens out first
    maps = weights / weights.sum(0)
    maps = weights - weights.mean(0)
        you set each head against the others first; take the weights as they
        are
    maps = weights / weights.sum(1, keepdim=True)
    maps = weights.softmax(1)
        you normalise each column over the whole map first; take the weights as
        they are
    places = 0 * best + torch.arange(len(rows)).clamp(max=len(columns) - 1)
        you return the diagonal; look at the weights
    best = part.mean(0).argmax(-1)
        you average the heads before you look for the largest weight; each head
        has an alignment of its own
    best = part.mean(0, keepdim=True).argmax(-1).expand(len(part), -1)
        you average the heads and repeat the answer; each head has an alignment
        of its own
    best = part.amax(0).argmax(-1)
        you take the largest over the heads first; each head has an alignment
        of its own
    best = part.argmax(0)
        your argmax runs over the heads; for every head and row it must run
        over the columns, the last axis
    best = part[:1].argmax(-1)
        you return one head only; return all
    best = part[0].argmax(-1)
        you return one head only, without its axis; return all
    best = part.argmax(-1).flip(0)
        your heads have another order
    best = part.argmax(-1).mT
        you return both axes exchanged: (words, heads) instead of (heads,
        words)
    best = part.argmax(-1, keepdim=True)
        an axis of size 1 is too many; (H, words) has two axes
    best = part[:1].argmax(-1).expand(len(part), -1)
        you repeat the answer of the first head; each head has an alignment of
        its own
    best = part[-1:].argmax(-1).expand(len(part), -1)
        you repeat the answer of the last head; each head has an alignment of
        its own
    best = part.argmax(-1).mode(0).values.expand(len(part), -1)
        you let the heads vote; each head has an alignment of its own
    best = part.argmax(-2)
        your argmax runs over the rows, the target; for every row it must run
        over the columns, the last axis
    best = part.argmin(-1)
        you take the smallest weight
    best = mean_place(part)
        you take the mean place, rounded; take the place of the largest weight
    best = halfway(part)
        you take the place in the middle of the weight; take the place of the
        largest weight
    best = (part / part.sum(-2, keepdim=True)).argmax(-1)
        you normalise over the rows before you look for the largest weight of a
        row; take the weights as they are
    best = part.argsort(-1)[..., -2]
        you take the second largest weight
    best = each_once(part)
        you let one row after the other take a column, so that none is taken
        twice; two target words may have one source word
    best = part.amax(-1).long()
    best = torch.zeros_like(part[..., 0]).long()
        every place is 0 (the largest weights as whole numbers are); return
        their places, argmax
    best = (part > 0.5).int().argmax(-1)
        you compare the weights with a limit; take the place of the largest
        weight, however small it is
    best = part.argmax(-1).cummax(-1).values
        your places only grow from word to word; two languages may order their
        words differently
    best = part.argmax(-1).sort(-1).values
        you sort the places; the place of the first target word comes first
""")


def hidden(weights, source, token):
    """Return the weights with less than nothing in the columns of a token."""
    found = torch.tensor([t == token for t in source])
    return weights.masked_fill(found, -1.0)


def through(answer, *inputs):
    """Return the places; refuse what is no tensor of whole numbers."""
    places = answer(*inputs)
    if not isinstance(places, torch.Tensor):
        return places
    if places.is_floating_point():
        raise Mistake(
            "a place is a whole number, and your tensor holds floats (the "
            "largest weights themselves? argmax returns their places)"
        )
    if places.dtype in (torch.int8, torch.uint8):
        raise Mistake(
            "{} is too small for the places of a long sentence; keep "
            "the type that argmax returns",
            places.dtype,
        )
    if places.dtype not in (torch.int64, torch.int32, torch.int16):
        raise Mistake("a place is a whole number, not {}", places.dtype)
    return places.long()


def guess(results, rights, inputs):
    """Return a hint for places that no row gives."""
    (places,), (_, source, _) = results, inputs
    if (places < 0).any() or (places >= len(words_of(source))).any():
        return (
            "some places are no words of the source: <eos>, padding, or "
            "outside of the map"
        )
    return (
        "the shape is right, the places are not; for the first target word, "
        "look at row 0 of each head, at the columns of source words only"
    )


ENGLISH = ("the", "cat", "saw", "a", "dog", "near", "my", "old", "house")
FRENCH = ("le", "chat", "a", "vu", "près", "un", "chien", "de", "ma", "maison")
MARKS = (
    "<EOS>",
    "",
    "didn't",
    ".",
    "pad",
    "eos",
    "10",
)  # the full stop not last


def tokens_of(words, count, pads, change):
    """Return words, some of them changed, and padding."""
    words = list((words * 6)[:count])
    if change == "twice":
        words[-2:] = words[:2]
    if change == "unknown":
        words[1] = words[-2] = "<unk>"
    if change == "marks":
        words[-len(MARKS) :] = MARKS
    return words, ["<pad>"] * pads


def inputs_of(draws, heads, words, pads, change):
    """Draw weights, (H, T, S), not contiguous; every row sums to 1."""
    english, french = (
        tuple(map(draws.ciphered, x)) for x in (ENGLISH, FRENCH)
    )
    source, more = tokens_of(english, words[0], pads[0], change)
    source += ["<eos>", *more]
    target, more = tokens_of(french, words[1], pads[1], change)
    target = ["<bos>", *target, *more]
    sizes = heads, len(source), len(target)
    generator = draws.seeded(15)
    scores = torch.randn(sizes, generator=generator, dtype=torch.float64)
    scores[:, words[0] :] += 1.5
    if change == "faint":
        scores[:, words[0]] += 60
    if change == "float64":  # differences that float32 does not see
        scores = scores * 1e-10
    weights = scores.softmax(1).mT  # (H, T, S)
    weights = weights if change == "float64" else weights.float()
    return weights, source, target


def cases(draws):
    """Yield all cases."""
    for shown, heads, words, pads, change, otherwise in (
        ("", 3, (9, 6), (2, 4), "", ""),
        (" with padding, but not without it", 3, (6, 8), (0, 0), "", ""),
        (", but not if the source alone is padded", 2, (5, 7), (3, 0), "", ""),
        (", but not if the target alone is padded", 4, (6, 3), (0, 2), "", ""),
        (", but not when nearly all weight lies on <eos>",
         3, (7, 5), (1, 1), "faint",
         "round nothing, and compare with no limit"),
        (" while every word comes once, but not if one comes twice",
         3, (7, 6), (1, 1), "twice",
         "count places; neither look words up nor put them into a set"),
        (" while all words are known, but not with <unk> (it stands for a "
         "word)", 3, (7, 6), (1, 1), "unknown", ""),
        (" for a map that is wider or higher, but not for a square one",
         5, (4, 4), (0, 0), "", ""),
        (" for several heads, but not for one", 1, (6, 4), (1, 1), "", ""),
        (" for three heads, but not for eight", 8, (6, 5), (1, 1), "", ""),
        (" for words of letters, but not for a full stop, a number, didn't or "
         "the word pad", 5, (9, 8), (1, 1), "marks",
         "special are only <bos>, <eos> and <pad>, in small letters"),
        (" for short sentences, but not for sixty words",
         3, (60, 60), (1, 1), "long",
         "is a number of words written into your function?"),
        (" for float32, but not for float64",
         3, (7, 5), (1, 1), "float64", "keep the weights' type"),
    ):  # fmt: skip
        yield Case(
            shown and f"right{shown}: ",
            inputs_of(draws, heads, words, pads, change),
            otherwise=otherwise,
            only=change not in ("", "unknown"),
        )


def exercise(draws):
    """Return the exercise with its inputs."""
    return Exercise(
        right=alignment_from_attention,
        returns={"the tensor of places": "H words"},
        takes=("H T S", "", ""),
        cases=tuple(cases(draws)),
        mistakes=MISTAKES,
        combine=("rows", "columns", "best", "places"),
        guess=guess,
        through=through,
    )


check_alignment_from_attention = check(exercise)
