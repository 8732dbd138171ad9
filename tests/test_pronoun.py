import pytest
import torch

from attnbook.config import TransformerConfig
from attnbook.data import storybook
from attnbook.data.storybook.minimal_pairs import make_minimal_pair
from attnbook.data.storybook.partition import find_split
from attnbook.data.vocabulary import SPECIALS
from attnbook.decoding import pretrained
from attnbook.plots import labels
from attnbook.probes import (
    alignment,
    edges,
    linear_probe,
    places,
    pronoun,
    tracing,
)
from attnbook.transformer import Transformer

PAIR = storybook.running_pair("fr").doer


@pytest.fixture(scope="module")
def translator():
    return pretrained.load("fr")


@pytest.fixture(scope="module")
def pairs():
    return storybook.draw_minimal_pairs("fr", 8, seed=1)


@pytest.fixture(scope="module")
def batch(translator, pairs):
    return pronoun.encode_readings(translator, pairs)


# ---------------------------------------------------------- minimal pairs
@pytest.mark.parametrize("language", ["fr", "ko"])
def test_minimal_pairs_differ_in_the_adjective_alone(language):
    for pair in storybook.draw_minimal_pairs(language, 6, seed=3):
        one, two = pair.readings
        differ = [n for n, w in enumerate(one.source) if w != two.source[n]]
        assert differ == [one.pronoun.adjective] == [two.pronoun.adjective]
        assert one.target[: pair.step] == two.target[: pair.step]
        assert pair.answers[0] != pair.answers[1]
        assert (one.pronoun.right, one.pronoun.wrong) == (
            two.pronoun.wrong,
            two.pronoun.right,
        )


def test_minimal_pairs_are_unseen_balanced_and_the_same_in_both_languages():
    drawn = storybook.draw_minimal_pairs("fr", 10, seed=2)
    for pair in drawn:
        assert {find_split(r.source) for r in pair.readings} == {"test"}
    firsts = [pair.answers[0].rstrip("s") for pair in drawn]
    assert firsts == ["il", "elle"] * 5
    korean = storybook.draw_minimal_pairs("ko", 10, seed=2)
    assert [t.doer.source for t in drawn] == [t.doer.source for t in korean]
    held = storybook.draw_minimal_pairs("fr", 4, seed=2, home=("held_out",))
    assert all(storybook.is_held_out(t.object.source) for t in held)


@pytest.mark.parametrize(
    "given", [(3, 0, ("test",)), (2, 0, ("train",)), (2, 0, ()), (0, 0, None)]
)
def test_minimal_pairs_that_cannot_be_drawn_are_refused(given):
    with pytest.raises(ValueError, match="expected"):
        storybook.draw_minimal_pairs("fr", *given)


def test_sentences_that_are_no_minimal_pair_are_refused():
    with pytest.raises(ValueError, match="adjective alone"):
        make_minimal_pair(PAIR, PAIR)


# -------------------------------------------------------------- alignment
def test_labels_are_the_tokens_that_stand_there(translator):
    batch = alignment.encode(translator, [PAIR])
    sides = {"source": (*PAIR.source, "<eos>")}
    sides["target"] = ("<bos>", *PAIR.target)
    for side, want in sides.items():
        names = [*SPECIALS, *getattr(translator, side).words]
        assert labels(getattr(batch, side)[0], names) == list(want)


def gold_map(pair, late):
    """Return a map, (T, S), whose strongest weights are gold links."""
    weights = torch.full((len(pair.target) + 1, len(pair.source) + 1), 0.01)
    weights[:, -1] = 0.9  # <eos>
    for s, t in pair.alignment:
        weights[t + late, s] = 0.5
    return weights


@pytest.mark.parametrize("late", [False, True])
def test_a_map_of_gold_links_hits_always_if_it_is_read_right(late):
    cross = gold_map(PAIR, late)[None, None, None]
    assert alignment.hit_rates(cross, [PAIR], late).item() == 1
    assert alignment.hit_rates(cross, [PAIR], not late).item() < 0.5


