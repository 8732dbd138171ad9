"""Check of the softmax with an axis and a temperature."""

import math

import torch

from attnbook.checks.engine.calling import close, lost_axis
from attnbook.checks.engine.exercise import Case, Exercise, check
from attnbook.checks.engine.steps import table
from attnbook.checks.engine.verdict import Hint, Mistake


def softmax(x, dim, temperature):
    """Turn scores into weights.

    Args:
        x: scores, float, any shape.
        dim: the axis over which the weights sum to 1, counted from the
            front, or from the end if it is negative.
        temperature: what the scores are divided by, above 0.

    Returns:
        The weights, in the shape and type of x.
    """
    scaled = x / temperature
    largest = scaled.amax(dim, keepdim=True)
    lowered = scaled - largest
    powers = lowered.exp()
    total = powers.sum(dim, keepdim=True)
    weights = powers / total
    return weights.to(x.dtype)


MISTAKES = table("""
    scaled = x
        the temperature has no effect: it is not used, or it cancels, as in
        powers that are all divided by it; divide the scores
    scaled = x * temperature
        you multiply the scores by the temperature, or raise the weights to its
        power; divide the scores by it, so that a high temperature evens the
        weights out
    weights = x.softmax(dim) / temperature
    weights = powers / total / temperature
        you divide the weights by the temperature; it belongs to the scores,
        before the exponential
    weights = x.softmax(dim) * temperature
        you multiply the weights by the temperature; the scores are divided by
        it, before the exponential
    weights = x.softmax(dim) ** (1 / temperature)
        powers of weights no longer sum to 1; divide the scores by the
        temperature, before the exponential
    scaled = x / temperature**0.5
        you divide by the root of the temperature; divide by the temperature
        itself
    scaled = x / temperature**2
        you divide by the square of the temperature; do you divide by it twice?
    scaled = x / max(temperature, 1)
        the temperature is kept from getting small (max, clamp); divide by it
        as it is, below 1 too
    scaled = x / (int(temperature) or temperature)
    scaled = x / (round(temperature) or temperature)
        you make a whole number of the temperature (int, round, //); leave it
        as it is
    total = powers.sum()
    weights = scaled.flatten().softmax(0).view(x.shape)
        your weights sum to 1 over the whole tensor; sum over the axis dim
        only, with keepdim=True
    weights = scaled.log_softmax(dim)
        you return the logarithm of the weights; use exp, not log_softmax
    weights = scaled.exp()
        you take the exponential, but do not divide by its sum
    total = 1
        the largest weight of every row is 1: you took its score or its
        exponential out, but did not divide by the sum
    weights = scaled / scaled.sum(dim, keepdim=True)
    weights = lowered / lowered.sum(dim, keepdim=True)
        you divide the scores by their sum; take the exponential first
    weights = scaled.sigmoid()
        you use a sigmoid, which judges every score alone; in a softmax they
        compete for a sum of 1
    weights = (powers / total).softmax(dim)
        you take the softmax twice; once is right
    powers = 2**lowered
        you raise 2 to the scores; raise e to them
    powers = (lowered == 0).to(x.dtype)
        you give the whole weight to the largest score; that is the limit for
        temperature 0
    scaled = -x / temperature
        the sign is wrong: the largest score gets the least weight
    total = powers.square().sum(dim, keepdim=True) ** 0.5
        you divide by the length of the vector of exponentials, the root of the
        sum of squares; divide by their sum
    total = powers.mean(dim, keepdim=True)
        you divide by the mean of the exponentials; divide by their sum
    powers = scaled.exp() - largest
    powers = scaled.exp() - x.amax(dim, keepdim=True)
    powers = scaled.exp() - scaled.exp().amax(dim, keepdim=True)
    powers = scaled.exp() - scaled.max()
    powers = scaled.exp() - x.max()
        you subtract after the exponential, which changes the weights; subtract
        the largest score before it
    lowered = scaled - largest - (0 * scaled).mean(dim, keepdim=True)
        NaN, although one score is finite: -inf minus -inf is not a number;
        subtract the largest score of the row, not its mean or its least
    largest = scaled.max()
    largest = x.max() / temperature
    largest = scaled.double().max()
        NaN: you subtract one number from all rows, and 0 / 0 is left of the
        others; every row has its own largest score
    largest = scaled.abs().amax(dim, keepdim=True)
        NaN: in a row of negative scores what you subtract is not the largest
        score (is it the largest absolute value?), and 0 / 0 is left
    largest = scaled.mean(dim, keepdim=True)
    largest = scaled.amin(dim, keepdim=True)
    largest = scaled.median(dim, keepdim=True).values
        NaN: what you subtract is not the largest score of the row (its mean,
        its least?), so e to a large number is infinite, and inf / inf is left
    largest = x.amax(dim, keepdim=True)
        NaN: you divide the scores by the temperature, but not what you
        subtract; subtract first, then divide the difference
    powers = x.softmax(dim) ** (1 / temperature)
        NaN: a power of weights or of exponentials has shrunk to 0, and 0 / 0
        is left; divide the scores by the temperature, before the exponential
    largest = 0
        NaN: e to a large number is infinite, e to a large negative one 0, and
        neither inf / inf nor 0 / 0 is a number; subtract the largest score
        first
    scaled = x.masked_fill(x.isinf(), 0.0) / temperature
        a score of -inf must get the weight 0; you put 0 in its place, which is
        a score like any other
""")


