"""Answers to the tasks of chapter 9, Residual, layer norm, feed-forward."""

import numpy as np
import torch
import torch.nn.functional as F

from answers.registry import right, wrong

# ----------------------------------------------------------- layer norm
TASK = "layer_norm"


def centred(x, dim=-1):
    """Return x less its mean along an axis."""
    return x - x.mean(dim, keepdim=True)


def biased(x, dim=-1):
    """Return the biased variance along an axis, kept."""
    return centred(x, dim).square().mean(dim, keepdim=True)


@right(TASK)
def norm_by_hand(x, gain, bias, eps):
    return gain * centred(x) / (biased(x) + eps).sqrt() + bias


@right(TASK)
def norm_by_pytorch(x, weight, shift, eps=1e-5):
    return F.layer_norm(x, (x.size(-1),), weight, shift, eps)


@right(TASK)
def norm_with_var(x, gain, bias, eps):
    variance, mean = torch.var_mean(x, -1, correction=0, keepdim=True)
    return torch.addcmul(bias, gain, (x - mean) * (variance + eps) ** -0.5)


@right(TASK)
def norm_in_float64(x, gain, bias, eps):
    y = x.double()
    y = (y - y.mean(-1, keepdim=True)) * (biased(y) + eps).rsqrt()
    return (y * gain + bias).to(x.dtype)


@right(TASK)
def norm_by_einsum(x, gain, bias, eps):
    d = x.shape[-1]
    x = x - torch.einsum("...d->...", x).unsqueeze(-1) / d
    variance = torch.einsum("...d,...d->...", x, x).unsqueeze(-1) / d
    return (
        torch.einsum("d,...d->...d", gain, x / (variance + eps).sqrt()) + bias
    )


@right(TASK)
def norm_in_loops(x, gain, bias, eps):
    rows = []
    for row in x.reshape(-1, x.size(-1)):
        mean = sum(row) / len(row)
        variance = sum((value - mean) ** 2 for value in row) / len(row)
        pairs = zip(row, gain, bias, strict=True)
        root = (variance + eps) ** 0.5
        rows.append(
            torch.stack([g * (v - mean) / root + b for v, g, b in pairs])
        )
    return torch.stack(rows).view(x.shape)


@right(TASK)
def norm_by_std(x, gain, bias, eps):
    root = (x.var(-1, unbiased=False, keepdim=True) + eps) ** 0.5
    return (x - x.mean(-1, keepdim=True)).div(root).mul(gain).add(bias)


def unbiased(x, dim=-1):
    """Return PyTorch's own variance, which divides by one less."""
    return x.var(dim, keepdim=True)


def squares_less_square(x, gain, bias, eps):
    mean = x.mean(-1, keepdim=True)
    variance = (x * x).mean(-1, keepdim=True) - mean * mean
    return gain * (x - mean) / (variance.clamp(min=0) + eps).sqrt() + bias