def test_guesses_by_hand():
    pair = storybook.Pair(
        ("a", "b", "c"), ("x", "y"), ((0, 0), (2, 1)), "made up"
    )
    rates = alignment.guessed_rates([pair])
    assert rates["random"] == pytest.approx(1 / 3)
    assert (rates["same place"], rates["diagonal"]) == (0.5, 1.0)


# ---------------------------------------------------------------- tracing
def test_run_is_the_model(translator, batch):
    model = translator.model
    want = model(batch.source, batch.target)
    logits = tracing.run(model, batch.source, batch.target)
    torch.testing.assert_close(logits, want, atol=1e-4, rtol=1e-4)


def small(positions="rotary"):
    torch.manual_seed(0)
    config = TransformerConfig(
        source_vocab=9,
        target_vocab=11,
        d_model=12,
        num_heads=3,
        d_ff=16,
        num_encoder_layers=2,
        num_decoder_layers=2,
        positions=positions,
    )
    source = torch.tensor([[4, 5, 6, 2], [4, 7, 2, 0]])
    target = torch.tensor([[1, 5, 6], [1, 8, 9]])
    return Transformer(config).eval(), source, target


def hooks_of(model):
    return sum(
        len(m._forward_hooks) + len(m._forward_pre_hooks)
        for m in model.modules()
    )


def test_no_hook_stays_behind():
    model, source, target = small()
    tracing.run(model, source, target, tracing.ablate_head("cross", 0, 1))
    assert hooks_of(model) == 0

    def fails(depth, x):
        assert hooks_of(model) > 0
        raise RuntimeError("in the middle")

    with pytest.raises(RuntimeError, match="in the middle"):
        tracing.run(model, source, target, edit=fails)
    assert hooks_of(model) == 0


def test_an_unknown_part_is_refused():
    with pytest.raises(ValueError, match="a part of .*got 'encodr'"):
        tracing.ablate_head("encodr", 0, 0)
    with pytest.raises(ValueError, match="a part of .*got 'self'"):
        tracing.patch_head("self", 0, 0)
    for take in (edges.cut_edges, edges.zero_edges):
        with pytest.raises(ValueError, match="a part of .*got 'self'"):
            take(self=torch.ones(1, 1, 1, 1, dtype=torch.bool))


def test_run_is_any_model():
    model, source, target = small()
    logits = tracing.run(model, source, target)
    torch.testing.assert_close(logits, model(source, target))


@pytest.mark.parametrize("part", ["encoder", "decoder", "cross"])
def test_a_silenced_head_is_a_head_without_its_block(part):
    model, source, target = small()
    logits = tracing.run(
        model, source, target, tracing.ablate_head(part, 1, 2)
    )
    stack = model.encoder if part == "encoder" else model.decoder
    name = "cross_attention" if part == "cross" else "self_attention"
    with torch.no_grad():
        getattr(stack.layers[1], name).w_o.weight[:, 8:] = 0
        torch.testing.assert_close(logits, model(source, target))


def test_a_mean_is_put_in_the_place_of_a_head():
    model, source, target = small()
    means = tracing.mean_contexts(model, source, target)
    assert means["cross", 1].shape == (3, 4)
    assert len(means) == 6
    zero = tracing.ablate_head("cross", 1, 0, torch.zeros(4))
    none = tracing.ablate_head("cross", 1, 0)
    torch.testing.assert_close(
        tracing.run(model, source, target, zero),
        tracing.run(model, source, target, none),
    )


@pytest.mark.parametrize("part", ["encoder", "decoder", "cross"])
def test_a_head_carried_from_the_sentence_itself_changes_nothing(part):
    model, source, target = small()
    source, target = source[[0, 1, 0, 1]], target[[0, 1, 0, 1]]
    carried = tracing.patch_head(part, 1, 2)
    want = tracing.run(model, source, target)
    got = tracing.run(model, source, target, carried)
    torch.testing.assert_close(got, want)


def test_a_carried_head_is_the_partner_s_and_no_other_head_is():
    q, k = torch.randn(4, 3, 5, 2), torch.randn(4, 3, 6, 2)
    want, _ = tracing.keep_attention("cross", 1)(q, k, k)
    attend = tracing.patch_head("cross", 1, 2)
    context, _ = attend("cross", 1)(q, k, k)
    assert torch.equal(context[:, :2], want[:, :2])
    assert torch.equal(context[:, 2], want[[2, 3, 0, 1], 2])
    assert attend("cross", 0) is attend("encoder", 1)
    assert attend("cross", 0) is tracing.keep_attention("cross", 0)


