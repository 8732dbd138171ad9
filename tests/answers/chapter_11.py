"""Answers to the tasks of chapter 11, Encoder and decoder."""

import copy
import functools

import torch
import torch.nn.functional as F

from answers.registry import right, wrong

# -------------------------------------------------------- encoder layer
TASK = "encoder_layer"


@right(TASK)
def enc_plain(x, mask, parts):
    y = parts.norm_1(x)
    x = x + parts.self_attention(y, y, y, mask)[0]
    return x + parts.feed_forward(parts.norm_2(x))


@right(TASK)
def enc_unpacked(stream, keep, p):
    normed = p.norm_1(stream)
    written, _ = p.self_attention(q=normed, k=normed, v=normed, mask=keep)
    middle = torch.add(written, stream)
    return torch.stack([p.feed_forward(p.norm_2(middle)), middle]).sum(0)


@right(TASK)
def enc_sentence_by_sentence(x, mask, parts):
    rows = []
    for i in range(len(x)):
        y = parts.norm_1(x[i : i + 1])
        own = mask[i : i + 1]
        row = x[i : i + 1] + parts.self_attention(y, y, y, own)[0]
        rows.append(row + parts.feed_forward(parts.norm_2(row)))
    return torch.cat(rows)


@right(TASK)
def enc_by_a_helper(x, mask, parts):
    def around(x, norm, sublayer):
        return x + sublayer(norm(x))

    x = around(
        x, parts.norm_1, lambda y: parts.self_attention(y, y, y, mask)[0]
    )
    return around(x, parts.norm_2, parts.feed_forward)


@right(TASK)
def enc_with_the_whole_mask(x, mask, parts):
    y = parts.norm_1(x)
    whole = mask.expand(len(x), 1, x.size(1), x.size(1))
    a = parts.self_attention(y, y, y, whole)[0]
    a += x
    return parts.feed_forward(parts.norm_2(a)) + a


@right(TASK)
def enc_by_the_names_of_the_page(x, mask, parts):
    y = parts.norm_1(y=x)
    a, _ = parts.self_attention(q=y, k=y, v=y, mask=mask)
    middle = x.add(a)
    return middle.add(parts.feed_forward(y=parts.norm_2(y=middle)))


def no_residual_1(x, m, p):
    y = p.norm_1(x)
    x = p.self_attention(y, y, y, m)[0]
    return x + p.feed_forward(p.norm_2(x))


def no_residual_2(x, m, p):
    y = p.norm_1(x)
    x = x + p.self_attention(y, y, y, m)[0]
    return p.feed_forward(p.norm_2(x))


def normed_residual_1(x, m, p):
    y = p.norm_1(x)
    x = y + p.self_attention(y, y, y, m)[0]
    return x + p.feed_forward(p.norm_2(x))


def normed_residual_2(x, m, p):
    y = p.norm_1(x)
    x = x + p.self_attention(y, y, y, m)[0]
    y = p.norm_2(x)
    return y + p.feed_forward(y)


def first_x_again(x, m, p):
    y = p.norm_1(x)
    z = x + p.self_attention(y, y, y, m)[0]
    return x + p.feed_forward(p.norm_2(z))


def shared_norm(x, m, p):
    y = p.norm_1(x)
    x = x + p.self_attention(y, y, y, m)[0]
    return x + p.feed_forward(p.norm_1(x))


def post_norm(x, m, p):
    x = p.norm_1(x + p.self_attention(x, x, x, m)[0])
    return p.norm_2(x + p.feed_forward(x))


def no_mask(x, m, p):
    y = p.norm_1(x)
    x = x + p.self_attention(y, y, y)[0]
    return x + p.feed_forward(p.norm_2(x))


def inverted_mask(x, m, p):
    y = p.norm_1(x)
    x = x + p.self_attention(y, y, y, ~m)[0]
    return x + p.feed_forward(p.norm_2(x))


def other_mask(x, m, p):
    y = p.norm_1(x)
    m = m & torch.ones(x.size(1), x.size(1), dtype=torch.bool).tril()
    x = x + p.self_attention(y, y, y, m)[0]
    return x + p.feed_forward(p.norm_2(x))


def feed_first(x, m, p):
    x = x + p.feed_forward(p.norm_2(x))
    y = p.norm_1(x)
    return x + p.self_attention(y, y, y, m)[0]


def no_feed(x, m, p):
    y = p.norm_1(x)
    return x + p.self_attention(y, y, y, m)[0]


def feed_of_the_stream(x, m, p):
    y = p.norm_1(x)
    x = x + p.self_attention(y, y, y, m)[0]
    p.norm_2(x)
    return x + p.feed_forward(x)


def without_norm_2(x, m, p):
    y = p.norm_1(x)
    x = x + p.self_attention(y, y, y, m)[0]
    return x + p.feed_forward(x)


def without_norm_1(x, m, p):
    x = x + p.self_attention(x, x, x, m)[0]
    return x + p.feed_forward(p.norm_2(x))


def norm_1_thrown_away(x, m, p):
    p.norm_1(x)
    x = x + p.self_attention(x, x, x, m)[0]
    return x + p.feed_forward(p.norm_2(x))


def values_not_normed(x, m, p):
    y = p.norm_1(x)
    x = x + p.self_attention(y, y, x, m)[0]
    return x + p.feed_forward(p.norm_2(x))


