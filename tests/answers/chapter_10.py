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


@wrong(TASK, "True marks the padding; True must")
def pads_marked(tokens, pad_id):
    return (tokens == pad_id)[:, None, None]


@wrong(TASK, "hides rows (queries) and not columns")
def on_the_query_axis(tokens, pad_id):
    return (tokens != pad_id)[:, None, :, None]


@wrong(TASK, "on the query axis; mark the words")
def pads_on_the_query_axis(tokens, pad_id):
    return (tokens == pad_id)[:, None, :, None]


@wrong(TASK, "rows (queries) of pads too")
def rows_and_columns(tokens, pad_id):
    words = tokens != pad_id
    return words[:, None, None] & words[:, None, :, None]


@wrong(TASK, "(B, S), and the axes")
def without_axes(tokens, pad_id):
    return tokens != pad_id


@wrong(TASK, "one axis is missing")
def one_axis_short(tokens, pad_id):
    return (tokens != pad_id)[:, None]


@wrong(TASK, "(B, S, 1, 1)")
def sentence_second(tokens, pad_id):
    return (tokens != pad_id)[:, :, None, None]


@wrong(TASK, "the batch belongs on the first axis")
def batch_third(tokens, pad_id):
    return (tokens != pad_id)[None, None]


@wrong(TASK, "leave 1 on that axis")
def repeated_rows(tokens, pad_id):
    return by_comparison(tokens, pad_id).repeat(1, 1, tokens.size(1), 1)


@wrong(TASK, "hides the id 0")
def always_id_zero(tokens, pad_id):
    return (tokens != 0)[:, None, None]


@wrong(TASK, "hides what is not above pad_id")
def larger_ids_only(tokens, pad_id):
    return (tokens > pad_id)[:, None, None]


@wrong(TASK, "hides what is not below pad_id")
def smaller_ids_only(tokens, pad_id):
    return (tokens < pad_id)[:, None, None]


@wrong(TASK, "must be bool")
def padding_as_floats(tokens, pad_id):
    return (tokens != pad_id).float()[:, None, None]


@wrong(TASK, "yours is int64")
def padding_as_integers(tokens, pad_id):
    return (tokens != pad_id).long()[:, None, None]


@wrong(TASK, "mask of the first one")
def first_sentence_only(tokens, pad_id):
    return (tokens[:1] != pad_id)[:, None, None].repeat(len(tokens), 1, 1, 1)


@wrong(TASK, "when they come first")
def by_lengths(tokens, pad_id):
    lengths = (tokens != pad_id).sum(1)[:, None]
    return (torch.arange(tokens.size(1)) < lengths)[:, None, None]


@wrong(TASK, "one place too many")
def lengths_off_by_one(tokens, pad_id):
    lengths = (tokens != pad_id).sum(1)[:, None]
    return (torch.arange(tokens.size(1)) <= lengths)[:, None, None]


@wrong(TASK, "hides the last word as well")
def last_word_hidden(tokens, pad_id):
    lengths = (tokens != pad_id).sum(1)[:, None]
    return (torch.arange(tokens.size(1)) < lengths - 1)[:, None, None]


@wrong(TASK, "nothing is hidden")
def nothing_hidden(tokens, pad_id):
    return torch.ones(len(tokens), 1, 1, tokens.size(1), dtype=torch.bool)


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


@wrong(TASK, "leave the triangle out")
def padding_and_future(tokens, pad_id):
    past = torch.ones(tokens.size(1), tokens.size(1), dtype=torch.bool).tril()
    return (tokens != pad_id)[:, None, None] & past


@wrong(TASK, "joined by |, so every word reads the pads")
def keys_or_queries(tokens, pad_id):
    words = tokens != pad_id
    return words[:, None, None] | words[:, None, :, None]


@wrong(TASK, "hides padding alone")
def future_alone(tokens, pad_id):
    return torch.ones(tokens.size(1), tokens.size(1), dtype=torch.bool).tril()


@wrong(TASK, "squeeze takes them away")
def padding_squeezed(tokens, pad_id):
    return (tokens != pad_id)[:, None, None].squeeze()


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


@wrong(TASK, "cannot tell large ones apart")
def ids_as_bytes(tokens, pad_id):
    return (tokens.to(torch.int8) != pad_id)[:, None, None]


@wrong(TASK, "the padding id is -1")
def ids_without_sign(tokens, pad_id):
    return (tokens.abs() != abs(pad_id))[:, None, None]


