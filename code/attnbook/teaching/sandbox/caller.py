"""The judge's end of the pipe: it believes nothing."""

import hashlib
import secrets
import types

import torch

from attnbook.teaching.sandbox import peer, tensors, trace, wire

GRAPHS = 128 * 2**20  # bytes that wait for gradients


def found_in(graph):
    """Return the inputs of a call whose gradients may be asked for."""
    return graph[0] if type(graph) is tuple else graph


class Caller(peer.Peer):
    """The judge's end of the pipe."""

    def number(self):
        """Return a number that the child cannot know before."""
        return secrets.randbits(62) + 1

    def gradients(self, number, gradients):
        """Ask for gradients, no longer than the answer may take."""
        with trace.unwatched():
            ask = super().gradients
            return self.guard(lambda: ask(number, gradients))

    def serve_call(self, header, tensors):
        """Call a function of the judge, while there is room for gradients."""
        leaves = sum((found_in(x) for x in self.graphs.values()), [])
        if sum(x.numel() * x.itemsize for x in leaves) > GRAPHS:
            raise wire.Refused("gradients of too many calls")
        return super().serve_call(header, tensors)

    def remote(self, number, name, attributes, missing):
        """Return what stands for an object of the answer: a name alone."""
        if len(self.remotes) > 1000:
            raise wire.Refused("too many things")
        return super().remote(number, name, (), "")

    def arrived(self, value, args, sent, header):
        """Return the result; show watches what was seen, change inputs."""
        if type(value) is not tuple or len(value) != 4:
            raise wire.Refused("no result")
        result, after, seen, error = value
        if after is not None:
            overwrite(list(args), after)
        functions, operations = self.watches
        try:
            if functions and seen:
                trace.show_names(functions, *seen)
            elif operations and seen:
                trace.show_operations(operations, seen, sent)
        except (TypeError, ValueError, IndexError, RuntimeError):
            raise wire.Refused("nothing that was watched") from None
        if error is not None:
            raise self.faults.read(list(error))
        return result


def overwrite(old, new):
    """Change an input as the answer has changed its copy.

    Args:
        old: the input.
        new: what the copy is now.

    Returns:
        The input if it could be changed, else the new one.
    """
    if type(new) is not type(old):
        return new
    if isinstance(old, torch.Tensor):
        same = old.shape == new.shape and old.dtype == new.dtype
        if same and torch.equal(old, new):
            return old
        old.data = new.detach()
    elif isinstance(old, tuple) and len(old) == len(new):
        kept = tuple(map(overwrite, old, new))
        same = all(a is b for a, b in zip(kept, old, strict=True))
        return old if same else kept
    elif isinstance(old, list):
        kept = [overwrite(a, b) for a, b in zip(old, new, strict=False)]
        old[:] = kept + new[len(old) :]
    elif isinstance(old, dict | set) and old != new:
        old.clear()
        old.update(new)
    elif not isinstance(old, dict | set):
        return new
    return old


def code_of(facts):
    """Return the facts of a function's code, None if there are none."""
    if type(facts) is not dict or not facts:
        return None
    names = facts.pop("co_names", [])
    counts = {k: v for k, v in facts.items() if tensors.is_count(v)}
    named = tuple(tensors.text_of(name) for name in names)
    return types.SimpleNamespace(co_names=named, **counts)


def seed():
    """Return a seed out of PyTorch's random state, and move it on."""
    state = torch.get_rng_state().numpy().tobytes()
    torch.rand(())
    digest = hashlib.blake2b(state, digest_size=7).digest()
    return int.from_bytes(digest, "big")
