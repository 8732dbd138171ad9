"""Would other test sentences have said the same?  Paired bootstraps."""

import numpy as np
import sacrebleu
from sacrebleu.significance import PairedTest

from attnbook.decoding.metrics import check_sides


def score_draws(hypotheses, references, drawn):
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
    a, b = (score_draws(side, references, drawn) for _, side in sides)
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
