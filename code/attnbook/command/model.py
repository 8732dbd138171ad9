"""The model that the options of ``attnbook train`` name."""

import dataclasses

from attnbook.config import CELLS, RecurrentConfig, TransformerConfig
from attnbook.recurrent import Recurrent
from attnbook.transformer import Transformer

# Sizes of the model: option, type, help, and the fields that it sets.
SIZES = (
    ("--d-model", int, "width", ("d_model",)),
    ("--d-ff", int, "inner width of the feed-forward part", ("d_ff",)),
    ("--heads", int, "attention heads", ("num_heads",)),
    (
        "--layers",
        int,
        "layers of encoder and decoder",
        ("num_encoder_layers", "num_decoder_layers", "num_layers"),
    ),
    ("--dropout", float, "share that is dropped", ("dropout",)),
)


def add_model(parser):
    """Add the options that say what kind of model is trained."""
    parser.add_argument(
        "--model",
        default="transformer",
        choices=("transformer", *CELLS),
        help="(default: transformer)",
    )
    parser.add_argument(
        "--no-attention",
        action="store_true",
        help="of a recurrent model: decode from its last state alone",
    )
    parser.add_argument(
        "--merges",
        type=int,
        default=8000,
        help="byte pairs to merge (default: 8000; the storybook has words)",
    )
    for flag, kind, text, _ in SIZES:
        parser.add_argument(flag, type=kind, help=f"{text} (default: by data)")


def make_model(options, dataset, sizes):
    """Return a new model of the options, data's own as default.

    Args:
        options: of the command.
        dataset: a `Dataset`.
        sizes: source and target vocabulary size.

    Raises:
        ValueError: sizes that cannot be, or an option of another kind of
            model.
    """
    cls, config = Transformer, TransformerConfig
    fields = dict(dataset.model)
    fields |= {"source_vocab": sizes[0], "target_vocab": sizes[1]}
    if options.model != "transformer":
        cls, config = Recurrent, RecurrentConfig
        fields |= {
            "cell": options.model,
            "attention": not options.no_attention,
        }
    elif options.no_attention:
        raise ValueError(
            f"expected --no-attention with a model of {CELLS}, got it with "
            "the transformer"
        )
    known = {field.name for field in dataclasses.fields(config)}
    for flag, _, _, names in SIZES:
        value = getattr(options, flag.removeprefix("--").replace("-", "_"))
        if value is None:
            continue
        if not known & set(names):
            raise ValueError(
                f"expected {flag} with the model transformer, got it with "
                f"{options.model}"
            )
        fields |= dict.fromkeys(names, value)
    return cls(config(**{k: v for k, v in fields.items() if k in known}))