NORM_SLIPS = {
    "unbiased_inside": (
        "D - 1 in the variance",
        lambda x, g, b, e: g * centred(x) / (unbiased(x) + e).sqrt() + b,
    ),
    "unbiased_outside": (
        "two mistakes",
        lambda x, g, b, e: g * centred(x) / (x.std(-1, keepdim=True) + e) + b,
    ),
    "eps_outside": (
        "eps stands outside the root",
        lambda x, g, b, e: g * centred(x) / (biased(x).sqrt() + e) + b,
    ),
    "eps_outside_by_std": (
        "eps stands outside the root",
        lambda x, g, b, e: (
            g * centred(x) / (x.std(-1, correction=0, keepdim=True) + e) + b
        ),
    ),
    "eps_twice": (
        "eps twice",
        lambda x, g, b, e: g * centred(x) / ((biased(x) + e).sqrt() + e) + b,
    ),
    "eps_forgotten": (
        "eps is not used",
        lambda x, g, b, e: g * centred(x) / biased(x).sqrt() + b,
    ),
    "eps_squared": (
        "you square eps",
        lambda x, g, b, e: g * centred(x) / (biased(x) + e**2).sqrt() + b,
    ),
    "eps_under_its_own_root": (
        "not the root of the sum",
        lambda x, g, b, e: g * centred(x) / (biased(x).sqrt() + e**0.5) + b,
    ),
    "small_variances_replaced": (
        "you replace small variances",
        lambda x, g, b, e: g * centred(x) / biased(x).clamp(min=e).sqrt() + b,
    ),
    "small_roots_replaced": (
        "you replace small roots",
        lambda x, g, b, e: g * centred(x) / biased(x).sqrt().clamp(min=e) + b,
    ),
    "eps_of_their_own": (
        "for eps = 0.3: eps is an argument",
        lambda x, g, b, e: F.layer_norm(x, g.shape, g, b),
    ),
    "eps_of_another_library": (
        "eps is an argument",
        lambda x, g, b, e: F.layer_norm(x, g.shape, g, b, 1e-6),
    ),
    "nan_made_0": (
        "eps is not used",
        lambda x, g, b, e: (
            g * (centred(x) / biased(x).sqrt()).nan_to_num() + b
        ),
    ),
    "over_tokens": (
        "over the tokens of a sentence",
        lambda x, g, b, e: (
            g
            * centred(x, -2 if x.dim() > 1 else -1)
            / (biased(x, -2 if x.dim() > 1 else -1) + e).sqrt()
            + b
        ),
    ),
    "over_the_batch": (
        "run over the batch",
        lambda x, g, b, e: g * centred(x, 0) / (biased(x, 0) + e).sqrt() + b,
    ),
    "batch_statistics": (
        "batch norm",
        lambda x, g, b, e: F.batch_norm(
            x.reshape(-1, x.size(-1)), None, None, g, b, True, eps=e
        ).view(x.shape),
    ),
    "over_a_sentence": (
        "for a whole sentence",
        lambda x, g, b, e: g * F.layer_norm(x, x.shape[-2:], eps=e) + b,
    ),
    "over_everything": (
        "for all numbers",
        lambda x, g, b, e: g * F.layer_norm(x, x.shape, eps=e) + b,
    ),
    "over_everything_with_std": (
        "keepdim=True; and: you divide by D - 1",
        lambda x, g, b, e: g * (x - x.mean()) / (x.std() + e) + b,
    ),
    "always_three_axes": (
        "but not for one vector",
        lambda x, g, b, e: g * centred(x, 2) / (biased(x, 2) + e).sqrt() + b,
    ),
    "mean_kept": (
        "the mean is not subtracted above",
        lambda x, g, b, e: g * x / (biased(x) + e).sqrt() + b,
    ),
    "rms_norm": (
        "RMSNorm",
        lambda x, g, b, e: F.rms_norm(x, g.shape, g, e) + b,
    ),
    "squares_of_x": (
        "mean of the squares, where",
        lambda x, g, b, e: (
            g * centred(x) / (x.square().mean(-1, True) + e).sqrt() + b
        ),
    ),
    "sum_of_squares": (
        "you add up the squared distances",
        lambda x, g, b, e: (
            g * centred(x) / (centred(x).square().sum(-1, True) + e).sqrt() + b
        ),
    ),
    "root_forgotten": (
        "you divide by the variance",
        lambda x, g, b, e: g * centred(x) / (biased(x) + e) + b,
    ),
    "only_centred": (
        "do not divide",
        lambda x, g, b, e: g * centred(x) + b,
    ),
    "no_affine": (
        "gain and bias are not used",
        lambda x, g, b, e: F.layer_norm(x, g.shape, eps=e),
    ),
    "no_bias": (
        "bias is missing",
        lambda x, g, b, e: F.layer_norm(x, g.shape, g, None, e),
    ),
    "no_gain": (
        "gain is missing",
        lambda x, g, b, e: F.layer_norm(x, g.shape, None, b, e),
    ),
    "exchanged": (
        "have changed places",
        lambda x, g, b, e: F.layer_norm(x, g.shape, b, g, e),
    ),
    "bias_first": (
        "before you multiply by gain",
        lambda x, g, b, e: g * (F.layer_norm(x, g.shape, eps=e) + b),
    ),
    "one_plus_gain": (
        "1 + gain",
        lambda x, g, b, e: F.layer_norm(x, g.shape, 1 + g, b, e),
    ),
    "gain_divides": (
        "you divide by gain",
        lambda x, g, b, e: F.layer_norm(x, g.shape, 1 / g, b, e),
    ),
    "unbiased_without_affine": (
        "D - 1 in the variance, which var and std do unless you pass "
        "correction=0; divide by D; and: gain and bias are not used",
        lambda x, g, b, e: centred(x) / (unbiased(x) + e).sqrt(),
    ),
    "outside_over_tokens": (
        "over its own numbers, dim=-1; and: eps stands outside",
        lambda x, g, b, e: g * centred(x, -2) / (biased(x, -2).sqrt() + e) + b,
    ),
    "cancellation": ("subtract the mean first", squares_less_square),
    "keepdim_forgotten": (
        "keepdim=True",
        lambda x, g, b, e: (
            g * (x - x.mean(-1)) / (x.var(-1, correction=0) + e).sqrt() + b
        ),
    ),
    "gain_in_a_column": (
        "meet the last axis as they are",
        lambda x, g, b, e: (
            F.layer_norm(x, g.shape, eps=e) * g[:, None] + b[:, None]
        ),
    ),
    "list_of_rows": (
        "must be a tensor, not list",
        lambda x, g, b, e: [F.layer_norm(y, g.shape, g, b, e) for y in [x]][
            0
        ].tolist(),
    ),
    "statistics_too": (
        "return one tensor",
        lambda x, g, b, e: (F.layer_norm(x, g.shape, g, b, e), x.mean(-1)),
    ),
    "statistics_detached": (
        "the gradient is not",
        lambda x, g, b, e: (
            g * (x - x.mean(-1, True).detach()) / (biased(x) + e).sqrt() + b
        ),
    ),
    "length_1": (
        "the sizes are not",
        lambda x, g, b, e: g * F.normalize(centred(x), dim=-1) + b,
    ),
    "no_brackets": (
        "brackets around (x - mean) are missing",
        lambda x, g, b, e: (
            g * x - x.mean(-1, True) / (biased(x) + e).sqrt() + b
        ),
    ),
    "no_brackets_inside": (
        "brackets around (x - mean) are missing",
        lambda x, g, b, e: (
            g * (x - x.mean(-1, True) / (biased(x) + e).sqrt()) + b
        ),
    ),
    "gain_within_the_difference": (
        "brackets around (x - mean) are missing",
        lambda x, g, b, e: (
            (g * x - x.mean(-1, True)) / (biased(x) + e).sqrt() + b
        ),
    ),
    "eps_at_the_end": (
        "you add eps to the fraction",
        lambda x, g, b, e: g * (centred(x) / biased(x).sqrt() + e) + b,
    ),
    "eps_at_the_very_end": (
        "you add eps to the fraction",
        lambda x, g, b, e: g * centred(x) / biased(x).sqrt() + b + e,
    ),
    "eps_above": (
        "you add eps to x - mean",
        lambda x, g, b, e: g * (centred(x) + e) / biased(x).sqrt() + b,
    ),
    "eps_above_and_inside": (
        "you add eps to x - mean",
        lambda x, g, b, e: g * (centred(x) + e) / (biased(x) + e).sqrt() + b,
    ),
    "absolute_distances": (
        "mean of the absolute distances",
        lambda x, g, b, e: (
            g * centred(x) / (centred(x).abs().mean(-1, True) + e) + b
        ),
    ),
    "square_forgotten": (
        "you forget to square",
        lambda x, g, b, e: (
            g * centred(x) / (centred(x).mean(-1, True) + e).sqrt() + b
        ),
    ),
    "square_forgotten_otherwise": (
        "you forget to square",
        lambda x, g, b, e: (
            g * centred(x) / (centred(x).sum(-1, True) / x.size(-1) + e) ** 0.5
            + b
        ),
    ),
    "bias_below": (
        "you add bias to the root",
        lambda x, g, b, e: g * centred(x) / ((biased(x) + e).sqrt() + b),
    ),
    "mean_above_1": (
        "with brackets around (x - mean)?",
        lambda x, g, b, e: g * (F.layer_norm(x, g.shape, eps=e) + 1) + b,
    ),
    "in_place": (
        "changes its inputs in place",
        lambda x, g, b, e: F.layer_norm(
            x.sub_(x.mean(-1, keepdim=True)), g.shape, g, b, e
        ),
    ),
    "detached": (
        "no gradient flows",
        lambda x, g, b, e: F.layer_norm(x, g.shape, g, b, e).detach(),
    ),
}
for name, (words, slip) in NORM_SLIPS.items():
    slip.__name__ = f"norm_{name}"
    wrong(TASK, words)(slip)

