"""Check of one step of a GRU.

Dimension letters:
    B sentences, D width of an input, M width of a state.
"""

import torch
from torch.overrides import TorchFunctionMode

from attnbook.checks.engine.calling import close
from attnbook.checks.engine.exercise import Case, Exercise, check
from attnbook.checks.engine.steps import table
from attnbook.checks.engine.verdict import Hint, Mistake

SIZES = (3, 5, 4)  # B, D, M: all different
SQUARE = (6, 6, 6)  # a wrong axis must not hide, nor be right here
ENDLESS = (
    "the numbers are right, but for inputs of several hundred a gradient is "
    "not finite: an exponential of your own sigmoid or tanh overflows; use "
    "torch.sigmoid and torch.tanh"
)
OWN_CELL = (
    "you call PyTorch's own cell; it is not wanted here: compute r, z and the "
    "candidate from the six inputs"
)
BY_HAND = (  # the step in the text is right for many mistakes: z is 0.5 there
    "the state is wrong; call your function with x = torch.tensor([[2.0, -1], "
    "[0, 1]]), h = x.flip(1), w_x = torch.arange(12.0).view(2, 6).sin(), "
    "w_h = w_x.roll(1, 1), b_x = w_x[0], b_h = w_h[1] and print r, z and the "
    "candidate inside: their first rows are [0.147, 0.737], [0.946, 0.888] "
    "and [-0.916, -0.987], and that of the new state is [-0.996, 1.665]"
)


def gru_step(x, h, w_x, w_h, b_x, b_h):
    """Compute the new state as `torch.nn.GRUCell` does.

    Args:
        x: one word per sentence, float, (B, D).
        h: the old states, float, (B, M).
        w_x: weights of the word, (D, 3 * M), in three blocks: reset,
            update, candidate.
        w_h: weights of the state, (M, 3 * M), in the same three blocks.
        b_x: biases of the word's blocks, (3 * M,).
        b_h: biases of the state's blocks, (3 * M,).

    Returns:
        The new states, (B, M).
    """
    m = h.size(-1)
    order = 0, 1, 2  # places of reset, update and candidate
    from_x = x @ w_x + b_x  # (B, 3 * M)
    from_h = h @ w_h + b_h  # (B, 3 * M)
    of_x = from_x.split(m, dim=-1)  # 3 x (B, M)
    of_h = from_h.split(m, dim=-1)  # 3 x (B, M)
    xr, xz, xn = (of_x[i] for i in order)
    hr, hz, hn = (of_h[i] for i in order)
    r = (xr + hr).sigmoid()
    z = (xz + hz).sigmoid()
    n = (xn + r * hn).tanh()
    kept = z * h
    taken = (1 - z) * n
    new = kept + taken
    return new


gate = torch.sigmoid


def every_third(side):
    """Cut (B, 3 * M) into three blocks of every third number."""
    return side.unflatten(-1, (-1, 3)).unbind(-1)


