import pytest
import torch

from attnbook.data.vocabulary import EOS, PAD
from attnbook.tasks import digits
from attnbook.tasks.digits import draw_rows


@pytest.mark.parametrize(
    ("task", "wanted"),
    [("copy", list), ("reverse", lambda s: s[::-1]), ("sort", sorted)],
)
def test_a_task_makes_the_target_from_the_source(task, wanted):
    rows = draw_rows(task, 200, seed=3, shortest=2, longest=5)
    assert rows == draw_rows(task, 200, seed=3, shortest=2, longest=5)
    assert rows != draw_rows(task, 200, seed=4, shortest=2, longest=5)
    assert {len(source) for source, _ in rows} == {2, 3, 4, 5}
    for source, target in rows:
        assert target == wanted(source)
        assert min(source) > 3 and max(source) < len(digits.TOKENS)


def test_a_hidden_source_says_nothing_and_the_targets_stay():
    plain = draw_rows("sort", 20, 3)
    hidden = draw_rows("sort", 20, 3, hidden=True)
    zero = digits.TOKENS.index("0")
    assert {tuple(source) for source, _ in hidden} == {(zero,) * 3}
    assert [t for _, t in hidden] == [t for _, t in plain]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("add", 3, 0), "a task of .*got 'add'"),
        (("copy", 0, 0), "count >= 1.*got 0"),
        (("copy", 3, 0, 5, 4), "shortest <= longest, got 3, 5 and 4"),
    ],
)
def test_rows_that_cannot_be_drawn_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        draw_rows(*arguments)


def test_sources_end_and_are_padded():
    rows = [([4, 5], [5, 4]), ([6], [6])]
    want = [[4, 5, EOS, PAD], [6, EOS, PAD, PAD]]
    assert digits.make_source_batch(rows, pads=1).tolist() == want


def test_settings_can_be_changed():
    assert digits.make_train_config(7, 1, warmup=2).warmup == 2
    assert digits.make_train_config(7, 1).save_every == 7
    assert digits.make_model_config(3, d_model=8).d_model == 8
    assert digits.make_model_config(3).num_decoder_layers == 3


def test_accuracy_counts_rows_and_digits(monkeypatch):
    rows = [([4, 5], [5, 4]), ([6, 7], [7, 6])]
    written = [[5, 4], [7, 7, 7]]
    monkeypatch.setattr(digits, "greedy", lambda *a, **k: written)
    assert digits.accuracy(None, rows) == (0.5, 0.75)


def test_a_judge_counts_labels_and_rows_and_no_padding():
    class Model:
        def __call__(self, source, target):
            logits = torch.zeros(2, 3, len(digits.TOKENS))
            for place, label in ((0, 5), (1, 4), (2, EOS)):
                logits[0, place, label] = 9.0
            logits[1, 0, 7] = 9.0  # and <eos> is missed
            return logits

    found = digits.judge(Model(), [([4, 5], [5, 4]), ([7], [7])])
    assert found["labels"] == pytest.approx(4 / 5)
    assert found["rows"] == 0.5
    assert 0 < found["loss"] < 1