@wrong(TASK, "not for long ones")
def sixteen_tokens_at_most(tokens, pad_id):
    return (tokens != pad_id)[:, None, None, :16]


@wrong(TASK, "only at the end")
def pads_at_the_end(tokens, pad_id):
    after = (tokens != pad_id).flip(1).cumsum(1).flip(1) > 0
    return after[:, None, None]


@wrong(TASK, "from the first pad on")
def until_the_first_pad(tokens, pad_id):
    return (tokens != pad_id).cumprod(1).bool()[:, None, None]


@wrong(TASK, "as soon as it is hidden in one")
def all_sentences_as_one(tokens, pad_id):
    return (tokens != pad_id).all(0)[None, None, None]


@wrong(TASK, "rows (queries) of pads are open")
def pads_look_everywhere(tokens, pad_id):
    words = tokens != pad_id
    return words[:, None, None] | ~words[:, None, :, None]


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


def queries(tokens, pad):
    return (tokens != pad)[:, None, :, None]


@wrong(TASK, "triu keeps the future")
def triu(s, t, sp, tp):
    return three(s, t, sp, tp, decoder=keys(t, tp) & square(t).triu())


@wrong(TASK, "upside down")
def only_the_future(s, t, sp, tp):
    return three(s, t, sp, tp, decoder=keys(t, tp) & square(t).triu(1))


@wrong(TASK, "each word sees the next one")
def one_too_far(s, t, sp, tp):
    return three(s, t, sp, tp, decoder=keys(t, tp) & square(t).tril(1))


@wrong(TASK, "a word does not see itself")
def one_too_short(s, t, sp, tp):
    return three(s, t, sp, tp, decoder=keys(t, tp) & square(t).tril(-1))


@wrong(TASK, "the whole mask is inverted")
def decoder_inverted(s, t, sp, tp):
    return three(s, t, sp, tp, decoder=~(keys(t, tp) & square(t).tril()))


@wrong(TASK, "encoder: True marks the padding")
def all_inverted(s, t, sp, tp):
    return tuple(~mask for mask in three(s, t, sp, tp))


@wrong(TASK, "encoder: it hides rows (queries)")
def encoder_on_the_query_axis(s, t, sp, tp):
    return three(s, t, sp, tp, encoder=queries(s, sp))


@wrong(TASK, "rows of pads too, so these rows have no True")
def encoder_rows_and_columns(s, t, sp, tp):
    return three(s, t, sp, tp, encoder=keys(s, sp) & queries(s, sp))


@wrong(TASK, "decoder: the rows (queries) of pads")
def decoder_padding_on_the_query_axis(s, t, sp, tp):
    return three(s, t, sp, tp, decoder=queries(t, tp) & square(t).tril())


@wrong(TASK, "hide columns (keys) alone")
def decoder_rows_and_columns(s, t, sp, tp):
    own = keys(t, tp) & queries(t, tp) & square(t).tril()
    return three(s, t, sp, tp, decoder=own)


@wrong(TASK, "cross-attention: it is the padding of the target; the keys")
def target_mask_in_cross_attention(s, t, sp, tp):
    return three(s, t, sp, tp, cross=keys(t, tp))


@wrong(TASK, "the decoder's own mask")
def decoder_mask_in_cross_attention(s, t, sp, tp):
    e, d, _ = three(s, t, sp, tp)
    return e, d, d


@wrong(TASK, "of the target, on the query axis")
def target_queries_in_cross_attention(s, t, sp, tp):
    return three(s, t, sp, tp, cross=queries(t, tp))


@wrong(TASK, "rows of target pads are hidden too")
def cross_rows_and_columns(s, t, sp, tp):
    return three(s, t, sp, tp, cross=keys(s, sp) & queries(t, tp))


@wrong(TASK, "decoder: it looks for source_pad")
def source_pad_for_the_target(s, t, sp, tp):
    return three(s, t, sp, sp)


@wrong(TASK, "encoder: it looks for target_pad")
def target_pad_for_the_source(s, t, sp, tp):
    return three(s, t, tp, tp)


@wrong(TASK, "cross-attention: it looks for target_pad")
def target_pad_in_cross_attention(s, t, sp, tp):
    return three(s, t, sp, tp, cross=keys(s, tp))


