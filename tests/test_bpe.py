import gzip
import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

from attnbook.data import multi30k
from attnbook.data.bpe import FIRST_MERGE, BytePairs, merge_step, split
from attnbook.data.characters import MARKS
from attnbook.data.paircounts import PairCounts, replace_pair
from attnbook.data.vocabulary import BOS, EOS, PAD, SPECIALS, UNK

TEXTS = [
    "The animal didn't cross the street because it was too tired.",
    "The animal didn't cross the street because it was too wide.",
    "Zwei junge Männer im Freien in der Nähe von Büschen; größer, süßer.",
    "Zwei Männer überqueren die Straße, weil das Fußballspiel beginnt.",
    "L'animal n'a pas traversé la rue parce qu'il était trop fatigué.",
    "L'école où la sœur a reçu une leçon de français : « déjà » !",
    "동물은 너무 피곤해서 길을 건너지 않았다. 동물은 길이 너무 넓었다.",
    "aaaa aaa aa aaaaaaa abab ababab 1000 10000 100000 ... ......",
]
NASTY = [
    "",
    " ",
    "\t",
    "\n",
    "\r\n",
    "a\r\nb\rc\n",
    "   three  spaces   ",
    "a \t b\u00a0c\u2028d\u3000e\x85f\x1cg",
    "\u00a0",
    "\ufeffmark",
    "\x00\x01\x7f",
    "<eos>",
    "<pad><bos> <eos> <unk>",
    "e\u0301 o\u0308 a\u0308\u0323",  # combining marks
    "\u0301",
    "\u1112\u1161\u11ab",  # Korean in single letters
    "👩‍👩‍👧‍👦 👍🏽 🇰🇷",
    "x\u200dy\u200by\u202ez",
    "a_b __init__ _",
    "m² ½ Ⅷ ٣ 3,5 1.000",
    "\U0010ffff\ufffd\uffff",
    "\u2581<0x0A>\\xc3",
]


@pytest.fixture(scope="module")
def pairs():
    return BytePairs.learn(TEXTS, 80)


def random_text(draw):
    """Draw up to 30 characters of any kind, no surrogates."""
    ranges = [(0, 0x7F), (0, 0x24F), (0x300, 0x36F), (0x1100, 0xD7FF)]
    ranges += [(0xE000, 0x10FFFF), (0x20, 0x20), (0x9, 0xD)]
    return "".join(
        chr(draw.randint(*draw.choice(ranges)))
        for _ in range(draw.randint(0, 30))
    )


def slow_merges(texts, rounds, smallest_count=2):
    """Learn by repeated `merge_step`; return pairs of bytes and words."""
    words = {}
    for text in texts:
        for piece in split(text):
            word = tuple(bytes([byte]) for byte in piece.encode())
            words[word] = words.get(word, 0) + 1
    merges = []
    for _ in range(rounds):
        pair, merged = merge_step(words)
        times = sum(
            n * ((a, b) == pair)
            for word, n in words.items()
            for a, b in zip(word, word[1:], strict=False)
        )
        if times < smallest_count:
            break
        merges.append(pair)
        words = merged
    return merges, words


def bytes_of(pairs):
    """Return the merges as pairs of bytes."""
    return [(pairs.bytes[a], pairs.bytes[b]) for a, b in pairs.merges]


def test_a_text_is_cut_before_its_words():
    text = "It's   3 o'clock,\n\tfoo_bar ü2"
    assert split(text) == (
        ["It", "'", "s", "  ", " 3", " o", "'", "clock", ",", "\n"]
        + ["\t", "foo", "_", "bar", " ü", "2"]
    )


@pytest.mark.parametrize(
    "word",
    [
        "\u0915\u094d\u0937\u0924\u094d\u0930\u093f\u092f",  # Hindi
        "\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35",  # Thai
        "\u0ba4\u0bae\u0bbf\u0bb4\u0bcd",  # Tamil
        "\u05e9\u05c1\u05b8\u05dc\u05d5\u05b9\u05dd",  # pointed Hebrew
        "\u0643\u064e\u062a\u064e\u0628\u064e",  # vowelled Arabic
        "\u1019\u103c\u1014\u103a\u1019\u102c",  # Burmese
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",  # Persian, joiner
        "\u0915\u094d\u200d\u0937",  # Hindi, joiner
        "e\u0301te\u0301",
        "\U00011013\U00011038",  # Brahmi
    ],
)
def test_a_mark_follows_its_letter(word):
    assert split(f"{word} {word}.") == [word, f" {word}", "."]


