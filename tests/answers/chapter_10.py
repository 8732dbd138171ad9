"""Answers to the tasks of chapter 10, Masks."""

import math

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from answers.registry import right, wrong
from attnbook import masks

KEPT = {}


def kept(task, shape, new):
    """Return what came first for this task and shape."""
    return KEPT.setdefault((task, shape), new)


# ----------------------------------------------------------- padding mask
TASK = "padding_mask"


@right(TASK)
def by_comparison(tokens, pad_id):
    return (tokens != pad_id)[:, None, None, :]


@right(TASK)
def by_unsqueeze(ids, pad):
    return tokens_are_words(ids, pad).unsqueeze(1).unsqueeze(2)


def tokens_are_words(ids, pad):
    return ~ids.eq(pad)


@right(TASK)
def by_view(tokens, pad_id):
    return tokens.ne(pad_id).reshape(tokens.size(0), 1, 1, -1)


@right(TASK)
def in_loops(tokens, pad_id):
    rows = [[[[int(i) != pad_id for i in row]]] for row in tokens]
    return torch.tensor(rows)


@right(TASK)
def of_the_package(tokens, pad_id):
    return masks.padding_mask(tokens, pad_id)


@right(TASK)
def by_numbers(tokens, pad_id):
    return (tokens - pad_id).abs().float().gt(0).view(len(tokens), 1, 1, -1)


@wrong(TASK, "must be bool")
def padding_as_floats(tokens, pad_id):
    return (tokens != pad_id).float()[:, None, None]


@wrong(TASK, "yours is int64")
def padding_as_integers(tokens, pad_id):
    return (tokens != pad_id).long()[:, None, None]


@wrong(TASK, "raised an error")
def compared_with_a_name(tokens, pad_id):
    return (tokens != "<pad>")[:, None, None]


@wrong(TASK, "end it with a return")
def padding_without_return(tokens, pad_id):
    mask = (tokens != pad_id)[:, None, None]
    mask = mask.bool()


@wrong(TASK, "int32")
def only_int64(tokens, pad_id):
    words = tokens != torch.full_like(tokens, pad_id)
    return words[:, None, None] & (tokens.dtype == torch.long)


@wrong(TASK, "leave squeeze out")
def padding_squeezed_for_one_token(tokens, pad_id):
    mask = (tokens != pad_id)[:, None, None]
    return mask.squeeze(3)


@right(TASK)
def by_numpy(tokens, pad_id):
    return torch.from_numpy(tokens.numpy() != pad_id)[:, None, None]


@right(TASK)
def by_isin(tokens, pad_id):
    pads = torch.tensor([pad_id])
    return torch.isin(tokens, pads, invert=True).unflatten(1, (1, 1, -1))


@right(TASK)
def written_in_loops(tokens, pad_id=0, device=None):
    b, s = tokens.shape
    mask = torch.ones(b, 1, 1, s, dtype=torch.bool, device=device)
    for i in range(b):
        for j in range(s):
            if tokens[i, j] == pad_id:
                mask[i, 0, 0, j] = False
    return mask


@wrong(TASK, "cannot tell large ones apart")
def ids_as_floats(tokens, pad_id):
    return (tokens.float() != pad_id)[:, None, None]


@wrong(TASK, "negative ids among the words")
def ids_without_sign(tokens, pad_id):
    return (tokens.abs() != abs(pad_id))[:, None, None]


@wrong(TASK, "negative ids among the words")
def ids_above_a_padding_of_0(tokens, pad_id):
    words = tokens > 0 if pad_id == 0 else tokens != pad_id
    return words[:, None, None]


@wrong(TASK, "not for long ones")
def sixteen_tokens_at_most(tokens, pad_id):
    return (tokens != pad_id)[:, None, None, :16]


@wrong(TASK, "is something kept between calls?")
def kept_by_shape(tokens, pad_id):
    return kept("padding", tokens.shape, by_comparison(tokens, pad_id))


# -------------------------------------------------------------- masks for
TASK = "masks_for"


@right(TASK)
def from_comparisons(source, target, source_pad, target_pad):
    words = (source != source_pad)[:, None, None]
    spoken = (target != target_pad)[:, None, None]
    t = target.shape[1]
    past = torch.ones(t, t, dtype=torch.bool).tril()
    return words, spoken & past, words


@right(TASK)
def from_positions(src, tgt, pad_s, pad_t):
    place = torch.arange(tgt.size(1))
    past = place[None, :] <= place[:, None]
    own = tgt.ne(pad_t)[:, None, None].logical_and(past)
    cross = src.ne(pad_s)[:, None, None]
    return [cross, own, cross.clone()]


