"""The benchmark compares like with like."""

import re
import subprocess
import sys

import pytest
import torch
from torch import nn

from attnbook.data.batches import make_batch
from attnbook.data.vocabulary import PAD
from attnbook.training import precision
from lab.catalogue import FOLDER
from lab.experiment import run_experiment
from speed import benchmark
from speed.bench import build, contenders, decoding, floor
from speed.bench.contenders import Contender, Ours, Size, TorchTransformer
from torch_weights import transformer_to_torch

pytestmark = pytest.mark.filterwarnings("ignore:enable_nested_tensor")
SMALL = Size("S", 2, 16, 4, 24, 256)
VOCAB = 50


def pairs(count=300, seed=0):
    """Return random encoded pairs of 1 to 12 tokens."""
    generator = torch.Generator().manual_seed(seed)

    def sentence():
        length = int(torch.randint(1, 13, (1,), generator=generator))
        ids = torch.randint(4, VOCAB, (length,), generator=generator)
        return ids.tolist()

    return [(sentence(), sentence()) for _ in range(count)]


def without_dropout(model):
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0
        if isinstance(module, nn.MultiheadAttention):
            module.dropout = 0.0
    return model


@pytest.mark.parametrize("fast", [True, False])
def test_equal_weights_give_equal_losses_and_equal_updates(fast, monkeypatch):
    """Ours and PyTorch's own, from the same weights, make the same step."""
    monkeypatch.setattr(precision, "cpu_has_bfloat16", lambda: not fast)
    ours = contenders.our_model(SMALL, VOCAB, dropout=0.0)
    theirs = without_dropout(TorchTransformer(SMALL, VOCAB, tied=True))
    theirs.transformer = without_dropout(transformer_to_torch(ours))
    table = ours.source_embedding.table.weight
    with torch.no_grad():
        theirs.source_embedding.weight.copy_(table)
    batch = [make_batch(pairs(6))]
    optimizer = contenders.best_optimizer(theirs)
    one = Ours("ours", ours, batch, "fp32")
    other = Contender("theirs", theirs, batch, "fp32", optimizer)
    for group in (*one.optimizer.param_groups, *optimizer.param_groups):
        group["lr"] = 1e-3
        group["eps"] = 1e-6  # steps where the gradient is 0 are all eps
    for _ in range(3):
        losses = one.step(batch[0]), other.step(batch[0])
        torch.testing.assert_close(*losses, rtol=2e-5, atol=0)
    moved = theirs.source_embedding.weight
    torch.testing.assert_close(table, moved, rtol=0, atol=2e-4)


def test_all_see_sentences_of_the_same_kind():
    data = pairs()
    groups = contenders.bucketed(data, SMALL, 1000)
    others = contenders.shuffled(data, 1000)
    for batches in (groups, others):
        labels = sum(batch.tokens for batch in batches)
        assert 1000 <= labels < 1000 + contenders.COMMON_BATCH * 13

    def padding(batches):
        return sum((b.labels == PAD).sum().item() for b in batches)

    assert padding(groups) < padding(others) / 2


def test_every_way_to_decode_writes_as_many_words():
    source = decoding.source_batches(pairs(), 5, torch.device("cpu"))[0]
    models = {
        "ours": contenders.our_model(SMALL, VOCAB).eval(),
        "torch-best": TorchTransformer(SMALL, VOCAB, tied=True).eval(),
    }
    found = decoding.ways(models)
    assert set(found) == {
        "greedy ours",
        "greedy no-cache",
        "beam-5 ours",
        "greedy torch-best",
    }
    with torch.inference_mode():
        written = {name: way(source, 4) for name, way in found.items()}
    assert written["greedy ours"] == written["greedy no-cache"]
    assert written["greedy torch-best"].shape == (5, 5)  # with <bos>


def test_operations_and_bytes_are_counted():
    device, rows = torch.device("cpu"), 64
    x = torch.randn(rows, rows)
    with floor.ByteCounter() as counter:
        y = x @ x.T  # the transpose is a view: three matrices in all
        y.add_(1)  # two arguments of which one is the result: two more
    assert counter.bytes == 5 * rows * rows * 4
    one = Ours(
        "ours",
        contenders.our_model(SMALL, VOCAB),
        contenders.bucketed(pairs(), SMALL, 500),
        "fp32",
    )
    # at least: each label times the output matrix, three times
    least = 6 * one.batches[0].tokens * SMALL.d_model * VOCAB
    assert floor.count(one)[0] > least
    one.model.states = one.model.states  # not in halves, as if compiled
    operations, moved = floor.count(one)
    assert operations > least
    assert moved > 0
    assert 0 < floor.share_of_products(one) < 1
    one.model.states = torch.compile(one.model.states, backend="aot_eager")
    one.step(one.batches[0])
    assert floor.count(one)[0] == operations
    assert floor.bandwidth(device, lambda: None) > 0


def test_the_last_lines_are_ratios(monkeypatch, capsys):
    """The whole command, on a small model and few sentences."""
    monkeypatch.setattr(benchmark, "LITTLE", SMALL)
    monkeypatch.setattr(benchmark.peers, "installed", dict)
    monkeypatch.setattr(
        floor, "measure", lambda *_: {"precision": "fp32", "operations": 1}
    )
    monkeypatch.setattr(
        benchmark, "load", lambda _: (pairs(), pairs(8), VOCAB, "random")
    )
    run_experiment(benchmark.CPU, ["--small"])
    *last, _, end = capsys.readouterr().out.splitlines()[-6:]
    assert end == "nothing is stored"
    for line in last:
        assert re.fullmatch(r"ratio \S+ S cpu (fp32|bf16) \d+\.\d\d", line)
    assert any("ratio greedy-no-cache S cpu" in line for line in last)


def test_memory_is_that_of_a_process_of_its_own():
    cpu, keys = torch.device("cpu"), ("ours fp32", "torch-best fp32")
    found = build.peaks_on_cpu(keys, SMALL, pairs(), VOCAB, cpu, 300)
    assert {*found} == {*keys} and all(0 < n < 2**31 for n in found.values())


def test_memory_in_use_is_seen():
    """In a process of its own, as the benchmark measures it."""
    code = (
        "import torch\n"
        "from speed.bench.build import memory_now\n"
        "before = memory_now()\n"
        "block = torch.ones(2**29, dtype=torch.uint8)\n"
        "print(memory_now() - before)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=FOLDER,
        capture_output=True,
        text=True,
        check=True,
    )
    assert 2**28 < int(done.stdout) < 2**30