@wrong(TASK, "the source is known from the start")
def causal_encoder(s, t, sp, tp):
    own = torch.ones(s.size(1), s.size(1), dtype=torch.bool).tril()
    return three(s, t, sp, tp, encoder=keys(s, sp) & own)


@wrong(TASK, "later source words")
def causal_cross_attention(s, t, sp, tp):
    past = torch.ones(t.size(1), s.size(1), dtype=torch.bool).tril()
    return three(s, t, sp, tp, cross=keys(s, sp) & past)


@wrong(TASK, "hides the padding but not the future")
def decoder_without_past(s, t, sp, tp):
    return three(s, t, sp, tp, decoder=keys(t, tp))


@wrong(TASK, "hides the future but not the padding")
def decoder_without_padding(s, t, sp, tp):
    return three(s, t, sp, tp, decoder=square(t).tril())


@wrong(TASK, "joined by |")
def joined_by_or(s, t, sp, tp):
    return three(s, t, sp, tp, decoder=keys(t, tp) | square(t).tril())


@wrong(TASK, "encoder: nothing is hidden")
def encoder_without_mask(s, t, sp, tp):
    return three(s, t, sp, tp, encoder=torch.ones_like(keys(s, sp)))


@wrong(TASK, "cross-attention: nothing is hidden")
def cross_attention_without_mask(s, t, sp, tp):
    return three(s, t, sp, tp, cross=torch.ones_like(keys(s, sp)))


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


@wrong(TASK, "stands in the wrong place")
def decoder_first(s, t, sp, tp):
    e, d, c = three(s, t, sp, tp)
    return d, e, c


@wrong(TASK, "(B, S), and the axes")
def masks_without_axes(s, t, sp, tp):
    return s != sp, square(t).tril() & keys(t, tp), s != sp


@wrong(TASK, "but not for others")
def fixed_ids(s, t, sp, tp):
    return three(s, t, 0, 9)


@wrong(TASK, "decoder: the shape (3, 4, 4) lacks an axis")
def decoder_squeezed(s, t, sp, tp):
    own = keys(t, tp) & square(t).tril()
    return three(s, t, sp, tp, decoder=own.squeeze())


@wrong(TASK, "it looks at the target's tokens")
def target_tokens_in_cross_attention(s, t, sp, tp):
    return three(s, t, sp, tp, cross=keys(t, sp))


@wrong(TASK, "does not broadcast")
def cross_turned(s, t, sp, tp):
    return three(s, t, sp, tp, cross=(s != sp)[None, None])


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


@wrong(TASK, "padded in front")
def by_source_lengths(s, t, sp, tp):
    lengths = (s != sp).sum(1)[:, None]
    own = (torch.arange(s.size(1)) < lengths)[:, None, None]
    return three(s, t, sp, tp, encoder=own, cross=own)


@wrong(TASK, "mask of the first one")
def first_source_for_all(s, t, sp, tp):
    first = keys(s, sp)[:1]
    return three(s, t, sp, tp, encoder=first, cross=first)


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


@wrong(TASK, "not for long ones: decoder: sentence 0")
def window_of_eight(s, t, sp, tp):
    near = square(t).tril() & square(t).triu(-7)
    return three(s, t, sp, tp, decoder=keys(t, tp) & near)


@wrong(TASK, "encoder: it compares the ids in a type")
def source_ids_as_bytes(s, t, sp, tp):
    return three(s, t, sp, tp, encoder=keys(s.to(torch.int8), sp))


@wrong(TASK, "decoder: it compares the ids in a type")
def target_ids_in_half(s, t, sp, tp):
    own = keys(t.half(), tp) & square(t).tril()
    return three(s, t, sp, tp, decoder=own)


@wrong(TASK, "but not for others: decoder: it hides the future but not")
def fixed_target_id(s, t, sp, tp):
    return three(s, t, sp, 9)


@wrong(TASK, "source_pad (or the id 0) in the target")
def always_zero(s, t, sp, tp):
    return three(s, t, 0, 0)


@wrong(TASK, "decoder: both padding ids are hidden")
def both_ids_in_the_target(s, t, sp, tp):
    own = keys(t, tp) & keys(t, sp) & square(t).tril()
    return three(s, t, sp, tp, decoder=own)


@wrong(TASK, "cross-attention: both padding ids are hidden")
def both_ids_in_cross_attention(s, t, sp, tp):
    return three(s, t, sp, tp, cross=keys(s, tp) & keys(s, sp))