def pair_added(x, m, p):
    y = p.norm_1(x)
    x = x + p.self_attention(y, y, y, m)
    return x + p.feed_forward(p.norm_2(x))


def weights_for_output(x, m, p):
    y = p.norm_1(x)
    x = x + p.self_attention(y, y, y, m)[1]
    return x + p.feed_forward(p.norm_2(x))


def returns_weights_too(x, m, p):
    y = p.norm_1(x)
    a, weights = p.self_attention(y, y, y, m)
    x = x + a
    return x + p.feed_forward(p.norm_2(x)), weights


def in_place(x, m, p):
    y = p.norm_1(x)
    x += p.self_attention(y, y, y, m)[0]
    return x + p.feed_forward(p.norm_2(x))


def overwritten_on_the_way(x, m, p):
    y = p.norm_1(x)
    x = x + p.self_attention(y, y, y, m)[0]
    x += p.feed_forward(p.norm_2(x))
    return x


def dropout_on(x, m, p):
    y = p.norm_1(x)
    x = x + F.dropout(p.self_attention(y, y, y, m)[0], 0.3)
    return x + p.feed_forward(p.norm_2(x))


def detached(x, m, p):
    y = p.norm_1(x)
    x = x + p.self_attention(y, y, y, m)[0].detach()
    return x + p.feed_forward(p.norm_2(x))


def side_by_side(x, m, p):
    y = p.norm_1(x)
    return x + p.self_attention(y, y, y, m)[0] + p.feed_forward(p.norm_2(x))


def attends_twice(x, m, p):
    y = p.norm_1(x)
    p.self_attention(y, y, y, m)
    x = x + p.self_attention(y, y, y, m)[0]
    x = x + p.self_attention(y, y, y, m)[0]
    return x + p.feed_forward(p.norm_2(x))


def misspelt(x, m, p):
    return p.norm1(x)


def exchanged_norms(x, m, p):
    y = p.norm_2(x)
    x = x + p.self_attention(y, y, y, m)[0]
    return x + p.feed_forward(p.norm_1(x))


def halved(x, m, p):
    y = p.norm_1(x)
    x = x + p.self_attention(y, y, y, m)[0]
    return (x + p.feed_forward(p.norm_2(x))) / 2


def forgets_the_return(x, m, p):
    y = p.norm_1(x)
    x = x + p.self_attention(y, y, y, m)[0]


def squeezes_the_attention(x, m, p):
    y = p.norm_1(x)
    x = x + p.self_attention(y, y, y, m)[0].squeeze()
    return x + p.feed_forward(p.norm_2(x))


def squeezes_the_result(x, m, p):
    return enc_plain(x, m, p).squeeze()


def mask_from_counts(x, m, p):
    m = torch.arange(x.size(1)) < m.sum(-1, keepdim=True)
    return enc_plain(x, m, p)


MASKS_BY_SHAPE = {}


def first_mask_kept(x, m, p):
    m = MASKS_BY_SHAPE.setdefault(m.shape, m)
    return enc_plain(x, m, p)


def clamped(x, m, p):
    return enc_plain(x, m, p).clamp(-50, 50)


def mask_before_the_values(x, m, p):
    y = p.norm_1(x)
    x = x + p.self_attention(y, y, m, y)[0]
    return x + p.feed_forward(p.norm_2(x))


def keys_detached(x, m, p):
    y = p.norm_1(x)
    x = x + p.self_attention(y, y.detach(), y, m)[0]
    return x + p.feed_forward(p.norm_2(x))


def norm_2_detached(x, m, p):
    y = p.norm_1(x)
    x = x + p.self_attention(y, y, y, m)[0]
    return x + p.feed_forward(p.norm_2(x.detach()))


def float32_inside(x, m, p):
    y = p.norm_1(x)
    a = p.self_attention(y, y, y, m)[0]
    x = (x.float() + a.float()).to(x.dtype)
    return x + p.feed_forward(p.norm_2(x))


def side_by_side_in_width(x, m, p):
    y = p.norm_1(x)
    x = torch.cat([x, p.self_attention(y, y, y, m)[0]], dim=-1)
    return x + p.feed_forward(p.norm_2(x))


def norm_2_of_a_pair(x, m, p):
    y = p.norm_1(x)
    pair = p.self_attention(y, y, y, m)
    return x + p.feed_forward(p.norm_2(pair))


def feed_of_a_list(x, m, p):
    y = p.norm_1(x)
    x = x + p.self_attention(y, y, y, m)[0]
    return x + p.feed_forward([p.norm_2(x)])


def the_first_x_too(x, m, p):
    return x + enc_plain(x, m, p)


def rounded(x, m, p):
    return enc_plain(x, m, p).bfloat16().to(x.dtype)


def mask_of_the_first_in_a_loop(x, m, p):
    rows = [enc_plain(x[i : i + 1], m[:1], p) for i in range(len(x))]
    return torch.cat(rows)


def norms_behind(x, m, p):
    x = x + p.norm_1(p.self_attention(x, x, x, m)[0])
    return x + p.norm_2(p.feed_forward(x))


