"""What can be wrong with batches of pairs, each with its own words."""

from collections import Counter

from attnbook.checks.engine.verdict import Hint, Mistake


def width(pair):
    """Return the length of the longer side of a pair."""
    return max(map(len, pair))


def padded(batch):
    """Return the padded size of a batch."""
    return max(map(width, batch)) * len(batch)


def fill(pairs, max_tokens, size=padded):
    """Return batches of pairs in this order, as full as the bound lets."""
    batches, batch = [], []
    for pair in pairs:
        if batch and size([*batch, pair]) > max_tokens:
            batches.append(batch)
            batch = []
        batch.append(pair)
    return [*batches, batch]


def same(some, others):
    """Say whether batches are the same, in any order."""
    return sorted(map(sorted, some)) == sorted(map(sorted, others))


def share_of_padding(batches):
    """Return the share of places that hold padding, over both sides."""
    places = real = 0
    for batch in batches:
        for side in (0, 1):
            sizes = [len(pair[side]) for pair in batch]
            places += max(sizes) * len(sizes)
            real += sum(sizes)
    return 1 - real / places


def judge_pairs(batches, want):
    """Raise a mistake unless every pair occurs as often as it was given."""
    got = [pair for batch in batches for pair in batch]
    missing, extra = Counter(want), Counter(got)
    missing, extra = missing - extra, extra - missing
    if not missing and not extra:
        return
    sides = [
        Counter(pair[side] for pair in got)
        == Counter(pair[side] for pair in want)
        for side in (0, 1)
    ]
    if Counter((t, s) for s, t in got) == Counter(want):
        raise Mistake("source and target have changed places in your pairs")
    if all(sides):
        raise Mistake(
            "the pairs are torn apart: every source is there and every "
            "target, but not with each other; sort the pairs, not the sides"
        )
    if missing and not extra:
        raise Mistake(why_missing(missing, batches, want))
    if extra and not missing:
        raise Mistake(
            "{} pairs come more often than they were given; does a "
            "pair that opens a new batch stay in the old one too, or "
            "is something left over from an earlier call?",
            extra.total(),
        )
    if len(batches) > 1 and all(batch == batches[0] for batch in batches):
        raise Mistake(
            "all your batches are one list, emptied and filled again; open a "
            "new one, batch = []"
        )
    raise Mistake(
        "your batches hold rows that were not given; leave the ids as they "
        "are, without padding and without marks"
    )


def why_missing(missing, batches, want):
    """Return the hint for pairs that are lost."""
    count = missing.total()
    twice = Counter(want) - Counter(set(want))
    if not missing - twice:
        return Hint(
            "{} pairs are lost that are equal to another one; equal "
            "pairs count too, so use no set and no dict of pairs",
            count,
        )
    lost = [width(pair) for pair in missing.elements()]
    kept = [width(pair) for batch in batches for pair in batch]
    if not kept:
        return (
            "there is no batch at all; is the open batch added to the list "
            "when the loop has ended?"
        )
    if min(lost) >= max(kept):
        if count * max(lost) > 2 * max(map(padded, batches)):
            return Hint(
                "{} of the longest pairs are lost, more than one batch "
                "holds; does a return stand inside the loop, or do you "
                "drop batches of one pair?",
                count,
            )
        return Hint(
            "{} of the longest pairs are lost: the last batch is still "
            "open when the loop ends, so add it after the loop",
            count,
        )
    if max(lost) <= min(kept):
        return Hint(
            "{} of the shortest pairs are lost: the last batch is "
            "still open when the loop ends, or the first is thrown away",
            count,
        )
    if abs(count - len(batches)) <= 2:
        return (
            "about one pair per batch is lost: the pair that does not fit "
            "any more must open the next batch"
        )
    lost = "1 pair is lost" if count == 1 else f"{count} pairs are lost"
    return Hint(
        "{}; every pair must be in one batch, with an empty side too", lost
    )


