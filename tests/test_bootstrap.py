"""The draws are those of sacreBLEU, and say what they should."""

import random

import numpy as np
import pytest
import sacrebleu
from sacrebleu.significance import PairedTest, estimate_ci

from attnbook.decoding import bootstrap, metrics


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
    ours = bootstrap.score_draws(second, references, drawn)
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
    found = bootstrap.paired_bootstrap(first, second, references, 200)
    back = bootstrap.paired_bootstrap(second, first, references, 200)
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
    found = bootstrap.paired_bootstrap(first, first, references, 50)
    for name in ("bleu", "exact_match"):
        assert set(found[name].values()) == {0.0}
    with pytest.raises(ValueError, match="as many translations"):
        bootstrap.paired_bootstrap(first, first[:-1], references)
