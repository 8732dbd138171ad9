"""The wrong answers that the check of one GRU step knows by name.

Dimension letters:
    B sentences, D width of an input, M width of a state.
"""

from itertools import permutations

import torch


def blocks(x, h, w_x, w_h, b_x, b_h):
    """Return three blocks from the input and three from the state."""
    from_x = (x @ w_x + b_x).chunk(3, dim=-1)  # 3 x (B, M)
    from_h = (h @ w_h + b_h).chunk(3, dim=-1)  # 3 x (B, M)
    return from_x, from_h


def wrong_gates(x, h, w_x, w_h, b_x, b_h):
    """Return pairs of a hint and the state, for mistakes with the gates."""
    (xr, xz, xn), (hr, hz, hn) = blocks(x, h, w_x, w_h, b_x, b_h)
    r, z = (xr + hr).sigmoid(), (xz + hz).sigmoid()
    n = (xn + r * hn).tanh()
    return [
        (
            "z and 1 - z are exchanged: z keeps the old state, 1 - z takes "
            "the candidate",
            z * n + (1 - z) * h,
        ),
        (
            "the gates are not between 0 and 1; they need a sigmoid",
            (1 - (xz + hz)) * (xn + (xr + hr) * hn).tanh() + (xz + hz) * h,
        ),
        (
            "the gates use a tanh, which reaches from -1 to 1; they need a "
            "sigmoid",
            (1 - (xz + hz).tanh()) * (xn + (xr + hr).tanh() * hn).tanh()
            + (xz + hz).tanh() * h,
        ),
        (
            "the gates look at the input alone; they read the state too",
            (1 - xz.sigmoid()) * (xn + xr.sigmoid() * hn).tanh()
            + xz.sigmoid() * h,
        ),
        (
            "the gates look at the state alone; they read the input too",
            (1 - hz.sigmoid()) * (xn + hr.sigmoid() * hn).tanh()
            + hz.sigmoid() * h,
        ),
        (
            "you add the whole candidate to what is kept; it enters by 1 - z",
            n + z * h,
        ),
        (
            "the candidate enters by 1 - z, but the old state is kept in "
            "full; multiply it by z",
            (1 - z) * n + h,
        ),
        ("the old state is not kept; add z times it", (1 - z) * n),
        (
            "you mix with the reset gate r; the update gate z mixes, r is "
            "for the candidate alone",
            (1 - r) * n + r * h,
        ),
        (
            "you mix with the reset gate r, and the wrong way round; the "
            "update gate z keeps the old state, 1 - z takes the candidate",
            r * n + (1 - r) * h,
        ),
    ]


def wrong_orders(x, h, w_x, w_h, b_x, b_h):
    """Return pairs of a hint and the state, for blocks in another order."""
    sides = blocks(x, h, w_x, w_h, b_x, b_h)
    names, found = ("reset", "update", "candidate"), []
    for order in list(permutations(range(3)))[1:]:
        r, z, c = (order.index(block) for block in range(3))
        (xr, xz, xn), (hr, hz, hn) = (
            (side[r], side[z], side[c]) for side in sides
        )
        reset, update = (xr + hr).sigmoid(), (xz + hz).sigmoid()
        taken = ", ".join(names[block] for block in order)
        state = (1 - update) * (xn + reset * hn).tanh() + update * h
        hint = (
            f"you take the blocks as {taken}; the order is reset, update, "
            "candidate"
        )
        found.append((hint, state))
    return found


def wrong_cuts(x, h, w_x, w_h, b_x, b_h):
    """Return pairs of a hint and the state, for blocks cut wrongly."""
    sides = x @ w_x + b_x, h @ w_h + b_h  # both (B, 3 * M)
    use = "; use chunk(3, dim=-1)"
    ways = {
        "a block is every third number in your function, but it is M numbers "
        "side by side" + use: lambda side: side.view(*h.shape, 3).unbind(-1),
        "you reshape (B, 3 * M) to (3, B, M), which tears the rows apart"
        + use: lambda side: side.reshape(3, *h.shape),
    }
    found = []
    for hint, cut in ways.items():
        (xr, xz, xn), (hr, hz, hn) = map(cut, sides)
        r, z = (xr + hr).sigmoid(), (xz + hz).sigmoid()
        found.append((hint, (1 - z) * (xn + r * hn).tanh() + z * h))
    return found


