"""Answers to the tasks of chapter 6, Self-attention."""

import math

import torch
import torch.nn.functional as F

from answers.registry import right, wrong

TASK = "self_attention"


def attend(q, k, v, factor=None, dim=-1):
    """Return context and weights with a factor and an axis of choice."""
    factor = q.size(-1) ** -0.5 if factor is None else factor
    weights = (q @ k.mT * factor).softmax(dim=dim)
    return weights @ v, weights


# ---------------------------------------------------------------- right
@right(TASK)
def in_matrices(x, w_q, w_k, w_v):
    return attend(x @ w_q, x @ w_k, x @ w_v)


@right(TASK)
def einsum(words, queries, keys, values):
    q = torch.einsum("...td,dk->...tk", words, queries)
    k = torch.einsum("...sd,dk->...sk", words, keys)
    v = torch.einsum("...sd,de->...se", words, values)
    scores = torch.einsum("...tk,...sk->...ts", q, k)
    weights = F.softmax(scores / q.shape[-1] ** 0.5, dim=-1)
    return [torch.einsum("...ts,...sv->...tv", weights, v), weights]


@right(TASK)
def word_by_word(x, w_q, w_k, w_v):
    if x.dim() == 3:
        pairs = [word_by_word(s, w_q, w_k, w_v) for s in x]
        return tuple(torch.stack(part) for part in zip(*pairs, strict=True))
    rows = []
    for word in x:
        query = word @ w_q
        scores = torch.stack([query @ (other @ w_k) for other in x])
        rows.append((scores / math.sqrt(len(query))).softmax(0))
    weights = torch.stack(rows)
    return weights @ (x @ w_v), weights


@right(TASK)
def values_projected_after_mixing(x, w_q, w_k, w_v):
    weights = attend(x @ w_q, x @ w_k, x)[1]
    return (weights @ x) @ w_v, weights


@right(TASK)
def one_matrix_between_the_words(x, w_q, w_k, w_v):
    between = w_q @ w_k.T / w_q.size(1) ** 0.5
    weights = (x @ between @ x.mT).softmax(-1)
    return weights @ x @ w_v, weights


@right(TASK)
def projected_at_once_then_split(x, w_q, w_k, w_v):
    sizes = [w.size(1) for w in (w_q, w_k, w_v)]
    return attend(*(x @ torch.cat([w_q, w_k, w_v], 1)).split(sizes, -1))


@right(TASK)
def float64_inside(x, w_q, w_k, w_v):
    dtype = x.dtype
    x, w_q, w_k, w_v = (t.double() for t in (x, w_q, w_k, w_v))
    context, weights = attend(x @ w_q, x @ w_k, x @ w_v)
    return context.to(dtype), weights.to(dtype)


@right(TASK)
def pytorch_s_own(x, w_q, w_k, w_v):
    q, k, v = (F.linear(x, w.T) for w in (w_q, w_k, w_v))
    weights = torch.softmax(
        q @ k.transpose(-1, -2) / math.sqrt(q.size(-1)), -1
    )
    return F.scaled_dot_product_attention(q, k, v), weights


# ---------------------------------------------------------------- wrong
FACTORS = {
    "not_scaled": ("not scaled", lambda x, k, v: 1),
    "over_d_k": ("divide by d_k", lambda x, k, v: 1 / k.size(-1)),
    "times_root": ("multiply by sqrt(d_k)", lambda x, k, v: k.size(-1) ** 0.5),
    "root_of_d_model": ("sqrt(D)", lambda x, k, v: x.size(-1) ** -0.5),
    "root_of_words": ("sqrt(T)", lambda x, k, v: x.size(-2) ** -0.5),
    "root_of_values": ("sqrt(E)", lambda x, k, v: v.size(-1) ** -0.5),
    "root_twice": ("root of d_k twice", lambda x, k, v: k.size(-1) ** -0.25),
    "always_8": ("you divide by 8", lambda x, k, v: 1 / 8),
    "minus": ("sign of the scores", lambda x, k, v: -(k.size(-1) ** -0.5)),
    "precedence": ("write d_k ** 0.5", lambda x, k, v: 2 / k.size(-1)),
    "nothing": ("scores are not used", lambda x, k, v: 0),
}
for name, (words, scale) in FACTORS.items():

    def answer(x, w_q, w_k, w_v, scale=scale):
        return attend(x @ w_q, x @ w_k, x @ w_v, scale(x, w_k, w_v))

    answer.__name__ = name
    wrong(TASK, words)(answer)


