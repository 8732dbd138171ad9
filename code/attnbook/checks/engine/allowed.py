"""What a graded answer may use: the names of the rule, and its words.

`policy` holds an answer's source against it, at home and in the grader, and
the student's notebook prints `SAID`.
"""


def words(text):
    """Return the words of a text as a set."""
    return set(text.split())


USUAL = "torch, math, numpy, itertools, functools, collections"
SAID = (
    f"A graded function may import {USUAL} and other modules of Python that "
    "only compute, and sacrebleu or matplotlib where a task is about them. "
    "Any other package is refused (this course's; einops and scipy are not "
    "there when you are graded), and so is what compiles, tests, loads or "
    "saves in PyTorch (`torch.compile`, `torch.testing`, `torch.load`)."
)
MODULES = words(
    """torch math numpy itertools functools collections typing dataclasses
    random copy operator string re statistics time matplotlib sacrebleu abc
    enum heapq bisect contextlib fractions decimal numbers warnings textwrap
    __future__ cmath array"""
)
BUILTINS = words("__import__ eval exec compile globals locals open breakpoint")
PACKAGE = words("attnbook checks")
PARTS = words(  # of allowed modules, that no task needs
    """torch.ops torch.utils torch.load torch.save torch.jit torch.hub
    torch.package torch.multiprocessing torch.distributed torch.classes
    torch.library torch.from_file torch.compile torch.export torch.fx
    torch.overrides torch.testing torch.compiler torch.ao torch.quantization
    torch.nn.attention torch.nn.quantizable torch.nn.quantized torch.nn.qat
    torch.nn.intrinsic torch.serialization torch.cpp torch.onnx numpy.load
    numpy.save numpy.savez numpy.loadtxt numpy.genfromtxt numpy.fromfile
    numpy.memmap numpy.f2py numpy.ctypeslib operator.attrgetter
    operator.methodcaller string.Formatter typing.get_type_hints
    typing.ForwardRef"""
)
WIDE = {*PARTS, "torch.nn.functional.", "torch.nn."}
STILL_ALLOWED = {"torch.utils.flop_counter"}
DOORS = words(  # modules that other modules hold by chance
    """sys os builtins subprocess socket inspect gc ctypes importlib types io
    pickle shutil pathlib threading multiprocessing signal torch"""
)
INSIDE = words("getattr vars dir setattr delattr")
DUNDERS = words(
    """__init__ __name__ __qualname__ __doc__ __call__ __len__ __getitem__
    __setitem__ __iter__ __next__ __contains__ __repr__ __str__ __eq__ __lt__
    __le__ __gt__ __ge__ __hash__ __enter__ __exit__ __add__ __mul__ __sub__
    __truediv__ __matmul__ __neg__ __post_init__ __wrapped__ __file__
    __version__ __annotations__"""
)
KINDS = {  # what a task forbids: its first name stands for all others
    "attention": """scaled_dot_product_attention multi_head_attention_forward
        MultiheadAttention TransformerEncoderLayer TransformerDecoderLayer
        TransformerEncoder TransformerDecoder Transformer flex_attention
        varlen_attn self_attn multihead_attn""",
    "autograd": """autograd jacobian jacrev jacfwd vjp jvp hessian hvp vhp
        backward requires_grad requires_grad_ retain_grad grad grad_fn
        grad_and_value linearize func functorch forward_ad make_dual
        dual_level Function""",
    "softmax": """softmax log_softmax softmin gumbel_softmax cross_entropy
        linear_cross_entropy Softmax LogSoftmax Softmin Softmax2d
        AdaptiveLogSoftmaxWithLoss CrossEntropyLoss LinearCrossEntropyLoss
        distributions scaled_dot_product_attention
        multi_head_attention_forward MultiheadAttention Transformer
        TransformerEncoderLayer TransformerDecoderLayer flex_attention""",
    "layer_norm": """layer_norm LayerNorm native_layer_norm group_norm
        GroupNorm native_group_norm instance_norm InstanceNorm1d
        InstanceNorm2d InstanceNorm3d LazyInstanceNorm1d LazyInstanceNorm2d
        LazyInstanceNorm3d batch_norm native_batch_norm BatchNorm1d
        BatchNorm2d BatchNorm3d LazyBatchNorm1d LazyBatchNorm2d
        LazyBatchNorm3d SyncBatchNorm batch_norm_stats rms_norm RMSNorm
        Transformer TransformerEncoderLayer TransformerDecoderLayer""",
    "gru": "gru gru_cell GRU GRUCell quantized_gru quantized_gru_cell RNNBase",
}
OTHERS = {  # what the names of a task stand for, in words
    "attention": ", and so is a layer that holds one of them",
    "autograd": ", and so is any other way to let PyTorch differentiate",
    "softmax": ", and so is what holds one, such as `cross_entropy`",
    "layer_norm": ", and so is any other norm of PyTorch's",
    "gru": "",
}
KINDS = {kind: text.split() for kind, text in KINDS.items()}


def kinds_in(names):
    """Return the kinds that names stand for: their own, or their first."""
    return [kind for kind, x in KINDS.items() if {kind, x[0]} & {*names}]


def in_short(names):
    """Return forbidden names as a check takes them: kinds, and what is left.

    Args:
        names: as an exercise states them; if there are none, the course's
            package is, which every task forbids.
    """
    kinds = kinds_in(names)
    known = {name for kind in kinds for name in KINDS[kind]}
    left = [name for name in names if name not in known]
    return " ".join([*kinds, *left]) or "attnbook"


def forbidden(names):
    """Return all that names forbid, a set; a kind is no name of its own."""
    alone = {*names} - {*KINDS} - PACKAGE
    return alone.union(*(KINDS[kind] for kind in kinds_in(names)))


def is_dunder(name):
    """Say whether a name is one of Python's own, and no common one."""
    own = name.startswith("__") and name.endswith("__") and len(name) > 4
    return own and name not in DUNDERS


def is_private(name):
    """Say whether a name begins with _, and is none of a named tuple."""
    own = name.startswith("_") and name not in DUNDERS
    return own and name not in ("_replace", "_asdict", "_fields")


def about_path(path):
    """Return the complaint about a dotted path of a module, or ""."""
    top, *rest = path.split(".")
    if top in PACKAGE:
        return f"uses {path}, the course's own package"
    if any(f"{path}.".startswith(f"{x}.") for x in STILL_ALLOWED):
        return ""
    if path.endswith(".*") and any(x.startswith(path[:-1]) for x in WIDE):
        return f"imports everything of {path[:-2]}; name what it needs"
    for part in sorted(PARTS):  # other modules hold some: fractions.operator
        if f".{part}." in f".{path}.":
            return f"uses {part}, which no task needs"
    for name in rest:
        if name in DOORS or is_private(name):
            return f"uses {path}, which is no part of {top} to use"
    return ""
