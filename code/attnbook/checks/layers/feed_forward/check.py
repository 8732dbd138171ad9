"""Check of the feed-forward part.

Dimension letters:
    B batch, T tokens, D = d_model, F = d_ff; "..." any leading axes.
"""

import torch

from attnbook.checks.engine.calling import close
from attnbook.checks.engine.exercise import Case, Exercise, check
from attnbook.checks.engine.steps import table
from attnbook.checks.engine.verdict import Mistake


def feed_forward(x, w_1, b_1, w_2, b_2):
    """Send each token alone through two products with a ReLU between them.

    Args:
        x: vectors, float, (..., D).
        w_1: the first matrix, float, (D, F).
        b_1: the inner bias, float, (F,).
        w_2: the second matrix, float, (F, D).
        b_2: the outer bias, float, (D,).

    Returns:
        A vector for each token, (..., D).
    """
    given = x
    product = given @ w_1  # (..., F)
    sums = product + b_1
    hidden = sums.relu()
    outer = hidden @ w_2  # (..., D)
    total = outer + b_2
    result = total
    return result


def turned(w):
    """Return a matrix transposed, where that fits as well."""
    return w.T if w.size(0) == w.size(1) else w


def other(a, b):
    """Return the second in the place of the first, where it fits."""
    return b if a.shape == b.shape else a


def across(x, w_1):
    """Return x turned round, where the first product takes it."""
    return x.mT if x.dim() > 1 and x.size(-2) == len(w_1) else x


