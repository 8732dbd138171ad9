"""The live page's drawing of the machine: arrays, words, links."""

import dataclasses
import json
import re

import pytest
import torch
from safetensors.torch import save

import live
from attnbook.config import TransformerConfig
from attnbook.training.checkpoint import collect_tensors
from attnbook.transformer import Transformer

STATIC = live.ROOT / "book/_static"
SIZES = {
    "source_vocab": 11,
    "target_vocab": 13,
    "d_model": 12,
    "num_heads": 3,
    "d_ff": 10,
    "num_encoder_layers": 2,
    "num_decoder_layers": 3,
    "max_length": 16,
}
KINDS = [(True, "sinusoidal"), (False, "learned"), (False, "rotary")]
# A page without a document, and a state of it: 4 words of 5 are written.
LIVE = """var words = {}, live = {
  views: [], addWords: more => Object.assign(words, more), say: key => key,
};"""
STATE = """(config => {
  const tensors = transformer.readWeights(file), name = ids => ids.map(String);
  const model = new transformer.Transformer(config, tensors);
  const source = [5, 6, 7, 8, 2], ids = [4, 5, 6, 7];
  const encoded = model.encode(source);
  return {
    translator: { model }, encoded, ids, step: 3, word: null,
    decoded: model.decode([1, ...ids], model.openCache(encoded)),
    source: { ids: source, tokens: name(source) }, tokens: name([...ids, 2]),
  };
})"""
LIST = """(() => {
  const { readPart, listArrays } = live.drawing;
  const { encoded, decoded, translator: { model } } = state;
  const list = ({ layers }) => ["in", "out", ...layers.flatMap((layer, n) =>
    ["self", "cross", "feed"].filter(kind => kind in layer)
      .map(kind => `${n}.${kind}`))];
  const parts = [...list(encoded).map(place => `encoder.${place}`),
    ...list(decoded).map(place => `decoder.${place}`)];
  return parts.flatMap(part => {
    const read = readPart(part, model.config);
    return Object.entries(read.steps).map(([step, chapter]) => ({
      part, step, chapter, arrays: listArrays(state, read, step, 1).map(
        array => ({ ...array, data: [...array.data] })),
    }));
  });
})()"""


@pytest.fixture(scope="module")
def engine():
    names = ["transformer.js", "text.js"]
    scripts = [(STATIC / name).read_text("utf-8") for name in names]
    views = ["live_machine.js", "live_next.js"]
    scripts += [LIVE, *((STATIC / name).read_text("utf-8") for name in views)]
    opened = live.Engine(scripts)
    yield opened
    opened.racer.close()


def list_steps(engine, pre_norm, positions):
    """Return what every step of every part shows, of a small model."""
    torch.manual_seed(0)
    config = TransformerConfig(**SIZES, pre_norm=pre_norm, positions=positions)
    engine.put_bytes("file", save(collect_tensors(Transformer(config))))
    given = json.dumps(dataclasses.asdict(config))
    engine.racer.eval(f"var state = {STATE}({given}); 0")
    return engine.evaluate(LIST)


@pytest.mark.parametrize(("pre_norm", "positions"), KINDS)
def test_every_step_shows_numbers_that_follow(engine, pre_norm, positions):
    steps = list_steps(engine, pre_norm, positions)
    order = ["norm", "project", "score", "mask", "normalise", "mix", "join"]
    order.append("add")
    names = [s["step"] for s in steps if s["part"] == "decoder.1.cross"]
    assert names == (order if pre_norm else [*order[1:], "norm"])
    places = sum(s["step"] == "position" for s in steps)
    assert places == (0 if positions == "rotary" else 2)
    for step in steps:
        arrays = {
            a["name"]: torch.tensor(a["data"]).view(-1, a["width"])
            for a in step["arrays"]
        }
        for array in step["arrays"]:
            rows = 4 if array["letters"][0] == "T" else 5
            assert len(array["words"]) == rows == len(arrays[array["name"]])
            assert 0 <= array["at"] < rows
            letter = array["letters"].split(", ")[1]
            width = {"D": 12, "F": 10, "dₖ": 4, "S": 5, "T": 4}[letter]
            assert array["width"] == width
        values = list(arrays.values())
        if step["step"] == "normalise":
            assert torch.allclose(values[0].sum(1), torch.ones(1))
        if step["step"] in ("add", "position"):
            assert torch.allclose(values[0] + values[1], values[2], atol=1e-5)
        if step["step"] == "norm":
            assert torch.allclose(values[1].mean(1), torch.zeros(1), atol=1e-5)


def test_the_stream_of_a_part_is_that_of_the_one_before(engine):
    steps = list_steps(engine, True, "sinusoidal")
    for side in ("encoder", "decoder"):
        own = [s for s in steps if s["part"].startswith(side)]
        before = own[2]["arrays"][2]["data"]  # embedding and position
        for step in own:
            if step["step"] == "add":
                assert step["arrays"][0]["data"] == before
                before = step["arrays"][2]["data"]


def test_a_step_that_a_model_lacks_is_not_open(engine):
    list_steps(engine, True, "rotary")
    find = "name => live.drawing.findOpen({...state, open: name})"
    for name in ("decoder.2.cross.mix", "encoder.in.text", "decoder.out.next"):
        assert engine.call(find, name) == name
    wrong = ["encoder.0.cross.mix", "decoder.3.self.mix", "encoder.0.feed.mix"]
    for name in [*wrong, "encoder.in.position", "nonsense", "", None]:
        assert engine.call(find, name) is None


def test_every_step_has_words_and_a_chapter(engine):
    words = engine.evaluate("words")
    for key, both in words.items():
        assert all(both[language] for language in ("en", "ko"))
        blanks = [re.findall(r"\{\d\}", both[name]) for name in ("en", "ko")]
        assert sorted(blanks[0]) == sorted(blanks[1]), key
    chapters = engine.evaluate("live.drawing.CHAPTERS")
    for number, name in chapters.items():
        page = live.ROOT / f"chapters/text/{int(number):02}_{name}.md"
        assert page.is_file()
    for step in list_steps(engine, True, "sinusoidal"):
        assert {f"machine.{step['step']}"} <= words.keys()
        assert {f"machine.about.{step['step']}"} <= words.keys()
        assert str(step["chapter"]) in chapters
