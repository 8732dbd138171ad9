"""The wrong BLEU scores that the check knows by name."""

import statistics

import sacrebleu

SPECIALS = ("<pad>", "<bos>", "<eos>", "<unk>")


def right_score(texts, references):
    """Return the corpus BLEU of texts, one reference each."""
    return sacrebleu.BLEU().corpus_score(texts, [references]).score


def sentence_scores(texts, references, **settings):
    """Return the BLEU of every sentence alone."""
    metric = sacrebleu.BLEU(effective_order=True, **settings)
    pairs = zip(texts, references, strict=True)
    return [metric.sentence_score(text, [ref]).score for text, ref in pairs]


def strict_scores(texts, references):
    """Return the corpus BLEU of every sentence as a corpus of its own."""
    pairs = zip(texts, references, strict=True)
    return [right_score([text], [ref]) for text, ref in pairs]


def corpus(**settings):
    """Return a function that scores with other settings."""
    return lambda t, r: (
        sacrebleu.BLEU(force=True, **settings).corpus_score(t, [r]).score
    )


def wrong_scores():
    """Return pairs of a hint and a wrong score of texts and references."""
    mean = "the score is the mean of the BLEU of single sentences; corpus "
    mean += "BLEU counts the n-grams of all sentences first"

    def lower(texts):
        return [text.lower() for text in texts]

    return [
        (mean, lambda t, r: statistics.mean(sentence_scores(t, r))),
        (mean, lambda t, r: statistics.mean(strict_scores(t, r))),
        (
            "the score is a share; sacreBLEU's goes from 0 to 100",
            lambda t, r: right_score(t, r) / 100,
        ),
        (
            "the score is multiplied by 100 once more; sacreBLEU's goes from "
            "0 to 100",
            lambda t, r: right_score(t, r) * 100,
        ),
        (
            "translations and references have changed places in the score",
            lambda t, r: right_score(r, t),
        ),
        (
            "the score is that of references nested per sentence: sacreBLEU "
            "scores the first sentence alone, without a warning",
            lambda t, r: (
                sacrebleu.BLEU().corpus_score(t, [[x] for x in r]).score
            ),
        ),
        (
            "the score ignores capitals; leave lowercase at False",
            corpus(lowercase=True),
        ),
        (
            "the score is that of lower-cased translations alone",
            lambda t, r: right_score(lower(t), r),
        ),
        (
            "the score is that of lower-cased references alone",
            lambda t, r: right_score(t, lower(r)),
        ),
        (
            "the score is made without smoothing; leave it as sacreBLEU has "
            "it",
            corpus(smooth_method="none"),
        ),
        (
            "the score is made with tokenize='none'; leave sacreBLEU's own "
            "tokeniser on",
            corpus(tokenize="none"),
        ),
        (
            "the score is made with another tokeniser; leave sacreBLEU's own",
            corpus(tokenize="intl"),
        ),
        (
            "the score compares letters, with tokenize='char'; leave "
            "sacreBLEU's own tokeniser on",
            corpus(tokenize="char"),
        ),
        (
            "the score is made with another smoothing; leave it as "
            "sacreBLEU has it",
            corpus(smooth_method="add-k"),
        ),
        (
            "the score is chrF, not BLEU",
            lambda t, r: sacrebleu.CHRF().corpus_score(t, [r]).score,
        ),
        (
            "the score is that of one long text; hand over one str per "
            "sentence",
            lambda t, r: right_score([" ".join(t)], [" ".join(r)]),
        ),
        (
            "the score is that of the first sentence alone",
            lambda t, r: right_score(t[:1], r[:1]),
        ),
        (
            "the score is the BLEU of the last sentence alone",
            lambda t, r: right_score(t[-1:], r[-1:]),
        ),
        (
            "the score stops at 2-grams; BLEU counts up to 4",
            corpus(max_ngram_order=2),
        ),
        (
            "the score is 0 or 100 whatever was written",
            lambda t, r: 100.0 * (t == r),
        ),
    ]


def wrong_settings():
    """Return more pairs of a hint and a wrong score, of a single part."""

    def parts(texts, references):
        return sacrebleu.BLEU().corpus_score(texts, [references])

    def without_penalty(texts, references):
        found = parts(texts, references)
        return found.score / found.bp if found.bp else None

    def without_empty(texts, references):
        pairs = zip(texts, references, strict=True)
        kept = [(text, ref) for text, ref in pairs if text]
        return right_score(*map(list, zip(*kept, strict=True)))

    return [
        (
            "the score is made with effective_order, which is for single "
            "sentences; leave it as sacreBLEU has it",
            corpus(effective_order=True),
        ),
        (
            "the score is made with smooth_method='floor'; leave smoothing "
            "as sacreBLEU has it",
            corpus(smooth_method="floor"),
        ),
        (
            "the score is the brevity penalty alone; take .score",
            lambda t, r: parts(t, r).bp,
        ),
        (
            "the score is the share of 1-grams alone; take .score",
            lambda t, r: parts(t, r).precisions[0],
        ),
        (
            "the score is the mean of the four shares; BLEU multiplies them, "
            "so take .score",
            lambda t, r: statistics.mean(parts(t, r).precisions),
        ),
        (
            "the score lacks the penalty for being short; take .score",
            without_penalty,
        ),
        (
            "empty translations are left out of the score; they count too",
            without_empty,
        ),
    ]