ENCODER_SLIPS = [
    (mask_of_the_first_in_a_loop, "the mask of the first one"),
    (norms_behind, "both norms get what their sublayers return"),
    (no_residual_1, "no residual around self_attention"),
    (no_residual_2, "no residual around feed_forward"),
    (normed_residual_1, "around self_attention adds the normed stream"),
    (normed_residual_2, "around feed_forward adds the normed stream"),
    (first_x_again, "around feed_forward adds the first x"),
    (shared_norm, "norm_1 stands before feed_forward, where norm_2"),
    (post_norm, "both norms come after their sublayers"),
    (no_mask, "self_attention is called without its mask"),
    (inverted_mask, "upside down"),
    (other_mask, "self_attention gets a causal mask"),
    (feed_first, "feed_forward comes before self_attention"),
    (no_feed, "without what feed_forward returns"),
    (feed_of_the_stream, "feed_forward reads the stream without norm_2"),
    (without_norm_2, "feed_forward reads the stream without norm_2"),
    (without_norm_1, "self_attention reads the stream without norm_1"),
    (norm_1_thrown_away, "self_attention reads the stream without norm_1"),
    (values_not_normed, "values of self_attention are made of the stream"),
    (pair_added, "returns a pair"),
    (weights_for_output, "neither its weights nor the memory"),
    (returns_weights_too, "return one tensor, the stream"),
    (in_place, "in place"),
    (overwritten_on_the_way, "overwritten in place"),
    (dropout_on, "leave dropout out"),
    (detached, "detached"),
    (side_by_side, "without what self_attention returns"),
    (attends_twice, "is added twice"),
    (misspelt, "parts has no norm1"),
    (exchanged_norms, "norm_2 stands before self_attention"),
    (halved, "half of what it should be"),
    (forgets_the_return, "returns nothing"),
    (squeezes_the_attention, "not for one: the stream must have the axes"),
    (squeezes_the_result, "leave squeeze out"),
    (mask_from_counts, "right for one batch, but not for another"),
    (first_mask_kept, "right for one batch, but not for another"),
    (clamped, "not for large ones"),
    (mask_before_the_values, "a mask among its tensors"),
    (keys_detached, "the gradient of x is not"),
    (norm_2_detached, "the gradient of x is not"),
    (float32_inside, "digits are lost"),
    (side_by_side_in_width, "got input of size[3, 5, 12]"),
    (the_first_x_too, "you add the first x once more"),
    (rounded, "cut off or rounded"),
    (norm_2_of_a_pair, "returns a pair"),
    (feed_of_a_list, "feed_forward got a list"),
]


def register(task, slips):
    """Register wrong answers with the words of their hints."""
    for function, hint in slips:
        wrong(task, hint)(function)


register(TASK, ENCODER_SLIPS)


# -------------------------------------------------------- decoder layer
TASK = "decoder_layer"


@right(TASK)
def dec_plain(x, memory, masks, parts):
    y = parts.norm_1(x)
    x = x + parts.self_attention(y, y, y, masks[0])[0]
    y = parts.norm_2(x)
    x = x + parts.cross_attention(y, memory, memory, masks[1])[0]
    return x + parts.feed_forward(parts.norm_3(x))


@right(TASK)
def dec_unpacked(stream, source, masks, p):
    own, cross = masks
    y = p.norm_1(stream)
    a, _ = p.self_attention(y, y, y, mask=own)
    b, _ = p.cross_attention(p.norm_2(stream + a), source, source, mask=cross)
    c = p.feed_forward(p.norm_3(stream + a + b))
    return stream + a + b + c


@right(TASK)
def dec_sentence_by_sentence(x, memory, masks, parts):
    rows = []
    for i in range(len(x)):
        part = slice(i, i + 1)
        own = [m[part] for m in masks]
        rows.append(dec_plain(x[part], memory[part], own, parts))
    return torch.cat(rows)


@right(TASK)
def dec_by_a_list(x, memory, masks, parts):
    steps = [
        (parts.norm_1, lambda y: parts.self_attention(y, y, y, masks[0])[0]),
        (
            parts.norm_2,
            lambda y: parts.cross_attention(y, memory, memory, masks[1])[0],
        ),
        (parts.norm_3, parts.feed_forward),
    ]
    for norm, sublayer in steps:
        x = sublayer(norm(x)) + x
    return x


@right(TASK)
def dec_in_float64_sums(x, memory, masks, parts):
    y = parts.norm_1(x)
    x = torch.stack([x, parts.self_attention(y, y, y, masks[0])[0]]).sum(0)
    y = parts.norm_2(x)
    z = parts.cross_attention(y, memory, memory, masks[1])[0]
    x = torch.einsum("ibtd->btd", torch.stack([x, z]))
    return torch.add(x, parts.feed_forward(parts.norm_3(x)))


def prefixes(x, mask, p, padding):
    """Return x after self-attention, one prefix after the other."""
    y, written = p.norm_1(x), []
    for t in range(1, x.size(1) + 1):
        own = mask[..., t - 1 : t, :t] if padding else None
        read = p.self_attention(y[:, t - 1 : t], y[:, :t], y[:, :t], own)
        written.append(read[0])
    return x + torch.cat(written, dim=1)


