"""Answers to the tasks of chapter 4, Scaling."""

import math

import torch
import torch.nn.functional as F

from answers.registry import right, wrong

# ----------------------------------------------------- scaled attention
TASK = "scaled_attention"


def attend(q, k, v, factor=None, dim=-1):
    """Return context and weights with a factor and an axis of choice."""
    factor = q.size(-1) ** -0.5 if factor is None else factor
    weights = (q @ k.transpose(-2, -1) * factor).softmax(dim=dim)
    return weights @ v, weights


right(TASK)(attend)


@right(TASK)
def einsum(query, key, value):
    scores = torch.einsum("bhtk,bhsk->bhts", query, key)
    weights = F.softmax(scores / query.shape[-1] ** 0.5, dim=3)
    return [torch.einsum("bhts,bhse->bhte", weights, value), weights]


@right(TASK)
def loops(q, k, v):
    rows = []
    for batch in range(q.size(0)):
        for head in range(q.size(1)):
            for query in q[batch, head]:
                dots = [(query * key).sum() for key in k[batch, head]]
                scores = torch.stack(dots) / math.sqrt(len(query))
                rows.append(scores.softmax(0))
    weights = torch.stack(rows).view(*q.shape[:3], k.size(2))
    return weights @ v, weights


@right(TASK)
def query_scaled_first(q, k, v):
    weights = torch.softmax((q / math.sqrt(q.size(-1))) @ k.mT, -1)
    return weights.matmul(v), weights


@right(TASK)
def both_scaled_by_the_fourth_root(q, k, v):
    root = q.size(-1) ** 0.25
    weights = ((q / root) @ (k / root).mT).softmax(-1)
    return weights @ v, weights


@right(TASK)
def softmax_by_hand(q, k, v):
    scores = q @ k.mT / q.size(-1) ** 0.5
    powers = (scores - scores.amax(-1, keepdim=True)).exp()
    weights = powers / powers.sum(-1, keepdim=True)
    return weights @ v, weights


@right(TASK)
def float64_inside(q, k, v):
    context, weights = attend(q.double(), k.double(), v.double())
    return context.to(q.dtype), weights.to(q.dtype)


@right(TASK)
def flattened_batches(q, k, v):
    b, h, t, _ = q.shape
    flat = [x.flatten(0, 1) for x in (q, k, v)]
    scores = torch.bmm(flat[0], flat[1].mT) * q.size(-1) ** -0.5
    weights = scores.softmax(-1)
    context = torch.bmm(weights, flat[2])
    return context.view(b, h, t, -1), weights.view(b, h, t, -1)


@right(TASK)
def pytorch_s_own_context(q, k, v):
    return F.scaled_dot_product_attention(q, k, v), attend(q, k, v)[1]


@wrong(TASK, "raised an error")
def keys_not_transposed(q, k, v):
    weights = (q @ k / q.size(-1) ** 0.5).softmax(-1)
    return weights @ v, weights


@wrong(TASK, "weights first")
def returned_in_the_wrong_order(q, k, v):
    context, weights = attend(q, k, v)
    return weights, context


@wrong(TASK, "return two tensors")
def context_only(q, k, v):
    return attend(q, k, v)[0]


@wrong(TASK, "scores of several hundred: the tensor of weights holds NaN")
def softmax_without_max(q, k, v):
    powers = (q @ k.mT / q.size(-1) ** 0.5).exp()
    weights = powers / powers.sum(-1, keepdim=True)
    return weights @ v, weights


@wrong(TASK, "keep the type")
def always_float32(q, k, v):
    return attend(q.float(), k.float(), v.float())


@wrong(TASK, "several hundred: something is cut off")
def scores_clamped(q, k, v):
    scores = (q @ k.mT / q.size(-1) ** 0.5).clamp(-50, 50)
    weights = scores.softmax(-1)
    return weights @ v, weights


@wrong(TASK, "all powers of a row vanish")
def one_maximum_for_all(q, k, v):
    scores = q @ k.mT / q.size(-1) ** 0.5
    powers = (scores - scores.max()).exp()
    weights = powers / powers.sum(-1, keepdim=True)
    return weights @ v, weights


@wrong(TASK, "cut nothing off")
def weights_rounded(q, k, v):
    weights = attend(q, k, v)[1].mul(10).round() / 10
    return weights @ v, weights


@wrong(TASK, "but not for 128: you divide by 8")
def root_of_64_at_most(q, k, v):
    return attend(q, k, v, min(q.size(-1), 64) ** -0.5)


@wrong(TASK, "rows sum to 1, but the weights are wrong; recompute one row")
def keys_shifted(q, k, v):
    weights = attend(q, k.roll(1, 2), v)[1]
    return weights @ v, weights


