"""Check of the task to turn sentences into a rectangle of ids.

Dimension letters:
    B sentences, T tokens of the longest row.
"""

import torch

from attnbook.checks.encode_batch_mistakes import lay, wrong_batches
from attnbook.checks.engine.calling import call
from attnbook.checks.engine.verdict import Mistake, checker

SPECIALS = ("<pad>", "<bos>", "<eos>", "<unk>")
WORDS = ("the", "frog", "sings", "to", "a", "moon", "old", "wolf", "The")
VOCAB = {name: i for i, name in enumerate((*SPECIALS, *WORDS))}
OTHER = {name: 17 - i for i, name in enumerate((*WORDS, *SPECIALS))}
# A word has the id 0, and no special has one of the ids 0 to 3.
FEW = ("moon", "the", "<b>", "old", "frog", "sings", "a")
LATE = {name: i for i, name in enumerate((*FEW, *SPECIALS))}
STAGES = (
    (
        "",
        ("the frog sings", "a xylophone sings to the old moon", "The wolf"),
        VOCAB,
        12,
    ),
    (
        "right for short sentences, but not where max_length cuts: ",
        (
            "the old frog sings to a moon",
            "a wolf sings",
            "a frog sings to the",
            "the moon sings to the wolf",
            "the wolf sings to the old moon the frog",
            "moon",
        ),
        VOCAB,
        6,
    ),
    (
        "right for one vocabulary, but not where the specials have other "
        "ids: ",
        ("The moon", "the frog yodels to The wolf", "a frog"),
        OTHER,
        9,
    ),
    (
        "right, but not for as many sentences as ids in a row: ",
        ("the frog", "old moon", "a zebra", "the the"),
        VOCAB,
        4,
    ),
    (
        "right, but not for an empty sentence or more than one space: ",
        ("", "  the   frog ", "a"),
        VOCAB,
        8,
    ),
    (
        "right, but not where max_length has room for no word: ",
        ("the frog", "a"),
        VOCAB,
        2,
    ),
    (
        "right, but not where the text holds a literal special: ",
        ("the frog <eos> sings <bos> to", "<pad> the <unk> wolf"),
        VOCAB,
        9,
    ),
    (
        "right, but not where words of the vocabulary hold a < or have small "
        "ids: ",
        ("moon <b> the frog", "old <b> the sings <bos>", "a moon"),
        LATE,
        9,
    ),
    (
        "right, but not where only a look-alike of a word is in vocab: ",
        ("Frog a frog", "Moon frog, sings"),
        LATE,
        9,
    ),
    (
        "right for several sentences, but not for a single one: ",
        ("the wolf sings",),
        VOCAB,
        9,
    ),
)


def right_batch(sentences, vocab, max_length):
    """Return the batch as a list of rows."""
    pad, bos, eos, unk = (vocab[name] for name in SPECIALS)
    rows = []
    for sentence in sentences:
        words = sentence.split()[: max_length - 2]
        ids = [unk if w in SPECIALS else vocab.get(w, unk) for w in words]
        rows.append([bos, *ids, eos])
    return lay(rows, pad)


def judge_type(batch, rows):
    """Raise a mistake if this is no LongTensor of B rows."""
    if isinstance(batch, (list, tuple)):
        raise Mistake(
            f"you return a {type(batch).__name__}; make a tensor of the rows"
        )
    if not isinstance(batch, torch.Tensor):
        raise Mistake(f"return a tensor, not {type(batch).__name__}")
    if batch.dtype != torch.long:
        raise Mistake(
            f"the batch holds {batch.dtype}; ids are torch.long, the whole "
            "numbers that pick rows"
        )
    right = (len(rows), len(rows[0]))
    if 1 in right and batch.shape == tuple(n for n in right if n > 1):
        raise Mistake(
            "an axis of size 1 is gone; leave squeeze out, one sentence is a "
            "batch of one row"
        )
    if batch.dim() != 2:
        raise Mistake(
            f"the batch has {batch.dim()} axes; it needs two, sentences and "
            "places"
        )
    if batch.device.type != "cpu" or batch.layout != torch.strided:
        raise Mistake("the batch must be a dense tensor on the CPU")
    if tuple(batch.shape) == right[::-1] != right:
        raise Mistake("the batch is transposed; each sentence is a row")


def first_difference(got, want):
    """Say where the first wrong id stands, in words."""
    if len(got) != len(want):
        return f"there are {len(want)} sentences, but {len(got)} rows"
    if len(got[0]) != len(want[0]):
        return (
            f"your rows have {len(got[0])} ids; the longest sentence with its "
            "marks, after the cut, says how many there must be"
        )
    places = [
        (row, place)
        for row in range(len(want))
        for place in range(len(want[0]))
        if got[row][place] != want[row][place]
    ]
    row, place = places[0]
    return f"the first wrong id is in row {row} at place {place}"


def encode(answer, sentences, vocab, length):
    """Call the answer; name a look-up that has no place for new words."""
    try:
        return call(answer, list(sentences), vocab, length)
    except Mistake as mistake:
        new = {w for s in sentences for w in s.split()} - set(vocab)
        if any(f": KeyError: {word!r}" in str(mistake) for word in new):
            raise Mistake(
                f"{mistake}; this word is not in vocab, and unknown words get "
                "the id of <unk>"
            ) from None
        raise


@checker
def check_encode_batch(answer):
    """Check exercise ``encode_batch(sentences, vocab, max_length)``.

    Args:
        answer: a function of a list of sentences, str, a dict of token ->
            id and the greatest length of a row, that returns the ids as an
            int64 tensor (B, T).

    Returns:
        A `Verdict`; the check prints it too, and never raises.
    """
    for prefix, sentences, vocab, length in STAGES:
        batch = encode(answer, sentences, vocab, length)
        want = right_batch(sentences, vocab, length)
        try:
            judge_type(batch, want)
            got = batch.tolist()
            if got == want:
                continue
            for hint, wrong in wrong_batches(sentences, vocab, length):
                if got == wrong:
                    raise Mistake(hint)
            raise Mistake(first_difference(got, want))
        except Mistake as mistake:
            raise Mistake(f"{prefix}{mistake}") from None
