"""Private names of PyTorch that the package uses.

What begins with an underscore may change with any release of PyTorch, and
then this is the module to mend, with `teaching.sandbox.compat`: the sandbox
sees no other folder.  Each has a line: why no public name serves, and in
brackets a version that has it.
"""

import torch
import torch.utils._python_dispatch as dispatch
import torch.utils._pytree as pytree

# A watch of all operations: documented, but at this address alone (2.0).
TorchDispatchMode = dispatch.TorchDispatchMode

# The tensors in nested lists and dicts; there is no public form (2.2).
tree_leaves = pytree.tree_leaves

# One launch for many tensors, which a GPU needs; PyTorch's own optimizers
# use them, but they have no public name (2.0).
foreach_add_ = torch._foreach_add_
foreach_lerp = torch._foreach_lerp
foreach_lerp_ = torch._foreach_lerp_
foreach_mul_ = torch._foreach_mul_


def cpu_has_bfloat16():
    """Say whether this processor has instructions for bfloat16.

    PyTorch uses them, but says nowhere publicly whether they are there
    (2.6; before that the answer is False).
    """
    names = ("_is_avx512_bf16_supported", "_is_amx_tile_supported")
    probes = [getattr(torch.cpu, name, None) for name in names]
    return any(probe() for probe in probes if probe is not None)


def has_hooks(module):
    """Say whether a module has forward hooks, which can only be set (2.0)."""
    return bool(module._forward_hooks or module._forward_pre_hooks)


def version_of(tensor):
    """Return how often a tensor was written; nothing public tells (2.0)."""
    return tensor._version
