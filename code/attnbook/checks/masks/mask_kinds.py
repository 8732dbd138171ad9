"""What masks may be made of, and one more id that they may hide."""

import functools

import torch

from attnbook.checks.engine.calling import unanswered
from attnbook.checks.engine.rules import Rule, RuleMistake
from attnbook.checks.engine.verdict import Hint

GAPS = (11, 12, 13, 14, 15, 16, 17, 18)  # ids of words in the checks
FILLS = tuple(-(10**n) for n in range(4, 13))
PLACES = "the first mask", "the second mask", "the third mask"


def each(answer, change):
    """Change the mask that an answer returns, or each of its three."""

    def run(*inputs):
        result = answer(*inputs)
        if unanswered(result):
            return result
        if isinstance(result, (tuple, list)):
            named = zip(result, PLACES, strict=False)
            rest = result[len(PLACES) :]
            return (*(change(x, name) for x, name in named), *rest)
        return change(result, "the mask")

    return run


def inverted(mask, name):
    """Return a bool mask turned round."""
    is_bool = isinstance(mask, torch.Tensor) and mask.dtype == torch.bool
    return ~mask if is_bool else mask


def bool_of(mask, name, dtype, shown, hidden):
    """Return a bool mask, True where a mask of numbers says 0 or 1.

    Args:
        mask: what an answer returned.
        name: which mask it is.
        dtype: the type that is asked for.
        shown: the number that may attend.
        hidden: the number that may not.

    Raises:
        RuleMistake: another type, or another number.
    """
    if not isinstance(mask, torch.Tensor):
        return mask
    what = f"{name} must be {str(dtype).removeprefix('torch.')}, {shown} = "
    what += f"may attend and {hidden} = hidden"
    if mask.dtype != dtype:
        kind = str(mask.dtype).removeprefix("torch.")
        raise RuleMistake("{}; yours is {}", Hint(what), kind)
    if not ((mask == shown) | (mask == hidden)).all():
        raise RuleMistake("{}; yours holds other numbers", Hint(what))
    return mask == shown


def of_numbers(answer, value=0, shown=1, dtype=torch.int64):
    """Take masks of numbers for bool ones; `value` stands where hidden."""
    read = functools.partial(bool_of, dtype=dtype, shown=shown, hidden=value)
    return each(answer, read)


def kinds(old, why, code):
    """Return the rules on what a mask is made of.

    Args:
        old: a phrase of the page's task.
        why: a function of a description that returns what stands instead.
        code: name -> pairs of `Rule.code`.
    """
    return (
        Rule(
            name="hidden",
            text=((old, why("bool", "True = hidden, as in PyTorch's "
                            "`key_padding_mask`")),),
            code=code["hidden"],
            adapt=lambda answer: each(answer, inverted),
            page="here True means hidden",
            seen="with its masks turned round: True = may attend",
        ),
        Rule(
            name="ones",
            text=((old, why("int64", "1 = may attend and 0 = hidden, as "
                            "tokenizers make it")),),
            code=code["ones"],
            adapt=of_numbers,
            page="here masks hold 1 = may attend and 0 = hidden",
            seen="with bool masks: True = may attend",
        ),
        Rule(
            name="added",
            text=((old, why("float32", "0 = may attend and {value} = hidden, "
                            "to be added to scores")),),
            code=code["added"],
            adapt=lambda answer, value: of_numbers(
                answer, value, 0, torch.float32
            ),
            page="here masks hold 0 = may attend and {value} = hidden",
            seen="with bool masks: True = may attend",
            values=FILLS,
        ),
    )  # fmt: skip


def alike(masks, rights):
    """Say whether masks are the right ones, whatever they broadcast."""
    pairs = [
        x if isinstance(x, (tuple, list)) else (x,) for x in (masks, rights)
    ]
    if len(pairs[0]) != len(pairs[1]):
        return False
    for x, y in zip(*pairs, strict=True):
        if not isinstance(x, torch.Tensor) or x.dtype != torch.bool:
            return False
        try:
            same = torch.equal(*torch.broadcast_tensors(x, y))
        except RuntimeError:
            return False
        if not same:
            return False
    return True


def without(tokens, value, pads):
    """Return tokens in which a gap's id is another word."""
    if not (tokens == value).any():
        return tokens
    other = next(i for i in range(value + 1, value + 9) if i not in pads)
    return tokens.masked_fill(tokens == value, other)


def gaps_hidden(right, count):
    """Return an adapter that asks for one more hidden id.

    The check asks nothing of it, so it is asked here, of answers that are
    right without it: a gap must be hidden as padding is.

    Args:
        right: the page's function.
        count: how many of its inputs are tokens; paddings follow.
    """

    def adapt(answer, value):
        def run(*inputs):
            tokens, pads = inputs[:count], inputs[count:]
            if value in pads:
                return answer(*inputs)
            tokens = [without(x, value, pads) for x in tokens]
            result = answer(*tokens, *pads)
            if alike(result, right(*tokens, *pads)):
                require_gaps(answer, right, tokens, pads, value)
            return result

        return run

    return adapt


def require_gaps(answer, right, tokens, pads, value):
    """Refuse an answer that does not hide gaps in every second place."""
    gaps = [
        (torch.arange(x.size(1)) % 2 == 1) & (x != pad)
        for x, pad in zip(tokens, pads, strict=True)
    ]
    given, as_pads = (
        list(map(torch.masked_fill, tokens, gaps, ids))
        for ids in ([value] * len(tokens), pads)
    )
    if not alike(answer(*given, *pads), right(*as_pads, *pads)):
        sides = " on both sides" if len(pads) > 1 else ""
        raise RuleMistake(
            "the id {} must be hidden like padding{}, wherever it "
            "stands; all else is right in this case",
            value,
            sides,
        )
