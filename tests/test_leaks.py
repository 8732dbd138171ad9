"""The leak detector: what it catches, what it refuses."""

import math

import pytest
import torch
from torch import nn

from attnbook.attention import scaled_dot_product_attention
from attnbook.config import TransformerConfig
from attnbook.masks import causal_mask
from attnbook.probes.leaks import leak_map
from attnbook.probes.peeking import NextToken, list_broken_masks, mask_wrongly
from attnbook.transformer import Transformer

VOCAB = 7
BROKEN = list_broken_masks()
TOKENS = torch.tensor([[1, 4, 2, 6, 0, 3], [5, 5, 1, 0, 2, 6]])


def first_head_only(q, k, v, mask):
    """Forget the mask in all heads but the first."""
    heads = torch.arange(q.size(1)).view(-1, 1, 1)
    return scaled_dot_product_attention(q, k, v, mask | (heads > 0))


def across_the_batch(q, k, v, mask):
    """Let sentences attend to each other: batch and length exchanged."""
    q, k, v = (x.transpose(0, 2) for x in (q, k, v))
    return scaled_dot_product_attention(q, k, v)[0].transpose(0, 2), None


def mean_over_time(q, k, v, mask):
    """Take the mean of the whole sentence from every query."""
    q = q - q.mean(dim=2, keepdim=True)
    return scaled_dot_product_attention(q, k, v, mask)


INVENTED = {
    "first head only": first_head_only,
    "mean over time": mean_over_time,
    "too small a fill": mask_wrongly(lambda m: m, fill=-10.0),
    "across the batch": across_the_batch,
    "no mask": lambda q, k, v, mask: scaled_dot_product_attention(q, k, v),
    "blind first row": mask_wrongly(lambda m: m.tril(-1)),
    "blind, filled": mask_wrongly(lambda m: m.tril(-1), fill=-1e9),
}


def decoder(attend=scaled_dot_product_attention, **sizes):
    return NextToken(VOCAB, attend=attend, **sizes).eval()


@pytest.mark.parametrize("num_layers", [1, 2])
@pytest.mark.parametrize("name", [*BROKEN, *INVENTED])
def test_the_map_catches_a_broken_mask(name, num_layers):
    attend = (BROKEN | INVENTED)[name]
    found = leak_map(decoder(attend, num_layers=num_layers), TOKENS, VOCAB)
    assert not found.clean, str(found)
    assert "no leak" not in str(found)


@pytest.mark.parametrize("seed", range(5))
def test_the_map_is_silent_on_right_models(seed):
    g = torch.Generator().manual_seed(seed)
    layers, heads, width, length, batch, vocab = (
        int(torch.randint(low, high, (), generator=g))
        for low, high in ((1, 5), (1, 5), (3, 8), (2, 12), (1, 4), (2, 30))
    )
    model = NextToken(
        vocab, layers, d_model=heads * width, num_heads=heads, seed=seed
    )
    tokens = torch.randint(vocab, (batch, length), generator=g)
    found = leak_map(model.eval(), tokens, vocab, seed=seed)
    assert found.clean
    assert str(found) == "no leak"
    assert torch.equal(found.moved, causal_mask(length))


def test_the_map_is_silent_on_the_course_s_transformer():
    torch.manual_seed(0)
    config = TransformerConfig(
        source_vocab=9,
        target_vocab=9,
        d_model=12,
        num_heads=3,
        d_ff=16,
        num_encoder_layers=1,
        num_decoder_layers=2,
        max_length=10,
    )
    model = Transformer(config).eval()
    source = torch.tensor([[4, 5, 6, 0], [7, 8, 4, 5]])
    target = torch.tensor([[1, 4, 5, 6, 0, 0], [1, 7, 8, 6, 5, 4]])
    found = leak_map(lambda t: model(source, t), target, range(1, 9))
    assert found.clean, str(found)