def example(draws, *shape, factor=1.0, dtype=torch.float32):
    """Draw scores; with two axes or more they are not contiguous."""
    x = factor * torch.randn(*reversed(shape), generator=draws.seeded(5))
    return x.to(dtype).permute(*reversed(range(len(shape))))


def hidden(draws):
    """Return scores with rows in which all but one or two are -inf."""
    x = example(draws, 4, 6).clone()
    x[1, [0, 1, 2, 4, 5]] = -math.inf
    x[1] -= 20000  # a large negative number in place of -inf shows
    x[3, :4] = -math.inf
    return x


def far_apart(draws, far, *shape):
    """Return scores whose three rows lie far apart, (..., 3, S)."""
    return example(draws, *shape, 3, 5) + torch.tensor([[0.0], [far], [-far]])


HIDDEN = "a score of -inf must get the weight 0"
NEARLY = "something small is added, cut off or rounded on the way"
CUT_OFF = (
    "something is cut off or replaced where e to a large number is infinite, "
    "or e to a large negative one 0 (clamp, nan_to_num, the logarithm of an "
    "infinite sum?); subtract the largest score of every row instead"
)


def of_one_shape(answer, x, dim, temperature):
    """Call the answer; refuse what no row of the table explains."""
    result = answer(x, dim, temperature)
    if not isinstance(result, torch.Tensor):
        return result
    if result.shape != x.shape and not lost_axis(result, x.shape):
        raise Mistake(
            "the result must have the shape of x, {}; yours has {}",
            tuple(x.shape),
            tuple(result.shape),
        )
    if result.shape != x.shape or not result.is_floating_point():
        return result
    if (x.isneginf() & (result.abs() > 0) & (result < 1e-5)).any():
        raise Mistake(f"{HIDDEN}, and yours is above it (clamp, 1e-9?)")
    if far_row(result, x, dim):
        raise Mistake(far_row(result, x, dim))
    right = (x / temperature).softmax(dim)
    near = close(result, right) and not close(result, right, 1e-8)
    exact = result.float().double().equal(result)  # computed in float32
    if x.dtype == torch.float64 == result.dtype and near and not exact:
        raise Mistake(f"nearly right: {NEARLY}")
    return result


def guess(results, rights, inputs):
    """Return a hint for weights that no row explains."""
    (result,), (right,), (x, dim, _) = results, rights, inputs
    if (x.isneginf() & (result > 1e-6)).any():
        return HIDDEN
    if another_axis(result, inputs):
        return another_axis(result, inputs)
    if (result.sum(dim) - 1).abs().max() > 1e-3:
        return (
            "the sums over the axis dim are not 1; divide every exponential "
            "by the sum over exactly that axis, with keepdim=True, add "
            "nothing to it, and round nothing"
        )
    if close(result, right, 1e-2):
        return f"nearly right: {NEARLY}"
    return (
        "the sums over the axis dim are 1, but the weights are wrong; "
        "recompute one row by hand: divide by the temperature, raise e to "
        "each number, divide by the sum"
    )


def far_row(result, x, dim):
    """Return a hint for rows that lie far from 0 or others, or None."""
    if not 50 < x.amax(dim).abs().max() < 500:
        return None
    if (result.sum(dim) < 0.5).any():
        return (
            "a row far below 0 or below the others comes out as zeros; what "
            "you add, clamp or replace only hides that all its powers have "
            "vanished: subtract from every row its own largest score"
        )
    if (result.amax(dim) - result.amin(dim) < 1e-4).any():
        return (
            "a row far from 0 or from the others comes out even: its scores "
            "or its powers are cut off (clamp?); subtract from every row its "
            "own largest score instead"
        )
    return None


