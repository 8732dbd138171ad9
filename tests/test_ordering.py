import torch

from attnbook.tasks.digits import draw_rows, make_source_batch
from attnbook.tasks.ordering import fit, make_model


def test_without_positions_the_encoder_sees_a_bag():
    row, _ = draw_rows("reverse", 1, 0)[0]
    pairs = [(row, row), (row[::-1], row)]
    for source, same in ((True, False), (False, True)):
        model = make_model(source, True, 0).eval()
        memory, *_ = model.encode(make_source_batch(pairs))
        one, two = memory[0, : len(row)], memory[1, : len(row)].flip(0)
        assert torch.allclose(one, two, atol=1e-5) is same


def test_a_model_can_be_fitted():
    model = fit(make_model(False, False, 0), "sort", 0, 2)
    assert not model.training
