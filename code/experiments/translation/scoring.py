"""Translate sentences, and score what was written."""

import time

from attnbook.decoding import metrics

BATCH = {"cpu": 64, "cuda": 256}  # sentences translated at once


def translated(trained, pairs, width, alpha=0.6):
    """Return translations of the sources of pairs, and their seconds.

    Args:
        trained: a `Translator`.
        pairs: (source, target) texts.
        width: of the beam.
        alpha: length penalty.
    """
    start = time.perf_counter()
    device = next(trained.model.parameters()).device.type
    sources = [source for source, _ in pairs]
    written = trained.translate(sources, width, alpha, batch=BATCH[device])
    return written, round(time.perf_counter() - start, 1)


def moses(written, pairs, language):
    """Return lower-cased BLEU on Moses tokens alone, two digits."""
    wanted = [target for _, target in pairs]
    return round(metrics.old_bleu(written, wanted, language)[0], 2)


def scores(written, pairs, language=None):
    """Return all measures of translations, with their signatures.

    Args:
        written: a list of str.
        pairs: (source, target) texts.
        language: of the targets, for lower-cased BLEU on Moses tokens; None
            leaves it out.
    """
    wanted, found = [target for _, target in pairs], {}
    if language:
        found["lowercased_moses_bleu"] = metrics.old_bleu(
            written, wanted, language
        )
    found |= {
        "bleu": metrics.bleu(written, wanted),
        "chrf": metrics.chrf(written, wanted),
    }
    return {
        name: {"score": round(score, 2), "signature": how}
        for name, (score, how) in found.items()
    }