def test_to_carry_the_whole_memory_is_to_carry_the_answer():
    model, source, target = small()
    source, target = source[:, :3], target[[0, 0]]
    whole = tracing.patch_states(2, torch.ones(2, 3, dtype=torch.bool))
    want = tracing.run(model, source, target).flip(0)
    got = tracing.run(model, source, target, edit=whole)
    torch.testing.assert_close(got, want)


# ------------------------------------------------------------------ edges
def one_edge():
    edge = torch.zeros(2, 1, 3, 4, dtype=torch.bool)
    edge[:, :, 1, 2] = True
    return edge


def random_queries():
    torch.manual_seed(3)
    return torch.randn(2, 3, 3, 4), torch.randn(2, 3, 4, 4)


def test_a_cut_edge_has_no_weight_and_its_row_sums_to_one():
    attend = edges.cut_edges(cross=one_edge())
    q, k = random_queries()
    _, weights = attend("cross", 0)(q, k, k)
    assert (weights[:, :, 1, 2] == 0).all()
    torch.testing.assert_close(weights.sum(-1), torch.ones(2, 3, 3))
    assert attend("encoder", 0) is tracing.keep_attention("encoder", 0)


def test_a_zeroed_edge_leaves_the_other_weights_as_they_were():
    attend = edges.zero_edges(cross=one_edge())
    q, k = random_queries()
    _, want = tracing.keep_attention("cross", 0)(q, k, k)
    context, weights = attend("cross", 0)(q, k, k)
    kept = ~one_edge().expand_as(want)
    assert torch.equal(weights[kept], want[kept])
    assert (weights[:, :, 1, 2] == 0).all()
    torch.testing.assert_close(context, weights @ k)
    assert attend("encoder", 0) is tracing.keep_attention("encoder", 0)


def test_to_share_out_what_is_zeroed_is_to_cut_before_the_softmax():
    q, k = random_queries()
    _, zeroed = edges.zero_edges(cross=one_edge())("cross", 0)(q, k, k)
    _, cut = edges.cut_edges(cross=one_edge())("cross", 0)(q, k, k)
    torch.testing.assert_close(zeroed / zeroed.sum(-1, keepdim=True), cut)


@pytest.mark.parametrize(
    ("order", "want"),
    [  # the edges hold 0.4; key 1 has 0.3, key 2 has 1.1, key 3 has 0.2
        ([0.0, 0.2, 0.9, 0.5], [[0, 0.2, 0, 0.05], [0, 0.1, 0, 0.05]]),
        ([0.0, 0.2, 0.1, 0.5], [[0, 0, 1.6 / 11, 0], [0, 0, 2.8 / 11, 0]]),
    ],
)
def test_as_much_weight_by_hand(order, want):
    weights = torch.tensor([[0.3, 0.2, 0.4, 0.1], [0.1, 0.1, 0.7, 0.1]])
    weights = weights[None, :, None]  # two heads, one row
    edge = torch.tensor([True, False, False, False]).view(1, 1, 1, 4)
    taken = edges.match_weight(weights, edge, torch.tensor([order]))
    torch.testing.assert_close(taken[0, :, 0], torch.tensor(want))


@pytest.mark.parametrize("share_out", [False, True])
def test_the_control_takes_as_much_as_the_edges_hold_elsewhere(share_out):
    q, k = random_queries()
    order = torch.rand(2, 4)
    attend = edges.take_as_much(order, share_out, cross=one_edge())
    _, before = tracing.keep_attention("cross", 0)(q, k, k)
    _, after = attend("cross", 0)(q, k, k)
    held = before[:, :, 1, 2]  # (B, H)
    assert held.sum(1).max() < 1.5  # half of three heads
    total = after[:, :, 1].sum(-1)  # (B, H)
    if share_out:
        torch.testing.assert_close(total, torch.ones(2, 3))
        assert (after[:, :, 1, 2] >= held).all()
    else:
        torch.testing.assert_close(3 - total.sum(1), held.sum(1))
        assert torch.equal(after[:, :, 1, 2], held)
    torch.testing.assert_close(after[:, :, ::2], before[:, :, ::2])
    assert (after >= 0).all()


