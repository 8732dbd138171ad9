"""In which number type, and with which attention, a device computes."""

import contextlib

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from attnbook.compat import cpu_has_bfloat16


def has_bfloat16(device):
    """Say whether a device computes in bfloat16 itself, not by emulation."""
    if device.type == "cuda":
        return torch.cuda.get_device_capability(device) >= (8, 0)
    if device.type == "cpu":
        return cpu_has_bfloat16()
    return False


PRECISIONS = {
    "fp32": torch.float32,
    "bf16": torch.bfloat16,
    "fp16": torch.float16,
}


def choose_precision(precision, device):
    """Return the number type to compute in.

    Args:
        precision: "auto", "fp32", "bf16" or "fp16".  "auto" is bf16 where
            the device has it, else fp16 on a GPU, else fp32.  Whether a
            CPU is faster in it, a run finds out: `number_types.decide`.
        device: a `torch.device`.

    Returns:
        The name, one of `PRECISIONS`.

    Raises:
        ValueError: an unknown precision, or fp16 on a CPU.
    """
    if precision == "auto":
        if has_bfloat16(device):
            return "bf16"
        return "fp16" if device.type == "cuda" else "fp32"
    if precision not in PRECISIONS:
        raise ValueError(
            f"expected a precision of {['auto', *PRECISIONS]}, got "
            f"{precision!r}"
        )
    if precision == "fp16" and device.type == "cpu":
        raise ValueError("expected fp32 or bf16 on a CPU, got fp16")
    return precision


def autocast(precision, device):
    """Return a context in which matrix products use the precision."""
    if precision == "fp32":
        return contextlib.nullcontext()
    return torch.autocast(device.type, PRECISIONS[precision])


# PyTorch's forms of attention that prepare nothing for a new shape.
FORMS = [
    SDPBackend.FLASH_ATTENTION,
    SDPBackend.EFFICIENT_ATTENTION,
    SDPBackend.MATH,
]


def for_many_shapes(device):
    """Return a context for batches of many lengths.

    On some GPUs, an H100 among them, PyTorch's first choice for attention in
    16 bits is cuDNN's form, which builds a plan for every new shape of a
    batch.  It is left out here; the other forms are allowed.  The runs of
    ``results.load("multi30k_quality")`` were made without this.

    Args:
        device: a `torch.device`; on a CPU nothing changes.
    """
    if device.type != "cuda":
        return contextlib.nullcontext()
    return sdpa_kernel(FORMS)
