"""Other masks than those of chapter 10."""

from attnbook.checks.rules.masked_attention import MASKED_ATTENTION
from attnbook.checks.rules.masks_for import MASKS_FOR
from attnbook.checks.rules.padding_mask import PADDING_MASK

RULES = {
    "10.4": PADDING_MASK,
    "10.5": MASKS_FOR,
    "10.6": MASKED_ATTENTION,
}
