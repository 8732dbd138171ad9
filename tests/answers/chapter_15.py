"""Answers to the tasks of chapter 15, Looking inside."""

import numpy as np
import torch

from answers.registry import right, wrong

SPECIAL = {"<bos>", "<eos>", "<pad>"}

# -------------------------------------------------------- the alignment
TASK = "alignment_from_attention"


def counted(tokens):
    """Return how many words there are."""
    return sum(token not in SPECIAL for token in tokens)


@right(TASK)
def cut_and_argmax(weights, source, target):
    return weights[:, : counted(target), : counted(source)].argmax(-1)


@right(TASK)
def by_lists_of_places(weights, source, target):
    rows = [n - 1 for n, t in enumerate(target) if t not in SPECIAL]
    columns = [n for n, t in enumerate(source) if t not in SPECIAL]
    return weights[:, rows][..., columns].argmax(dim=-1)


@right(TASK)
def in_loops(maps, english, french):
    found = []
    for head in maps:
        places = []
        for t in range(1, len(french)):
            if french[t] == "<pad>":
                break
            best = 0
            for s, word in enumerate(english):
                if word not in SPECIAL and head[t - 1, s] > head[t - 1, best]:
                    best = s
            places.append(best)
        found.append(places)
    return torch.tensor(found)


@right(TASK)
def by_a_mask(weights, source, target):
    hidden = torch.tensor([token in SPECIAL for token in source])
    best = weights.masked_fill(hidden, -1.0).argmax(-1)
    keep = torch.tensor([t != "<pad>" for t in target[1:]] + [False])
    return best[:, keep]


@right(TASK)
def by_topk(weights, source, target):
    end = target.index("<pad>") if "<pad>" in target else len(target)
    part = weights[:, : end - 1, : source.index("<eos>")]
    return part.topk(1, dim=-1).indices[..., 0]


@right(TASK)
def by_max(weights, source, target):
    part = weights.double().clone()
    part[:, :, counted(source) :] = -1
    return part[:, : counted(target)].max(dim=-1).indices


@right(TASK)
def by_numpy(weights, source, target):
    part = weights.numpy()[:, : counted(target), : counted(source)]
    return torch.from_numpy(np.argmax(part, axis=2))


@right(TASK)
def one_head_after_the_other(weights, source, target):
    m, n = counted(source), counted(target)
    return torch.stack([w[:n, :m].argmax(1) for w in weights]).int()


def cut(weights, source, target):
    """Return the words' part of a map."""
    return weights[:, : counted(target), : counted(source)]


@wrong(TASK, "holds floats")
def largest_weights(weights, source, target):
    return cut(weights, source, target).max(-1).values


@wrong(TASK, "holds floats")
def float_places(weights, source, target):
    return cut(weights, source, target).argmax(-1).float()


@wrong(TASK, "return one tensor, the tensor of places, and no list")
def a_list(weights, source, target):
    return cut(weights, source, target).argmax(-1).tolist()


@wrong(TASK, "not ndarray")
def an_array(weights, source, target):
    return cut(weights, source, target).argmax(-1).numpy()


@wrong(TASK, "right with padding, but not without it")
def waits_for_padding(weights, source, target):
    columns = source.index("<pad>") - 1 if "<pad>" in source else len(source)
    return weights[:, : counted(target), :columns].argmax(-1)


@wrong(TASK, "but not if one comes twice")
def looks_words_up(weights, source, target):
    best = cut(weights, source, target).argmax(-1)
    return torch.tensor(
        [[source.index(source[place]) for place in row] for row in best]
    )


@wrong(TASK, "an axis of size 1 is gone")
def squeezed(weights, source, target):
    return cut(weights, source, target).argmax(-1).squeeze()


@wrong(TASK, "nearly all weight lies on <eos>")
def rounded_weights(weights, source, target):
    return cut(weights, source, target).round(decimals=5).argmax(-1)


@wrong(TASK, "right for float32, but not for float64")
def in_single_precision(weights, source, target):
    return cut(weights.float(), source, target).argmax(-1)


