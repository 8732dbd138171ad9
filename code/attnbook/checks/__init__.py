"""Checks of the learner's answers: ``checks.check_NAME(my_function)``.

A check prints one line and returns a `Verdict`; it never raises.
"""

from attnbook.checks.additive import check_additive_attention
from attnbook.checks.gru import check_gru_step
from attnbook.checks.hunt import check_attention_test
from attnbook.checks.jacobian import check_softmax_jacobian
from attnbook.checks.scaling import check_scaled_attention
from attnbook.checks.verdict import Verdict

__all__ = [
    "Verdict",
    "check_additive_attention",
    "check_attention_test",
    "check_gru_step",
    "check_scaled_attention",
    "check_softmax_jacobian",
]
