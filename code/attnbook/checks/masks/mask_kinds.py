"""What masks may be made of, and one more id that they may hide."""

import functools

import torch

from attnbook.checks.engine.calling import unanswered
from attnbook.checks.engine.rules import Rule
from attnbook.checks.engine.verdict import Hint, Mistake

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
        Mistake: another type, or another number.
    """
    if not isinstance(mask, torch.Tensor):
        return mask
    what = f"{name} must be {str(dtype).removeprefix('torch.')}, {shown} = "
    what += f"may attend and {hidden} = hidden"
    if mask.dtype != dtype:
        kind = str(mask.dtype).removeprefix("torch.")
        raise Mistake("{}; yours is {}", Hint(what), kind)
    if not ((mask == shown) | (mask == hidden)).all():
        raise Mistake("{}; yours holds other numbers", Hint(what))
    return mask == shown


def of_numbers(answer, value=0, shown=1, dtype=torch.int64):
    """Take masks of numbers for bool ones; `value` stands where hidden."""
    read = functools.partial(bool_of, dtype=dtype, shown=shown, hidden=value)
    return each(answer, read)


def said(kind):
    """Return hints as they read where True has another name."""
    return (("must be bool, True = may attend", f"must hold {kind} = may "
             "attend"), ("True", kind))  # fmt: skip


HIDDEN_HINTS = (
    ("must be bool, True = may attend", "must be bool, True = hidden"),
    ("True marks the padding; True must mark the words", "True marks the "
     "words; here True must mark the padding"),
    ("True marks the padding; it must mark the words", "True marks the words; "
     "here it must mark the padding"),
    ("True marks the padding, and on the query axis; mark the words",
     "True marks the words, and on the query axis; mark the padding"),
    ("True marks the id 0; mark the words, tokens !=", "all but the id 0 is "
     "hidden; mark the padding, tokens =="),
    ("no True", "no False"),
    ("words as keys and words as queries are joined by |", "pads as keys and "
     "pads as queries are joined by &"),
    ("words and a causal triangle are joined", "the future is hidden too"),
    ("inverted: True marks what must be hidden", "inverted: here True marks "
     "what must be hidden"),
    (" (another library's True means hidden)", ""),
    ("triu keeps the future and hides the past; keep the keys on and below "
     "the diagonal", "the future is open and the past is hidden; hide the "
     "keys above the diagonal"),
    ("are joined by |, which keeps what either keeps; a key must pass both, "
     "so join them by &", "are joined by &, which hides only what both hide; "
     "a key must pass both, so join them by |"),
    ("are joined by ^, which keeps what one of them keeps and not the other; "
     "a key must pass both, so join them by &", "are joined wrongly; hide "
     "what either hides, so join them by |"),
    ("compare by !=", "compare by =="),
    ("as they come, by !=", "as they come, by =="),
)  # fmt: skip


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
            hints=HIDDEN_HINTS,
        ),
        Rule(
            name="ones",
            text=((old, why("int64", "1 = may attend and 0 = hidden, as "
                            "tokenizers make it")),),
            code=code["ones"],
            adapt=of_numbers,
            page="here masks hold 1 = may attend and 0 = hidden",
            hints=said("1"),
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
            hints=said("0"),
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
        raise Mistake(
            "the id {} must be hidden like padding{}, wherever it "
            "stands; all else is right in this case",
            value,
            sides,
        )
