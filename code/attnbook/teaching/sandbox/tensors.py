"""Tensors as a description and raw bytes, and back.

Every size is compared with the bytes that are there, before anything is made
of them.
"""

import math

import torch

BODY = 64 * 2**20  # bytes of all tensors of a message at most
DTYPES = {
    str(dtype).removeprefix("torch."): dtype
    for dtype in (
        *(torch.float16, torch.bfloat16, torch.float32, torch.float64),
        *(torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8),
        *(torch.bool, torch.complex64, torch.complex128),
    )
}


class Refused(Exception):
    """Bytes that are no message, or a value that cannot travel."""


def extent(shape, stride):
    """Return how many numbers of memory a tensor spans."""
    if 0 in shape:
        return 0
    return 1 + sum((n - 1) * s for n, s in zip(shape, stride, strict=True))


def tensor_as(x):
    """Return a dict that describes a tensor, and its bytes."""
    kind = str(x.dtype).removeprefix("torch.")
    if kind not in DTYPES or x.is_quantized or x.is_nested:
        raise Refused(f"a tensor of {kind}")
    about = {
        "dtype": kind,
        "shape": list(x.shape),
        "grad": bool(x.requires_grad),
        "leaf": bool(x.is_leaf),
    }
    if x.layout != torch.strided or x.device.type != "cpu":
        about["kind"] = "meta" if x.device.type == "meta" else "sparse"
        return about, b""
    x = x.detach().resolve_conj().resolve_neg()
    size = extent(x.shape, x.stride())
    if size > 8 * x.numel() + 1024:
        x = x.contiguous()
        size = x.numel()
    about["stride"] = list(x.stride())
    flat = x.as_strided((size,), (1,), x.storage_offset())
    return about, flat.view(torch.uint8).numpy().tobytes() if size else b""


def is_count(n):
    """Say whether something of JSON is a whole number that can be a size."""
    return type(n) is int and 0 <= n <= BODY


def tensor_from(about, body, start):
    """Return a tensor, and where its bytes end.

    Args:
        about: see `tensor_as`.
        body: of the message.
        start: where the bytes begin.

    Raises:
        Refused: the description does not fit the bytes.
    """
    if type(about) is not dict:
        raise Refused("a tensor is described by a dict")
    dtype = DTYPES.get(text_of(about.get("dtype")))
    shape = about.get("shape")
    if dtype is None or type(shape) is not list or len(shape) > 16:
        raise Refused("a tensor of an unknown type")
    if not all(map(is_count, shape)):
        raise Refused("a tensor of no possible shape")
    if math.prod(shape) * dtype.itemsize > BODY:
        raise Refused("a tensor that is too large")
    if "kind" in about:
        return elsewhere(about["kind"], shape, dtype), start
    stride = about.get("stride")
    if type(stride) is not list or len(stride) != len(shape):
        raise Refused("a tensor without strides")
    if not all(map(is_count, stride)):
        raise Refused("a tensor of impossible strides")
    size = extent(shape, stride)
    end = start + size * dtype.itemsize
    if end > len(body):
        raise Refused("a tensor without its bytes")
    flat = numbers_of(bytearray(body[start:end]), dtype)
    return flat.as_strided(shape, stride), end


def numbers_of(raw, dtype):
    """Return bytes as a tensor of one axis."""
    if not raw:
        return torch.empty(0, dtype=dtype)
    if dtype == torch.bool:
        return torch.frombuffer(raw, dtype=torch.uint8) != 0
    return torch.frombuffer(raw, dtype=dtype).clone()


def elsewhere(kind, shape, dtype):
    """Return a tensor without numbers, for one that is no dense one."""
    if kind == "meta":
        return torch.empty(shape, dtype=dtype, device="meta")
    return torch.sparse_coo_tensor(
        torch.zeros(len(shape), 0, dtype=torch.long),
        torch.zeros(0, dtype=dtype), shape, check_invariants=False,
    )  # fmt: skip


def tensors_from(abouts, body):
    """Return all tensors of a message, a list; else `Refused`."""
    if type(abouts) is not list:
        raise Refused("tensors stand in a list")
    found, end = [], 0
    for about in abouts:
        try:
            x, end = tensor_from(about, body, end)
        except RuntimeError as error:
            raise Refused(f"no tensor: {error}") from None
        found.append(x)
    if end != len(body):
        raise Refused("more bytes than tensors")
    if sum(x.numel() * x.itemsize for x in found) > 2 * BODY:
        raise Refused("tensors that are too large")
    return found


def text_of(x):
    """Return a text of JSON, "" if it is none."""
    return x if type(x) is str else ""


def place_of(parts):
    """Return the place of a tensor in the message."""
    if not parts or not is_count(parts[0]):
        raise Refused("no place of a tensor")
    return parts[0]