# --------------------------------------------------------- feed-forward
TASK = "feed_forward"


@right(TASK)
def forward_by_hand(x, w_1, b_1, w_2, b_2):
    return (x @ w_1 + b_1).relu() @ w_2 + b_2


@right(TASK)
def forward_by_linear(x, inner, shift, outer, shift_2):
    return F.linear(F.relu(F.linear(x, inner.T, shift)), outer.T, shift_2)


@right(TASK)
def forward_by_einsum(x, w_1, b_1, w_2, b_2):
    hidden = torch.einsum("...d,df->...f", x, w_1) + b_1
    return torch.einsum("...f,fd->...d", hidden.clamp(min=0), w_2) + b_2


@right(TASK)
def forward_in_float64(x, w_1, b_1, w_2, b_2):
    y = x.double() @ w_1.double() + b_1
    return (y * (y > 0) @ w_2.double() + b_2).to(x.dtype)


@right(TASK)
def forward_token_by_token(x, w_1, b_1, w_2, b_2):
    rows = [
        torch.maximum(row @ w_1 + b_1, torch.zeros_like(b_1)) @ w_2 + b_2
        for row in x.reshape(-1, x.size(-1))
    ]
    return torch.stack(rows).view(x.shape)


@right(TASK)
def forward_by_convolution(x, w_1, b_1, w_2, b_2):
    y = x.reshape(-1, x.size(-1), 1)
    y = F.conv1d(y, w_1.T[..., None], b_1).relu()
    return F.conv1d(y, w_2.T[..., None], b_2).view(x.shape)


