"""Reverse and sort digits with and without positions; see chapter 8."""

from attnbook.positions import NoPositions
from attnbook.tasks import digits
from attnbook.training.repro import seed_everything
from attnbook.transformer import Transformer


def make_model(source, target, seed):
    """Return an untrained Transformer of one layer on each side.

    Args:
        source: whether source tokens get positions.
        target: whether target tokens get positions.
        seed: of its first parameters.

    Returns:
        A `Transformer`.
    """
    seed_everything(seed)
    model = Transformer(digits.make_model_config(1, max_length=64))
    if not source:
        model.source_embedding.add = NoPositions()
    if not target:
        model.target_embedding.add = NoPositions()
    return model


def fit(model, task, seed, steps):
    """Train a model in place on 5,000 rows.

    Args:
        model: see `make_model`.
        task: see `digits.draw_rows`.
        seed: of the rows and their order.
        steps: number of updates.

    Returns:
        The model, in eval mode.
    """
    config = digits.make_train_config(steps, seed, learning_rate=3e-3)
    digits.fit(model, digits.draw_rows(task, 5000, seed), config)
    return model
