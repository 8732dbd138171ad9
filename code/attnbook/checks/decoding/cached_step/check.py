"""Check of one step of attention with a cache.

Dimension letters:
    B batch, t words in the cache, L places, D = d_model, d_k per query
    or key, d_v per value.
"""

import itertools

import torch
import torch.nn.functional as F

from attnbook.checks.engine.asking import agree
from attnbook.checks.engine.calling import unanswered
from attnbook.checks.engine.exercise import Case, Exercise, check
from attnbook.checks.engine.steps import Row, table, with_mistakes
from attnbook.checks.engine.verdict import Hint, Mistake

attend = F.scaled_dot_product_attention


def cached_step(x, w_q, w_k, w_v, table, cache):
    """Let the newest word look at all words so far.

    Args:
        x: vector of the newest word, without its position, (B, 1, D).
        w_q: projection to queries, (D, d_k).
        w_k: projection to keys, (D, d_k).
        w_v: projection to values, (D, d_v).
        table: one vector per place, (L, D).
        cache: None, or keys, (B, t, d_k), and values, (B, t, d_v).

    Returns:
        The output, (B, 1, d_v), and the cache, a pair grown by one word.
    """
    place = 0 if cache is None else cache[0].size(1)
    word = x + table[place]  # (B, 1, D)
    q = word @ w_q
    k = word @ w_k
    v = word @ w_v
    past = cache
    grown = joined(past, k, v)
    seen = grown
    width = q.size(-1)
    scores = q @ seen[0].mT / width**0.5  # (B, 1, t + 1)
    weights = scores.softmax(-1)
    output = weights @ seen[1]
    kept = grown
    return output, tuple(kept)


def joined(cache, k, v):
    """Return a cache, grown at its end."""
    if cache is None:
        return k, v
    return torch.cat([cache[0], k], 1), torch.cat([cache[1], v], 1)


MISTAKES = table("""
    place = 0
        the position starts again at 0 at every step; it goes on where the
        cache ends, at table[cache[0].size(1)]
    place = 1 if cache is None else cache[0].size(1) + 1
        the position is one place too far
    place = 0 if cache is None else cache[0].size(1) - 1
        the position is one place too early; it is the number of words in the
        cache
    place = -1 if cache is None else cache[0].size(1) - 1
    place = -1
        at the first step you read table[-1], the last row of all; the place is
        the number of words in the cache, so 0 there
    place = 0 if cache is None else len(cache)
        len(cache) is the number of things in the pair, 2; the words in it are
        cache[0].size(1)
    place = 0 if cache is None else cache[0].size(1) % (len(table) - 1)
        the last row of the table is never used; a place that the table has
        needs no %
    word = x
        no position is added; x + table[t], t words in the cache
    word = x + 2 * table[place]
        the position is added twice
    word = x + table[: len(x), None]
        each sentence gets the position of the batch row; all get that of the
        newest word
    q = x @ w_q
        the query has no position
    k = x @ w_k
        the keys have no position
    v = x @ w_v
        the values have no position
    k = x @ w_k; v = x @ w_v
        the query alone has a position; keys and values need theirs too
    q = word @ w_k
        the query is projected with w_k
    k = word @ w_q
        the keys are projected with w_q; they need w_k
    past = cache and (cache[0] + table[:place] @ w_k, cache[1])
        positions are added to the old keys once more; they have theirs
    past = cache and [y + table[:place] @ w for y, w in zip(cache, (w_k, w_v))]
        positions are added to old keys and values once more; they have theirs
    past = cache and [y[:1].expand_as(y) for y in cache]
        the cache is shared across the batch; every sentence has its own keys
        and values
    grown = joined((k, v), *cache) if cache else (k, v)
        the newest is put in front of the old ones; words go on behind
    seen = k, v
        the cache is not used: the newest word sees itself alone
    seen = cache or grown
        the newest word does not see itself; join before you score
    seen = joined(grown, k, v)
        the newest word is joined twice
    seen = joined(cache and (cache[0] @ w_k[: w_k.size(1)], cache[1]), k, v)
        the old keys are projected once more; the cache holds keys
    width = 1
        the score is divided by the square root of the width of a query
    width = v.size(-1)
        you divide by the square root of the width of the values
    width = len(x)
        you divide by the square root of the batch size
    width = 1 / q.size(-1)
        you multiply by the square root of the width; divide by it
    width = 7
        the width 7 of the first test is written into the scale; read it off
        the query, q.size(-1)
    width = min(q.size(-1), 8)
        the width under the square root stops growing; it is q.size(-1),
        however wide queries are
    width = q.size(-1) ** 2
        you divide by the width; divide by its square root
    width = seen[0].size(1)
        you divide by the square root of the number of keys; it is that of the
        width
    width = x.size(-1)
        you divide by the square root of d_model; it is that of the query's
        width
    weights = scores.softmax(1)
        the weights are normalised over the query, of which there is one;
        normalise over the keys, dim=-1
    weights = scores.softmax(0)
        the softmax is taken over the sentences, dim=0; it is over the words,
        dim=-1
    weights = scores
        scores are not normalised; take the softmax
    weights = scores / scores.sum(-1, keepdim=True)
        scores are divided by their sum; the weights are their softmax
    weights = torch.ones_like(scores) / scores.size(-1)
        all words have the same weight; the scores are not used
    weights = F.one_hot(scores.argmax(-1), scores.size(-1)).to(scores)
        only the best word is read; mix all
    weights = scores.masked_fill(scores == 0, -math.inf).softmax(-1)
        scores that are 0 are hidden; a score of 0 counts like another
    output = weights
        you return the weights; mix the values with them
    output = weights @ seen[0]
        keys are mixed; mix the values
    output = attend(q, *seen, is_causal=True)
        a causal mask hides the past: with one query its only row is the first;
        the newest word may see everything, no mask is needed
    output = attend(q[:, 0], *(y.flatten(0, 1) for y in seen))[:, None]
        the words of all sentences are scored; each looks at its own row
    kept = grown[::-1]
        keys and values are exchanged in the cache; it is (k, v)
    kept = word, word
        the cache holds word vectors; hold keys and values, so that nothing is
        projected twice
    kept = cache or grown
        the cache has not grown; return the joined keys and values
    kept = k, v
        the cache that you return holds only the newest word; join it with the
        old ones
    kept = grown[0], (cache or grown)[1]
        the keys have grown and the values have not; join both
    kept = (cache or grown)[0], grown[1]
        the values have grown and the keys have not; join both
""") + tuple(
    Row(
        f"kept = [y[:, -{n}:] for y in grown]",
        f"the cache holds the newest {n} words alone; keep them all",
    )
    for n in (2, 3, 4, 5, 8, 10, 16, 20, 32)
)


