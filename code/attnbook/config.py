"""Settings of a model, checked once, when they are written down."""

from dataclasses import dataclass

PADS = ("source_pad", "target_pad")  # ids: these may be 0
POSITIONS = ("sinusoidal", "learned", "rotary", "none")


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
    source_pad: int = 0  # id of the source's padding
    target_pad: int = 0  # id of the target's padding

    def __post_init__(self):
        """Refuse what cannot be built."""
        for name, value in vars(self).items():
            if type(value) is int and value < (name not in PADS):
                raise ValueError(
                    f"expected {name} of at least {int(name not in PADS)}, "
                    f"got {value}"
                )
        if self.d_model % self.num_heads:
            raise ValueError(
                f"d_model ({self.d_model}) must be divisible by num_heads "
                f"({self.num_heads})"
            )
        if not 0 <= self.dropout < 1:
            raise ValueError(
                f"expected dropout from 0 to below 1, got {self.dropout}"
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
        if self.shared_embeddings and (
            self.source_vocab != self.target_vocab
            or self.source_pad != self.target_pad
        ):
            raise ValueError(
                "expected one vocabulary and one padding id to share "
                f"embeddings, got {self.source_vocab} and "
                f"{self.target_vocab} tokens, padding {self.source_pad} "
                f"and {self.target_pad}"
            )
