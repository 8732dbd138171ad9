"""Answers to the task of chapter 0, What learning is."""

import numpy as np
import torch
from torch import nn

from answers.registry import right, wrong

TASK = "fit_line"


def parameters(start=0.0):
    """Return slope and height, as the page makes them."""
    return [torch.tensor(start, requires_grad=True) for _ in range(2)]


def loss_of(line, x, y):
    """Return the mean of the squared misses."""
    return (line[0] * x + line[1] - y).square().mean()


def by_optimiser(x, y, rate, steps, make=torch.optim.SGD, forget=True):
    """Return slope and height by an optimiser."""
    line = parameters()
    optimiser = make(line, lr=rate)
    for _ in range(steps):
        loss = loss_of(line, x, y)
        if forget:
            optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return line[0].item(), line[1].item()


@right(TASK)
def as_on_the_page(x, y, rate, steps):
    slope = torch.tensor(0.0, requires_grad=True)
    height = torch.tensor(0.0, requires_grad=True)
    optimiser = torch.optim.SGD([slope, height], lr=rate)
    for _ in range(steps):
        loss = (slope * x + height - y).square().mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return slope.item(), height.item()


@right(TASK)
def without_an_optimiser(x, y, rate, steps):
    line = parameters()
    for _ in range(steps):
        loss_of(line, x, y).backward()
        with torch.no_grad():
            for number in line:
                number -= rate * number.grad
                number.grad.zero_()
    return line


@right(TASK)
def by_hand(x, y, rate, steps):
    slope = height = 0.0
    for _ in range(steps):
        miss = slope * x + height - y
        by_slope, by_height = 2 * (miss * x).mean(), 2 * miss.mean()
        slope, height = slope - rate * by_slope, height - rate * by_height
    return float(slope), float(height)


@right(TASK)
def as_one_tensor(x, y, rate, steps):
    line = torch.zeros(2)
    for _ in range(steps):
        line.requires_grad_()
        (gradient,) = torch.autograd.grad(loss_of(line, x, y), line)
        line = (line - rate * gradient).detach()
    return line


@right(TASK)
def in_lists(x, y, rate, steps):
    x, y, slope, height = x.tolist(), y.tolist(), 0.0, 0.0
    for _ in range(steps):
        misses = [slope * a + height - b for a, b in zip(x, y, strict=True)]
        pairs = zip(misses, x, strict=True)
        slope -= rate * 2 * sum(m * a for m, a in pairs) / len(x)
        height -= rate * 2 * sum(misses) / len(x)
    return [slope, height]


@right(TASK)
def by_a_layer(x, y, rate, steps):
    layer = nn.Linear(1, 1, dtype=x.dtype)
    nn.init.zeros_(layer.weight), nn.init.zeros_(layer.bias)
    optimiser = torch.optim.SGD(layer.parameters(), lr=rate)
    for _ in range(steps):
        optimiser.zero_grad()
        nn.functional.mse_loss(layer(x[:, None]), y[:, None]).backward()
        optimiser.step()
    return layer.weight.item(), layer.bias.item()


@wrong(TASK, "pile up")
def without_zero_grad(x, y, rate, steps):
    return by_optimiser(x, y, rate, steps, forget=False)


@wrong(TASK, "that is Adam")
def by_adam(x, y, rate, steps):
    return by_optimiser(x, y, rate, steps, torch.optim.Adam)


@wrong(TASK, "never move")
def without_step(x, y, rate, steps):
    line = parameters()
    for _ in range(steps):
        loss_of(line, x, y).backward()
    return line


@wrong(TASK, "which is no parameter")
def new_names(x, y, rate, steps):
    slope, height = parameters()
    for _ in range(steps):
        loss_of((slope, height), x, y).backward()
        slope = slope - rate * slope.grad
        height = height - rate * height.grad
    return slope.item(), height.item()


@wrong(TASK, "inside with torch.no_grad()")
def without_no_grad(x, y, rate, steps):
    line = parameters()
    for _ in range(steps):
        loss_of(line, x, y).backward()
        for number in line:
            number -= rate * number.grad
            number.grad = None
    return line


@wrong(TASK, "nothing here is a parameter")
def no_parameter(x, y, rate, steps):
    line = torch.tensor(0.0), torch.tensor(0.0)
    for _ in range(steps):
        loss_of(line, x, y).backward()
    return line


@wrong(TASK, "computed once only")
def loss_before_the_loop(x, y, rate, steps):
    line = parameters()
    optimiser = torch.optim.SGD(line, lr=rate)
    loss = loss_of(line, x, y)
    for _ in range(steps):
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return line


@wrong(TASK, "the loss must be one number")
def no_mean(x, y, rate, steps):
    line = parameters()
    for _ in range(steps):
        (line[0] * x + line[1] - y).square().backward()
    return line


@wrong(TASK, "changes its input")
def in_place(x, y, rate, steps):
    y -= 1
    return by_optimiser(x, y + 1, rate, steps)


@wrong(TASK, "return two numbers, slope and height")
def returns_the_loss(x, y, rate, steps):
    line = by_optimiser(x, y, rate, steps)
    return loss_of(line, x, y)


@wrong(TASK, "return two numbers, slope and height")
def returns_both_and_the_loss(x, y, rate, steps):
    line = by_optimiser(x, y, rate, steps)
    return *line, loss_of(line, x, y)


@wrong(TASK, "return one number, the slope")
def returns_matrices(x, y, rate, steps):
    return [torch.tensor([[n]]) for n in by_optimiser(x, y, rate, steps)]


@wrong(TASK, "the slope is right, the height is not")
def height_twice_as_fast(x, y, rate, steps):
    slope, height = by_optimiser(x, y, rate, steps)
    return slope, 1.5 * height


@wrong(TASK, "this is the best line of all")
def the_best_line(x, y, rate, steps):
    slope, height = np.polyfit(x, y, 1)
    return float(slope), float(height)


@wrong(TASK, "not for many")
def at_most_ten_steps(x, y, rate, steps):
    return by_optimiser(x, y, rate, min(steps, 10))


@wrong(TASK, "compute the first step from 0 and 0 by hand")
def with_momentum(x, y, rate, steps):
    return by_optimiser(
        x, y, rate, steps, lambda line, lr: torch.optim.SGD(line, lr, 0.5)
    )
