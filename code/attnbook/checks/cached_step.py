"""Check of one step of attention with a cache.

Dimension letters:
    B batch, t words in the cache, L places, D = d_model, K = d_k, E = d_v.
"""

import torch

from attnbook.checks.cached_step_keep_mistakes import wrong_caches
from attnbook.checks.cached_step_mistakes import right_step, wrong_outputs
from attnbook.checks.engine.calling import (
    LOST,
    call,
    check_tensor,
    close,
    first_match,
    lost_axis,
)
from attnbook.checks.engine.verdict import Mistake, checker

F32, F64 = torch.float32, torch.float64
STAGES = (  # what to say, B, D, K, E, steps, factor of the scores, type
    ("", 3, 9, 7, 8, 6, 0.1, F32),
    ("right for a batch of three, but not for one: ", 1, 7, 5, 4, 6, 1.0, F32),
    (
        "right while all sizes differ, but not when B = D = K = E: ",
        4,
        4,
        4,
        4,
        4,
        1.0,
        F32,
    ),
    ("right, but not when K = E = 1: ", 2, 3, 1, 1, 4, 1.0, F32),
    ("right for float32, but not for float64: ", 2, 7, 5, 3, 6, 1.0, F64),
    (
        "right for small scores, but not for scores in the hundreds: ",
        2,
        7,
        5,
        3,
        5,
        60.0,
        F32,
    ),
    ("right for six words, but not for forty: ", 2, 7, 5, 3, 40, 1.0, F32),
)
EXPLAINED = {
    "NoneType": "at the first step there is no cache: it is None; begin one "
    "with the newest key and value",
    "Sizes of tensors must match": "torch.cat joins the old keys and the "
    "newest along the words, dim=1; their widths must be equal",
    "out of bounds": "the place is beyond the table; it is the number of "
    "words in the cache",
    "cannot be multiplied": "two widths do not meet; w_q is (D, K), so it is "
    "x @ w_q, and keys are turned with transpose(-2, -1)",
    "stack expects each": "keys and values have different widths; return "
    "them as a pair, (k, v)",
    "batch2 must have": "two widths do not meet: q @ k.transpose(-2, -1), "
    "then weights @ v",
}


class Pair(tuple):
    """A cache whose copies can be compared."""

    def __eq__(self, other):
        """Say whether both hold the same numbers."""
        if not isinstance(other, tuple):  # a learner's `cache == None`
            return False
        return all(
            a.shape == b.shape and torch.equal(a, b)
            for a, b in zip(self, other, strict=True)
        )

    __hash__ = None


def example(b, d, k, e, steps, factor, dtype):
    """Draw word vectors, (B, steps, D), three matrices and a table."""
    generator = torch.Generator().manual_seed(14)

    def draw(*sizes):
        x = torch.randn(*sizes, generator=generator, dtype=F64)
        return x.transpose(0, -1).contiguous().transpose(0, -1).to(dtype)

    x = draw(b, steps, d)
    matrices = draw(d, k) * factor**0.5 / d**0.5, draw(d, k) * factor**0.5
    matrices = *matrices, draw(d, e) / d**0.5
    table = draw(steps + 5, d)
    x[:, 1:2] = -table[1]  # a word whose query, key and value are 0
    return x, matrices, table


def explained(answer, *inputs):
    """Call the answer; say what the usual errors mean here."""
    try:
        return call(answer, *inputs)
    except Mistake as mistake:
        text = str(mistake)
        if "in place; make new ones" in text:
            raise Mistake(
                "your function changes the cache in place; torch.cat makes a "
                "new one"
            ) from None
        if "in place; make new" in text:
            raise Mistake(
                "your function changes a tensor that it was given; write "
                "x = x + ..., for x += ... works in place"
            ) from None
        for words, meaning in EXPLAINED.items():
            if words in text:
                raise Mistake(meaning) from None
        raise