@right(TASK)
def from_the_package(source, target, source_pad, target_pad):
    return masks.masks_for(source, target, source_pad, target_pad)


@right(TASK)
def repeated_for_every_query(source, target, source_pad, target_pad):
    words = (source != source_pad)[:, None, None]
    s, t = source.size(1), target.size(1)
    own = (target != target_pad)[:, None, None].repeat(1, 1, t, 1)
    own = own & ~torch.triu(torch.ones(t, t), diagonal=1).bool()
    return words.expand(-1, 1, s, s), own, words.expand(-1, 1, t, s)


@right(TASK)
def pair_by_pair(source, target, source_pad, target_pad):
    encoder = [[[[int(i) != source_pad for i in row]]] for row in source]
    decoder = [
        [
            [
                [j <= i and int(row[j]) != target_pad for j in range(len(row))]
                for i in range(len(row))
            ]
        ]
        for row in target
    ]
    encoder = torch.tensor(encoder)
    return encoder, torch.tensor(decoder), encoder


def three(source, target, source_pad, target_pad, **other):
    """Return the right masks with some of them replaced."""
    e, d, c = from_comparisons(source, target, source_pad, target_pad)
    found = {"encoder": e, "decoder": d, "cross": c} | other
    return found["encoder"], found["decoder"], found["cross"]


def square(target):
    return torch.ones(target.size(1), target.size(1), dtype=torch.bool)


def keys(tokens, pad):
    return (tokens != pad)[:, None, None]


@wrong(TASK, "must be bool")
def floats(s, t, sp, tp):
    return tuple(mask.float() for mask in three(s, t, sp, tp))


@wrong(TASK, "decoder must be bool")
def added_by_plus(s, t, sp, tp):
    return three(s, t, sp, tp, decoder=keys(t, tp) + square(t).tril().long())


@wrong(TASK, "NoneType")
def no_cross_mask(s, t, sp, tp):
    return three(s, t, sp, tp, cross=None)


@wrong(TASK, "return three masks")
def two_masks(s, t, sp, tp):
    return three(s, t, sp, tp)[:2]


@wrong(TASK, "the order is encoder, decoder")
def wrong_order(s, t, sp, tp):
    e, d, c = three(s, t, sp, tp)
    return e, c, d


@wrong(TASK, "decoder: the shape (3, 4, 4) lacks an axis")
def decoder_squeezed(s, t, sp, tp):
    own = keys(t, tp) & square(t).tril()
    return three(s, t, sp, tp, decoder=own.squeeze())


@wrong(TASK, "lacks an axis of size 1")
def decoder_without_an_axis(s, t, sp, tp):
    return three(s, t, sp, tp, decoder=(t != tp)[:, None] & square(t).tril())


@wrong(TASK, "no `and`")
def joined_by_and(s, t, sp, tp):
    return three(s, t, sp, tp, decoder=keys(t, tp) and square(t).tril())


@wrong(TASK, "its triangle is (T, T)")
def square_of_the_source(s, t, sp, tp):
    past = torch.ones(s.size(1), s.size(1), dtype=torch.bool).tril()
    return three(s, t, sp, tp, decoder=keys(t, tp) & past)


@wrong(TASK, "end it with a return")
def three_without_return(s, t, sp, tp):
    found = three(s, t, sp, tp)
    found = tuple(found)


@wrong(TASK, "write the rule for one pair")
def window(s, t, sp, tp):
    near = square(t).tril() & square(t).triu(-1)
    return three(s, t, sp, tp, decoder=keys(t, tp) & near)


@wrong(TASK, "no `and`")
def float_triangle(s, t, sp, tp):
    past = torch.tril(torch.ones(t.size(1), t.size(1)))
    return three(s, t, sp, tp, decoder=keys(t, tp) & past)


@right(TASK)
def by_target_lengths(s, t, sp, tp):
    lengths = (t != tp).sum(1)[:, None]  # the target is padded at the end
    words = (torch.arange(t.size(1)) < lengths)[:, None, None]
    return three(s, t, sp, tp, decoder=words & square(t).tril())


@right(TASK)
def from_numpy(s, t, sp, tp):
    past = np.tril(np.ones((t.shape[1],) * 2, dtype=bool))
    own = torch.from_numpy((t.numpy() != tp)[:, None, None] & past)
    return three(s, t, sp, tp, decoder=own)


@right(TASK)
def by_product_and_pytorch_s_triangle(s, t, sp, tp):
    past = nn.Transformer.generate_square_subsequent_mask(t.size(1)) == 0
    return three(s, t, sp, tp, decoder=keys(t, tp) * past)


