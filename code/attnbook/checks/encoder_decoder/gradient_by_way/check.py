"""Check of a gradient that is separated by the ways that it takes.

Dimension letters:
    B batch, T target length, S source length, D = d_model.
"""

import torch

from attnbook.checks.encoder_decoder.parts import (
    random_attention,
    stream,
    words,
)
from attnbook.checks.engine.exercise import Case, Exercise, check
from attnbook.checks.engine.steps import table


def gradient_by_way(memory, loss_of):
    """Return two gradients of the loss with respect to the memory.

    Args:
        memory: float, (B, S, D).
        loss_of: a function of two tensors, (B, S, D) each, of which keys and
            values are made; it returns the loss, one number.

    Returns:
        The gradient through the keys alone, and that through the values
        alone, (B, S, D) each.
    """
    leaf = memory.detach().requires_grad_()
    cut = leaf.detach()
    by_k = loss_of(leaf, cut)
    by_v = loss_of(cut, leaf)
    keys = torch.autograd.grad(by_k, leaf)[0]
    values = torch.autograd.grad(by_v, leaf)[0]
    result = keys, values
    return result


MISTAKES = table("""
    by_k = loss_of(leaf, leaf)
        the first gradient holds the second one too: close the way through the
        values by memory.detach(); if it is closed, backward() has added up
        both in .grad
    by_v = loss_of(leaf, leaf)
        the second gradient holds the first one too: close the way through the
        keys by memory.detach(); if it is closed, backward() has added up both
        in .grad, so set it to None between the two
    by_k = loss_of(leaf, leaf); by_v = loss_of(leaf, leaf)
        both gradients hold both ways: close one way for each by
        memory.detach(); if they are closed, both results are the same .grad,
        in which backward() adds up; use torch.autograd.grad
    result = values, keys
        the two are exchanged: detach() closes a way, and what goes in without
        it is the way that stays open; keys come first
    result = keys, keys
        the gradient through the keys comes twice
    result = values, values
        the gradient through the values comes twice
    by_k = loss_of(leaf, torch.zeros_like(cut))
    by_k = loss_of(leaf, torch.ones_like(cut))
        the first loss is another one: with the way closed the values must
        still be made of the same numbers; detach() keeps them
    by_v = loss_of(torch.zeros_like(cut), leaf)
    by_v = loss_of(torch.ones_like(cut), leaf)
        the second loss is another one: with the way closed the keys must still
        be made of the same numbers; detach() keeps them
    result = -keys, -values
        the signs are turned round; return the gradients, not the steps
    result = keys / 2, values / 2
        both gradients are half of what they should be
    result = keys.abs(), values.abs()
        you return sizes; a gradient has signs
    result = keys / keys.norm(), values / values.norm()
        you divide by the length; return the gradients as they are
    result = keys * by_k.detach(), values * by_v.detach()
        you multiply by the loss; return the gradients as they are
""")
ERRORS = {
    "does not require grad": "no way is open: the memory needs gradients, "
    "memory = memory.detach().requires_grad_(), and only one of the two that "
    "go into loss_of is detached",
    "not have been used": "the loss does not depend on the tensor that you "
    "ask for; put that same tensor into loss_of, for the way that is open",
    "second time": "the loss is computed once only; call loss_of for each of "
    "the two ways",
    "NoneType": "a .grad is None: it belongs to a tensor that was made with "
    "requires_grad_() and that the loss depends on",
    "only for scalar outputs": "the gradient is that of the loss, one number",
}


def example(draws, sizes=(3, 4, 5, 6), dtype=torch.float32, seed=31):
    """Draw a memory and a loss that reads it by one attention."""
    batch, length, source, d_model = sizes
    memory = stream(draws, batch, source, d_model, dtype, seed)
    queries = stream(draws, batch, length, d_model, dtype, seed + 1)
    wanted = stream(draws, batch, length, d_model, dtype, seed + 2)
    mask = words(draws, batch, source)  # (B, 1, 1, S)
    generator = draws.seeded(seed + 3)
    attention = random_attention(d_model, generator, "loss_of")

    def loss_of(keys, values):
        written = attention(queries, keys, values, mask)[0]  # (B, T, D)
        return (written - wanted).square().sum()

    return memory, loss_of


def cases(draws):
    """Yield all cases."""
    yield Case("", example(draws))
    yield Case(
        "right while all sizes differ, but not when they are equal: ",
        example(draws, (4, 4, 4, 4)),
    )
    yield Case(
        "right for three sentences, but not for one: ",
        example(draws, (1, 5, 3, 4)),
    )
    yield Case(
        "right for several words, but not for one: ",
        example(draws, (3, 1, 1, 6)),
    )
    yield Case(
        "right for float32, but not for float64: ",
        example(draws, (2, 4, 5, 6), torch.float64),
        1e-9,
    )


def exercise(draws):
    """Return the exercise with its inputs."""
    return Exercise(
        right=gradient_by_way,
        returns={
            "the gradient through the keys": "B S D",
            "the gradient through the values": "B S D",
        },
        takes=("B S D", ""),
        cases=tuple(cases(draws)),
        mistakes=MISTAKES,
        errors=ERRORS,
        must_train=False,
    )


check_gradient_by_way = check(exercise)
