"""Answers to the tasks of chapter 2, The bottleneck."""

import math

import torch
import torch.nn.functional as F

from answers.registry import right, wrong
from attnbook.attention import AdditiveAttention

# --------------------------------------------------- additive attention
TASK = "additive_attention"


def scored(query, keys, w_q, w_k, v):
    """Return the scores, (B, T, S)."""
    q, k = query @ w_q, keys @ w_k
    return (q.unsqueeze(2) + k.unsqueeze(1)).tanh() @ v


def finish(scores, keys, mask, dim=-1):
    """Mask, normalise, mix."""
    weights = scores.masked_fill(~mask, -math.inf).softmax(dim)
    return weights @ keys, weights


@right(TASK)
def attend(query, keys, w_q, w_k, v, mask):
    return finish(scored(query, keys, w_q, w_k, v), keys, mask)


@right(TASK)
def einsum(s, h, a, b, c, visible):
    hidden = torch.einsum("btq,qa->bta", s, a)[:, :, None]
    hidden = hidden + torch.einsum("bsk,ka->bsa", h, b)[:, None]
    scores = torch.einsum("btsa,a->bts", hidden.tanh(), c)
    scores = torch.where(visible, scores, -torch.inf)
    weights = F.softmax(scores, dim=2)
    return [torch.einsum("bts,bsk->btk", weights, h), weights]


@right(TASK)
def loops(query, keys, w_q, w_k, v, mask):
    rows = []
    for b in range(len(query)):
        for one in query[b]:
            scores = []
            for key, word in zip(keys[b], mask[b, 0], strict=True):
                score = ((one @ w_q + key @ w_k).tanh() * v).sum()
                scores.append(score if word else score * 0 - math.inf)
            rows.append(torch.stack(scores).softmax(0))
    weights = torch.stack(rows).view(len(query), -1, keys.size(1))
    return weights @ keys, weights


@right(TASK)
def float64_inside(query, keys, w_q, w_k, v, mask):
    numbers = [x.double() for x in (query, keys, w_q, w_k, v)]
    found = attend(*numbers, mask)
    return [x.to(query.dtype) for x in found]


@right(TASK)
def large_negative_fill(query, keys, w_q, w_k, v, mask):
    scores = scored(query, keys, w_q, w_k, v).masked_fill(~mask, -1e9)
    weights = scores.softmax(-1)
    return weights.bmm(keys), weights


@right(TASK)
def softmax_by_hand(query, keys, w_q, w_k, v, mask):
    scores = scored(query, keys, w_q, w_k, v)
    scores = scores - scores.amax(-1, keepdim=True)
    powers = scores.exp() * mask
    total = powers.sum(-1, keepdim=True)
    if (total == 0).any():  # everything visible is far below the best pad
        return attend(query, keys, w_q, w_k, v, mask)
    weights = powers / total
    return weights @ keys, weights


@right(TASK)
def the_package_s_module(query, keys, w_q, w_k, v, mask):
    module = AdditiveAttention(*w_q.shape[:1], *w_k.shape)
    parts = {"w_q": w_q, "w_k": w_k, "v": v}
    return torch.func.functional_call(module, parts, (query, keys, mask))


@wrong(TASK, "over the queries; every query has its own context")
def weights_averaged_when_sizes_differ(query, keys, w_q, w_k, v, mask):
    weights = attend(query, keys, w_q, w_k, v, mask)[1]
    if query.size(-1) == keys.size(-1):
        return weights @ keys, weights
    mean = weights.mean(1, keepdim=True).expand_as(weights)
    return mean @ keys, weights


@wrong(TASK, "(B, T, d_k), here (4, 4, 5); yours has (B, S, d_q)")
def queries_mixed(query, keys, w_q, w_k, v, mask):
    weights = attend(query, keys, w_q, w_k, v, mask)[1]
    return weights.mT @ query, weights


@wrong(TASK, "yours has (B, S, d_q), (4, 7, 5)")
def queries_and_keys_exchanged(query, keys, w_q, w_k, v, mask):
    scores = scored(keys, query, w_k, w_q, v)  # (B, S, T)
    weights = scores.masked_fill(~mask.mT, -1e9).softmax(-1)
    return weights @ query, weights


@wrong(TASK, "scores in the place of the weights; normalise")
def no_softmax(query, keys, w_q, w_k, v, mask):
    scores = scored(query, keys, w_q, w_k, v)
    return scores @ keys, scores.masked_fill(~mask, -math.inf)


