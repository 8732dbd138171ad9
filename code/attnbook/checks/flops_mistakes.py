"""The wrong counts that the check of the operations knows by name."""

import itertools

HALF = "a product adds as often as it multiplies: 2 operations for each pair "
HALF += "of numbers"


def part_counts(n, d, f, heads):
    """Return name -> pairs of a hint and the operations of one layer."""
    one = 2 * n * d * d
    pair = 2 * n * n * d
    feed = 2 * n * d * f
    return {
        "projections": [
            ("", 4 * one),
            ("the projections are missing: four matrices of D x D", 0),
            ("the fourth projection, W^O, is missing", 3 * one),
            (
                "there are four projections, to queries, keys, values and "
                "back (W^O); you count one",
                one,
            ),
            (
                "you count the projections once for every head; all heads "
                "together are as wide as the model",
                4 * one * heads,
            ),
            (
                "you count the projections for one head alone; all heads "
                "together are as wide as the model",
                4 * one // heads,
            ),
            (
                "every word is projected: the projections need a factor n",
                8 * d * d,
            ),
        ],
        "attention": [
            ("", 2 * pair),
            ("scores and mixing are missing: each takes 2 n n D", 0),
            ("the mixing of the values costs as much as the scores", pair),
            (
                "you count the attention once for every head; each head is "
                "D / H wide, so that all together cost 4 n n D",
                2 * pair * heads,
            ),
            (
                "you count the attention of one head; there are H of them",
                2 * pair // heads,
            ),
            (
                "every query meets every key: scores and mixing grow with n "
                "squared",
                4 * n * d,
            ),
            (
                "every score adds up D products: scores and mixing need a "
                "factor D",
                4 * n * n,
            ),
            (
                "scores and mixing are n x n for every head, and D / H wide; "
                "you take D squared",
                4 * n * n * d * d,
            ),
        ],
        "feed-forward": [
            ("", 2 * feed),
            ("the feed-forward part is missing", 0),
            ("the feed-forward part has two matrices, D x F and F x D", feed),
            (
                "4 D is written into your function; the inner width is d_ff",
                16 * n * d * d,
            ),
            (
                "the feed-forward part is applied to every word: it needs a "
                "factor n",
                4 * d * f,
            ),
            (
                "the matrices of the feed-forward part are D x F and F x D; "
                "you count F x F or D x D",
                4 * n * f * f,
            ),
            (
                "the matrices of the feed-forward part are D x F and F x D; "
                "you count F x F or D x D",
                4 * n * d * d,
            ),
        ],
    }


def output_counts(n, d, vocab):
    """Return pairs of a hint and the operations of the last matrix."""
    last = 2 * n * d * vocab
    return [
        ("", last),
        ("the output matrix is missing: 2 n D V, once", 0),
        (
            "the embedding is a look-up and costs no product; only the output "
            "matrix is one of D x V",
            2 * last,
        ),
        ("every word gets logits: the output needs a factor n", 2 * d * vocab),
        ("the output matrix is D x V; you leave the D out", 2 * n * vocab),
    ]


def whole_counts(layer, last, num_layers, n):
    """Return pairs of a hint and the operations of the model, forwards."""
    return [
        ("", num_layers * layer + last),
        ("there are num_layers layers; you count one", layer + last),
        (
            "the output matrix stands once after all layers; you count it in "
            "every layer",
            num_layers * (layer + last),
        ),
        (
            "you multiply by n once more; the operations of all n words are "
            "counted already",
            n * (num_layers * layer + last),
        ),
    ]


def factors(backward):
    """Return pairs of a hint and a factor of the whole."""
    if not backward:
        return [
            ("", 1),
            (HALF, 1 / 2),
            ("with backward=False only the way forwards counts", 3),
            ("each product is counted twice over", 2),
        ]
    return [
        ("", 3),
        ("the backward pass is not counted; it costs twice the forward", 1),
        (
            "the backward pass costs two products for each one forwards: the "
            "gradient of the input and that of the matrix; together 3",
            2,
        ),
        (f"{HALF}; the rest is right", 3 / 2),
        (
            "the backward pass is not counted, and additions are not: 2 "
            "operations for each pair",
            1 / 2,
        ),
        ("the backward pass is counted three times; forwards is one of 3", 4),
        ("each product is counted twice over", 6),
    ]


def count_all(given):
    """Yield (hints, operations) of every combination of choices.

    Args:
        given: n, d_model, d_ff, num_heads, num_layers, vocab, backward.
    """
    n, d, f, heads, num_layers, vocab, backward = given
    parts = part_counts(n, d, f, heads).values()
    for *chosen, out, factor in itertools.product(
        *parts, output_counts(n, d, vocab), factors(backward)
    ):
        layer = sum(count for _, count in chosen)
        hints = [hint for hint, _ in (*chosen, out) if hint]
        if len(hints) + bool(factor[0]) > 2:
            continue
        for hint, whole in whole_counts(layer, out[1], num_layers, n):
            found = [h for h in (*hints, hint, factor[0]) if h]
            yield found, factor[1] * whole


def known_counts(stages):
    """Return (hints, operations at every stage), the fewest mistakes first.

    Args:
        stages: the arguments of several calls; choices go in step.
    """
    columns = [list(count_all(given)) for given in stages]
    rows = []
    for row in zip(*columns, strict=True):
        if 0 < len(row[0][0]) <= 2:
            rows.append((row[0][0], [count for _, count in row]))
    return sorted(rows, key=lambda row: len(row[0]))