MISTAKES = table("""
    kept = (1 - z) * h; taken = z * n
        z and 1 - z are exchanged: z keeps the old state, 1 - z takes the
        candidate
    taken = n
        you add the whole candidate to what is kept; it enters by 1 - z
    kept = h
        the candidate enters by 1 - z, but the old state is kept in full;
        multiply it by z
    kept = h * 0
        the old state is not kept; add z times it
    kept = r * h; taken = (1 - r) * n
        you mix with the reset gate r; the update gate z mixes, r is for the
        candidate alone
    kept = (1 - r) * h; taken = r * n
        you mix with the reset gate r, and the wrong way round; the update
        gate z keeps the old state, 1 - z takes the candidate
    kept = z * r * h
        you multiply the kept state by the reset gate too; r is for the
        candidate alone
    new = n
        you return the candidate; the new state is z times the old one plus
        1 - z times the candidate
    new = h
        you return the old state
    new = kept
        you return what is kept of the old state; add 1 - z times the candidate
    new = (kept + taken).tanh()
        the new state passes through one more tanh; it needs none
    new = (kept + taken).clamp(-1, 1)
        you cut the new state off at 1; return it as it is
    new = (h + n) / 2
        you mix half of the old state with half of the candidate; the update
        gate z says how much of each
    new = (kept + taken)[:1].expand_as(h)
        every sentence has the state of the first one
    new = (xn + hn).tanh()
        this is a plain recurrent network; where are the gates?
    r = xr + hr; z = xz + hz
        the gates are not between 0 and 1; they need a sigmoid
    z = (xz + hz).tanh()
    r = (xr + hr).tanh()
    r = (xr + hr).tanh(); z = (xz + hz).tanh()
        a gate uses a tanh, which reaches from -1 to 1; it needs a sigmoid
    z = F.hardsigmoid(xz + hz)
        a gate uses a hard sigmoid, made of straight lines; use torch.sigmoid
    z = (xz + hz).sigmoid().mean(0, keepdim=True)
        you take the mean of the update gate over the sentences; every sentence
        has its own
    z = (xz + hz).sigmoid().mean(-1, keepdim=True)
        you take the mean of the update gate over a state; every number has a
        gate of its own
    r = xr.sigmoid()
        the reset gate looks at the input alone; it reads the state too
    r = hr.sigmoid()
        the reset gate looks at the state alone; it reads the input too
    z = xz.sigmoid()
        the update gate looks at the input alone; it reads the state too
    z = hz.sigmoid()
        the update gate looks at the state alone; it reads the input too
    r = xr.sigmoid(); z = xz.sigmoid()
        the gates look at the input alone; they read the state too
    r = hr.sigmoid(); z = hz.sigmoid()
        the gates look at the state alone; they read the input too
    order = 0, 2, 1
        you take the blocks as reset, candidate, update; the order is reset,
        update, candidate
    order = 1, 0, 2
        you take the blocks as update, reset, candidate; the order is reset,
        update, candidate
    order = 2, 0, 1
        you take the blocks as update, candidate, reset; the order is reset,
        update, candidate
    order = 1, 2, 0
        you take the blocks as candidate, reset, update; the order is reset,
        update, candidate
    order = 2, 1, 0
        you take the blocks as candidate, update, reset; the order is reset,
        update, candidate
    hr, hz, hn = of_h[1], of_h[0], of_h[2]
        you take the state's blocks as update, reset, candidate; their order is
        reset, update, candidate, as in the input's
    xr, xz, xn = of_x[1], of_x[0], of_x[2]
        you take the input's blocks as update, reset, candidate; their order is
        reset, update, candidate, as in the state's
    of_x = every_third(from_x); of_h = every_third(from_h)
        a block is every third number in your function, but it is M numbers
        side by side; use chunk(3, dim=-1)
    of_x = from_x.reshape(3, -1, m); of_h = from_h.reshape(3, -1, m)
        you reshape (B, 3 * M) to (3, B, M), which tears the rows apart; use
        chunk(3, dim=-1)
    n = (xn + (r * h) @ w_h[:, 2 * m :] + b_h[2 * m :]).tanh()
        the reset gate is at the wrong place: it multiplies the state's block,
        after the product with w_h and with the bias; you multiply the state
        before it
    n = (xn + r * (hn - b_h[2 * m :]) + b_h[2 * m :]).tanh()
        the reset gate is at the wrong place: it multiplies the state's block
        with its bias; you leave the bias out of it
    n = (r * (xn + hn)).tanh()
        the reset gate is at the wrong place: it multiplies the state's block
        alone; you multiply the input's block too
    n = (r * xn + hn).tanh()
        the reset gate is at the wrong place: it multiplies the state's block;
        you multiply the input's
    n = r * (xn + hn).tanh()
        the reset gate is at the wrong place: it belongs inside the tanh; you
        multiply the tanh
    n = (xn + hn).tanh()
        the reset gate is not used
    n = (xn + (1 - r) * hn).tanh()
        you multiply the state's block by 1 - r; at r = 1 the candidate reads
        all of it, so multiply by r
    n = xn + r * hn
        the tanh is missing: the candidate has no bound
    n = (xn + r * hn).sigmoid()
        the candidate uses a sigmoid; it needs a tanh, so that it can be
        negative
    n = (xn + r * hn).relu()
        the candidate uses a ReLU; it needs a tanh, so that it has a bound
    n = xn.tanh()
        the candidate does not read the old state
    n = (r * hn).tanh()
        the candidate does not read the input
    n = (xn + r * h).tanh()
    n = (xn + r * h + b_h[2 * m :]).tanh()
    n = (xn + h).tanh()
        the candidate takes the old state itself; the state passes through its
        block of w_h (and b_h) first, then r multiplies
    n = (xn + z * hn).tanh()
        the candidate uses the update gate z; the reset gate r belongs there
    from_x = x @ w_x; from_h = h @ w_h
        both biases are left out
    from_x = x @ w_x
        b_x is left out
    from_h = h @ w_h
        b_h is left out
    from_x = x @ w_x + b_h; from_h = h @ w_h + b_x
        b_x and b_h are exchanged
    from_h = h @ w_h + b_x
        you add b_x twice; b_h belongs to the state's blocks
    from_x = x @ w_x + b_h
        you add b_h twice; b_x belongs to the input's blocks
    n = (xn + r * (hn - b_h[2 * m :])).tanh()
        the candidate leaves b_h out
    n = (xn - b_x[2 * m :] + r * hn).tanh()
        the candidate leaves b_x out
    n = (xn - b_x[2 * m :] + r * (hn - b_h[2 * m :])).tanh()
        the candidate leaves both biases out
    r = gate(xr + hr - b_h[:m]); z = gate(xz + hz - b_h[m:-m])
        the gates leave b_h out
    r = gate(xr + hr - b_x[:m]); z = gate(xz + hz - b_x[m:-m])
        the gates leave b_x out
    r = gate(xr + hr - (b_x + b_h)[:m]); z = gate(xz + hz - (b_x + b_h)[m:-m])
        the gates leave both biases out
""")


