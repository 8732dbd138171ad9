"""Check of layer norm.

Dimension letters:
    B batch, T tokens, D = d_model; "..." stands for any leading axes.
"""

import torch

from attnbook.checks.engine.calling import close
from attnbook.checks.engine.exercise import Case, Exercise, check
from attnbook.checks.engine.steps import table


def layer_norm(x, gain, bias, eps):
    """Normalise each vector, then scale and shift each feature.

    Args:
        x: vectors, float, (..., D).
        gain: what each feature is multiplied by, float, (D,).
        bias: what is added to each feature, float, (D,).
        eps: a small number, added to the variance.

    Returns:
        The vectors normalised, (..., D).
    """
    axes = -1
    mean = x.mean(axes, True)
    centre = mean
    square = (x - centre).square()
    total = square.sum(axes, True)
    count = x.numel() // total.numel()
    variance = total / count
    root = (variance + eps).sqrt()
    above = x - mean
    plain = above / root
    result = gain * plain + bias
    return result


MISTAKES = table("""
    axes = 1
        mean and variance run over the tokens of a sentence; every token is
        normalised alone, over its own numbers, dim=-1
    axes = 0
        mean and variance run over the batch, dim=0; every token is normalised
        alone, over its own numbers, dim=-1
    axes = 0, 1
        you take mean and variance of each feature over all tokens, which is
        batch norm; take them of each token over its features, dim=-1
    axes = 1, 2
        you take one mean and one variance for a whole sentence; take them for
        each token
    axes = 0, 2
        you take one mean and one variance for all sentences at each place;
        take them for each token
    axes = 0, 1, 2
        you take one mean and one variance for all numbers; take them for each
        token, dim=-1 with keepdim=True
    axes = 1; above = x - x.mean(-1, True)
        the mean is taken over dim=-1, the variance over the tokens; both
        belong to one token and run over dim=-1
    axes = 0; above = x - x.mean(-1, True)
        the mean is taken over dim=-1, the variance over the batch; both belong
        to one token and run over dim=-1
    axes = 1, 2; above = x - x.mean(-1, True)
        the mean is taken over dim=-1, the variance over a whole sentence; both
        belong to one token and run over dim=-1
    axes = 0, 1, 2; above = x - x.mean(-1, True)
        the mean is taken over dim=-1, the variance over all numbers; both
        belong to one token and run over dim=-1
    above = x - x.mean(1, True)
    mean = x.mean(1, True)
        the mean is taken over the tokens, the variance over dim=-1; both
        belong to one token and run over dim=-1
    above = x - x.mean(0, True)
    mean = x.mean(0, True)
        the mean is taken over the batch, the variance over dim=-1; both belong
        to one token and run over dim=-1
    above = x - x.mean((1, 2), True)
    mean = x.mean((1, 2), True)
        the mean is taken over a whole sentence, the variance over dim=-1; both
        belong to one token and run over dim=-1
    above = x - x.mean()
    mean = x.mean()
        the mean is taken over all numbers, the variance over dim=-1; both
        belong to one token and run over dim=-1
    mean = 0
        the mean is not subtracted, neither above the fraction nor in the
        variance (that is RMSNorm)
    centre = 0
        the variance is taken of numbers whose mean was not subtracted: mean of
        the squares, where the mean of the squared distances belongs
    above = x
        the mean is not subtracted above the fraction
    mean = x.sum(-1, True)
    above = x - x.sum(-1, True)
        you subtract the sum; the mean is the sum divided by D
    mean = x.median(-1, True).values
    above = x - x.median(-1, True).values
        you subtract the median; subtract the mean
    above = mean - x
        the sign is turned round: it is x - mean, not mean - x
    count = x.numel() // total.numel() - 1
        you divide by D - 1 in the variance, which var and std do unless you
        pass correction=0; divide by D
    count = 1
        you add up the squared distances; the variance is their mean, so divide
        by D
    count = len(x)
    mean = x.sum(-1, True) / len(x); count = len(x)
        you divide a sum by the number of sentences, len(x); divide it by D,
        the size of the last axis
    count = 4
        you divide the sum of the squares by 4 at every size; divide it by D,
        the size of the last axis
    count = x.size(1)
    mean = x.sum(-1, True) / x.size(1); count = x.size(1)
        you divide a sum by the number of tokens; divide it by D, the size of
        the last axis
    square = x - centre
        you forget to square: the mean of x - mean is 0, and only eps is left
        under the root; the variance is the mean of the squares
    square = (x - centre).abs(); root = variance
    square = (x - centre).abs(); root = variance + eps
    square = (x - centre).abs()
        you take the mean of the absolute distances; the variance is the mean
        of their squares
    root = variance.sqrt()
        eps is not used; add it to the variance, inside the root
    root = (variance * (1 + eps)).sqrt()
    root = (variance * eps).sqrt()
        you multiply the variance by eps, or by 1 + eps; add eps to it
    root = variance.sqrt() + eps
        eps stands outside the root; inside it, it is added to the variance (no
        matter for numbers around 1, gross for numbers around 0.001)
    count = x.numel() // total.numel() - 1; root = variance.sqrt() + eps
        you divide by D - 1 in the variance, and eps stands outside the root
    root = variance + eps
    root = variance
        you divide by the variance; divide by its root
    root = variance.sqrt() + eps**0.5
        root of the variance plus root of eps is not the root of the sum; add
        first
    root = variance.clamp(min=eps).sqrt()
        you replace small variances by eps; add eps to every variance
    root = variance.sqrt().clamp(min=eps)
        you replace small roots by eps; add eps to the variance, inside the
        root
    root = (variance + eps).sqrt() + eps
        you add eps twice, inside and outside the root; inside is enough
    root = (variance + eps**2).sqrt()
        you square eps; add it to the variance as it is
    root = (gain * variance + eps).sqrt(); result = plain + bias
        gain stands inside the root; multiply the whole fraction by it
    root = (variance - eps).sqrt()
    root = (variance - eps).clamp(min=0).sqrt()
        you subtract eps from the variance; add it, inside the root
    root = (variance.sqrt() + eps).sqrt()
        std is a root already, and you take the root of it; take that of the
        variance plus eps
    root = (variance + eps) / 2
        ** comes before /, so ** 1/2 halves; write ** 0.5
    root = (variance + eps) * 2
        ** comes before /, so ** 1/2 and ** -1/2 halve; write ** 0.5
    root = (variance + 1e-5).sqrt()
    root = (variance + 1e-6).sqrt()
        eps is an argument; use it, and not a number of your own
    plain = above * root
        you multiply by the root; divide by it
    plain = above
        you subtract the mean, but do not divide by the root of variance plus
        eps
    plain = above / root + eps
    root = variance.sqrt(); plain = above / root + eps
    root = variance.sqrt(); result = gain * plain + bias + eps
        you add eps to the fraction; add it to the variance, inside the root
    plain = (above + eps) / root
    root = variance.sqrt(); plain = (above + eps) / root
        you add eps to x - mean; add it to the variance, inside the root
    plain = x / root - mean
    result = gain * x / root - mean + bias
        you divide x first and subtract the mean afterwards; brackets around
        (x - mean) are missing
    plain = x - mean / root
    result = gain * x - mean / root + bias
    result = x - mean / root * gain + bias
    result = x - mean / root
        the brackets around (x - mean) are missing: * and / come before -, so
        write gain * (x - mean) / root + bias
    result = (gain * x - mean) / root + bias
    result = gain * x - mean
    result = gain * x - mean + bias
        gain times x less mean is not gain times (x - mean): brackets around
        (x - mean) are missing
    plain = F.layer_norm(above / root, gain.shape, eps=eps)
        you normalise twice; once is enough
    mean = x.amin(-1, True); root = x.amax(-1, True) - mean
    mean = x.amin(-1, True); root = x.amax(-1, True) - mean + eps
        you scale by the smallest and the largest number; subtract the mean and
        divide by the root of variance plus eps
    plain = x.softmax(-1)
        you take a softmax; subtract the mean and divide by the root of
        variance plus eps
    result = plain
        gain and bias are not used; multiply by gain, then add bias
    result = gain * plain
        bias is missing; add it at the end
    result = plain + bias
        gain is missing; multiply by it, then add bias
    result = gain**2 * plain + bias
        you square gain; multiply by it as it is
    result = bias * plain + gain
        gain and bias have changed places: gain multiplies, bias is added
    result = gain * plain * bias
        you multiply by bias; add it
    result = gain * (plain + bias)
        you add bias before you multiply by gain; multiply first
    result = (1 + gain) * plain + bias
        you multiply by 1 + gain; multiply by gain
    result = gain * plain - bias
        you subtract bias; add it
    result = plain / gain + bias
        you divide by gain; multiply by it
    result = gain.mean() * plain + bias.mean()
    result = gain.mean() * plain + bias
    result = gain[0] * plain + bias[0]
        you use one number of gain and bias for all features; multiply feature
        by feature, gain * ...
    result = (gain * above + bias) / root
    result = gain * (above + bias) / root
        you add bias before you divide; add it at the end
    result = gain * above / (root + bias)
        you add bias to the root, below the fraction; add it at the end,
        outside the brackets
    result = x + gain * plain + bias
    result = x + plain
    result = gain * F.layer_norm(x + plain, gain.shape, eps=eps) + bias
        you add x; the residual stands outside the norm
    result = F.layer_norm(gain * x, gain.shape, eps=eps) + bias
        you use gain before you normalise; it comes after the division
    result = gain * F.layer_norm(x + bias, gain.shape, eps=eps)
        you use bias before you normalise; it comes after the division
    result = F.layer_norm(gain * x + bias, gain.shape, eps=eps)
        you use gain and bias, both, before you normalise; it comes after the
        division
""")
NAN = (
    "the result holds NaN: 0/0, the root of a negative number, or a tensor "
    "that was never filled"
)
ALL_EQUAL = (
    "the result holds NaN for a vector whose numbers are all equal: its "
    "variance is 0, and 0/0 is left; add eps inside the root"
)
CANCELS = (
    "the mean of the squares less the square of the mean is a difference of "
    "two huge numbers here; subtract the mean first, then square"
)
INFINITE = (
    "the numbers are right, but for a vector of equal numbers backward() "
    "gives NaN: the root of 0 has no slope; add eps to the variance before "
    "the first root"
)
VAR = (
    "var and std take the axis first and the rest by name: correction=0, "
    "keepdim=True"
)