# --------------------------------------------------------------- readings
def test_the_row_predicts_the_word_at_which_a_pair_parts(translator, pairs):
    batch = pronoun.encode_readings(translator, pairs)
    names = [*SPECIALS, *translator.target.words]
    for n, pair in enumerate([p.doer for p in pairs]):
        read = labels(batch.target[n], names)
        step = batch.row[n]
        assert read[: step + 1] == ["<bos>", *pair.target[:step]]
        assert names[batch.right[n]] == pair.target[step]
        other = pairs[n].object
        assert names[batch.wrong[n]] == other.target[step]


def test_places_are_the_words(translator, pairs, batch):
    names = [*SPECIALS, *translator.source.words]
    for n, t in enumerate(pairs):
        words = labels(batch.source[n], names)
        assert words[batch.places["it"][n]] in ("it", "they")
        assert batch.places["doer"][n] == t.doer.pronoun.right
        assert batch.places["object"][n] == t.object.pronoun.right
    together = torch.stack(list(places.group_places(batch).values())).sum(0)
    assert torch.equal(together == 1, batch.source != 0)


def test_words_that_every_sentence_has(translator, pairs, batch):
    names = [*SPECIALS, *translator.source.words]
    found = {
        name: {names[batch.source[n, p]] for n, p in enumerate(where)}
        for name, where in places.find_word_places(batch).items()
    }
    assert found["because"] == {"because"} and found["too"] == {"too"}
    assert found["full stop"] == {"."} and found["<eos>"] == {"<eos>"}
    assert found["it"] <= {"it", "they"}
    assert found["was"] <= {"is", "are", "was", "were"}
    assert found["doer"] == {
        t.doer.source[t.doer.pronoun.right] for t in pairs
    }