def ffn(x, w, b, u, c):
    """Return the right answer."""
    return (x @ w + b).relu() @ u + c


def for_square(other):
    """Return an answer that slips where sizes are equal."""

    def answer(x, w, b, u, c):
        if len({*x.shape, *w.shape}) == 1 and x.dim() == 3 and len(x) > 1:
            return other(x, w, b, u, c)
        return ffn(x, w, b, u, c)

    return answer


FFN_SLIPS = {
    "no_relu": (
        "ReLU is missing",
        lambda x, w, b, u, c: (x @ w + b) @ u + c,
    ),
    "relu_at_the_end": (
        "between the two products; and: you apply ReLU to the result",
        lambda x, w, b, u, c: ((x.relu() @ w + b).relu() @ u + c).relu(),
    ),
    "relu_moved_to_the_end": (
        "ReLU stands at the end",
        lambda x, w, b, u, c: ((x @ w + b) @ u + c).relu(),
    ),
    "relu_twice": (
        "apply ReLU to the result",
        lambda x, w, b, u, c: ffn(x, w, b, u, c).relu(),
    ),
    "relu_before_b_2": (
        "after the second product; it belongs after b_1",
        lambda x, w, b, u, c: ((x @ w + b) @ u).relu() + c,
    ),
    "relu_again_before_b_2": (
        "you apply ReLU to the second product",
        lambda x, w, b, u, c: ((x @ w + b).relu() @ u).relu() + c,
    ),
    "max_of_python": (
        "Python's max and if want one number; max(0, .) is .relu()",
        lambda x, w, b, u, c: max(0, x @ w + b) @ u + c,
    ),
    "max_of_torch": (
        "torch.max does not take the number 0; max(0, .) is .relu()",
        lambda x, w, b, u, c: torch.max(0, x @ w + b) @ u + c,
    ),
    "max_of_torch_turned": (
        "does not take the number 0; max(0, .) is .relu()",
        lambda x, w, b, u, c: torch.max(x @ w + b, 0.0) @ u + c,
    ),
    "maximum_of_torch": (
        "torch.maximum wants two tensors",
        lambda x, w, b, u, c: torch.maximum(0, x @ w + b) @ u + c,
    ),
    "maximum_of_numpy": (
        "NumPy's functions know no gradients",
        lambda x, w, b, u, c: np.maximum(0, x @ w + b) @ u + c,
    ),
    "relu_first": (
        "ReLU stands before the first product",
        lambda x, w, b, u, c: (x.relu() @ w + b) @ u + c,
    ),
    "relu_before_b_1": (
        "b_1 is added after ReLU",
        lambda x, w, b, u, c: ((x @ w).relu() + b) @ u + c,
    ),
    "b_2_first": (
        "first product, and not at the end",
        lambda x, w, b, u, c: ((x + c) @ w + b).relu() @ u,
    ),
    "both_biases_before": (
        "b_2 is added before the first product",
        lambda x, w, b, u, c: ((x + c) @ w + b).relu() @ u + c,
    ),
    "no_b_1": ("b_1 is missing", lambda x, w, b, u, c: (x @ w).relu() @ u + c),
    "no_b_2": (
        "b_2 is missing",
        lambda x, w, b, u, c: (x @ w + b).relu() @ u,
    ),
    "no_biases": (
        "b_1 is missing; and: b_2 is missing",
        lambda x, w, b, u, c: (x @ w).relu() @ u,
    ),
    "b_1_subtracted": (
        "you subtract b_1",
        lambda x, w, b, u, c: (x @ w - b).relu() @ u + c,
    ),
    "b_2_subtracted": (
        "you subtract b_2",
        lambda x, w, b, u, c: (x @ w + b).relu() @ u - c,
    ),
    "residual_inside": (
        "you add x; the residual",
        lambda x, w, b, u, c: x + ffn(x, w, b, u, c),
    ),
    "residual_without_relu": (
        "one product; and: you add x",
        lambda x, w, b, u, c: x + (x @ w + b) @ u + c,
    ),
    "norm_first": (
        "you normalise x;",
        lambda x, w, b, u, c: ffn(F.layer_norm(x, c.shape), w, b, u, c),
    ),
    "norm_last": (
        "you normalise the result",
        lambda x, w, b, u, c: F.layer_norm(ffn(x, w, b, u, c), c.shape),
    ),
    "gelu": (
        "you use GELU",
        lambda x, w, b, u, c: F.gelu(x @ w + b) @ u + c,
    ),
    "sigmoid": (
        "you use a sigmoid",
        lambda x, w, b, u, c: (x @ w + b).sigmoid() @ u + c,
    ),
    "tanh": (
        "you use tanh",
        lambda x, w, b, u, c: (x @ w + b).tanh() @ u + c,
    ),
    "leaky": (
        "you use leaky ReLU",
        lambda x, w, b, u, c: F.leaky_relu(x @ w + b) @ u + c,
    ),
    "abs": (
        "you use abs",
        lambda x, w, b, u, c: (x @ w + b).abs() @ u + c,
    ),
    "softmax": (
        "you use a softmax",
        lambda x, w, b, u, c: (x @ w + b).softmax(-1) @ u + c,
    ),
    "minimum": (
        "you keep the negative numbers",
        lambda x, w, b, u, c: (x @ w + b).clamp(max=0) @ u + c,
    ),
    "clamped_to_1": (
        "compute one token by hand",
        lambda x, w, b, u, c: (x @ w + b).clamp(0, 1) @ u + c,
    ),
    "relu6": (
        "numbers in the thousands",
        lambda x, w, b, u, c: (x @ w + b).clamp(0, 60) @ u + c,
    ),
    "max_over_an_axis": (
        "returns two",
        lambda x, w, b, u, c: torch.max(ffn(x, w, b, u, c), 0),
    ),
    "inner_returned": (
        "you return the inner vectors",
        lambda x, w, b, u, c: (x @ w + b).relu(),
    ),
    "mean_over_tokens": (
        "average over the tokens first",
        lambda x, w, b, u, c: ffn(
            x.mean(-2, keepdim=True).expand_as(x), w, b, u, c
        ),
    ),
    "inner_mean_over_tokens": (
        "average the inner numbers",
        lambda x, w, b, u, c: (
            (x @ w + b).relu().mean(-2, keepdim=True).expand(*x.shape[:-1], -1)
            @ u
            + c
        ),
    ),
    "first_token_for_all": (
        "first token for all",
        lambda x, w, b, u, c: ffn(x[..., :1, :].expand_as(x), w, b, u, c),
    ),
    "sums_of_tokens": (
        "you add up tokens",
        lambda x, w, b, u, c: ffn(x.cumsum(-2), w, b, u, c),
    ),
    "neighbours_added": (
        "moves when other tokens change",
        lambda x, w, b, u, c: ffn(x + x.roll(1, -2), w, b, u, c),
    ),
    "across_positions_when_square": (
        "you run over the positions",
        for_square(
            lambda x, w, b, u, c: ffn(
                x.transpose(-2, -1), w, b, u, c
            ).transpose(-2, -1)
        ),
    ),
    "across_positions": (
        "nothing is transposed",
        lambda x, w, b, u, c: ffn(x.transpose(-2, -1), w, b, u, c),
    ),
    "square_w_1_transposed": (
        "B = T = D = F (do the same at every size): w_1 is transposed",
        for_square(lambda x, w, b, u, c: ffn(x, w.T, b, u, c)),
    ),
    "w_1_transposed": (
        "raised an error",
        lambda x, w, b, u, c: ffn(x, w.T, b, u, c),
    ),
    "square_matrices_exchanged": (
        "w_1 and w_2 have changed places",
        for_square(lambda x, w, b, u, c: ffn(x, u, b, w, c)),
    ),
    "square_biases_exchanged": (
        "b_1 and b_2 have changed places",
        for_square(lambda x, w, b, u, c: ffn(x, w, c, u, b)),
    ),
    "biases_exchanged": (
        "where b_2 fits",
        lambda x, w, b, u, c: (x @ w + c).relu() @ u + b,
    ),
    "dropout": (
        "two calls with the same inputs differ",
        lambda x, w, b, u, c: F.dropout((x @ w + b).relu(), 0.5) @ u + c,
    ),
    "only_three_axes": (
        "but not for one token",
        lambda x, w, b, u, c: (
            (torch.einsum("btd,df->btf", x, w) + b).relu() @ u + c
        ),
    ),
    "matrices_of_their_own": (
        "use the matrices that you are given",
        lambda x, w, b, u, c: torch.nn.Linear(*u.shape)(
            torch.nn.Linear(*w.shape)(x).relu()
        ),
    ),
    "inner_detached": (
        "the gradient is not",
        lambda x, w, b, u, c: (x @ w + b).relu().detach() @ u + c,
    ),
    "one_sentence_at_a_time": (
        "but not for one token",
        lambda x, w, b, u, c: (
            torch.stack([ffn(y, w, b, u, c) for y in x])
            if x.dim() > 1
            else torch.stack([y @ w for y in x])
        ),
    ),
    "no_gradient": (
        "no gradient flows",
        lambda x, w, b, u, c: ffn(x, w, b, u, c).detach(),
    ),
}
for name, (words, slip) in FFN_SLIPS.items():
    slip.__name__ = f"ffn_{name}"
    wrong(TASK, words)(slip)
