"""Several workers train what one process trains."""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from attnbook.compat import cpu_has_bfloat16
from attnbook.data.batches import make_batch
from attnbook.data.files import write_file
from attnbook.training import loop as training
from attnbook.training import number_types, parallel, workers
from attnbook.training.loop import train
from attnbook.training.runs import RunFolder
from test_loop import config_of, model_of, same, task, weights_of

JOBS = {  # name -> number type, settings of model and of training
    "float64": ("double", {"dropout": 0.0}, {"steps": 50, "save_every": 10}),
    "gradient": ("float", {"dropout": 0.0}, {"steps": 1}),
    "halves": (
        "float",
        {"dropout": 0.0, "shared_embeddings": True},
        {"steps": 1, "precision": "auto"},
    ),
    "accumulated": ("double", {"dropout": 0.0}, {"accumulate": 3}),
    "few rows": ("double", {"dropout": 0.0}, {"max_tokens": 10, "steps": 20}),
    "dropout": ("float", {}, {}),
}
SCRIPT = textwrap.dedent(
    """
    import json, os, signal, sys
    from pathlib import Path
    sys.path.insert(0, {here!r})
    import torch
    from safetensors.torch import save_file
    from attnbook.command import main, train as command_train
    from attnbook.training import checkpoint, number_types, workers
    from test_parallel import JOBS, command, fit
    from test_loop import config_of, model_of, task, train, weights_of

    folder = Path({folder!r})


    def signal_self(number, me, calls):
        calls = iter(range(calls))
        def hook(*_):
            if me == 1 and next(calls, None) is None:
                os.kill(os.getpid(), number)
        return hook


    def do_jobs(me):
        # worker 1 must not try; it is told what worker 0 found
        number_types.measure = lambda *_: (2 / (1 - me), 1)
        for name in JOBS:
            own = folder / f"run {{name}} of {{me}}"
            model, history = fit(name, own, task()[0][:9])
            save_file(weights_of(model), folder / f"{{name}}-{{me}}.weights")
            if JOBS[name][2].get("steps") == 1:
                gradients = {{n: p.grad for n, p in model.named_parameters()}}
                save_file(gradients, folder / f"{{name}}-{{me}}.gradients")
            (folder / f"{{name}}-{{me}}.json").write_text(json.dumps(history))


    def be_interrupted(me):
        model = model_of()
        hook = signal_self(signal.SIGINT, me, 5)
        model.encoder.register_forward_hook(hook)
        try:
            train(model, task()[0], config_of(), folder / "both")
        except KeyboardInterrupt:
            last = checkpoint.steps(folder / "both")[-1][0]
            (folder / f"stopped-{{me}}").write_text(str(last))
        model = model_of()
        train(model, task()[0], config_of(), folder / "both")
        save_file(weights_of(model), folder / f"interrupted-{{me}}.weights")


    if os.environ["TORCHELASTIC_RESTART_COUNT"] == "0":
        hook = signal_self(signal.SIGKILL, int(os.environ["RANK"]), 500)
        torch.nn.modules.module.register_module_forward_hook(hook)
        sys.exit(main.main(command(folder / "killed")))
    with workers.join_workers(torch.device("cpu")):
        me = workers.rank()
        last = checkpoint.steps(folder / "killed/run")[-1][0]
        (folder / f"killed-{{me}}").write_text(str(last))
        for name in ("killed", "whole"):
            options = main.make_parser().parse_args(command(folder / name))
            command_train.train_here(options, torch.device("cpu"))
        do_jobs(me)
        be_interrupted(me)
    """
)


def fit(name, folder=None, valid=None):
    """Run a job; return its model and history."""
    kind, fields, changes = JOBS[name]
    model = getattr(model_of(**fields), kind)()
    history = train(model, task()[0], config_of(**changes), folder, valid)
    return model, history


def command(folder):
    """Return a command that trains with two files that it writes."""
    for name, words in (("a", "red dog and cat"), ("b", "chien et chat")):
        words = words.split()
        lines = [words[i % 3 : i % 3 + 1 + i % 2] * 2 for i in range(90)]
        text = "\n".join(" ".join(line) for line in lines)
        write_file(folder / name, text)
    words = ["train", "--data", "files", "--train"]
    words += [str(folder / "a"), str(folder / "b"), "--merges", "9"]
    words += ["--d-model", "16", "--d-ff", "16", "--heads", "2"]
    words += ["--layers", "1", "--max-tokens", "128", "--device", "cpu"]
    words += ["--precision", "fp32", "--steps", "40", "--save-every", "4"]
    return [*words, "--out", str(folder / "run")]