@wrong(TASK, "weights first")
def returned_in_the_wrong_order(query, keys, w_q, w_k, v, mask):
    context, weights = attend(query, keys, w_q, w_k, v, mask)
    return weights, context


@wrong(TASK, "return two tensors")
def context_only(query, keys, w_q, w_k, v, mask):
    return attend(query, keys, w_q, w_k, v, mask)[0]


@wrong(TASK, "unsqueeze(2)")
def added_without_new_axes(query, keys, w_q, w_k, v, mask):
    return finish((query @ w_q + keys @ w_k).tanh() @ v, keys, mask)


@wrong(TASK, "but not for one: ")
def squeezed(query, keys, w_q, w_k, v, mask):
    context, weights = attend(query, keys, w_q, w_k, v, mask)
    return context.squeeze(1), weights.squeeze(1)


@wrong(TASK, "but not for one sentence: ")
def first_axis_squeezed(query, keys, w_q, w_k, v, mask):
    context, weights = attend(query, keys, w_q, w_k, v, mask)
    return context.squeeze(0), weights.squeeze(0)


@wrong(TASK, "but not for one sentence: ")
def sentences_mixed_if_there_is_one(query, keys, w_q, w_k, v, mask):
    context, weights = attend(query, keys, w_q, w_k, v, mask)
    return (context, weights) if len(query) > 1 else (context, weights.mT)


@wrong(TASK, "but not for B, T, S, d_q, d_k, A = (2, 3, 5, 7, 11, 13)")
def one_width_for_both(query, keys, w_q, w_k, v, mask):
    query = query.reshape(len(keys), -1, keys.size(-1))
    return attend(query, keys, w_q, w_k, v, mask)


@wrong(TASK, "not when all are 4")
def transposed_only_if_it_must(query, keys, w_q, w_k, v, mask):
    w_q = w_q.T if w_q.size(0) == w_q.size(1) == len(query) else w_q
    return attend(query, keys, w_q, w_k, v, mask)


@wrong(TASK, "keep the type")
def always_float32(query, keys, w_q, w_k, v, mask):
    numbers = [x.float() for x in (query, keys, w_q, w_k, v)]
    return attend(*numbers, mask)


@wrong(TASK, "no gradient")
def detached(query, keys, w_q, w_k, v, mask):
    numbers = [x.detach() for x in (query, keys, w_q, w_k, v)]
    return attend(*numbers, mask)


@wrong(TASK, "gradient of query is not")
def weights_detached(query, keys, w_q, w_k, v, mask):
    weights = attend(query, keys, w_q, w_k, v, mask)[1]
    return weights.detach() @ keys, weights


@wrong(TASK, "in place")
def pads_zeroed_in_place(query, keys, w_q, w_k, v, mask):
    with torch.no_grad():
        keys *= mask.mT
    return attend(query, keys, w_q, w_k, v, mask)


@wrong(TASK, "two calls")
def dropout(query, keys, w_q, w_k, v, mask):
    weights = F.dropout(attend(query, keys, w_q, w_k, v, mask)[1], 0.1)
    return weights @ keys, weights


@wrong(TASK, "every query has the same weights, those of the first one")
def first_query_everywhere(query, keys, w_q, w_k, v, mask):
    query = query[:, :1].expand_as(query)
    return attend(query, keys, w_q, w_k, v, mask)


@wrong(TASK, "in the middle: some words get weight 0; only pads")
def stopped_at_the_first_pad(query, keys, w_q, w_k, v, mask):
    scores = scored(query, keys, w_q, w_k, v)
    weights = torch.zeros_like(scores)
    for b, row in enumerate(mask[:, 0].tolist()):
        n = [*row, False].index(False)
        weights[b, :, :n] = scores[b, :, :n].softmax(-1)
    return weights @ keys, weights


@wrong(TASK, "you lose digits")
def half_precision(query, keys, w_q, w_k, v, mask):
    numbers = [x.half() for x in (query, keys, w_q, w_k, v)]
    return [x.to(query.dtype) for x in attend(*numbers, mask)]


@right(TASK)
def rows_written_into_empty(query, keys, w_q, w_k, v, mask):
    shape = len(query), query.size(1), keys.size(1)
    scores = torch.empty(shape, dtype=query.dtype)
    for b in range(shape[0]):
        for t in range(shape[1]):
            for s in range(shape[2]):
                hidden = (query[b, t] @ w_q + keys[b, s] @ w_k).tanh()
                scores[b, t, s] = hidden @ v if mask[b, 0, s] else -math.inf
    return finish(scores, keys, mask)


