"""A pytest plugin: numbers may move a little, claims must hold.

Beside nbval, for cells whose metadata has the key ``numbers``; see
code/tools/cell_numbers.py for what may stand there.  All other cells are
compared as nbval does.  A plot is compared by none: its SVG is left out, as
nbval leaves out a PNG.
"""

import ast
import copy
import json
import time

import pytest
from nbval.plugin import IPyNbCell

from cell_numbers import (
    allowed,
    complaints,
    differences,
    has_absolute,
    names_in,
    sides_of,
)
from chapter_files import SVG, is_plot

SLOW = {"02_bottleneck", "12_learning", "13_translation"}
# Evaluated in the kernel.  A column of the table that the cell shows comes
# before a name of the notebook.
COLUMNS = (
    "{str(c): t[c] for t in [get_ipython().displayhook._] "
    "if hasattr(t, 'columns') for c in t.columns}"
)
VALUE = (
    "(lambda v: __import__('json').dumps(v.item() if hasattr(v, 'item') "
    "else v))(eval({side!r}, {{**globals(), **{columns}}}))"
)


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session):
    """Let a second process begin later.

    Kernels that start in the same instant may pick the same port.
    """
    if hasattr(session.config, "workerinput"):
        number = session.config.workerinput["workerid"].removeprefix("gw")
        time.sleep(int(number))


def pytest_collection_modifyitems(items):
    """Let the cells with numbers of their own be tested here.

    Chapters that take longest come first, so that no worker waits.
    """
    items.sort(key=lambda item: item.path.stem not in SLOW)
    for place, item in enumerate(items):
        if isinstance(item, IPyNbCell):
            numbers = "numbers" in item.cell.metadata
            items[place] = (NumbersCell if numbers else Cell).from_parent(
                item.parent,
                name=item.name,
                cell_num=item.cell_num,
                cell=item.cell,
                options=item.options,
            )


def operations(node):
    """Return the kinds of arithmetic in an expression, indices left out."""
    found = [type(node.op)] if isinstance(node, ast.BinOp) else []
    for child in ast.iter_child_nodes(node):
        if child is not getattr(node, "slice", None):
            found += operations(child)
    return found


def interval(side, size, numbers):
    """Return the lowest and the highest value that a side may have.

    The relative tolerances of factors add up.  What a sum of numbers may be
    cannot be told from its value, so a side has none.

    Raises:
        ValueError: arithmetic whose tolerance cannot be told.
    """
    if not names_in(side) or isinstance(size, int):
        return size, size
    tree = ast.parse(side, mode="eval")
    nodes = [getattr(node, "id", None) for node in ast.walk(tree)]
    names = [name for name in nodes if name in names_in(side)]
    kinds = set(operations(tree))
    fixed = any(has_absolute(numbers, name) for name in names)
    if kinds and (kinds - {ast.Mult, ast.Div} or fixed):
        raise ValueError(
            "expected a name, or products and quotients of numbers with "
            f"relative tolerances, got {side}; print it and name it"
        )
    may = sum(allowed(numbers, name, size) for name in names)
    return size - may, size + may


def holds(left, sign, right):
    """Say whether a comparison holds for all values of two intervals."""
    (low, high), (lower, higher) = left, right
    return {
        "<": high < lower,
        "<=": high <= lower,
        ">": low > higher,
        ">=": low >= higher,
        "==": low == high == lower == higher,
        "!=": high < lower or low > higher,
    }[sign]


def judge(claim, sizes, numbers):
    """Return what is wrong with a claim, None if nothing is.

    Args:
        claim: one comparison.
        sizes: the value of each side, int or float.
        numbers: the metadata of the cell.
    """
    sides, signs = sides_of(claim)
    exact = [(size, size) for size in sizes]
    wide = [interval(s, v, numbers) for s, v in zip(sides, sizes, strict=True)]
    shown = ", ".join(
        f"{side} = {size:.6g}" + (f" +- {high - size:.3g}" * (high > low))
        for side, size, (low, high) in zip(sides, sizes, wide, strict=True)
    )
    for ranges, expected in (
        (exact, "it to hold"),
        (wide, "it to hold for all values within the tolerance"),
    ):
        pairs = zip(ranges, signs, ranges[1:], strict=False)
        if not all(holds(*pair) for pair in pairs):
            return f"claim {claim!r}: expected {expected}, got {shown}"
    return None


def without_plots(outputs):
    """Return a copy of outputs that lacks the SVG of plots."""
    outputs = copy.deepcopy(outputs)
    for output in outputs:
        if is_plot(output):
            del output["data"][SVG]
    return outputs


class Cell(IPyNbCell):
    """A cell whose plots are not compared."""

    def compare_outputs(self, test, ref, skip_compare=None):
        """Compare as nbval does, without the SVG of plots."""
        sides = without_plots(test), without_plots(ref)
        return super().compare_outputs(*sides, skip_compare)


class NumbersCell(Cell):
    """A cell with a tolerance, claims, or both."""

    @property
    def numbers(self):
        """The metadata of the cell."""
        return self.cell.metadata["numbers"]

    def compare_outputs(self, test, ref, skip_compare=None):
        """Compare as nbval does, after forgiving what may have moved."""
        wrong = complaints(self.numbers)
        test = copy.deepcopy(test)
        shown = json.dumps(ref, ensure_ascii=False)
        wrong += [
            f"column {name!r}: expected a table that has it, got none"
            for name in self.numbers.get("columns", {})
            if not wrong and name not in shown
        ]
        loose = not wrong and set(self.numbers) != {"claims"}
        for new, old in zip(test, ref, strict=False) if loose else ():
            new, old = new.get("data", new), old.get("data", old)
            for kind in {"text", "text/plain", "text/html"} & set(new):
                if kind in old:
                    found = differences(new[kind], old[kind], self.numbers)
                    wrong += found
                    new[kind] = new[kind] if found else old[kind]
        equal = super().compare_outputs(test, ref, skip_compare)
        self.comparison_traceback += wrong
        return equal and not wrong

    def runtest(self):
        """Execute the cell, compare its outputs, test its claims."""
        super().runtest()
        wrong = complaints(self.numbers)  # outputs may be ignored
        for claim in () if wrong else self.numbers.get("claims", []):
            wrong += self.test_claim(claim)
        if wrong:
            self.raise_cell_error("Numbers or claims fail", "\n".join(wrong))

    def test_claim(self, claim):
        """Return a list of what is wrong with a claim."""
        sides, _ = sides_of(claim)
        try:
            sizes = [self.value(side) for side in sides]
            wrong = judge(claim, sizes, self.numbers)
        except ValueError as error:
            return [f"claim {claim!r}: {error}"]
        return [wrong] if wrong else []

    def value(self, side):
        """Evaluate an expression in the kernel, which keeps no trace.

        Raises:
            ValueError: an error, or something else than one number.
        """
        shown = any(
            o.output_type == "execute_result" for o in self.test_outputs
        )
        columns = COLUMNS if shown else "{}"
        reply = self.parent.kernel.kc.execute(
            "",
            silent=True,
            store_history=False,
            user_expressions={
                "side": VALUE.format(side=side, columns=columns)
            },
            allow_stdin=False,
            reply=True,
            timeout=self.config.option.nbval_cell_timeout,
        )
        answer = reply["content"]["user_expressions"]["side"]
        if answer["status"] != "ok":
            raise ValueError(f"{answer['ename']}: {answer['evalue']}")
        size = json.loads(ast.literal_eval(answer["data"]["text/plain"]))
        if not isinstance(size, (int, float)):
            raise ValueError(f"expected {side} to be a number, got {size!r}")
        return size
