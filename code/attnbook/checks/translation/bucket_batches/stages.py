"""What the check of buckets hands to an answer."""


def example(draws, count, longest, seed, even=False):
    """Draw pairs of rows of ids whose two sides are about as long."""
    rng = draws.rng(seed)
    pairs = []
    for place in range(count):
        long = longest if even else rng.randint(1, longest)
        other = min(longest, max(1, long + rng.randint(-1, 1)))
        sizes = [long, longest if even else other]
        if place % 2:
            sizes.reverse()
        pairs.append(
            tuple([rng.randint(4, 99) for _ in range(n)] for n in sizes)
        )
    if count > 8 and not even:
        pairs[3], pairs[7] = ([*pairs[5][0]], [*pairs[5][1]]), pairs[5]
    return pairs


def uneven(draws):
    """Return pairs of which some have one long and one short side."""
    pairs, first = example(draws, 80, 18, 8), draws.number(20, 30, 70)
    for place, short in ((10, 2), (30, 4), (50, 6), (60, 8)):
        long = [*range(first, first + 20)]
        pairs[place] = (long, long[:short])
        pairs[place + 5] = (long[:short], long)
    return pairs


def unrelated(draws):
    """Return pairs whose two lengths have nothing to do with each other."""
    rng = draws.rng(13)
    return [
        tuple([rng.randint(4, 99)] * rng.randint(1, 6) for _ in (0, 1))
        for _ in range(480)
    ]


def stages(draws):
    """Yield what has been shown, pairs, and max_tokens."""
    usual = example(draws, 90, 20, 1)
    yield ("", usual, 64)
    yield ("right for a bound of 64, but not for one of 200: ", usual, 200)
    yield (
        "right, but not where the longest pair fills a batch alone: ",
        example(draws, 60, 24, 2),
        24,
    )
    yield (
        "right, but not where all pairs are equally long and fill each batch "
        "exactly: ",
        example(draws, 40, 7, 3, even=True),
        70,
    )
    yield (
        "right, but not where one batch holds all: ",
        example(draws, 280, 20, 4),
        280 * 20,
    )
    yield (
        "right, but not where one side is much longer than the other: ",
        uneven(draws),
        64,
    )
    yield (
        "right, but not where the two lengths of a pair have nothing to do "
        "with each other: ",
        unrelated(draws),
        40,
    )
    yield (
        "right, but not where a source is empty: ",
        [*example(draws, 20, 9, 7), ([], [5, 6, 7])],
        30,
    )
    yield (
        "right for many pairs, but not for a single one: ",
        example(draws, 1, 7, 5),
        31,
    )
