"""Other masks than those of exercises 10.4 and 10.5.

Dimension letters:
    B batch, T length of a target, S length of a source.
"""

import functools

import torch

from attnbook.checks.engine.calling import unanswered
from attnbook.checks.engine.rules import Rule
from attnbook.checks.engine.verdict import Mistake
from attnbook.checks.masks_for import masks_for
from attnbook.checks.padding_mask import padding_mask
from attnbook.checks.rules.layouts import relaid

GAPS = (101, 102, 103, 104, 105, 106, 107, 108, 109, 110)
FILLS = tuple(-(10**n) for n in range(4, 13))
PLACES = "the first mask", "the second mask", "the third mask"


# ------------------------------------------------- what a mask is made of
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
        shown, hidden: the two numbers that may stand in it.

    Raises:
        Mistake: another type, or another number.
    """
    if not isinstance(mask, torch.Tensor):
        return mask
    what = f"{name} must be {str(dtype).removeprefix('torch.')}, {shown} = "
    what += f"may attend and {hidden} = hidden"
    if mask.dtype != dtype:
        kind = str(mask.dtype).removeprefix("torch.")
        raise Mistake(f"{what}; yours is {kind}")
    if not ((mask == shown) | (mask == hidden)).all():
        raise Mistake(f"{what}; yours holds other numbers")
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


# ------------------------------------------------------ one more hidden id
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
    odd = [(torch.arange(x.size(1)) % 2 == 1).expand_as(x) for x in tokens]
    gaps = [m & (x != pad) for m, x, pad in zip(odd, tokens, pads, strict=True)]
    given, as_pads = (
        [x.masked_fill(*how) for x, *how in zip(tokens, gaps, ids, strict=True)]
        for ids in ([value] * len(pads), pads)
    )
    if not alike(answer(*given, *pads), right(*as_pads, *pads)):
        sides = " on both sides" if len(pads) > 1 else ""
        raise Mistake(
            f"the id {value} must be hidden like padding{sides}, wherever it "
            "stands; all else is right in this case"
        )


# ------------------------------------------------------- 10.4 padding mask
REPAIR = "Then repair the function"
ANY_ID = "for any integer ids"
ON_PAGE = "(The repair stands on this page, the explanation does not.)"
DOC = "Return a bool mask"
COMPARED = "tokens != pad_id"


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


GAP = Rule(
    name="gap",
    text=((ANY_ID, ANY_ID + ", let it hide the id {value}, which marks a gap, "
           "as it hides padding,"),),
    code=(("    words = ", "    tokens = tokens.masked_fill(tokens == "
           "{value}, pad_id)\n    words = "),),
    adapt=gaps_hidden(padding_mask, 1),
    page="here the id {value} is hidden as well",
    hints=(
        ("hide the id pad_id", "hide the ids pad_id and {value}"),
        ("hide pad_id alone", "hide pad_id and {value} alone"),
        ("compare each id with pad_id", "compare each id with pad_id and with "
         "{value}"),
        ("hide no other id", "hide no other id but {value}"),
    ),
    values=GAPS,
)  # fmt: skip
FLAT = Rule(
    name="flat",
    text=((ON_PAGE, "Return it as (B, S), without other axes."),),
    code=(
        ("for scores of shape (B, H, T, S)", "of shape (B, S)"),
        ("words[:, None, None, :]  # (B, 1, 1, S)", "words"),
    ),
    adapt=lambda answer: lambda tokens, pad_id: relaid(
        answer(tokens, pad_id), "the mask", "B, S", tokens.shape,
        lambda x: x[:, None, None],
    ),
    page="here the mask is (B, S)",
)  # fmt: skip
THREE_AXES = Rule(
    name="three-axes",
    text=((ON_PAGE, "Return it as (B, 1, S), for scores without an axis of "
           "heads, (B, T, S)."),),
    code=(
        ("of shape (B, H, T, S)", "of shape (B, T, S)"),
        ("words[:, None, None, :]  # (B, 1, 1, S)",
         "words[:, None, :]  # (B, 1, S)"),
    ),
    adapt=lambda answer: lambda tokens, pad_id: relaid(
        answer(tokens, pad_id), "the mask", "B, 1, S",
        (len(tokens), 1, tokens.size(1)), lambda x: x[:, None],
    ),
    page="here the mask is (B, 1, S)",
)  # fmt: skip
LENGTH_FIRST = Rule(
    name="length-first",
    text=(("wherever the pads stand", "wherever the pads stand; its tokens "
           "come as (S, B), where hers came as (B, S)"),),
    code=(("  # (B, S)", "  # (S, B)\n    words.t_()"),),
    adapt=lambda answer: lambda tokens, pad_id: answer(tokens.t(), pad_id),
    page="here tokens are (S, B)",
)
PADDING_MASK = (
    (GAP,),
    kinds(
        REPAIR,
        lambda kind, what: f"{REPAIR}, so that its mask is {kind}, {what}",
        {
            "hidden": ((DOC, DOC + ", True = hidden,"),
                       (COMPARED, "tokens == pad_id")),
            "ones": ((DOC, "Return an int64 mask"),
                     (COMPARED, "(tokens != pad_id).long()")),
            "added": ((DOC, "Return a float32 mask"),
                      (COMPARED, "torch.where(tokens != pad_id, 0.0, "
                       "{value})")),
        },
    ),
    (FLAT, THREE_AXES),
    (LENGTH_FIRST,),
)  # fmt: skip


# ----------------------------------------------------------- 10.5 masks for
SIGNATURE = "`masks_for(source, target, source_pad, target_pad)`"
FIRST_LINE = "masks_for(source, target, source_pad, target_pad):"
MASKS = "Return three bool masks, True = may attend: "
ORDER = "of the encoder's self-attention, of the decoder's, of cross-attention"
JOINED = "spoken & past"
IN_ORDER = "encoder, decoder, cross-attention"
THREE = "of the encoder, of the decoder and of cross-attention"


def reordered(*places):
    """Return an adapter of three masks in another order.

    Args:
        places: where encoder, decoder and cross-attention stand.
    """

    def adapt(answer):
        def run(*inputs):
            result = answer(*inputs)
            three = isinstance(result, (tuple, list)) and len(result) == 3
            return tuple(result[i] for i in places) if three else result

        return run

    return adapt


def with_heads(mask, name):
    """Return a mask with an axis for the heads."""
    if not isinstance(mask, torch.Tensor):
        return mask
    if mask.dim() != 3:
        raise Mistake(
            f"{name} must have three axes, for scores (B, T, S) without "
            f"heads; yours has the shape {tuple(mask.shape)}"
        )
    return mask.unsqueeze(1)


BOTH_GAP = Rule(
    name="gap",
    text=(("The target is padded at the end.", "The target is padded at the "
           "end. On both sides the id {value} marks a gap: as a key, it is "
           "hidden like padding."),),
    code=(("    words = ",
           "    source = source.masked_fill(source == {value}, source_pad)\n"
           "    target = target.masked_fill(target == {value}, target_pad)\n"
           "    words = "),),
    adapt=gaps_hidden(masks_for, 2),
    page="here the id {value} is hidden as well",
    hints=(
        ("hide the id pad_id", "hide the padding's id and {value}"),
        ("hide no other id", "hide no other id but {value}"),
        *((f"hide {side}_pad alone", f"hide {side}_pad and {{value}} alone")
          for side in ("source", "target")),
        *((f"compare each id with {side}_pad",
           f"compare each id with {side}_pad and with {{value}}")
          for side in ("source", "target")),
    ),
    values=GAPS,
)  # fmt: skip
DECODER_FIRST = Rule(
    name="decoder-first",
    text=((ORDER, "of the decoder's self-attention, of the encoder's, of "
           "cross-attention"),),
    code=(
        ("(encoder, decoder, cross)", "(decoder, encoder, cross)"),
        ("return words, ", "return "),
        (", words\n", ", words, words\n"),
    ),
    adapt=reordered(1, 0, 2),
    page="here the decoder's mask comes first",
    hints=((IN_ORDER, "decoder, encoder, cross-attention"),
           (THREE, "of the decoder, of the encoder and of cross-attention")),
)  # fmt: skip
DECODER_LAST = Rule(
    name="decoder-last",
    text=((ORDER, "of the encoder's self-attention, of cross-attention, of "
           "the decoder's self-attention"),),
    code=(
        ("(encoder, decoder, cross)", "(encoder, cross, decoder)"),
        ("return words, ", "return words, words, "),
        (", words\n", "\n"),
    ),
    adapt=reordered(0, 2, 1),
    page="here the decoder's mask comes last",
    hints=((IN_ORDER, "encoder, cross-attention, decoder"),
           (THREE, "of the encoder, of cross-attention and of the decoder")),
)  # fmt: skip
NO_HEADS = Rule(
    name="no-heads",
    text=(("Each must be broadcastable to its scores.", "The scores have no "
           "axis of heads here, (B, T, S), so each mask has three axes and "
           "is broadcastable to its scores."),),
    code=(
        ("[:, None, None, :]  # (B, 1, 1, S)", "[:, None, :]  # (B, 1, S)"),
        ("[:, None, None, :]  # (B, 1, 1, T)", "[:, None, :]  # (B, 1, T)"),
    ),
    adapt=lambda answer: each(answer, with_heads),
    page="here masks have three axes",
    hints=(
        ("(B, 1, 1, S)", "(B, 1, S)"),
        ("(B, 1, T, T)", "(B, T, T)"),
        ("the axes of the scores are (B, H, T, S)", "the axes of the scores "
         "are (B, T, S)"),
    ),
)  # fmt: skip
BOTH_LENGTH_FIRST = Rule(
    name="length-first",
    text=(("`source` is (B, S) and `target` is (B, T)", "`source` is (S, B) "
           "and `target` is (T, B)"),),
    code=(
        ("[:, None, None, :]  # (B, 1, 1, S)",
         ".t()[:, None, None, :]  # (B, 1, 1, S)"),
        ("[:, None, None, :]  # (B, 1, 1, T)",
         ".t()[:, None, None, :]  # (B, 1, 1, T)"),
        ("target.size(1)", "target.size(0)"),
    ),
    adapt=lambda answer: lambda source, target, *pads: answer(
        source.t(), target.t(), *pads
    ),
    page="here tokens are (S, B) and (T, B)",
)  # fmt: skip
TARGET_FIRST = Rule(
    name="target-first",
    text=((SIGNATURE, "`masks_for(target, source, target_pad, source_pad)`"),),
    code=((FIRST_LINE, "masks_for(target, source, target_pad, source_pad):"),),
    adapt=lambda answer: lambda s, t, sp, tp: answer(t, s, tp, sp),
    page="here the target and its padding come before the source's",
)
PADS_BETWEEN = Rule(
    name="pads-between",
    text=((SIGNATURE, "`masks_for(source, source_pad, target, target_pad)`"),),
    code=((FIRST_LINE, "masks_for(source, source_pad, target, target_pad):"),),
    adapt=lambda answer: lambda s, t, sp, tp: answer(s, sp, t, tp),
    page="here each padding follows its tokens",
)
MASKS_FOR = (
    (BOTH_GAP,),
    (DECODER_FIRST, DECODER_LAST),
    kinds(
        MASKS,
        lambda kind, what: f"Return three {kind} masks, {what}: ",
        {
            "hidden": (("source != source_pad", "source == source_pad"),
                       ("target != target_pad", "target == target_pad"),
                       ("] <= place[", "] > place["),
                       (": key <= query", ": key > query"),
                       (JOINED, "spoken | past")),
            "ones": (("(source != source_pad)",
                      "(source != source_pad).long()"),
                     (JOINED, "(spoken & past).long()")),
            "added": (("(source != source_pad)",
                       "torch.where(source != source_pad, 0.0, {value})"),
                      (JOINED, "torch.where(spoken & past, 0.0, {value})")),
        },
    ),
    (NO_HEADS, BOTH_LENGTH_FIRST),
    (TARGET_FIRST, PADS_BETWEEN),
)  # fmt: skip
