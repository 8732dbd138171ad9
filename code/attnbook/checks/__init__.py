"""Checks of the learner's answers: ``checks.check_NAME(my_function)``.

A check prints one line and returns a `Verdict`; it never raises.
"""

from attnbook.checks.heads import check_merge_heads, check_split_heads
from attnbook.checks.hunt import check_attention_test
from attnbook.checks.jacobian import check_softmax_jacobian
from attnbook.checks.multihead import check_multi_head
from attnbook.checks.scaling import check_scaled_attention
from attnbook.checks.verdict import Verdict

__all__ = [
    "Verdict",
    "check_attention_test",
    "check_merge_heads",
    "check_multi_head",
    "check_scaled_attention",
    "check_softmax_jacobian",
    "check_split_heads",
]
