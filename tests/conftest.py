"""What all tests share: a generator, a choice of chapter."""

import gc

import matplotlib
import pytest

matplotlib.use("Agg")
SLOW = {"test_checks", "test_parallel", "test_storybook", "test_variants"}


@pytest.fixture
def rng():
    import torch  # not above: who hands tests to workers has no use for it

    return torch.Generator().manual_seed(20170612)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


def pytest_addoption(parser):
    parser.addoption(
        "--chapter", type=int, help="leave out what belongs to other chapters"
    )


def pytest_collection_finish():
    """Let the collector of garbage pass by what all tests have imported."""
    gc.collect()
    gc.freeze()


def chapter_of(item):
    """Return the number of the one chapter that a test is about, or None."""
    values = item.callspec.params if hasattr(item, "callspec") else {}
    if item.path.stem == "test_checks" and "task" in values:
        wrong = item.module.TASKS[values["task"]].wrong
        return int(wrong[0].__module__.removeprefix("answers.chapter_"))
    name = getattr(values.get("text"), "stem", "")  # as 04_scaling
    name = name or getattr(values.get("e"), "chapter", "")
    return int(name[:2]) if name[:2].isdigit() else None


def pytest_collection_modifyitems(config, items):
    """Leave out what belongs to other chapters than the one asked for.

    What takes longest comes first, so that no worker waits for another.
    """
    items.sort(key=lambda item: item.path.stem not in SLOW)
    if config.option.chapter is None:
        return
    wanted = {None, config.option.chapter}
    others = [item for item in items if chapter_of(item) not in wanted]
    config.hook.pytest_deselected(items=others)
    items[:] = [item for item in items if chapter_of(item) in wanted]