@right(TASK)
def dec_prefix_by_prefix(x, memory, masks, p):
    x = prefixes(x, masks[0], p, padding=True)
    x = x + p.cross_attention(p.norm_2(x), memory, memory, masks[1])[0]
    return x + p.feed_forward(p.norm_3(x))


@wrong(TASK, "the triangle alone")
def dec_prefixes_with_pads(x, memory, masks, p):
    x = prefixes(x, masks[0], p, padding=False)
    x = x + p.cross_attention(p.norm_2(x), memory, memory, masks[1])[0]
    return x + p.feed_forward(p.norm_3(x))


def layer(
    own=lambda p, y, x, mem, m: p.self_attention(y, y, y, m[0])[0],
    cross=lambda p, y, x, mem, m: p.cross_attention(y, mem, mem, m[1])[0],
    feed=lambda p, y, x, mem, m: p.feed_forward(y),
    norms=(1, 2, 3),
    order="ocf",
    add=lambda name, x, y, z, first: x + z,
):
    """Return a decoder layer in which one thing can be exchanged."""

    def decoder_layer(x, memory, masks, parts):
        first = x
        subs = {"o": own, "c": cross, "f": feed}
        for name, number in zip(order, norms, strict=True):
            norm = getattr(parts, f"norm_{number}")
            y = norm(x)
            z = subs[name](parts, y, x, memory, masks)
            x = add(name, x, y, z, first)
        return x

    return decoder_layer


def crossed(choose):
    """Return a layer whose cross-attention gets other things."""
    return layer(
        cross=lambda p, y, x, mem, m: p.cross_attention(*choose(y, x, mem, m))[
            0
        ]
    )


def owned(choose):
    """Return a layer whose self-attention gets other things."""
    return layer(
        own=lambda p, y, x, mem, m: p.self_attention(*choose(y, x, mem, m))[0]
    )


def without_residual(which):
    """Return a layer that forgets one residual."""
    return layer(add=lambda n, x, y, z, first: z if n == which else x + z)


def from_the_normed(which):
    """Return a layer with one residual around the normed stream."""
    return layer(add=lambda n, x, y, z, first: (y if n == which else x) + z)


def from_the_first(which):
    """Return a layer with one residual that starts from x again."""
    return layer(
        add=lambda n, x, y, z, first: (first if n == which else x) + z
    )


def dec_post_norm(x, memory, m, p):
    x = p.norm_1(x + p.self_attention(x, x, x, m[0])[0])
    x = p.norm_2(x + p.cross_attention(x, memory, memory, m[1])[0])
    return p.norm_3(x + p.feed_forward(x))


def dec_memory_normed(x, memory, m, p):
    y = p.norm_1(x)
    x = x + p.self_attention(y, y, y, m[0])[0]
    y, memory = p.norm_2(x), p.norm_2(memory)
    x = x + p.cross_attention(y, memory, memory, m[1])[0]
    return x + p.feed_forward(p.norm_3(x))


def dec_self_for_cross(x, memory, m, p):
    y = p.norm_1(x)
    x = x + p.self_attention(y, y, y, m[0])[0]
    y = p.norm_2(x)
    x = x + p.self_attention(y, memory, memory, m[1])[0]
    return x + p.feed_forward(p.norm_3(x))


def dec_side_by_side(x, memory, m, p):
    y = p.norm_1(x)
    a = p.self_attention(y, y, y, m[0])[0]
    b = p.cross_attention(p.norm_2(x), memory, memory, m[1])[0]
    x = x + a + b
    return x + p.feed_forward(p.norm_3(x))


def dec_like_the_encoder(x, memory, m, p):
    y = p.norm_1(x)
    x = x + p.self_attention(y, y, y, m[0])[0]
    return x + p.feed_forward(p.norm_2(x))


def dec_pair(x, memory, m, p):
    y = p.norm_1(x)
    x = x + p.self_attention(y, y, y, m[0])[0]
    x = x + p.cross_attention(p.norm_2(x), memory, memory, m[1])
    return x + p.feed_forward(p.norm_3(x))


def dec_returns_all(x, memory, m, p):
    return dec_plain(x, memory, m, p), memory


def dec_in_place(x, memory, m, p):
    y = p.norm_1(x)
    x += p.self_attention(y, y, y, m[0])[0]
    y = p.norm_2(x)
    x += p.cross_attention(y, memory, memory, m[1])[0]
    return x + p.feed_forward(p.norm_3(x))


def dec_dropout(x, memory, m, p):
    return F.dropout(dec_plain(x, memory, m, p), 0.2)


def dec_detached(x, memory, m, p):
    return dec_plain(x, memory.detach(), m, p)


def dec_squeezed(x, memory, m, p):
    y = p.norm_1(x)
    x = x + p.self_attention(y, y, y, m[0])[0]
    y = p.norm_2(x)
    x = x + p.cross_attention(y, memory, memory, m[1])[0].squeeze()
    return x + p.feed_forward(p.norm_3(x))


def dec_memory_cut(x, memory, m, p):
    places = x.size(1)
    return dec_plain(x, memory[:, :places], (m[0], m[1][..., :places]), p)


def dec_masks_joined(x, memory, m, p):
    fits = x.size(1) == memory.size(1)
    return dec_plain(x, memory, (m[0] & m[1] if fits else m[0], m[1]), p)