def example(draws, *shape, eps=1e-5, dtype=torch.float32, shift=0.0):
    """Draw x, gain and bias; x is not contiguous, its rows differ in size."""
    generator = draws.seeded(9)
    x = torch.randn(*reversed(shape), generator=generator)
    x = x.permute(*reversed(range(len(shape))))  # (..., D)
    if len(shape) > 1:
        sizes = torch.tensor([1.0, 1e-3, 3.0, 1e-6]).repeat(shape[-2])
        x = x + shift if shift else x * sizes[: shape[-2], None]
    gain, bias = 1 + torch.rand(2, shape[-1], generator=generator)
    return x.to(dtype), gain.to(dtype), -bias.to(dtype), eps


def with_x(draws, x):
    """Return an example with vectors x."""
    return x, *example(draws, *x.shape)[1:]


def one_large(draws):
    """Return vectors of 512 numbers, one of which is large."""
    x = example(draws, 2, 3, 512, shift=1.0)[0].clone()
    x[..., 7] = 600.0
    return with_x(draws, x)


def lines(result, right):
    """Say whether features are right but for factors and sums of their own.

    One factor for all is no such case: it is a mistake in the norm.
    """
    if result.dim() < 3:
        return False
    a, b = (x.flatten(0, -2) for x in (result, right))  # (N, D)
    far, want = a - a.mean(0), b - b.mean(0)
    factor = (far * want).sum(0) / want.square().sum(0)  # (D,)
    alike = close(factor, factor.mean().expand_as(factor), 1e-3)
    if alike and abs(factor.mean() - 1) > 1e-3:
        return False
    return close(far, factor * want, 1e-3)


