"""What people type is read in JavaScript as the package reads it."""

import json
import random

import pytest
from py_mini_racer import JSEvalException

import live
from attnbook.command.translate import find_unknown_words
from attnbook.data import datasets, storybook
from attnbook.data.bpe import BytePairs
from attnbook.data.characters import clean_text
from attnbook.decoding import pretrained

DATA = datasets.find("storybook")
ODD = [
    "",
    " ",
    "...",
    "?",
    "The",
    "the dog sleeps",
    "The dog sleeps!!!",
    "“The dog” isn’t hungry.",
    "«The» dog (sleeps), and it's tired?!",
    "Is the dog hungry",
    "Yesterday the dog slept. Today, it doesn't!",
    "today",
    "soon the",
    "I can't, I cannot, I can not. I won't; I'm here",
    "They're tired, you'll see: there's a dog's bone, she's my sister's.",
    "The blorp crossed the zyzzyx.",
    "<unk> <eos> <pad> the dog",
    "the\tdog\u00a0sleeps\u3000.\n\n",
    "the dog 🐕 sleeps 😀👍🏽",
    "👩\u200d🚀 fl\u200dy \U0001f1eb\U0001f1f7 ❤\ufe0f 3\ufe0f\u20e3 a\ufe0f",
    "the do\u00adg sle\u200bep\ufeffs",
    "cafe\u0301 Éléphant ÇA İSTANBUL ΟΔΟΣ ΑΣ",
    "개가 \u1100\u1161\u11a8 잔다",
    "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 क\u094d\u200dष",
    "the\x1cdog\x85sleeps\x0b\x0c",
    "1,234.5 dogs & 6½ cats – x_y ²",
    "ITS it's ITS' Shelf's the're n't 's 'll",
    "écan't can'té éi'm i'mé",
    "the dog " * 100,
]
ALPHABET = (
    [chr(n) for n in (*range(9, 14), 28, 31, 32, 32, 32, 0x85, 0xA0, 0xAD)]
    + list("aabI.,?!\"'’“”()'n't's_09#*²½éßİΣς")
    + [chr(n) for n in (0x300, 0x301, 0x327, 0x94D, 0x180B, 0x1820, 0x20E3)]
    + [chr(n) for n in (0x200B, 0x200C, 0x200D, 0x200D, 0x202E, 0x2028)]
    + [chr(n) for n in (0xFE0E, 0xFE0F, 0xFEFF, 0x3000, 0x2800, 0x3164)]
    + list("میक가각각日本")
    + [chr(n) for n in (0x1F3F4, 0xE0067, 0xE007F)]
    + [chr(n) for n in (0x1F468, 0x1F3FD, 0x2764, 0x1D173, 0xE0100, 0x10FFFF)]
)
CONTRACTED = {" did not ": " didn't ", " is not ": " isn't "}
CONTRACTED |= {
    " can not ": " can't ",
    " will not ": " won't ",
    " it is ": " it's ",
}


def draw_odd(count):
    """Return texts of signs that seldom meet."""
    rng = random.Random(59)
    sizes = [rng.randint(0, 14) for _ in range(count)]
    return ["".join(rng.choices(ALPHABET, k=size)) for size in sizes]


def type_sentences(count):
    """Return the storybook's sentences as people might type them."""
    rng, typed = random.Random(59), []
    for pair in storybook.draw("fr", count, seed=60):
        text = storybook.sentence(pair.source, "en")
        for apart, joined in CONTRACTED.items():
            text = text.replace(apart, joined) if rng.random() < 0.5 else text
        if rng.random() < 0.3:
            text = text.replace("'", "’").rstrip(".?")
        typed.append(text.upper() if rng.random() < 0.1 else text)
    return typed


@pytest.fixture(scope="module")
def typed():
    return [*type_sentences(2000), *ODD, *draw_odd(1000)]


@pytest.fixture(scope="module")
def engine():
    with live.open_engine() as opened:
        for language in pretrained.LANGUAGES:
            folder = pretrained.find_model(language)
            opened.open_translator(language, folder)
        yield opened