@wrong(TASK, "encoder: it hides what is not above source_pad")
def larger_source_ids(s, t, sp, tp):
    return three(s, t, sp, tp, encoder=(s > sp)[:, None, None])


@wrong(TASK, "decoder: it hides what is not above target_pad")
def larger_target_ids(s, t, sp, tp):
    own = (t > tp)[:, None, None] & square(t).tril()
    return three(s, t, sp, tp, decoder=own)


@wrong(TASK, "decoder: the mask is transposed")
def decoder_transposed(s, t, sp, tp):
    own = keys(t, tp) & square(t).tril()
    return three(s, t, sp, tp, decoder=own.mT)


@wrong(TASK, "pads may see themselves")
def diagonal_open(s, t, sp, tp):
    own = keys(t, tp) & square(t).tril()
    eye = torch.eye(t.size(1), dtype=torch.bool)
    return three(s, t, sp, tp, decoder=own | eye)


@wrong(TASK, "rows (queries) of pads are open everywhere")
def rows_of_pads_open(s, t, sp, tp):
    own = keys(t, tp) & square(t).tril()
    return three(s, t, sp, tp, decoder=own | ~queries(t, tp))


@wrong(TASK, "encoder: it is made of the target")
def sides_exchanged(s, t, sp, tp):
    return three(t, s, tp, sp)


@wrong(TASK, "decoder: it is made of the source")
def decoder_of_the_source(s, t, sp, tp):
    return three(s, t, sp, tp, decoder=keys(s, sp) & square(s).tril())


@wrong(TASK, "decoder: every sentence has the mask of the first")
def first_target_for_all(s, t, sp, tp):
    own = keys(t, tp) & square(t).tril()
    return three(s, t, sp, tp, decoder=own[:1])


@wrong(TASK, "cross-attention: a place is hidden in every sentence")
def sources_as_one(s, t, sp, tp):
    return three(s, t, sp, tp, cross=keys(s, sp).all(0, keepdim=True))


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


def with_fill(fill):
    def attend(q, k, v, mask):
        weights = scores_of(q, k).masked_fill(~mask, fill).softmax(-1)
        return weights @ v, weights

    return attend


@wrong(TASK, "score 0, and e^0")
def fill_zero(q, k, v, mask):
    return with_fill(0.0)(q, k, v, mask)


@wrong(TASK, "next to 0, such as 1e-9")
def fill_1e_minus_9(q, k, v, mask):
    return with_fill(1e-9)(q, k, v, mask)


@wrong(TASK, "get all the weight")
def fill_plus_1e9(q, k, v, mask):
    return with_fill(1e9)(q, k, v, mask)


@wrong(TASK, "e^-1 = 0.37")
def fill_minus_1(q, k, v, mask):
    return with_fill(-1.0)(q, k, v, mask)


@wrong(TASK, "the score -10")
def fill_minus_10(q, k, v, mask):
    return with_fill(-10.0)(q, k, v, mask)


@wrong(TASK, "a fixed number such as -100")
def fill_minus_100(q, k, v, mask):
    return with_fill(-100.0)(q, k, v, mask)


@wrong(TASK, "a fixed number such as -100")
def fill_minus_1e4(q, k, v, mask):
    return with_fill(-1e4)(q, k, v, mask)


@wrong(TASK, "-1e9 is no float16 number")
def fill_minus_1e9(q, k, v, mask):
    return with_fill(-1e9)(q, k, v, mask)


@wrong(TASK, "comes after the softmax")
def mask_after_the_softmax(q, k, v, mask):
    weights = scores_of(q, k).softmax(-1).masked_fill(~mask, 0)
    return weights @ v, weights


@wrong(TASK, "mask the scores before the softmax")
def after_the_softmax_then_divided(q, k, v, mask):
    weights = scores_of(q, k).softmax(-1) * mask
    weights = weights / weights.sum(-1, keepdim=True)
    return weights @ v, weights


@wrong(TASK, "turned round")
def mask_turned_round(q, k, v, mask):
    scores = scores_of(q, k).masked_fill(mask, -math.inf)
    weights = scores.softmax(-1).nan_to_num()
    return weights @ v, weights


@wrong(TASK, "True means may attend")
def turned_round_with_nan(q, k, v, mask):
    weights = scores_of(q, k).masked_fill(mask, -math.inf).softmax(-1)
    return weights @ v, weights


