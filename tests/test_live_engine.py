"""The Transformer in JavaScript computes what the package computes."""

import dataclasses
import functools
import itertools
import json
import random

import numpy as np
import pytest
import torch
from py_mini_racer import JSEvalException
from safetensors.numpy import save as save_arrays
from safetensors.torch import save

import live
from attnbook.attention import scaled_dot_product_attention
from attnbook.config import TransformerConfig
from attnbook.data import storybook
from attnbook.data.batches import pad
from attnbook.data.vocabulary import BOS, EOS, PAD
from attnbook.decoding import pretrained
from attnbook.decoding.beam import beam_search
from attnbook.decoding.greedy import greedy
from attnbook.probes import edges, pronoun, tracing
from attnbook.training.checkpoint import collect_tensors
from attnbook.transformer import Transformer

NEAR = 1e-4
SIZES = {
    "source_vocab": 23,
    "target_vocab": 23,
    "d_model": 24,
    "num_heads": 3,
    "d_ff": 20,
    "num_encoder_layers": 2,
    "num_decoder_layers": 3,
    "max_length": 16,
}
KINDS = {  # pre_norm, positions, shared_embeddings
    "post, sinusoidal, shared": (False, "sinusoidal", True),
    "pre, learned, separate": (True, "learned", False),
    "post, learned, shared": (False, "learned", True),
    "pre, rotary, shared": (True, "rotary", True),
    "post, rotary, separate": (False, "rotary", False),
    "pre, none, separate": (True, "none", False),
}
# Decode a row of words at once, or one after the other.
AT_ONCE = """(model, source, target, changes) => model.decode(
  target, model.openCache(model.encode(source, changes))).logits"""
STEP_BY_STEP = """(model, source, target, changes) => {
  let cache = model.openCache(model.encode(source, changes)), found;
  return target.flatMap(id => {
    found = model.decode([id], cache);
    cache = found.cache;
    return [...found.logits];
  });
}"""


def make_model(kind, seed=0):
    """Return an untrained model; no part of it is zero or one."""
    pre_norm, positions, shared = KINDS[kind]
    config = TransformerConfig(
        **SIZES,
        pre_norm=pre_norm,
        positions=positions,
        shared_embeddings=shared,
    )
    torch.manual_seed(seed)
    model = Transformer(config).eval().requires_grad_(False)
    for parameter in model.parameters():
        parameter += 0.2 * torch.randn_like(parameter)
    return model


def put_model(engine, name, model):
    """Give a model a name in V8."""
    engine.put_bytes("file", save(collect_tensors(model)))
    config = json.dumps(dataclasses.asdict(model.config))
    engine.racer.eval(
        f"var {name} = new transformer.Transformer({config}, "
        "transformer.readWeights(file)); 0"
    )


def draw_sources(count, seed=0):
    """Return rows of ids that no small model has seen, with <eos>."""
    rng = random.Random(seed)
    lengths = [rng.randint(1, 9) for _ in range(count)]
    return [[*rng.choices(range(3, 23), k=n), EOS] for n in lengths]


def compute_logits(engine, model, rows, function=AT_ONCE, changes=None):
    """Return the logits of (source, target) pairs one below the other."""
    given = json.dumps([*zip(rows, changes or [[]] * len(rows), strict=True)])
    script = (
        f"Float32Array.from({given}.flatMap(([[source, target], changes]) => "
        f"[...({function})({model}, source, target, changes)]))"
    )
    return np.frombuffer(engine.get_bytes(script), np.float32)


def flatten(logits, targets):
    """Return a batch's logits, (B, T, vocab), one below the other."""
    rows = [row[: len(t)] for row, t in zip(logits, targets, strict=True)]
    return torch.cat(rows).numpy().ravel()


@pytest.fixture(scope="module")
def engine():
    with live.open_engine() as opened:
        for language in pretrained.LANGUAGES:
            folder = pretrained.find_model(language)
            opened.open_translator(language, folder)
        for n, kind in enumerate(KINDS):
            put_model(opened, f"small{n}", make_model(kind))
        yield opened


