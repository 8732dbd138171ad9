"""What the words give away that a learner's test draws and changes.

Dimension letters:
    B batch, T words, D = d_model.
"""

from attnbook.checks.engine.verdict import Mistake
from attnbook.checks.self_attention.batch_test.attentions import attend


def refuse_words(words):
    """Raise a mistake in the words that a failing test gives.

    Args:
        words: a list of tensors (B, T, D), in the order of the calls.
    """
    if not words:
        raise Mistake("your test never calls attend; ask what it returns")
    first = words[0]
    if not all(x.isfinite().all() for x in words):
        raise Mistake(
            "your test puts NaN or infinity into the words, and 0 times NaN "
            "is NaN, so it spreads where nothing is read; change a word by 1"
        )
    if first.dim() == 3 and all(x.size(0) == 1 for x in words):
        raise Mistake(
            "your test draws one sentence in every batch; draw more than one, "
            "and ask whether another sentence moves"
        )
    if first.dim() == 3 and all(x.size(1) == 1 for x in words):
        raise Mistake(
            "your test draws sentences of one word, in which no word can "
            "read another; draw longer ones"
        )
    if any(x.dim() == 3 and (x == x[:, :1]).all() for x in words):
        raise Mistake(
            "your test draws words that are all alike (zeros, ones, expand?), "
            "and then it hardly matters which of them is read; draw words "
            "that differ, with torch.randn"
        )
    if len(words) > 1 and all(x.shape == first.shape for x in words):
        refuse_change(words)


def refuse_change(words):
    """Raise a mistake if words of one shape hardly differ."""
    change = max((x - words[0]).abs().max() for x in words)
    if change == 0:
        raise Mistake(
            "your test gives attend the same words in every call; "
            "changed = x makes no copy, so write x.clone()"
        )
    if change < 1e-2:
        raise Mistake(
            "your test changes words by less than a hundredth, which moves "
            "too little; change by 1"
        )


def unchanged_words(words):
    """Return the words that later calls change: the first or the second."""
    return min(words[:2], key=lambda x: max(changed_words(words, x)))


def changed_words(words, base):
    """Return how many words differ from those of one call, per call.

    Args:
        words: a list of tensors (B, T, D); those of other shapes count 0.
        base: the words of the one call, (B, T, D).
    """
    return [
        int((x != base).any(-1).sum()) if x.shape == base.shape else 0
        for x in words
    ]


def last_decides(words, attentions, says):
    """Say whether the last comparison alone decides what a test says.

    Args:
        words: the words that the test gives to a right attention.
        attentions: wrong ones.
        says: what the test says of each.
    """
    base = unchanged_words(words)
    counts = changed_words(words, base)
    changes = [x for x, count in zip(words, counts, strict=True) if count == 1]
    if len(changes) < 2 or says != [
        reads(f, base, changes[-1]) for f in attentions
    ]:
        return False
    return says != [
        all(reads(f, base, x) for x in changes) for f in attentions
    ]


def reads(attention, base, changed):
    """Say whether a changed word moves its own sentence, and it alone."""
    moved = (attention(changed) - attention(base)).abs().amax(-1) > 1e-6
    own = (changed != base).any(-1).any(-1, keepdim=True)  # (B, 1)
    return bool((moved == own).all())


def nearly_all_leaking(draws, factor):
    """Return an attention whose words read other sentences, all but two."""

    def attention(x):
        means = x.mean(1, keepdim=True)  # (B, 1, D)
        leak = (factor * (means.mean(0) - means / len(x))).expand_as(x).clone()
        leak[0, 0] = leak[-1, -1] = 0
        return attend(draws, x) + leak

    return attention