@wrong(TASK, "changes its inputs in place")
def overwrites(weights, source, target):
    weights[:, :, counted(source) :] = 0
    return weights[:, : counted(target)].argmax(-1)


@wrong(TASK, "right for three heads, but not for eight")
def four_heads(weights, source, target):
    return cut(weights[:5], source, target).argmax(-1)


@wrong(TASK, "and: you keep the column of <eos>")
def late_and_end_kept(weights, source, target):
    n = counted(target)
    return weights[:, 1 : n + 1, : counted(source) + 1].argmax(-1)


seen = []


@wrong(TASK, "called with the same inputs later")
def keeps_count(weights, source, target):
    seen.append(1)
    return cut(weights, source, target).argmax(-1) + (len(seen) + 1) % 2


@right(TASK)
def in_short_integers(weights, source, target):
    return cut(weights, source, target).argmax(-1).short()


@right(TASK)
def by_sorting(weights, source, target, special=("<bos>", "<eos>", "<pad>")):
    columns = [n for n, token in enumerate(source) if token not in special]
    order = weights[:, :, columns].argsort(dim=-1, descending=True)
    return order[:, : counted(target), 0]


@right(TASK)
def by_products(weights, source, target):
    keep = torch.tensor([float(token not in SPECIAL) for token in source])
    return (weights * keep)[:, : counted(target)].argmax(-1)


@wrong(TASK, "or the word pad: special are only <bos>")
def until_the_full_stop(weights, source, target):
    end = source.index("." if "." in source else "<eos>")
    m = end + 1 if "." in source else end
    return weights[:, : counted(target), :m].argmax(-1)


@wrong(TASK, "or the word pad")
def brackets_ignored(weights, source, target):
    m = sum(t.strip("<>") not in ("eos", "pad", "bos") for t in target)
    return weights[:, :m, : counted(source)].argmax(-1)


@wrong(TASK, "some places are no words of the source")
def second_where_special(weights, source, target):
    best = weights[:, : counted(target)].topk(2).indices
    return torch.where(
        best[..., 0] < counted(source), best[..., 0], best[..., 1]
    )


@wrong(TASK, "neither look words up nor put them into a set")
def different_words(weights, source, target):
    m, n = len(set(source) - SPECIAL), len(set(target) - SPECIAL)
    return weights[:, :n, :m].argmax(-1)


@wrong(TASK, "view wants numbers that lie in memory in order")
def by_view(weights, source, target):
    h, t, s = weights.shape
    best = weights.view(h * t, s)[:, : counted(source)].argmax(-1)
    return best.view(h, t)[:, : counted(target)]


@wrong(TASK, "is too small for the places")
def in_eight_bits(weights, source, target):
    return cut(weights, source, target).argmax(-1).to(torch.int8)


@wrong(TASK, "not torch.bool")
def truth_values(weights, source, target):
    return cut(weights, source, target).argmax(-1).bool()


@wrong(TASK, "but not for sixty words")
def ten_words(weights, source, target):
    m = min(counted(source), 10)
    return weights[:, : counted(target), :m].argmax(-1)


# ---------------------------------------------------------- one head less
TASK = "ablate_head"


def merge(context):
    return context.transpose(1, 2).flatten(2)


def gone(x, axis, index):
    """Return a copy with zeros at an index of an axis."""
    x = x.clone()
    x.select(axis, index)[:] = 0
    return x


@right(TASK)
def context_to_zero(weights, v, w_o, b_o, head):
    context = weights @ v
    context[:, head] = 0
    return merge(context) @ w_o + b_o


@right(TASK)
def weights_to_zero(weights, v, w_o, b_o, head):
    weights = weights.clone()
    weights[:, head] = 0
    return merge(weights @ v) @ w_o + b_o


@right(TASK)
def values_to_zero(weights, v, w_o, b_o, head):
    keep = torch.ones(v.size(1), dtype=v.dtype)
    keep[head] = 0
    return merge(weights @ (v * keep[None, :, None, None])) @ w_o + b_o


