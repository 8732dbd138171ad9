"""Wait for a device before its clock is read."""

import torch


def waiter(device):
    """Return a function that waits until the device has finished."""
    if device.type == "cuda":
        return torch.cuda.synchronize
    return lambda: None