def dec_overwritten(x, memory, m, p):
    y = p.norm_1(x)
    x = x + p.self_attention(y, y, y, m[0])[0]
    x += p.cross_attention(p.norm_2(x), memory, memory, m[1])[0]
    return x + p.feed_forward(p.norm_3(x))


def dec_norm_at_the_end(x, memory, m, p):
    return p.norm_3(dec_plain(x, memory, m, p))


def dec_unused_feed(x, memory, m, p):
    y = p.norm_1(x)
    x = x + p.self_attention(y, y, y, m[0])[0]
    y = p.norm_2(x)
    x = x + p.cross_attention(y, memory, memory, m[1])[0]
    p.feed_forward(p.norm_3(x))
    return x


def dec_no_norm_3(x, memory, m, p):
    y = p.norm_1(x)
    x = x + p.self_attention(y, y, y, m[0])[0]
    y = p.norm_2(x)
    x = x + p.cross_attention(y, memory, memory, m[1])[0]
    return x + p.feed_forward(x)


DECODER_SLIPS = {
    "exchanged": (
        "cross_attention does not fit its keys",
        crossed(lambda y, x, mem, m: (mem, y, y, m[1])),
    ),
    "memory_asks": (
        "as long as the queries",
        crossed(lambda y, x, mem, m: (mem, mem, mem, m[1])),
    ),
    "target_only": (
        "keys and values of cross_attention are made of the target",
        crossed(lambda y, x, mem, m: (y, y, y, m[0])),
    ),
    "target_only_its_mask": (
        "cross_attention does not fit its keys",
        crossed(lambda y, x, mem, m: (y, y, y, m[1])),
    ),
    "keys_of_target": (
        "keys and values of an attention differ",
        crossed(lambda y, x, mem, m: (y, y, mem, m[1])),
    ),
    "values_of_target": (
        "keys and values of an attention differ",
        crossed(lambda y, x, mem, m: (y, mem, y, m[1])),
    ),
    "cross_asks_unnormed": (
        "cross_attention asks with the stream without norm_2",
        crossed(lambda y, x, mem, m: (x, mem, mem, m[1])),
    ),
    "self_mask_in_cross": (
        "cross_attention does not fit its keys",
        crossed(lambda y, x, mem, m: (y, mem, mem, m[0])),
    ),
    "no_mask_in_cross": (
        "cross_attention is called without its mask",
        crossed(lambda y, x, mem, m: (y, mem, mem)),
    ),
    "inverted_cross": (
        "upside down",
        crossed(lambda y, x, mem, m: (y, mem, mem, ~m[1])),
    ),
    "cross_mask_in_self": (
        "self_attention does not fit its keys",
        owned(lambda y, x, mem, m: (y, y, y, m[1])),
    ),
    "no_mask_in_self": (
        "self_attention is called without its mask",
        owned(lambda y, x, mem, m: (y, y, y)),
    ),
    "both_masks": (
        "self_attention got a tuple as its mask",
        owned(lambda y, x, mem, m: (y, y, y, m)),
    ),
    "self_reads_memory": (
        "keys and values of self_attention come from the memory",
        owned(lambda y, x, mem, m: (y, mem, mem, m[1])),
    ),
    "self_unnormed": (
        "self_attention reads the stream without norm_1",
        owned(lambda y, x, mem, m: (x, x, x, m[0])),
    ),
    "no_residual_self": (
        "no residual around self_attention",
        without_residual("o"),
    ),
    "no_residual_cross": (
        "no residual around cross_attention",
        without_residual("c"),
    ),
    "no_residual_feed": (
        "no residual around feed_forward",
        without_residual("f"),
    ),
    "normed_self": (
        "around self_attention adds the normed stream",
        from_the_normed("o"),
    ),
    "normed_cross": (
        "around cross_attention adds the normed stream",
        from_the_normed("c"),
    ),
    "normed_feed": (
        "around feed_forward adds the normed stream",
        from_the_normed("f"),
    ),
    "first_cross": (
        "around cross_attention adds the first x",
        from_the_first("c"),
    ),
    "first_feed": (
        "around feed_forward adds the first x",
        from_the_first("f"),
    ),
    "shared_1_2": (
        "norm_1 stands before cross_attention",
        layer(norms=(1, 1, 3)),
    ),
    "shared_2_3": (
        "norm_2 stands before feed_forward",
        layer(norms=(1, 2, 2)),
    ),
    "shared_1_3": (
        "norm_1 stands before feed_forward",
        layer(norms=(1, 2, 1)),
    ),
    "norms_turned": (
        "norm_2 stands before self_attention",
        layer(norms=(2, 1, 3)),
    ),
    "cross_first": (
        "cross_attention comes before self_attention",
        layer(order="cof", norms=(2, 1, 3)),
    ),
    "feed_before_cross": (
        "feed_forward comes before cross_attention",
        layer(order="ofc", norms=(1, 3, 2)),
    ),
    "feed_reads_stream": (
        "feed_forward reads the stream without norm_3",
        layer(feed=lambda p, y, x, mem, m: p.feed_forward(x)),
    ),
    "post_norm": ("all norms come after", dec_post_norm),
    "memory_normed": ("norm_2 gets the memory", dec_memory_normed),
    "self_for_cross": ("in the place of cross_attention", dec_self_for_cross),
    "side_by_side": ("without what self_attention returns", dec_side_by_side),
    "no_cross": ("cross_attention is never called", dec_like_the_encoder),
    "pair": ("returns a pair", dec_pair),
    "returns_all": ("return one tensor, the stream", dec_returns_all),
    "in_place": ("in place", dec_in_place),
    "dropout": ("leave dropout out", dec_dropout),
    "detached": ("the gradient of memory is not", dec_detached),
    "squeezed": ("not for one: the stream must have the axes", dec_squeezed),
    "memory_cut": (
        "in another way",
        dec_memory_cut,
    ),
    "masks_joined": ("B = T = S = D: the parts", dec_masks_joined),
    "overwritten": ("overwritten in place", dec_overwritten),
    "queries_detached": (
        "the gradient of x is not",
        crossed(lambda y, x, mem, m: (y.detach(), mem, mem, m[1])),
    ),
    "mask_before_the_memory": (
        "gets a mask among its tensors",
        crossed(lambda y, x, mem, m: (y, m[1], mem, mem)),
    ),
    "norm_at_the_end": (
        "the sum at the end is not",
        dec_norm_at_the_end,
    ),
    "unused_feed": ("without what feed_forward returns", dec_unused_feed),
    "no_norm_3": (
        "reads the stream without norm_3",
        dec_no_norm_3,
    ),
}


