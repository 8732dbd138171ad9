"""Check of the task to number the words of a training text."""

from collections import Counter

from attnbook.checks.build_vocab_mistakes import wrong_vocabularies
from attnbook.checks.engine.calling import call
from attnbook.checks.engine.verdict import Mistake, checker

SPECIALS = ("<pad>", "<bos>", "<eos>", "<unk>")
# Neither the usual ones nor sorted, and too many for a set's lucky order.
OTHERS = ("<unk>", "</s>", "<s>", "<ko>", "<en>", "<mask>", "<cls>", "<fr>")
OTHERS += ("<de>", "<sep>", "<empty>", "<date>")
TEXT = (
    "wolf and moon and the hill",
    "the old frog sang to the moon over hill and well",
    "then every bird sang because fish grew kind",
    "the wolf ran on and on to the hill",
)
HELP = "specials may be a tuple or a list; [*specials, *words] takes both"
STAGES = (
    ("", TEXT, SPECIALS),
    (
        "right for one list of specials, but not for another: ",
        ("you saw two kites", "two owls saw three kites by the lake"),
        OTHERS,
    ),
    (
        "right, but not for a text with capitals and commas: ",
        (
            "The cat, the dog and Tom",
            "the dog sees the cat",
            "Don't come, dog!",
        ),
        SPECIALS,
    ),
    (
        "right, but not where spaces stand twice or at an end: ",
        ("  two  spaces ", "", "two   here"),
        SPECIALS,
    ),
    (
        "right, but not where a word of the text is spelled like a special: ",
        ("a page about <eos> says <eos> and <eos> again", "a page"),
        SPECIALS,
    ),
    (
        "right, but not where words only look like the specials: ",
        (
            "a <b> tag and <eos> and <EOS> <UNK> <unk>",
            "2<3 dog, cat <3 <date> <eos>",
        ),
        OTHERS,
    ),
    (
        "right, but not where equally frequent words differ in their signs: ",
        ("dog, dog! cat \"owl dog'", "bee ant. ant bee"),
        SPECIALS,
    ),
    (
        "right for a tuple of specials, but not for a list: ",
        ("the wolf and the owl", "an owl"),
        list(OTHERS),
    ),
    ("right, but not without any sentence: ", (), SPECIALS),
)


def right_names(sentences, specials):
    """Return all tokens in the order of their ids."""
    counts = Counter(word for text in sentences for word in text.split())
    words = sorted(counts, key=lambda word: (-counts[word], word))
    return [*specials, *(word for word in words if word not in specials)]


def judge_type(vocab):
    """Raise a mistake if this is no dict of token -> id."""
    if not isinstance(vocab, dict):
        raise Mistake(
            f"you return a {type(vocab).__name__}; return a dict of token -> "
            "id"
        )
    if vocab and all(isinstance(key, int) for key in vocab):
        raise Mistake(
            "your dict goes from id to token; it must go from token to id"
        )
    for token, i in vocab.items():
        if not isinstance(token, str):
            raise Mistake(
                f"the keys must be tokens, str, not {type(token).__name__}"
            )
        if type(i) is not int:
            raise Mistake(
                f"the ids must be whole numbers, int, not {type(i).__name__}"
            )


def judge_tokens(vocab, names, specials):
    """Raise a mistake in which tokens there are."""
    missing = [name for name in specials if name not in vocab]
    if missing:
        raise Mistake(
            f"the special {missing[0]!r} has no id; all specials that are "
            "given come first"
        )
    missing = [name for name in names if name not in vocab]
    if missing:
        raise Mistake(f"the word {missing[0]!r} of the text has no id")
    if "" in vocab:
        raise Mistake(
            "the empty word has an id; split() without an argument never "
            "makes one"
        )
    extra = [name for name in vocab if name not in names]
    if extra:
        raise Mistake(
            f"{extra[0]!r} has an id, but is neither a given special nor a "
            "word of these sentences (left over from an earlier call?)"
        )


def judge_ids(vocab, specials):
    """Raise a mistake in which ids there are, whatever they belong to."""
    ids = sorted(vocab.values())
    if len(set(ids)) < len(ids):
        raise Mistake("two tokens share one id; decoding could not work")
    if ids != list(range(len(ids))):
        raise Mistake(
            "the ids must run from 0 without a gap; yours start at "
            f"{ids[0]} and end at {ids[-1]} for {len(ids)} tokens"
        )
    first = sorted(vocab, key=vocab.get)[: len(specials)]
    if set(first) != set(specials):
        raise Mistake("the specials must have the first ids")
    if first != list(specials):
        raise Mistake("the specials must keep the order in which they come")


def judge_order(vocab, names, sentences, specials):
    """Raise a mistake in the order of the words."""
    got = sorted(vocab, key=vocab.get)
    if got == names:
        return
    counts = Counter(word for text in sentences for word in text.split())
    numbers = [counts[word] for word in got[len(specials) :]]
    if numbers == sorted(numbers, reverse=True):
        raise Mistake(
            "words of equal count stand in an order that is neither "
            "alphabetical nor that of the text. If it is that of a set, "
            "another run of Python gives other ids. Sort them alphabetically"
        )
    raise Mistake(
        "the order of the ids is neither by count nor by the alphabet nor "
        "by place in the text. A set has no order that lasts: another run "
        "of Python may give other ids. Sort by falling count"
    )


def learn(answer, sentences, specials):
    """Call the answer; name a sum of a tuple and a list."""
    try:
        return call(answer, list(sentences), specials)
    except Mistake as mistake:
        if ": TypeError: can only concatenate" in str(mistake):
            raise Mistake(f"{mistake}; {HELP}") from None
        raise


@checker
def check_build_vocab(answer):
    """Check exercise ``build_vocab(train_sentences, specials) -> dict``.

    Args:
        answer: a function of a list of sentences, str, and a tuple or list
            of special tokens that returns a dict of token -> id: specials in
            their order, then words by falling count, equal counts in
            alphabetical order.

    Returns:
        A `Verdict`; the check prints it too, and never raises.
    """
    for prefix, sentences, specials in STAGES:
        try:
            vocab = learn(answer, sentences, specials)
            judge_type(vocab)
            for hint, wrong in wrong_vocabularies(sentences, specials):
                names = right_names(sentences, specials)
                right = {name: i for i, name in enumerate(names)}
                if vocab == wrong != right:
                    raise Mistake(hint)
            names = right_names(sentences, specials)
            judge_tokens(vocab, names, specials)
            judge_ids(vocab, specials)
            judge_order(vocab, names, sentences, specials)
        except Mistake as mistake:
            raise Mistake(f"{prefix}{mistake}") from None
