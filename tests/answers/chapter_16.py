"""Answers to the tasks of chapter 16, Cost."""

import math

import numpy as np
import torch
from torch.utils.flop_counter import FlopCounterMode

from answers.registry import right, wrong
from attnbook import tiled

# ------------------------------------------------------- the running softmax
TASK = "online_softmax"


@right(TASK)
def by_slices(scores, values, block):
    largest = torch.full_like(scores[..., :1], -math.inf)
    total = torch.zeros_like(largest)
    mixed = 0
    for at in range(0, scores.size(-1), block):
        part = scores[..., at : at + block]
        new = torch.maximum(largest, part.amax(-1, keepdim=True))
        level = new.masked_fill(new == -math.inf, 0)
        shrink, powers = (largest - level).exp(), (part - level).exp()
        total = shrink * total + powers.sum(-1, keepdim=True)
        mixed = shrink * mixed + powers @ values[..., at : at + block, :]
        largest = new
    return mixed / total


@right(TASK)
def by_the_package(scores, values, block):
    state = tiled.start_state(scores, values)
    pairs = zip(scores.split(block, -1), values.split(block, -2), strict=True)
    for part, v in pairs:
        state = tiled.add_block(state, part, v)
    return state[2] / state[1]


@right(TASK)
def by_logarithms(s, v, b):
    """Join contexts of blocks by the logarithms of their sums."""
    context, log_sum = None, None
    for part, value in zip(s.split(b, -1), v.split(b, -2), strict=True):
        part = part.clamp(min=-1e30)  # so that no gradient is NaN
        own = part.logsumexp(-1, keepdim=True)
        mine = (part - own).exp() @ value
        if context is None:
            context, log_sum = mine, own
            continue
        both = torch.logaddexp(log_sum, own)
        context = (log_sum - both).exp() * context
        context = context + (own - both).exp() * mine
        log_sum = both
    return context


@right(TASK)
def by_finite_start(scores, values, block):
    least = torch.finfo(scores.dtype).min / 2
    m = scores.new_full((*scores.shape[:-1], 1), least)
    n, o = torch.zeros_like(m), torch.zeros_like(m)
    for i in range(math.ceil(scores.shape[-1] / block)):
        x = scores[..., i * block : (i + 1) * block]
        new = torch.max(m, x.max(dim=-1, keepdim=True).values)
        p = torch.exp(x - new)
        n = n * torch.exp(m - new) + p.sum(dim=-1, keepdim=True)
        y = values[..., i * block : (i + 1) * block, :]
        o = o * torch.exp(m - new) + torch.einsum("...tb,...bd->...td", p, y)
        m = new
    return o / n


@right(TASK)
def by_single_keys(scores, values, block):
    """Go over the keys of each block one by one."""
    m = torch.full_like(scores[..., 0], -math.inf)
    n, o = torch.zeros_like(m), torch.zeros_like(m)[..., None]
    for at in range(0, scores.size(-1), block):
        for key in range(at, min(at + block, scores.size(-1))):
            x = scores[..., key]
            new = torch.maximum(m, x)
            safe = torch.where(new.isinf(), torch.zeros_like(new), new)
            old, now = torch.exp(m - safe), torch.exp(x - safe)
            n = old * n + now
            row = values[..., key, :].unsqueeze(-2)
            o = old[..., None] * o + now[..., None] * row
            m = new
    return o / n[..., None]


@right(TASK)
def by_double_inside(scores, values, block):
    kind = scores.dtype
    m, n, o = -math.inf, 0.0, 0.0
    pairs = zip(
        torch.split(scores, block, dim=-1),
        torch.split(values, block, dim=-2),
        strict=True,
    )
    for x, y in pairs:
        x, y = x.double(), y.double()
        top = x.amax(-1, keepdim=True).clamp(min=-1e300)
        new = top if isinstance(m, float) else torch.maximum(m, top)
        old = 0.0 if isinstance(m, float) else (m - new).exp()
        p = (x - new).exp()
        n, o, m = old * n + p.sum(-1, keepdim=True), old * o + p @ y, new
    return (o / n).to(kind)