for name, (hint, function) in DECODER_SLIPS.items():
    function.__name__ = f"dec_{name}"
    wrong(TASK, hint)(function)


# -------------------------------------------------------------- encoder
TASK = "encoder"


@right(TASK)
def stack_plain(x, mask, layers, norm):
    for layer in layers:
        x = layer(x, mask)
    return norm(x)


@right(TASK)
def stack_by_number(stream, keep, blocks, last):
    for i in range(len(blocks)):
        stream = blocks[i](stream, mask=keep)
    return last(stream)


@right(TASK)
def stack_by_reduce(x, mask, layers, norm):
    return norm(functools.reduce(lambda y, layer: layer(y, mask), layers, x))


@right(TASK)
def stack_recursive(x, mask, layers, norm):
    if not layers:
        return norm(x)
    return stack_recursive(layers[0](x, mask), mask, layers[1:], norm)


@right(TASK)
def stack_sentence_by_sentence(x, mask, layers, norm):
    rows = []
    for i in range(len(x)):
        y = x[i : i + 1]
        for layer in layers:
            y = layer(y, mask[i : i + 1])
        rows.append(norm(y))
    return torch.cat(rows)


@right(TASK)
def stack_from_a_copy(x, mask, layers, norm):
    layers = copy.deepcopy(layers)
    while layers:
        x = layers.pop(0)(x, mask)
    return norm(x)


def no_final_norm(x, mask, layers, norm):
    for layer in layers:
        x = layer(x, mask)
    return x


def norm_first(x, mask, layers, norm):
    x = norm(x)
    for layer in layers:
        x = layer(x, mask)
    return x


def norm_each(x, mask, layers, norm):
    for layer in layers:
        x = norm(layer(x, mask))
    return x


def norm_before_each(x, mask, layers, norm):
    for layer in layers:
        x = layer(norm(x), mask)
    return norm(x)


def norm_unused(x, mask, layers, norm):
    for layer in layers:
        x = layer(x, mask)
    norm(x)
    return x


def norm_inside_the_loop(x, mask, layers, norm):
    for layer in layers:
        x = layer(x, mask)
        y = norm(x)
    return y + x


def norm_added(x, mask, layers, norm):
    for layer in layers:
        x = layer(x, mask)
    return x + norm(x)


def x_every_time(x, mask, layers, norm):
    for layer in layers:
        y = layer(x, mask)
    return norm(y)


def without_mask(x, mask, layers, norm):
    for layer in layers:
        x = layer(x)
    return norm(x)


def mask_for_the_first(x, mask, layers, norm):
    for i, layer in enumerate(layers):
        x = layer(x, mask if i == 0 else None)
    return norm(x)


def mask_inverted(x, mask, layers, norm):
    for layer in layers:
        x = layer(x, ~mask)
    return norm(x)


def reverse_order(x, mask, layers, norm):
    for layer in reversed(layers):
        x = layer(x, mask)
    return norm(x)


def first_n_times(x, mask, layers, norm):
    for _ in layers:
        x = layers[0](x, mask)
    return norm(x)


def last_forgotten(x, mask, layers, norm):
    for layer in layers[:-1]:
        x = layer(x, mask)
    return norm(x)


def last_alone(x, mask, layers, norm):
    return norm(layers[-1](x, mask))


def residual_around_layers(x, mask, layers, norm):
    for layer in layers:
        x = x + layer(x, mask)
    return norm(x)


def all_streams(x, mask, layers, norm):
    streams = []
    for layer in layers:
        x = layer(x, mask)
        streams.append(x)
    return streams


def returns_in_the_loop(x, mask, layers, norm):
    for layer in layers:
        x = layer(x, mask)
        return norm(x)
    return x


def twice_through(x, mask, layers, norm):
    for layer in [*layers, *layers]:
        x = layer(x, mask)
    return norm(x)


def norm_of_the_input(x, mask, layers, norm):
    y = x
    for layer in layers:
        y = layer(y, mask)
    return norm(x)