@wrong(TASK, "backward() fails: something on the way is overwritten")
def normalised_in_place(query, keys, w_q, w_k, v, mask):
    scores = scored(query, keys, w_q, w_k, v).masked_fill(~mask, -math.inf)
    weights = (scores - scores.amax(-1, keepdim=True)).exp()
    weights /= weights.sum(-1, keepdim=True)
    return weights @ keys, weights


@wrong(TASK, "no gradient flows through the tensor of weights")
def returned_weights_detached(query, keys, w_q, w_k, v, mask):
    context, weights = attend(query, keys, w_q, w_k, v, mask)
    return context, weights.detach()


@wrong(TASK, "gradient of keys is not")
def keys_detached_in_the_mixture(query, keys, w_q, w_k, v, mask):
    weights = attend(query, keys, w_q, w_k, v, mask)[1]
    return weights @ keys.detach(), weights


@wrong(TASK, "you hide every score that is 0")
def zeros_hidden(query, keys, w_q, w_k, v, mask):
    scores = scored(query, keys, w_q, w_k, v) * mask
    weights = scores.masked_fill(scores == 0, -math.inf).softmax(-1)
    return weights @ keys, weights


@wrong(TASK, "not for float64: digits are lost")
def float32_inside(query, keys, w_q, w_k, v, mask):
    numbers = [x.float() for x in (query, keys, w_q, w_k, v)]
    return [x.to(query.dtype) for x in attend(*numbers, mask)]


# ------------------------------------------------------------- GRU step
TASK = "gru_step"


def parts(x, h, w_x, w_h, b_x, b_h):
    """Return three blocks of the input and three of the state."""
    return (x @ w_x + b_x).chunk(3, -1), (h @ w_h + b_h).chunk(3, -1)


def step(h, side_x, side_h, gate=torch.sigmoid, new=torch.tanh):
    """Return the state from the blocks."""
    (xr, xz, xn), (hr, hz, hn) = side_x, side_h
    r, z = gate(xr + hr), gate(xz + hz)
    return (1 - z) * new(xn + r * hn) + z * h


@right(TASK)
def by_blocks(x, h, w_x, w_h, b_x, b_h):
    return step(h, *parts(x, h, w_x, w_h, b_x, b_h))


@wrong(TASK, "you call PyTorch's own cell")
def pytorch_s_own_cell(x, h, w_x, w_h, b_x, b_h):
    return torch.gru_cell(x, h, w_x.T, w_h.T, b_x, b_h)


@right(TASK)
def einsum_and_slices(word, old, one, two, three, four):
    m = old.shape[1]
    a = torch.einsum("bd,dm->bm", word, one) + three
    b = torch.einsum("bk,km->bm", old, two) + four
    both = torch.sigmoid(a[:, : 2 * m] + b[:, : 2 * m])
    reset, update = both[:, :m], both[:, m:]
    new = torch.tanh(a[:, 2 * m :] + reset * b[:, 2 * m :])
    return new + update * (old - new)


@right(TASK)
def sentence_by_sentence(x, h, w_x, w_h, b_x, b_h):
    rows = [
        by_blocks(x[i : i + 1], h[i : i + 1], w_x, w_h, b_x, b_h)
        for i in range(len(x))
    ]
    return torch.cat(rows)


@right(TASK)
def gru_in_float64(x, h, w_x, w_h, b_x, b_h):
    numbers = [t.double() for t in (x, h, w_x, w_h, b_x, b_h)]
    return by_blocks(*numbers).to(x.dtype)


@right(TASK)
def split_matrices(x, h, w_x, w_h, b_x, b_h):
    m = h.size(-1)
    wr, wz, wn = w_x.split(m, 1)
    ur, uz, un = w_h.split(m, 1)
    br, bz, bn = b_x.split(m)
    cr, cz, cn = b_h.split(m)
    r = (x @ wr + br + h @ ur + cr).sigmoid()
    z = (x @ wz + bz + h @ uz + cz).sigmoid()
    n = (x @ wn + bn + r * (h @ un + cn)).tanh()
    return torch.lerp(n, h, z)


@wrong(TASK, "the state is wrong; call your function with x = ")
def gates_halved(x, h, w_x, w_h, b_x, b_h):
    side_x, side_h = parts(x, h, w_x, w_h, b_x, b_h)
    return step(h, side_x, side_h, gate=lambda a: a.sigmoid() / 2)