def test_before_the_first_layer_only_the_adjective_flips(translator, batch):
    model = translator.model
    before = pronoun.margins(pronoun.step_logits(model, batch), batch)
    for name, marked in places.group_places(batch).items():
        carry = tracing.patch_states(0, marked)
        logits = pronoun.step_logits(model, batch, edit=carry)
        flips = pronoun.flip_shares(before, pronoun.margins(logits, batch))
        right = before > 0
        both = right & right.roll(len(right) // 2)
        want = pronoun.average_by_reading(both) / pronoun.average_by_reading(
            right
        )
        want = want if name == "adjective" else torch.zeros(2)
        torch.testing.assert_close(flips, want)


def test_flips_are_counted_by_reading_among_what_was_right():
    before = torch.tensor([1.0, 2.0, -1.0, 1.0, 1.0, 2.0])
    after = torch.tensor([-1.0, 2.0, -1.0, 1.0, 1.0, -2.0])
    flips = pronoun.flip_shares(before, after)
    torch.testing.assert_close(flips, torch.tensor([1 / 2, 1 / 3]))
    assert pronoun.flip_shares(-before.abs(), after).tolist() == [0, 0]


def test_the_first_choice_may_be_neither_answer(batch):
    count = len(batch.row)
    each = torch.arange(count)
    logits = torch.zeros(count, int(batch.right.max()) + 8)
    logits[each, batch.right] = 2.0
    logits[each, batch.wrong] = 1.0
    logits[0, -1] = 3.0  # a third word, in one doer reading
    found = pronoun.judge(logits, batch)
    assert found["doer"] == found["object"] == found["object first"] == 1
    assert found["doer first"] == pytest.approx(1 - 2 / count)
    assert found["margin"] == 1


def test_weights_on_nouns_are_those_of_the_map(translator, batch):
    maps = translator.model.attention_maps(batch.source, batch.target)
    right, wrong = pronoun.find_noun_weights(maps["cross"], batch.row, batch)
    n, layer, head = 3, 1, 2
    row = maps["cross"][layer, n, head, batch.row[n]]
    assert right[n, layer, head] == row[batch.places["right"][n]]
    assert wrong[n, layer, head] == row[batch.places["wrong"][n]]


def test_all_cuts_leave_every_row_a_key(translator, batch):
    order = torch.rand(batch.source.shape)
    sources = ("encoder", "cross")
    for parts in places.edge_interventions(batch).values():
        changes = [edges.cut_edges(**parts), edges.zero_edges(**parts)]
        known = {name: parts[name] for name in sources if name in parts}
        changes.append(edges.take_as_much(order, True, **known))
        for attend in changes:
            logits = pronoun.step_logits(
                translator.model, batch, attend=attend
            )
            assert logits.isfinite().all()


def test_no_cut_takes_bos_away_and_the_control_is_as_large(translator, batch):
    cuts = places.edge_interventions(batch)
    assert not any(
        parts["decoder"][..., 0].any()
        for parts in cuts.values()
        if "decoder" in parts
    )
    prefix = cuts["step to prefix"]["decoder"]
    for n, row in enumerate(batch.row):
        assert prefix[n, 0, row, 1:row].all()
        assert not prefix[n, 0, row, row]
    control = cuts["step to was, too"]["cross"]
    assert control.sum() == cuts["step to nouns"]["cross"].sum()
    spare = cuts["adjective to nouns, step to both"]
    other = cuts["adjective to was, too, step to both"]
    assert spare["encoder"].sum() == other["encoder"].sum()
    assert not (spare["encoder"] & other["encoder"]).any()
    assert all(spare[p] is other[p] for p in ("cross", "decoder"))
    names = [*SPECIALS, *translator.source.words]
    for ids, cut in zip(batch.source, control.any(2)[:, 0], strict=True):
        found = [names[i] for i in ids[cut]]
        assert found[0] in ("is", "are", "was", "were") and found[1] == "too"


def test_means_by_reading():
    margin = torch.tensor([1.0, 2.0, -1.0, 3.0])
    assert pronoun.average_by_reading(margin > 0).tolist() == [1.0, 0.5]
    assert pronoun.average_by_reading(torch.ones(6, 3)).shape == (2, 3)


# ----------------------------------------------------------- linear probe
def test_states_at_every_depth_end_in_the_memory(translator, batch):
    model = translator.model
    states = linear_probe.encoder_states(model, batch.source, batch.target)
    assert states.shape[:3] == (3, *batch.source.shape)
    memory, *_ = model.encode(batch.source)
    real = batch.source != 0
    torch.testing.assert_close(
        model.encoder.norm(states[-1])[real],
        memory[real],
        atol=1e-4,
        rtol=1e-4,
    )


def test_a_map_without_penalty_is_least_squares():
    torch.manual_seed(0)
    x = torch.randn(40, 3, dtype=torch.double)
    y = x @ torch.tensor([1.0, -2.0, 0.5], dtype=torch.double) + 3
    weights, bias = linear_probe.fit_ridge(x, y, strength=0)
    torch.testing.assert_close(x @ weights + bias, y)
    small, _ = linear_probe.fit_ridge(x, y, strength=10.0)
    assert small.norm() < weights.norm() / 2


def test_a_probe_is_judged_on_states_that_it_has_not_seen():
    torch.manual_seed(0)
    label = torch.arange(80) % 2 == 0
    train = torch.arange(80) < 40
    noise = torch.randn(80, 60)  # as many numbers as sentences: learns all
    assert 0.2 < linear_probe.probe_accuracy(noise, label, train) < 0.8
    told = noise.clone()
    told[:, 7] += 12.0 * label
    assert linear_probe.probe_accuracy(told, label, train) == 1.0


def test_before_the_first_layer_a_probe_can_but_guess(translator, batch):
    model = translator.model
    half = len(batch.row) // 2
    label = torch.arange(2 * half) < half
    train = torch.arange(2 * half) % half < half // 2
    states = linear_probe.encoder_states(model, batch.source, batch.target)
    each = torch.arange(2 * half)
    for name, where in places.find_word_places(batch).items():
        if name != "adjective":
            found = linear_probe.probe_accuracy(
                states[0, each, where], label, train
            )
            assert found == 0.5, name
