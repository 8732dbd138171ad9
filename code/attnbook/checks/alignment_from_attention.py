"""Check of reading an alignment off a map of cross-attention.

Dimension letters:
    H heads, T target tokens, S source tokens.
"""

import torch

from attnbook.checks.alignment_mistakes import words_of, wrong_alignments
from attnbook.checks.engine.calling import SQUEEZED, call
from attnbook.checks.engine.verdict import Mistake, checker

ENGLISH = ("the", "cat", "saw", "a", "dog", "near", "my", "old", "house")
FRENCH = ("le", "chat", "a", "vu", "près", "un", "chien", "de", "ma", "maison")
MARKS = ("didn't", ".", "pad", "eos", "10")  # the full stop not last
INTEGERS = (torch.int64, torch.int32, torch.int16)
STAGES = {  # what to say: H, source and target words, pads of both, changes
    "": (3, 9, 6, 2, 4, ""),
    "right, but not when nearly all weight lies on <eos> (round nothing, and "
    "compare with no limit): ": (3, 7, 5, 1, 1, "faint"),
    "right with padding, but not without it: ": (3, 6, 8, 0, 0, ""),
    "right, but not when only the source is padded: ": (2, 5, 7, 3, 0, ""),
    "right, but not when only the target is padded: ": (4, 6, 3, 0, 2, ""),
    "right while every word comes once, but not if one comes twice (count "
    "places; neither look words up nor put them into a set): ": (
        3,
        7,
        6,
        1,
        1,
        "twice",
    ),
    "right while all words are known, but not with <unk> (it stands for a "
    "word): ": (3, 7, 6, 1, 1, "unknown"),
    "right for a map that is wider or higher, but not for a square one: ": (
        *(5, 4, 4, 0, 0),
        "",
    ),
    "right for several heads, but not for one: ": (1, 6, 4, 1, 1, ""),
    "right for three heads, but not for eight: ": (8, 6, 5, 1, 1, ""),
    "right, but not for a target of one word: ": (3, 5, 1, 1, 1, ""),
    "right, but not for a source of one word: ": (3, 1, 4, 1, 1, ""),
    "right for words of letters, but not for a full stop, a number, didn't "
    "or the word pad (special are only <bos>, <eos> and <pad>): ": (
        *(5, 7, 6, 1, 1),
        "marks",
    ),
    "right for short sentences, but not for sixty words: ": (
        *(3, 60, 60, 1, 1),
        "",
    ),
    "right for float32, but not for float64 (keep the weights' type): ": (
        3,
        7,
        5,
        1,
        1,
        "float64",
    ),
}


def tokens_of(words, count, pads, change, ends):
    """Return tokens with their special ones; `ends` is "source" or not."""
    words = list((words * count)[:count])
    if change == "twice" and count > 3:
        words[count - 2] = words[0]
        words[count - 1] = words[1]
    if change == "unknown" and count > 3:
        words[1] = words[count - 2] = "<unk>"
    if change == "marks":
        words[-len(MARKS) :] = MARKS
    words = [*words, "<eos>"] if ends == "source" else ["<bos>", *words]
    return words + ["<pad>"] * pads


def example(heads, source, target, change):
    """Draw weights, (H, T, S), not contiguous; every row sums to 1.

    The special tokens get the largest weights of all.
    """
    sizes = heads, len(source), len(target)
    generator = torch.Generator().manual_seed(15)
    scores = torch.randn(sizes, generator=generator, dtype=torch.float64)
    for n, token in enumerate(source):
        if token in ("<eos>", "<pad>"):
            scores[:, n] += 1.5
    if change == "faint":
        scores[:, source.index("<eos>")] += 60
    if change == "float64":  # differences that float32 does not see
        scores = scores * 1e-10
    weights = scores.softmax(1).transpose(1, 2)  # (H, T, S)
    return weights if change == "float64" else weights.float()