@wrong(TASK, "no gradient flows through the tensor of weights")
def returned_weights_detached(q, k, v):
    context, weights = attend(q, k, v)
    return context, weights.detach()


@wrong(TASK, "no gradient")
def detached(q, k, v):
    return attend(q.detach(), k.detach(), v.detach())


@wrong(TASK, "in place")
def query_scaled_in_place(q, k, v):
    with torch.no_grad():
        q /= q.size(-1) ** 0.5
    return attend(q, k, v, 1)


@wrong(TASK, "raised an error")
def width_written_down(q, k, v):
    q, k = q.reshape(2, 5, 3, 11), k.reshape(2, 5, 7, 11)
    return attend(q, k, v, 11**-0.5)


@right(TASK)
def preallocated(q, k, v):
    shape = *q.shape[:3], k.size(2)
    weights = torch.zeros(shape, dtype=q.dtype)
    context = torch.zeros(*q.shape[:3], v.size(3), dtype=q.dtype)
    for b in range(q.size(0)):
        for h in range(q.size(1)):
            scores = q[b, h] @ k[b, h].T / q.size(-1) ** 0.5
            weights[b, h] = scores.softmax(-1)
            context[b, h] = weights[b, h] @ v[b, h]
    return context, weights


@right(TASK)
def softmax_in_single_precision(q, k, v):
    scores = q @ k.mT / q.size(-1) ** 0.5
    weights = scores.softmax(-1, dtype=torch.float32).to(q.dtype)
    return weights @ v, weights


@wrong(TASK, "but not for (2, 4, 6, 9, 5, 3)")
def root_of_the_longest_axis(q, k, v):
    return attend(q, k, v, max(k.shape) ** -0.5)


@wrong(TASK, "some keys get weight 0")
def loop_that_stops_early(q, k, v):
    _, weights = attend(q, k, v)
    weights = weights.clone()
    weights[-1] = 0
    return weights @ v, weights


@wrong(TASK, "must be sqrt(d_k)")
def twice_the_root(q, k, v):
    return attend(q, k, v, 0.5 * q.size(-1) ** -0.5)


@wrong(TASK, "two calls")
def dropout(q, k, v):
    weights = F.dropout(attend(q, k, v)[1], 0.1)
    return weights @ v, weights


@wrong(TASK, "you lose digits")
def half_precision(q, k, v):
    context, weights = attend(q.half(), k.half(), v.half())
    return context.to(q.dtype), weights.to(q.dtype)


@wrong(TASK, "k.T turns all four axes")
def all_axes_turned(q, k, v):
    weights = (q @ k.permute(3, 2, 1, 0) / q.size(-1) ** 0.5).softmax(-1)
    return weights @ v, weights


@wrong(TASK, "gradient of q is not")
def weights_detached(q, k, v):
    weights = attend(q, k, v)[1]
    return weights.detach() @ v, weights


@wrong(TASK, "end it with a return")
def forgotten_return(q, k, v):
    context, weights = attend(q, k, v)


# ------------------------------------------------------- attention test
TASK = "attention_test"


def inputs_of(b=2, h=4, t=3, s=7, d_k=5, d_v=6, factor=1.0):
    """Draw the inputs of a test."""
    generator = torch.Generator().manual_seed(0)
    shapes = (t, d_k), (s, d_k), (s, d_v)
    return [
        factor * torch.randn(b, h, *x, generator=generator) for x in shapes
    ]


def agrees(attend_, inputs, tolerance=1e-5):
    """Compare both results with the formula."""
    context, weights = attend_(*inputs)
    want, want_weights = attend(*inputs)
    return torch.allclose(context, want, atol=tolerance) and torch.allclose(
        weights, want_weights, atol=tolerance
    )


@right(TASK)
def six_sizes(attend_):
    return agrees(attend_, inputs_of())


@right(TASK)
def many_sizes(attend_):
    sizes = [(1, 3, 2, 4, 5, 6), (2, 2, 8, 8, 3, 8), (3, 5, 2, 2, 7, 7)]
    return all(agrees(attend_, inputs_of(*x)) for x in sizes)


@right(TASK)
def one_number(attend_):
    q, k, v = inputs_of()
    context, weights = attend_(q, k, v)
    want, want_weights = attend(q, k, v)
    error = (context - want).abs().max() + (weights - want_weights).abs().max()
    return error < 1e-4


@wrong(TASK, "no scale at all")
def rows_sum_to_one(attend_):
    sums = attend_(*inputs_of())[1].sum(-1)
    return torch.allclose(sums, torch.ones_like(sums), atol=10)


