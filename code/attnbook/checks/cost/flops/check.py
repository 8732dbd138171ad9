"""Check of the number of operations of a model."""

import functools
import itertools
import math

import torch

from attnbook.checks.cost.flops.parts import around, guess
from attnbook.checks.engine.asking import number_of
from attnbook.checks.engine.calling import unanswered
from attnbook.checks.engine.exercise import Case, Exercise, check
from attnbook.checks.engine.steps import Row, table

# n, d_model, d_ff, num_heads, num_layers, vocab
SMALL = (7, 12, 10, 3, 2, 29), (11, 20, 56, 5, 3, 23)
LARGE = (1000, 512, 2048, 8, 6, 37000), (100_000, 12288, 49152, 96, 5, 50257)
PROBE = (3, 10, 26, 5, 4, 41)  # what tells the parts of a count
NAMES = {
    "words": "n",
    "width": "d_model",
    "inner": "d_ff",
    "heads": "num_heads",
    "layers": "num_layers",
    "entries": "vocab",
}


def product(a, b, c):
    """Return the operations of a product of a x b with b x c."""
    return 2 * a * b * c


def flops(n, d_model, d_ff, num_heads, num_layers, vocab, backward):
    """Count the operations of all matrix products of a decoder-only model.

    Args:
        n: words that it reads.
        d_model: width of the model.
        d_ff: inner width of the feed-forward part.
        num_heads: heads of an attention.
        num_layers: layers, each an attention and a feed-forward part.
        vocab: entries of the vocabulary.
        backward: whether the backward pass is counted, too.

    Returns:
        The number of operations.
    """
    words = n
    width = d_model
    inner = d_ff
    heads = num_heads  # noqa: F841 (they share the width, and cost nothing)
    layers = num_layers
    entries = vocab
    projections = 4 * product(words, width, width)
    attention = 2 * product(words, width, words)  # scores, mixing; all heads
    feed = product(words, width, inner) + product(words, inner, width)
    layer = projections + attention + feed
    output = product(words, width, entries)
    forward = layers * layer + output
    back = 2 if backward else 0
    total = (1 + back) * forward
    return total


MISTAKES = table("""
    projections = 0
        the projections are missing: four matrices of D x D
    projections = 3 * product(words, width, width)
        the fourth projection, W^O, is missing
    projections = product(words, width, width)
        there are four projections, to queries, keys, values and back (W^O);
        you count one
    projections = 4 * heads * product(words, width, width)
        you count the projections once for every head; all heads together are
        as wide as the model
    projections = 4 * product(words, width, width) // heads
        you count the projections for one head alone; all heads together are as
        wide as the model
    projections = 4 * product(1, width, width)
        every word is projected: the projections need a factor n
    projections = 8 * (words * width) ** 2
        the projections grow with n, not with n squared: words do not meet
    projections = 8 * words * (width ^ 2)
        ^ is no power in Python; D squared is D**2
    attention = 0
        scores and mixing are missing: they have no parameters, and each takes
        2 n n D operations
    attention = product(words, width, words)
        the mixing of the values costs as much as the scores
    attention = 2 * heads * product(words, width, words)
        you count the attention once for every head; each head is D / H wide,
        so that all together cost 4 n n D
    attention = 2 * product(words, width, words) // heads
        you count the attention of one head; there are H of them
    attention = 2 * product(words, width, 1)
        every query meets every key: scores and mixing grow with n squared
    attention = 8 * words * width
    attention = 4 * (words ^ 2) * width
        n squared is n**2; in Python n * 2 is twice n, and ^ is no power
    attention = 2 * product(words, 1, words)
        every score adds up D products: scores and mixing need a factor D
    attention = 2 * width * product(words, width, words)
        scores and mixing are n x n for every head, and D / H wide; you take D
        squared
    attention = product(words, width, words + 1)
        a causal mask does not halve the products: all scores are computed, and
        half of them hidden
    attention = product(words, width, words - 1)
        a causal mask does not save products: all scores are computed, and more
        than half of them hidden
    attention = 2 * product(words, width, words - 1)
        every word meets itself too: the scores are n x n, not n x (n - 1); or
        do you count b - 1 additions in the projections? The rule is 2 a b c
    attention = 2 * product(words, width, words) + 5 * heads * words**2
        you count the softmax too; count matrix products alone
    feed = 0
        the feed-forward part is missing
    feed = product(words, width, inner)
        the feed-forward part has two matrices, D x F and F x D
    feed = 2 * product(words, width, 4 * width)
        4 D is written into your function; the inner width is d_ff
    feed = 2 * product(1, width, inner)
        the feed-forward part is applied to every word: it needs a factor n
    feed = 2 * product(words, inner, inner)
    feed = product(words, width, inner) + product(words, inner, inner)
    feed = 2 * product(words, width, width)
        the matrices of the feed-forward part are D x F and F x D; you count
        F x F or D x D
    feed = 2 * product(words, width, inner) + words * (inner + width)
    feed = 2 * product(words, width, inner) + words * inner
        you count biases or the activation of the feed-forward part too; count
        matrix products alone
    output = 0
        the output matrix is missing: 2 n D vocab, once
    output = 2 * product(words, width, entries)
        the embedding is a look-up and costs no product; only the output matrix
        is one of D x vocab
    output = product(1, width, entries)
        every word gets logits: the output needs a factor n
    output = product(words, 1, entries)
        the output matrix is D x vocab; you leave the D out
    layer = 2 * (projections + attention) + feed
        there is no cross-attention in this model: one attention per layer
    layer = projections + attention + feed + words * (5 * width + inner)
        you count biases or the softmax too; count matrix products alone
    forward = layer + output
        there are num_layers layers; you count one
    forward = layers * (layer + output)
        the output matrix stands once after all layers; you count it in every
        layer
    forward = layers * (layer - feed) + feed + output
        the feed-forward part is counted once; every layer has its own
    forward = layers * (layer - projections) + projections + output
        the projections are counted once; every layer has its own
    forward = layers * attention + projections + feed + output
        projections and feed-forward part are counted once; every layer has its
        own
    forward = layer**layers + output
        the layers are multiplied with one another; they add up
    forward = words * (layers * layer + output)
        you multiply by n once more; the operations of all n words are counted
        already
    forward = (layers * layer + output) // words
        you count the operations of one word; the model reads all n words
    forward = layers * (4 * width**2 + 2 * width * inner) + width * entries
    forward = parameters(width, inner, layers, entries); back = 0
        you count parameters; a parameter works once for every word, and scores
        have none
    forward = with_fewer_additions(words, width, inner, heads, layers, entries)
    attention = 2 * words * words * (2 * width - 1)
        you count b - 1 additions in a sum of b products; the rule of this
        chapter starts from 0 and counts b: 2 a b c
    forward = (layers * layer + output) / 2
        a product adds as often as it multiplies: 2 operations for each pair of
        numbers
    forward = 2 * (layers * layer + output)
        each product is counted twice over
    back = 0
        the backward pass is not counted; it costs twice the forward
    back = 1 if backward else 0
        the backward pass costs two products for each one forwards: the
        gradient of the input and that of the matrix; together 3
    back = 3 if backward else 0
        the backward pass is counted three times; forwards is one of 3
    back = 2
        with backward=False only the way forwards counts
    total = (1 + back) * forward / 1e3
    total = (1 + back) * forward / 1e6
    total = (1 + back) * forward / 1e9
    total = (1 + back) * forward / 1e12
        return operations, not thousands, millions or billions
""") + tuple(
    Row(
        f"{a} = {NAMES[b]}; {b} = {NAMES[a]}",
        f"{NAMES[a]} and {NAMES[b]} have changed places; take the arguments "
        "in the order of the task",
    )
    for a, b in itertools.combinations(NAMES, 2)
)


