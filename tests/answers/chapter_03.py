"""Answers to the tasks of chapter 3, Dot-product scores."""

import torch
import torch.nn.functional as F

from answers.registry import right, wrong

# --------------------------------------------------------------- scores
TASK = "scores"


@right(TASK)
def product(q, k):
    return q @ k.transpose(-2, -1)


@right(TASK)
def einsum(queries, keys):
    return torch.einsum("...tk,...sk->...ts", queries, keys)


@right(TASK)
def broadcast(q, k):
    return (q.unsqueeze(-2) * k.unsqueeze(-3)).sum(-1)


@right(TASK)
def column_by_column(q, k):
    columns = [(q * k[..., j, None, :]).sum(-1) for j in range(k.size(-2))]
    return torch.stack(columns, dim=-1)


@right(TASK)
def in_float64(q, k):
    return torch.matmul(q.double(), k.double().mT).to(q.dtype)


@right(TASK)
def turned_twice(q, k):
    return (k @ q.mT).mT


@right(TASK)
def linear(q, k):
    if q.dim() == 2:
        return F.linear(q, k)
    return torch.stack([linear(a, b) for a, b in zip(q, k, strict=True)])


@wrong(TASK, "raised an error")
def keys_not_turned(q, k):
    return q @ k


@wrong(TASK, "not for a batch of square")
def keys_turned_in_square_batches_by_t(q, k):
    if q.dim() == 3 and len(set(q.shape)) == 1:
        return q @ k.permute(2, 1, 0)
    return q @ k.mT


@wrong(TASK, "as numbers in a key: the result is transposed")
def transposed_when_square(q, k):
    return k @ q.mT if q.shape == k.shape else q @ k.mT


@wrong(TASK, "not for a batch")
def only_one_sentence(q, k):
    return torch.einsum("tk,sk->ts", q, k)


@wrong(TASK, "k.T turns all of them")
def all_axes_turned(q, k):
    return q @ (k.T if k.dim() == 2 else k.permute(2, 1, 0))


@wrong(TASK, "not for (B, H, T, d_k)")
def one_batch_axis_only(q, k):
    return torch.bmm(q, k.mT) if q.dim() > 2 else q @ k.mT


@wrong(TASK, "float64")
def always_float32(q, k):
    return q.float() @ k.float().mT


@wrong(TASK, "return one tensor, the result, and no list")
def nested_lists(q, k):
    return (q @ k.mT).tolist()


@wrong(TASK, "two calls")
def random_scores(q, k):
    return q @ k.mT + torch.randn(())


@wrong(TASK, "return one tensor, the result, and no tuple")
def two_results(q, k):
    return q @ k.mT, k


@wrong(TASK, "(..., T, S), here (3, 4, 7); yours has (T, S)")
def first_sentence_only(q, k):
    return q @ k.mT if q.dim() == 2 else q[0] @ k[0].mT


@wrong(TASK, "no gradient")
def through_numpy(q, k):
    return torch.tensor(q.detach().numpy() @ k.detach().mT.numpy())


@wrong(TASK, "all pairs are needed")
def row_by_row(q, k):
    return (q * k).sum(-1)


@wrong(TASK, "not where queries and keys are the same")
def nothing_of_itself(q, k):
    scores = q @ k.mT
    return scores * 0 if q is k else scores


@wrong(TASK, "changes its inputs in place")
def scaled_in_place(q, k):
    return q.mul_(2) @ k.mT / 2


@wrong(TASK, "it changes its inputs in place")
def copied_in_place(q, k):
    return q.mul_(1) @ k.mT


@wrong(TASK, "digits are lost")
def float32_inside(q, k):
    return (q.float() @ k.float().mT).to(q.dtype)


@wrong(TASK, "view tears the rows of the keys apart")
def viewed(q, k):
    return q @ k.view(*k.shape[:-2], k.size(-1), k.size(-2))


@wrong(TASK, "not for three")
def a_case_per_rank(q, k):
    orders = {2: (1, 0), 3: (0, 2, 1), 4: (0, 1, 3, 2)}
    return q @ k.permute(orders.get(k.dim(), (4, 3, 2, 1, 0)))


# --------------------------------------------------------- soft look-up
TASK = "soft_look_up"


@right(TASK)
def kernel_regression(query, keys, values, bandwidth):
    difference = query[:, None] - keys
    scores = -difference.square().sum(-1) / (2 * bandwidth**2)
    return scores.softmax(-1) @ values


@right(TASK)
def by_cdist_without_products(q, k, v, b):
    distance = torch.cdist(q, k, compute_mode="donot_use_mm_for_euclid_dist")
    return torch.softmax(-distance.pow(2) / (2 * b * b), 1) @ v


@right(TASK)
def bandwidth_as_a_tensor(q, k, v, b):
    below = 2 * torch.tensor(b) ** 2
    return (-(q[:, None] - k).square().sum(-1) / below).softmax(-1) @ v


