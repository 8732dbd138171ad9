"""Answers to the tasks of chapter 7, Many heads."""

import torch
import torch.nn.functional as F

from answers.registry import right, wrong

# ------------------------------------------------------------ split heads
TASK = "split_heads"


@right(TASK)
def view_and_transpose(x, num_heads):
    b, t, d = x.shape
    return x.reshape(b, t, num_heads, d // num_heads).transpose(1, 2)


@right(TASK)
def unflattened(tokens, heads):
    return tokens.unflatten(2, (heads, -1)).permute(0, 2, 1, 3)


@right(TASK)
def chunks_stacked(x, num_heads):
    return torch.stack(x.chunk(num_heads, dim=-1), dim=1)


@right(TASK)
def slices_in_a_loop(x, num_heads):
    width = x.shape[-1] // num_heads
    out = torch.zeros(len(x), num_heads, x.size(1), width, dtype=x.dtype)
    for h in range(num_heads):
        out[:, h] = x[:, :, h * width : (h + 1) * width]
    return out


@right(TASK)
def by_einsum(x, num_heads):
    parts = x.reshape(*x.shape[:2], num_heads, -1)
    return torch.einsum("bthk->bhtk", parts)


@right(TASK)
def float64_inside_split(x, num_heads):
    return unflattened(x.double(), num_heads).to(x.dtype).contiguous()


@right(TASK)  # here D = H d_k
def split_without_what_is_left(x, num_heads):
    width = x.size(-1) // num_heads
    kept = x[..., : num_heads * width]
    return kept.unflatten(-1, (num_heads, width)).transpose(1, 2)


@right(TASK)
def split_by_numbers_made_without_gradient(x, num_heads):
    with torch.no_grad():
        places = torch.arange(x.size(-1)).view(num_heads, -1)
    return torch.stack([x[..., block] for block in places], dim=1)


@wrong(TASK, "torch.no_grad")
def split_without_gradient(x, num_heads):
    with torch.no_grad():
        return torch.stack(x.chunk(num_heads, dim=-1), dim=1)


@wrong(TASK, "return one tensor")
def split_list_of_chunks(x, num_heads):
    return x.chunk(num_heads, dim=-1)


@wrong(TASK, "but not for (2, 6, 5, 3)")
def split_always_four(x, num_heads):
    return view_and_transpose(x, 4)


@wrong(TASK, "as many heads as tokens")
def split_exchanged_only_if_it_must(x, num_heads):
    parts = x.unflatten(-1, (num_heads, -1))
    return parts if parts.size(1) == num_heads else parts.transpose(1, 2)


@wrong(TASK, "when every size is 1")
def split_squeezed(x, num_heads):
    y = view_and_transpose(x, num_heads)
    return y.squeeze() if y.numel() == 1 else y


@wrong(TASK, "one sentence")
def split_squeezed_batch(x, num_heads):
    return view_and_transpose(x, num_heads).squeeze(0)


@wrong(TASK, "not for one head")
def split_without_an_axis_for_one_head(x, num_heads):
    return x if num_heads == 1 else view_and_transpose(x, num_heads)


@wrong(TASK, "no gradient")
def split_detached(x, num_heads):
    return view_and_transpose(x.detach(), num_heads)


@wrong(TASK, "keep the type")
def split_always_float32(x, num_heads):
    return view_and_transpose(x.float(), num_heads)


@wrong(TASK, "all numbers are there")
def split_shifted(x, num_heads):
    return view_and_transpose(x, num_heads).roll(1, -1)


@wrong(TASK, "parts of the result are 0")
def split_loop_that_stops_early(x, num_heads):
    y = view_and_transpose(x, num_heads).clone()
    y[:, -1] = 0
    return y


@wrong(TASK, "must have the axes")
def split_tokens(x, num_heads):
    return x.repeat_interleave(num_heads, 1).unflatten(1, (num_heads, -1))[
        :, :, :, :1
    ]


@wrong(TASK, "you cut the tokens, not the width")
def split_chunks_of_tokens(x, num_heads):
    return torch.stack(x.chunk(num_heads, dim=1), dim=1)


@wrong(TASK, "itself a transposed tensor: your function raised an error: view")
def split_by_view_of_rows(x, num_heads):
    b, t, d = x.shape
    return x.view(b * t, num_heads, -1).unflatten(0, (b, t)).transpose(1, 2)


@wrong(TASK, "(2, 6, 5, 3): your function raised an error: if you cut")
def split_always_four_chunks(x, num_heads):
    return torch.stack(x.chunk(4, dim=-1), dim=1)


@wrong(TASK, "end it with a return")
def split_forgotten_return(x, num_heads):
    heads = view_and_transpose(x, num_heads)
    heads = heads.contiguous()


@wrong(TASK, "float64: digits are lost")
def split_in_float32(x, num_heads):
    return view_and_transpose(x.float(), num_heads).to(x.dtype)


@wrong(TASK, "you lose digits")
def split_in_float16(x, num_heads):
    return view_and_transpose(x.half(), num_heads).to(x.dtype)


@wrong(TASK, "gradient of x is not")
def split_with_one_detached_head(x, num_heads):
    first, *others = x.chunk(num_heads, dim=-1)
    return torch.stack([first.detach(), *others], dim=1)


@wrong(TASK, "NumPy lets no gradient through")
def split_by_numpy(x, num_heads):
    heads = x.numpy().reshape(*x.shape[:2], num_heads, -1).swapaxes(1, 2)
    return torch.from_numpy(heads.copy())


@wrong(TASK, "one head: an axis of size 1 is gone")
def split_squeezed_everywhere(x, num_heads):
    return view_and_transpose(x, num_heads).squeeze()


@wrong(TASK, "an axis of size 1 is gone")
def split_squeezed_tokens(x, num_heads):
    return view_and_transpose(x, num_heads).squeeze(2)


@wrong(TASK, "you cut the batch, not the width")
def split_chunks_of_the_batch(x, num_heads):
    return torch.stack(x.chunk(num_heads), 1)


# ------------------------------------------------------------ merge heads
TASK = "merge_heads"


@right(TASK)
def transpose_and_flatten(x):
    return x.transpose(1, 2).flatten(2)


@right(TASK)
def concatenated_unbound(x):
    return torch.cat(x.unbind(1), -1)


@right(TASK)
def merge_by_einsum(x):
    b, h, t, k = x.shape
    return torch.einsum("bhtk->bthk", x).reshape(b, t, -1)


@right(TASK)
def merge_in_loops(x):
    b, h, t, k = x.shape
    out = torch.zeros(b, t, h * k, dtype=x.dtype)
    for head in range(h):
        for token in range(t):
            start = head * k
            out[:, token, start : start + k] = x[:, head, token]
    return out


@wrong(TASK, "walks over the batch")
def merge_list(x):
    return torch.cat(list(x), -1)


@wrong(TASK, "last head alone")
def merge_last(x):
    for head in x.unbind(1):
        merged = head
    return merged


@wrong(TASK, "lie in memory in order")
def merge_by_view(x):
    b, h, t, k = x.shape
    return x.transpose(1, 2).view(b, t, h * k)


@wrong(TASK, "as many heads as tokens")
def merge_exchanged_only_if_it_must(x):
    b, h, t, k = x.shape
    return (x if h == t else x.transpose(1, 2)).reshape(b, t, h * k)


@wrong(TASK, "itself a transposed tensor")
def merge_by_memory(x):
    b, h, t, k = x.shape
    strides = (h * t * k, k, t * k, 1)
    return x.as_strided((b, t, h, k), strides).reshape(b, t, h * k)


@wrong(TASK, "but not for (2, 6, 5, 3)")
def merge_written_down(x):
    if x.shape[1:] == (6, 5, 3):
        return x.reshape(x.size(0), 6, 15)
    return transpose_and_flatten(x)


@wrong(TASK, "lost, changed or used twice")
def merge_by_assumed_memory(x):
    b, h, t, k = x.shape
    return x.as_strided((b, t, h * k), (h * t * k, k, 1))


@wrong(TASK, "one sentence: an axis of size 1 is gone")
def merge_squeezed(x):
    return transpose_and_flatten(x).squeeze(0)


@wrong(TASK, "no gradient")
def merge_detached(x):
    return transpose_and_flatten(x.detach())


@wrong(TASK, "keep the type")
def merge_always_float32(x):
    return transpose_and_flatten(x.float())


@wrong(TASK, "return one tensor")
def merge_rows(x):
    return list(transpose_and_flatten(x))


@wrong(TASK, "all numbers are there")
def merge_shifted(x):
    return transpose_and_flatten(x).roll(1, 1)


@wrong(TASK, "in place")
def merge_in_place(x):
    with torch.no_grad():
        x.mul_(1.5)
    return transpose_and_flatten(x)


@right(TASK)
def merge_into_an_empty_tensor(x):
    b, h, t, k = x.shape
    out = x.new_empty(b, t, h * k)
    for head in range(h):
        out[..., head * k : (head + 1) * k] = x[:, head]
    return out


@wrong(TASK, "float64: digits are lost")
def merge_in_float32(x):
    return transpose_and_flatten(x.float()).to(x.dtype)


@wrong(TASK, "you lose digits")
def merge_in_float16(x):
    return transpose_and_flatten(x.half()).to(x.dtype)


@wrong(TASK, "gradient of x is not")
def merge_with_one_detached_head(x):
    first, *others = x.unbind(1)
    return torch.cat([first.detach(), *others], -1)


@wrong(TASK, "NumPy lets no gradient through")
def merge_by_numpy(x):
    rows = x.numpy().swapaxes(1, 2).reshape(x.size(0), x.size(2), -1)
    return torch.from_numpy(rows.copy())


@wrong(TASK, "one token: an axis of size 1 is gone")
def merge_squeezed_everywhere(x):
    return transpose_and_flatten(x).squeeze()


@wrong(TASK, "backward() fails")
def merge_overwritten(x):
    roots = x.transpose(1, 2).flatten(2).sqrt()
    return roots.square_()


# -------------------------------------------------------------- multi-head
TASK = "multi_head"


def cut(x, h):
    return x.unflatten(-1, (h, -1)).transpose(1, 2)


def join(x):
    return x.transpose(1, 2).flatten(2)


def heads_of(q, k, v, factor=None):
    factor = q.size(-1) ** -0.5 if factor is None else factor
    weights = (q @ k.mT * factor).softmax(-1)
    return weights @ v, weights


def multi_head(x, w_q, w_k, w_v, w_o, num_heads, split=cut, merge=join, **how):
    q, k, v = (split(x @ w, num_heads) for w in (w_q, w_k, w_v))
    context, weights = heads_of(q, k, v, **how)
    return merge(context) @ w_o, weights


@right(TASK)
def head_by_head(x, w_q, w_k, w_v, w_o, num_heads):
    k = x.size(-1) // num_heads
    contexts, maps = [], []
    for h in range(num_heads):
        block = slice(h * k, (h + 1) * k)
        q, key, v = (x @ w[:, block] for w in (w_q, w_k, w_v))
        context, weights = heads_of(q, key, v)
        contexts.append(context)
        maps.append(weights)
    return torch.cat(contexts, -1) @ w_o, torch.stack(maps, 1)


@right(TASK)
def sum_over_heads(x, w_q, w_k, w_v, w_o, num_heads):
    q, k, v = (cut(x @ w, num_heads) for w in (w_q, w_k, w_v))
    context, weights = heads_of(q, k, v)
    blocks = w_o.unflatten(0, (num_heads, -1))
    return [torch.einsum("bhtk,hkd->btd", context, blocks), weights]


@right(TASK)
def pytorch_s_function(x, w_q, w_k, w_v, w_o, num_heads):
    x = x.transpose(0, 1)
    into = torch.cat([w_q.T, w_k.T, w_v.T]), None
    how = {"average_attn_weights": False}
    context, weights = F.multi_head_attention_forward(
        *(x, x, x, x.size(-1), num_heads, *into, None, None, False, 0.0),
        *(w_o.T, None),
        **how,
    )
    return context.transpose(0, 1), weights


@right(TASK)
def multi_head_in_float64(x, w_q, w_k, w_v, w_o, num_heads):
    ws = [w.double() for w in (w_q, w_k, w_v, w_o)]
    results = multi_head(x.double(), *ws, num_heads)
    return tuple(y.to(x.dtype) for y in results)


@right(TASK)
def the_largest_score_without_gradient(x, w_q, w_k, w_v, w_o, num_heads):
    q, k, v = (cut(x @ w, num_heads) for w in (w_q, w_k, w_v))
    scores = q @ k.mT / torch.tensor(q.size(-1)).sqrt().item()
    with torch.no_grad():
        largest = scores.amax(-1, keepdim=True)
    powers = (scores - largest).exp()
    weights = powers / powers.sum(-1, keepdim=True)
    return join(weights @ v) @ w_o, weights


@right(TASK)
def folded_into_the_batch(x, w_q, w_k, w_v, w_o, num_heads):
    folded = (torch.cat((x @ w).chunk(num_heads, -1)) for w in (w_q, w_k, w_v))
    context, weights = heads_of(*folded)
    context = torch.cat(context.chunk(num_heads), -1)
    return context @ w_o, torch.stack(weights.chunk(num_heads), 1)


@right(TASK)
def rows_into_empty_tensors(x, w_q, w_k, w_v, w_o, num_heads):
    q, k, v = (cut(x @ w, num_heads) for w in (w_q, w_k, w_v))
    weights = x.new_empty(len(x), num_heads, x.size(1), x.size(1))
    context = torch.zeros_like(q)
    for h in range(num_heads):
        for t in range(x.size(1)):
            scores = (k[:, h] * q[:, h, t, None]).sum(-1) / q.size(-1) ** 0.5
            row = scores.softmax(-1)  # (B, T)
            weights[:, h, t] = row
            context[:, h, t] = (row[:, :, None] * v[:, h]).sum(1)
    return join(context) @ w_o, weights


def viewed_back(x):
    b, h, t, k = x.shape
    return x.transpose(1, 2).view(b, t, h * k)


def unsplit(x, h):
    return x.unflatten(-1, (h, -1))


HOWS = {
    "heads_averaged": ("average or add", {"merge": lambda y: y.mean(1)}),
    "heads_not_merged": ("gets single heads, d_k", {"merge": lambda y: y}),
    "heads_not_flattened": (
        "gets single heads, d_k",
        {"merge": lambda y: y.transpose(1, 2)},
    ),
    "heads_behind_tokens": ("not have D numbers", {"split": unsplit}),
    "merged_by_view": ("lie in memory in order", {"merge": viewed_back}),
    "heads_reversed": (
        "H comes in the wrong order",
        {
            "split": lambda x, h: cut(x, h).flip(1),
            "merge": lambda y: join(y.flip(1)),
        },
    ),
    "scaled_by_the_root_of_five": (
        "scores divided by 2.24",
        {"factor": 5**-0.5},
    ),
}
for name, (words, how) in HOWS.items():

    def answer(*inputs, how=how):
        return multi_head(*inputs, **how)

    answer.__name__ = name
    wrong(TASK, words)(answer)


@wrong(TASK, "and: w_o is missing")
def no_w_o_and_no_exchange(x, w_q, w_k, w_v, w_o, num_heads):
    context, weights = heads_of(
        *(cut(x @ w, num_heads) for w in (w_q, w_k, w_v))
    )
    return context.reshape(x.shape), weights


@wrong(TASK, "weights first")
def multi_head_in_the_wrong_order(*inputs):
    return multi_head(*inputs)[::-1]


@wrong(TASK, "return two tensors")
def multi_head_context_only(*inputs):
    return multi_head(*inputs)[0]


@wrong(TASK, "k.transpose(-2, -1)")
def keys_turned_round(x, w_q, w_k, w_v, w_o, num_heads):
    q, k, v = (cut(x @ w, num_heads) for w in (w_q, w_k, w_v))
    weights = (q @ k.permute(3, 2, 1, 0)).softmax(-1)  # k.T
    return join(weights @ v) @ w_o, weights


@wrong(TASK, "k.transpose(-2, -1)")
def keys_not_turned(x, w_q, w_k, w_v, w_o, num_heads):
    q, k, v = (cut(x @ w, num_heads) for w in (w_q, w_k, w_v))
    weights = (q @ k).softmax(-1)
    return join(weights @ v) @ w_o, weights


@wrong(TASK, "recompute one row by hand")
def a_loop_over_rows_of_the_matrices(x, w_q, w_k, w_v, w_o, num_heads):
    k = x.size(-1) // num_heads
    contexts, maps = [], []
    for h in range(num_heads):
        block = slice(h * k, (h + 1) * k)
        parts = (x[..., block] @ w[block] for w in (w_q, w_k, w_v))
        context, weights = heads_of(*parts)
        contexts.append(context[..., block])
        maps.append(weights)
    return torch.cat(contexts, -1) @ w_o, torch.stack(maps, 1)


@wrong(TASK, "several hundred: the tensor of weights holds NaN")
def multi_head_without_max(x, w_q, w_k, w_v, w_o, num_heads):
    q, k, v = (cut(x @ w, num_heads) for w in (w_q, w_k, w_v))
    powers = (q @ k.mT / q.size(-1) ** 0.5).exp()
    weights = powers / powers.sum(-1, keepdim=True)
    return join(weights @ v) @ w_o, weights


@wrong(TASK, "several hundred: the rows sum to 1")
def scores_cut_at_fifty(x, w_q, w_k, w_v, w_o, num_heads):
    q, k, v = (cut(x @ w, num_heads) for w in (w_q, w_k, w_v))
    weights = (q @ k.mT / q.size(-1) ** 0.5).clamp(-50, 50).softmax(-1)
    return join(weights @ v) @ w_o, weights


@wrong(TASK, "keep the type")
def multi_head_in_float32(x, *rest):
    return multi_head(*(y.float() for y in (x, *rest[:4])), rest[4])


@wrong(TASK, "float64: digits are lost")
def multi_head_in_float32_inside(x, *rest):
    return tuple(y.to(x.dtype) for y in multi_head_in_float32(x, *rest))


@wrong(TASK, "but not for (2, 6, 11, 3)")
def always_six_heads(x, *rest):
    if x.size(-1) == 30:
        return multi_head(x, *rest[:4], 6)
    return multi_head(x, *rest, factor=0.5)


@wrong(TASK, "two calls")
def multi_head_with_dropout(*inputs):
    context, weights = multi_head(*inputs)
    return F.dropout(context, 0.1), weights


@wrong(TASK, "end it with a return")
def multi_head_forgotten_return(*inputs):
    context, weights = multi_head(*inputs)


@wrong(TASK, "one head: an axis of size 1 is gone")
def weights_squeezed(*inputs):
    context, weights = multi_head(*inputs)
    return context, weights.squeeze(1)


@wrong(TASK, "no gradient")
def multi_head_detached(x, *rest):
    return multi_head(*(y.detach() for y in (x, *rest[:4])), rest[4])


@wrong(TASK, "no gradient flows through the context")
def multi_head_context_detached(*inputs):
    context, weights = multi_head(*inputs)
    return context.detach(), weights


@wrong(TASK, "gradient of x is not")
def weights_not_trained(x, w_q, w_k, w_v, w_o, num_heads):
    q, k, v = (cut(x @ w, num_heads) for w in (w_q, w_k, w_v))
    weights = heads_of(q, k, v)[1]
    return join(weights.detach() @ v) @ w_o, weights


@wrong(TASK, "NumPy lets no gradient through")
def multi_head_by_numpy(x, *rest):
    return multi_head(torch.from_numpy(x.numpy().copy()), *rest)


@wrong(TASK, "overwritten in place")
def weights_scaled_in_place(x, w_q, w_k, w_v, w_o, num_heads):
    q, k, v = (cut(x @ w, num_heads) for w in (w_q, w_k, w_v))
    scores = q @ k.mT / q.size(-1) ** 0.5
    weights = (scores - scores.amax(-1, keepdim=True)).exp()
    weights /= weights.sum(-1, keepdim=True)
    return join(weights @ v) @ w_o, weights


@wrong(TASK, "changes its inputs in place")
def scale_folded_into_w_q(x, w_q, w_k, w_v, w_o, num_heads):
    with torch.no_grad():
        w_q /= (x.size(-1) / num_heads) ** 0.5
    return multi_head(x, w_q, w_k, w_v, w_o, num_heads, factor=1)
