"""What training adds to a model: a loss, a learning rate, a precision.

Dimension letters:
    B batch, T target length, V vocabulary.
"""

import contextlib
import math

import torch
import torch.nn.functional as F


def sequence_loss(logits, labels, pad_id, smoothing=0.0, reduction="mean"):
    """Return the cross-entropy of the next words, averaged over tokens.

    Vaswani et al. (2017), sec. 5.4: with smoothing e, the right word gets
    1 - e and all words of the vocabulary share e.  Padding counts nowhere.

    Args:
        logits: scores of every next word, float, (B, T, V).
        labels: the next words, int, (B, T).
        pad_id: the label that does not count.
        smoothing: e, from 0 to below 1.
        reduction: "mean" over the tokens, or their "sum".

    Returns:
        The loss in nats, a scalar, float32; float64 for float64 logits.

    Raises:
        ValueError: shapes that do not fit, smoothing out of range, or
            labels that are all padding.
    """
    if logits.shape[:-1] != labels.shape:
        raise ValueError(
            f"expected logits of shape {(*labels.shape, 'V')}, got "
            f"{tuple(logits.shape)}"
        )
    if not 0 <= smoothing < 1:
        raise ValueError(
            f"expected smoothing from 0 to below 1, got {smoothing}"
        )
    if not torch.compiler.is_compiling() and not (labels != pad_id).any():
        raise ValueError("expected at least one label that is no padding")
    wide = torch.promote_types(logits.dtype, torch.float32)
    return F.cross_entropy(
        logits.flatten(0, -2).to(wide),
        labels.flatten(),
        ignore_index=pad_id,
        label_smoothing=smoothing,
        reduction=reduction,
    )


def noam_lr(step, d_model, warmup):
    """Return the learning rate of the paper: up in a line, down as a root.

    Vaswani et al. (2017), sec. 5.3, eq. (3):
    d_model^-0.5 * min(step^-0.5, step * warmup^-1.5); the peak is at
    step = warmup.

    Args:
        step: number of the step, from 1.
        d_model: width of the model.
        warmup: steps until the peak, at least 1.

    Returns:
        float.

    Raises:
        ValueError: step or warmup below 1.
    """
    if step < 1 or warmup < 1:
        raise ValueError(
            f"expected step and warmup of at least 1, got {step} and {warmup}"
        )
    return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)


def cosine_lr(step, steps, peak, warmup):
    """Return a learning rate: up in a line, down along a cosine to 0.

    Loshchilov and Hutter (2017), eq. (5), without restarts.

    Args:
        step: number of the step, from 1.
        steps: number of the last step.
        peak: learning rate at step = warmup.
        warmup: steps until the peak, at least 1.

    Returns:
        float.

    Raises:
        ValueError: step or warmup below 1.
    """
    if step < 1 or warmup < 1:
        raise ValueError(
            f"expected step and warmup of at least 1, got {step} and {warmup}"
        )
    if step < warmup:
        return peak * step / warmup
    share = (step - warmup) / max(1, steps - warmup)
    return peak * (1 + math.cos(math.pi * min(1.0, share))) / 2


def learning_rate(step, model, config):
    """Return the learning rate of a step.

    Args:
        step: its number, from 1.
        model: the model, for its width.
        config: a `TrainConfig`.

    Returns:
        float.
    """
    if config.schedule == "noam":
        rate = noam_lr(step, model.config.d_model, config.warmup)
        return config.learning_rate * rate
    peak, warmup = config.learning_rate, config.warmup
    return cosine_lr(step, config.steps, peak, warmup)


def make_optimizer(model, config):
    """Return Adam with the paper's betas (sec. 5.3) and decoupled decay."""
    return torch.optim.AdamW(
        model.parameters(),
        lr=config.learning_rate,
        betas=(0.9, 0.98),
        eps=1e-9,
        weight_decay=config.weight_decay,
        fused=True,  # one pass over each parameter instead of a dozen
    )


def has_bfloat16(device):
    """Say whether a device computes in bfloat16 itself, not by emulation."""
    if device.type == "cuda":
        return torch.cuda.get_device_capability(device) >= (8, 0)
    if device.type == "cpu":
        return cpu_has_bfloat16()
    return False


def cpu_has_bfloat16():
    """Say whether this processor has instructions for bfloat16."""
    names = ("_is_avx512_bf16_supported", "_is_amx_tile_supported")
    probes = [getattr(torch.cpu, name, None) for name in names]
    return any(probe() for probe in probes if probe is not None)


PRECISIONS = {
    "fp32": torch.float32,
    "bf16": torch.bfloat16,
    "fp16": torch.float16,
}


def choose_precision(precision, device):
    """Return the number type to compute in.

    Args:
        precision: "auto", "fp32", "bf16" or "fp16".  "auto" is bf16 where
            the device has it, else fp16 on a GPU, else fp32.
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
