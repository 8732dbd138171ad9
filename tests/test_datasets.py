import unicodedata

import pytest

from attnbook.command import main
from attnbook.data import datasets
from attnbook.data.bpe import BytePairs
from attnbook.data.characters import clean_text
from attnbook.data.datasets import storybook
from attnbook.data.vocabulary import WordVocabulary

TOY = """
from attnbook.data.datasets.base import Dataset


class Toy(Dataset):
    name = "toy"
    about = "words and their mirror images"
    options = {"--copies": {"type": int, "help": "how many"}}

    @classmethod
    def load(cls, source, target, report=print, copies=None):
        report(f"{copies} words")
        pairs = [(w, w[::-1]) for w in ("ab", "abc", "bca", "cab")] * copies
        return cls(source, target, pairs, pairs[:4], [])
"""
SMALL = ["--d-model", "16", "--d-ff", "16", "--heads", "2", "--layers", "1"]
SMALL += ["--merges", "3", "--steps", "2", "--device", "cpu"]
SMALL += ["--precision", "fp32"]


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """One more file in the folder of datasets."""
    (tmp_path / "toy.py").write_text(TOY)
    folders = [*datasets.__path__, str(tmp_path)]
    monkeypatch.setattr(datasets, "__path__", folders)
    monkeypatch.setattr(datasets, "DATASETS", datasets.find_all())


def test_a_new_file_is_a_dataset_of_the_command(toy, tmp_path, capsys):
    folder = str(tmp_path / "run")
    words = ["train", "--data", "toy", "--copies", "5", "--out", folder]
    assert main.main([*words, *SMALL]) == 0
    said = capsys.readouterr()
    assert "5 words" in said.err
    assert "toy en->fr: 20 pairs" in said.err
    assert main.main(["data", "toy", "--copies", "2"]) == 0
    assert "train        8 pairs" in capsys.readouterr().out


def test_a_dataset_may_be_made_from_another(tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(
        "from attnbook.data.datasets.files import Files\n"
        "class Mine(Files):\n    name = 'mine'\n"
    )
    folders = [*datasets.__path__, str(tmp_path)]
    monkeypatch.setattr(datasets, "__path__", folders)
    found = datasets.find_all()
    assert found["mine"].__name__ == "Mine"
    assert found["files"].__name__ == "Files"


def test_an_option_means_the_same_with_every_dataset(toy, capsys):
    datasets.DATASETS["toy"].options = dict(datasets.find("files").options)
    assert main.main(["data", "storybook"]) == 0
    datasets.DATASETS["toy"].options = {"--train": {"help": "one file"}}
    with pytest.raises(TypeError, match="expected --train of toy as another"):
        main.main(["data", "storybook"])


def test_other_pairs_have_another_fingerprint():
    one = datasets.Dataset("en", "fr", [("a", "b"), ("c", "d")], [], [])
    two = datasets.Dataset("en", "fr", [("a", "d"), ("c", "b")], [], [])
    assert one.fingerprint() != two.fingerprint()
    assert one.fingerprint("valid") == two.fingerprint("valid")
    three = datasets.Dataset("en", "fr", one.train, one.train, [])
    assert one.fingerprint("valid") != three.fingerprint("valid")


def test_the_storybook_has_words_and_settings_of_its_own():
    book = datasets.load("storybook", "en", "ko", pairs=5000)
    assert book.training == {"steps": 1600, "learning_rate": 4e-3}
    assert all(map(len, (book.train, book.valid, book.test)))
    source, target = book.learn_vocabularies(8000)
    assert isinstance(source, WordVocabulary) and len(source) < 1000
    assert source is not target
    assert len(set(book.train)) < len(book.train) == 5000
    pairs = [*book.train, *book.test]
    assert all(clean_text(text) == text for pair in pairs for text in pair)
    assert not set(book.train) & {*book.valid, *book.test}
    assert book.write_text("the dog .", "en") == "The dog."
    assert len(book.examples()) == 2


def test_the_storybook_is_drawn_once_and_each_has_its_own(monkeypatch):
    first = datasets.load("storybook", "en", "ko").test
    monkeypatch.setattr(storybook.storybook, "splits", None)
    second = datasets.load("storybook", "en", "ko").test
    assert first == second and len(second) == 1000
    first.clear()
    assert len(second) == 1000
    assert len(datasets.load("storybook", "en", "ko").test) == 1000


def test_the_parts_are_the_grammars_whichever_is_drawn(monkeypatch):
    """The pairs to train on are drawn only when they are looked at."""
    asked = []

    def splits(language, **sizes):
        asked.append(sizes["train"])
        return original(language, **sizes)

    original = storybook.storybook.splits
    storybook.draw_texts.cache_clear()
    monkeypatch.setattr(storybook.storybook, "splits", splits)
    book = datasets.load("storybook", "en", "fr", seed=1, pairs=3000)
    whole = original("fr", train=4000, seed=1, held_out=2)
    for name, size in (("test", 1000), ("valid", 500), ("train", 3000)):
        pairs = [(p.source, p.target) for p in whole[name][:size]]
        assert getattr(book, name) == [
            (" ".join(source), " ".join(target)) for source, target in pairs
        ]
        assert asked == ([1] if name != "train" else [1, 3000])
    assert datasets.load("storybook", "en", "fr").pairs == 80_000
    with pytest.raises(ValueError, match="expected pairs as a .* 1, got 0"):
        datasets.load("storybook", "en", "fr", pairs=0)
    storybook.draw_texts.cache_clear()


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        (" The dog isn\u2019t big. ", ["the dog is not big ."]),
        ("it's a dog", ["it is a dog ."]),
        ("the dog's cat", ["the dog 's cat ."]),
        ("I'm sad!", ["i am sad ."]),
        ("You're kind...", ["you are kind ."]),
        ("She won't, she can't, she cannot",
         ["she will not , she can not , she can not ."]),
        ("\u201cThe king\u2019s dog doesn't sing.\u201d",
         ["the king 's dog does not sing ."]),
        ("can you swim", ["can you swim ?"]),
        ("Is it a dog??", ["is it a dog ?"]),
        ("We'll run. Are they sad?  It\u00a0ran",
         ["we will run .", "are they sad ?", "it ran ."]),
        ("tomorrow she will sing", ["tomorrow , she will sing ."]),
        ("yesterday", ["yesterday ."]),
        ("\u200bI am a stu\xaddent.\ufeff", ["i am a student ."]),
        ("The Cafe\u0301", ["the café ."]),
        ("", []),
        (" ... ! ", []),
        ("\u200b. \xad", []),
    ],
)  # fmt: skip
def test_the_storybook_reads_what_people_type(typed, read):
    kind = datasets.find("storybook")
    assert [kind.read_text(text) for text in kind.split_text(typed)] == read


