import math

import pytest
import torch
from torch.testing import assert_close

from attnbook.data.vocabulary import BOS, EOS
from attnbook.decoding.beam import beam_search
from attnbook.decoding.greedy import greedy
from attnbook.tasks.word_table import (
    NEXT,
    SOURCE,
    WORDS,
    Lattice,
    make_log_table,
    write,
)
from attnbook.tasks.word_table import step as next_words


def every(word="<bos>", p=1.0, before=()):
    """Yield all sentences of the lattice with their probabilities."""
    for other, q in NEXT[word].items():
        if other == "<eos>":
            yield " ".join(before), p * q, len(before) + 1
        else:
            yield from every(other, p * q, (*before, other))


def test_the_probabilities_of_all_sentences_sum_to_1():
    assert_close(make_log_table().exp().sum(-1), torch.ones(len(WORDS)))
    sentences = list(every())
    assert math.isclose(sum(p for _, p, _ in sentences), 1)
    assert len({text for text, _, _ in sentences}) == len(sentences)


@pytest.mark.parametrize("alpha", [0.0, 0.6, 1.0])
def test_a_wide_beam_finds_the_best_of_all_sentences(alpha):
    best = max(
        every(), key=lambda x: math.log(x[1]) / ((5 + x[2]) / 6) ** alpha
    )
    found = beam_search(Lattice(), SOURCE, 20, alpha, longest=8)
    assert write(found[0]) == best[0]


def test_greedy_beam_and_penalty_disagree_on_purpose():
    model = Lattice()
    assert write(greedy(model, SOURCE, 8)[0]) == "it is raining"
    assert write(beam_search(model, SOURCE, 2, 0.0, 8)[0]) == "rain"
    assert write(beam_search(model, SOURCE, 2, 0.6, 8)[0]) == "it rains"


def test_the_step_reads_the_last_word():
    table = next_words([[BOS], [BOS, WORDS.index("hard")]])
    assert_close(table, make_log_table()[[BOS, WORDS.index("hard")]])
    assert table[1, EOS] == 0