def test_texts_have_one_form(engine, typed):
    found = engine.call("all => all.map(texts.cleanText)", typed)
    assert found == [clean_text(text) for text in typed]
    for name, kind in (("storybook", DATA), ("others", datasets.Dataset)):
        for does, function in (
            ("readText", kind.read_text),
            ("splitText", kind.split_text),
        ):
            script = f"all => all.map(text => texts.{name}.{does}(text))"
            assert engine.call(script, typed) == [*map(function, typed)]


def test_half_a_character_is_refused(engine):
    with pytest.raises(JSEvalException, match="lone surrogates, got one at"):
        engine.evaluate("texts.cleanText('ab\\ud83d')")


def test_words_have_the_same_ids(engine, typed):
    for language in pretrained.LANGUAGES:
        source = pretrained.load(language).source
        lines = [DATA.read_text(text) for text in typed]
        script = f"all => all.map(text => {language}.source.encode(text))"
        ids = engine.call(script, lines)
        assert ids == [source.encode(line) for line in lines]
        script = f"all => all.map(ids => {language}.source.decode(ids))"
        assert engine.call(script, ids) == [source.decode(row) for row in ids]


def test_translations_are_written_as_sentences(engine):
    for language in pretrained.LANGUAGES:
        target = pretrained.load(language).target
        pairs = storybook.draw(language, 2000, seed=61)
        ids = [target.encode(" ".join(pair.target)) for pair in pairs]
        script = f"""all => all.map(ids => {language}.data.writeText(
          {language}.target.decode([1, 0, ...ids, 2, 5]), "{language}"))"""
        wanted = [DATA.write_text(target.decode(i), language) for i in ids]
        assert engine.call(script, ids) == wanted
    assert engine.evaluate("fr.data.writeText('', 'fr')") == ""


def test_unknown_words_are_found_where_they_stand(engine, typed):
    translator = pretrained.load("fr")
    found = engine.call("all => all.map(text => fr.findUnknown(text))", typed)
    plain = [t for t in typed if clean_text(t) == t]
    assert len(plain) > 2000
    for text, places in zip(typed, found, strict=True):
        if clean_text(text) == text:
            words = {word for place in places for word in place["words"]}
            read = DATA.read_text(text)
            assert sorted(words) == find_unknown_words(translator, [read])
    text = "The BLORP isn't hungry, zyzz!"
    found = engine.call("text => fr.findUnknown(text)", text)
    assert [(text[p["start"] : p["end"]], p["words"]) for p in found] == [
        ("BLORP", ["blorp"]),
        ("zyzz", ["zyzz"]),
    ]


def test_known_words_are_offered(engine):
    """Frequent ones first, and only where something was begun."""
    call = "(text, caret) => fr.suggest(text, caret, 3)"
    words = pretrained.load("fr").source.words
    found = engine.call(call, "The AN is", 6)
    wanted = [w for w in words if w.startswith("an") and w != "an"][:3]
    assert found == {"start": 4, "end": 6, "words": wanted}
    assert wanted[0] == "and"
    for text in ("", "The ", "The '"):
        assert engine.call("text => fr.suggest(text)", text)["words"] == []


def test_a_sentence_is_translated_as_the_package_does(engine):
    for language in pretrained.LANGUAGES:
        translator = pretrained.load(language)
        typed = ["The animal didn’t cross the street because it was too tired"]
        typed += [
            "Is the blorp hungry",
            "The dog gave the cat a very big hat.",
        ]
        read = [DATA.read_text(text) for text in typed]
        for width in (1, 5):
            script = f"all => all.map(text => {language}.translate(text, "
            found = engine.call(f"{script} {{width: {width}}}))", typed)
            for row, line in zip(found, read, strict=True):
                ((text, least),) = translator.translate_surely([line], width)
                assert row["sentence"] == DATA.write_text(text, language)
                assert row["least"] == pytest.approx(least, abs=1e-4)
                unknown = find_unknown_words(translator, [line])
                sure = least >= translator.sure_from and not unknown
                assert row["isSure"] == sure


