"""Settings of a model, checked once, when they are written down."""

from dataclasses import dataclass, fields

POSITIONS = ("sinusoidal", "learned", "rotary", "none")
CELLS = ("rnn", "lstm", "gru")


def check_sizes(config):
    """Refuse sizes that no model can have.

    Args:
        config: the settings of a model; its ints are sizes.

    Raises:
        ValueError: a size that is no int of at least 1, or a dropout that
            is no share below 1.
    """
    whole = [f.name for f in fields(config) if f.type is int]
    for name in whole:
        value = getattr(config, name)
        if isinstance(value, bool) or not isinstance(value, int):
            raise ValueError(
                f"expected {name} as an int, got {type(value).__name__}"
            )
        if value < 1:
            raise ValueError(f"expected {name} of at least 1, got {value}")
    if not 0 <= config.dropout < 1:
        raise ValueError(
            f"expected dropout from 0 to below 1, got {config.dropout}"
        )


@dataclass(frozen=True, kw_only=True)
class TransformerConfig:
    """Sizes and variants of an encoder-decoder Transformer.

    The default sizes are the base model of Vaswani et al. (2017), table 3.

    Raises:
        ValueError: a size below 1, heads that do not divide the width, an
            unknown kind of positions, or two vocabularies that cannot
            share one matrix.
    """

    source_vocab: int  # number of source tokens
    target_vocab: int  # number of target tokens
    d_model: int = 512  # width of every token's vector
    num_heads: int = 8  # must divide d_model
    d_ff: int = 2048  # inner width of the feed-forward part
    num_encoder_layers: int = 6
    num_decoder_layers: int = 6
    dropout: float = 0.1  # on sublayer outputs and embeddings, sec. 5.4
    pre_norm: bool = True  # False is the paper's post-norm, sec. 3.1
    shared_embeddings: bool = False  # True is the paper's choice, sec. 3.4
    positions: str = "sinusoidal"  # or "learned", "rotary", "none"
    max_length: int = 512  # longest sentence, in tokens

    def __post_init__(self):
        """Refuse what cannot be built."""
        check_sizes(self)
        if self.d_model % self.num_heads:
            raise ValueError(
                "expected d_model divisible by num_heads, got d_model "
                f"{self.d_model} and num_heads {self.num_heads}"
            )
        if self.positions not in POSITIONS:
            raise ValueError(
                f"expected positions in {POSITIONS}, got {self.positions!r}"
            )
        if self.positions == "rotary" and self.d_model // self.num_heads % 2:
            raise ValueError(
                "expected an even width per head for rotary positions, got "
                f"{self.d_model // self.num_heads}"
            )
        if self.shared_embeddings and self.source_vocab != self.target_vocab:
            raise ValueError(
                "expected one vocabulary to share embeddings, got "
                f"{self.source_vocab} and {self.target_vocab} tokens"
            )


@dataclass(frozen=True, kw_only=True)
class RecurrentConfig:
    """Sizes and variants of a recurrent encoder-decoder.

    Raises:
        ValueError: a size below 1, an unknown cell, or an odd width that
            the two directions of the encoder cannot share.
    """

    source_vocab: int  # number of source tokens
    target_vocab: int  # number of target tokens
    cell: str = "gru"  # or "rnn", "lstm"
    attention: bool = True  # False: the memory is one vector per sentence
    d_model: int = 256  # width of every token's vector and of every state
    num_layers: int = 1  # in the encoder, and as many in the decoder
    dropout: float = 0.1  # on embeddings and states, not from step to step
    max_length: int = 512  # longest sentence, in tokens

    def __post_init__(self):
        """Refuse what cannot be built."""
        check_sizes(self)
        if self.cell not in CELLS:
            raise ValueError(f"expected cell in {CELLS}, got {self.cell!r}")
        if type(self.attention) is not bool:
            raise ValueError(
                f"expected attention as True or False, got {self.attention!r}"
            )
        if self.attention and self.d_model % 2:
            raise ValueError(
                "expected an even d_model, half of it for each direction of "
                f"the encoder, got {self.d_model}"
            )
