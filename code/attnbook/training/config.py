"""Settings of a training run, checked once, when they are written down.

Each field says in a line what it is: the command line is made from them.
"""

import math
from dataclasses import dataclass, field

SCHEDULES = ("noam", "cosine", "wsd")
OPTIMIZERS = ("adamw", "muon")
PRECISIONS = ("auto", "fp32", "bf16", "fp16")

SEEDS = 10**14  # the largest; seeds of epochs are made from it, in 64 bits


def setting(default, about, choices=None):
    """Return a field with a default, a line of help, and what it may be."""
    return field(default=default, metadata={"help": about, "choices": choices})


@dataclass(frozen=True, kw_only=True)
class TrainConfig:
    """Settings of a training run.

    A dataset has settings of its own beside these defaults.

    Raises:
        ValueError: a number out of its range, or an unknown schedule.
    """

    steps: int = setting(1400, "updates of the parameters")
    max_tokens: int = setting(2048, "bound on padded tokens of one batch")
    accumulate: int = setting(1, "batches per update")
    optimizer: str = setting(
        "adamw",
        "muon takes the matrices of the layers, AdamW the rest",
        OPTIMIZERS,
    )
    schedule: str = setting(
        "cosine",
        "how the rate goes down; noam is sec. 5.3 of the paper, wsd stays at "
        "the peak until four fifths of the steps are made",
        SCHEDULES,
    )
    learning_rate: float = setting(2e-3, "at its peak; a factor with noam")
    warmup: int = setting(100, "steps until the peak")
    weight_decay: float = setting(0.01, "of AdamW; the paper has none")
    smoothing: float = setting(0.1, "of labels, sec. 5.4 of the paper")
    clip: float = setting(1.0, "largest norm of the gradient; 0 for none")
    seed: int = setting(0, "of first weights, order of batches and dropout")
    precision: str = setting(
        "auto",
        "number type; auto is 16 bits on a GPU that has them, and on a CPU "
        "what a short trial finds to be faster; on a CPU, fp32 by name takes "
        "the plain loop of chapter 12",
        PRECISIONS,
    )
    save_every: int = setting(200, "steps between two checkpoints")
    average: int = setting(1, "last checkpoints whose weights are averaged")

    def __post_init__(self):
        """Refuse what cannot be run."""
        for name in (
            "steps",
            "max_tokens",
            "accumulate",
            "warmup",
            "save_every",
            "average",
        ):
            if getattr(self, name) < 1:
                raise ValueError(
                    f"expected {name} of at least 1, got {getattr(self, name)}"
                )
        for name in ("learning_rate", "weight_decay", "clip", "seed"):
            if not 0 <= getattr(self, name) < math.inf:
                raise ValueError(
                    f"expected a finite {name} of at least 0, got "
                    f"{getattr(self, name)}"
                )
        if self.seed > SEEDS:
            raise ValueError(
                f"expected seed of at most {SEEDS}, got {self.seed}"
            )
        if not 0 <= self.smoothing < 1:
            raise ValueError(
                f"expected smoothing from 0 to below 1, got {self.smoothing}"
            )
        for a, name, known in (
            ("a", "schedule", SCHEDULES),
            ("an", "optimizer", OPTIMIZERS),
        ):
            if getattr(self, name) not in known:
                raise ValueError(
                    f"expected {a} {name} of {known}, got "
                    f"{getattr(self, name)!r}"
                )