def example(draws, sizes=SIZES, factor=1.0, dtype=torch.float32):
    """Draw the six inputs; input, state and weights are not contiguous."""
    b, d, m = sizes
    generator = draws.seeded(6)

    def draw(*shape):
        return torch.randn(*shape, generator=generator).to(dtype)

    x, h = factor * draw(d, b).T, draw(m, b).T
    return x, h, draw(3 * m, d).T, draw(3 * m, m).T, draw(3 * m), draw(3 * m)


class WithoutOwnCell(TorchFunctionMode):
    """Refuse PyTorch's own cell, as a module and as a function."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        """Run the operation."""
        if getattr(func, "__name__", "") in ("gru", "gru_cell"):
            raise Mistake(OWN_CELL)
        return func(*args, **(kwargs or {}))


def without_own_cell(answer, *inputs):
    """Call the answer, which may not call PyTorch's own cell."""
    function = getattr(answer, "func", answer)  # of a partial
    if getattr(function, "__module__", "") == __name__:
        return answer(*inputs)  # one of the table's many; a watch is slow
    with WithoutOwnCell():
        return answer(*inputs)


def guess(results, rights, inputs):
    """Return a hint for a state that no row explains, or None."""
    (state,), (right,), h = results, rights, inputs[1]
    if close(state, right, 1e-2):
        return None  # the engine says that digits are lost
    distances = (state[:, None] - right).abs().amin(1)  # to any sentence's
    if (distances < 1e-4).all():
        return (
            "the sentences of the batch are mixed: the numbers are right, but "
            "they stand in the rows of other sentences"
        )
    if (state.abs() > torch.maximum(h.abs(), torch.ones_like(h))).any():
        return (
            "a number of the new state is further from 0 than 1 and than the "
            "old one; z * h + (1 - z) * candidate always lies between the "
            "two, if z comes out of a sigmoid and the candidate out of a tanh"
        )
    return BY_HAND


def cases(draws):
    """Yield all cases."""
    yield Case("", example(draws))
    yield Case(
        Hint("right for (B, D, M) = {}, but not for (2, 3, 7): ", SIZES),
        example(draws, (2, 3, 7)),
    )
    yield Case(
        "right while the sizes differ, but not when B = D = M: ",
        example(draws, SQUARE),
    )
    yield Case(
        "right for small inputs, but not for inputs of several hundred: ",
        example(draws, factor=300.0),
        1e-4,
        nan="the new state holds NaN: your own sigmoid or tanh divides one "
        "infinity by another; use torch.sigmoid and torch.tanh",
    )
    yield Case(
        "right for float32, but not for float64: ",
        example(draws, dtype=torch.float64),
        1e-9,
    )
    yield Case(
        "right for a batch, but not for one sentence: ",
        example(draws, (1, 2, 3)),
    )


def exercise(draws):
    """Return the exercise with its inputs."""
    return Exercise(
        right=gru_step,
        returns={"the new state": "B M"},
        takes=("B D", "B M", "D 3M", "M 3M", "3M", "3M"),
        cases=tuple(cases(draws)),
        mistakes=MISTAKES,
        help="x @ w_x and h @ w_h are both (B, 3 * M); chunk(3, dim=-1) cuts "
        "them",
        combine=(
            *("kept", "taken", "order", "of_x", "of_h", "r", "z", "n"),
            *("from_x", "from_h"),
        ),
        guess=guess,
        through=without_own_cell,
        trains=(("", example(draws)),),
        smooth=((ENDLESS, example(draws, factor=300.0)),),
    )


check_gru_step = check(exercise)