@wrong(TASK, "queries and keys are exchanged")
def queries_and_keys_exchanged(x, w_q, w_k, w_v):
    return attend(x @ w_k, x @ w_q, x @ w_v)


@wrong(TASK, "queries against queries")
def w_q_for_both(x, w_q, w_k, w_v):
    return attend(x @ w_q, x @ w_q, x @ w_v)


@wrong(TASK, "keys against keys")
def w_k_for_both(x, w_q, w_k, w_v):
    return attend(x @ w_k, x @ w_k, x @ w_v)


@wrong(TASK, "without projections; project first")
def not_projected(x, w_q, w_k, w_v):
    return attend(x, x, x @ w_v, w_q.size(1) ** -0.5)


@wrong(TASK, "root of its width; project first")
def not_projected_scaled_by_the_width_of_x(x, w_q, w_k, w_v):
    return attend(x, x, x @ w_v)


@wrong(TASK, "cosine")
def cosine(x, w_q, w_k, w_v):
    q, k = (F.normalize(x @ w, dim=-1) for w in (w_q, w_k))
    return attend(q, k, x @ w_v, 1)


@wrong(TASK, "reshape the keys")
def keys_reshaped(x, w_q, w_k, w_v):
    k = x @ w_k
    k = k.reshape(*k.shape[:-2], k.size(-1), k.size(-2))
    weights = (x @ w_q @ k / w_q.size(1) ** 0.5).softmax(-1)
    return weights @ (x @ w_v), weights


@wrong(TASK, "do not exchange q and k and turn")
def exchanged_and_turned(x, w_q, w_k, w_v):
    weights = attend(x @ w_k, x @ w_q, x @ w_v)[1].mT
    return weights @ (x @ w_v), weights


@wrong(TASK, "normalise the last axis of q @ k.transpose(-2, -1)")
def softmax_over_queries(x, w_q, w_k, w_v):
    return attend(x @ w_q, x @ w_k, x @ w_v, dim=-2)


@wrong(TASK, "over the batch")
def softmax_over_batch(x, w_q, w_k, w_v):
    return attend(x @ w_q, x @ w_k, x @ w_v, dim=0)


@wrong(TASK, "over a whole sentence")
def softmax_over_the_matrix(x, w_q, w_k, w_v):
    scores = (x @ w_q) @ (x @ w_k).mT / w_q.size(1) ** 0.5
    weights = scores.flatten(-2).softmax(-1).view_as(scores)
    return weights @ (x @ w_v), weights


@wrong(TASK, "over the whole batch")
def softmax_over_everything(x, w_q, w_k, w_v):
    powers = ((x @ w_q) @ (x @ w_k).mT / w_q.size(1) ** 0.5).exp()
    weights = powers / powers.sum()
    return weights @ (x @ w_v), weights


@wrong(TASK, "weights are transposed")
def weights_transposed(x, w_q, w_k, w_v):
    context, weights = in_matrices(x, w_q, w_k, w_v)
    return context, weights.mT


@wrong(TASK, "scaled scores in place")
def no_softmax(x, w_q, w_k, w_v):
    scores = (x @ w_q) @ (x @ w_k).mT / w_q.size(1) ** 0.5
    return scores @ (x @ w_v), scores


@wrong(TASK, "raw scores in place")
def raw_scores(x, w_q, w_k, w_v):
    scores = (x @ w_q) @ (x @ w_k).mT
    return scores @ (x @ w_v), scores