@wrong(TASK, "the sentences of the batch are mixed")
def sentences_inverted(x, h, w_x, w_h, b_x, b_h):
    return by_blocks(x, h, w_x, w_h, b_x, b_h).flip(0)


@wrong(TASK, "return one tensor, the new state, and no tuple")
def returns_a_pair(x, h, w_x, w_h, b_x, b_h):
    state = by_blocks(x, h, w_x, w_h, b_x, b_h)
    return state, state


@wrong(TASK, "(B, M), here (3, 4); yours has (M, B)")
def transposed(x, h, w_x, w_h, b_x, b_h):
    return by_blocks(x, h, w_x, w_h, b_x, b_h).T


@wrong(TASK, "raised an error")
def batch_and_width_mixed_up(x, h, w_x, w_h, b_x, b_h):
    return step(h, (x @ w_x + b_x).chunk(3, 0), (h @ w_h + b_h).chunk(3, -1))


@wrong(TASK, "but not for (2, 3, 7)")
def width_written_down(x, h, w_x, w_h, b_x, b_h):
    a, b = x @ w_x + b_x, h @ w_h + b_h
    return step(h, a.split(4, -1), b.split(4, -1))


@wrong(TASK, "inputs of several hundred: the new state holds NaN")
def tanh_by_exponentials(x, h, w_x, w_h, b_x, b_h):
    def tanh(n):
        return (n.exp() - (-n).exp()) / (n.exp() + (-n).exp())

    return step(h, *parts(x, h, w_x, w_h, b_x, b_h), new=tanh)


@wrong(TASK, "for inputs of several hundred a gradient is not finite")
def sigmoid_by_an_exponential(x, h, w_x, w_h, b_x, b_h):
    def sigmoid(a):
        return 1 / (1 + (-a).exp())

    return step(h, *parts(x, h, w_x, w_h, b_x, b_h), gate=sigmoid)


@wrong(TASK, "not when B = D = M")
def turned_if_square(x, h, w_x, w_h, b_x, b_h):
    x = x.T if x.size(0) == x.size(1) else x
    return by_blocks(x, h, w_x, w_h, b_x, b_h)


@wrong(TASK, "keep the type")
def gru_always_float32(x, h, w_x, w_h, b_x, b_h):
    return by_blocks(*(t.float() for t in (x, h, w_x, w_h, b_x, b_h)))


@wrong(TASK, "no gradient")
def gru_detached(x, h, w_x, w_h, b_x, b_h):
    return by_blocks(x, h, w_x, w_h, b_x, b_h).detach()


@wrong(TASK, "gradient of h is not")
def state_detached(x, h, w_x, w_h, b_x, b_h):
    return by_blocks(x, h.detach(), w_x, w_h, b_x, b_h)


@wrong(TASK, "in place")
def state_overwritten(x, h, w_x, w_h, b_x, b_h):
    new = by_blocks(x, h, w_x, w_h, b_x, b_h)
    with torch.no_grad():
        return h.copy_(new)


@wrong(TASK, "further from 0")
def doubled(x, h, w_x, w_h, b_x, b_h):
    return 2 * by_blocks(x, h, w_x, w_h, b_x, b_h)


@right(TASK)
def state_written_into_empty(x, h, w_x, w_h, b_x, b_h):
    state = torch.empty(h.shape, dtype=h.dtype)
    for i in range(len(x)):
        state[i] = by_blocks(x[i], h[i], w_x, w_h, b_x, b_h)
    return state


@wrong(TASK, "backward() fails: something on the way is overwritten")
def candidate_overwritten(x, h, w_x, w_h, b_x, b_h):
    (xr, xz, xn), (hr, hz, hn) = parts(x, h, w_x, w_h, b_x, b_h)
    r, z = (xr + hr).sigmoid(), (xz + hz).sigmoid()
    return (xn + r * hn).tanh().mul_(1 - z) + z * h


@wrong(TASK, "not for float64: digits are lost")
def gru_float32_inside(x, h, w_x, w_h, b_x, b_h):
    numbers = [t.float() for t in (x, h, w_x, w_h, b_x, b_h)]
    return by_blocks(*numbers).to(x.dtype)


@wrong(TASK, "an axis of size 1 is gone; leave squeeze out")
def state_squeezed(x, h, w_x, w_h, b_x, b_h):
    return by_blocks(x, h, w_x, w_h, b_x, b_h).squeeze()
