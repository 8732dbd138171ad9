"""The wrong answers that the check of one GRU step knows by name.

Dimension letters:
    B sentences, D width of an input, M width of a state.
"""


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
    other = (xn + z * hn).tanh()
    return [
        (
            "z and 1 - z are exchanged: z keeps the old state, 1 - z takes "
            "the new one",
            z * n + (1 - z) * h,
        ),
        (
            "the first two blocks are exchanged: the first makes the reset "
            "gate r, the second the update gate z",
            (1 - r) * other + r * h,
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
            "you add the whole new vector to what is kept; it enters by 1 - z",
            n + z * h,
        ),
        (
            "the new vector enters by 1 - z, but the old state is kept in "
            "full; multiply it by z",
            (1 - z) * n + h,
        ),
        ("the old state is not kept; add z times it", (1 - z) * n),
    ]


def wrong_candidates(x, h, w_x, w_h, b_x, b_h):
    """Return pairs of a hint and the state, for a wrong new vector."""
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
        ("the tanh is missing: the new vector has no bound", xn + r * hn),
        (
            "the new vector uses a sigmoid; it needs a tanh, so that it can "
            "be negative",
            (xn + r * hn).sigmoid(),
        ),
        (
            "the new vector does not read the old state",
            xn.tanh(),
        ),
    ]
    return [(hint, (1 - z) * n + z * h) for hint, n in table]


def wrong_biases(x, h, w_x, w_h, b_x, b_h):
    """Return pairs of a hint and the state, for biases left out."""
    none = 0 * b_x
    table = [
        ("both biases are left out", none, none),
        ("b_x is left out", none, b_h),
        ("b_h is left out", b_x, none),
        ("b_x and b_h are exchanged", b_h, b_x),
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
    (ar, az, an), (br, bz, bn) = (
        (side[2], side[1], side[0]) for side in blocks(*given)
    )
    last, keep = (ar + br).sigmoid(), (az + bz).sigmoid()
    return [
        *wrong_gates(*given),
        *wrong_candidates(*given),
        *wrong_biases(*given),
        (
            "you return the new vector n; the new state is z times the old "
            "one plus 1 - z times n",
            n,
        ),
        ("you return the old state", h),
        ("you return the update gate", z),
        (
            "the new state passes through one more tanh; it needs none",
            ((1 - z) * n + z * h).tanh(),
        ),
        (
            "the first and the last block are exchanged: the order is reset, "
            "update, new",
            (1 - keep) * (an + last * bn).tanh() + keep * h,
        ),
        (
            "this is a plain recurrent network; where are the gates?",
            (xn + hn).tanh(),
        ),
    ]
