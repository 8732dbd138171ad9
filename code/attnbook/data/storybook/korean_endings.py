"""Write the end of a Korean sentence: tense, *not*, question, *can*."""

from attnbook.data.storybook.hangul import (
    add_ending,
    final,
    finite,
    future,
    question,
)
from attnbook.data.storybook.korean_phrases import add_particle
from attnbook.data.storybook.lexicon_ko import AUXILIARIES, FAILING
from attnbook.data.storybook.plans import YOU


def finish(clause, stem, main, do):
    """Write the predicate, with all that comes at the end of a sentence.

    Args:
        clause: a `Clause`; tells tense, negation, question, *can*.
        stem: a `Stem`.
        main: keys of the stem.
        do: keys of the auxiliary that says the tense.
    """
    words = []
    if clause.can:
        words = [(future(stem), main), ("수", ("can",))]
        stem = AUXILIARIES["there_is_not" if clause.negated else "there_is"]
        main = do = ("can", "not") if clause.negated else ("can",)
    elif clause.negated:
        words = [(add_ending(stem, "지"), main)]
        stem, main = _not(stem, clause.verb), ("not",)
    return words + write_last_word(clause, stem, main, do)


def write_last_word(clause, stem, main, do):
    """Write the last word, two in the future; main: keys of the stem."""
    keys = tuple(dict.fromkeys(do + main))
    if clause.tense == "future":
        if _wonders(clause):
            return [(future(stem) + "까", keys)]
        return [(future(stem), main), (_ending("것이", clause), do)]
    if clause.next:
        if stem.kind == "state":  # 화났고: that it lasts, -었- says already
            form = finite(stem, "present")
        else:
            past = clause.tense == "past"
            form = finite(stem, "past") if past else add_ending(stem, "다")
        return [(form[:-1] + "고", (*keys, "join"))]
    form = (question if clause.asks else finite)(stem, clause.tense)
    return [(form, keys)]


def _wonders(clause):
    """Say whether a question about the future ends in -ㄹ까.

    Whom one asks about his own plans one asks by -ㄹ 거니.
    """
    return clause.asks and clause.person != YOU


def _ending(word, clause):
    """Add the last syllable of a word whose stem ends in 이."""
    if clause.asks and word == "것이":
        return "거니"
    return word + ("니" if clause.asks else "고" if clause.next else "다")


def _not(stem, verb):
    """Return the auxiliary that denies a stem, of the stem's kind."""
    if verb in FAILING:
        return AUXILIARIES["fail"]
    name = "is_not" if stem.kind == "quality" else "do_not"
    return AUXILIARIES[name]._replace(kind=stem.kind)


def there_is(clause, main, do):
    """Write that something is there or, by another verb, is not."""
    stem = AUXILIARIES["there_is_not" if clause.negated else "there_is"]
    main = main + ("not",) if clause.negated else main
    return write_last_word(clause, stem, main, do)


def copula(clause, last, keys):
    """Write *is* after a noun, `last`: 이다, and 이 아니다."""
    be, consonant = ("be",), final(last[0].removeprefix("+")) != 0
    words = [last]
    if clause.negated:
        words = add_particle(words, "subject", keys)
        return words + write_last_word(
            clause, AUXILIARIES["be_not"], (*be, "not"), be
        )
    if clause.tense == "future":
        if _wonders(clause):
            return words + [("+일까", be)]
        return words + [("+일", be), (_ending("것이", clause), be)]
    if clause.tense == "past":
        form = "+이었" if consonant else "+였"
    else:
        form = "+이" if consonant else "+"
    keys = (*be, "join") if clause.next else be
    return words + [(_ending(form, clause), keys)]
