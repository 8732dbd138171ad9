"""Other bugs of the merge in exercise 7.5, each with its symptom."""

import math

import torch

from attnbook.teaching.variants import Variant

SYMPTOM = (
    "A colleague perturbs one token, and outputs of other tokens move, "
    "although each attends to itself alone."
)
BUG = "    x = x.transpose(2, 3)  # exchange, then flatten"
OTHER_SENTENCE = (
    "A colleague perturbs one sentence, and outputs of another sentence move."
)
BUGS = (  # the line, the symptom
    ("    x = x.transpose(2, 3)  # exchange, then flatten", SYMPTOM),
    ("    x = x.contiguous()  # reshape does the rest", SYMPTOM),
    ("    x = x.transpose(1, 3)  # heads behind the tokens", SYMPTOM),
    ("    x = x.transpose(0, 1)  # heads away from the front", OTHER_SENTENCE),
    (
        "    x = x.flip(1).transpose(1, 2)  # heads behind the tokens",
        "A colleague removes head 0 by setting the first d_k rows of $W^O$ to "
        "zero, and it is the last head that is gone.",
    ),
    (
        "    x = x[:, :1].expand_as(x).transpose(1, 2)  # make room, exchange",
        "A colleague sets all of head 1 to zero before the merge, and no "
        "output changes.",
    ),
)


TRACED = (  # B, H, T, d_k
    (2, 2, 3, 2), (2, 3, 2, 2), (2, 2, 2, 3), (2, 3, 2, 3), (2, 2, 4, 2),
    (2, 4, 2, 2),
)  # fmt: skip


def first_row(line, sizes):
    """Return the first row of the colleague's merge of numbers in order."""
    scope = {}
    code = f"def merge(x):\n    b, h, t, k = x.shape\n{line}\n"
    exec(code + "    return x.reshape(b, t, h * k)", scope)
    x = torch.arange(math.prod(sizes)).view(*sizes)
    return scope["merge"](x)[0, 0].tolist()


def other_merge(exercise, rng):
    """7.5: another bug with its symptom, and other numbers to trace."""
    line, symptom = rng.choice(BUGS[1:])
    sizes = rng.choice(TRACED)
    n = math.prod(sizes)
    edits = (
        (SYMPTOM, symptom),
        (BUG, line),
        (
            "torch.arange(12).view(1, 2, 3, 2)",
            f"torch.arange({n}).view{sizes}",
        ),
    )
    row = ", ".join(map(str, first_row(line, sizes)))
    return Variant(
        edits=tuple((a, b) for a, b in edits if a != b),
        solution=f"Her first row is {row}. Heads and tokens, axes 1 and 2, "
        "must change places before the last two axes are flattened.",
    )