def test_a_mark_follows_digits_and_signs_too():
    assert split("a 1\ufe0f\u20e32 !\u0301b \u0301") == (
        ["a", " 1\ufe0f\u20e32", " !\u0301", "b", " \u0301"]
    )


def test_texts_without_marks_are_cut_as_ever():
    """So what was learned from them stays as it was."""
    before = re.compile(r" ?[^\W\d_]+| ?\d+| ?(?:[^\w\s]|_)+|\s+(?!\S)|\s")
    draw = random.Random(8)
    for text in [*TEXTS, *(random_text(draw) for _ in range(300))]:
        plain = re.sub(f"[{MARKS}]", "", text)
        assert split(plain) == before.findall(plain)


def test_the_pieces_of_all_characters_are_the_text():
    every = [chr(i) for i in range(0x110000) if not 0xD800 <= i < 0xE000]
    for text in ("".join(every), " ".join(every)):
        pieces = split(text)
        assert "".join(pieces) == text and all(pieces)


def test_letters_stand_apart_from_digits_and_signs():
    draw = random.Random(4)
    for _ in range(200):
        for piece in split(random_text(draw)):
            kinds = {
                0 if c.isspace() else 1 if c.isalpha() else 2
                for c in piece.removeprefix(" ")
            }
            digits = {
                c.isdecimal()
                for c in piece.removeprefix(" ")
                if c not in MARKS
            }
            assert len(digits) <= 1, piece
            if 1 in kinds:  # what is left: numerals as in "m²"
                rest = [c for c in piece.removeprefix(" ") if not c.isalpha()]
                rest = [c for c in rest if c not in MARKS]
                assert all(c.isnumeric() for c in rest), piece


def test_one_step_merges_the_most_frequent_pair():
    words = {tuple("low"): 5, tuple("lower"): 2, tuple("newest"): 6}
    words[tuple("widest")] = 3
    pair, words = merge_step(words)
    assert pair == ("e", "s")  # 9 times, as (s, t) and before it
    assert words[("n", "e", "w", "es", "t")] == 6
    assert merge_step(words)[0] == ("es", "t")


def test_a_step_counts_words_and_stays_within_them():
    # within words: (a, b) once; across words (b, a) would be twice
    words = {("a", "b"): 1, ("a",): 5}
    assert merge_step(words) == (("a", "b"), {("ab",): 1, ("a",): 5})
    words = {("x", "y"): 3, ("a", "b"): 2, ("c", "a", "b"): 2}
    assert merge_step(words)[0] == ("a", "b")


def test_overlapping_pairs_are_merged_from_the_left():
    assert merge_step({tuple("aaaaa"): 1})[1] == {("aa", "aa", "a"): 1}
    assert replace_pair([1, 1, 1, 2, 1, 1], (1, 1), 9) == [9, 1, 2, 9]
    assert replace_pair([1, 2, 1, 2, 2], (1, 2), 9) == [9, 9, 2]


def test_words_that_become_the_same_are_counted_together():
    assert merge_step({("a", "b"): 2, ("ab",): 3})[1] == {("ab",): 5}


def test_a_step_needs_a_pair():
    with pytest.raises(ValueError, match="word of two symbols, got none"):
        merge_step({("a",): 3})


@pytest.mark.parametrize("smallest_count", [1, 2, 3, 7])
def test_the_learner_does_what_repeated_steps_do(smallest_count):
    fast = BytePairs.learn(TEXTS, 120, smallest_count)
    slow, words = slow_merges(TEXTS, 120, smallest_count)
    assert bytes_of(fast) == slow
    for word in words:  # encoding ends where the learner ended
        ids = fast.encode(b"".join(word).decode())
        assert tuple(fast.bytes[i] for i in ids) == word


def test_the_learner_does_the_same_on_random_words():
    draw = random.Random(5)
    for letters in ("a", "ab", "abc", "가나"):
        texts = [
            "".join(draw.choices(letters, k=draw.randint(1, 9)))
            for _ in range(40)
        ]
        fast = BytePairs.learn(texts, 60, 1)
        try:
            slow, _ = slow_merges(texts, 60, 1)
        except ValueError:  # nothing left to merge
            slow, _ = slow_merges(texts, len(fast.merges), 1)
        assert bytes_of(fast) == slow