@functools.cache
def load(language):
    translator = pretrained.load(language)
    translator.model.requires_grad_(False)
    return translator


@functools.cache
def draw_sentences(language, count):
    """Return English sentences of all lengths."""
    pairs = storybook.draw(language, count, seed=59)
    return [" ".join(pair.source) for pair in pairs]


FATES = {"open", "narrow", "ended", "late", "full"}
GREEDY = """((translator, sources) => {
  const logits = [], model = Object.create(translator.model);
  model.decode = function (...given) {
    const found = translator.model.decode(...given);
    logits.push(found.logits);
    return found;
  };
  const rows = sources.map(
    source => transformer.greedy(model, source, {longest: 40}));
  const vocab = model.config.target_vocab;
  const joined = new Float32Array(logits.length * vocab);
  logits.forEach((row, i) => joined.set(row, i * vocab));
  return [rows, joined];
})"""


@pytest.mark.parametrize(("language", "count"), [("fr", 200), ("ko", 200)])
def test_packaged_models_write_the_same_word_by_word(engine, language, count):
    """The logits of every step too, which come from the kept keys."""
    translator = load(language)
    source = translator.encode(draw_sentences(language, count))
    sources = [[i for i in row if i != PAD] for row in source.tolist()]
    engine.racer.eval(
        f"var [rows, logits] = {GREEDY}({language}, {json.dumps(sources)}); 0"
    )
    found = engine.evaluate("rows")
    written = greedy(translator.model, source, longest=40)
    assert [row["ids"] for row in found] == written
    assert all(row["hasEnded"] for row in found)
    targets = [[BOS, *ids] for ids in written]
    logits = translator.model(source, pad(targets))
    mine = np.frombuffer(engine.get_bytes("logits"), np.float32)
    assert np.abs(mine - flatten(logits, targets)).max() < NEAR
    scores = logits.log_softmax(-1)
    for row, score, target in zip(found, scores, targets, strict=True):
        chosen = torch.tensor([*target[1:], EOS])
        score = score[torch.arange(len(chosen)), chosen].exp()
        assert np.allclose(row["probabilities"], score, atol=NEAR)


def test_packaged_models_search_the_same(engine):
    for language in pretrained.LANGUAGES:
        translator = load(language)
        source = translator.encode(draw_sentences(language, 200)[-20:])
        sources = [[i for i in row if i != PAD] for row in source.tolist()]
        found = engine.evaluate(
            f"{json.dumps(sources)}.map(source => transformer.beamSearch("
            f"{language}.model, source, {{longest: 40}}).ids)"
        )
        assert found == beam_search(translator.model, source, longest=40)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_model_computes_the_same(engine, kind):
    model, name = make_model(kind), f"small{list(KINDS).index(kind)}"
    sources, targets = draw_sources(20), draw_sources(20, seed=1)
    targets = [[BOS, *row[:-1]] for row in targets]
    wanted = flatten(model(pad(sources), pad(targets)), targets)
    rows = list(zip(sources, targets, strict=True))
    for function in (AT_ONCE, STEP_BY_STEP):
        found = compute_logits(engine, name, rows, function)
        assert np.abs(found - wanted).max() < NEAR
    longest = SIZES["max_length"] - 1
    found = engine.evaluate(
        f"{json.dumps(sources)}.map(source => transformer.greedy("
        f"{name}, source, {{longest: {longest}}}).ids)"
    )
    assert found == greedy(model, pad(sources), longest)


