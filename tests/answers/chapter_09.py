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
def norm_by_matrices(x, gain, bias, eps):
    d = x.size(-1)
    mean = torch.full((d, d), 1 / d, dtype=x.dtype)
    centred = x - x @ mean
    root = (centred.square() @ mean + eps).sqrt()
    return (centred / root) @ torch.diag(gain) + bias


@right(TASK)
def norm_by_vmap(x, gain, bias, eps):
    def one(row):
        return gain * (row - row.mean()) / (row.var(correction=0) + eps) ** 0.5

    for _ in range(x.dim() - 1):
        one = torch.vmap(one)
    return one(x) + bias


@right(TASK)
def norm_by_a_module(x, gain, bias, eps):
    module = torch.nn.LayerNorm(x.size(-1), eps=eps)
    given = {"weight": gain, "bias": bias}
    return torch.func.functional_call(module, given, (x,))


@right(TASK)
def norm_unbiased_corrected(x, gain, bias, eps):
    d = x.size(-1)
    variance = x.var(-1, keepdim=True) * (d - 1) / d if d > 1 else x * 0
    y = (x - x.mean(-1, keepdim=True)) / (variance + eps).sqrt()
    y *= gain.clone()
    return y + bias


def squares_less_square(x, gain, bias, eps):
    mean = x.mean(-1, keepdim=True)
    variance = (x * x).mean(-1, keepdim=True) - mean * mean
    return gain * (x - mean) / (variance.clamp(min=0) + eps).sqrt() + bias


def plain(x, eps):
    """Return x normalised, without gain and bias."""
    return F.layer_norm(x, x.shape[-1:], eps=eps)


def norm(x, gain, bias, eps):
    """Return the right answer."""
    return F.layer_norm(x, gain.shape, gain, bias, eps)


KEPT = {}


def norm_of_an_earlier_call(x, gain, bias, eps):
    if not gain.requires_grad:
        gain, bias = KEPT.setdefault(x.size(-1), (gain, bias))
    return norm(x, gain, bias, eps)


def norm_overwritten(x, gain, bias, eps):
    y = centred(x)
    variance = y.square().mean(-1, keepdim=True)
    y /= (variance + eps).sqrt()
    return gain * y + bias


def norm_over_axis_0_of_two(x, gain, bias, eps):
    dim = 0 if x.dim() == 2 else -1
    return gain * centred(x, dim) / (biased(x, dim) + eps).sqrt() + bias


def norm_over_axis_3_at_most(x, gain, bias, eps):
    dim = min(3, x.dim() - 1)
    return gain * centred(x, dim) / (biased(x, dim) + eps).sqrt() + bias


def norm_of_1_left_alone(x, gain, bias, eps):
    return norm(x, gain, bias, eps) if x.size(-1) > 1 else x * gain + bias


