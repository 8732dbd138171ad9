"""Check of the task to group pairs of sentences into batches.

A batch is padded to its longest side, so its size is the number of its
pairs times the length of the longest sentence in it, on either side.
"""

from attnbook.checks.engine.calling import call
from attnbook.checks.engine.draws import make_check
from attnbook.checks.engine.time_limit import TooLong, time_limit
from attnbook.checks.engine.verdict import Hint, Mistake
from attnbook.checks.translation.bucket_batches.fill_mistakes import judge_fill
from attnbook.checks.translation.bucket_batches.mistakes import (
    judge_bound,
    judge_padding,
    judge_pairs,
    width,
)
from attnbook.checks.translation.bucket_batches.order import judge_order
from attnbook.checks.translation.bucket_batches.stages import example, stages

PATIENCE = 5.0  # seconds; a right answer needs far fewer


def group(answer, pairs, max_tokens, seed):
    """Call the answer; say if it does not come to an end."""
    raised = []
    try:
        with time_limit(PATIENCE):
            return call(noting(answer, raised), pairs, max_tokens, seed)
    except TooLong:
        raise Mistake(
            "your function does not come to an end: a loop waits for "
            "something that never happens"
        ) from None
    except Mistake:
        fits = max(map(width, pairs)) == max_tokens
        if fits and raised and type(raised[0]) is ValueError:
            raise Mistake(
                "a ValueError where every pair fits: the longest side is "
                "exactly max_tokens (do you count an <eos>, or write >= ?), "
                "or do you add up both sides? Each counts alone"
            ) from None
        raise


def plain(batches):
    """Return batches as lists of lists of pairs of tuples."""
    if not isinstance(batches, (list, tuple)):
        kind = type(batches).__name__
        more = "; a yield makes a generator, collect the batches in a list"
        raise Mistake(
            "return a list of batches, not {}{}",
            kind,
            more * (kind == "generator"),
        )
    for batch in batches:
        if not isinstance(batch, (list, tuple)):
            raise Mistake(
                "each batch must be a list of pairs, not {}",
                type(batch).__name__,
            )
        if not batch:
            raise Mistake("one of your batches is empty")
        judge_elements(batch)
    return [[tuple(map(tuple, pair)) for pair in batch] for batch in batches]


def judge_elements(batch):
    """Raise a mistake if a batch holds anything but pairs of rows."""
    for pair in batch:
        if isinstance(pair, int):
            raise Mistake(
                "your batches hold whole numbers; put the pairs themselves "
                "into them, not their places or lengths"
            )
        rows = (list, tuple)
        if not isinstance(pair, rows):
            raise Mistake("each element of a batch must be a pair of rows")
        if any(isinstance(row, int) for row in pair):
            raise Mistake(
                "you return one flat list, or lengths in place of rows; "
                "return a list of batches, each a list of (source, target)"
            )
        if len(pair) != 2 or not all(isinstance(row, rows) for row in pair):
            raise Mistake("source and target of a pair must be rows of ids")


def judge_batches(answer, pairs, max_tokens, seeds):
    """Raise a mistake in the batches of these pairs, or in their order."""
    result = group(answer, pairs, max_tokens, 1)
    batches = plain(result)
    want = [tuple(map(tuple, pair)) for pair in pairs]
    judge_pairs(batches, want)
    judge_bound(batches, want, max_tokens)
    if len({width(pair) for pair in want}) > 3:
        judge_padding(batches, want, max_tokens)
    judge_fill(batches, want, max_tokens)
    again = plain(group(answer, pairs, max_tokens, 1))
    judge_pairs(again, want)
    if again != batches:
        raise Mistake(
            "two calls with the same seed give different batches; draw from "
            "a generator of your own, random.Random(seed), and keep nothing "
            "between calls"
        )
    runs = {1: batches}
    for seed in seeds:
        runs[seed] = plain(group(answer, pairs, max_tokens, seed))
        judge_pairs(runs[seed], want)
    if seeds:
        judge_order(runs)


def noting(answer, raised):
    """Return the answer; what it raises is appended to a list."""

    def run(*inputs):
        try:
            return answer(*inputs)
        except BaseException as error:
            raised.append(error)
            raise

    run.func = answer  # whose code `call` looks at
    return run


def judge_too_long(answer, draws):
    """Raise a mistake if a pair that fits nowhere is not refused."""
    short = example(draws, 12, 6, 6)
    for where, *sizes in (("source", 31, 2), ("target", 2, 31)):
        long = tuple([5] * size for size in sizes)
        pairs = [*short[:5], long, *short[5:]]
        late = f"right where every pair fits, but with a {where} of 31 tokens "
        late += "and a max_tokens of 30 "
        raised = []
        try:
            with time_limit(PATIENCE):
                answer_to = call(noting(answer, raised), pairs, 30, 1)
        except TooLong:
            raise Mistake(
                "your function does not come to an end; raise a ValueError",
                after=late,
            ) from None
        except Mistake as mistake:
            if raised and isinstance(raised[0], ValueError):
                continue
            failed = mistake.kind == "error"  # its inputs are long
            said = mistake.hint.details[1] if failed else mistake
            must = "it must raise a ValueError ({})"
            raise Mistake(must, said, after=late) from None
        held = [pair for batch in plain(answer_to) for pair in batch]
        what = "a batch exceeds the bound"
        if tuple(map(tuple, long)) not in held:
            what = "the pair is left out without a word"
            if len(held) == len(pairs):
                what = "the pair is cut or changed"
        raise Mistake("{}; raise a ValueError", Hint(what), after=late)


@make_check
def check_bucket_batches(answer, draws):
    """Check exercise ``bucket_batches(pairs, max_tokens, seed)``.

    Its argument is a function of a list of pairs (source ids, target ids), the
    greatest padded size of a batch, and a seed, that returns a list of
    batches, each a list of pairs.  The check returns a `Verdict`, prints it
    too, and never raises.
    """
    seeds = 0, 2, 7, 11, 12, 101, 1_000_001  # beside 1, where batches are many
    for shown, pairs, max_tokens in stages(draws):
        try:
            judge_batches(answer, pairs, max_tokens, () if shown else seeds)
        except Mistake as mistake:
            raise mistake.behind(shown) from None
    judge_too_long(answer, draws)