@pytest.mark.parametrize(
    ("width", "alpha", "longest"),
    [(1, 0.6, 15), (2, 0.0, 15), (5, 0.6, 15), (5, 2.0, 15), (4, 0.6, 2)],
)
def test_every_width_and_penalty_ends_the_same(engine, width, alpha, longest):
    model, sources = make_model("pre, learned, separate"), draw_sources(30)
    # An <eos> that is likely, so that many sentences end early.
    model.output.weight[EOS] += 0.6 * model.decoder.norm.bias
    put_model(engine, "ending", model)
    options = {"width": width, "alpha": alpha, "longest": longest}
    script = f"transformer.beamSearch(ending, source, {json.dumps(options)})"
    found = engine.evaluate(
        f"{json.dumps(sources)}.map(source => {{ const {{ids, best, steps}} = "
        f"{script}; return {{ids, score: best.score, steps: steps.length, "
        "fates: [...new Set(steps.flat().map(node => node.fate))]}; })"
    )
    wanted = beam_search(model, pad(sources), width, alpha, longest)
    assert [row["ids"] for row in found] == wanted
    assert max(row["steps"] for row in found) <= longest
    fates = [set(row["fates"]) for row in found]
    if longest == 2:  # then the best beginning counts
        assert any("ended" not in each for each in fates)
    if width == 5:
        assert set().union(*fates) == FATES


def test_the_tree_says_what_was_kept_and_dropped(engine):
    steps = engine.evaluate(
        """(() => {
          const ids = fr.encode("the animal did not cross the street .");
          const {steps, best} = transformer.beamSearch(
            fr.model, ids, {width: 3});
          return steps.map(nodes => nodes.map(node => ({
            id: node.id, fate: node.fate, total: node.total, score: node.score,
            own: node.logProbability, before: node.parent.total,
            parent: node.parent.fate ?? "open", isBest: node === best})));
        })()"""
    )
    ended = [n for nodes in steps for n in nodes if n["fate"] == "ended"]
    (best,) = [n for nodes in steps for n in nodes if n["isBest"]]
    assert best["score"] == max(n["score"] for n in ended)
    assert 1 <= len(ended) <= 3
    for length, nodes in enumerate(steps, start=1):
        totals = [node["total"] for node in nodes]
        assert totals == sorted(totals, reverse=True)
        assert len(nodes) == 6
        assert sum(node["fate"] == "open" for node in nodes) == 3
        for node in nodes:
            assert node["parent"] == "open"
            assert node["total"] == node["before"] + node["own"]
            penalty = ((5 + length) / 6) ** 0.6
            assert node["score"] == pytest.approx(node["total"] / penalty)
            assert (node["id"] == EOS) == (
                node["fate"] not in ("open", "narrow")
            )


# ---- What chapter 15 does to a model ---------------------------------------


@functools.cache
def encode_forty():
    """Return the packaged French model and 40 encoded sentences."""
    translator = load("fr")
    sentences = draw_sentences("fr", 200)[:40]
    source = translator.encode(sentences)
    written = greedy(translator.model, source, longest=40)
    target = pad([[BOS, *ids] for ids in written])
    return translator.model, source, target


def strip_padding(ids):
    return [[i for i in row if i != PAD] for row in ids.tolist()]


def compare_changed(engine, changes, wanted, function=AT_ONCE):
    """Compare the logits of sentences with changes, a list for each."""
    _, source, target = encode_forty()
    source, target = source[: len(changes)], target[: len(changes)]
    targets = strip_padding(target)
    rows = list(zip(strip_padding(source), targets, strict=True))
    found = compute_logits(engine, "fr.model", rows, function, changes)
    assert np.abs(found - flatten(wanted, targets)).max() < NEAR


def test_each_head_of_the_three_attentions_is_silenced(engine):
    model, source, target = encode_forty()
    heads = list(itertools.product(tracing.PARTS, range(2), range(4)))
    wanted = model(source, target)
    changes = []
    for i in range(40):
        part, layer, head = heads[i % len(heads)]
        attend = tracing.ablate_head(part, layer, head)
        row = slice(i, i + 1)
        wanted[row] = tracing.run(model, source[row], target[row], attend)
        change = {"how": "silence", "part": part, "layer": layer}
        changes.append([change | {"head": head}])
    compare_changed(engine, changes, wanted)