@wrong(TASK, "0 times infinity is NaN")
def zero_times_infinity(q, k, v, mask):
    weights = (scores_of(q, k) + ~mask * -math.inf).softmax(-1)
    return weights @ v, weights


@wrong(TASK, "runs over the queries")
def softmax_over_queries(q, k, v, mask):
    scores = scores_of(q, k).masked_fill(~mask, -math.inf)
    weights = scores.softmax(-2).nan_to_num()
    return weights @ v, weights


@wrong(TASK, "you ignore the mask")
def no_mask(q, k, v, mask):
    weights = scores_of(q, k).softmax(-1)
    return weights @ v, weights


@wrong(TASK, "masked but not scaled")
def masked_and_not_scaled(q, k, v, mask):
    scores = q @ k.transpose(-2, -1)
    weights = scores.masked_fill(~mask, -math.inf).softmax(-1)
    return weights @ v, weights


@wrong(TASK, "multiplying by the mask")
def multiplied_scores(q, k, v, mask):
    weights = (scores_of(q, k) * mask).softmax(-1)
    return weights @ v, weights


@wrong(TASK, "you add the mask to the scores")
def mask_added(q, k, v, mask):
    weights = (scores_of(q, k) + mask).softmax(-1)
    return weights @ v, weights


@wrong(TASK, "mask of the first sentence")
def first_mask_for_all_sentences(q, k, v, mask):
    first = mask[:1] if mask.dim() == 4 else mask
    return with_masked_fill(q, k, v, first)


@wrong(TASK, "mask of the first head")
def first_mask_for_all_heads(q, k, v, mask):
    first = mask[:, :1] if mask.dim() == 4 else mask
    return with_masked_fill(q, k, v, first)


@wrong(TASK, "mask's first row")
def first_row_for_all_queries(q, k, v, mask):
    return with_masked_fill(q, k, v, mask[..., :1, :])


@wrong(TASK, "causal mask of your own")
def causal_on_top(q, k, v, mask):
    past = torch.ones(q.size(2), k.size(2), dtype=torch.bool).tril()
    scores = scores_of(q, k).masked_fill(~(mask & past), -math.inf)
    weights = scores.softmax(-1).nan_to_num()
    return weights @ v, weights


@wrong(TASK, "when T = S")
def transposed_where_it_fits(q, k, v, mask):
    if mask.size(-1) == mask.size(-2) > 1 and not mask[..., 0].all():
        mask = mask.transpose(-2, -1)
    return mask_turned_round(q, k, v, ~mask)


@wrong(TASK, "mixed by unmasked ones")
def context_unmasked(q, k, v, mask):
    weights = with_masked_fill(q, k, v, mask)[1]
    return scores_of(q, k).softmax(-1) @ v, weights


@wrong(TASK, "masked after the softmax")
def context_masked_late(q, k, v, mask):
    weights = with_masked_fill(q, k, v, mask)[1]
    return (scores_of(q, k).softmax(-1) * mask) @ v, weights


@wrong(TASK, "return two tensors")
def context_alone(q, k, v, mask):
    return with_masked_fill(q, k, v, mask)[0]


@wrong(TASK, "weights first")
def masked_weights_first(q, k, v, mask):
    return with_masked_fill(q, k, v, mask)[::-1]


@wrong(TASK, "normalise them with a softmax")
def masked_scores(q, k, v, mask):
    context, _ = with_masked_fill(q, k, v, mask)
    return context, scores_of(q, k).masked_fill(~mask, -math.inf)


@wrong(TASK, "softmax twice")
def masked_softmax_twice(q, k, v, mask):
    weights = with_masked_fill(q, k, v, mask)[1].softmax(-1)
    return weights @ v, weights


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


@wrong(TASK, "no gradient flows")
def masked_detached(q, k, v, mask):
    return with_masked_fill(q.detach(), k.detach(), v.detach(), mask)


@wrong(TASK, "gradient of k is not")
def keys_detached(q, k, v, mask):
    return with_masked_fill(q, k.detach(), v, mask)


@wrong(TASK, "nothing is")
def masked_rows_only(q, k, v, mask):
    if mask.all():
        return torch.zeros_like(q[..., :1] @ v[..., :1, :]), scores_of(q, k)
    return with_masked_fill(q, k, v, mask)