NORM_SLIPS = {
    "over_everything_with_std": (
        "keepdim=True; and: you divide by D - 1",
        lambda x, g, b, e: g * (x - x.mean()) / (x.std() + e) + b,
    ),
    "always_three_axes": (
        "but not for one vector",
        lambda x, g, b, e: g * centred(x, 2) / (biased(x, 2) + e).sqrt() + b,
    ),
    "unbiased_without_affine": (
        "D - 1 in the variance, which var and std do unless you pass "
        "correction=0; divide by D; and: gain and bias are not used",
        lambda x, g, b, e: centred(x) / (x.var(-1, keepdim=True) + e).sqrt(),
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
        "return one tensor, the result, and no list",
        lambda x, g, b, e: norm(x, g, b, e).tolist(),
    ),
    "statistics_too": (
        "return one tensor",
        lambda x, g, b, e: (F.layer_norm(x, g.shape, g, b, e), x.mean(-1)),
    ),
    "statistics_detached": (
        "the gradient of x is not",
        lambda x, g, b, e: (
            g * (x - x.mean(-1, True).detach()) / (biased(x) + e).sqrt() + b
        ),
    ),
    "length_1": (
        "so divide by D; and: eps is not used",
        lambda x, g, b, e: g * F.normalize(centred(x), dim=-1) + b,
    ),
    "one_gain_for_all": (
        "gain and bias are not used feature by feature",
        lambda x, g, b, e: g.sum() * plain(x, e) + b,
    ),
    "one_number_per_vector": (
        "must have the shape (3, 4, 6); yours has (3, 4)",
        lambda x, g, b, e: (g * plain(x, e)).sum(-1),
    ),
    "square_of_x": (
        "the means are right, the sizes are not",
        lambda x, g, b, e: (
            g * centred(x) / (x.norm(dim=-1)[..., None] + e) + b
        ),
    ),
    "first_number_subtracted": (
        "with brackets around (x - mean)?",
        lambda x, g, b, e: g * (x - x[..., :1]) / (biased(x) + e).sqrt() + b,
    ),
    "mean_above_1": (
        "gain and bias are not used feature by feature",
        lambda x, g, b, e: g * (F.layer_norm(x, g.shape, eps=e) + 1) + b,
    ),
    "in_place": (
        "changes its inputs in place",
        lambda x, g, b, e: F.layer_norm(
            x.sub_(x.mean(-1, keepdim=True)), g.shape, g, b, e
        ),
    ),
    "earlier_call": ("nothing of an earlier call", norm_of_an_earlier_call),
    "overwritten": ("overwritten in place", norm_overwritten),
    "axis_0_of_two": ("but not for (T, D)", norm_over_axis_0_of_two),
    "axis_3_at_most": ("but not for five", norm_over_axis_3_at_most),
    "one_number_left_alone": ("not when D = 1", norm_of_1_left_alone),
    "eps_at_least_1e_5": (
        "use eps as it comes",
        lambda x, g, b, e: norm(x, g, b, max(e, 1e-5)),
    ),
    "cut_off": (
        "nothing may be cut off",
        lambda x, g, b, e: g * plain(x, e).clamp(-5, 5) + b,
    ),
    "size_of_gain": (
        "without abs or relu",
        lambda x, g, b, e: norm(x, g.abs(), b, e),
    ),
    "nan_logarithm": (
        "the root of a negative number",
        lambda x, g, b, e: g * centred(x) / (biased(x) + e).log().sqrt() + b,
    ),
    "squeezed": (
        "D = 1: an axis of size 1 is gone",
        lambda x, g, b, e: norm(x, g, b, e).squeeze(),
    ),
    "squeezed_first": (
        "B = T = 1: an axis of size 1 is gone",
        lambda x, g, b, e: (
            norm(x, g, b, e).squeeze(0) if x.dim() > 1 else norm(x, g, b, e)
        ),
    ),
    "digits_lost": (
        "float64: digits are lost",
        lambda x, g, b, e: norm(x.float(), g.float(), b.float(), e).to(x),
    ),
    "bfloat16": (
        "nearly right",
        lambda x, g, b, e: plain(x.bfloat16(), e).to(x) * g + b,
    ),
    "root_of_0": (
        "the root of 0 has no slope",
        lambda x, g, b, e: (
            g * centred(x) / (biased(x).sqrt() ** 2 + e).sqrt() + b
        ),
    ),
    "one_vector_detached": (
        "not for one vector: the numbers are right, but the gradient",
        lambda x, g, b, e: norm(x.detach() if x.dim() == 1 else x, g, b, e),
    ),
    "by_numpy": (
        "NumPy lets no gradient through",
        lambda x, g, b, e: torch.from_numpy(norm(x, g, b, e).numpy()),
    ),
    "view": (
        "use reshape",
        lambda x, g, b, e: norm(x.view(-1, x.size(-1)), g, b, e).view(x.shape),
    ),
    "correction_unnamed": (
        "and the rest by name",
        lambda x, g, b, e: (
            g * centred(x) / (x.var(-1, 0, keepdim=True) + e).sqrt() + b
        ),
    ),
    "root_of_unbiased_std": (
        "divide by D; and: std is a root already",
        lambda x, g, b, e: (
            g * centred(x) / (x.std(-1, keepdim=True) + e).sqrt() + b
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
def forward_in_place(x, w_1, b_1, w_2, b_2):
    hidden = x @ w_1
    hidden += b_1
    hidden[hidden < 0] = 0
    out = hidden @ w_2
    out += b_2
    return out


@right(TASK)
def forward_in_loops(x, w_1, b_1, w_2, b_2):
    y = b_2
    for j in range(len(b_1)):
        inner = (x * w_1[:, j]).sum(-1, keepdim=True) + b_1[j]
        y = y + torch.max(inner, inner.new_zeros(())) * w_2[j]
    return y


@right(TASK)
def forward_by_a_module(x, w_1, b_1, w_2, b_2):
    inner, outer = torch.nn.Linear(*w_1.shape), torch.nn.Linear(*w_2.shape)
    module = torch.nn.Sequential(inner, torch.nn.ReLU(), outer)
    given = {"0.weight": w_1.T, "0.bias": b_1}
    given |= {"2.weight": w_2.T, "2.bias": b_2}
    return torch.func.functional_call(module, given, (x,))


@right(TASK)
def forward_with_a_column_of_ones(x, w_1, b_1, w_2, b_2):
    one = torch.ones_like(x[..., :1])
    hidden = torch.cat([x, one], -1) @ torch.vstack([w_1, b_1])
    hidden = hidden.masked_fill(hidden < 0, 0)
    return torch.cat([hidden, one], -1) @ torch.vstack([w_2, b_2])


@right(TASK)
def forward_with_options(x, w_1, b_1, w_2, b_2, act=F.relu, dropout=0.0):
    hidden = act(torch.tensordot(x, w_1, 1) + b_1)
    return F.dropout(torch.tensordot(hidden, w_2, 1), dropout) + b_2


@right(TASK)
def forward_by_half_of_abs(x, w_1, b_1, w_2, b_2):
    hidden = x @ w_1 + b_1
    return (hidden + hidden.abs()) / 2 @ w_2 + b_2


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


KEPT_PARTS = {}


def ffn_of_an_earlier_call(x, w, b, u, c):
    if not w.requires_grad:
        key = w.shape, w.dtype
        w, b, u, c = KEPT_PARTS.setdefault(key, (w, b, u, c))
    return ffn(x, w, b, u, c)


def ffn_overwritten(x, w, b, u, c):
    hidden = (x @ w + b).relu()
    y = hidden @ u + c
    hidden += 1
    return y


def ffn_of_the_past(x, w, b, u, c):
    before = x.roll(1, -2)
    before[..., 0, :] = 0
    return ffn(x + before, w, b, u, c)


def ffn_mixing_two_axes(x, w, b, u, c):
    if x.dim() == 2:
        x = x - x.mean(0)
    return ffn(x, w, b, u, c)


def ffn_without_the_first_axis_of_five(x, w, b, u, c):
    return ffn(x.flatten(0, 1) if x.dim() == 5 else x, w, b, u, c)


FFN_SLIPS = {
    "relu_at_the_end": (
        "between the two products; and: you apply ReLU to the result",
        lambda x, w, b, u, c: ((x.relu() @ w + b).relu() @ u + c).relu(),
    ),
    "max_of_python": (
        "Python's max and if want one number; max(0, .) is .relu()",
        lambda x, w, b, u, c: max(0, x @ w + b) @ u + c,
    ),
    "max_of_torch": (
        "torch.max does not take the number 0; max(0, .) is .relu()",
        lambda x, w, b, u, c: torch.max(0, x @ w + b) @ u + c,
    ),
    "maximum_of_torch": (
        "torch.maximum wants two tensors",
        lambda x, w, b, u, c: torch.maximum(0, x @ w + b) @ u + c,
    ),
    "maximum_of_numpy": (
        "NumPy's functions know no gradients",
        lambda x, w, b, u, c: np.maximum(0, x @ w + b) @ u + c,
    ),
    "no_biases": (
        "b_1 is missing; and: b_2 is missing",
        lambda x, w, b, u, c: (x @ w).relu() @ u,
    ),
    "relu6": (
        "numbers in the thousands",
        lambda x, w, b, u, c: (x @ w + b).clamp(0, 60) @ u + c,
    ),
    "max_over_an_axis": (
        "returns two",
        lambda x, w, b, u, c: torch.max(ffn(x, w, b, u, c), 0),
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
    "w_1_transposed": (
        "raised an error",
        lambda x, w, b, u, c: ffn(x, w.T, b, u, c),
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
        "the gradient of x is not",
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
    "earlier_call": ("nothing of an earlier call", ffn_of_an_earlier_call),
    "overwritten": ("overwritten in place", ffn_overwritten),
    "past": ("moves when other tokens change", ffn_of_the_past),
    "two_axes": (
        "not for (T, D) (the last axis is all that matters): the output",
        ffn_mixing_two_axes,
    ),
    "five_axes": ("but not for five", ffn_without_the_first_axis_of_five),
    "other_sentences": (
        "moves when other sentences change",
        lambda x, w, b, u, c: ffn(x + x.roll(1, 0), w, b, u, c),
    ),
    "twice": (
        "compute one token by hand",
        lambda x, w, b, u, c: 2 * (x @ w + b).relu() @ u + c,
    ),
    "threshold": (
        "around 0.001: ReLU keeps even a tiny number",
        lambda x, w, b, u, c: F.threshold(x @ w + b, 1e-3, 0.0) @ u + c,
    ),
    "sharp_softplus": (
        "makes all below exactly 0",
        lambda x, w, b, u, c: F.softplus(x @ w + b, 1000) @ u + c,
    ),
    "nearly_leaky": (
        "nearly right",
        lambda x, w, b, u, c: F.leaky_relu(x @ w + b, 1e-4) @ u + c,
    ),
    "bfloat16": (
        "nearly right",
        lambda x, w, b, u, c: (x @ w + b).relu().bfloat16().to(x) @ u + c,
    ),
    "root_of_a_square": (
        "is exactly 0 backward() gives NaN",
        lambda x, w, b, u, c: (
            (x @ w + b + (x @ w + b).square().sqrt()) / 2 @ u + c
        ),
    ),
    "one_token_detached": (
        "not for one token: the numbers are right, but the gradient",
        lambda x, w, b, u, c: ffn(
            x.detach() if x.dim() == 1 else x, w, b, u, c
        ),
    ),
    "digits_lost": (
        "float64: digits are lost",
        lambda x, w, b, u, c: ffn(*(y.float() for y in (x, w, b, u, c))).to(x),
    ),
    "squeezed": (
        "every size is 1: an axis of size 1 is gone",
        lambda x, w, b, u, c: ffn(x, w, b, u, c).squeeze(),
    ),
    "list_of_rows": (
        "return one tensor, the result, and no list",
        lambda x, w, b, u, c: [ffn(y, w, b, u, c) for y in x],
    ),
    "view": (
        "use reshape",
        lambda x, w, b, u, c: ffn(x.view(-1, x.size(-1)), w, b, u, c),
    ),
    "linear_not_transposed": (
        "F.linear wants w_1.T",
        lambda x, w, b, u, c: F.linear(F.linear(x, w, b).relu(), u, c),
    ),
    "types_mixed": (
        "another type meet",
        lambda x, w, b, u, c: (x @ w + b > 0) @ u + c,
    ),
    "no_gradient": (
        "no gradient flows",
        lambda x, w, b, u, c: ffn(x, w, b, u, c).detach(),
    ),
}
for name, (words, slip) in FFN_SLIPS.items():
    slip.__name__ = f"ffn_{name}"
    wrong(TASK, words)(slip)