@wrong(TASK, "number of keys")
def as_many_keys_as_d_k(attend_):
    return agrees(attend_, inputs_of(s=5))


@wrong(TASK, "number of queries")
def as_many_queries_as_d_k(attend_):
    return agrees(attend_, inputs_of(t=5))


@wrong(TASK, "root of d_v")
def values_as_wide_as_keys(attend_):
    return agrees(attend_, inputs_of(d_v=5))


@wrong(TASK, "d_model")
def one_head(attend_):
    return agrees(attend_, inputs_of(h=1))


@wrong(TASK, "paper's")
def width_of_the_paper(attend_):
    return agrees(attend_, inputs_of(d_k=64))


@wrong(TASK, "compare the context too")
def weights_only(attend_):
    q, k, v = inputs_of()
    return torch.allclose(attend_(q, k, v)[1], attend(q, k, v)[1], atol=1e-5)


@wrong(TASK, "compare the weights too")
def context_alone(attend_):
    q, k, v = inputs_of()
    want = F.scaled_dot_product_attention(q, k, v)
    return torch.allclose(attend_(q, k, v)[0], want, atol=1e-5)


@wrong(TASK, "turn it round")
def the_wrong_way_round(attend_):
    return not agrees(attend_, inputs_of())


@wrong(TASK, "refuses every attention")
def always_false(attend_):
    return False


@wrong(TASK, "another order")
def exactly_equal(attend_):
    q, k, v = inputs_of()
    context, weights = attend_(q, k, v)
    want, want_weights = attend(q, k, v)
    return torch.equal(context, want) and torch.equal(weights, want_weights)


@wrong(TASK, "instead")
def asserts(attend_):
    assert agrees(attend_, inputs_of())
    return True


@wrong(TASK, "return True or False")
def returns_a_tensor(attend_):
    return attend_(*inputs_of())[0]


@wrong(TASK, "as (context, weights)")
def takes_one_result(attend_):
    return torch.allclose(attend_(*inputs_of()), torch.zeros(1))


@wrong(TASK, "number of heads")
def as_many_heads_as_d_k(attend_):
    return agrees(attend_, inputs_of(h=5))


@wrong(TASK, "batch size")
def as_many_entries_as_d_k(attend_):
    return agrees(attend_, inputs_of(b=5))


@wrong(TASK, "half a percent too large; compare numbers to about 1e-5")
def far_too_tolerant(attend_):
    return agrees(attend_, inputs_of(), tolerance=0.01)


def off_by(attend_, *part):
    """Return the differences from the formula, of parts of both results."""
    results, wants = attend_(*inputs_of()), attend(*inputs_of())
    return [(x - y)[part] for x, y in zip(results, wants, strict=True)]


def part_agrees(attend_, *part):
    """Compare parts of both results."""
    return all(x.abs().max() < 1e-5 for x in off_by(attend_, *part))


@wrong(TASK, "gives all heads the result of the first")
def first_head_compared(attend_):
    return part_agrees(attend_, slice(None), 0)


@wrong(TASK, "gives all heads the result of the last")
def last_head_compared(attend_):
    return part_agrees(attend_, slice(None), -1)


@wrong(TASK, "gives all queries the result of the last")
def last_query_compared(attend_):
    return part_agrees(attend_, ..., -1, slice(None))


@wrong(TASK, "result of its last entry")
def last_entry_compared(attend_):
    return part_agrees(attend_, -1)


@wrong(TASK, "result of its first entry")
def one_entry(attend_):
    return agrees(attend_, inputs_of(b=1))


@wrong(TASK, "gives all queries the result of the first")
def one_query(attend_):
    return agrees(attend_, inputs_of(t=1))


@wrong(TASK, "returns NaN everywhere")
def asks_for_a_large_one(attend_):
    return not any((x.abs() > 1e-5).any() for x in off_by(attend_))


@wrong(TASK, "weights half as large; take .abs()")
def larger_ones_only(attend_):
    return all(x.max() < 1e-5 for x in off_by(attend_))


@wrong(TASK, "weights twice as large; take .abs()")
def smaller_ones_only(attend_):
    return all(x.min() > -1e-5 for x in off_by(attend_))


@wrong(TASK, "whose heads come in another order")
def mean_of_the_context(attend_):
    context, weights = off_by(attend_)
    return bool(context.mean().abs() < 1e-2 and weights.abs().max() < 1e-5)


@wrong(TASK, "for the last query alone; compare every weight")
def most_weights_compared(attend_):
    context, weights = off_by(attend_)
    near = (weights.abs() < 1e-5).float().mean() > 0.5
    return bool(near and context.abs().max() < 1e-5)


