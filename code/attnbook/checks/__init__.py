"""Checks of the learner's answers: ``checks.check_NAME(my_function)``.

A check prints one line and returns a `Verdict`; it never raises.
"""

from attnbook.checks.ablate_head import check_ablate_head
from attnbook.checks.additive import check_additive_attention
from attnbook.checks.alignment_from_attention import (
    check_alignment_from_attention,
)
from attnbook.checks.batching import check_encode_batch
from attnbook.checks.beam import check_beam_search
from attnbook.checks.bleu_inputs import check_corpus_bleu_inputs
from attnbook.checks.buckets import check_bucket_batches
from attnbook.checks.cached import check_cached_step
from attnbook.checks.company import check_batch_test
from attnbook.checks.encoder_stack import check_encoder
from attnbook.checks.engine.verdict import Verdict
from attnbook.checks.feed_forward import check_feed_forward
from attnbook.checks.flops import check_flops
from attnbook.checks.greedy import check_greedy
from attnbook.checks.gru import check_gru_step
from attnbook.checks.heads import check_merge_heads, check_split_heads
from attnbook.checks.hunt import check_attention_test
from attnbook.checks.jacobian import check_softmax_jacobian
from attnbook.checks.layer_norm import check_layer_norm
from attnbook.checks.layers import check_decoder_layer, check_encoder_layer
from attnbook.checks.masked_attention import check_masked_attention
from attnbook.checks.masks_for import check_masks_for
from attnbook.checks.merging import check_merge_step
from attnbook.checks.multihead import check_multi_head
from attnbook.checks.noam import check_noam_lr
from attnbook.checks.online_softmax import check_online_softmax
from attnbook.checks.padding_mask import check_padding_mask
from attnbook.checks.plotting import check_plot_attention
from attnbook.checks.scaled_attention import check_scaled_attention
from attnbook.checks.scores import check_scores
from attnbook.checks.self_attention import check_self_attention
from attnbook.checks.seq_loss import check_seq_loss
from attnbook.checks.sinusoids import check_sinusoids
from attnbook.checks.soft_look_up import check_soft_look_up
from attnbook.checks.softmax import check_softmax
from attnbook.checks.vocab import check_build_vocab

__all__ = [
    "Verdict",
    "check_ablate_head",
    "check_additive_attention",
    "check_alignment_from_attention",
    "check_attention_test",
    "check_batch_test",
    "check_beam_search",
    "check_bucket_batches",
    "check_build_vocab",
    "check_cached_step",
    "check_corpus_bleu_inputs",
    "check_decoder_layer",
    "check_encode_batch",
    "check_encoder",
    "check_encoder_layer",
    "check_feed_forward",
    "check_greedy",
    "check_flops",
    "check_gru_step",
    "check_layer_norm",
    "check_masked_attention",
    "check_masks_for",
    "check_merge_heads",
    "check_merge_step",
    "check_multi_head",
    "check_noam_lr",
    "check_online_softmax",
    "check_padding_mask",
    "check_plot_attention",
    "check_scaled_attention",
    "check_scores",
    "check_self_attention",
    "check_seq_loss",
    "check_sinusoids",
    "check_soft_look_up",
    "check_softmax",
    "check_softmax_jacobian",
    "check_split_heads",
]