def parameters(width, inner, layers, entries):
    """Return the number of parameters in matrices."""
    return layers * (4 * width**2 + 2 * width * inner) + width * entries


def with_fewer_additions(n, d, f, heads, layers, vocab):
    """Return the operations with b - 1 additions in a sum of b products."""
    layer = 4 * n * d * (2 * d - 1) + n * n * (2 * d - heads)
    layer += n * d * (2 * n - 1) + n * f * (2 * d - 1) + n * d * (2 * f - 1)
    return layers * layer + n * vocab * (2 * d - 1)


def counts(probe, answer, *inputs):
    """Return the counts of some sizes, float64; of a large model just one.

    Where the first one is right, the others are not asked for.
    """
    *size, backward = inputs
    first = answer(*inputs)
    if unanswered(first):
        return first
    found = [number_of(first, "the sum of all operations")]
    if math.isclose(found[0], flops(*inputs), rel_tol=1e-9):
        answer = flops
    sizes = [*around(*size)[1:], *around(*probe)] if size[0] < 100 else []
    found += [
        number_of(answer(*other, backward), "the sum of all operations")
        for other in sizes
    ]
    return torch.tensor(found, dtype=torch.float64)


def sized(draws, n, d, f, heads, layers, vocab):
    """Return the size of a model, or another one about as large."""
    more = [
        draws.number(x, x + (x > 1), x + x // 3 + 2 * (x > 1))
        for x in (n, f, layers, vocab)
    ]
    width = draws.number(d // heads, d // heads, d // heads + 3)
    return more[0], heads * width, more[1], heads, *more[2:]


def cases(draws):
    """Yield all cases."""
    small, large = ([sized(draws, *x) for x in y] for y in (SMALL, LARGE))
    for shown, sizes in {
        "": small,
        "right for small models, but not for large ones: ": large,
        "right, but not for one word, one head and one layer: ": (
            sized(draws, 1, 4, 6, 1, 1, 5),
            (1, 1, 1, 1, 1, 1),
        ),
    }.items():
        for size in sizes:
            yield Case(shown, (*size, False), 1e-9)
        shown = shown or "right forwards, but not with backward=True: "
        for size in sizes:
            yield Case(shown, (*size, True), 1e-9)


def exercise(draws):
    """Return the exercise with its inputs."""
    probe = sized(draws, *PROBE)
    return Exercise(
        right=flops,
        returns={"the count": ""},
        takes=("",) * 7,
        cases=tuple(cases(draws)),
        mistakes=MISTAKES,
        combine=(
            "projections",
            "attention",
            "feed",
            "output",
            "forward",
            "back",
        ),
        through=functools.partial(counts, probe),
        guess=functools.partial(guess, probe),
    )


check_flops = check(exercise)