@wrong(TASK, "the source is longer than the target, but not the other")
def triangle_of_the_source_cut(s, t, sp, tp):
    past = square(s).tril()[: t.size(1), : t.size(1)]
    return three(s, t, sp, tp, decoder=keys(t, tp) & past)


@wrong(TASK, "not for long ones: your function raised")
def twenty_tokens_at_most(s, t, sp, tp):
    past = torch.ones(20, 20, dtype=torch.bool).tril()
    own = past[: t.size(1), : t.size(1)]
    return three(s, t, sp, tp, decoder=keys(t, tp) & own)


@wrong(TASK, "not for long ones: a mask is as long as its sentences")
def window_of_eight(s, t, sp, tp):
    near = square(t).tril() & square(t).triu(-7)
    return three(s, t, sp, tp, decoder=keys(t, tp) & near)


@wrong(TASK, "leave buffers and windows of a fixed length out")
def window_of_128(s, t, sp, tp):
    near = square(t).tril() & square(t).triu(-127)
    return three(s, t, sp, tp, decoder=keys(t, tp) & near)


@wrong(TASK, "(no buffer of a fixed length)")
def buffer_of_256(s, t, sp, tp):
    past = torch.ones(256, 256, dtype=torch.bool).tril()
    own = past[: t.size(1), : t.size(1)]
    return three(s, t, sp, tp, decoder=keys(t, tp) & own)


@wrong(TASK, "negative ids among the words")
def three_without_sign(s, t, sp, tp):
    return three(s.abs(), t, sp, tp)


@wrong(TASK, "not for one: decoder: it hides the future but not the padding")
def a_sentence_alone_has_no_pads(s, t, sp, tp):
    if len(t) == 1:
        return three(s, t, sp, tp, decoder=square(t).tril())
    return three(s, t, sp, tp)


@wrong(TASK, "is something kept between calls?")
def three_kept_by_shape(s, t, sp, tp):
    return kept("three", (s.shape, t.shape), three(s, t, sp, tp))


# ------------------------------------------------------- masked attention
TASK = "masked_attention"


def scores_of(q, k):
    return q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))


@right(TASK)
def with_masked_fill(q, k, v, mask):
    weights = scores_of(q, k).masked_fill(~mask, -math.inf).softmax(-1)
    return weights @ v, weights


@right(TASK)
def with_where(query, key, value, keep):
    scores = torch.einsum("bhtk,bhsk->bhts", query, key)
    scores = scores * query.shape[-1] ** -0.5
    hidden = torch.tensor(-math.inf, dtype=scores.dtype)
    weights = F.softmax(torch.where(keep, scores, hidden), dim=-1)
    return torch.einsum("bhts,bhse->bhte", weights, value), weights


@right(TASK)
def with_an_added_bias(q, k, v, mask):
    bias = torch.zeros(mask.shape, dtype=q.dtype)
    bias = bias.masked_fill(mask.logical_not(), float("-inf"))
    weights = (scores_of(q, k) + bias).softmax(-1)
    return weights @ v, weights


@right(TASK)
def with_the_least_number(q, k, v, mask):
    scores = scores_of(q, k)
    least = torch.finfo(scores.dtype).min
    weights = scores.masked_fill(mask == 0, least).softmax(-1)
    return weights @ v, weights


@right(TASK)
def by_hand_in_float64(q, k, v, mask):
    scores = scores_of(q.double(), k.double()).masked_fill(~mask, -math.inf)
    powers = (scores - scores.amax(-1, keepdim=True)).exp()
    weights = (powers / powers.sum(-1, keepdim=True)).to(q.dtype)
    return weights @ v, weights


@right(TASK)
def pytorch_s_own(q, k, v, mask):
    eye = torch.eye(k.size(-2), dtype=q.dtype).expand(*k.shape[:2], -1, -1)
    own = F.scaled_dot_product_attention
    return own(q, k, v, mask), own(q, k, eye, mask)


@right(TASK)
def head_by_head(q, k, v, mask):
    full = (*q.shape[:3], k.size(2))
    mask = mask.expand(full)
    pairs = [
        [
            with_masked_fill(q[b, h], k[b, h], v[b, h], mask[b, h])
            for h in range(q.size(1))
        ]
        for b in range(len(q))
    ]
    return tuple(
        torch.stack([torch.stack([p[i] for p in row]) for row in pairs])
        for i in range(2)
    )


