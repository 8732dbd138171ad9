"""Answers that are none: unfilled stubs, and functions that misbehave."""

import math

import torch


# ---------------------------------------------------------------- stubs
def returns_none(*inputs):
    """Return (context, weights)."""
    ...


def returns_ellipsis(*inputs):
    return ...


def returns_not_implemented(*inputs):
    return NotImplemented


def returns_a_pair_of_nothing(*inputs):
    return None, None


def raises_not_implemented(*inputs):
    raise NotImplementedError


STUBS = [
    returns_none,
    returns_ellipsis,
    returns_not_implemented,
    returns_a_pair_of_nothing,
    raises_not_implemented,
]


# -------------------------------------------------------------- hostile
class Evil:
    """An object on which everything fails."""

    def __getattribute__(self, name):
        raise RuntimeError("no")

    def __eq__(self, other):
        raise RuntimeError("no")

    def __bool__(self):
        raise RuntimeError("no")

    def __len__(self):
        raise RuntimeError("no")


def exits(*inputs):
    raise SystemExit(1)


def recurses(*inputs):
    return recurses(*inputs)


def generates(*inputs):
    yield inputs


def in_place(x, *rest):
    x.mul_(2)
    return x, x


def swapped_data(x, *rest):
    x.data = x.data.double()
    return x, x


class Speechless(Exception):
    """An error that cannot even be printed."""

    def __str__(self):
        raise Speechless


def speechless(*inputs):
    raise Speechless


def letters_nobody_can_print(*inputs):
    raise ValueError("\ud800")


Several = type("two\nlines", (), {})


def resized(x, *rest):
    x.resize_(1)
    return x, x


HOSTILE = {
    "no function": 3,
    "none": None,
    "exit": exits,
    "recursion": recurses,
    "generator": generates,
    "wrong signature": lambda: None,
    "evil object": lambda *x: Evil(),
    "pair of evil objects": lambda *x: (Evil(), Evil()),
    "number": lambda *x: 3,
    "string": lambda *x: "context",
    "empty tuple": lambda *x: (),
    "three tensors": lambda *x: (x[0], x[0], x[0]),
    "one scalar tensor": lambda *x: torch.tensor(1.0),
    "pair of scalars": lambda *x: (torch.tensor(1.0), torch.tensor(1.0)),
    "complex": lambda *x: (x[0].to(torch.complex64),) * 2,
    "integers": lambda *x: (x[0].long(), x[0].long()),
    "sparse": lambda *x: (x[0].to_sparse(), x[0].to_sparse()),
    "meta device": lambda *x: (x[0].to("meta"), x[0].to("meta")),
    "nan": lambda *x: (x[0] * math.nan, x[0] * math.nan),
    "in place": in_place,
    "data swapped": swapped_data,
    "error that cannot be printed": speechless,
    "letters that cannot be printed": letters_nobody_can_print,
    "type of two lines": lambda *x: Several(),
    "resized": resized,
    "dict": lambda *x: {"context": x[0], "weights": x[0]},
    "numpy": lambda *x: (x[0].detach().numpy(),) * 2,
    "error without text": lambda *x: [][0],
}
