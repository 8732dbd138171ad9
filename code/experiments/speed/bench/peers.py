"""Libraries that people use instead, when they are installed.

    python -m pip install -e '.[bench]'

Dimension letters:
    B batch, S source length, T target length, vocab words of the vocabulary.
"""

import importlib.util

from torch import nn

from attnbook.data.vocabulary import BOS, EOS, PAD
from speed.bench.contenders import DROPOUT, MAX_LENGTH


class XTransformers(nn.Module):
    """The encoder-decoder of x-transformers, its own defaults else."""

    def __init__(self, size, vocab):
        from x_transformers import XTransformer

        super().__init__()
        sides = {}
        for side in ("enc", "dec"):
            sides |= {
                f"{side}_num_tokens": vocab,
                f"{side}_depth": size.layers,
                f"{side}_heads": size.num_heads,
                f"{side}_attn_dim_head": size.d_model // size.num_heads,
                f"{side}_ff_mult": size.d_ff / size.d_model,
                f"{side}_max_seq_len": MAX_LENGTH,
                f"{side}_layer_dropout": 0.0,
                f"{side}_ff_dropout": DROPOUT,
                f"{side}_attn_flash": True,
            }
        self.model = XTransformer(
            dim=size.d_model, tie_token_emb=True, **sides
        )

    def forward(self, source, target):
        """Return the logits, (B, T, vocab)."""
        words = source != PAD  # (B, S)
        memory = self.model.encoder(source, mask=words, return_embeddings=True)
        decoder = self.model.decoder.net
        return decoder(target, context=memory, context_mask=words)


class Marian(nn.Module):
    """The translation model of Hugging Face transformers."""

    def __init__(self, size, vocab):
        from transformers import MarianConfig, MarianMTModel

        super().__init__()
        fields = {}
        for side in ("encoder", "decoder"):
            fields |= {
                f"{side}_layers": size.layers,
                f"{side}_attention_heads": size.num_heads,
                f"{side}_ffn_dim": size.d_ff,
            }
        config = MarianConfig(
            vocab_size=vocab,
            d_model=size.d_model,
            dropout=DROPOUT,
            activation_function="relu",
            scale_embedding=True,
            max_position_embeddings=MAX_LENGTH,
            pad_token_id=PAD,
            eos_token_id=EOS,
            bos_token_id=BOS,
            decoder_start_token_id=BOS,
            forced_eos_token_id=None,
            **fields,
        )
        self.model = MarianMTModel(config)

    def forward(self, source, target):
        """Return the logits, (B, T, vocab)."""
        words = (source != PAD).long()  # (B, S)
        return self.model(
            input_ids=source,
            attention_mask=words,
            decoder_input_ids=target,
            use_cache=False,
        ).logits


PEERS = {"x-transformers": XTransformers, "transformers": Marian}


def installed():
    """Return the peers that can be imported, name -> class."""
    return {
        name: kind
        for name, kind in PEERS.items()
        if importlib.util.find_spec(name.replace("-", "_")) is not None
    }
