"""Languages in which a beam search is tried, and what errors mean there.

Dimension letters:
    V vocabulary.
"""

import torch

F32, F64 = torch.float32, torch.float64
STAGES = (  # what to say; salt, V, bos, eos, logit of <eos>, sharpness, gaps,
    # type; width, alpha, longest
    ("", (4104, 6, 1, 2, 1.0, 2.0, False, F32), (5, 0.6, 4)),
    (
        "right while some hypotheses end, but not when none does: ",
        (2321, 7, 6, 3, -3.0, 2.0, False, F32),
        (2, 1.5, 6),
    ),
    (
        "right for a width of 5, but not for 3: ",
        (9283, 5, 1, 2, 0.5, 2.0, False, F32),
        (3, 1.5, 3),
    ),
    (
        "right, but not when words have probability 0: ",
        (17, 7, 1, 2, -1.0, 0.6, True, F32),
        (5, 0.6, 4),
    ),
    (
        "right, but not for alpha 1.5 and words of probability 0: ",
        (4998, 5, 3, 4, 0.5, 2.0, True, F32),
        (3, 1.5, 8),
    ),
    (
        "right, but not for a width of 1: ",
        (5608, 6, 1, 2, 1.0, 1.0, False, F64),
        (1, 1.5, 6),
    ),
    (
        "right, but not for alpha 0: ",
        (2257, 7, 1, 2, -1.0, 0.6, False, F32),
        (8, 0.0, 6),
    ),
    (
        "right, but not in a second language: ",
        (2671, 5, 1, 2, 0.0, 2.0, False, F32),
        (3, 1.5, 5),
    ),
    (
        "right, but not for a width of 2: ",
        (3733, 6, 1, 2, 0.5, 2.0, False, F32),
        (2, 1.5, 6),
    ),
    (
        "right, but not in a third language: ",
        (4231, 5, 1, 2, 0.5, 2.0, False, F32),
        (5, 1.5, 4),
    ),
    (
        "right, but not for alpha 2: ",
        (8749, 7, 1, 2, 0.0, 1.0, False, F32),
        (5, 2.0, 5),
    ),
    (
        "right, but not where <eos> is the only word there is: ",
        (1, 2, 0, 1, 0.0, 1.0, False, F32),
        (3, 0.6, 4),
    ),
    (
        "right, but not for 250 rounds: ",
        (22, 100, 1, 2, -9.0, 0.5, False, F32),
        (1, 0.6, 250),
    ),
    (
        "right, but not for one round: ",
        (3341, 5, 3, 0, 0.5, 2.0, False, F32),
        (3, 0.6, 1),
    ),
    (
        "right, but not when eos is 0: ",
        (3050, 5, 4, 0, -3.0, 1.0, False, F32),
        (8, 1.0, 3),
    ),
)
EXPLAINED = {
    "selected index k out of range": "topk asks for more continuations than "
    "there are, at the start only V; take min(count, table.numel())",
    "the loop does not end": "the loop does not end; stop after longest "
    "rounds, or when width hypotheses have ended",
    "at least one": "step was called with no beginning at all; stop before "
    "the list of open ones is empty",
    "a list of lists of ids": "step takes a list of beginnings, each a list "
    "of ids; the first call is step([[bos]])",
    "starts with <bos>": "a beginning handed to step does not start with "
    "<bos>; the first one is [bos]",
    "max() iterable argument is empty": "nothing ended in time and there is "
    "no fallback; then return the best open beginning",
    "max() arg is an empty": "nothing ended in time and there is no "
    "fallback; then return the best open beginning",
}