def right_alignment(weights, source, target):
    """Return the places of the largest weights, (H, words)."""
    columns = weights[:, :, : len(words_of(source))]  # (H, T, words)
    return columns[:, : len(words_of(target))].argmax(-1)


def check_places(result):
    """Refuse what is no tensor of whole numbers."""
    if isinstance(result, (tuple, list)):
        raise Mistake(
            f"return one tensor of places, (H, words), not a "
            f"{type(result).__name__}"
        )
    if not isinstance(result, torch.Tensor):
        raise Mistake(
            "return one tensor of places, (H, words), not "
            f"{type(result).__name__}"
        )
    if result.device.type != "cpu":
        raise Mistake("the places must be on the device of the weights")
    if result.is_floating_point():
        raise Mistake(
            "a place is a whole number, and your tensor holds floats (the "
            "largest weights themselves? argmax returns their places)"
        )
    if result.dtype in (torch.int8, torch.uint8):
        raise Mistake(
            f"{result.dtype} is too small for the places of a long sentence; "
            "keep the type that argmax returns"
        )
    if result.dtype not in INTEGERS:
        raise Mistake(f"a place is a whole number, not {result.dtype}")


def same(one, two):
    """Say whether two tensors of whole numbers are equal."""
    return one.shape == two.shape and bool((one == two).all())


def explained(answer, *inputs):
    """Call the answer; say what an error of `view` means here."""
    try:
        return call(answer, *inputs)
    except Mistake as mistake:
        if "view size is not compatible" in str(mistake):
            raise Mistake(
                "view needs numbers that lie in one piece; use reshape"
            ) from None
        raise


def judge(answer, weights, source, target, change=""):
    """Raise a mistake in the alignment of one map.

    Where something was changed, the stage names the mistake; only <unk> has
    hints of its own there.
    """
    inputs = weights, source, target
    result = explained(answer, *inputs)
    check_places(result)
    want = right_alignment(*inputs)
    if same(result, want):
        if not same(result, call(answer, *inputs)):
            raise Mistake("two calls with the same inputs differ")
        return
    if result.dim() != 2 and same(result.squeeze(), want.squeeze()):
        more = "an axis of size 1 is too many; (H, words) has two axes"
        raise Mistake(SQUEEZED if result.dim() < 2 else more)
    for hint, wrong in wrong_alignments(*inputs):
        named = not change or (change == "unknown" and "<unk>" in hint)
        if named and same(result, wrong):
            raise Mistake(hint)
    heads, words = want.shape
    if result.shape != want.shape:
        raise Mistake(
            f"{heads} heads and {words} target words need a result of shape "
            f"({heads}, {words}); yours has {tuple(result.shape)}"
        )
    if (result < 0).any() or (result >= len(words_of(source))).any():
        raise Mistake(
            "some places are no words of the source: <eos>, padding, or "
            "outside of the map"
        )
    raise Mistake(
        "the shape is right, the places are not; for the first target word, "
        "look at row 0 of each head, at the columns of source words only"
    )


@checker
def check_alignment_from_attention(answer):
    """Check exercise ``alignment_from_attention(weights, source, target)``.

    Args:
        answer: a function of a map of cross-attention, float, (H, T, S), of
            the S source tokens (words, <eos>, padding) and the T tokens that
            the decoder reads (<bos>, words, padding), two lists of str; it
            returns the place in the source of each head's largest weight
            for each target word, int, (H, words).

    Returns:
        A `Verdict`; the check prints it too, and never raises.
    """
    for prefix, (heads, s, t, more, less, change) in STAGES.items():
        source = tokens_of(ENGLISH, s, more, change, "source")
        target = tokens_of(FRENCH, t, less, change, "target")
        weights = example(heads, source, target, change)
        try:
            judge(answer, weights, source, target, change)
        except Mistake as mistake:
            raise Mistake(f"{prefix}{mistake}") from None