def test_off_by_one_shows_one_diagonal():
    model = decoder(BROKEN["one too far"], num_layers=1)
    found = leak_map(model, TOKENS, VOCAB)
    assert torch.equal(found.moved, torch.ones(6, 6).tril(1) > 0)
    assert found.future == 5
    assert str(found) == "5 of 15 later tokens leak"


def test_the_map_says_what_is_not_seen():
    window = mask_wrongly(lambda m: m.triu(-1))
    found = leak_map(decoder(window, num_layers=1), TOKENS, VOCAB)
    assert found.clean
    assert found.deaf == 10
    assert "10 earlier tokens are not seen" in str(found)


def test_other_sentences_are_reported_apart():
    found = leak_map(decoder(across_the_batch, num_layers=1), TOKENS, VOCAB)
    assert not found.future
    assert found.others.any()
    assert str(found).startswith("other sentences of the batch leak")


def test_nan_is_reported_and_hides_no_leak():
    found = leak_map(decoder(INVENTED["blind first row"]), TOKENS, VOCAB)
    assert found.undefined.any()
    assert "NaN" in str(found)

    def nan_in_one_number(tokens):
        x = tokens.double().flip(1).unsqueeze(-1).repeat(1, 1, 2)
        x[..., 0] = math.nan
        return x

    found = leak_map(nan_in_one_number, TOKENS, VOCAB)
    assert found.undefined.all()
    assert found.future == 3  # the mirror image: 5, 3 and 1 places on


def test_infinite_outputs_are_compared():
    def shut(tokens):
        x = tokens.double().unsqueeze(-1)
        return torch.cat([x, torch.full_like(x, -math.inf)], dim=-1)

    found = leak_map(shut, TOKENS, VOCAB)
    assert found.clean
    assert found.deaf == 15


def test_more_tries_find_what_few_may_miss():
    def parity(tokens):
        odd = tokens % 2
        return (odd + odd.roll(-1, 1)).double()

    assert leak_map(parity, TOKENS[:1], VOCAB, tries=6).future == 5


def test_dropout_is_refused():
    model = decoder()
    model.layers[0].around_self.dropout = nn.Dropout(0.1)
    with pytest.raises(ValueError, match=r"model.eval\(\)"):
        leak_map(model.train(), TOKENS, VOCAB)


def test_a_state_between_calls_is_refused():
    calls = []

    def remembers(tokens):
        calls.append(1)
        return tokens.double() + len(calls)

    with pytest.raises(ValueError, match="keep no state"):
        leak_map(remembers, TOKENS, VOCAB)


@pytest.mark.parametrize(
    ("tokens", "ids", "message"),
    [
        (TOKENS.double(), VOCAB, "integer token ids"),
        (TOKENS[0], VOCAB, r"shape \(batch, length\).*\(6,\)"),
        (TOKENS[:, :1], VOCAB, "at least two tokens long"),
        ([[1, 2]], VOCAB, "got list"),
        (TOKENS, 1, "two different token ids"),
        (TOKENS, [3, 3], "two different token ids"),
        (TOKENS, [0.5, 1.5], "two different token ids"),
    ],
)
def test_the_map_refuses(tokens, ids, message):
    with pytest.raises(ValueError, match=message):
        leak_map(decoder(), tokens, ids)


@pytest.mark.parametrize(
    ("decode", "message"),
    [
        (lambda t: t[:, :-1], r"outputs of shape \(2, 6, '...'\).*\(2, 5\)"),
        (lambda t: None, "got NoneType"),
    ],
)
def test_the_map_refuses_outputs_that_do_not_fit(decode, message):
    with pytest.raises(ValueError, match=message):
        leak_map(decode, TOKENS, VOCAB)


def test_the_map_leaves_the_decoder_and_the_tokens_alone():
    def greedy_hands(tokens):
        out = tokens.double()
        tokens.zero_()
        return out

    before = TOKENS.clone()
    assert leak_map(greedy_hands, TOKENS, VOCAB).clean
    assert torch.equal(TOKENS, before)