MISTAKES = table("""
    hidden = sums
        ReLU is missing; without it two products are one product
    given = x.relu()
        you apply ReLU to x; it belongs between the two products
    given = x.relu(); hidden = sums
        ReLU stands before the first product; it belongs after b_1
    hidden = product.relu() + b_1
        b_1 is added after ReLU, so before the second product; add it first
    hidden = sums; total = outer.relu() + b_2
        ReLU stands after the second product; it belongs after b_1
    total = outer.relu() + b_2
        you apply ReLU to the second product; it belongs between the two
    hidden = sums; result = total.relu()
        ReLU stands at the end; it belongs between the two products
    result = total.relu()
        you apply ReLU to the result; it belongs between the two products
    total = outer + b_2.relu()
        you apply ReLU to b_2; it belongs between the two products
    hidden = torch.maximum(product, b_1)
        you take the larger of the product and b_1; add b_1 first, and take the
        larger of the sum and 0
    hidden = product.relu() + b_1.relu()
        ReLU of a sum is not the sum of two ReLUs; add b_1 first
    hidden = (-sums).relu()
        you turn the sign round before ReLU
    hidden = sums.clamp(max=0)
        you keep the negative numbers; ReLU keeps the positive ones
    hidden = (sums > 0).to(x.dtype)
        you keep only whether a number is above 0; ReLU keeps the number
    hidden = sums.relu().square()
        you square what ReLU gives; use it as it is
    hidden = sums.clamp(0, 1)
        you cut off what is above 1; ReLU cuts off nothing above 0
    hidden = sums.amax(0)
        the first axis is gone: torch.max(..., 0) takes the largest along it;
        max(0, .) is .relu() or .clamp(min=0) here
    hidden = F.gelu(sums)
    hidden = F.gelu(sums, approximate="tanh")
        you use GELU in the place of ReLU, max(0, .)
    hidden = sums.sigmoid()
        you use a sigmoid in the place of ReLU, max(0, .)
    hidden = sums.tanh()
        you use tanh in the place of ReLU, max(0, .)
    hidden = sums.abs()
        you use abs in the place of ReLU, max(0, .)
    hidden = F.leaky_relu(sums)
        you use leaky ReLU in the place of ReLU, max(0, .)
    hidden = F.silu(sums)
        you use SiLU in the place of ReLU, max(0, .)
    hidden = F.elu(sums)
        you use ELU in the place of ReLU, max(0, .)
    hidden = F.softplus(sums)
        you use softplus in the place of ReLU, max(0, .)
    hidden = sums.softmax(-1)
        you use a softmax in the place of ReLU, max(0, .)
    sums = product
        b_1 is missing
    sums = product - b_1
        you subtract b_1; add it
    hidden = sums.relu() + b_1
        you add b_1 twice; once, before ReLU, is enough
    total = outer
        b_2 is missing
    total = outer - b_2
        you subtract b_2; add it
    given = x + b_2
        b_2 is added before the first product; it belongs after it
    given = x + b_2; total = outer
        b_2 is added before the first product, and not at the end
    sums = product; hidden = sums; total = outer
        ReLU and both biases are missing
    sums = product + other(b_1, b_2); total = outer + other(b_2, b_1)
        b_1 and b_2 have changed places
    product = x @ (w_1 + b_1); sums = product
        you add b_1 to the matrix; multiply first, so leave out the brackets
        around w_1 + b_1
    total = hidden @ (w_2 + b_2)
        you add b_2 to the matrix; multiply first, so leave out the brackets
        around w_2 + b_2
    product = given @ w_2.T
        w_2 is used twice, the first time transposed; the first product takes
        w_1
    outer = hidden @ w_1.T
        w_1 is used twice, the second time transposed; the second product takes
        w_2
    product = given @ w_2.T; outer = hidden @ w_1.T
        w_1 and w_2 are transposed and have changed places
    product = given @ turned(w_1)
        w_1 is transposed; multiply by w_1 as it comes, (D, F)
    outer = hidden @ turned(w_2)
        w_2 is transposed; multiply by w_2 as it comes, (F, D)
    product = given @ turned(w_1); outer = hidden @ turned(w_2)
        both matrices are transposed; multiply by them as they come
    product = given @ other(w_1, w_2); outer = hidden @ other(w_2, w_1)
        w_1 and w_2 have changed places
    given = across(x, w_1); result = across(total, w_1)
        you run over the positions: the tokens are mixed; multiply the last
        axis of x
    given = across(x, w_1)
        you turn x round and do not turn it back; multiply the last axis of x
        as it is
    given = x / len(w_1)**0.5
    product = given @ w_1 / len(w_1)**0.5
    outer = hidden @ w_2 / len(w_2)**0.5
        you divide by a root of a size; that belongs to the scores of attention
    product = given @ w_1 / len(w_1)
    outer = hidden @ w_2 / len(w_2)
        you divide by the size of an axis; a product adds up and takes no mean
    given = x.mean(-2, True).expand_as(x)
        you average over the tokens first; every token goes through alone
    given = x[..., :1, :].expand_as(x)
        you use the first token for all; every token goes through alone
    given = x.cumsum(-2)
        you add up tokens; every token goes through alone
    hidden = sums.relu().mean(-2, True).expand_as(sums)
        you average the inner numbers over the tokens; every token goes through
        alone
    given = x - x.mean(-2, True)
    given = x.softmax(-2)
    hidden = sums.softmax(-2)
        the output of one token moves when other tokens change; every token
        goes through alone
    given = x - x.mean(0)
    given = x.mean(0).expand_as(x)
        the output of one sentence moves when other sentences change; every
        token goes through alone
    given = F.layer_norm(x, x.shape[-1:])
        you normalise x; the layer norm stands outside this part
    result = F.layer_norm(total, x.shape[-1:])
        you normalise the result; the layer norm stands outside this part
    result = x + total
        you add x; the residual stands outside this part
    result = F.layer_norm(x + total, x.shape[-1:])
        you add x and normalise; both stand outside this part
    result = hidden
    result = sums
        you return the inner vectors, F numbers per token; multiply by w_2 and
        add b_2
""")
RELU = "; max(0, .) is .relu() or .clamp(min=0) here"
NUMPY = "NumPy's functions know no gradients" + RELU
ERRORS = {
    "Boolean value of Tensor": "Python's max and if want one number" + RELU,
    "max()": "torch.max does not take the number 0" + RELU,
    "return_types.max": "torch.max with an axis returns two things" + RELU,
    "maximum()": "torch.maximum wants two tensors, not the number 0" + RELU,
    "__array_wrap__": NUMPY,
    "call numpy()": NUMPY,
}
LAST = "the last axis is all that matters"


def example(draws, *shape, d_ff, factor=1.0, dtype=torch.float32, seed=9):
    """Draw x, two matrices and two biases; x and matrices not contiguous.

    In three axes and more, x[0, 0] is x[0, 1], and x[0, -1] is x[1, -1].
    """
    generator = draws.seeded(seed)
    d_model = shape[-1]
    x = factor * torch.randn(*reversed(shape), generator=generator)
    x = x.permute(*reversed(range(len(shape))))  # (..., D)
    if len(shape) > 2:
        x[0, ..., 0, :] = x[0, ..., 1 % shape[-2], :]
        x[0, ..., -1, :] = x[1 % shape[0], ..., -1, :]
    w_1 = torch.randn(d_ff, d_model, generator=generator).T / d_model**0.5
    w_2 = torch.randn(d_model, d_ff, generator=generator).T / d_ff**0.5
    b_1 = torch.randn(d_ff, generator=generator)
    b_2 = torch.randn(d_model, generator=generator)
    return tuple(y.to(dtype) for y in (x, w_1, b_1, w_2, b_2))


def tiny(draws):
    """Return inputs whose inner numbers are around 0.001; b_2 is 0."""
    x, w_1, b_1, w_2, b_2 = example(draws, 2, 3, 4, d_ff=7, factor=1e-3)
    return x, w_1, 1e-3 * b_1, w_2, 0 * b_2