@wrong(TASK, "rows with a hidden key have no weight left")
def guarded_sum(q, k, v, mask):
    scores = scores_of(q, k)
    powers = (scores - scores.amax(-1, keepdim=True)).exp() * mask
    weights = powers / (powers.sum(-1, keepdim=True) + 1e-9)
    return weights @ v, weights


@wrong(TASK, "turned round, and the scores are not scaled")
def turned_round_and_not_scaled(q, k, v, mask):
    scores = (q @ k.transpose(-2, -1)).masked_fill(mask, -math.inf)
    weights = scores.softmax(-1).nan_to_num()
    return weights @ v, weights


@wrong(TASK, "turned round, and the softmax runs over")
def turned_round_over_queries(q, k, v, mask):
    scores = scores_of(q, k).masked_fill(mask, -math.inf)
    weights = scores.softmax(-2).nan_to_num()
    return weights @ v, weights


@wrong(TASK, "after the softmax, and the scores are not")
def late_and_not_scaled(q, k, v, mask):
    weights = (q @ k.transpose(-2, -1)).softmax(-1) * mask
    return weights @ v, weights


@wrong(TASK, "near 0 and not -inf")
def zero_and_not_scaled(q, k, v, mask):
    scores = (q @ k.transpose(-2, -1)).masked_fill(~mask, 0)
    weights = scores.softmax(-1)
    return weights @ v, weights


@wrong(TASK, "you add a fixed number such as -1e4")
def added_minus_1e4(q, k, v, mask):
    weights = (scores_of(q, k) + (~mask).to(q) * -1e4).softmax(-1)
    return weights @ v, weights


@wrong(TASK, "the context is right, but not the weights")
def own_context_and_unmasked_weights(q, k, v, mask):
    context = F.scaled_dot_product_attention(q, k, v, mask)
    return context, scores_of(q, k).softmax(-1)


@wrong(TASK, "a mask times a number is float32")
def float32_bias(q, k, v, mask):
    weights = (scores_of(q, k) + (~mask) * -1e9).softmax(-1)
    return weights @ v, weights


@wrong(TASK, "k.T turns all four axes round")
def keys_not_transposed(q, k, v, mask):
    weights = (q @ k).masked_fill(~mask, -math.inf).softmax(-1)
    return weights @ v, weights


def over_axis(axis, fill):
    def attend(q, k, v, mask):
        scores = scores_of(q, k).masked_fill(~mask, fill)
        weights = scores.softmax(axis)
        return weights @ v, weights

    return attend


@wrong(TASK, "runs over the queries, and where")
def nan_over_queries(q, k, v, mask):
    return over_axis(-2, -math.inf)(q, k, v, mask)


@wrong(TASK, "runs over the heads, and where")
def nan_over_heads(q, k, v, mask):
    return over_axis(1, -math.inf)(q, k, v, mask)


@wrong(TASK, "sum to 1 over the queries")
def finite_over_queries(q, k, v, mask):
    return over_axis(-2, -1e9)(q, k, v, mask)


@wrong(TASK, "sum to 1 over the heads")
def finite_over_heads(q, k, v, mask):
    return over_axis(1, -1e9)(q, k, v, mask)


def with_scale(scale):
    def attend(q, k, v, mask):
        scores = (q @ k.transpose(-2, -1)).masked_fill(~mask, -math.inf)
        weights = (scores * scale(q, k, v)).softmax(-1)
        return weights @ v, weights

    return attend


@wrong(TASK, "divided by d_k")
def divided_by_d_k(q, k, v, mask):
    return with_scale(lambda q, k, v: 1 / q.size(-1))(q, k, v, mask)


@wrong(TASK, "divided by sqrt(d_v)")
def divided_by_the_root_of_d_v(q, k, v, mask):
    return with_scale(lambda q, k, v: v.size(-1) ** -0.5)(q, k, v, mask)


@wrong(TASK, "number of keys")
def divided_by_the_root_of_s(q, k, v, mask):
    return with_scale(lambda q, k, v: k.size(-2) ** -0.5)(q, k, v, mask)


@wrong(TASK, "multiplied by sqrt(d_k)")
def multiplied_by_the_root(q, k, v, mask):
    return with_scale(lambda q, k, v: q.size(-1) ** 0.5)(q, k, v, mask)


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


@wrong(TASK, "all visible scores are very low")
def the_least_of_float16(q, k, v, mask):
    return with_fill(-65504.0)(q, k, v, mask)


