"""Other masks than those of chapter 10.

Dimension letters:
    B batch, H heads, T queries, S keys, K, E widths.
"""

from attnbook.checks.rules.masked_attention import MASKED_ATTENTION
from attnbook.checks.rules.masks import MASKS_FOR, PADDING_MASK

RULES = {
    "10.4": PADDING_MASK,
    "10.5": MASKS_FOR,
    "10.6": MASKED_ATTENTION,
}