def silent(draws):
    """Return inputs with a token whose inner numbers are all exactly 0."""
    x, w_1, b_1, w_2, b_2 = example(draws, 2, 3, 4, d_ff=7)
    x[0, 1] = 0
    return x, w_1, 0 * b_1, w_2, b_2


def alone(answer, *inputs):
    """Call the answer; refuse the two things that torch.max returns."""
    result = answer(*inputs)
    if isinstance(result, torch.return_types.max):
        raise Mistake(
            "return one tensor (torch.max with an axis returns two; use relu "
            "or clamp(min=0))"
        )
    return result


def guess(results, rights, inputs):
    """Return a hint for numbers that no row explains, or None."""
    (result,), (right,), (x, *_) = results, rights, inputs
    if result.shape != right.shape or close(result, right, 2e-2):
        return None
    if x.dim() > 2 and not close(x[0, ..., 0, :], x[0, ..., -1, :]):
        if not close(result[0, ..., -1, :], result[1, ..., -1, :]):
            return (
                "equal tokens of two sentences come out unequal: one token "
                "moves when other tokens change, or a sentence is treated in "
                "its own way; every token goes through alone"
            )
        if not close(result[0, ..., 0, :], result[0, ..., 1, :]):
            return (
                "equal tokens of one sentence come out unequal: one sentence "
                "moves when other sentences change, or a place is treated in "
                "its own way; every token goes through alone"
            )
    return (
        "the numbers differ; compute one token by hand: product, bias, ReLU, "
        "product, bias"
    )


def cases(draws):
    """Yield all cases."""
    yield Case("", example(draws, 2, 3, 4, d_ff=7))
    yield Case(
        "right at the first call, but not with other numbers of the same "
        "sizes: ",
        example(draws, 2, 3, 4, d_ff=7, seed=8),
        otherwise="use the matrices and biases that you are given, and keep "
        "nothing of an earlier call",
    )
    yield Case(
        "right for (B, T, D, F) = (2, 3, 4, 7), but not for (3, 5, 6, 2): ",
        example(draws, 3, 5, 6, d_ff=2),
    )
    yield Case(
        "right while all sizes differ, but not when B = T = D = F (do the "
        "same at every size): ",
        example(draws, 4, 4, 4, d_ff=4),
    )
    yield Case(
        f"right for (B, T, D), but not for one token ({LAST}): ",
        example(draws, 5, d_ff=3),
    )
    yield Case(
        f"right for (B, T, D), but not for (T, D) ({LAST}): ",
        example(draws, 3, 5, d_ff=4),
    )
    yield Case(
        "right for three axes, but not for (B, H, T, D): ",
        example(draws, 2, 3, 4, 5, d_ff=7),
    )
    yield Case(
        "right for four axes, but not for five: ",
        example(draws, 2, 3, 2, 4, 5, d_ff=7),
    )
    yield Case(
        "right for small numbers, but not for numbers in the thousands: ",
        example(draws, 2, 3, 4, d_ff=7, factor=3e3),
        1e-4,
        otherwise="ReLU cuts off nothing above 0, however large",
    )
    yield Case(
        "right for numbers around 1, but not for numbers around 0.001: ",
        tiny(draws),
        2e-9,
        otherwise="ReLU keeps even a tiny number above 0, and makes all below "
        "exactly 0",
        only=True,
    )
    yield Case(
        "right for float32, but not for float64: ",
        example(draws, 2, 3, 4, d_ff=7, dtype=torch.float64),
        1e-9,
    )
    yield Case(
        "right for float32, but not for float16: ",
        example(draws, 2, 3, 4, d_ff=7, dtype=torch.float16),
        2e-2,
    )
    yield Case(
        "right, but not when every size is 1: ",
        example(draws, 1, 1, 1, d_ff=1),
    )


def exercise(draws):
    """Return the exercise with its inputs."""
    return Exercise(
        right=feed_forward,
        returns={"the result": ""},
        takes=("", "D F", "F", "F D", "D"),
        cases=tuple(cases(draws)),
        mistakes=MISTAKES,
        errors=ERRORS,
        help="x is (..., D), w_1 (D, F), w_2 (F, D): x @ w_1 has F numbers "
        "per token, so b_1 fits there, and the product with w_2 has D, where "
        "b_2 fits; nothing is transposed, except that F.linear wants w_1.T "
        "and w_2.T",
        guess=guess,
        through=alone,
        differ="two calls with the same inputs differ; leave out dropout, and "
        "use the matrices that you are given",
        trains=(
            ("", example(draws, 2, 3, 4, d_ff=7)),
            ("right, but not for one token: ", example(draws, 5, d_ff=3)),
        ),
        smooth=(
            (
                "the numbers are right, but where an inner number is exactly "
                "0 backward() gives NaN; use relu() or clamp(min=0)",
                silent(draws),
            ),
        ),
    )


check_feed_forward = check(exercise)