def adds_the_input(x, mask, layers, norm):
    y = x
    for layer in layers:
        y = layer(y, mask)
    return norm(x + y)


def no_gradient(x, mask, layers, norm):
    with torch.no_grad():
        for layer in layers:
            x = layer(x, mask)
    return norm(x)


def six_layers(x, mask, layers, norm):
    for layer in layers[:6]:
        x = layer(x, mask)
    return norm(x)


def squeezed_memory(x, mask, layers, norm):
    return stack_plain(x, mask, layers, norm).squeeze()


def squeezed_streams(x, mask, layers, norm):
    for layer in layers:
        x = layer(x, mask).squeeze(1)
    return norm(x)


def empties_the_list(x, mask, layers, norm):
    while layers:
        x = layers.pop(0)(x, mask)
    return norm(x)


def pads_set_to_0(x, mask, layers, norm):
    x = x * mask[:, 0, 0, :, None]
    for layer in layers:
        x = layer(x, None)
    return norm(x)


def halved_streams(x, mask, layers, norm):
    for layer in layers:
        x = layer(x, mask) / 2
    return norm(x)


def clamped_stream(x, mask, layers, norm):
    for layer in layers:
        x = layer(x, mask)
    return norm(x.clamp(-200, 200))


def mask_comes_first(x, mask, layers, norm):
    for layer in layers:
        x = layer(mask, x)
    return norm(x)


def mean_of_the_layers(x, mask, layers, norm):
    for layer in layers:
        x = layer(x, mask)
    return norm(x / len(layers))


def norm_by_hand(x, mask, layers, norm):
    for layer in layers:
        x = layer(x, mask)
    return F.layer_norm(x, x.shape[-1:])


def norm_in_float32(x, mask, layers, norm):
    for layer in layers:
        x = layer(x, mask)
    return norm(x.float()).to(x.dtype)


def written_over(x, mask, layers, norm):
    x = x.clone()
    for layer in layers:
        x[:] = layer(x, mask)
    return norm(x)


def two_exchanged(x, mask, layers, norm):
    for layer in [*layers[1:2], *layers[:1], *layers[2:]]:
        x = layer(x, mask)
    return norm(x)


STACK_SLIPS = [
    (six_layers, "not for thirteen: the parts"),
    (squeezed_memory, "leave squeeze out"),
    (squeezed_streams, "right for several words, but not for one"),
    (empties_the_list, "changes its inputs"),
    (pads_set_to_0, "get pads that were set to 0"),
    (halved_streams, "the stream is changed on the way"),
    (clamped_stream, "not for large ones: the parts"),
    (mean_of_the_layers, "divided by the number of layers"),
    (mask_comes_first, "got the mask first"),
    (norm_by_hand, "not by the norm that you are given"),
    (norm_in_float32, "digits are lost"),
    (written_over, "overwritten in place"),
    (no_final_norm, "the stream from before the final norm"),
    (norm_first, "the first layer gets a normed stream"),
    (norm_each, "the layers get a normed stream"),
    (norm_before_each, "the layers get a normed stream"),
    (norm_unused, "the stream from before the final norm"),
    (norm_inside_the_loop, "you add the stream to the normed stream"),
    (norm_added, "you add the stream to the normed stream"),
    (x_every_time, "only the last layer counts"),
    (without_mask, "called without the mask"),
    (mask_for_the_first, "only the first layer gets the mask"),
    (mask_inverted, "upside down"),
    (reverse_order, "in reverse order"),
    (two_exchanged, "two layers are exchanged"),
    (first_n_times, "the first layer is called for all"),
    (last_forgotten, "the last layer is never called"),
    (last_alone, "only the last layer counts"),
    (residual_around_layers, "a layer holds its residuals"),
    (all_streams, "return one tensor, the memory"),
    (returns_in_the_loop, "only the first layer counts"),
    (twice_through, "a layer is called more than once"),
    (norm_of_the_input, "do not make this"),
    (adds_the_input, "do not make this"),
    (no_gradient, "no gradient flows"),
]
register(TASK, STACK_SLIPS)


# --------------------------------------------------------- largest gap
TASK = "largest_gap"


def shifted(parameters, shifts):
    """Return the sums, in float64."""
    pairs = zip(parameters, shifts, strict=True)
    return [(p + s).double() for p, s in pairs]


@right(TASK)
def gap_plain(ours, theirs, parameters, shifts, x):
    moved = shifted(parameters, shifts)
    return (ours(moved, x.double()) - theirs(moved, x.double())).abs().max()


@right(TASK)
def gap_as_a_number(ours, theirs, parameters, shifts, x):
    moved = []
    for i in range(len(parameters)):
        moved.append(parameters[i].double() + shifts[i].double())
    x = x.to(torch.float64)
    gap = theirs(moved, x) - ours(moved, x)
    return max(gap.max().item(), -gap.min().item())


@right(TASK)
def gap_by_a_norm(ours, theirs, parameters, shifts, x):
    with torch.no_grad():
        moved = shifted(parameters, shifts)
        a, b = (f(moved, x.double()) for f in (ours, theirs))
        return torch.linalg.vector_norm(a - b, ord=float("inf")).item()


