"""Reproducibility: seeds, sizes, and the machine a number came from."""

import platform
import random

import numpy as np
import torch


def seed_everything(seed):
    """Seed every generator of random numbers that the course uses.

    Args:
        seed: an int of at least 0.

    Raises:
        ValueError: a negative seed.
    """
    if seed < 0:
        raise ValueError(f"expected a seed of at least 0, got {seed}")
    random.seed(seed)
    np.random.seed(seed % 2**32)
    torch.manual_seed(seed)


def parameter_count(model):
    """Count the trainable numbers of a model, shared ones once.

    Args:
        model: an `nn.Module`.

    Returns:
        int.
    """
    return sum(p.numel() for p in model.parameters() if p.requires_grad)


def describe_machine():
    """Describe what computes: the fields that a stored result must carry.

    Returns:
        A dict of "device", "threads", "python", "torch" and "capability"
        (the instructions that PyTorch uses on this processor).
    """
    cuda = torch.cuda.is_available()
    device = torch.cuda.get_device_name() if cuda else platform.machine()
    return {
        "device": f"cuda: {device}" if cuda else f"cpu: {device}",
        "threads": torch.get_num_threads(),
        "python": platform.python_version(),
        "torch": torch.__version__,
        "capability": torch.backends.cpu.get_cpu_capability(),
    }