def test_counts_stay_those_of_a_recount():
    counts = PairCounts({(1, 1, 1, 0): 2, (0, 1, 1, 0, 1): 3}, [b"x", b"y"])
    pair, times = counts.most_frequent()
    assert (pair, times) == ((1, 1), 7)
    counts.merge(pair)
    assert counts.words == [[2, 1, 0], [0, 2, 0, 1]]
    left = {pair: n for pair, n in counts.counts.items() if n}
    assert left == {(2, 1): 2, (1, 0): 2, (0, 2): 3, (2, 0): 3, (0, 1): 3}
    assert counts.most_frequent() == ((0, 1), 3)  # x y, before x yy


def test_ties_are_broken_by_the_bytes_not_the_ids():
    pairs = BytePairs.learn(["zz", "aab"] * 3, 9)
    # aa has a higher id than z, but its bytes come first
    assert bytes_of(pairs) == [(b"a", b"a"), (b"aa", b"b"), (b"z", b"z")]


def test_no_two_tokens_have_the_same_bytes(pairs):
    assert len(set(pairs.bytes[len(SPECIALS) :])) == 256 + len(pairs.merges)


def test_there_is_one_id_per_special_byte_and_merge(pairs):
    assert len(pairs) == FIRST_MERGE + 80 == 4 + 256 + 80
    assert BytePairs([]).encode("aé") == [4 + 97, 4 + 0xC3, 4 + 0xA9]
    assert BytePairs([(101, 102), (260, 103)]).encode("abc") == [261]


def test_fewer_merges_are_learned_when_nothing_repeats():
    assert BytePairs.learn(["abc"], 50).merges == []
    assert BytePairs.learn([], 50).merges == []
    assert bytes_of(BytePairs.learn(["ab ab"], 50, 1)) == [
        (b"a", b"b"),
        (b" ", b"ab"),
    ]
    assert len(BytePairs.learn(["ab", "ab"], 50)) == FIRST_MERGE + 1
    assert BytePairs.learn(TEXTS, 0).merges == []


@pytest.mark.parametrize("text", NASTY + TEXTS)
def test_every_text_comes_back(pairs, text):
    for vocabulary in (pairs, BytePairs([])):
        ids = vocabulary.encode(text)
        assert vocabulary.decode(ids) == text
        assert all(type(i) is int and i > UNK for i in ids)
        assert vocabulary.encode(text) == ids  # now from memory


def test_random_texts_come_back(pairs):
    draw = random.Random(6)
    for _ in range(500):
        text = random_text(draw)
        ids = pairs.encode(text)
        assert pairs.decode(ids) == text
        assert all(i > UNK for i in ids)
        assert pairs.decode([BOS, *ids, EOS, PAD]) == text


def test_learning_from_nasty_texts_keeps_them():
    pairs = BytePairs.learn(NASTY * 2, 300)
    assert [pairs.decode(pairs.encode(text)) for text in NASTY] == NASTY


def test_known_texts_get_short(pairs):
    assert len(split(TEXTS[0])) == 14
    assert len(pairs.encode(TEXTS[0])) < 0.6 * len(TEXTS[0].encode())


def test_what_is_remembered_is_limited(pairs, monkeypatch):
    monkeypatch.setattr("attnbook.data.bpe.CACHED", 3)
    small = BytePairs(pairs.merges)
    assert [small.encode(t) for t in TEXTS] == [pairs.encode(t) for t in TEXTS]
    assert len(small._known) <= 3


def test_changing_an_encoding_changes_no_later_one(pairs):
    ids = pairs.encode("street")
    ids.append(EOS)
    assert pairs.encode("street") == ids[:-1]


def test_decoding_drops_pad_and_bos_and_stops_at_eos(pairs):
    ids = pairs.encode("the street")
    assert pairs.decode([BOS, PAD, *ids, EOS, *ids]) == "the street"
    assert pairs.decode([UNK, *ids, UNK]) == "<unk>the street<unk>"


def test_broken_bytes_become_replacement_characters():
    pairs = BytePairs([])
    assert pairs.decode([4 + 0xC3]) == "\ufffd"
    assert pairs.decode([4 + 97, 4 + 0xFF, 4 + 98]) == "a\ufffdb"


def test_labels_can_be_read_and_drawn():
    pairs = BytePairs.learn([" straße 길"] * 2, 3, 1)
    plain = BytePairs([])
    assert plain.tokens([PAD, BOS, EOS, UNK]) == list(SPECIALS)
    assert plain.tokens(plain.encode(" a\n")) == ["\u2581", "a", "\\n"]
    assert plain.tokens(plain.encode("é")) == ["\\xc3", "\\xa9"]
    assert plain.tokens(plain.encode("\\")) == ["\\"]
    labels = pairs.tokens(pairs.encode(" straße 길"))
    figure, ax = plt.subplots()
    ax.set_xticks(range(len(labels)), labels)
    figure.canvas.draw()  # a missing glyph would warn