def through(answer, x, w_q, w_k, w_v, table, both):
    """Return output, keys and values.

    In `both`, keys and values of the cache lie side by side; or it is None.
    """
    widths, held, cache = [w_k.size(1), w_v.size(1)], None, None
    if both is not None:
        held = both.split(widths, -1)
        cache = both.clone().split(widths, -1)
    word = x.clone()
    result = answer(x, w_q, w_k, w_v, table, cache)
    if unanswered(result):
        return result
    whole = isinstance(result, (tuple, list)) and len(result) == 2
    grown = result[1] if whole else None
    if isinstance(grown, torch.Tensor) and isinstance(
        result[0], (tuple, list)
    ):
        raise Mistake("the output comes first, then the cache (k, v)")
    if whole and grown is None:
        raise Mistake(
            "the cache that you return is None; return the joined keys and "
            "values, at the first step the newest ones alone"
        )
    if not isinstance(grown, (tuple, list)) or len(grown) != 2:
        raise Mistake("return two things, the output and the cache (k, v)")
    if cache and not agree(cache, held, 0):
        raise Mistake(
            "your function changes the cache in place; torch.cat makes a new "
            "one"
        )
    if x.shape == word.shape and not torch.equal(x, word):
        raise Mistake(
            "your function changes a tensor that it was given; write x = x + "
            "..., for x += ... works in place"
        )
    return result[0], *grown


def guess(results, rights, inputs):
    """Return a hint for a place or a number of words, or what to look at."""
    *_, table, both = inputs
    count = 0 if both is None else both.size(1)
    hints = {
        "place = {}": "the position is that of place {}, and {} words are in "
        "the cache; it is table[cache[0].size(1)]",
        "seen = [y[:, -{}:] for y in grown]": "only the newest {} words are "
        "seen; every word in the cache counts",
    }
    numbers = range(len(table))
    for (wrong, hint), n in itertools.product(hints.items(), numbers):
        made = with_mistakes(cached_step, wrong.format(n))
        if agree(results, through(made, *inputs)):
            return Hint(hint, *[n, count][: hint.count("{}")])
    for name, got, right in zip("kv", results[1:], rights[1:], strict=True):
        if not agree(got[:, -1:], right[:, -1:]):
            return Hint(
                "the last of the {} that you return is not (x + table[t]) "
                "@ w_{}, t words in the cache",
                "keys" if name == "k" else "values",
                name,
            )
    if agree(results[:1], rights[:1]):
        return (
            "the cache must hold the keys and values of all words so far, the "
            "old ones as they were"
        )
    return (
        "the output is not what the whole computation gives; compare q, k and "
        "v of one word with it, one after the other"
    )