@right(TASK)
def rows_to_zero(weights, v, w_o, b_o, head):
    e = v.size(-1)
    w = w_o.clone()
    w[head * e : (head + 1) * e] = 0
    return merge(weights @ v) @ w + b_o


@right(TASK)
def sum_of_messages(weights, v, w_o, b_o, head):
    width, total = v.size(-1), b_o
    for h in range(v.size(1)):
        if h != head:
            block = w_o[h * width : (h + 1) * width]
            total = total + weights[:, h] @ v[:, h] @ block
    shape = (len(v), weights.size(2), len(b_o))
    return total.expand(shape) if total.dim() == 1 else total


@right(TASK)
def message_taken_away(weights, v, w_o, b_o, head):
    width = v.size(-1)
    block = w_o[head * width : (head + 1) * width]
    full = merge(weights @ v) @ w_o + b_o
    return full - weights[:, head] @ v[:, head] @ block


@right(TASK)
def by_einsum(p, values, projection, bias, number):
    h, e = values.shape[1], values.shape[3]
    keep = (torch.arange(h) != number).to(p.dtype)
    blocks = projection.reshape(h, e, -1)
    return torch.einsum("bhts,bhse,hed,h->btd", p, values, blocks, keep) + bias


@right(TASK)
def by_linear(weights, v, w_o, b_o, head):
    context = (weights @ v).unbind(1)
    parts = [c * (n != head) for n, c in enumerate(context)]
    return torch.nn.functional.linear(torch.cat(parts, -1), w_o.T, b_o)


def variant(hint):
    """Register a wrong answer that makes its context and merges it."""

    def register(change):
        def answer(weights, v, w_o, b_o, head):
            return merge(change(weights @ v, head)) @ w_o + b_o

        answer.__name__ = change.__name__
        wrong(TASK, hint)(answer)
        return change

    return register


@variant("right for head 2, but not for head 0")
def always_two(context, head):
    return gone(context, 1, min(2, context.size(1) - 1))


@wrong(TASK, "meet W_O, (H * d_v, D), on its rows")
def deleted(weights, v, w_o, b_o, head):
    kept = [h for h in range(v.size(1)) if h != head]
    return merge((weights @ v)[:, kept]) @ w_o + b_o


@wrong(TASK, "holds NaN")
def row_normalised_again(weights, v, w_o, b_o, head):
    weights = gone(weights, 1, head)
    weights = weights / weights.sum(-1, keepdim=True)
    return merge(weights @ v) @ w_o + b_o


@wrong(TASK, "return one tensor, the output")
def a_pair(weights, v, w_o, b_o, head):
    weights = gone(weights, 1, head)
    return merge(weights @ v) @ w_o + b_o, weights


@wrong(TASK, "changes its inputs in place")
def in_place(weights, v, w_o, b_o, head):
    weights[:, head] = 0
    return merge(weights @ v) @ w_o + b_o


@wrong(TASK, "axis of size 1 is gone")
def squeezed_output(weights, v, w_o, b_o, head):
    return (merge(gone(weights @ v, 1, head)) @ w_o + b_o).squeeze()


@wrong(TASK, "avoid detach")
def detached(weights, v, w_o, b_o, head):
    return context_to_zero(weights, v, w_o, b_o, head).detach()


@wrong(TASK, "detached")
def half_detached(weights, v, w_o, b_o, head):
    return context_to_zero(weights.detach(), v, w_o, b_o, head)


@wrong(TASK, "digits are lost")
def single_inside(weights, v, w_o, b_o, head):
    given = (x.float() for x in (weights, v, w_o, b_o))
    return context_to_zero(*given, head).to(v.dtype)


@right(TASK)
def by_a_list_of_contexts(weights, v, w_o, b_o, head):
    contexts = list((weights @ v).unbind(1))
    contexts[head] = torch.zeros_like(contexts[head])
    return torch.cat(contexts, dim=-1) @ w_o + b_o