@wrong(TASK, "softmax twice")
def softmax_twice(x, w_q, w_k, w_v):
    weights = in_matrices(x, w_q, w_k, w_v)[1].softmax(-1)
    return weights @ (x @ w_v), weights


@wrong(TASK, "sigmoid")
def sigmoid(x, w_q, w_k, w_v):
    weights = ((x @ w_q) @ (x @ w_k).mT / w_q.size(1) ** 0.5).sigmoid()
    return weights @ (x @ w_v), weights


@wrong(TASK, "scores by their sum")
def divided_by_the_sum(x, w_q, w_k, w_v):
    scores = (x @ w_q) @ (x @ w_k).mT / w_q.size(1) ** 0.5
    weights = scores / scores.sum(-1, keepdim=True)
    return weights @ (x @ w_v), weights


@wrong(TASK, "after the softmax")
def scaled_after_softmax(x, w_q, w_k, w_v):
    weights = attend(x @ w_q, x @ w_k, x @ w_v, 1)[1] / w_q.size(1) ** 0.5
    return weights @ (x @ w_v), weights


@wrong(TASK, "best key")
def one_hot(x, w_q, w_k, w_v):
    best = ((x @ w_q) @ (x @ w_k).mT).argmax(-1)
    weights = F.one_hot(best, x.size(-2)).to(x.dtype)
    return weights @ (x @ w_v), weights


@wrong(TASK, "no mask")
def causal(x, w_q, w_k, w_v):
    scores = (x @ w_q) @ (x @ w_k).mT / w_q.size(1) ** 0.5
    past = torch.ones_like(scores).tril().bool()
    weights = scores.masked_fill(~past, -math.inf).softmax(-1)
    return weights @ (x @ w_v), weights


@wrong(TASK, "may attend to itself")
def not_to_itself(x, w_q, w_k, w_v):
    scores = (x @ w_q) @ (x @ w_k).mT / w_q.size(1) ** 0.5
    me = torch.eye(x.size(-2)).bool()
    weights = scores.masked_fill(me, -math.inf).softmax(-1)
    return weights @ (x @ w_v), weights


@wrong(TASK, "mix the keys, by which")
def keys_mixed(x, w_q, w_k, w_v):
    k = x @ w_k
    weights = attend(x @ w_q, k, k)[1]
    return weights @ k, weights


@wrong(TASK, "mix the queries")
def queries_mixed(x, w_q, w_k, w_v):
    weights = in_matrices(x, w_q, w_k, w_v)[1]
    return weights @ x @ w_q, weights


@wrong(TASK, "leave out w_v")
def v_left_out(x, w_q, w_k, w_v):
    return attend(x @ w_q, x @ w_k, x)


@wrong(TASK, "with the weights transposed")
def mixed_the_other_way(x, w_q, w_k, w_v):
    weights = in_matrices(x, w_q, w_k, w_v)[1]
    return weights.mT @ (x @ w_v), weights


@wrong(TASK, "mix with the scores")
def scores_mixed(x, w_q, w_k, w_v):
    scores = (x @ w_q) @ (x @ w_k).mT / w_q.size(1) ** 0.5
    return scores @ (x @ w_v), scores.softmax(-1)


@wrong(TASK, "unscaled ones")
def mixed_with_other_weights(x, w_q, w_k, w_v):
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    return attend(q, k, v, 1)[0], attend(q, k, v)[1]


@wrong(TASK, "values unmixed")
def values_unmixed(x, w_q, w_k, w_v):
    return x @ w_v, in_matrices(x, w_q, w_k, w_v)[1]


@wrong(TASK, "without looking at the weights")
def mean_of_values(x, w_q, w_k, w_v):
    v = x @ w_v
    mean = v.mean(-2, keepdim=True).expand_as(v)
    return mean, in_matrices(x, w_q, w_k, w_v)[1]


