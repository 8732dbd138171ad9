"""What the checks of an encoder layer and of a decoder layer share.

Dimension letters:
    B batch, T target length, S source length, D = d_model.
"""

import torch

from attnbook.checks.encoder_decoder.layer_gradients import judge_gradients
from attnbook.checks.encoder_decoder.layer_mistakes import find_mistake
from attnbook.checks.encoder_decoder.spies import Bound, Log, make_parts, run
from attnbook.checks.engine.calling import (
    LOST,
    SQUEEZED,
    check_tensor,
    close,
    lost_axis,
)
from attnbook.checks.engine.verdict import Hint, Mistake

F32, F64 = torch.float32, torch.float64
EQUAL = "right while all sizes differ, but not when B = T = S = D: "
ALONE = "right for three sentences, but not for one: "
LARGE = "right for small numbers, but not for large ones: "
OTHER = "right for one batch, but not for another of the same sizes: "
SIZES = {  # what to say when the answer fails: B, T, S, D, type, factor
    "": (3, 4, 5, 6, F32, 1.0),
    EQUAL: (4, 4, 4, 4, F32, 1.0),
    ALONE: (1, 5, 3, 4, F32, 1.0),
    "right for several words, but not for one: ": (3, 1, 1, 6, F32, 1.0),
    "right for float32, but not for float64: ": (2, 4, 5, 6, F64, 1.0),
    LARGE: (2, 4, 5, 6, F32, 1000.0),
    OTHER: (3, 4, 5, 6, F32, 0.5),
}
PAIR = (
    "an attention returns a pair, (output, weights), and the stream takes "
    "the output alone: [0]"
)

SHAPES = (
    "add to the stream what has its shape: the output of an attention, [0], "
    "and neither its weights nor the memory"
)

MASKS = "each attention gets its own mask, alone and as it is"


def stream(draws, batch, length, d_model, dtype, seed):
    """Draw a stream, (B, T, D), that is not contiguous."""
    generator = draws.seeded(seed)
    x = torch.randn(d_model, length, batch, generator=generator)
    return x.permute(2, 1, 0).to(dtype)


def words(draws, batch, length):
    """Return a padding mask, (B, 1, 1, length).

    As in every batch, one sentence is as long as all places; a sentence
    alone has its last place hidden all the same.
    """
    first = length - 1 - (batch == 1)
    counts = draws.shuffled([1 + (first + i) % length for i in range(batch)])
    places = torch.arange(length)
    mask = places < torch.tensor(counts)[:, None]  # (B, length)
    return mask[:, None, None, :]


def attempt(bound, log, plan, tensors):
    """Return the result; turn an error into the hint that fits best."""
    try:
        return run(bound, *tensors)
    except Mistake as mistake:
        if mistake.kind != "error":
            raise
        hint = find_mistake(plan, log, None)
        pair = mistake.tells("and 'tuple'") or mistake.tells("got a tuple")
        if hint is None and pair:
            hint = PAIR
        if hint is None and mistake.tells("size of tensor"):
            read = set(log.names()) & {*plan.masks}
            why = Hint(SHAPES if read else MASKS)
            raise Mistake("{} ({})", mistake.hint, why, kind="error") from None
        if hint is None:
            raise
        raise Mistake(hint) from None


def judge(answer, right, case, sizes, draws):
    """Raise the mistake that an answer makes for these sizes."""
    tensors, masks, arrange, plan = case(draws, sizes)
    x, log = tensors[0], Log()
    parts = make_parts(draws, log, x.size(-1), plan.subs[:-1])
    bound = Bound(answer, arrange(parts))
    result = attempt(bound, log, plan, tensors + masks)
    if isinstance(result, tuple | list):
        raise Mistake("return the stream alone, one tensor, without weights")
    seen = Log(log)
    if isinstance(result, torch.Tensor) and result.shape != x.shape:
        if lost_axis(result, x.shape):
            raise Mistake(SQUEEZED)
        hint = find_mistake(plan, seen, result)
        raise Mistake(
            hint or Hint("the result has the shape {}", tuple(result.shape))
        )
    check_tensor(result, x, "the result")
    want = right(*arrange(parts)(*tensors, *masks))
    if close(result, want, 1e-9 if x.dtype == F64 else 1e-5):
        return
    if not close(result, run(bound, *tensors, *masks)):
        raise Mistake(
            "two calls with the same inputs differ; leave dropout out, it "
            "is on while training only"
        )
    hint = find_mistake(plan, seen, result)
    if hint is None and close(result, want, 1e-4):
        hint = LOST
    raise Mistake(
        hint
        or "every part gets the right thing, and the result is not their "
        "sum; is something scaled, cut off or rounded?"
    )


def check(answer, right, case, draws):
    """Raise the first mistake that an answer makes for any sizes."""
    for prefix, sizes in SIZES.items():
        try:
            judge(answer, right, case, sizes, draws)
        except Mistake as mistake:
            raise mistake.behind(prefix) from None
    tensors, masks, arrange, plan = case(draws, SIZES[""])
    log = Log()
    parts = make_parts(draws, log, tensors[0].size(-1), plan.subs[:-1])

    def with_masks(*tensors):
        return arrange(parts)(*tensors, *masks)

    judge_gradients(
        Bound(answer, with_masks), Bound(right, with_masks), log, *tensors
    )
