"""Variants of the exercises of chapter 7, Many heads."""

import math
import textwrap

import torch

from attnbook.attention import scaled_dot_product_attention
from attnbook.multihead import merge_heads, split_heads
from attnbook.teaching.variants import COUNTED, Variant, shuffled
from attnbook.teaching.variants.merges import other_merge
from attnbook.teaching.variants.running import holds_for


# ------------------------------------------------------------ 7.1 predict
def split_answers(sizes, number, head):
    """Return the answers of 7.1.

    Args:
        sizes: B, T, H and d_k.
        number: the one that is looked for.
        head: pair of a sentence and a head.
    """
    b, t, h, k = sizes
    x = torch.arange(b * t * h * k).view(b, t, h * k)
    heads = split_heads(x, h)
    return {
        "a": list(heads.shape),
        "b": (heads == number).nonzero()[0].tolist(),
        "c": heads[head].tolist(),
        "d": x.view(b, h, t, k)[head].tolist(),
    }


def where_did_it_go(exercise, rng):
    """7.1: other sizes, another head; the number is that of the title."""
    fits = [
        (b, t, h, k)
        for b in (2, 3)
        for t in (2, 3)
        for h in (2, 3, 4)
        for k in (2, 3)
        if 20 <= b * t * h * k <= 60 and (b, t, h, k) != (2, 2, 3, 2)
    ]
    b, t, h, k = sizes = rng.choice(fits)
    head = rng.randrange(b), rng.randrange(1, h)
    n = b * t * h * k
    place = f"[{head[0]}, {head[1]}]"
    return Variant(
        edits=(
            ("`x = torch.arange(24).view(2, 2, 6)` holds two sentences of two "
             "tokens, six numbers each.",
             f"`x = torch.arange({n}).view({b}, {t}, {h * k})` holds "
             f"{COUNTED[b]} sentences of {COUNTED[t]} tokens, {h * k} numbers "
             "each."),
            ("split_heads(x, 3)", f"split_heads(x, {h})"),
            ("what `[0, 1]` holds", f"what `{place}` holds"),
            ("x.view(2, 3, 2, 2)[0, 1]", f"x.view({b}, {h}, {t}, {k}){place}"),
        ),
        answers=split_answers(sizes, 13, head),
        form={
            "a": "the four sizes, [B, H, T, d_k]",
            "b": "the four indices, [batch, head, token, number]",
            "c": "rows of numbers, such as [[0, 1], [2, 3]]",
            "d": "rows of numbers, as in c",
        },
        solution=f"A head is {k} numbers wide: head h takes the places from "
        f"{k} h on of each token. `view` pours the numbers in reading order.",
    )  # fmt: skip


# -------------------------------------------------------------- 7.2 trace
def two_heads(query, keys, values, w_o):
    """Return the answers of 7.2, from two numbers or rows each."""
    q, k, v, w = (torch.tensor(x).double() for x in (query, keys, values, w_o))
    heads = (x.view(1, -1, 2, 1).transpose(1, 2) for x in (q[None], k, v))
    context, weights = scaled_dot_product_attention(*heads)
    single = scaled_dot_product_attention(q[None], k, v)[1]
    messages = context[0, :, 0] * w  # (H, D): a head is one number wide
    answers = {
        "weights of head 0": weights[0, 0, 0],
        "weights of head 1": weights[0, 1, 0],
        "contexts": context[0, :, 0, 0],
        "b": single[0],
        "output": messages.sum(0),
        "messages": messages,
    }
    return {part: x.tolist() for part, x in answers.items()}


def differences(query, keys):
    """Return how far key 0 scores above key 1: heads 0, 1, and both."""
    of_heads = [q * (a - b) for q, a, b in zip(query, *keys, strict=True)]
    return [*of_heads, sum(of_heads) / math.sqrt(2)]


def powers_of(numbers):
    """Return what the exponentials of numbers are, in LaTeX."""
    shown = sorted({round(abs(x), 4) for x in numbers} - {0})
    return ", ".join(
        f"$e^{{{x:.4g}}} \\approx {math.exp(x):.2f}$" for x in shown
    )