def test_what_holds_an_unknown_word_is_never_sure(engine):
    typed = ["The dog sleeps.", "The blorp sleeps."]
    script = """all => all.map(text => new texts.Translator(fr.model,
      fr.source, fr.target, "storybook", "fr").translate(text).isSure)"""
    assert engine.call(script, typed) == [True, False]


@pytest.mark.parametrize("text", ["", "the " * 64])
def test_a_sentence_that_does_not_fit_is_refused(engine, text):
    with pytest.raises(JSEvalException, match="a sentence of 1 to 63 tokens"):
        engine.evaluate(f"fr.encode({json.dumps(text)})")


# ---- Byte pairs ------------------------------------------------------------


@pytest.fixture(scope="module")
def pairs(engine, typed):
    vocabulary = BytePairs.learn([*typed[:300], *ODD * 3], 300)
    merges = json.dumps(vocabulary.merges)
    engine.racer.eval(f"var pairs = new texts.BytePairs({merges}); 0")
    return vocabulary


def test_byte_pairs_have_the_same_ids(engine, typed, pairs):
    assert engine.evaluate("pairs.length") == len(pairs) == 560
    found = engine.call("all => all.map(text => pairs.encode(text))", typed)
    assert found == [pairs.encode(text) for text in typed]


def test_any_row_of_ids_is_written_alike(engine, pairs):
    """Halves of characters too, and special tokens."""
    rng = random.Random(60)
    rows = [rng.choices(range(len(pairs)), k=9) for _ in range(2000)]
    rows += [rng.choices(range(132, 260), k=6) for _ in range(2000)]
    rows += [rng.choices((228, 244, 132, 148, 164, 180), k=5) for _ in rows]
    found = engine.call("rows => rows.map(ids => pairs.decode(ids))", rows)
    assert found == [pairs.decode(row) for row in rows]
    every = list(range(len(pairs)))
    assert engine.call("ids => pairs.tokens(ids)", every) == pairs.tokens(
        every
    )


@pytest.mark.parametrize(
    "merges", [[[3, 5]], [[5, 260]], [[5, 6], [5, 6]], [[5]]]
)
def test_merges_that_cannot_be_are_refused(engine, merges):
    wanted = "expected two ids from 4 to 2.. that were not merged before for"
    with pytest.raises(JSEvalException, match=wanted):
        engine.evaluate(f"new texts.BytePairs({merges}).length")
    with pytest.raises(ValueError, match=wanted):
        BytePairs(merges)


# ---- The folder of a run ---------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        (
            "config.json",
            None,
            "a folder of attnbook train with config.json, got",
        ),
        ("model.safetensors", None, "with model.safetensors, got none"),
        ("source.json", "{", "expected JSON in source.json, got "),
        (
            "config.json",
            "null",
            "expected the config.json of a transformer, got",
        ),
        (
            "config.json",
            '{"kind": "recurrent", "model": {}}',
            "of a transformer, got recurrent",
        ),
        (
            "target.json",
            '{"kind": "bytes"}',
            "words or merges in target.json, got",
        ),
        (
            "target.json",
            '{"kind": "words", "words": ["a"]}',
            "expected 1232 tokens in target.json, as in config.json, got 5",
        ),
        (
            "source.json",
            '{"kind": "words", "words": ["a", "a"]}',
            "expected distinct words, got one twice",
        ),
        (
            "source.json",
            '{"kind": "words", "words": [7]}',
            "expected words as text, got others",
        ),
        (
            "source.json",
            '{"kind": "merges", "merges": [null]}',
            "expected two ids from 4 to 259 that were not merged before",
        ),
    ],
)
def test_a_folder_that_is_none_is_refused(engine, name, content, words):
    folder = pretrained.find_model("fr")
    texts = {p.name: p.read_text("utf-8") for p in folder.glob("*.json")}
    texts["model.safetensors"] = "left out"
    texts[name] = content
    with pytest.raises(JSEvalException, match=words):
        engine.evaluate(f"texts.openTranslator({json.dumps(texts)})")