def draw_edges(source, target, seed):
    """Return edges as the package and as the engine has them.

    None leads to the first key, so that no query is blind.
    """
    rng = random.Random(seed)
    sizes = {"encoder": (source,) * 2, "decoder": (target,) * 2}
    sizes["cross"] = (target, source)
    found, lists = {}, [[] for _ in source]
    for part, (queries, keys) in sizes.items():
        shape = len(source), 1, queries.size(1), keys.size(1)
        found[part] = torch.zeros(shape, dtype=torch.bool)
        for b, edges_of in enumerate(lists):
            for _ in range(6):
                t = rng.randrange(int((queries[b] != PAD).sum()))
                s = rng.randrange(1, int((keys[b] != PAD).sum()))
                found[part][b, 0, t, s] = True
                edges_of.append({"part": part, "query": t, "key": s})
    return found, lists


@pytest.mark.parametrize(
    ("how", "change"), [("cut", edges.cut_edges), ("zero", edges.zero_edges)]
)
def test_edges_are_cut_before_or_after_the_softmax(engine, how, change):
    model, source, target = encode_forty()
    found, lists = draw_edges(source, target, seed=15)
    wanted = tracing.run(model, source, target, change(**found))
    assert (wanted - model(source, target)).abs().max() > 0.5
    changes = [[edge | {"how": how} for edge in row] for row in lists]
    compare_changed(engine, changes, wanted)


@pytest.mark.parametrize("how", ["cut", "zero"])
def test_an_edge_of_one_head_of_one_layer(engine, how):
    """In the cache, too, where only the newest query asks."""
    model, source, target = encode_forty()
    source, target = source[:10], target[:10]

    def attend(part, layer):
        def changed(q, k, v, mask=None):
            edge = torch.zeros(1, 4, q.size(2), k.size(2), dtype=torch.bool)
            edge[:, 2, 1, 0] = (part, layer) == ("cross", 1)
            mask = torch.ones_like(edge) if mask is None else mask
            if how == "cut":
                return scaled_dot_product_attention(q, k, v, mask & ~edge)
            _, weights = scaled_dot_product_attention(q, k, v, mask)
            weights = weights.masked_fill(edge, 0)
            return weights @ v, weights

        return changed

    wanted = tracing.run(model, source, target, attend)
    change = {"how": how, "part": "cross", "layer": 1, "head": 2}
    changes = [[change | {"query": 1, "key": 0}]] * 10
    compare_changed(engine, changes, wanted, STEP_BY_STEP)


def test_a_query_that_may_attend_to_nothing_is_refused(engine):
    change = json.dumps([{"how": "cut", "part": "cross", "query": 1}])
    wanted = "at least one key that each query may attend to, got none for"
    with pytest.raises(JSEvalException, match=wanted + r" query 1 \(cross"):
        engine.evaluate(
            f"transformer.greedy(small0, [5, 2], {{changes: {change}}})"
        )


@pytest.mark.parametrize("depth", range(3))
def test_states_are_carried_over_from_the_twin(engine, depth):
    translator = load("fr")
    pairs = storybook.draw_minimal_pairs("fr", 4, seed=0)
    batch = pronoun.encode_readings(translator, pairs)
    places = torch.zeros_like(batch.source, dtype=torch.bool)
    places.scatter_(1, batch.places["it"][:, None], True)
    edit = tracing.patch_states(depth, places)
    wanted = tracing.run(
        translator.model, batch.source, batch.target, edit=edit
    )
    sources, targets = map(strip_padding, (batch.source, batch.target))
    twins = [*sources[4:], *sources[:4]]
    place = batch.places["it"].tolist()
    function = f"""(model, source, target, [twin, place]) => {{
      const {{layers, stream}} = model.encode(twin);
      const x = {depth} ? layers[{depth} - 1].feed.stream : stream;
      const state = transformer.row(x, place, 128);
      const changes = [{{how: "patch", depth: {depth}, place, state}}];
      const found = model.encode(source, changes);
      const y = {depth} ? found.layers[{depth} - 1].feed.stream : found.stream;
      if (`${{transformer.row(y, place, 128)}}` !== `${{state}}`) return [0];
      return ({AT_ONCE})(model, source, target, changes);
    }}"""
    rows = list(zip(sources, targets, strict=True))
    given = list(zip(twins, place, strict=True))
    found = compute_logits(engine, "fr.model", rows, function, given)
    assert np.abs(found - flatten(wanted, targets)).max() < NEAR


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            {"how": "prune", "part": "cross"},
            "expected a change out of silence",
        ),
        ({"how": "cut", "part": "self"}, "expected a part out of encoder, de"),
    ],
)
def test_a_change_that_nobody_knows_is_refused(engine, change, words):
    with pytest.raises(JSEvalException, match=words):
        engine.evaluate(f"small0.encode([5, 2], [{json.dumps(change)}])")