@right(TASK)
def in_its_own_tensors(s, v, b):
    n = torch.zeros_like(s[..., :1])
    o = torch.zeros_like(s[..., :1] * v[..., :1, :])
    m = torch.full_like(n, -math.inf)
    for x, y in zip(s.split(b, -1), v.split(b, -2), strict=True):
        new = torch.maximum(m, x.amax(-1, keepdim=True))
        safe = new.masked_fill(new == -math.inf, 0)
        c, p = (m - safe).exp(), (x - safe).exp()
        n *= c
        n += p.sum(-1, keepdim=True)
        o *= c
        o += p @ y
        m = new
    return o / n


@right(TASK)
def by_recursion(scores, values, block):
    """Join the first block with the state of all later ones."""

    def state(s, v):
        x, y = s[..., :block], v[..., :block, :]
        m = x.amax(-1, keepdim=True)
        p = (x - m.nan_to_num(neginf=0)).exp()
        n, o = p.sum(-1, keepdim=True), p @ y
        if s.size(-1) <= block:
            return m, n, o
        later = state(s[..., block:], v[..., block:, :])
        new = torch.maximum(m, later[0])
        level = new.nan_to_num(neginf=0)
        a, b = (m - level).exp(), (later[0] - level).exp()
        return new, a * n + b * later[1], a * o + b * later[2]

    _, total, mixed = state(scores, values)
    return mixed / total


@right(TASK)
def by_quotients(s, v, b, *, hidden=-math.inf):
    """Keep a context that is right for the keys so far."""
    m = torch.full_like(s[..., :1], hidden)
    n, context = torch.zeros_like(m), 0
    for i in range(0, s.size(-1), b):
        x = s[..., i : i + b]
        new = torch.maximum(m, x.detach().amax(-1, keepdim=True))
        dead = new == hidden
        old = torch.where(dead, 0, m - new).exp() * n
        p = torch.where(dead, hidden, x - new).exp()
        n = old + p.sum(-1, keepdim=True)
        safe = n.masked_fill(n == 0, 1)
        mine = (p / safe) @ v[..., i : i + b, :]
        context, m = old / safe * context + mine, new
    return context


@right(TASK)
def by_padding(s, v, b):
    """Pad to whole blocks, and go over them from the last to the first."""
    short = -s.size(-1) % b
    s = torch.nn.functional.pad(s, (0, short), value=-math.inf)
    v = torch.nn.functional.pad(v, (0, 0, 0, short))
    pairs = zip(s.split(b, -1), v.split(b, -2), strict=True)
    m = s.new_full((*s.shape[:-1], 1), torch.finfo(s.dtype).min)
    n, o = torch.zeros_like(m), 0
    for x, y in reversed(list(pairs)):
        new = torch.maximum(m, x.amax(-1, keepdim=True))
        p, c = (x - new).exp(), (m - new).exp()
        n, o, m = c * n + p.sum(-1, keepdim=True), c * o + p @ y, new
    return o / n


@right(TASK)
def by_queries(s, v, b):
    """Take the queries one after the other, each over all blocks."""
    rows = [by_slices(s[..., t : t + 1, :], v, b) for t in range(s.size(-2))]
    return torch.cat(rows, -2)


def online(
    s,
    v,
    b,
    *,
    level=None,
    shrink_mixed=None,
    start=-math.inf,
    spans=None,
    end=None,
    hidden=True,
    change=lambda p: p,
):
    """Return a running softmax with changes."""
    m = torch.full_like(s[..., :1], start)
    n, o = torch.zeros_like(m), 0
    p = m
    for at, to in spans or [(i, i + b) for i in range(0, s.size(-1), b)]:
        x = s[..., at:to]
        own = x.amax(-1, keepdim=True)
        new = level(m, own, at, x) if level else torch.maximum(m, own)
        safe = new.masked_fill(new == -math.inf, 0) if hidden else new
        p = change((x - safe).exp())
        c = change((m - safe).exp()) if not hidden else (m - safe).exp()
        n = c * n + p.sum(-1, keepdim=True)
        o = (shrink_mixed(c) if shrink_mixed else c) * o + p @ v[..., at:to, :]
        m = new
    return end(m, n, o, p) if end else o / n