def drawn_heads(rng):
    """Draw query, keys, values and W^O of 7.2."""
    while True:
        query = [rng.randint(1, 2), rng.randint(1, 3)]
        keys = [[rng.randint(0, 2) for _ in range(2)] for _ in range(2)]
        a, b, _ = differences(query, keys)
        if 0 < abs(a) <= 3 and 0 < abs(b) <= 3 and abs(a) + abs(b) > 1:
            break
    columns = [rng.sample(range(1, 10), 2) for _ in range(2)]
    values = [list(row) for row in zip(*columns, strict=True)]
    w_o = [[1, rng.randint(0, 2)], [rng.randint(0, 2), rng.randint(1, 2)]]
    return query, keys, values, w_o


def pair(numbers):
    """Return two numbers as LaTeX writes them."""
    return f"({numbers[0]}, {numbers[1]})"


def heads_by_hand(exercise, rng):
    """7.2: other vectors and another W^O."""
    query, keys, values, w_o = drawn = drawn_heads(rng)
    rows = r" \\ ".join(f"{a} & {b}" for a, b in w_o)
    two = "two numbers, three decimals, such as [0.123, 0.877]"
    return Variant(
        edits=(
            ("One query $(1, 2)$, two keys $(2, 0)$ and $(0, 1)$, two values "
             "$(10, 1)$ and $(20, 3)$.",
             f"One query ${pair(query)}$, two keys ${pair(keys[0])}$ and "
             f"${pair(keys[1])}$, two values ${pair(values[0])}$ and "
             f"${pair(values[1])}$."),
            (r"1 & 0 \\ 1 & 2", rows),
            (r"($e^2 \approx 7.39$.)",
             f"(Keep three decimals. {powers_of(differences(query, keys))}.)"),
        ),
        answers=two_heads(*drawn),
        form={
            "weights of head 0": two,
            "weights of head 1": two,
            "contexts": "one number of each head",
            "b": two,
            "output": "the two numbers after W^O",
            "messages": "the message of head 0, then of head 1: "
            "[[0.12, 3.4], [5.6, 7.8]]",
        },
        tolerance=0.03,
        solution="Head 0 sees the first number of query, keys and values, "
        "head 1 the second. The output is the sum of the messages.",
    )  # fmt: skip


# ------------------------------------------------------------ 7.3 Parsons
PARSONS_SIZES = ((2, 3, 4, 5), (1, 2, 3, 3), (2, 4, 4, 2), (3, 1, 2, 4))
NAMES = (
    ("context", ("context", "mixed", "found")),
    ("weights", ("weights", "shares", "maps")),
    ("y", ("y", "part", "z")),
)


def reference(x, w, w_o, sizes):
    """Return what the right lines return."""
    q, k, v = (split_heads(y, sizes[1]) for y in (x @ w).chunk(3, -1))
    return merge_heads(scaled_dot_product_attention(q, k, v)[0]) @ w_o


def lines_attend(source):
    """Say whether the lines of 7.3 are a right body."""
    body = textwrap.indent(textwrap.dedent(source), "    ")
    code = f"def attend(x, W, W_o, B, T, H, d_k):\n{body}"
    generator = torch.Generator().manual_seed(7)

    def right(attend):
        return all(attends(attend, x, generator) for x in PARSONS_SIZES)

    return holds_for(code, 7, right)


def attends(attend, sizes, generator):
    """Say whether a function does at these sizes what the right lines do."""
    b, h, t, k = sizes
    d = h * k
    x, w, w_o = (
        torch.randn(*shape, generator=generator, dtype=torch.float64)
        for shape in ((b, t, d), (d, 3 * d), (d, d))
    )
    result = attend(x, w, w_o, b, t, h, k)
    right = reference(x, w, w_o, sizes)
    return isinstance(result, torch.Tensor) and (
        result.shape == right.shape and torch.allclose(result, right)
    )


def lines_in_order(exercise, rng):
    """7.3: other letters and names."""
    return shuffled(exercise, rng, lines_attend, NAMES)


VARIANTS = {
    "7.1": where_did_it_go,
    "7.2": heads_by_hand,
    "7.3": lines_in_order,
    "7.5": other_merge,
}