# ---- What a page draws -----------------------------------------------------

TRACE = """(model, source, target) => {
  const read = model.encode(source);
  const wrote = model.decode(target, model.openCache(read));
  const all = [read.embedding, read.stream, read.memory, wrote.embedding,
    wrote.stream, wrote.states];
  for (const {self, cross, feed} of [...read.layers, ...wrote.layers]) {
    for (const {q, k, v, weights, output} of cross ? [self, cross] : [self])
      all.push(...q, ...k, ...v, ...weights, output);
    all.push(feed.hidden, feed.output, feed.stream);
  }
  return all.flatMap(array => [...array]);
}"""


def trace(model, source, target):
    """Return the same numbers from the package."""
    seen = {}

    def note(name):
        return lambda module, given, found: seen.update({name: found})

    def attend(q, k, v, mask=None):
        context, weights = scaled_dot_product_attention(q, k, v, mask)
        heads.append([*q[0], *k[0], *v[0], *weights[0]])
        return context, weights

    heads, blocks = [], []
    handles = []
    for name, module in model.named_modules():
        handles.append(module.register_forward_hook(note(name)))
    memory, mask, _ = model.encode(source, attend)
    states, _ = model.decode(target, memory, mask, attend)
    for handle in handles:
        handle.remove()
    scale = model.config.d_model**0.5
    first = [seen["source_embedding.table"] * scale, seen["source_embedding"]]
    first += [memory, seen["target_embedding.table"] * scale]
    first += [seen["target_embedding"], states]
    heads = iter(heads)
    for stack in ("encoder", "decoder"):
        attentions = ["self", "cross"][: 1 + (stack == "decoder")]
        for n in range(len(getattr(model, stack).layers)):
            at = f"{stack}.layers.{n}"
            for kind in attentions:
                blocks += next(heads)
                blocks.append(seen[f"{at}.{kind}_attention.w_o"])
            blocks.append(seen[f"{at}.feed_forward.inner"].relu())
            blocks.append(seen[f"{at}.feed_forward.outer"])
            blocks.append(seen[at][0])
    return torch.cat([block.flatten() for block in first + blocks]).numpy()


@pytest.mark.parametrize("kind", KINDS)
def test_all_that_a_page_draws_is_the_models_own(engine, kind):
    model, name = make_model(kind), f"small{list(KINDS).index(kind)}"
    source, target = draw_sources(1, seed=4)[0], [BOS, 7, 5, 9]
    if model.config.shared_embeddings:  # one table, called twice
        name_of = model.target_embedding
        name_of.table = torch.nn.Embedding.from_pretrained(
            name_of.table.weight
        )
    wanted = trace(model, torch.tensor([source]), torch.tensor([target]))
    found = compute_logits(engine, name, [(source, target)], TRACE)
    assert np.abs(found - wanted).max() < NEAR


def test_parts_of_a_sublayer_fit_together(engine):
    assert (
        engine.call(
            """() => [small0, small1].map(model => {
          const near = (x, y) => x.length === y.length
            && x.every((number, i) => Math.abs(number - y[i]) < 1e-4);
          const plus = (x, y) => x.map((number, i) => number + y[i]);
          const first = model.encode([5, 6, 7, 2]), {stream} = first;
          const {self, feed} = first.layers[0], isPre = model.config.pre_norm;
          const row = self.v[1].slice(0, 8).map((_, i) => [0, 1, 2, 3].reduce(
            (sum, s) => sum + self.weights[1][s] * self.v[1][s * 8 + i], 0));
          return [
            near(plus(first.embedding, first.position), stream),
            near(plus(stream, self.output), self.sum),
            near(plus(self.stream, feed.output), feed.sum),
            near(isPre ? self.sum : self.read, isPre ? self.stream : stream),
            self.scores[0].length === 16,
            self.mask[0].every(open => open === 1),
            near(self.context[1].slice(0, 8), row),
          ];
        })"""
        )
        == [[True] * 7] * 2
    )