def inputs_of(
    draws, b, d, k, e, place, factor=1.0, dtype=torch.float32, free=4
):
    """Draw the inputs of one step, with the right cache."""
    generator = draws.seeded(14)

    def draw(*sizes):
        x = torch.randn(*sizes, generator=generator, dtype=torch.float64)
        return x.transpose(0, -1).contiguous().transpose(0, -1).to(dtype)

    x, table = draw(b, place + 1, d), draw(place + 1 + free, d)
    w_q, w_k = draw(d, k) * factor**0.5 / d**0.5, draw(d, k) * factor**0.5
    w_v = draw(d, e) / d**0.5
    x[:, 1:2] = -table[1]  # a word whose query, key and value are 0
    given = (x + table[: place + 1])[:, :place]  # (B, t, D)
    both = torch.cat([given @ w_k, given @ w_v], -1) if place else None
    return x[:, place:], w_q, w_k, w_v, table, both


def cases(draws):
    """Yield all cases."""
    for shown, tolerance, *sizes in (
        ("", 1e-5, 3, 9, 7, 8, 0, 0.1),
        ("without a cache, but not with one", 1e-5, 3, 9, 7, 8, 5, 0.1),
        ("at the sixth word, but not at the second", 1e-5, 3, 9, 7, 8, 1, 0.1),
        ("at the second word, but not at the fourth",
         1e-5, 3, 9, 7, 8, 3, 0.1),
        ("for a batch of three, but not for one", 1e-5, 1, 7, 5, 4, 5),
        ("for a batch of three, but not for one", 1e-5, 1, 7, 5, 4, 0),
        ("while all sizes differ, but not when B = D = d_k = d_v",
         1e-5, 4, 4, 4, 4, 3),
        ("for float32, but not for float64",
         1e-10, 2, 7, 5, 3, 5, 1.0, torch.float64),
        ("for small scores, but not for scores in the hundreds",
         1e-5, 2, 7, 5, 3, 4, 60.0),
        ("for six words, but not for forty", 1e-5, 2, 7, 5, 3, 39),
        ("for narrow keys, but not for keys of forty numbers",
         1e-5, 2, 7, 40, 3, 5),
        ("at most places, but not at the last one of the table",
         1e-5, 2, 7, 5, 3, 6, 1.0, torch.float32, 0),
    ):  # fmt: skip
        yield Case(
            shown and f"right {shown}: ", inputs_of(draws, *sizes), tolerance
        )


def exercise(draws):
    """Return the exercise with its inputs."""
    return Exercise(
        right=cached_step,
        returns={
            "the output": "B 1 d_v",
            "the tensor of keys": "B t+1 d_k",
            "the tensor of values": "B t+1 d_v",
        },
        takes=("B 1 D", "D d_k", "D d_k", "D d_v", "L D", ""),
        cases=tuple(cases(draws)),
        mistakes=MISTAKES,
        combine=("place", "word", "q", "k", "v", "seen", "width", "weights"),
        errors={
            "NoneType": "at the first step there is no cache: it is None; "
            "begin one with the newest key and value",
            "Sizes of tensors must match": "torch.cat joins the old keys and "
            "the newest along the words, dim=1; their widths must be equal",
            "out of bounds": "the place is beyond the table; it is the number "
            "of words in the cache",
            "cannot be multiplied": "two widths do not meet; w_q is (D, d_k), "
            "so it is x @ w_q, and keys are turned with transpose(-2, -1)",
            "batch2": "two shapes do not meet: x @ w_q, q @ "
            "k.transpose(-2, -1), weights @ v; are keys and values both "
            "joined to the cache?",
        },
        guess=guess,
        through=through,
        differ="a step gives something else when it is called once more; "
        "keep nothing between calls, the cache is passed",
    )


check_cached_step = check(exercise)
