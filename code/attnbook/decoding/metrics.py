"""How good is a translation? BLEU, chrF, exact match, alignment."""

from attnbook.data.vocabulary import check_text, check_texts


def check_sides(hypotheses, references):
    """Refuse sides that are not lists of str, or do not count alike."""
    for side in (hypotheses, references):
        check_texts(side)
        for text in side:
            check_text(text)
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
        ValueError: different numbers of sentences, none, or no str.
    """
    import sacrebleu  # here, because not every command should wait for it

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
        ValueError: different numbers of sentences, none, or no str.
    """
    import sacrebleu

    check_sides(hypotheses, references)
    metric = sacrebleu.CHRF()
    score = metric.corpus_score(hypotheses, [references]).score
    return score, str(metric.get_signature())


def split_by_moses(texts, language):
    """Return lower-cased texts as Moses tokens joined by blanks.

    Args:
        texts: a list of str.
        language: such as "en", for the list of abbreviations.

    Returns:
        A list of str.

    Raises:
        ValueError: one str, not a list.
    """
    from sacremoses import MosesTokenizer

    check_texts(texts)
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
        ValueError: different numbers of sentences, none, or no str.
    """
    import sacrebleu

    check_sides(hypotheses, references)
    metric = sacrebleu.BLEU(tokenize="none", force=True)
    hypotheses = split_by_moses(hypotheses, language)
    references = split_by_moses(references, language)
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
        ValueError: different numbers of sentences, none, or no str.
    """
    check_sides(hypotheses, references)
    pairs = zip(hypotheses, references, strict=True)
    return sum(h == r for h, r in pairs) / len(references)


def letter_bleu(hypotheses, references):
    """Return a score that is often called BLEU, and is not.

    Words at equal places are compared letter by letter: of every sentence,
    BLEU over the letters of its pairs of words; then the mean of all
    sentences.  So a list of words counts if it is handed to a function that
    wants sentences.  For chapter 13 alone, which measures by how much.

    Args:
        hypotheses: texts, a list of str.
        references: one reference each, a list of str.

    Returns:
        float, from 0 to 100.

    Raises:
        ValueError: different numbers of sentences, none, or no str.
    """
    import sacrebleu

    check_sides(hypotheses, references)
    letters = sacrebleu.BLEU(tokenize="char", smooth_method="none", force=True)
    total = 0.0
    for text, reference in zip(hypotheses, references, strict=True):
        pairs = list(zip(text.split(), reference.split(), strict=False))
        if pairs:  # without a word the score is 0
            words, wanted = map(list, zip(*pairs, strict=True))
            total += letters.corpus_score(words, [wanted]).score
    return total / len(references)


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
        ValueError: no link, or one outside of the map, or weights of another
            shape or that are not finite.
    """
    if weights.dim() != 2 or not weights.isfinite().all():
        raise ValueError(
            "expected finite weights of shape (T, S), got "
            f"{tuple(weights.shape)}, finite: {bool(weights.isfinite().all())}"
        )
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