def another_axis(result, inputs):
    """Return a hint for weights over the wrong axis, or None."""
    x, dim, temperature = inputs
    scaled = x / temperature
    for axis in range(x.dim()):
        if axis == dim % x.dim():
            continue
        if close(result, scaled.softmax(axis)):
            return Hint(
                "for dim={} you normalise axis {} of {}; the sums over "
                "axis dim must be 1, whatever number dim is",
                dim,
                axis,
                x.dim(),
            )
        powers = (scaled - scaled.amax(axis, keepdim=True)).exp()
        if close(result, powers / powers.sum(dim, keepdim=True)):
            return Hint(
                "for dim={} you subtract the largest score along axis {}, "
                "but sum over axis dim; both need dim",
                dim,
                axis,
            )
    return None


MEAN_OF_ALL = (
    "lowered = scaled - largest - (0 * scaled).mean(dim, keepdim=True)"
)
HINTS = {row.wrong: row.hint for row in MISTAKES}


def cases(draws):
    """Yield all cases."""
    yield Case("", (example(draws, 3, 4, 5), 1, 3.0))
    yield Case(
        "right, but not at a temperature of 0.7: ",
        (example(draws, 3, 4, 5), 1, 0.7),
    )
    yield Case(
        "right for dim=1, but not for dim=-1: ",
        (example(draws, 3, 4), -1, 0.7),
    )
    yield Case(
        "right for other axes, but not for dim=0: ",
        (example(draws, 4, 3), 0, 2.5),
    )
    for dim in (0, 2, -2, -3):
        yield Case(
            f"right for other axes, but not for dim={dim} of three: ",
            (example(draws, 3, 4, 5), dim, 3.0),
        )
    yield Case(
        "right for three axes, but not for dim=-3 of four: ",
        (example(draws, 3, 2, 4, 5), -3, 1.5),
    )
    yield Case(
        "right for more axes, but not for one row: ",
        (example(draws, 7), 0, 2.0),
    )
    yield Case(
        "right, but not for scores of about -60: ",
        (example(draws, 3, 5) - 60, -1, 1.0),
        1e-4,
        otherwise=CUT_OFF,
    )
    for lines, x, dim in (
        ("rows", far_apart(draws, 80.0, 2), -1),
        ("columns", far_apart(draws, 80.0).T, 0),
    ):
        yield Case(
            f"right, but not for {lines} whose scores lie far apart: ",
            (x, dim, 1.0),
            1e-4,
            HINTS["largest = scaled.max()"],
            CUT_OFF,
        )
    yield Case(
        "right for small scores, but not for scores of a thousand: ",
        (far_apart(draws, 1000.0) - 500 * torch.eye(3, 5), -1, 1.0),
        1e-3,
        HINTS["largest = 0"],
        CUT_OFF,
    )
    yield Case(
        "right, but not at a temperature of 0.001: ",
        (example(draws, 3, 5), -1, 0.001),
        1e-3,
    )
    yield Case(
        "right, but not for scores of 0.001 at a temperature of 0.001: ",
        (example(draws, 3, 5, factor=0.001), -1, 0.001),
        1e-4,
        otherwise="is the temperature kept from getting small, or 0?",
        only=True,
    )
    yield Case(
        "right, but not at a temperature of 1000: ",
        (example(draws, 3, 5), -1, 1000.0),
        otherwise="is the temperature kept from getting large (min, clamp)?",
    )
    yield Case(
        "right, but not for rows with scores of -inf: ",
        (hidden(draws), -1, 2.0),
        nan=HINTS[MEAN_OF_ALL],
    )
    yield Case(
        "right for float32, but not for float64: ",
        (example(draws, 3, 5, factor=12.0, dtype=torch.float64), -1, 2.0),
        1e-9,
    )
    yield Case(
        "right, but not for a single score: ", (example(draws, 1, 1), -1, 2.0)
    )


NO_SLOPE = (
    "the weights are right beside scores of -inf, but their gradient is NaN: "
    "somewhere a NaN or an infinity was made and then covered up, or a "
    "logarithm or a root was taken of 0"
)


def exercise(draws):
    """Return the exercise with its inputs."""
    return Exercise(
        right=softmax,
        returns={"the result": ""},
        takes=("", "", ""),
        cases=tuple(cases(draws)),
        mistakes=MISTAKES,
        errors={
            "torch.return_types.max": "max with dim returns two things; use "
            "amax or .values"
        },
        help="if a sum or a maximum has lost its axis: keepdim=True",
        guess=guess,
        through=of_one_shape,
        trains=(("", (example(draws, 3, 5), -1, 2.0)),),
        smooth=((NO_SLOPE, (hidden(draws), -1, 2.0)),),
    )


check_softmax = check(exercise)
