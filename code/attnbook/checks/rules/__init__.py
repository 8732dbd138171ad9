"""Rules under which exercises are assigned to a class.

`RULES` maps an exercise's id to groups of rules.  A seed takes rules of some
groups, one of each; so rules of different groups must go together.  `CHECKS`
says which check an exercise has.
"""

from attnbook.checks.rules import (
    chapter_04,
    chapter_06,
    chapter_07,
    chapter_10,
)

RULES = {
    **chapter_04.RULES,
    **chapter_06.RULES,
    **chapter_07.RULES,
    **chapter_10.RULES,
}
CHECKS = {
    "4.4": "scaled_attention",
    "4.5": "scaled_attention",
    "4.6": "attention_test",
    "4.7": "softmax_jacobian",
    "6.4": "self_attention",
    "6.5": "batch_test",
    "7.4": "split_heads",
    "7.5": "merge_heads",
    "7.6": "multi_head",
    "10.4": "padding_mask",
    "10.5": "masks_for",
    "10.6": "masked_attention",
}