def guess(results, rights, inputs):
    """Return a hint for vectors whose mean or size is wrong, or None."""
    (result,), (right,), (_, gain, bias, _) = results, rights, inputs
    if result.shape != right.shape or (result - right).abs().max() < 0.02:
        return None
    plain, want = (result - bias) / gain, (right - bias) / gain
    if lines(result, right):
        return (
            "the vectors are normalised, but gain and bias are not used "
            "feature by feature, as gain * ... + bias"
        )
    if plain.mean(-1).abs().max() > 1e-3:
        return (
            "before gain and bias, the mean of every vector must be 0; is "
            "the mean taken over dim=-1, and subtracted, with brackets around "
            "(x - mean)?"
        )
    if (plain.square() - want.square()).mean(-1).abs().max() > 1e-3:
        return (
            "the means are right, the sizes are not; divide by the root of "
            "(biased variance plus eps), taken over dim=-1"
        )
    return None


def signs(draws):
    """Return inputs whose gain and bias have either sign, or are 0."""
    return (
        example(draws, 3, 4, 6)[0],
        torch.tensor(draws.shuffled([-0.5, 2.0, 0.0, 1.5, -3.0, 1.0])),
        torch.tensor(draws.shuffled([1.0, -2.0, 0.5, 0.0, 3.0, -1.0])),
        1e-5,
    )