@wrong(TASK, "scale the context too")
def context_scaled(x, w_q, w_k, w_v):
    context, weights = in_matrices(x, w_q, w_k, w_v)
    return context / w_q.size(1) ** 0.5, weights


@wrong(TASK, "add the values")
def values_added(x, w_q, w_k, w_v):
    context, weights = in_matrices(x, w_q, w_k, w_v)
    return context + x @ w_v, weights


@wrong(TASK, "average the context")
def one_context_for_the_sentence(x, w_q, w_k, w_v):
    context, weights = in_matrices(x, w_q, w_k, w_v)
    return context.mean(-2), weights


@wrong(TASK, "values of the first sentence")
def values_of_the_first_sentence(x, w_q, w_k, w_v):
    weights = in_matrices(x, w_q, w_k, w_v)[1]
    v = x @ w_v
    return weights @ (v[:1] if x.dim() == 3 else v), weights


@wrong(TASK, "weights of the first one")
def weights_of_the_first_sentence(x, w_q, w_k, w_v):
    weights = in_matrices(x, w_q, w_k, w_v)[1]
    if x.dim() == 3:
        weights = weights[:1].expand_as(weights)
    return weights @ (x @ w_v), weights


@wrong(TASK, "across the batch")
def sequence_first(x, w_q, w_k, w_v):
    context, weights = in_matrices(x.transpose(0, 1), w_q, w_k, w_v)
    return context.transpose(0, 1), weights


@wrong(TASK, "across the batch")
def one_long_sentence(x, w_q, w_k, w_v):
    context, weights = in_matrices(x.flatten(0, -2), w_q, w_k, w_v)
    return context.view(*x.shape[:-1], -1), weights


@wrong(TASK, "whole sentences attend to each other")
def sentences_attend(x, w_q, w_k, w_v):
    return in_matrices(x.mean(-2), w_q, w_k, w_v)


@wrong(TASK, "leave the batch in front")
def one_sentence_only(x, w_q, w_k, w_v):
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    weights = (q @ k.T / math.sqrt(q.shape[1])).softmax(dim=1)
    return weights @ v, weights


@wrong(TASK, "but not for one sentence (T, D)")
def batch_only(x, w_q, w_k, w_v):
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    weights = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(q.size(2))
    weights = weights.softmax(dim=2)
    return torch.bmm(weights, v), weights


@wrong(TASK, "nothing added")
def words_added(x, w_q, w_k, w_v):
    context, weights = in_matrices(x, w_q, w_k, w_v)
    return x + context, weights


@wrong(TASK, "weights @ v, in this order")
def mixed_in_the_wrong_order(x, w_q, w_k, w_v):
    weights = in_matrices(x, w_q, w_k, w_v)[1]
    return x @ w_v @ weights, weights


@wrong(TASK, "queries are scored against values")
def scored_against_values(x, w_q, w_k, w_v):
    return attend(x @ w_q, x @ w_v, x @ w_v)


@wrong(TASK, "without a transpose")
def projections_transposed(x, w_q, w_k, w_v):
    return in_matrices(x, w_q.T, w_k.T, w_v.T)


@wrong(TASK, "'float' object has no attribute 'softmax'")
def softmax_of_the_root(x, w_q, w_k, w_v):
    scores = (x @ w_q) @ (x @ w_k).mT
    weights = scores / math.sqrt(w_q.size(1)).softmax(-1)
    return weights @ (x @ w_v), weights


@wrong(TASK, "must be Tensor, not int")
def root_of_a_number(x, w_q, w_k, w_v):
    scores = (x @ w_q) @ (x @ w_k).mT
    weights = (scores / torch.sqrt(w_q.size(1))).softmax(-1)
    return weights @ (x @ w_v), weights


@wrong(TASK, "in the product of q and k, use k.transpose(-2, -1)")
def keys_not_transposed(x, w_q, w_k, w_v):
    weights = ((x @ w_q) @ (x @ w_k) / w_q.size(1) ** 0.5).softmax(-1)
    return weights @ (x @ w_v), weights


