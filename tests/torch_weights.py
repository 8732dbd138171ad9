"""Copy weights between the package's modules and PyTorch's own."""

import torch
from torch import nn


@torch.no_grad()
def copy(source, target):
    """Copy a linear layer's or norm's parameters."""
    target.weight.copy_(source.weight)
    target.bias.copy_(source.bias)


@torch.no_grad()
def attention_to_torch(ours, theirs):
    parts = (ours.w_q, ours.w_k, ours.w_v)
    theirs.in_proj_weight.copy_(torch.cat([p.weight for p in parts]))
    theirs.in_proj_bias.copy_(torch.cat([p.bias for p in parts]))
    copy(ours.w_o, theirs.out_proj)


@torch.no_grad()
def attention_from_torch(theirs, ours):
    parts = (ours.w_q, ours.w_k, ours.w_v)
    weights = theirs.in_proj_weight.chunk(3)
    biases = theirs.in_proj_bias.chunk(3)
    for part, weight, bias in zip(parts, weights, biases, strict=True):
        part.weight.copy_(weight)
        part.bias.copy_(bias)
    copy(theirs.out_proj, ours.w_o)


@torch.no_grad()
def norm_to_torch(ours, theirs):
    theirs.weight.copy_(ours.gain)
    theirs.bias.copy_(ours.bias)


def layer_to_torch(ours, theirs):
    attention_to_torch(ours.self_attention, theirs.self_attn)
    norms = [ours.around_self, ours.around_feed]
    if hasattr(ours, "cross_attention"):
        attention_to_torch(ours.cross_attention, theirs.multihead_attn)
        norms.insert(1, ours.around_cross)
    copy(ours.feed_forward.inner, theirs.linear1)
    copy(ours.feed_forward.outer, theirs.linear2)
    for number, part in enumerate(norms, start=1):
        norm_to_torch(part.norm, getattr(theirs, f"norm{number}"))


def transformer_to_torch(ours):
    """Return an `nn.Transformer` with the weights of our stacks."""
    c = ours.config
    theirs = nn.Transformer(
        c.d_model,
        c.num_heads,
        c.num_encoder_layers,
        c.num_decoder_layers,
        c.d_ff,
        c.dropout,
        batch_first=True,
        norm_first=c.pre_norm,
    )
    for name in ("encoder", "decoder"):
        our_stack, their_stack = getattr(ours, name), getattr(theirs, name)
        for pair in zip(our_stack.layers, their_stack.layers, strict=True):
            layer_to_torch(*pair)
        if c.pre_norm:
            norm_to_torch(our_stack.norm, their_stack.norm)
        else:  # PyTorch ends a post-norm stack with one norm more
            their_stack.norm = None
    return theirs.train(ours.training)
