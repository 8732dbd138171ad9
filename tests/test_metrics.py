import math
import subprocess
import sys

import pytest
import torch

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
    assert metrics.split_by_moses([text], "en") == [
        "it isn 't a dog , is it ?"
    ]


def test_exact_match_counts_sentences():
    assert metrics.exact_match(CLOSE, WANTED) == 0.5


def test_alignment_hit_rate():
    weights = torch.tensor(
        [[0.7, 0.2, 0.1], [0.1, 0.2, 0.7], [0.4, 0.5, 0.1], [0.3, 0.3, 0.4]]
    )
    links = [(0, 0), (1, 1), (0, 2), (1, 2)]
    assert metrics.alignment_hit_rate(weights, links) == pytest.approx(2 / 3)
    assert metrics.alignment_hit_rate(weights, [(2, 3)]) == 1


each_score = pytest.mark.parametrize(
    "score",
    [
        metrics.bleu,
        metrics.chrf,
        metrics.exact_match,
        metrics.letter_bleu,
        lambda h, r: metrics.old_bleu(h, r, "en"),
    ],
)


@each_score
def test_sides_that_do_not_count_alike_are_refused(score):
    with pytest.raises(ValueError, match="got 1 and 2"):
        score(WANTED[:1], WANTED)
    with pytest.raises(ValueError, match="at least one, got 0 and 0"):
        score([], [])


@each_score
def test_one_text_is_no_list_of_texts(score):
    with pytest.raises(ValueError, match="iterable of texts, got one str"):
        score("a cat", "a dog")
    with pytest.raises(ValueError, match="iterable of texts, got one str"):
        score(["a cat"], "d")
    with pytest.raises(ValueError, match="text as str, got list"):
        score(["a cat"], [["a", "dog"]])
    with pytest.raises(ValueError, match="text as str, got NoneType"):
        score([None], ["a dog"])
    with pytest.raises(ValueError, match="iterable of texts, got one str"):
        metrics.split_by_moses("a cat", "en")


def test_commands_do_not_wait_for_the_scorers():
    code = "import sys; from attnbook.decoding import metrics; "
    code += "print({'sacrebleu', 'sacremoses'} & {*sys.modules})"
    command = [sys.executable, "-c", code]
    assert subprocess.check_output(command, text=True).strip() == "set()"


def test_weights_that_are_no_map_are_refused():
    weights = torch.ones(2, 3)
    weights[1, 2] = math.nan
    for wrong in (weights, -1 / torch.zeros(2, 3), torch.ones(1, 2, 3)):
        with pytest.raises(ValueError, match=r"weights of shape \(T, S\)"):
            metrics.alignment_hit_rate(wrong, [(0, 0)])


@pytest.mark.parametrize("links", [[], [(3, 0)], [(0, 2)], [(-1, 0)]])
def test_links_outside_of_the_map_are_refused(links):
    with pytest.raises(ValueError, match="links inside of 3 source and 2"):
        metrics.alignment_hit_rate(torch.ones(2, 3), links)


def test_letters_of_words_at_equal_places_flatter():
    assert metrics.letter_bleu(WANTED, WANTED) == pytest.approx(100)
    one = metrics.letter_bleu(["abcde xyz", ""], ["abcdf xyz", "a b"])
    # Letters 7 of 8, pairs 5 of 6, triples 3 of 4, quadruples 1 of 2.
    by_hand = 100 * (7 / 8 * 5 / 6 * 3 / 4 * 1 / 2) ** 0.25
    assert one == pytest.approx(by_hand / 2)
    late = ["sat the cat on the mat."], ["the cat sat on the mat."]
    assert metrics.letter_bleu(*late) < metrics.letter_bleu(CLOSE, WANTED)
    with pytest.raises(ValueError, match="as many translations"):
        metrics.letter_bleu(WANTED, WANTED[:1])