@right(TASK)
def blocks_that_stay(weights, v, w_o, b_o, head):
    h, e = v.size(1), v.size(-1)
    keep = [n for n in range(h) if n != head]
    context = (weights[:, keep] @ v[:, keep]).transpose(1, 2).flatten(2)
    return context @ w_o.reshape(h, e, -1)[keep].flatten(0, 1) + b_o


@right(TASK)
def by_where(weights, v, w_o, b_o, head):
    stays = (torch.arange(v.size(1)) != head)[:, None, None]
    return merge(torch.where(stays, weights @ v, 0.0)) @ w_o + b_o


@wrong(TASK, "you write into an input")
def put_back(weights, v, w_o, b_o, head):
    kept = v[:, head].clone()
    v[:, head] = 0
    out = merge(weights @ v) @ w_o + b_o
    v[:, head] = kept
    return out


@wrong(TASK, "is overwritten in place")
def merged_overwritten(weights, v, w_o, b_o, head):
    merged, e = merge(weights @ v), v.size(-1)
    out = merged @ w_o + b_o
    part = merged[..., head * e : (head + 1) * e].clone()
    merged.zero_()
    return out - part @ w_o[head * e : (head + 1) * e]


@wrong(TASK, "view wants numbers that lie in memory in order")
def merged_by_view(weights, v, w_o, b_o, head):
    context = gone(weights @ v, 1, head).transpose(1, 2)
    return context.view(*context.shape[:2], -1) @ w_o + b_o


@wrong(TASK, "H * d_v need not be D")
def width_is_d_by_h(weights, v, w_o, b_o, head):
    context = gone(weights @ v, 1, head).transpose(1, 2)
    b, t, h, _ = context.shape
    return context.reshape(b, t, h * (len(b_o) // h)) @ w_o + b_o


@wrong(TASK, "transpose neither")
def weights_transposed(weights, v, w_o, b_o, head):
    return context_to_zero(weights.mT, v, w_o, b_o, head)


@wrong(TASK, "is there a squeeze?")
def context_squeezed(weights, v, w_o, b_o, head):
    context = gone(weights @ v, 1, head).squeeze()
    return context.transpose(-3, -2).flatten(-2) @ w_o + b_o


@wrong(TASK, "avoid detach, torch.no_grad, .data")
def through_numpy(weights, v, w_o, b_o, head):
    given = (x.detach().numpy() for x in (weights, v, w_o, b_o))
    p, values, projection, bias = given
    context = p @ values
    context[:, head] = 0
    context = context.transpose(0, 2, 1, 3)
    merged = context.reshape(*context.shape[:2], -1)
    return torch.from_numpy(merged @ projection + bias)


@right(TASK)
def word_by_word(weights, v, w_o, b_o, head):
    b, h, t, _ = weights.shape
    gap = torch.zeros_like(v[0, 0, 0])
    rows = [
        torch.cat(
            [
                gap if n == head else weights[i, n, j] @ v[i, n]
                for n in range(h)
            ]
        )
        for i in range(b)
        for j in range(t)
    ]
    return (torch.stack(rows) @ w_o + b_o).reshape(b, t, -1)


@right(TASK)
def by_tensordot(weights, v, w_o, b_o, head):
    blocks = w_o.clone().reshape(v.size(1), v.size(-1), -1)
    blocks[head].zero_()
    return torch.tensordot((weights @ v).transpose(1, 2), blocks, 2) + b_o


@wrong(TASK, "minus infinity is for scores")
def minus_infinity(weights, v, w_o, b_o, head):
    weights = weights.clone()
    weights[:, head] = float("-inf")
    return merge(weights @ v) @ w_o + b_o


@wrong(TASK, "holds huge numbers")
def large_and_negative(weights, v, w_o, b_o, head):
    weights = weights.clone()
    weights[:, head] = -1e9
    return merge(weights @ v) @ w_o + b_o


@wrong(TASK, "digits are lost")
def half_precision(weights, v, w_o, b_o, head):
    given = (x.bfloat16() for x in (weights, v, w_o, b_o))
    return context_to_zero(*given, head).to(v.dtype)