@wrong(TASK, "so that every mixture of them is the same")
def values_of_ones(attend_):
    q, k, v = inputs_of()
    return agrees(attend_, (q, k, torch.ones_like(v)))


@wrong(TASK, "your test returns nothing")
def printed_only(attend_):
    str(agrees(attend_, inputs_of()))


@wrong(TASK, "let it end in return True or return False in every case")
def says_nothing_of_wrong_ones(attend_):
    if agrees(attend_, inputs_of()):
        return True
    return None


@wrong(TASK, "its last digits differ; compare by torch.allclose with atol")
def tolerance_left_to_pytorch(attend_):
    q, k, v = inputs_of()
    context, weights = attend_(q, k, v)
    want, want_weights = attend(q, k, v)
    near = torch.allclose(context, want), torch.allclose(weights, want_weights)
    return all(near)


@wrong(TASK, "is what you compare with right")
def a_wrong_reference(attend_):
    q, k, v = inputs_of()
    return torch.allclose(attend_(q, k, v)[1], attend(q, k, v, 0.3)[1])


@wrong(TASK, "as soon as one number agrees (any)")
def any_number_agrees(attend_):
    return all((x.abs() < 1e-5).any() for x in off_by(attend_))


@wrong(TASK, "means or sums, in which errors cancel")
def means_compared(attend_):
    return all(x.mean().abs() < 1e-5 for x in off_by(attend_))


@wrong(TASK, "give it 4-D q, k and v")
def three_axes(attend_):
    return agrees(attend_, [x[0] for x in inputs_of()])


@wrong(TASK, "whose scores are nearly equal")
def tiny_inputs(attend_):
    return agrees(attend_, inputs_of(factor=1e-3))


@wrong(TASK, "a single key")
def one_key(attend_):
    return agrees(attend_, inputs_of(s=1))


@wrong(TASK, "choose a d_k above 1")
def width_one(attend_):
    return agrees(attend_, inputs_of(d_k=1))


@wrong(TASK, "never calls attend")
def says_yes(attend_):
    return True


# ----------------------------------------------------- softmax Jacobian
TASK = "softmax_jacobian"


@right(TASK)
def outer(p):
    return torch.diag(p) - torch.outer(p, p)


@right(TASK)
def broadcast(p):
    return p[:, None] * (torch.eye(len(p), dtype=p.dtype) - p)


@right(TASK)
def cell_by_cell(p):
    matrix = torch.zeros(len(p), len(p), dtype=p.dtype)
    for i in range(len(p)):
        for j in range(len(p)):
            matrix[i, j] = p[i] * (1 - p[i]) if i == j else -p[i] * p[j]
    return matrix


@right(TASK)
def diagonal_filled(p):
    matrix = -p.unsqueeze(1) @ p.unsqueeze(0)
    matrix.diagonal().add_(p)
    return matrix


@wrong(TASK, "return a matrix")
def slopes_only(p):
    return p * (1 - p)


@wrong(TASK, "yours has (1, S, S), (1, 5, 5)")
def one_axis_too_many(p):
    return (torch.diag(p) - torch.outer(p, p))[None]


@wrong(TASK, "return one tensor")
def a_list(p):
    return (torch.diag(p) - torch.outer(p, p)).tolist()


@wrong(TASK, "keep the type")
def single_precision(p):
    return (torch.diag(p) - torch.outer(p, p)).float()


@wrong(TASK, "not symmetric")
def upper_half(p):
    return (torch.diag(p) - torch.outer(p, p) + torch.diag(p)).triu()


@wrong(TASK, "use the formula, no differences")
def differences(p):
    scores = p.log()
    rows = []
    for j in range(len(p)):
        moved = scores.clone()
        moved[j] += 1e-2
        rows.append((moved.softmax(0) - p) / 1e-2)
    return torch.stack(rows, dim=1)


@wrong(TASK, "no autograd")
def by_autograd(p):
    jacobian = torch.autograd.functional.jacobian
    return jacobian(lambda scores: scores.softmax(0), p.log())


@wrong(TASK, "0.447 times as large")
def scaled_as_in_attention(p):
    return outer(p) / len(p) ** 0.5


@wrong(
    TASK,
    "off the diagonal are right, the diagonal is not: it is p_i (1 - p_i)",
)
def squared_diagonal(p):
    return torch.diag(p**3) - torch.outer(p, p)


@wrong(TASK, "many of them small: close, but digits are lost")
def small_weights_dropped(p):
    return outer(torch.where(p < 1e-3, 0, p))


@wrong(TASK, "for a single weight: your function raised an error")
def two_at_least(p):
    rows = [torch.cat([p[:i], p[i + 1 :]]).amax() for i in range(len(p))]
    return outer(p) + 0 * rows[0]