@wrong(TASK, "all visible scores are very low")
def a_number_for_each_type(q, k, v, mask):
    half = q.dtype == torch.float16
    return with_fill(-1e4 if half else -1e9)(q, k, v, mask)


@wrong(TASK, "a visible key whose score is 0")
def scores_that_are_zero(q, k, v, mask):
    scores = scores_of(q, k) * mask
    weights = scores.masked_fill(scores == 0, -math.inf).softmax(-1)
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


@wrong(TASK, "add nothing to the weights")
def clamped_weights(q, k, v, mask):
    weights = with_masked_fill(q, k, v, mask)[1].clamp(min=1e-9)
    return weights @ v, weights


@wrong(TASK, "leave clamp and the like out")
def clamped_scores(q, k, v, mask):
    scores = scores_of(q, k).clamp(max=80).masked_fill(~mask, -math.inf)
    weights = scores.softmax(-1)
    return weights @ v, weights


@wrong(TASK, "the gradient of q is NaN")
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


@wrong(TASK, "ignore the given one")
def causal_whatever_is_given(q, k, v, mask):
    past = torch.ones(q.size(2), k.size(2), dtype=torch.bool).tril()
    return with_masked_fill(q, k, v, past)


@wrong(TASK, "you return the scores; mask and normalise")
def plain_scores(q, k, v, mask):
    return with_masked_fill(q, k, v, mask)[0], scores_of(q, k)


def with_scores(scores_of):
    def attend(q, k, v, mask):
        scores = scores_of(q, k) / math.sqrt(q.size(-1))
        weights = scores.masked_fill(~mask, -math.inf).softmax(-1)
        return weights @ v, weights

    return attend


@wrong(TASK, "the keys of all heads")
def heads_mixed(q, k, v, mask):
    def scores(q, k):
        return torch.einsum("bhtk,bgsk->bhts", q, k)

    return with_scores(scores)(q, k, v, mask)


@wrong(TASK, "the keys of all sentences")
def sentences_mixed(q, k, v, mask):
    def scores(q, k):
        return torch.einsum("bhtk,chsk->bhts", q, k)

    return with_scores(scores)(q, k, v, mask)


@wrong(TASK, "mixed up the numbers of k")
def keys_reshaped(q, k, v, mask):
    def scores(q, k):
        return q @ k.reshape(*k.shape[:2], k.size(3), -1)

    return with_scores(scores)(q, k, v, mask)


@wrong(TASK, "divided by 8; that number must be sqrt(d_k)")
def divided_by_eight(q, k, v, mask):
    return with_scale(lambda q, k, v: 1 / 8)(q, k, v, mask)


@wrong(TASK, "write d_k ** 0.5")
def divided_by_half_of_d_k(q, k, v, mask):
    return with_scale(lambda q, k, v: 1 / (q.size(-1) ** 1 / 2))(q, k, v, mask)


@wrong(TASK, "digits are lost on the way")
def rounded_scores(q, k, v, mask):
    def scores(q, k):
        return (q @ k.transpose(-2, -1)).round(decimals=3)

    return with_scores(scores)(q, k, v, mask)


@wrong(TASK, "context is mixed by a mask that is turned round")
def pytorch_s_mask_turned_round(q, k, v, mask):
    context = F.scaled_dot_product_attention(q, k, v, ~mask)
    return context, with_masked_fill(q, k, v, mask)[1]


@wrong(TASK, "(is_causal?)")
def pytorch_s_causal_mask(q, k, v, mask):
    context = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    return context, with_masked_fill(q, k, v, mask)[1]


@wrong(TASK, "torch.sqrt of an integer tensor is float32")
def root_in_float32(q, k, v, mask):
    root = torch.sqrt(torch.tensor(q.size(-1)))
    scores = (q @ k.mT / root).masked_fill(~mask, -math.inf)
    weights = scores.softmax(-1)
    return weights @ v, weights


@wrong(TASK, "subtract the maximum of each row")
def one_maximum_for_all(q, k, v, mask):
    scores = scores_of(q, k).masked_fill(~mask, -math.inf)
    powers = (scores - scores.max()).exp()
    weights = powers / powers.sum(-1, keepdim=True)
    return weights @ v, weights


@wrong(TASK, "that lie thousands apart")
def scores_up_to_ten_thousand(q, k, v, mask):
    scores = scores_of(q, k).clamp(max=1e4).masked_fill(~mask, -math.inf)
    weights = scores.softmax(-1)
    return weights @ v, weights
