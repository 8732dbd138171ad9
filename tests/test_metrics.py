import random

import numpy as np
import pytest
import sacrebleu
import torch
from sacrebleu.significance import PairedTest, estimate_ci

from attnbook.decoding import metrics

WANTED = ["The cat sat on the mat.", "It isn't a dog, is it?"]
CLOSE = ["the cat sat on a mat.", "It isn't a dog, is it?"]


def test_a_perfect_translation_scores_100():
    for score, _ in (
        metrics.bleu(WANTED, WANTED),
        metrics.chrf(WANTED, WANTED),
        metrics.old_bleu(WANTED, WANTED, "en"),
    ):
        assert score == pytest.approx(100)
    assert metrics.exact_match(WANTED, WANTED) == 1


def test_case_counts_in_bleu_and_not_in_the_old_flavour():
    lower = [text.lower() for text in WANTED]
    assert metrics.bleu(lower, WANTED)[0] < 99
    assert metrics.old_bleu(lower, WANTED, "en")[0] == pytest.approx(100)


def test_bleu_is_of_the_corpus_not_the_mean_of_sentences():
    whole = metrics.bleu(CLOSE, WANTED)[0]
    parts = [
        metrics.bleu([h], [r])[0] for h, r in zip(CLOSE, WANTED, strict=True)
    ]
    assert abs(whole - sum(parts) / 2) > 1


def test_signatures_say_how():
    assert "case:mixed" in metrics.bleu(CLOSE, WANTED)[1]
    assert "tok:13a" in metrics.bleu(CLOSE, WANTED)[1]
    old = metrics.old_bleu(CLOSE, WANTED, "en")[1]
    assert "lowercased" in old and "sacremoses.en" in old and "tok:none" in old
    assert "nc:6|nw:0" in metrics.chrf(CLOSE, WANTED)[1]


def test_moses_tokens():
    text = "It isn't a Dog, is it?"
    assert metrics.moses([text], "en") == ["it isn 't a dog , is it ?"]


def test_exact_match_counts_sentences():
    assert metrics.exact_match(CLOSE, WANTED) == 0.5


def test_alignment_hit_rate():
    weights = torch.tensor(
        [[0.7, 0.2, 0.1], [0.1, 0.2, 0.7], [0.4, 0.5, 0.1], [0.3, 0.3, 0.4]]
    )
    links = [(0, 0), (1, 1), (0, 2), (1, 2)]
    assert metrics.alignment_hit_rate(weights, links) == pytest.approx(2 / 3)
    assert metrics.alignment_hit_rate(weights, [(2, 3)]) == 1


@pytest.mark.parametrize(
    "score",
    [
        metrics.bleu,
        metrics.chrf,
        metrics.exact_match,
        lambda h, r: metrics.old_bleu(h, r, "en"),
    ],
)
def test_sides_that_do_not_count_alike_are_refused(score):
    with pytest.raises(ValueError, match="got 1 and 2"):
        score(WANTED[:1], WANTED)
    with pytest.raises(ValueError, match="at least one, got 0 and 0"):
        score([], [])


@pytest.mark.parametrize("links", [[], [(3, 0)], [(0, 2)], [(-1, 0)]])
def test_links_outside_of_the_map_are_refused(links):
    with pytest.raises(ValueError, match="links inside of 3 source and 2"):
        metrics.alignment_hit_rate(torch.ones(2, 3), links)


@pytest.fixture(scope="module")
def three():
    """References, and two translators that miss words of them."""
    words = ["the", "a", "cat", "dog", "sat", "on", "mat", "bed", "."]
    generator = random.Random(0)
    references = [
        " ".join(generator.choices(words, k=generator.randint(4, 12)))
        for _ in range(80)
    ]

    def missing(share):
        return [
            " ".join(
                generator.choice(words) if generator.random() < share else word
                for word in text.split()
            )
            for text in references
        ]

    return missing(0.2), missing(0.1), references


def test_drawn_scores_are_those_of_sacrebleu(three):
    """Its own mean and half width, from the same draws."""
    first, second, references = three
    drawn = np.random.default_rng(12345).choice(80, (200, 80))
    ours = metrics.bleu_of_draws(second, references, drawn)
    mean, half = estimate_ci(ours)
    sides = [("a", first), ("b", second)]
    _, found = PairedTest(
        sides, {"BLEU": sacrebleu.BLEU()}, [references], "bs", 200
    )()
    assert mean == pytest.approx(found["BLEU"][1].mean, abs=1e-3)
    assert half == pytest.approx(found["BLEU"][1].ci, abs=1e-3)
    some = [second[i] for i in drawn[7]], [references[i] for i in drawn[7]]
    assert ours[7] == pytest.approx(metrics.bleu(*some)[0])


def test_a_paired_bootstrap_tells_two_translators_apart(three):
    first, second, references = three
    found = metrics.paired_bootstrap(first, second, references, 200)
    back = metrics.paired_bootstrap(second, first, references, 200)
    for name, score in (
        ("bleu", lambda texts: metrics.bleu(texts, references)[0]),
        ("exact_match", lambda texts: metrics.exact_match(texts, references)),
    ):
        gain = score(second) - score(first)
        assert found[name]["difference"] == pytest.approx(gain, abs=1e-4)
        assert 0 < found[name]["low"] < gain < found[name]["high"]
        assert back[name]["high"] == pytest.approx(-found[name]["low"])
    assert found["p"] < 0.05
    assert "bs:200|seed:12345" in found["signature"]


def test_a_translator_is_not_apart_from_itself(three):
    first, _, references = three
    found = metrics.paired_bootstrap(first, first, references, 50)
    for name in ("bleu", "exact_match"):
        assert set(found[name].values()) == {0.0}
    with pytest.raises(ValueError, match="as many translations"):
        metrics.paired_bootstrap(first, first[:-1], references)
