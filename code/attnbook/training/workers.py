"""The workers of one run, as torchrun starts them: who is who.

Every worker is a process with a number.  Without torchrun there is one,
number 0.
"""

import contextlib
import os

import torch
import torch.distributed as dist

NUMBERS = ("WORLD_SIZE", "RANK", "LOCAL_RANK")
ADDRESS = ("MASTER_ADDR", "MASTER_PORT")


def read_environment():
    """Return what torchrun says about this process.

    Returns:
        Number of workers, number of this one, and its number on this
        computer; (1, 0, 0) without torchrun.

    Raises:
        ValueError: a variable that is missing, or no possible number.
    """
    asked = "RANK" in os.environ or "WORLD_SIZE" in os.environ
    if not asked or os.environ.get("WORLD_SIZE") == "1":
        return 1, 0, 0
    missing = [n for n in NUMBERS + ADDRESS if n not in os.environ]
    if missing:
        raise ValueError(
            f"expected {', '.join(NUMBERS + ADDRESS)} in the environment, "
            f"as torchrun sets them, got no {', '.join(missing)}"
        )
    texts = [os.environ[name] for name in NUMBERS]
    total, rank, local = (int(t) if t.isdigit() else -1 for t in texts)
    if not 0 <= local <= rank < total:
        raise ValueError(
            f"expected {', '.join(NUMBERS)} in the environment with "
            f"0 <= LOCAL_RANK <= RANK < WORLD_SIZE, got {', '.join(texts)}"
        )
    return total, rank, local


def assign_device(device, local):
    """Return the device of one worker: a GPU of its own, or the CPU."""
    if device.type != "cuda":
        return device
    if local >= torch.cuda.device_count():
        raise ValueError(
            f"expected a GPU for each worker, got {local + 1} or more workers "
            f"and {torch.cuda.device_count()} GPU(s); start fewer, or add "
            "--device cpu"
        )
    device = torch.device("cuda", local)
    torch.cuda.set_device(device)
    return device


def _connect(backend):
    """Connect to the other workers.

    After a restart, torchrun's store of addresses still holds those of the
    dead: every start writes under a name of its own.
    """
    start = os.environ.get("TORCHELASTIC_RESTART_COUNT", "0")
    store, rank, total = next(dist.rendezvous("env://"))
    store = dist.PrefixStore(f"start {start}", store)
    dist.init_process_group(backend, store=store, rank=rank, world_size=total)


@contextlib.contextmanager
def join_workers(device):
    """Join the other workers that torchrun has started, if it has.

    Args:
        device: a `torch.device`; workers on GPUs get one each.

    Yields:
        The device of this worker.

    Raises:
        ValueError: an environment that is not torchrun's, or too few GPUs.
    """
    total, _, local = read_environment()
    if total == 1:
        yield device
        return
    device = assign_device(device, local)
    _connect("cpu:gloo,cuda:nccl" if device.type == "cuda" else "gloo")
    try:
        yield device
    finally:
        dist.destroy_process_group()


def is_distributed():
    """Say whether this process is one of several workers."""
    return dist.is_available() and dist.is_initialized()


def world_size():
    """Return the number of workers; 1 without torchrun."""
    return dist.get_world_size() if is_distributed() else 1


def rank():
    """Return this worker's number, from 0."""
    return dist.get_rank() if is_distributed() else 0


def is_any(flag):
    """Say whether a flag is set at any worker; all get the same answer."""
    if not is_distributed():
        return flag
    flags = torch.tensor([int(flag)])  # on the CPU: no GPU has to wait
    dist.all_reduce(flags, dist.ReduceOp.MAX)
    return bool(flags)


def broadcast_number(number):
    """Return worker 0's number, an int, at every worker."""
    if not is_distributed():
        return number
    told = torch.tensor([number])
    dist.broadcast(told, src=0)
    return told.item()


@contextlib.contextmanager
def main_first():
    """Let worker 0 go through a block before all others."""
    if rank() > 0:
        is_any(False)  # returns when all have called it
    yield
    if rank() == 0:
        is_any(False)