def gap_in_place(ours, theirs, parameters, shifts, x):
    for p, s in zip(parameters, shifts, strict=True):
        p += s
    return gap_plain(ours, theirs, parameters, [0 * s for s in shifts], x)


def gap_as_a_verdict(ours, theirs, parameters, shifts, x):
    return bool(gap_plain(ours, theirs, parameters, shifts, x) < 1e-10)


def gap_of_each_word(ours, theirs, parameters, shifts, x):
    moved = shifted(parameters, shifts)
    return (ours(moved, x.double()) - theirs(moved, x.double())).abs().amax(-1)


def gap_of_lists(ours, theirs, parameters, shifts, x):
    return gap_plain(ours, theirs, parameters + shifts, shifts, x)


def gap_of_x_alone(ours, theirs, parameters, shifts, x):
    pairs = zip(parameters, shifts, strict=True)
    moved = [p + s for p, s in pairs]
    return (ours(moved, x.double()) - theirs(moved, x.double())).abs().max()


def gap_rounded(ours, theirs, parameters, shifts, x):
    return round(gap_plain(ours, theirs, parameters, shifts, x).item(), 3)


def gap_without_return(ours, theirs, parameters, shifts, x):
    gap_plain(ours, theirs, parameters, shifts, x)


def gap_in_float32(ours, theirs, parameters, shifts, x):
    moved = [p + s for p, s in zip(parameters, shifts, strict=True)]
    return (ours(moved, x) - theirs(moved, x)).abs().max()


GAP_SLIPS = [
    (gap_in_float32, "digits are lost"),
    (gap_in_place, "changes its inputs in place"),
    (gap_as_a_verdict, "return a number, not bool"),
    (gap_of_each_word, "return one number, the largest difference"),
    (gap_of_x_alone, "turn both into float64"),
    (gap_without_return, "returns nothing"),
    (gap_of_lists, "two lists of one length"),
    (gap_rounded, "cut off or rounded"),
]
register(TASK, GAP_SLIPS)


# ----------------------------------------------------- gradient by way
TASK = "gradient_by_way"


@right(TASK)
def ways_plain(memory, loss_of):
    memory = memory.detach().requires_grad_()
    (keys,) = torch.autograd.grad(loss_of(memory, memory.detach()), memory)
    (values,) = torch.autograd.grad(loss_of(memory.detach(), memory), memory)
    return keys, values


@right(TASK)
def ways_by_backward(memory, loss_of):
    found = []
    for way in range(2):
        opened = memory.clone().detach().requires_grad_(True)
        pair = [opened, memory.detach()]
        loss_of(*(pair if way == 0 else pair[::-1])).backward()
        found.append(opened.grad)
    return found


@right(TASK)
def ways_at_once(memory, loss_of):
    keys, values = (memory.detach().clone() for _ in range(2))
    keys.requires_grad_()
    values.requires_grad_()
    loss_of(keys, values).backward()
    return keys.grad, values.grad


@right(TASK)
def ways_by_a_difference(memory, loss_of):
    memory = memory.detach().requires_grad_()
    loss_of(memory, memory.detach()).backward()
    keys = memory.grad
    memory.grad = None
    loss_of(memory, memory).backward()
    return keys, memory.grad - keys


def ways_piled_up(memory, loss_of):
    memory = memory.detach().requires_grad_()
    loss_of(memory, memory.detach()).backward()
    keys = memory.grad.clone()
    loss_of(memory.detach(), memory).backward()
    return keys, memory.grad


def ways_one_grad(memory, loss_of):
    memory = memory.detach().requires_grad_()
    loss_of(memory, memory.detach()).backward()
    keys = memory.grad
    loss_of(memory.detach(), memory).backward()
    return keys, memory.grad


def ways_all_closed(memory, loss_of):
    memory = memory.detach()
    return torch.autograd.grad(loss_of(memory, memory), memory)


def ways_of_another(memory, loss_of):
    memory = memory.detach().requires_grad_()
    keys = memory.clone()
    loss = loss_of(keys.detach(), keys)
    return [torch.autograd.grad(loss, memory.clone())[0]] * 2


def ways_sizes(memory, loss_of):
    return [g.norm() for g in ways_plain(memory, loss_of)]


def ways_one_alone(memory, loss_of):
    return ways_plain(memory, loss_of)[0]


def ways_of_the_first(memory, loss_of):
    return [g[:1].expand_as(g) for g in ways_plain(memory, loss_of)]


def ways_in_float32(memory, loss_of):
    return [g.float().to(g.dtype) for g in ways_plain(memory, loss_of)]


def ways_one_backward(memory, loss_of):
    memory = memory.detach().requires_grad_()
    loss = loss_of(memory, memory.detach())
    loss.backward()
    keys = memory.grad
    loss.backward()
    return keys, memory.grad


WAY_SLIPS = [
    (ways_piled_up, "the second gradient holds the first one too"),
    (ways_one_grad, "both results are the same .grad"),
    (ways_all_closed, "no way is open"),
    (ways_of_another, "the loss does not depend on the tensor"),
    (ways_sizes, "must have the axes"),
    (ways_one_alone, "return two tensors"),
    (ways_of_the_first, "is that of the first B everywhere"),
    (ways_in_float32, "digits are lost"),
    (ways_one_backward, "is computed once only"),
]
register(TASK, WAY_SLIPS)
