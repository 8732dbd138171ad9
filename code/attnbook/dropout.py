"""Dropout that draws its random numbers four at a time.

On a CPU, `nn.Dropout` draws one random number for every number that may be
dropped, and waits for it.  One draw has 64 random bits; 16 of them are
enough to decide.  The stored benchmark says what that is worth.
"""

import torch
import torch.nn.functional as F
from torch import nn

BITS = 16  # per decision: shares are exact to 1 / 65,536
PER_DRAW = 64 // BITS


def keep_mask(x, share, generator=None):
    """Decide which numbers of a tensor stay.

    Args:
        x: any tensor; its shape and device matter.
        share: probability that a number is dropped, from 0 to below 1.
        generator: a `torch.Generator`; PyTorch's own if None.

    Returns:
        bool, of x's shape; True = stays.
    """
    count = x.numel()
    draws = -(-count // PER_DRAW)  # rounded up
    bits = torch.empty(draws, dtype=torch.int64, device=x.device)
    # all 64 bits, not only the positive ones
    bits.random_(-(2**63), None, generator=generator)
    bits = bits.view(torch.int16)[:count].view(x.shape)
    return bits >= round(share * 2**BITS) - 2 ** (BITS - 1)


def keep_factors(x, share, generator=None):
    """Return what the numbers of a tensor are multiplied by.

    Args:
        x: a float tensor; its shape, type and device matter.
        share: probability that a number is dropped, from 0 to below 1.
        generator: see `keep_mask`.

    Returns:
        0 or 1 / (1 - share), of x's shape and type.
    """
    keep = keep_mask(x, share, generator).view(torch.int8)
    return keep.to(x.dtype).div_(1 - share)  # bool would be cast more slowly


class Dropout(nn.Dropout):
    """Set a random share p to 0 while training, and scale up the rest.

    Srivastava et al. (2014).  The same as `nn.Dropout`, faster on a CPU; on
    other devices it is `nn.Dropout`.  Raises ValueError unless 0 <= p <= 1.
    """

    def forward(self, x):
        """Drop from x, float, any shape."""
        if not self.training or not 0 < self.p < 1:
            return F.dropout(x, self.p, self.training)
        if x.device.type != "cpu" or torch.compiler.is_compiling():
            return F.dropout(x, self.p)
        return x * keep_factors(x, self.p)
