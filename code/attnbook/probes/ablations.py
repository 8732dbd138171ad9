"""Take one part out of a Transformer or of its training; see chapter 12.

Dimension letters:
    B batch, T target length, S source length, D = d_model.
"""

import math

from attnbook.attention import fast_attention
from attnbook.data.vocabulary import PAD
from attnbook.decoding.greedy import greedy
from attnbook.masks import padding_mask
from attnbook.tasks import digits
from attnbook.tasks.depth import ALONE
from attnbook.training.repro import seed_everything
from attnbook.transformer import Transformer

VARIANTS = (
    "full",
    "no scale",
    "no positions",
    "no residual",
    "no mask",
    "no warm-up",
    "no clipping",
    "post-norm",
    "post-norm, no warm-up",
)


def unscaled_attention(q, k, v, mask):
    """Attend without the scale; see `attention.fast_attention`."""
    return fast_attention(q * math.sqrt(q.size(-1)), k, v, mask)


class Ablated(Transformer):
    """A Transformer that lacks one part.

    Args:
        config: a `TransformerConfig`.
        lacks: "no scale", "no residual", "no mask", or anything else for
            a whole one.
    """

    def __init__(self, config, lacks):
        super().__init__(config)
        self.lacks = lacks
        if lacks == "no residual":
            alone = ALONE[config.pre_norm]
            for layer in [*self.encoder.layers, *self.decoder.layers]:
                for name in ("around_self", "around_cross", "around_feed"):
                    if hasattr(layer, name):
                        part = alone(config.d_model, config.dropout)
                        setattr(layer, name, part)

    def encode(self, source, attend=fast_attention):
        """Return memory, mask and weights, as `Transformer.encode` does."""
        attend = unscaled_attention if self.lacks == "no scale" else attend
        return super().encode(source, attend)

    def decode(self, target, memory, memory_mask, attend=fast_attention):
        """Return states and weights, as `Transformer.decode` does."""
        attend = unscaled_attention if self.lacks == "no scale" else attend
        return super().decode(target, memory, memory_mask, attend)

    def target_mask(self, target):
        """Return the mask of a target, (B, T); "no mask" hides pads alone."""
        if self.lacks == "no mask":
            return padding_mask(target, PAD)  # (B, 1, 1, T)
        return super().target_mask(target)


def make_model(variant="full", seed=0):
    """Return an untrained Transformer for rows of digits.

    Args:
        variant: one of `VARIANTS`.
        seed: of the first weights, which are the same for all variants.

    Returns:
        An `Ablated` of width 64 with two layers on each side.

    Raises:
        ValueError: an unknown variant.
    """
    if variant not in VARIANTS:
        raise ValueError(f"expected one of {VARIANTS}, got {variant!r}")
    seed_everything(seed)
    config = digits.make_model_config(
        2,
        pre_norm=not variant.startswith("post-norm"),
        positions="none" if variant == "no positions" else "sinusoidal",
    )
    return Ablated(config, variant)


def choose_settings(variant, steps, seed, rate=3e-3):
    """Return the `TrainConfig` of a variant.

    Args:
        variant: one of `VARIANTS`.
        steps: number of updates.
        seed: of the order of the rows.
        rate: learning rate at the peak.
    """
    return digits.make_train_config(
        steps,
        seed,
        max_tokens=512,
        learning_rate=rate,
        warmup=1 if variant.endswith("no warm-up") else 60,
        clip=0.0 if variant == "no clipping" else 1.0,
        save_every=10,
    )


def fit(variant, task, steps, seed=0, rate=3e-3):
    """Train a variant on 20,000 rows of 3 to 8 digits.

    Args:
        variant: one of `VARIANTS`.
        task: "copy", "reverse" or "sort".
        steps: number of updates.
        seed: of the first weights, the rows and their order.
        rate: learning rate at the peak.

    Returns:
        The model, in eval mode, and the training loss of every tenth
        step, a list of floats.
    """
    model = make_model(variant, seed)
    rows = digits.draw_rows(task, 20_000, seed)
    losses = digits.fit(
        model, rows, choose_settings(variant, steps, seed, rate)
    )
    return model, losses


def write_alone(model, pairs):
    """Return what a model writes from its own words, lists of ids.

    Args:
        model: a model with the interface of `Transformer`.
        pairs: rows; their sources are read.
    """
    source = digits.make_source_batch(pairs)  # (B, S)
    longest = max(len(target) for _, target in pairs)
    return greedy(model, source, longest=longest + 4, cached=False)


def judge(model, pairs):
    """Judge a model with the right words before it, and alone.

    Args:
        model: a trained model.
        pairs: rows that it was not trained on.

    Returns:
        The dict of `digits.judge`, and "alone", the share of rows that
        the model writes right from its own words.
    """
    written = write_alone(model, pairs)
    same = [w == t for w, (_, t) in zip(written, pairs, strict=True)]
    return digits.judge(model, pairs) | {"alone": sum(same) / len(same)}