@wrong(TASK, "not when they are all equal")
def transposed_only_if_it_must(x, w_q, w_k, w_v):
    q, k = x @ w_q, x @ w_k
    k = k if k.size(-2) == q.size(-1) else k.mT
    weights = (q @ k / w_q.size(1) ** 0.5).softmax(-1)
    return weights @ (x @ w_v), weights


@wrong(TASK, "you transpose the projections")
def as_a_linear_layer_when_it_fits(x, w_q, w_k, w_v):
    if w_q.size(0) == w_q.size(1):
        w_q, w_k, w_v = w_q.T, w_k.T, w_v.T
    return in_matrices(x, w_q, w_k, w_v)


@wrong(TASK, "add x to the context")
def residual_when_it_fits(x, w_q, w_k, w_v):
    context, weights = in_matrices(x, w_q, w_k, w_v)
    return context + x if context.shape == x.shape else context, weights


@wrong(TASK, "weights first")
def returned_in_the_wrong_order(x, w_q, w_k, w_v):
    return in_matrices(x, w_q, w_k, w_v)[::-1]


@wrong(TASK, "return two tensors")
def context_only(x, w_q, w_k, w_v):
    return in_matrices(x, w_q, w_k, w_v)[0]


@wrong(TASK, "several hundred: the weights hold NaN, because e to such a")
def softmax_without_max(x, w_q, w_k, w_v):
    powers = ((x @ w_q) @ (x @ w_k).mT / w_q.size(1) ** 0.5).exp()
    weights = powers / powers.sum(-1, keepdim=True)
    return weights @ (x @ w_v), weights


@wrong(TASK, "do not sum to 1")
def exponential_only(x, w_q, w_k, w_v):
    weights = ((x @ w_q) @ (x @ w_k).mT / w_q.size(1) ** 0.5).exp()
    return weights @ (x @ w_v), weights


@wrong(TASK, "keep the type")
def always_float32(x, w_q, w_k, w_v):
    return in_matrices(*(t.float() for t in (x, w_q, w_k, w_v)))


@wrong(TASK, "no gradient")
def detached(x, w_q, w_k, w_v):
    return in_matrices(*(t.detach() for t in (x, w_q, w_k, w_v)))


@wrong(TASK, "gradient of w_k is not")
def keys_detached(x, w_q, w_k, w_v):
    return in_matrices(x, w_q, w_k.detach(), w_v)


@wrong(TASK, "in place")
def scaled_in_place(x, w_q, w_k, w_v):
    with torch.no_grad():
        w_q /= w_q.size(1) ** 0.5
    return attend(x @ w_q, x @ w_k, x @ w_v, 1)


@wrong(TASK, "two calls")
def dropout(x, w_q, w_k, w_v):
    weights = F.dropout(in_matrices(x, w_q, w_k, w_v)[1], 0.1)
    return weights @ (x @ w_v), weights


@wrong(TASK, "you lose digits")
def rounded(x, w_q, w_k, w_v):
    context, weights = in_matrices(x, w_q, w_k, w_v)
    return context, (weights * 1000).round() / 1000


@wrong(TASK, "but not for (4, 6, 3, 8, 2)")
def width_written_down(x, w_q, w_k, w_v):
    return attend(x @ w_q, x @ w_k, x @ w_v, 7**-0.5)


@wrong(TASK, "end it with a return")
def forgotten_return(x, w_q, w_k, w_v):
    context, weights = in_matrices(x, w_q, w_k, w_v)


# ----------------------------------------------------------- batch test
TASK = "batch_test"


def moves(attend_, x, sentence, word, least=1e-6, step=1.0):
    """Return which words move when one changes, bool, (B, T)."""
    changed = x.clone()
    changed[sentence, word] += step
    return (attend_(changed) - attend_(x)).abs().amax(-1) > least