def wrong_fills(want, max_tokens):
    """Yield hints and the batches of a mistake, pairs from short to long."""
    order = sorted(want, key=width)
    for name, size in {
        "sources alone; targets count too": lambda b: len(b) * len(b[-1][0]),
        "targets alone; sources count too": lambda b: len(b) * len(b[-1][1]),
    }.items():
        yield f"you count the {name}", fill(order, max_tokens, size)
    yield "by one token; max_tokens is the most", fill(order, max_tokens + 1)


def judge_bound(batches, want, max_tokens):
    """Raise a mistake if a batch is larger than the bound."""
    large = [batch for batch in batches if padded(batch) > max_tokens]
    if not large:
        return

    def all_within(size):
        return all(size(batch) <= max_tokens for batch in large)

    def of_side(side):
        return lambda b: max(len(pair[side]) for pair in b) * len(b)

    say = "a batch exceeds max_tokens: "
    for hint, wrong in wrong_fills(want, max_tokens):
        if same(wrong, batches):
            raise Mistake(say + hint)
    usual = fill(sorted(want, key=width), max_tokens)
    if sorted(map(len, usual)) == sorted(map(len, batches)):
        raise Mistake(
            say + "the batches have the right sizes, but pairs have left "
            "theirs; shuffle the batches, not the pairs"
        )
    if all_within(lambda b: max(width(p) * n for n, p in enumerate(b, 1))):
        raise Mistake(
            say + "you multiply with the pair that comes in; one that is in "
            "the batch already may be longer"
        )
    if all_within(lambda b: padded(b[:-1]) + width(b[-1]) if b[1:] else 0):
        raise Mistake(
            say + "you add the length of the new pair to the size before it; "
            "the pair may make all of them wider"
        )
    if all_within(lambda b: max(map(width, b[:-1]), default=0) * len(b)):
        raise Mistake(
            say + "you multiply with the longest before the new pair is in; "
            "the pair may be longer"
        )
    if all_within(of_side(0)):
        raise Mistake(say + "you count the sources alone; targets count too")
    if all_within(of_side(1)):
        raise Mistake(say + "you count the targets alone; sources count too")
    if all_within(lambda b: len(b) * max(min(map(len, p)) for p in b)):
        raise Mistake(
            say + "you count the shorter side; the longer one counts"
        )
    if any(
        all_within(lambda b, i=i: sum(len(p[i]) for p in b)) for i in (0, 1)
    ):
        raise Mistake(
            say + "you add up the real lengths; padding counts too, so it is "
            "the number of pairs times the longest"
        )
    if all_within(lambda b: padded(b[:-1]) if b[1:] else 0):
        raise Mistake(
            say + "you look at the size before the new pair is in; ask what "
            "it would be with the pair"
        )
    if all_within(lambda b: len(b) * min(map(width, b))):
        raise Mistake(
            say + "you multiply with the shortest pair, or with the first; "
            "the longest one says how wide the batch is"
        )
    if all_within(len):
        raise Mistake(
            say + "you count pairs; tokens are the number of pairs times the "
            "longest"
        )
    raise Mistake(
        say + "its size is the number of pairs times the length of the "
        "longest sentence on either side"
    )


def judge_padding(batches, want, max_tokens):
    """Raise a mistake if pairs of different length share a batch."""
    best = share_of_padding(fill(sorted(want, key=width), max_tokens))
    found = share_of_padding(batches)
    if found <= 1.4 * best + 0.08:
        return
    say = Hint(
        "{} of the places are padding, {} would do: ",
        f"{found:.0%}",
        f"{best:.0%}",
    )
    if sorted(fill(sorted(want), max_tokens)) == sorted(batches):
        raise Mistake(
            "{}you sort by the ids; give sorted a key, a length", say
        )
    if sorted(fill(want, max_tokens)) == sorted(batches):
        raise Mistake(
            "{}the pairs stand in the order in which they were given; "
            "sort them by length first",
            say,
        )
    raise Mistake(
        "{}pairs of different length share a batch; sort by length, "
        "and shuffle the batches, not the sorted pairs",
        say,
    )