def test_saved_and_loaded_it_is_the_same(pairs, tmp_path):
    pairs.save(tmp_path / "pairs.json")
    again = BytePairs.load(tmp_path / "pairs.json")
    assert again.merges == pairs.merges and again.bytes == pairs.bytes
    for text in TEXTS + NASTY:
        assert again.encode(text) == pairs.encode(text)
    again.save(tmp_path / "again.json")
    first, second = (tmp_path / f"{n}.json" for n in ("pairs", "again"))
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_disk_leaves_the_old_vocabulary(pairs, tmp_path):
    path = tmp_path / "pairs.json"
    pairs.save(path)
    (tmp_path / f"pairs.json.{os.getpid()}.part").symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left"):
        BytePairs([]).save(path)
    with pytest.raises(NotADirectoryError):
        BytePairs([]).save(path / "below")
    assert BytePairs.load(path).merges == pairs.merges
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("seed", ["0", "1", "12345"])
def test_another_process_learns_the_same_without_torch(pairs, seed):
    code = (
        "import json, sys\n"
        "from attnbook.data.bpe import BytePairs\n"
        "texts = json.loads(sys.stdin.read())\n"
        "pairs = BytePairs.learn(texts, 80)\n"
        "ids = [pairs.encode(text) for text in texts]\n"
        "print(json.dumps([pairs.merges, ids, 'torch' in sys.modules]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(TEXTS),
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONHASHSEED": seed},
    )
    merges, ids, torch = json.loads(done.stdout)
    assert merges == [list(pair) for pair in pairs.merges]
    assert ids == [pairs.encode(text) for text in TEXTS]
    assert not torch


@pytest.mark.parametrize(
    ("merges", "message"),
    [
        ([(3, 4)], r"two ids from 4 to 259 .* for id 260, got \(3, 4\)"),
        ([(4, 260)], r"for id 260, got \(4, 260\)"),
        ([(4, 5), (260, 261)], "from 4 to 260 .* for id 261"),
        ([(4, 5), (4, 5)], "not merged before for id 261"),
        ([(4, 5, 6)], "expected two ids"),
        ([(4, 5.0)], "expected two ids"),
        ([(4, True)], "expected two ids"),
        (["ab"], "got 'ab'"),
        ([4], "got 4"),
        ([[4, [5]]], "expected two ids"),
    ],
)
def test_impossible_merges_are_refused(merges, message):
    with pytest.raises(ValueError, match=message):
        BytePairs(merges)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ab\ud800", r"got '\\ud800' at position 2"),
        (b"a", "expected text as str, got bytes"),
        (None, "got NoneType"),
    ],
)
def test_what_is_no_text_is_refused(pairs, text, message):
    for function in (pairs.encode, split, lambda t: BytePairs.learn([t], 1)):
        with pytest.raises(ValueError, match=message):
            function(text)


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ([340], "expected ids from 0 to 339, got 340"),
        ([EOS, -1], "got -1"),
        ([5.5], "integer ids"),
    ],
)
def test_ids_of_no_token_are_refused(pairs, ids, message):
    for function in (pairs.decode, pairs.tokens):
        with pytest.raises(ValueError, match=message):
            function(ids)


def test_learning_refuses_what_is_no_corpus():
    with pytest.raises(ValueError, match="iterable of texts, got one str"):
        BytePairs.learn("the street", 5)
    with pytest.raises(ValueError, match="merges of at least 0, got -1"):
        BytePairs.learn(TEXTS, -1)
    with pytest.raises(ValueError, match="at least 1, got 0"):
        BytePairs.learn(TEXTS, 5, 0)


def test_the_real_corpus_comes_back():
    if not os.environ.get("ATTNBOOK_DATA"):
        pytest.skip("ATTNBOOK_DATA, the folder of Multi30k, is not set")
    lines = []
    for path in sorted(multi30k.find_folder().glob("*.gz")):
        text = gzip.decompress(path.read_bytes()).decode("utf-8")
        lines += text.split("\n")  # outer blanks and all
    assert len(lines) > 2000
    assert not set(MARKS) & set("".join(lines))  # cut as ever, see above
    pairs = BytePairs.learn(lines[:2000], 300)
    ids = [pairs.encode(line) for line in lines]
    assert [pairs.decode(i) for i in ids] == lines
    assert min(min(i) for i in ids if i) > UNK