def keep(c):
    return 1.0


def wrong_online(hint, **changes):
    """Register a running softmax with changes as a wrong answer."""

    def answer(scores, values, block):
        return online(scores, values, block, **changes)

    answer.__name__ = "_".join(hint.split()[:6])
    wrong(TASK, hint)(answer)


wrong_online(
    "no maximum is subtracted",
    level=lambda m, own, at, x: torch.zeros_like(own),
    start=0.0,
)
wrong_online(
    "right for small scores: you subtract each block's own maximum",
    level=lambda m, own, at, x: own,
)
wrong_online(
    "the maximum of the first block is kept",
    level=lambda m, own, at, x: own if at == 0 else m,
)
wrong_online("-inf minus -inf is NaN", hidden=False)
wrong_online("must not start at 0", start=0.0)
wrong_online("right for scores around 0", start=-1e4)
wrong_online(
    "one maximum for all queries",
    level=lambda m, own, at, x: torch.maximum(m.amax(), own.amax()).expand(
        m.shape
    ),
)
wrong_online("is yours the other way round", shrink_mixed=lambda c: 1 / c)
wrong_online("and no tuple", end=lambda m, n, o, p: (o / n, m))
wrong_online("yours has (d_v, T)", end=lambda m, n, o, p: (o / n).mT)


@wrong(TASK, "keep -inf as the maximum")
def keep_zero_after_a_hidden_first_block(scores, values, block):
    """Keep 0 only if the first block is hidden (FlashAttention #2082)."""
    largest = scores[..., :block].amax(-1, keepdim=True)
    largest = largest.masked_fill(largest == -math.inf, 0)
    total, mixed = torch.zeros_like(largest), 0
    for at in range(0, scores.size(-1), block):
        part = scores[..., at : at + block]
        new = torch.maximum(largest, part.amax(-1, keepdim=True))
        shrink, powers = (largest - new).exp(), (part - new).exp()
        total = shrink * total + powers.sum(-1, keepdim=True)
        mixed = shrink * mixed + powers @ values[..., at : at + block, :]
        largest = new
    return mixed / total


@wrong(TASK, "keep -inf as the maximum")
def keep_zero_after_any_hidden_block(scores, values, block):
    largest = torch.full_like(scores[..., :1], -math.inf)
    total, mixed = torch.zeros_like(largest), 0
    for at in range(0, scores.size(-1), block):
        part = scores[..., at : at + block]
        new = torch.maximum(largest, part.amax(-1, keepdim=True))
        new = new.masked_fill(new == -math.inf, 0)
        shrink, powers = (largest - new).exp(), (part - new).exp()
        total = shrink * total + powers.sum(-1, keepdim=True)
        mixed = shrink * mixed + powers @ values[..., at : at + block, :]
        largest = new
    return mixed / total


@wrong(TASK, "an operation takes all keys at once")
def whole_row(scores, values, block):
    return scores.softmax(-1) @ values


@wrong(TASK, "an operation takes all keys at once")
def two_passes(scores, values, block):
    top = scores.amax(-1, keepdim=True)
    n = o = 0
    for x, y in zip(
        scores.split(block, -1), values.split(block, -2), strict=True
    ):
        p = (x - top).exp()
        n, o = n + p.sum(-1, keepdim=True), o + p @ y
    return o / n


@wrong(TASK, "digits are lost")
def in_float32(s, v, b):
    return by_slices(s.float(), v.float(), b).to(s.dtype)


@wrong(TASK, "not for a batch")
def one_sentence(s, v, b):
    return by_slices(s, v, b) if s.dim() == 2 else s.softmax(-1) @ v[:1]


