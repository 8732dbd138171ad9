"""Private names of PyTorch that the sandbox uses; see `attnbook.compat`.

Beside an answer no other folder of the package is there, so the sandbox has
its own list.
"""

import torch
import torch.overrides as functions
import torch.utils._python_dispatch as dispatch
import torch.utils._pytree as pytree

# A watch of all operations: documented, but at this address alone (2.0).
TorchDispatchMode = dispatch.TorchDispatchMode

# The tensors in nested lists and dicts; there is no public form (2.2).
tree_leaves = pytree.tree_leaves

# Which watches are at work, of functions and of operations: nothing public
# tells (2.0).
function_modes = functions._get_current_function_mode_stack
dispatch_modes = dispatch._get_current_dispatch_mode_stack

# Contexts in which no watch sees what is computed; nothing public (2.0).
without_function_modes = torch._C.DisableTorchFunction
without_dispatch_modes = dispatch._disable_current_modes


def is_view(tensor):
    """Say whether a tensor is a view; nothing public tells (2.0)."""
    return tensor._is_view()
