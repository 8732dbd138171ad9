"""A small decoder, and masks that are wrong on purpose; see chapter 10.

Dimension letters:
    B batch, H heads, T length, D = d_model, d_k width of a head, vocab kinds
    of tokens.
"""

import math

import torch
import torch.nn.functional as F
from torch import nn

from attnbook.attention import scaled_dot_product_attention
from attnbook.config import TransformerConfig
from attnbook.masks import causal_mask
from attnbook.stacks import EncoderLayer
from attnbook.transformer import Embedding, initialise


class NextToken(nn.Module):
    """Predict every next token from the tokens up to it.

    A stack of self-attention layers under a causal mask, as in decoders
    that have no source; pre-norm (Xiong et al., 2020).

    Args:
        vocab: kinds of tokens.
        num_layers: number of layers.
        attend: the attention function of every layer, called with q, k, v
            and the causal mask; a broken one, say.
        d_model: width D.
        num_heads: number of heads H; must divide D.
        seed: fixes the first parameters.
    """

    def __init__(
        self,
        vocab,
        num_layers=2,
        attend=scaled_dot_product_attention,
        d_model=32,
        num_heads=4,
        seed=0,
    ):
        super().__init__()
        config = TransformerConfig(
            source_vocab=vocab,
            target_vocab=vocab,
            d_model=d_model,
            num_heads=num_heads,
            d_ff=2 * d_model,
            dropout=0.0,
            max_length=64,
        )
        self.attend = attend
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            table = nn.Embedding(vocab, d_model)
            self.embedding = Embedding(table, config)
            layers = [EncoderLayer(config) for _ in range(num_layers)]
            self.layers = nn.ModuleList(layers)
            self.norm = nn.LayerNorm(d_model)
            self.output = nn.Linear(d_model, vocab, bias=False)
            self.apply(initialise)

    def forward(self, tokens):
        """Return the logits of every next token.

        Args:
            tokens: token ids, int, (B, T).

        Returns:
            (B, T, vocab).
        """
        mask = causal_mask(tokens.size(1), tokens.device)  # (T, T)
        x = self.embedding(tokens)  # (B, T, D)
        for layer in self.layers:
            x, _ = layer(x, mask, self.attend)
        return self.output(self.norm(x))  # (B, T, D) -> (B, T, vocab)


def mask_wrongly(change, fill=-math.inf, dim=-1, after=False):
    """Return an attention function with a mistake of your choice.

    Args:
        change: turns the right mask, bool, (T, T), into a wrong one.
        fill: the score of a hidden key.
        dim: the axis of the softmax.
        after: whether the mask comes after the softmax.

    Returns:
        A function of q, k, v and mask that returns context and weights.
    """

    def attend(q, k, v, mask):
        hidden = ~change(mask)  # (T, T)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        if after:
            weights = scores.softmax(dim).masked_fill(hidden, 0)
        else:
            weights = scores.masked_fill(hidden, fill).softmax(dim)
        return weights @ v, weights  # (B, H, T, d_k), (B, H, T, T)

    return attend


def attend_inverted(q, k, v, mask):
    """Attend with the mask of another library: True = hidden."""
    return F.scaled_dot_product_attention(q, k, v, ~mask), None


def list_broken_masks():
    """Return six attention functions that peek, by name."""
    return {
        "triu": mask_wrongly(lambda mask: mask.T),
        "one too far": mask_wrongly(lambda m: torch.ones_like(m).tril(1)),
        "inverted": attend_inverted,
        "fill 1e-9": mask_wrongly(lambda mask: mask, fill=1e-9),
        "after softmax": mask_wrongly(lambda mask: mask, after=True),
        "over queries": mask_wrongly(lambda mask: mask, dim=-2),
    }