def launch(script):
    """Let torchrun start two workers; return what they printed.

    One launch for all tests: starting five processes takes longer than
    what they do.
    """
    torchrun = ["-m", "torch.distributed.run", "--standalone"]
    torchrun += ["--nproc-per-node", "2", "--max-restarts", "1"]
    run = subprocess.Popen(
        [sys.executable, *torchrun, str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )
    try:
        output, errors = run.communicate(timeout=300)
    except subprocess.TimeoutExpired:
        run.terminate()  # torchrun ends its workers
        raise
    assert run.returncode == 0, errors
    return output


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """Return the folder in which two workers have done all jobs."""
    folder = tmp_path_factory.mktemp("two workers")
    script = folder / "script.py"
    here = str(Path(__file__).parent)
    script.write_text(SCRIPT.format(here=here, folder=str(folder)))
    output = launch(script)
    assert output.count("translates more") == 2  # of the killed, the whole
    return folder


def results(trained, name, end=".weights"):
    return [load_file(trained / f"{name}-{me}{end}") for me in (0, 1)]


@pytest.mark.parametrize("name", ["float64", "accumulated", "few rows"])
def test_two_workers_train_what_one_process_trains(trained, name):
    alone, history = fit(name, None, task()[0][:9])
    first, second = results(trained, name)
    assert same(first, second)
    torch.testing.assert_close(
        first, weights_of(alone), rtol=0, atol=1e-9, check_dtype=True
    )
    written = json.loads((trained / f"{name}-0.json").read_text())
    assert [note["step"] for note in written] == [n["step"] for n in history]
    for ours, theirs in zip(written, history, strict=True):
        assert ours == pytest.approx(theirs, abs=1.1e-4)


def test_a_worker_may_have_no_row():
    """What the job of few rows is about: it has such batches."""
    pairs, _ = task()
    stream = training.batch_stream(pairs, 10, 0)
    rows = {len(next(stream)[1].labels) for _ in range(20)}
    assert rows == {1, 2, 3}


@pytest.mark.parametrize("name", ["gradient", "halves"])
def test_the_first_gradient_is_that_of_one_process(trained, name, monkeypatch):
    monkeypatch.setattr(number_types, "measure", lambda *_: (2, 1))
    alone, _ = fit(name)
    first, second = results(trained, name, ".gradients")
    assert same(first, second)
    short = name == "halves" and cpu_has_bfloat16()
    if name == "halves":
        noted = RunFolder(trained / "run halves of 0").read_state()
        assert noted["precision"] == ("bf16" if short else "fp32")
    ours = torch.cat([t.flatten() for t in first.values()])
    theirs = torch.cat([alone.get_parameter(n).grad.flatten() for n in first])
    assert (ours - theirs).norm() < (0.02 if short else 1e-5) * theirs.norm()


def test_each_worker_drops_other_numbers(trained):
    """Their weights stay equal all the same; one process has others."""
    first, second = results(trained, "dropout")
    assert same(first, second)
    assert not same(first, weights_of(fit("dropout")[0]))


def test_worker_0_alone_writes(trained):
    runs = {path.name for path in trained.glob("run *")}
    assert runs == {f"run {name} of 0" for name in JOBS}
    assert json.loads((trained / "float64-1.json").read_text()) == []


def test_ctrl_c_at_one_worker_stops_all_after_the_same_step(trained):
    stopped = [(trained / f"stopped-{me}").read_text() for me in (0, 1)]
    assert stopped == ["6", "6"]
    undisturbed, _ = results(trained, "dropout")
    for interrupted in results(trained, "interrupted"):
        assert same(interrupted, undisturbed)


def test_a_run_that_loses_a_worker_ends_the_same(trained):
    """kill -9 of one in the middle of a step; torchrun starts both anew."""
    found = [int((trained / f"killed-{me}").read_text()) for me in (0, 1)]
    assert 0 < found[0] == found[1] < 40
    whole, killed = (
        load_file(trained / name / "run/model.safetensors")
        for name in ("whole", "killed")
    )
    assert same(whole, killed)


def test_alone_a_step_takes_all_rows_and_adds_up_nothing(monkeypatch):
    """One `update` serves one worker and many."""
    pairs, _ = task()
    batch = make_batch(pairs[:7])
    monkeypatch.setattr(parallel.dist, "all_reduce", None)  # never called
    assert torch.equal(parallel.shard(batch).labels, batch.labels)
    loss = torch.tensor(3.0)
    assert parallel.sum_gradients(model_of(), loss) is loss


TORCHRUN = {
    "WORLD_SIZE": "2",
    "RANK": "1",
    "LOCAL_RANK": "1",
    "MASTER_ADDR": "127.0.0.1",
    "MASTER_PORT": "29500",
}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"RANK": None}, "got no RANK"),
        ({"WORLD_SIZE": None}, "got no WORLD_SIZE"),
        ({"MASTER_ADDR": None, "MASTER_PORT": None}, "MASTER_ADDR, MASTER_"),
        ({"RANK": "2"}, "RANK < WORLD_SIZE, got 2, 2, 1"),
        ({"WORLD_SIZE": "two"}, "got two, 1, 1"),
    ],
)
def test_an_environment_that_is_not_torchruns_is_refused(
    monkeypatch, changes, message
):
    for name, value in (TORCHRUN | changes).items():
        if value is None:
            monkeypatch.delenv(name, raising=False)
        else:
            monkeypatch.setenv(name, value)
    with (
        pytest.raises(ValueError, match=message),
        workers.join_workers(torch.device("cpu")),
    ):
        pass


def test_one_worker_is_no_group(monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "1")
    with workers.join_workers(torch.device("cpu")) as device:
        assert device.type == "cpu" and not workers.is_distributed()
        assert (workers.world_size(), workers.rank()) == (1, 0)


def test_more_workers_than_gpus_are_refused(monkeypatch):
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    with pytest.raises(ValueError, match="2 or more workers and 1 GPU"):
        workers.assign_device(torch.device("cuda"), 1)


def test_workers_with_different_checkpoints_are_refused(monkeypatch):
    def other_is_at_4(found):
        found[1] = 4

    monkeypatch.setattr(workers, "is_distributed", lambda: True)
    monkeypatch.setattr(workers, "world_size", lambda: 2)
    monkeypatch.setattr(workers, "rank", lambda: 0)
    monkeypatch.setattr(parallel.dist, "all_reduce", other_is_at_4)
    with pytest.raises(ValueError, match=r"those of steps \[8, 4\]"):
        parallel.broadcast_parameters(model_of(), 8)
