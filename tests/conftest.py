import matplotlib
import pytest
import torch

matplotlib.use("Agg")


@pytest.fixture
def rng():
    return torch.Generator().manual_seed(20170612)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")