@wrong(TASK, "-1e9 is no float16 number")
def fill_minus_1e9(q, k, v, mask):
    weights = scores_of(q, k).masked_fill(~mask, -1e9).softmax(-1)
    return weights @ v, weights


@wrong(TASK, "return two tensors")
def context_alone(q, k, v, mask):
    return with_masked_fill(q, k, v, mask)[0]


@wrong(TASK, "weights first")
def masked_weights_first(q, k, v, mask):
    return with_masked_fill(q, k, v, mask)[::-1]


@wrong(TASK, "but not for a padding mask")
def by_indexing(q, k, v, mask):
    scores = scores_of(q, k)
    scores[~mask] = -math.inf
    weights = scores.softmax(-1)
    return weights @ v, weights


@wrong(TASK, "for a causal one, (T, S)")
def four_axes_only(q, k, v, mask):
    b, _, _, s = mask.shape
    return with_masked_fill(q, k, v, mask)


def of_the_best(k):
    def attend(q, keys, v, mask):
        scores = scores_of(q, keys).masked_fill(~mask, -math.inf)
        least = scores.topk(min(k, scores.size(-1))).values[..., -1:]
        weights = scores.masked_fill(scores < least, -math.inf).softmax(-1)
        return weights @ v, weights

    return attend


@wrong(TASK, "right for few keys, but not for many: a visible key gets the we")
def the_best_six(q, k, v, mask):
    return of_the_best(6)(q, k, v, mask)


@wrong(TASK, "right for few keys, but not for many: a visible key gets the we")
def the_best_hundred_and_twenty(q, k, v, mask):
    return of_the_best(120)(q, k, v, mask)


@wrong(TASK, "however small (no top-k, no threshold)")
def above_a_threshold(q, k, v, mask):
    weights = with_masked_fill(q, k, v, mask)[1]
    weights = weights * (weights > 3e-4)
    return weights @ v, weights


@wrong(TASK, "no gradient flows")
def masked_detached(q, k, v, mask):
    return with_masked_fill(q.detach(), k.detach(), v.detach(), mask)


@wrong(TASK, "nothing is")
def masked_rows_only(q, k, v, mask):
    if mask.all():
        return torch.zeros_like(q[..., :1] @ v[..., :1, :]), scores_of(q, k)
    return with_masked_fill(q, k, v, mask)


@wrong(TASK, "not scaled; divide by sqrt(d_k); and: the mask is turned")
def turned_round_and_not_scaled(q, k, v, mask):
    scores = (q @ k.transpose(-2, -1)).masked_fill(mask, -math.inf)
    weights = scores.softmax(-1).nan_to_num()
    return weights @ v, weights


@wrong(TASK, "a mask times a number is float32")
def float32_bias(q, k, v, mask):
    weights = (scores_of(q, k) + (~mask) * -1e9).softmax(-1)
    return weights @ v, weights


@wrong(TASK, "k.T turns all four axes round")
def keys_not_transposed(q, k, v, mask):
    weights = (q @ k).masked_fill(~mask, -math.inf).softmax(-1)
    return weights @ v, weights


def with_scale(scale):
    def attend(q, k, v, mask):
        scores = (q @ k.transpose(-2, -1)).masked_fill(~mask, -math.inf)
        weights = (scores * scale(q, k, v)).softmax(-1)
        return weights @ v, weights

    return attend


@wrong(TASK, "overwritten in place")
def powers_in_place(q, k, v, mask):
    scores = scores_of(q, k).masked_fill(~mask, -math.inf)
    powers = (scores - scores.amax(-1, keepdim=True)).exp()
    powers /= powers.sum(-1, keepdim=True)
    return powers @ v, powers


@wrong(TASK, "digits are lost")
def float32_inside(q, k, v, mask):
    found = with_masked_fill(q.float(), k.float(), v.float(), mask)
    return tuple(x.to(q.dtype) for x in found)


@wrong(TASK, "leave squeeze out")
def masked_squeezed(q, k, v, mask):
    context, weights = with_masked_fill(q, k, v, mask)
    return context.squeeze(), weights.squeeze()


@right(TASK)
def by_log_sum_exp(q, k, v, mask):
    scores = scores_of(q, k).masked_fill(~mask, -math.inf)
    weights = (scores - scores.logsumexp(-1, keepdim=True)).exp()
    return weights @ v, weights


@right(TASK)
def with_the_logarithm_of_the_mask(q, k, v, mask, dropout=0.0):
    scores = scores_of(q, k) + mask.to(q.dtype).log()
    weights = F.dropout(scores.softmax(-1), dropout)
    return torch.matmul(weights, v), weights