def case(shown, inputs, otherwise="", tolerance=1e-4, nan=NAN, only=False):
    """Return a `Case` with what layer norm has to say of NaN."""
    return Case(shown, inputs, tolerance, nan, otherwise, only)


def cases(draws):
    """Yield all cases."""
    yield case("", example(draws, 3, 4, 6))
    yield case(
        "right, but not with another gain and bias, of either sign and 0: ",
        signs(draws),
        "use gain and bias as they come at each call, without abs or relu, "
        "and keep nothing of an earlier call",
    )
    yield case(
        "right for (B, T, D) = (3, 4, 6), but not for (2, 7, 4): ",
        example(draws, 2, 7, 4),
    )
    yield case(
        "right for eps = 1e-5, but not for eps = 0.3: ",
        example(draws, 2, 4, 5, eps=draws.share(0.3, 0.2, 0.5)),
    )
    yield case(
        "right for eps = 1e-5, but not for eps = 1e-12: ",
        example(draws, 2, 4, 5, eps=1e-12),
        "use eps as it comes, however small, and no number of your own",
        only=True,
    )
    yield case(
        "right while all sizes differ, but not when B = T = D: ",
        example(draws, 4, 4, 4),
    )
    yield case(
        "right for (B, T, D), but not for one vector (write dim=-1): ",
        example(draws, 6),
    )
    yield case(
        "right for (B, T, D), but not for (T, D) (write dim=-1): ",
        example(draws, 3, 5),
    )
    yield case(
        "right for three axes, but not for four: ", example(draws, 2, 3, 4, 5)
    )
    yield case(
        "right for four axes, but not for five: ",
        example(draws, 2, 3, 2, 4, 5),
    )
    yield case(
        "right for float32, but not for float64: ",
        example(draws, 2, 4, 5, dtype=torch.float64),
        tolerance=1e-9,
    )
    yield case(
        "right for float32, but not for float16: ",
        example(draws, 2, 4, 5, shift=1.0, dtype=torch.float16),
        tolerance=1e-2,
    )
    yield case(
        "right, but: ",
        with_x(
            draws, example(draws, 3, 4, 5)[0][..., :1].expand(3, 4, 5).clone()
        ),
        "a vector whose numbers are all equal must give bias, as x - mean is "
        "0; treat it like any other",
        1e-2,
        ALL_EQUAL,
        only=True,
    )
    yield case("right, but not when D = 1: ", example(draws, 2, 4, 1))
    yield case("right, but not when B = T = 1: ", example(draws, 1, 1, 6))
    yield case(
        "right for few numbers per vector, but not for 512, one of them "
        "large: ",
        one_large(draws),
        "nothing may be cut off; a normalised number can be as large as 20",
    )
    yield case(
        "right for numbers around 0, but not for numbers around 3000: ",
        example(draws, 2, 4, 5, shift=3000.0),
        CANCELS,
        1e-2,
        CANCELS,
        only=True,
    )


def exercise(draws):
    """Return the exercise with its inputs."""
    return Exercise(
        right=layer_norm,
        returns={"the result": ""},
        takes=("", "D", "D", ""),
        cases=tuple(cases(draws)),
        mistakes=MISTAKES,
        errors={"var() received": VAR, "std() received": VAR},
        help="mean and variance keep their axis with keepdim=True; gain and "
        "bias, (D,), meet the last axis as they are",
        guess=guess,
        trains=(
            ("", example(draws, 3, 4, 6, shift=1.0)),
            ("right, but not for one vector: ", example(draws, 6)),
        ),
        smooth=(
            (
                INFINITE,
                with_x(
                    draws, torch.arange(12.0).view(3, 4, 1).repeat(1, 1, 5)
                ),
            ),
        ),
    )


check_layer_norm = check(exercise)