def wrong_candidates(x, h, w_x, w_h, b_x, b_h):
    """Return pairs of a hint and the state, for a wrong candidate."""
    (xr, xz, xn), (hr, hz, hn) = blocks(x, h, w_x, w_h, b_x, b_h)
    r, z = (xr + hr).sigmoid(), (xz + hz).sigmoid()
    m, bias = h.size(-1), b_h.chunk(3)[2]
    w_n = w_h[:, 2 * m :]
    place = "the reset gate is at the wrong place: "
    table = [
        (
            place + "it multiplies the state's block, after the product with "
            "w_h and with the bias; you multiply the state before it",
            (xn + (r * h) @ w_n + bias).tanh(),
        ),
        (
            place + "it multiplies the state's block with its bias; you "
            "leave the bias out of it",
            (xn + r * (hn - bias) + bias).tanh(),
        ),
        (
            place + "it multiplies the state's block alone; you multiply the "
            "input's block too",
            (r * (xn + hn)).tanh(),
        ),
        (
            place + "it multiplies the state's block; you multiply the "
            "input's",
            (r * xn + hn).tanh(),
        ),
        (
            place + "it belongs inside the tanh; you multiply the tanh",
            r * (xn + hn).tanh(),
        ),
        ("the reset gate is not used", (xn + hn).tanh()),
        ("the tanh is missing: the candidate has no bound", xn + r * hn),
        (
            "the candidate uses a sigmoid; it needs a tanh, so that it can "
            "be negative",
            (xn + r * hn).sigmoid(),
        ),
        (
            "the candidate does not read the old state",
            xn.tanh(),
        ),
        *(
            (
                "the candidate takes the old state itself; the state passes "
                "through its block of w_h (and b_h) first, then r multiplies",
                (xn + wrong).tanh(),
            )
            for wrong in (r * h, r * h + bias, r * (h + bias), h)
        ),
        (
            "the candidate uses the update gate z; the reset gate r belongs "
            "there",
            (xn + z * hn).tanh(),
        ),
    ]
    return [(hint, (1 - z) * n + z * h) for hint, n in table]


def wrong_biases(x, h, w_x, w_h, b_x, b_h):
    """Return pairs of a hint and the state, for wrong biases."""
    none, m = 0 * b_x, h.size(-1)
    late = torch.arange(3 * m) >= 2 * m  # the candidate's block
    in_x, in_h = b_x * late, b_h * late
    table = [
        ("both biases are left out", none, none),
        ("b_x is left out", none, b_h),
        ("b_h is left out", b_x, none),
        ("b_x and b_h are exchanged", b_h, b_x),
        ("you add b_x twice; b_h belongs to the state's blocks", b_x, b_x),
        ("you add b_h twice; b_x belongs to the input's blocks", b_h, b_h),
        ("the candidate leaves b_h out", b_x, b_h - in_h),
        ("the candidate leaves b_x out", b_x - in_x, b_h),
        ("the candidate leaves both biases out", b_x - in_x, b_h - in_h),
        ("the gates leave b_h out", b_x, in_h),
        ("the gates leave b_x out", in_x, b_h),
        ("the gates leave both biases out", in_x, in_h),
    ]
    found = []
    for hint, one, two in table:
        (xr, xz, xn), (hr, hz, hn) = blocks(x, h, w_x, w_h, one, two)
        r, z = (xr + hr).sigmoid(), (xz + hz).sigmoid()
        found.append((hint, (1 - z) * (xn + r * hn).tanh() + z * h))
    return found


def wrong_states(x, h, w_x, w_h, b_x, b_h):
    """Return pairs of a hint and the state that the mistake gives."""
    given = x, h, w_x, w_h, b_x, b_h
    (xr, xz, xn), (hr, hz, hn) = blocks(*given)
    r, z = (xr + hr).sigmoid(), (xz + hz).sigmoid()
    n = (xn + r * hn).tanh()
    return [
        *wrong_gates(*given),
        *wrong_orders(*given),
        *wrong_cuts(*given),
        *wrong_candidates(*given),
        *wrong_biases(*given),
        (
            "you return the candidate; the new state is z times the old one "
            "plus 1 - z times the candidate",
            n,
        ),
        ("you return the old state", h),
        ("you return the update gate", z),
        (
            "the new state passes through one more tanh; it needs none",
            ((1 - z) * n + z * h).tanh(),
        ),
        (
            "this is a plain recurrent network; where are the gates?",
            (xn + hn).tanh(),
        ),
    ]
