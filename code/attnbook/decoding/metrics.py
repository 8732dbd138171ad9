"""How good is a translation? BLEU, chrF, exact match, alignment."""

import numpy as np
import sacrebleu
from sacrebleu.significance import PairedTest
from sacremoses import MosesTokenizer


def check_sides(hypotheses, references):
    """Refuse sides that do not count alike."""
    if len(hypotheses) != len(references) or not references:
        raise ValueError(
            "expected as many translations as references, at least one, got "
            f"{len(hypotheses)} and {len(references)}"
        )


def bleu(hypotheses, references):
    """Return BLEU as sacreBLEU computes it, cased and detokenised.

    Papineni et al. (2002); Post (2018).

    Args:
        hypotheses: translations, a list of str.
        references: one reference each, a list of str.

    Returns:
        The score, from 0 to 100, and the signature that says how.

    Raises:
        ValueError: different numbers of sentences, or none.
    """
    check_sides(hypotheses, references)
    metric = sacrebleu.BLEU()
    score = metric.corpus_score(hypotheses, [references]).score
    return score, str(metric.get_signature())


def chrf(hypotheses, references):
    """Return chrF, an F-score of character sequences.

    Popovic (2015).

    Args:
        hypotheses: translations, a list of str.
        references: one reference each, a list of str.

    Returns:
        The score, from 0 to 100, and its signature.

    Raises:
        ValueError: different numbers of sentences, or none.
    """
    check_sides(hypotheses, references)
    metric = sacrebleu.CHRF()
    score = metric.corpus_score(hypotheses, [references]).score
    return score, str(metric.get_signature())


def moses(texts, language):
    """Return lower-cased texts as Moses tokens joined by blanks.

    Args:
        texts: a list of str.
        language: such as "en", for the list of abbreviations.

    Returns:
        A list of str.
    """
    tokenizer = MosesTokenizer(lang=language)
    return [
        tokenizer.tokenize(text.lower(), return_str=True, escape=False)
        for text in texts
    ]


def old_bleu(hypotheses, references, language):
    """Return lower-cased BLEU on Moses tokens.

    For comparison with older work alone: it is higher than `bleu`, and
    numbers of different tokenisers must not be compared.

    Args:
        hypotheses: translations, a list of str.
        references: one reference each, a list of str.
        language: of both, such as "en".

    Returns:
        The score, from 0 to 100, and its signature.

    Raises:
        ValueError: different numbers of sentences, or none.
    """
    check_sides(hypotheses, references)
    metric = sacrebleu.BLEU(tokenize="none", force=True)
    hypotheses = moses(hypotheses, language)
    references = moses(references, language)
    score = metric.corpus_score(hypotheses, [references]).score
    signature = f"lowercased|sacremoses.{language}|{metric.get_signature()}"
    return score, signature


def exact_match(hypotheses, references):
    """Return the share of translations that equal their reference.

    Args:
        hypotheses: translations, a list of str.
        references: one reference each, a list of str.

    Returns:
        float, from 0 to 1.

    Raises:
        ValueError: different numbers of sentences, or none.
    """
    check_sides(hypotheses, references)
    pairs = zip(hypotheses, references, strict=True)
    return sum(h == r for h, r in pairs) / len(references)


def bleu_of_draws(hypotheses, references, drawn):
    """Return the BLEU of some sentences out of all, draw by draw.

    Args:
        hypotheses: translations, a list of N str.
        references: one reference each, a list of str.
        drawn: numbers of sentences, (draws, N).

    Returns:
        (draws,), the scores, from 0 to 100.
    """
    metric = sacrebleu.BLEU(effective_order=True)
    found = [
        metric.sentence_score(h, [r])
        for h, r in zip(hypotheses, references, strict=True)
    ]
    rows = [[*f.counts, *f.totals, f.sys_len, f.ref_len] for f in found]
    rows = np.array(rows)  # (N, 10)
    sums = np.array([rows[draw].sum(0) for draw in drawn])  # (draws, 10)
    return np.array(
        [
            sacrebleu.BLEU.compute_bleu(
                *(row[:4], row[4:8], row[8], row[9]), smooth_method="exp"
            ).score
            for row in sums.tolist()
        ]
    )


def paired_bootstrap(first, second, references, draws=1000):
    """Compare two translators on other test sentences, drawn from these.

    Koehn (2004), Statistical significance tests for machine translation
    evaluation: sentences are drawn with replacement, as many as there are,
    and both translators are scored on the same ones.  The p-value is that of
    sacreBLEU's ``--paired-bs``, with the same draws; where the two score
    alike it is no use (1 of draws + 1), the interval is.  Both say what other
    sentences might give, and nothing of other training runs.

    Args:
        first: its translations, a list of str.
        second: those of the other.
        references: one reference each, a list of str.
        draws: how many.

    Returns:
        A dict of "bleu" and "exact_match", each a dict of "difference"
        (second minus first) and the middle 95 % of the draws, "low" and
        "high"; of "p", for BLEU; and of "signature".

    Raises:
        ValueError: different numbers of sentences, or none.
    """
    for side in (first, second):
        check_sides(side, references)
    sides = [("first", first), ("second", second)]
    names = {"BLEU": sacrebleu.BLEU()}
    test = PairedTest(sides, names, [references], "bs", draws)
    signatures, found = test()
    count = len(references)
    drawn = np.random.default_rng(12345).choice(count, (draws, count))
    a, b = (bleu_of_draws(side, references, drawn) for _, side in sides)
    right = [np.array(side) == np.array(references) for _, side in sides]
    gained = right[1].astype(float) - right[0]
    one, other = (result.score for result in found["BLEU"])
    return {
        "bleu": interval(other - one, b - a),
        "exact_match": interval(gained.mean(), gained[drawn].mean(1)),
        "p": round(found["BLEU"][1].p_value, 4),
        "signature": str(signatures["BLEU"]),
    }


def interval(difference, draws):
    """Return a difference and the middle 95 % of its draws."""
    low, high = np.quantile(draws, (0.025, 0.975))
    values = {"difference": difference, "low": low, "high": high}
    return {name: round(float(value), 4) for name, value in values.items()}


def alignment_hit_rate(weights, links):
    """Return how often the strongest weight of a word is a gold link.

    Row i must be the row that *predicts* target word i, which is the row
    whose input is the word before it.

    Args:
        weights: (T, S), rows for the target words, columns for the source
            words, special tokens left out.
        links: gold links, pairs of (source index, target index).

    Returns:
        float, from 0 to 1, over the target words that have a link.

    Raises:
        ValueError: no link, or one outside of the map.
    """
    gold = set(map(tuple, links))
    rows, columns = weights.shape
    if not gold or any(
        not (0 <= s < columns and 0 <= t < rows) for s, t in gold
    ):
        raise ValueError(
            f"expected links inside of {columns} source and {rows} target "
            f"words, at least one, got {sorted(gold)}"
        )
    best = weights.argmax(-1).tolist()
    linked = sorted({t for _, t in gold})
    return sum((best[t], t) in gold for t in linked) / len(linked)