@wrong(TASK, "changes its inputs in place")
def in_place(s, v, b):
    s -= s.amax(-1, keepdim=True)
    return by_slices(s, v, b)


@wrong(TASK, "no gradient flows")
def detached(s, v, b):
    return by_slices(s.detach(), v.detach(), b)


@wrong(TASK, "the gradient of scores is not")
def half_detached(s, v, b):
    return by_slices(s.detach(), v, b)


@wrong(TASK, "a block longer than the row")
def wants_whole_blocks(s, v, b):
    if b > s.size(-1):
        raise ValueError("block too long")
    return by_slices(s, v, b)


@wrong(TASK, "never read; and: the mixture")
def two_mistakes(s, v, b):
    spans = [(i, i + b) for i in range(0, s.size(-1) - b, b)]
    return online(s, v, b, spans=spans, shrink_mixed=keep)


@wrong(TASK, "must be a tensor")
def as_array(s, v, b):
    return by_slices(s, v, b).numpy()


wrong_online(
    "its gradient is NaN where a block is hidden",
    hidden=False,
    change=torch.nan_to_num,
)
wrong_online(
    "a hidden key still has a weight", change=lambda p: p.clamp(min=2e-9)
)
wrong_online(
    "take amax, not the mean",
    level=lambda m, own, at, x: torch.maximum(m, x.mean(-1, keepdim=True)),
)
wrong_online(
    "or the largest absolute value",
    level=lambda m, own, at, x: torch.maximum(
        m, x.masked_fill(x.isinf(), 0).abs().amax(-1, keepdim=True)
    ),
)
wrong_online(
    "one maximum for all sentences or heads",
    level=lambda m, own, at, x: torch.maximum(
        m, own.amax(0) if own.dim() == 3 else own
    ),
)
wrong_online(
    "add nothing to the sum that you divide by",
    end=lambda m, n, o, p: o / (n + 1e-9),
)
wrong_online(
    "values of one number: an axis of size 1 is gone",
    end=lambda m, n, o, p: (o / n).squeeze(-1),
)
wrong_online(
    "one query and one key: an axis of size 1 is gone",
    end=lambda m, n, o, p: (o / n).squeeze(),
)


@wrong(TASK, "its gradient is NaN where a block is hidden")
def by_logarithms_of_nothing(s, v, b):
    context, log_sum = None, None
    for part, value in zip(s.split(b, -1), v.split(b, -2), strict=True):
        own = part.logsumexp(-1, keepdim=True)
        mine = (part - own.masked_fill(own == -math.inf, 0)).exp() @ value
        if context is None:
            context, log_sum = mine, own
            continue
        both = torch.logaddexp(log_sum, own)
        level = both.masked_fill(both == -math.inf, 0)
        context = (log_sum - level).exp() * context
        context = context + (own - level).exp() * mine
        log_sum = both
    return context


@wrong(TASK, "a score of 0 is a score like any other")
def zeros_hidden(s, v, b):
    hidden = [x.masked_fill(x == 0, -math.inf) for x in s.split(b, -1)]
    return by_slices(torch.cat(hidden, -1), v, b)


@wrong(TASK, "put no finite number in the place of -inf")
def hidden_at_zero(s, v, b):
    parts = [x.nan_to_num(neginf=0) for x in s.split(b, -1)]
    return by_slices(torch.cat(parts, -1), v, b)


