"""Code of colleagues with planted mistakes, of chapters 4 and 6."""

import re

from attnbook.teaching.variants import Variant

# What a colleague's attention does, as it is told, and the lines that do it.
# Every block keeps its first line, the product, the softmax and the last line.
CAUSES = (
    (
        "With narrow heads all is well. The wider I make them, the more equal "
        "the weights become. At $d_k = 1024$ every row is flat.",
        "    root = math.sqrt(q.size(-1))\n"
        "    q, k = q / root, k / root  # scale early\n"
        "    weights = (q @ k.transpose(-2, -1)).softmax(dim=-1)\n",
        "Every product is divided by the root twice, so by $d_k$.",
    ),
    (
        "With a $d_k$ of 1 or 2 all is well. The wider I make the heads, the "
        "more a row gives to a single key. At $d_k = 1024$ nearly every "
        "row is a single 1.",
        "    root = math.sqrt(q.size(-1))\n"
        "    q, k = q * root, k / root  # keep the size\n"
        "    weights = (q @ k.transpose(-2, -1)).softmax(dim=-1)\n",
        "What divides the keys multiplies the queries: the scores are not "
        "scaled.",
    ),
    (
        "With as many keys as numbers in a key all is well. At $d_k = 64$, "
        "the more keys there are, the flatter my rows are compared with "
        "PyTorch's; with few keys mine are too sharp.",
        "    root = math.sqrt(k.size(-2))\n"
        "    q = q / root  # scale early\n"
        "    weights = (q @ k.transpose(-2, -1)).softmax(dim=-1)\n",
        "The root is that of the number of keys, not of $d_k$.",
    ),
    (
        "At $d_k = 16$ already most rows are nearly a single 1, and the wider "
        "I make the heads, the worse it becomes.",
        "    root = math.sqrt(q.size(-1))\n"
        "    k = k * root  # scale early\n"
        "    weights = (q @ k.transpose(-2, -1)).softmax(dim=-1)\n",
        "The scores are multiplied by the root.",
    ),
    (
        "At $d_k = 64$ all is well. With narrower heads my rows are too flat, "
        "with wider ones they are too sharp.",
        "    q = q / 8  # scale early\n"
        "    weights = (q @ k.transpose(-2, -1)).softmax(dim=-1)\n",
        "8 is the root of 64, and of no other width.",
    ),
    (
        "The best key is always the right one, but the rows do not sum to 1: "
        "at $d_k = 64$ to 0.125, and the wider the heads, the less.",
        "    weights = (q @ k.transpose(-2, -1)).softmax(dim=-1)\n"
        "    weights = weights / math.sqrt(q.size(-1))\n",
        "The scale comes after the softmax, where it belongs to the scores.",
    ),
)
SYMPTOM = re.compile(r'"(With narrow heads.*?flat\.)"')
BODY = re.compile(r"(    root = .*?)    return", re.DOTALL)


def colleague(exercise, rng):
    """4.5: another mistake; rules change what the colleague's code takes."""
    symptom, body, cause = rng.choice(CAUSES)
    task = exercise.task
    return Variant(
        edits=(
            (SYMPTOM.search(task)[1], symptom),
            (BODY.search(task)[1], body),
            (
                "hand in one of them.",
                "hand in one of them. It is called and returns as the "
                "colleague's is; what a comment says is wanted is no mistake.",
            ),
        ),
        title="The colleague's attention",
        solution=cause,
    )


# A colleague's test that accepts attention across the batch: lines, why.
# Each draws sentences of 5 words of 16 numbers and compares once.
CHANGED = "    changed = x.clone()\n    changed[0, 0] += 1.0\n"
COMPARED = "    difference = (attend(changed) - attend(x)).abs()\n"
WEAK = (
    (
        "    x = torch.randn(1, 5, 16)\n" + CHANGED + COMPARED
        + "    return bool(difference.max() > 1e-6)\n",
        "With one sentence there is no other one to read.",
    ),
    (
        "    x = torch.randn(3, 5, 16)\n" + CHANGED + COMPARED
        + "    return bool((difference[0] > 1e-6).any())\n",
        "It never looks at the other sentences, and asks only whether "
        "anything of the own one moves; the changed word itself always does.",
    ),
    (
        "    x = torch.randn(3, 5, 16)\n    changed = x\n"
        "    changed[0, 0] += 1.0\n" + COMPARED
        + "    return bool((difference[1:] < 1e-6).all())\n",
        "`changed = x` makes no copy, so both calls get the same words, and "
        "nothing moves.",
    ),
    (
        "    x = torch.randn(3, 5, 16)\n    changed = x + 1.0\n" + COMPARED
        + "    return bool((difference.amax(-1) > 1e-6).all())\n",
        "It changes all sentences at once, so that nobody knows who read "
        "whom.",
    ),
    (
        "    x = torch.randn(3, 5, 16)\n" + CHANGED + COMPARED
        + "    return bool((difference[1:].amax(-1) < 1e-6).any())\n",
        "It is content if one word of the other sentences is still (any).",
    ),
    (
        "    x = torch.randn(3, 5, 16)\n" + CHANGED + COMPARED
        + "    return bool(difference.amax(-1)[0, 0] > 1e-6)\n",
        "It looks at the changed word alone, which always moves.",
    ),
)  # fmt: skip
BODY_6_5 = re.compile(r"    x = torch.*?1e-6\)\n", re.DOTALL)


def weak_test(exercise, rng):
    """6.5: the colleague's test has another hole."""
    body, why = rng.choice(WEAK)
    return Variant(
        edits=(
            (BODY_6_5.search(exercise.task)[0], body),
            (
                'It returns `True` for `lambda x: modules["wrong"](x, x, '
                "x)[0]`.",
                "It returns `True` for an attention across the batch too, in "
                "which the axes B and T are exchanged.",
            ),
        ),
        solution=why,
    )