def test_nothing_that_was_given_is_changed(engine):
    """An old cache can be gone on from, and gives the same again."""
    assert engine.call(
        """() => {
          const text = () => JSON.stringify(small3.decoder);
          const before = text();
          const cache = small3.openCache(small3.encode([5, 6, 2]));
          const first = small3.decode([1], cache).cache;
          const kept = JSON.stringify(first);
          const once = small3.decode([7], first).logits;
          small3.decode([9], first);
          const twice = small3.decode([7], first).logits;
          return [before === text(), kept === JSON.stringify(first),
            once.every((number, i) => number === twice[i]),
            cache.length, first.length];
        }"""
    ) == [True, True, True, 0, 1]


# ---- Drawing words ---------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [{}, {"temperature": 0.5}, {"top_k": 3}, {"top_p": 0.7}]
    + [{"temperature": 2.0, "top_k": 6, "top_p": 0.6}, {"top_p": 1e-9}],
)
def test_words_are_drawn_from_what_is_left(engine, options):
    rng = np.random.default_rng(3)
    logits = rng.normal(size=40)
    found = engine.evaluate(
        f"[...transformer.chances(transformer.logProbabilities("
        f"Float32Array.from({json.dumps(logits.tolist())})), "
        f"{json.dumps(options)})]"
    )
    scores = logits.copy()
    scores[[PAD, BOS]] = -np.inf
    p = np.exp(scores / options.get("temperature", 1))
    p /= p.sum()
    order = np.argsort(-p)
    before = np.cumsum(p[order]) - p[order]  # of the more probable ones
    keep = order[before < options.get("top_p", 1)][: options.get("top_k", 40)]
    wanted = np.zeros(40)
    wanted[keep] = p[keep] / p[keep].sum()
    assert np.allclose(found, wanted, atol=1e-6)


def test_a_number_chooses_where_it_falls(engine):
    assert engine.evaluate(
        "[0, 0.19, 0.2, 0.69, 0.7, 0.9999999].map(number => "
        "transformer.draw([0, 0.2, 0.5, 0.3 - 1e-9, 0], number))"
    ) == [1, 1, 2, 2, 3, 3]


def test_samples_are_drawn_word_by_word(engine):
    """The same numbers, laid over the package's probabilities."""
    model, rng = make_model("pre, rotary, shared"), random.Random(5)
    numbers, source = [rng.random() for _ in range(15)], [5, 6, 7, 2]
    memory, mask, _ = model.encode(torch.tensor([source]))
    written = [BOS]
    for number in numbers:
        states, _ = model.decode(torch.tensor([written]), memory, mask)
        p = (model.output(states)[0, -1].log_softmax(-1) / 0.7).exp()
        p[[PAD, BOS]] = 0
        written.append(int((p.cumsum(0) / p.sum() > number).int().argmax()))
        if written[-1] == EOS:
            break
    function = """numbers => transformer.sample(small3, [5, 6, 7, 2],
      () => numbers.shift(), {temperature: 0.7, longest: 15}).ids"""
    assert engine.call(function, numbers) == [
        i for i in written[1:] if i != EOS
    ]
    assert len(written) > 5


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            "chances(x, {temperature: 0})",
            "expected a temperature above 0, got 0",
        ),
        ("chances(x, {top_k: 0})", "expected a top_k of at least 1, got 0"),
        (
            "chances(x, {top_p: 1.5})",
            "expected a top_p above 0 and at most 1,",
        ),
        (
            "beamSearch(small0, [2], {width: 0})",
            "a width of at least 1, got 0",
        ),
        (
            "greedy(small0, [2], {longest: 16})",
            "output of 1 to 15 words, got 16",
        ),
        ("greedy(small0, [])", "at least one source token, got none"),
        ("greedy(small0, [23])", "expected source ids from 0 to 22, got 23"),
        ("greedy(small0, Array(17).fill(5))", "at most 16 positions, got 17"),
    ],
)
def test_what_makes_no_sense_is_refused(engine, call, words):
    with pytest.raises(JSEvalException, match=words):
        engine.evaluate(f"transformer.{call.replace('x', '[0, 1]')}")