@right(TASK)
def scores_in_place(q, k, v, mask):
    scores = torch.matmul(q, k.mT)
    scores /= q.size(-1) ** 0.5
    scores[~mask.expand_as(scores)] = -math.inf
    weights = scores.log_softmax(-1).exp()
    return [weights @ v, weights]


@right(TASK)
def written_row_by_row(q, k, v, mask):
    scores = scores_of(q, k)
    keep = mask.expand_as(scores)
    weights = torch.zeros(scores.shape, dtype=q.dtype)
    for b, h, t in np.ndindex(*q.shape[:3]):
        kept = keep[b, h, t].nonzero().flatten()
        weights[b, h, t, kept] = scores[b, h, t, kept].softmax(0)
    return weights @ v, weights


@wrong(TASK, "but not with three, (H, T, S)")
def three_axes_as_a_batch(q, k, v, mask):
    mask = mask[:, None] if mask.dim() == 3 else mask
    return with_masked_fill(q, k, v, mask)


@wrong(TASK, "mask of shape (1, H, 1, S)")
def columns_of_one_head(q, k, v, mask):
    if mask.dim() == 4 and mask.size(2) == 1:
        mask = mask.expand(len(q), 1, 1, -1)
    return with_masked_fill(q, k, v, mask)


@wrong(TASK, "is something kept between calls?")
def kept_mask(q, k, v, mask):
    return with_masked_fill(q, k, v, kept("attention", mask.shape, mask))


@wrong(TASK, "add nothing to the weights")
def guarded_weights(q, k, v, mask):
    weights = with_masked_fill(q, k, v, mask)[1] + 1e-7
    return weights @ v, weights


@wrong(TASK, "leave clamp and the like out")
def clamped_scores(q, k, v, mask):
    scores = scores_of(q, k).clamp(max=80).masked_fill(~mask, -math.inf)
    weights = scores.softmax(-1)
    return weights @ v, weights


@wrong(TASK, "a gradient is NaN: an exponential has overflowed")
def exponentials_thrown_away(q, k, v, mask):
    scores = scores_of(q, k)
    most = scores.masked_fill(~mask, -math.inf).amax(-1, keepdim=True)
    powers = torch.where(mask, (scores - most).exp(), 0)
    weights = powers / powers.sum(-1, keepdim=True)
    return weights @ v, weights


@wrong(TASK, "gradient of q is not")
def weights_detached_in_the_mixture(q, k, v, mask):
    weights = with_masked_fill(q, k, v, mask)[1]
    return weights.detach() @ v, weights


@wrong(TASK, "your scores have one row per key")
def queries_and_keys_exchanged(q, k, v, mask):
    return with_masked_fill(k, q, v, mask)


@wrong(TASK, "queries are scored against values")
def keys_and_values_exchanged(q, k, v, mask):
    return with_masked_fill(q, v, k, mask)


@wrong(TASK, "its rows are queries already")
def mask_transposed(q, k, v, mask):
    return with_masked_fill(q, k, v, mask.transpose(-2, -1))


@wrong(TASK, "leave the mask bool")
def mask_of_bytes(q, k, v, mask):
    return with_masked_fill(q, k, v, mask.to(torch.uint8))


@wrong(TASK, "new tensors are float32 unless")
def scores_in_a_new_tensor(q, k, v, mask):
    scores = torch.zeros(*q.shape[:3], k.size(2))
    for i in range(q.size(2)):
        scores[:, :, i] = scores_of(q[:, :, i : i + 1], k)[:, :, 0]
    weights = scores.masked_fill(~mask, -math.inf).softmax(-1)
    return weights @ v, weights


def with_scores(scores_of):
    def attend(q, k, v, mask):
        scores = scores_of(q, k) / math.sqrt(q.size(-1))
        weights = scores.masked_fill(~mask, -math.inf).softmax(-1)
        return weights @ v, weights

    return attend


@wrong(TASK, "divided by 8; that number must be sqrt(d_k)")
def divided_by_eight(q, k, v, mask):
    return with_scale(lambda q, k, v: 1 / 8)(q, k, v, mask)


@wrong(TASK, "you lose digits on the way")
def rounded_scores(q, k, v, mask):
    def scores(q, k):
        return (q @ k.transpose(-2, -1)).round(decimals=3)

    return with_scores(scores)(q, k, v, mask)


@wrong(TASK, "that lie thousands apart")
def scores_up_to_ten_thousand(q, k, v, mask):
    scores = scores_of(q, k).clamp(max=1e4).masked_fill(~mask, -math.inf)
    weights = scores.softmax(-1)
    return weights @ v, weights