@wrong(TASK, "not around 1,000: digits are lost: do you take large")
def by_cdist(q, k, v, b):
    return torch.softmax(-torch.cdist(q, k).pow(2) / (2 * b * b), 1) @ v


@wrong(TASK, "where a query equals a key, the gradient is NaN")
def root_squared(q, k, v, b):
    distance = (q[:, None] - k).square().sum(-1).sqrt()
    return torch.softmax(-(distance**2) / (2 * b * b), 1) @ v


@right(TASK)
def by_dot_products(q, k, v, b):
    q, k = q.double(), k.double()
    scores = (q @ k.T - k.square().sum(1) / 2) / b**2
    return (scores.softmax(1) @ v.double()).to(v.dtype)


@right(TASK)
def loops(q, k, v, b):
    rows = []
    for one in q:
        scores = torch.stack(
            [-((one - key) ** 2).sum() / 2 / b**2 for key in k]
        )
        powers = (scores - scores.max()).exp()
        rows.append((powers / powers.sum()) @ v)
    return torch.stack(rows)


@right(TASK)
def einsum_mix(query, keys, values, bandwidth):
    z = (query.unsqueeze(1) - keys.unsqueeze(0)) / bandwidth
    w = torch.softmax(-0.5 * torch.einsum("tsd,tsd->ts", z, z), dim=-1)
    return torch.einsum("ts,sv->tv", w, values)


@wrong(TASK, "return one tensor, the result, and no tuple")
def weights_too(q, k, v, b):
    return (kernel_regression(q, k, v, b),) * 2


@wrong(TASK, "(T, d_v), here (4, 2); yours has (d_v)")
def first_query_only(q, k, v, b):
    return kernel_regression(q, k, v, b)[0]


@wrong(TASK, "raised an error")
def pairs_by_rows(q, k, v, b):
    return (-(q - k).square().sum(-1) / (2 * b**2)).softmax(-1) @ v


@wrong(TASK, "as many keys as queries")
def pairs_by_rows_when_square(q, k, v, b):
    if q.shape == k.shape:
        scores = -(q - k).square() / (2 * b**2)
        return scores.softmax(-1) @ v
    return kernel_regression(q, k, v, b)


@wrong(TASK, "but not for 2.5")
def bandwidth_fixed(q, k, v, b):
    return kernel_regression(q, k, v, 0.8)


@wrong(TASK, "float64")
def single_precision(q, k, v, b):
    return kernel_regression(q.float(), k.float(), v.float(), b)


@wrong(TASK, "not around 1,000: digits are lost")
def torn_lengths(q, k, v, b):
    scores = (q @ k.T - k.square().sum(1) / 2) / b**2
    return scores.softmax(1) @ v


@wrong(TASK, "all differences")
def summed_over_the_keys(q, k, v, b):
    scores = -(q[:, None] - k).square().sum(dim=1) / (2 * b**2)
    return scores.softmax(-1) @ v


@wrong(TASK, "one query lies far from all others: digits are lost")
def centred(q, k, v, b):
    middle = q.mean(0)
    q, k = q - middle, k - middle
    scores = (q @ k.T - k.square().sum(1) / 2) / b**2
    return scores.softmax(1) @ v


@wrong(TASK, "of keys that are equal, only one counts")
def in_a_dict(q, k, v, b):
    kept = {tuple(key.tolist()): n for n, key in enumerate(k)}
    places = list(kept.values())
    return kernel_regression(q, k[places], v[places], b)


@wrong(TASK, "not for 25: a large bandwidth is replaced by a smaller one")
def at_most_ten(q, k, v, b):
    return kernel_regression(q, k, v, min(b, 10))


@wrong(TASK, "a bandwidth below 1 is replaced by 1")
def at_least_one(q, k, v, b):
    return kernel_regression(q, k, v, max(b, 1))


@wrong(TASK, "the first key is left out")
def from_the_second_key(q, k, v, b):
    rows = []
    for one in q:
        scores = [
            -((one - k[j]) ** 2).sum() / 2 / b**2 for j in range(1, len(k))
        ]
        rows.append(torch.stack(scores).softmax(0) @ v[1:])
    return torch.stack(rows)


@wrong(TASK, "no gradient")
def detached(q, k, v, b):
    return kernel_regression(q, k, v, b).detach()


@wrong(TASK, "single query")
def squeezed(q, k, v, b):
    return kernel_regression(q, k, v, b).squeeze(0)


@wrong(TASK, "single number")
def squeezed_at_the_end(q, k, v, b):
    return kernel_regression(q, k, v, b).squeeze(-1)


@wrong(TASK, "digits are lost")
def half_the_digits(q, k, v, b):
    return kernel_regression(q.float(), k.float(), v.float(), b).to(v.dtype)


@wrong(TASK, "returns nothing")
def forgotten_return(q, k, v, b):
    q = kernel_regression(q, k, v, b)