# ---- The file of the weights -----------------------------------------------


def test_every_float16_is_read(engine):
    halves = np.arange(2**16, dtype=np.uint16).view(np.float16)
    engine.put_bytes("file", save_arrays({"x": halves.reshape(256, 256)}))
    data = engine.get_bytes("transformer.readWeights(file).x.data")
    found = np.frombuffer(data, np.float32)
    assert np.array_equal(found, halves.astype(np.float32), equal_nan=True)
    shape = engine.evaluate("transformer.readWeights(file).x.shape")
    assert shape == [256, 256]


def break_files():
    """Yield broken files, and what is said of them."""
    whole = save_arrays({"x": np.ones((2, 3), np.float32)})
    length = int.from_bytes(whole[:8], "little")
    kind = "expected a safetensors file, which begins with a header in JSON"
    yield b"", kind + ", got a file of 0 bytes"
    yield b"PK\3\4 this is a zip archive", kind + ", got another file"
    yield whole[:8] + b"?" * length + whole[8 + length :], kind
    yield whole[:-4], "expected a whole file, at least .* bytes, got"
    yield whole.replace(b'"shape"', b'"shade"'), "no shape or place of x"
    yield whole + b"1234", "as its header says, got"
    yield whole.replace(b"[2,3]", b"[2,2]"), "expected 16 bytes of x, got 24"
    yield (
        save_arrays({"x": np.ones(3, np.int64)}),
        "expected x as F32 or F16, got I64",
    )


@pytest.mark.parametrize(("data", "words"), list(break_files()))
def test_a_broken_file_is_refused(engine, data, words):
    engine.put_bytes("file", data)
    with pytest.raises(JSEvalException, match=words):
        engine.evaluate("transformer.readWeights(file)")


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"d_model": 25}, "expected d_model divisible by num_heads, got 25"),
        ({"d_ff": 0}, "expected d_ff as an int of at least 1, got 0"),
        ({"d_ff": None}, "expected d_ff as an int of at least 1, got null"),
        ({"pre_norm": "yes"}, "expected pre_norm as true or false, got yes"),
        ({"positions": "odd"}, "expected positions out of .*, got odd"),
        (
            {"positions": "rotary", "num_heads": 8},
            "even width per head .*got 3",
        ),
        ({"source_vocab": 9}, "one vocabulary to share embeddings, got 9 and"),
    ],
)
def test_settings_that_no_model_has_are_refused(engine, changed, words):
    with pytest.raises(JSEvalException, match=words):
        engine.evaluate(
            "new transformer.Transformer({...small0.config, "
            f"...{json.dumps(changed)}}}, {{}})"
        )


@pytest.mark.parametrize(
    ("tensors", "words"),
    [
        ({}, "expected weights of this model, of .* shape .*, got none"),
        ({"x": {"shape": [1]}}, "expected weights of this model, of x none"),
    ],
)
def test_weights_of_another_model_are_refused(engine, tensors, words):
    keep = "" if not tensors else "...transformer.readWeights(file),"
    put_model(engine, "again", make_model("post, sinusoidal, shared"))
    with pytest.raises(JSEvalException, match=words):
        engine.evaluate(
            "new transformer.Transformer(small0.config, "
            f"{{{keep} ...{json.dumps(tensors)}}})"
        )


def test_scripts_are_light_and_ask_nobody():
    scripts = [path.read_bytes() for path in live.SCRIPTS]
    assert sum(map(len, scripts)) < 42_000
    for script in scripts:
        for word in (b"fetch", b"import", b"export", b"http", b"document"):
            assert word not in script
