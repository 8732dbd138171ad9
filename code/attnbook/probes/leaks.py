"""Does a decoder peek?  Change one token and look which outputs move.

It needs nothing but the decoder itself; nothing is trained.

Dimension letters:
    B batch, T length, vocab kinds of tokens.
"""

from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class LeakMap:
    """Which outputs moved with which token.

    Attributes:
        moved: bool, (T, T); row i, column j: output i moved when token j
            of its own sentence was changed.
        others: bool, (T, T); the same for outputs of other sentences.
        undefined: bool, (T,); output i holds NaN.
    """

    moved: torch.Tensor
    others: torch.Tensor
    undefined: torch.Tensor

    @property
    def future(self):
        """Count pairs of an output and a later token that moved it: leaks."""
        return int(self.moved.triu(1).sum())

    @property
    def deaf(self):
        """Count pairs of an output and an own or earlier token without effect.

        These are no leaks; a mask that hides too much makes them.  None is
        no proof of the contrary: what one cell hides may come in through the
        residual connection, or in a further layer through another word.
        """
        return int((~self.moved).tril().sum())

    @property
    def clean(self):
        """Say whether nothing leaked and every output is a number."""
        return not (self.future or self.others.any() or self.undefined.any())

    def __str__(self):
        pairs = len(self.moved) * (len(self.moved) - 1) // 2
        found = []
        if self.undefined.any():
            found.append(f"{int(self.undefined.sum())} output(s) hold NaN")
        if self.future:
            found.append(f"{self.future} of {pairs} later tokens leak")
        if self.others.any():
            found.append("other sentences of the batch leak")
        if not found:
            found.append("no leak")
        if self.deaf:
            found.append(f"{self.deaf} earlier tokens are not seen")
        return "; ".join(found)


def check_ids(ids):
    """Return the ids to draw from, int64, (vocab,), or refuse them.

    Args:
        ids: the number of ids, which are then 0, 1, ..., or the ids.

    Raises:
        ValueError: fewer than two different ids.
    """
    ids = range(ids) if isinstance(ids, int) else ids
    ids = torch.as_tensor(list(ids))
    if ids.is_floating_point() or ids.dim() != 1 or len(ids.unique()) < 2:
        raise ValueError(
            f"expected at least two different token ids, got {ids.tolist()}"
        )
    return ids.unique()


def check_tokens(tokens):
    """Refuse tokens that are no batch of ids with something to leak.

    Args:
        tokens: the tokens.

    Raises:
        ValueError: not integers, not (B, T), or fewer than two tokens.
    """
    fits = isinstance(tokens, torch.Tensor) and tokens.dim() == 2
    if not fits or tokens.is_floating_point() or tokens.size(1) < 2:
        got = tuple(getattr(tokens, "shape", ())) or type(tokens).__name__
        raise ValueError(
            "expected integer token ids of shape (batch, length), at least "
            f"two tokens long, got {got}"
        )


def compute_outputs(decode, tokens):
    """Return a decoder's outputs, (B, T, everything else), float64.

    Args:
        decode: the decoder.
        tokens: token ids, int, (B, T).

    Raises:
        ValueError: outputs that are no tensor of shape (B, T, ...).
    """
    outputs = decode(tokens.clone())
    shape = tuple(getattr(outputs, "shape", ()))
    if shape[:2] != tuple(tokens.shape):
        raise ValueError(
            f"expected outputs of shape {(*tokens.shape, '...')}, one per "
            f"token, got {shape or type(outputs).__name__}"
        )
    return outputs.detach().double().reshape(*tokens.shape, -1)


def find_differences(a, b, tolerance):
    """Say where two (B, T, vocab) differ, bool, (B, T); NaN equals NaN."""
    far = (a - b).abs() > tolerance  # never true of NaN or inf - inf
    odd = ~(a.isfinite() & b.isfinite())  # (B, T, vocab)
    same = (a == b) | (a.isnan() & b.isnan())
    return torch.where(odd, ~same, far).any(dim=-1)


@torch.no_grad()
def leak_map(decode, tokens, ids, tries=2, tolerance=1e-6, seed=0):
    """Change every token in turn and look which outputs move.

    Args:
        decode: any function from token ids, int, (B, T), to outputs,
            (B, T, ...); a model in evaluation mode, say.
        tokens: token ids to start from, int, (B, T); with B = 1 nothing
            can be said about other sentences.
        ids: ids to put in their place: a number n for 0 to n - 1, or a
            list; leave out padding and other marks.
        tries: how many other ids are tried at each place.
        tolerance: what counts as a move, as a share of the largest output.
        seed: fixes the ids that are tried.

    Returns:
        A `LeakMap`.

    Raises:
        ValueError: tokens, ids or outputs that do not fit, or outputs
            that differ between two calls with the same tokens.
    """
    check_tokens(tokens)
    ids = check_ids(ids).to(tokens)
    generator = torch.Generator().manual_seed(seed)
    before = compute_outputs(decode, tokens)  # (B, T, vocab)
    finite = before[before.isfinite()].abs()
    tolerance = tolerance * finite.max().item() if len(finite) else 0.0
    count, length = tokens.shape
    own = torch.zeros(length, length, dtype=torch.bool)
    others = own.clone()
    for b in range(count):
        for j in range(length):
            choices = ids[ids != tokens[b, j]]
            order = torch.randperm(len(choices), generator=generator)
            for choice in choices[order.to(ids.device)[:tries]]:
                changed = tokens.clone()
                changed[b, j] = choice
                after = compute_outputs(decode, changed)
                moved = find_differences(
                    before, after, tolerance
                ).cpu()  # (B, T)
                own[:, j] |= moved[b]
                others[:, j] |= moved[torch.arange(count) != b].any(dim=0)
    for _ in range(2):  # last, so that a state kept between calls shows
        if find_differences(
            before, compute_outputs(decode, tokens), tolerance
        ).any():
            raise ValueError(
                "expected the same outputs for the same tokens, got others: "
                "switch dropout off with model.eval(), and keep no state"
            )
    undefined = before.isnan().any(dim=-1).any(dim=0).cpu()  # (T,)
    return LeakMap(own, others, undefined)