@wrong(TASK, "cut them into pieces of `block` keys (split, not chunk)")
def chunks(s, v, b):
    return by_slices(s, v, -(-s.size(-1) // b))


@wrong(TASK, "you take 4 keys at a time where block is 8")
def never_more_than_four(s, v, b):
    return by_slices(s, v, min(b, 4))


@wrong(TASK, "you take 16 keys at a time where block is 8")
def twice_as_long(s, v, b):
    return by_slices(s, v, 2 * b)


@wrong(TASK, "you cut the queries into blocks")
def blocks_of_queries(s, v, b):
    return torch.cat([x.softmax(-1) @ v for x in s.split(b, -2)], -2)


@wrong(TASK, "you go over the keys more than once")
def maxima_first(s, v, b):
    parts = s.split(b, -1)
    top = torch.stack([x.amax(-1, keepdim=True) for x in parts]).amax(0)
    n = sum((x - top).exp().sum(-1, keepdim=True) for x in parts)
    pairs = zip(parts, v.split(b, -2), strict=True)
    return sum((x - top).exp() @ y for x, y in pairs) / n


@wrong(TASK, "overwritten in place")
def powers_wiped(s, v, b):
    return online(s, v, b, change=lambda p: p.mul_(1))


@wrong(TASK, "is something kept between calls?")
def remembered(s, v, b, seen={}):  # noqa: B006
    key = (s.shape, b)
    if key not in seen:
        seen[key] = by_slices(s, v, b).detach()
    return seen[key]


@wrong(TASK, "view wants numbers that lie in memory")
def viewed(s, v, b):
    s, v_ = s.view(-1, *s.shape[-2:]), v.view(-1, *v.shape[-2:])
    return by_slices(s, v_, b).view(*v.shape[:-2], -1, v.size(-1))


# ----------------------------------------------------------- the operations
TASK = "flops"


@right(TASK)
def flops_by_formula(n, d_model, d_ff, num_heads, num_layers, vocab, backward):
    layer = 8 * n * d_model**2 + 4 * n**2 * d_model + 4 * n * d_model * d_ff
    whole = num_layers * layer + 2 * n * d_model * vocab
    return 3 * whole if backward else whole


def product(a, b, c):
    return 2 * a * b * c


@right(TASK)
def flops_by_products(n, d, f, h, layers, v, backward):
    k = d // h
    total = 0
    for _ in range(layers):
        total += 4 * product(n, d, d)
        for _ in range(h):
            total += product(n, k, n) + product(n, n, k)
        total += product(n, d, f) + product(n, f, d)
    total += product(n, d, v)
    return total * (1 + 2 * backward)


@right(TASK)
def flops_as_float(n, d, f, h, layers, v, backward):
    return float(flops_by_formula(n, d, f, h, layers, v, backward))


@right(TASK)
def flops_as_array(n, d, f, h, layers, v, backward):
    return np.float64(flops_by_formula(n, d, f, h, layers, v, backward))


@right(TASK)
def flops_by_parameters(n, d, f, h, layers, v, backward):
    parameters = layers * (4 * d * d + 2 * d * f) + d * v
    forward = 2 * n * parameters + layers * 4 * n * n * d
    return forward + (2 * forward if backward else 0)


@right(TASK)
def flops_as_tensor(n, d, f, h, layers, v, backward):
    whole = flops_by_products(n, d, f, h, layers, v, backward)
    return torch.tensor(whole, dtype=torch.float64)


@right(TASK)
def flops_counted(n, d, f, h, layers, v, backward=False):
    """Let PyTorch count products of tensors without numbers."""
    with FlopCounterMode(display=False) as counter:
        x = torch.empty(n, d, device="meta")
        for _ in range(layers):
            for _ in range(4):
                x @ torch.empty(d, d, device="meta")
            heads = torch.empty(h, n, d // h, device="meta")
            (heads @ heads.mT) @ heads
            inner = x @ torch.empty(d, f, device="meta")
            inner @ torch.empty(f, d, device="meta")
        x @ torch.empty(d, v, device="meta")
    return counter.get_total_flops() * (3 if backward else 1)


@right(TASK)
def flops_factored(*sizes):
    n, d, f, _, layers, v, backward = sizes
    return (
        2 * n * d * (layers * (4 * d + 2 * n + 2 * f) + v) * (1, 3)[backward]
    )


def counted(
    hint,
    projections=lambda n, d, f, h: 8 * n * d * d,
    attention=lambda n, d, f, h: 4 * n * n * d,
    feed=lambda n, d, f, h: 4 * n * d * f,
    last=lambda n, d, v: 2 * n * d * v,
    whole=lambda layer, last, layers: layers * layer + last,
    back=3,
    front=1,
    after=lambda x: x,
):
    """Register a count with changes as a wrong answer."""

    def answer(n, d, f, h, layers, v, backward):
        layer = sum(
            part(n, d, f, h) for part in (projections, attention, feed)
        )
        count = whole(layer, last(n, d, v), layers)
        return after(count * (back if backward else front))

    answer.__name__ = "_".join(hint.split()[:6])
    wrong(TASK, hint)(answer)


counted("return one number", after=lambda x: [x])
counted("return a number, not str", after=str)
counted("nearly right: do not round", after=lambda x: float(f"{x:.2g}"))
counted(
    "D x D; and: the feed-forward part has two matrices",
    projections=lambda n, d, f, h: 0,
    feed=lambda n, d, f, h: 2 * n * d * f,
)


def times(factor, part):
    """Return a part of the count, taken several times."""
    return lambda n, *sizes: factor * part(n, *sizes)


def projected(n, d, f, h):
    return 8 * n * d * d


def attended(n, d, f, h):
    return 4 * n * n * d


counted(
    "you count 0.5 times the cost of the projections",
    projections=times(1 / 2, projected),
)
counted(
    "you count 1.25 times the cost of the projections",
    projections=times(5 / 4, projected),
)
counted(
    "you count 0.5 times the cost of the output matrix",
    last=lambda n, d, v: n * d * v,
)
counted(
    "you count the output matrix wrong: it is one product",
    last=lambda n, d, v: 2 * n * n * v,
)
counted(
    "you count attention wrong: it is two products for each head",
    attention=lambda n, d, f, h: 4 * n * n * d + h * n * n,
)
counted(
    "you count the projections wrong: they are four",
    projections=lambda n, d, f, h: 8 * n * d * d + 4 * n * d,
)
counted(
    "one layer fewer",
    whole=lambda layer, last, layers: (layers - 1) * layer + last,
)
counted(
    "num_layers does not change your count",
    whole=lambda layer, last, layers: 6 * layer + last,
)
counted("which factor stands outside", back=5)


@wrong(TASK, "the way back through the output matrix is missing")
def output_forwards_alone(n, d, f, h, layers, v, backward):
    last = 2 * n * d * v
    whole = flops_by_formula(n, d, f, h, layers, v, backward)
    return whole - 2 * last if backward else whole


@wrong(TASK, "the way back through attention is counted once")
def attention_once(n, d, f, h, layers, v, backward):
    whole = flops_by_formula(n, d, f, h, layers, v, backward)
    return whole - backward * layers * attended(n, d, f, h)


@wrong(TASK, "you take away something once")
def no_gradient_of_the_input(n, d, f, h, layers, v, backward):
    whole = flops_by_formula(n, d, f, h, layers, v, backward)
    return whole - backward * 6 * n * d * d


@wrong(TASK, "the cost of the output matrix: it is one product")
def additions_in_attention_alone(n, d, f, h, layers, v, backward):
    rest = flops_by_formula(n, d, f, h, layers, v, backward)
    pairs = (1 + 2 * backward) * layers * attended(n, d, f, h)
    return (rest - pairs) / 2 + pairs


@wrong(TASK, "right, but not for one word, one head and one layer")
def for_two_words(n, *sizes):
    return flops_by_formula(max(n, 2), *sizes)


@wrong(TASK, "for large ones")
def overflows(n, d, f, h, layers, v, backward):
    count = flops_by_formula(n, d, f, h, layers, v, backward)
    return (count + 2**31) % 2**32 - 2**31


@wrong(TASK, "two calls with the same inputs differ")
def adds_up(n, d, f, h, layers, v, backward, seen=[0]):  # noqa: B006
    seen[0] += 1
    return seen[0] + flops_by_formula(n, d, f, h, layers, v, backward)
