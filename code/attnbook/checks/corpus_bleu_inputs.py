"""Check of the task to turn ids into what sacreBLEU wants.

A piece that starts a word begins with the sign of a blank, U+2581.
"""

import math
import numbers

import numpy as np
import torch

from attnbook.checks.corpus_bleu_inputs_mistakes import right_text, wrong_texts
from attnbook.checks.corpus_bleu_inputs_references import wrong_references
from attnbook.checks.corpus_bleu_inputs_scores import (
    SPECIALS,
    right_score,
    wrong_scores,
    wrong_settings,
)
from attnbook.checks.corpus_bleu_inputs_stages import STAGES
from attnbook.checks.engine.calling import call
from attnbook.checks.engine.verdict import Mistake, checker

EXPLAINED = {  # what sacreBLEU's errors mean here
    "element of `hyps`": "a translation is no str; glue the pieces of a row "
    "to one str, sacreBLEU cuts it up itself",
    "`refs` should be a sequence": "the references are nested once too often "
    "in the score; sacreBLEU wants a list of lists of str",
    "`hyps` should be a sequence": "sacreBLEU wants the translations as a "
    "list with one str per sentence",
}


def explained(answer, *inputs):
    """Call the answer; say what sacreBLEU's errors mean here."""
    try:
        return call(answer, *inputs)
    except Mistake as mistake:
        for words, meaning in EXPLAINED.items():
            if words in str(mistake):
                raise Mistake(meaning) from None
        raise


def parts_of(result):
    """Return the three parts of a result, or say what is missing."""
    if isinstance(result, (float, int)):
        raise Mistake(
            "you return the score alone; return three things, translations, "
            "references and score"
        )
    if not isinstance(result, (tuple, list)) or len(result) != 3:
        raise Mistake(
            "return three things: translations, references and score; yours "
            + (
                f"are {len(result)}"
                if isinstance(result, (tuple, list))
                else f"is one {type(result).__name__}"
            )
        )
    return result


def judge_types(texts, ids):
    """Raise a mistake if the translations are no list of str."""
    rows = (list, tuple)
    alone = isinstance(texts, rows) and len(texts) == 1 < len(ids)
    if isinstance(texts, float) or (alone and isinstance(texts[0], rows)):
        raise Mistake(
            "the three things are not in order: translations first, then the "
            "references, then the score"
        )
    if isinstance(texts, str):
        raise Mistake(
            "the translations are one long text; sacreBLEU wants a list with "
            "one str per sentence"
        )
    if not isinstance(texts, (list, tuple)):
        raise Mistake(
            f"the translations must be a list, not {type(texts).__name__}"
        )
    for text in texts:
        if isinstance(text, (list, tuple)):
            raise Mistake(
                "a translation is a list of pieces; glue them to one str, "
                "sacreBLEU cuts it up itself"
            )
        if not isinstance(text, str):
            raise Mistake(
                f"each translation must be a str, not {type(text).__name__}"
            )


def judge_texts(texts, ids, pieces):
    """Raise a mistake in the translations."""
    judge_types(texts, ids)
    right = [right_text(row, pieces) for row in ids]
    if list(texts) == right:
        return
    if len(texts) != len(right):
        raise Mistake(
            f"{len(ids)} rows, but {len(texts)} translations; an empty one "
            "and one that comes twice count too"
        )
    for hint, function in wrong_texts():
        if list(texts) == [function(row, pieces) for row in ids]:
            raise Mistake(hint)
    if sorted(texts) == sorted(right):
        raise Mistake("the translations are not in the order of the rows")
    raise Mistake(why_text(texts, right))


def why_text(texts, right):
    """Return the hint for translations that are wrong in another way."""
    for got, want in zip(texts, right, strict=True):
        if got != want and got.split() == want.split():
            return (
                "a translation has blanks at its ends or two in a row; cut "
                "them off with strip(), and glue pieces without a blank"
            )
    bad = [w for w in SPECIALS[:3] if any(w in text for text in texts)]
    if bad:
        return f"{bad[0]} is left in a translation; it is no text"
    hint = why_letters(list(zip(texts, right, strict=True)))
    if hint:
        return hint
    number = [a == b for a, b in zip(texts, right, strict=True)].index(False)
    return (
        f"translation {number} is not the text of its row: cut at <eos>, "
        "glue the pieces, make the sign U+2581 a blank"
    )


def why_letters(pairs):
    """Return the hint for texts of which a part is lost or changed."""
    if any("<unk>" in want and "<unk>" not in got for got, want in pairs):
        return "<unk> is replaced; what the model wrote counts as it is"
    if all(a.replace(" ", "") == b.replace(" ", "") for a, b in pairs):
        return (
            "blanks stand where they should not, or are missing; each sign "
            "U+2581 is one, and nothing else adds or takes one"
        )
    if all(b == a or (b.startswith(a) and len(b) > 99) for a, b in pairs):
        return "a long row is cut short; only <eos> ends it"
    if any({c for c in b if not c.isascii()} - {*a} for a, b in pairs):
        return (
            "a letter beyond a to z is lost or changed; take the pieces as "
            "they are"
        )
    return None


def judge_references(given, references):
    """Raise a mistake in the references."""
    right = [list(references)]
    if not isinstance(given, (list, tuple, str)):
        raise Mistake(
            "the references must be a list with one list of str, not "
            f"{type(given).__name__}"
        )
    if isinstance(given, (list, tuple)):
        given = [list(x) if isinstance(x, (list, tuple)) else x for x in given]
    if given == right:
        return
    for hint, wrong in wrong_references(references):
        if given == wrong != right:
            raise Mistake(hint)
    raise Mistake(
        "the references must be a list of sets of references; here one set, "
        "a list of all references in their order, as they were given"
    )


def judge_score(score, texts, references):
    """Raise a mistake in the score."""
    if type(score).__name__.endswith("Score"):
        raise Mistake(
            "your score is sacreBLEU's whole result; take its .score"
        )
    arrays = torch.Tensor, np.ndarray
    if isinstance(score, arrays) and score.ndim == 0:
        score = score.item()
    if isinstance(score, bool) or not isinstance(score, numbers.Real):
        raise Mistake(
            f"the score must be a number, not {type(score).__name__}"
        )
    right = right_score(texts, references)
    if math.isclose(score, right, rel_tol=2e-7, abs_tol=1e-6):
        return  # also in float32
    for digits in range(4):
        if math.isclose(score, round(right, digits), abs_tol=1e-9):
            raise Mistake("you round the score; leave that to who prints it")
    for hint, function in wrong_settings() + wrong_scores():
        wrong = function(texts, references)
        if wrong is not None and math.isclose(score, wrong, abs_tol=1e-6):
            raise Mistake(hint)
    raise Mistake(
        "the score is not sacreBLEU's corpus BLEU of your translations and "
        "references with its own settings"
    )


@checker
def check_corpus_bleu_inputs(answer):
    """Check exercise ``corpus_bleu_inputs(ids, references, pieces)``.

    Args:
        answer: a function of rows of ids as a model writes them, one
            reference each, str, and the list of pieces by id, that returns
            the translations, a list of str, the references as sacreBLEU
            wants them, and the corpus BLEU, a float.

    Returns:
        A `Verdict`; the check prints it too, and never raises.
    """
    for prefix, ids, references, pieces in STAGES:
        try:
            result = explained(answer, ids, references, pieces)
            texts, given, score = parts_of(result)
            judge_texts(texts, ids, pieces)
            judge_references(given, references)
            judge_score(score, list(texts), references)
        except Mistake as mistake:
            raise Mistake(f"{prefix}{mistake}") from None
