import pytest
import torch

from attnbook.data.vocabulary import EOS, PAD
from attnbook.tasks import digits, reversal
from attnbook.training.repro import parameter_count


@pytest.fixture(autouse=True)
def one_thread():
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def test_the_models_have_the_same_number_of_parameters():
    counts = [
        parameter_count(reversal.make_model(kind, 0))
        for kind in reversal.WIDTHS
    ]
    assert max(counts) / min(counts) < 1.03


def test_rows_are_digits_and_their_reverse():
    pairs = reversal.draw_rows(50, seed=1, shortest=3, longest=5)
    assert pairs == reversal.draw_rows(50, 1, 3, 5)
    for source, target in pairs:
        assert target == source[::-1]
        assert 3 <= len(source) <= 5
        assert min(source) > 3 and max(source) < len(digits.TOKENS)


def test_one_state_sees_the_last_word_alone():
    model = reversal.make_model("one state", 0).eval()
    source = torch.tensor([[4, 5, 6, EOS], [7, EOS, PAD, PAD]])
    target = torch.tensor([[1, 5, 6], [1, 7, 8]])
    weights = model.attention_maps(source, target)["cross"][0, :, 0]
    want = torch.zeros(2, 3, 4)
    want[0, :, 3] = want[1, :, 1] = 1
    assert torch.equal(weights, want)


def test_a_few_steps_of_training_lower_the_loss():
    model = reversal.fit(reversal.make_model("attention", 0), 0, steps=40)
    assert not model.training
    pairs = reversal.draw_rows(50, 1)
    assert digits.accuracy(model, pairs)[1] > 0.15


def test_offsets_count_from_the_digit_to_be_written():
    class Model:
        def attention_maps(self, source, target):
            assert source.shape == target.shape == (2, 4)
            maps = torch.zeros(1, 2, 1, 4, 4)
            for t, s in enumerate((2, 2, 0, 3)):
                maps[0, :, 0, t, s] = 1
            return {"cross": maps}

    pairs = reversal.draw_rows(2, 0, 3, 3)
    assert reversal.measure_offsets(Model(), pairs).tolist() == [[0, 1, 0]] * 2


def test_an_unknown_kind_is_refused():
    with pytest.raises(ValueError, match="a kind of.*'lstm'"):
        reversal.make_model("lstm", 0)