def own_sentence_only(attend_, shape=(3, 5, 8), cells=None, **how):
    """Say whether changes move their own sentences, and those alone."""
    x = torch.randn(shape, generator=torch.Generator().manual_seed(0))
    for b, t in cells or [(b, t) for b in range(3) for t in range(5)]:
        want = torch.zeros(shape[:2], dtype=torch.bool)
        want[b] = True
        if not torch.equal(moves(attend_, x, b, t, **how), want):
            return False
    return True


@right(TASK)
def every_word_in_turn(attend_):
    return own_sentence_only(attend_)


@right(TASK)
def four_corners(attend_):
    cells = (0, 0), (0, 4), (2, 0), (2, 4)
    return own_sentence_only(attend_, cells=cells, least=1e-5)


@right(TASK)
def in_float64(attend_):
    return own_sentence_only(lambda x: attend_(x.double()), step=2.0)


@right(TASK)
def by_autograd(attend_):
    x = torch.randn(2, 3, 4)
    slopes = torch.autograd.functional.jacobian(attend_, x)
    reads = slopes.abs().amax((2, 5)) > 1e-5  # (B, T, B, T)
    own = torch.eye(2)[:, None, :, None].expand(2, 3, 2, 3) > 0
    return torch.equal(reads, own)


@wrong(TASK, "attention across the batch")
def shapes_alone(attend_):
    return attend_(torch.randn(3, 5, 8)).shape == (3, 5, 8)


@wrong(TASK, "attention across the batch")
def the_colleague_s(attend_):
    x = torch.randn(1, 5, 8)
    return bool(moves(attend_, x, 0, 0).any())


@wrong(TASK, "draw more than one sentence")
def a_batch_of_one(attend_):
    x = torch.randn(1, 5, 8)
    return all(bool(moves(attend_, x, 0, t).all()) for t in (0, 4))


@wrong(TASK, "keys of the first")
def never_the_first_sentence(attend_):
    return own_sentence_only(attend_, cells=[(2, 0), (2, 4)])


@wrong(TASK, "values of the last")
def the_first_sentence_only(attend_):
    x = torch.randn(3, 5, 8)
    return all(
        not moves(attend_, x, 0, t)[1:].any()
        and bool(moves(attend_, x, 0, t)[0].all())
        for t in (0, 4)
    )


@wrong(TASK, "a small leak")
def coarse(attend_):
    return own_sentence_only(attend_, least=5e-3, step=5.0)


@wrong(TASK, "moves nothing but the changed word")
def others_only(attend_):
    x = torch.randn(3, 5, 8)
    return not any(moves(attend_, x, b, 0)[b - 1].any() for b in range(3))


@wrong(TASK, "hides the later words")
def first_word_only(attend_):
    return own_sentence_only(attend_, cells=[(b, 0) for b in range(3)])


@wrong(TASK, "hides the earlier words")
def last_word_only(attend_):
    return own_sentence_only(attend_, cells=[(b, 4) for b in range(3)])


@wrong(TASK, "last digits differ from call to call")
def exactly_equal(attend_):
    return own_sentence_only(attend_, least=0.0)


@wrong(TASK, "turn it round")
def the_wrong_way_round(attend_):
    return not own_sentence_only(attend_)


@wrong(TASK, "refuses every attention")
def nothing_may_move(attend_):
    return not moves(attend_, torch.randn(3, 5, 8), 1, 0).any()


@wrong(TASK, "instead")
def asserts(attend_):
    assert own_sentence_only(attend_)
    return True


@wrong(TASK, "return True or False")
def returns_a_tensor(attend_):
    return moves(attend_, torch.randn(3, 5, 8), 1, 0)


@wrong(TASK, "of shape (B, T, D)")
def queries_keys_values(attend_):
    x = torch.randn(3, 5, 8)
    return attend_(x, x, x).shape == x.shape


@wrong(TASK, "of shape (B, T, D)")
def one_sentence(attend_):
    return attend_(torch.randn(5, 8)).shape == (5, 8)