def test_the_storybook_knows_its_kinds_words_and_rules():
    book = datasets.load("storybook", "en", "ko")
    assert "naming" in book.kinds and "train" not in vars(book)
    pairs = book.of_kind("naming", 10)
    assert len(pairs) == 10 and all(source for source, _ in pairs)
    with pytest.raises(ValueError, match="expected a kind of .*'noun'"):
        book.of_kind("noun", 1)
    assert "frog" in book.words()["animal nouns"]
    assert "hungry" in book.words()["adjectives"]
    assert "너" in book.rules()
    assert "tu" in datasets.load("storybook", "en", "fr").rules()


def test_others_share_byte_pairs_and_keep_text_as_it_is(tmp_path):
    for name, line in (("a", "ab ba"), ("b", "ba ab")):
        (tmp_path / name).write_text(f"{line}\n" * 100)
    paths = [str(tmp_path / name) for name in ("a", "b")]
    own = datasets.load("files", "x", "y", train=paths)
    assert (len(own.train), len(own.valid), own.test) == (98, 2, [])
    source, target = own.learn_vocabularies(2)
    assert source is target and isinstance(source, BytePairs)
    assert own.write_text(own.read_text(" Ab \n"), "y") == "Ab"
    assert own.examples() == ["ab ba"] * 2


def test_what_is_odd_about_files_is_said(tmp_path):
    lines = [f"{i // 2}" for i in range(100)]  # each twice
    for name, at in (("a", 10), ("b", 20)):
        odd = [" \u200b" if i == at else line for i, line in enumerate(lines)]
        (tmp_path / name).write_text("\n".join(odd))
    paths = [str(tmp_path / name) for name in ("a", "b")]
    said = []
    own = datasets.load("files", "x", "y", report=said.append, train=paths)
    assert (len(own.train), len(own.valid)) == (96, 2)
    assert said[0].startswith("left out 2 of 100 pairs, because a side is em")
    assert f"lines 11, 21 of {paths[0]} and" in said[0]
    assert said[1].startswith("warning: 2 of 2 validation pairs stand in the")
    datasets.load(
        "files", "x", "y", report=said.append, train=paths, valid=paths
    )
    assert said[4].startswith("warning: 98 of 98 validation pairs")
    assert len(said) == 5  # of both pairs of files, and of the warning


def test_accents_in_two_forms_are_one_text(tmp_path):
    loaded = []
    for form in ("NFC", "NFD"):
        for name, line in (("a", "Bücher"), ("b", "한국의 élève")):
            text = unicodedata.normalize(form, f"{line}\n" * 50)
            (tmp_path / name).write_text(text)
        paths = [str(tmp_path / name) for name in ("a", "b")]
        loaded.append(datasets.load("files", "x", "y", train=paths))
    one, two = loaded
    assert one.train == two.train and one.fingerprint() == two.fingerprint()
    merges = [own.learn_vocabularies(40)[0].merges for own in loaded]
    assert merges[0] == merges[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("tatoeba", "en", "fr"), "expected data of .*'files'.*'tatoeba'"),
        (("storybook", "en", "de"), "from en to fr or ko, got en to de"),
        (("files", "en", "fr"), "--train SOURCE TARGET with.*got none"),
    ],
)
def test_what_is_not_there_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        datasets.load(*arguments)