def parts_of(result, x):
    """Return output, keys and values of a result."""
    whole = isinstance(result, (tuple, list)) and len(result) == 2
    grown = result[1] if whole else None
    if not isinstance(grown, (tuple, list)) or len(grown) != 2:
        raise Mistake("return two things, the output and the cache (k, v)")
    for value, name in zip(
        (result[0], *grown), ("the output", "k", "v"), strict=True
    ):
        check_tensor(value, x, name)
    return result[0], grown[0], grown[1]


def judge_cache(found, inputs):
    """Raise a mistake in the cache that is handed on."""
    _, want = right_step(*inputs)
    if close(found[0], want[0]) and close(found[1], want[1]):
        return
    for hint, wrong in wrong_caches(*inputs):
        if all(close(a, b) for a, b in zip(found, wrong, strict=True)):
            raise Mistake(hint)
    for name, value, right in zip("kv", found, want, strict=True):
        if value.shape != right.shape:
            raise Mistake(
                f"{name} in the cache has shape {tuple(value.shape)}; it "
                f"should be (B, t + 1, width) = {tuple(right.shape)}"
            )
    raise Mistake(
        "the cache must hold the keys and values of all words so far, the "
        "old ones as they were"
    )


def judge_step(answer, inputs):
    """Raise a mistake in one step; return what is handed on."""
    cache = inputs[-1]
    held = None if cache is None else Pair(cache)
    found, again = (
        parts_of(explained(answer, *inputs[:-1], held), inputs[0])
        for _ in range(2)
    )
    if not all(close(a, b) for a, b in zip(found, again, strict=True)):
        raise Mistake(
            "a step gives something else when it is called once more; keep "
            "nothing between calls, the cache is passed"
        )
    right, _ = right_step(*inputs)
    want = tuple(right.shape)
    if lost_axis(found[0], want):
        raise Mistake("an axis of size 1 is gone; the output is (B, 1, E)")
    if not close(found[0], right):
        hint = first_match(found[0], wrong_outputs(*inputs))
        if hint is None and found[0].shape != right.shape:
            hint = f"the output has shape {tuple(found[0].shape)}, not {want}"
        judge_cache(found[1:], inputs)
        raise Mistake(
            hint
            or "the output is not what the whole computation gives; compare "
            "q, k and v of one word with it, one after the other"
        )
    judge_cache(found[1:], inputs)
    if inputs[0].dtype == F64 and not close(found[0], right, 1e-10):
        raise Mistake(f"nearly right: {LOST}")
    _, grown = right_step(*inputs)
    exact = (close(a, b, 1e-10) for a, b in zip(found[1:], grown, strict=True))
    if inputs[0].dtype == F64 and not all(exact):
        raise Mistake(f"the cache is only nearly right: {LOST}")


def judge_chain(answer, sizes):
    """Raise a mistake in several steps, each with the right cache."""
    x, matrices, table = example(*sizes)
    cache, steps = None, []
    for place in range(x.size(1)):
        steps.append((x[:, place : place + 1], *matrices, table, cache))
        cache = right_step(*steps[-1])[1]
    order = [0, len(steps) - 1, *range(1, len(steps) - 1)]  # at the end,
    # mistakes differ most
    for inputs in (steps[i] for i in order):
        judge_step(answer, inputs)


@checker
def check_cached_step(answer):
    """Check ``cached_step(x, w_q, w_k, w_v, table, cache)``.

    Args:
        answer: a function of the newest word's vector, (B, 1, D), three
            projections, (D, K), (D, K), (D, E), one vector per place,
            (L, D), and the cache: None, or keys, (B, t, K), and values,
            (B, t, E); it returns the output, (B, 1, E), and the cache,
            grown by one word.

    Returns:
        A `Verdict`; the check prints it too, and never raises.
    """
    for prefix, *sizes in STAGES:
        try:
            judge_chain(answer, sizes)
        except Mistake as mistake:
            raise Mistake(f"{prefix}{mistake}") from None
