"""Errors that cross a pipe: a name, a kind of Python's own, a few words."""

import builtins

from attnbook.teaching.sandbox import tensors

MESSAGE = 2000  # letters of an error's message
NAME = 200  # of a type's name
PLAIN = {
    name: kind
    for name, kind in vars(builtins).items()
    if isinstance(kind, type)
    and issubclass(kind, Exception | SystemExit)
    and not issubclass(kind, UnicodeError)
}


def clean(name, otherwise="object"):
    """Return a name that can be a type's, whatever came."""
    name = tensors.text_of(name)
    usual = len(name) <= NAME and name.isascii() and name.isidentifier()
    return name if usual else otherwise


class Faults:
    """The errors that one end has met, some of which may come back."""

    def __init__(self):
        self.met, self.counter = [], 0

    def write(self, error):
        """Return what JSON can hold of an error."""
        kind = type(error)
        plain = [k.__name__ for k in kind.__mro__ if k in PLAIN.values()]
        base = plain[0] if plain else "RuntimeError"
        try:
            text = str(error)[:MESSAGE]
        except BaseException:
            text = None
        if getattr(error, "came_from", None) is self:
            return [kind.__name__, base, text, error.reference]
        # without its frames, which hold whatever was sent
        self.met = [*self.met[-50:], error.with_traceback(None)]
        self.counter += 1
        vars(error)["sandbox_number"] = self.counter
        return [kind.__name__, base, text, -self.counter]

    def read(self, about):
        """Return the error that the other side has met."""
        whole = type(about) is list and len(about) == 4
        if not whole or PLAIN.get(tensors.text_of(about[1])) is None:
            raise tensors.Refused("no error")
        name, base, text, reference = about
        said = tensors.text_of(text)[:MESSAGE]
        for error in self.met:  # one of ours that comes back
            if getattr(error, "sandbox_number", None) == reference:
                return error
        kind = PLAIN[base]
        if name != base:
            kind = type(clean(name, "Exception"), (kind,), {})
        error = kind(said) if text is not None else kind()
        if issubclass(kind, KeyError):  # it shows the key as it is written
            shown = {"__str__": lambda _: said}
            error = type(kind.__name__, (kind,), shown)()
        if type(reference) is int and reference < 0:
            error.came_from, error.reference = self, -reference
        return error
