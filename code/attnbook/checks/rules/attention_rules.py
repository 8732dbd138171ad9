"""Make rules about attention functions, for the text of one exercise each.

Rules about the temperature come first in an exercise: their adapters know the
page's order of arguments, which later rules change.
"""

from attnbook.checks.engine.rules import Rule
from attnbook.checks.rules.attention_forms import (
    LAYOUTS,
    ORDERS,
    TEMPERATURES,
    back,
    heads_back,
    reordered,
    results_swapped,
    turned,
    with_pair,
    with_temperature,
)

ATTEND_AS_ON_PAGE = "with attend as on the page"
UNDONE = "with its temperature undone"
IN_ORDER = "with its arguments in the page's order"
UPRIGHT = "here the keys come as (B, H, d_k, S), a column per key"


def listed(names):
    """Return names as an argument list."""
    return ", ".join(names)


def temperature(text, code, adapt=with_temperature, seen=UNDONE):
    """Return the rule that scores are divided by a temperature."""
    return Rule(
        name="temperature",
        text=text,
        code=code,
        adapt=adapt,
        page="here the scaled scores are divided by {value}",
        seen=seen,
        values=TEMPERATURES,
    )


def orders(text, code, adapt=reordered, seen=IN_ORDER):
    """Return rules about the order of arguments.

    Args:
        text: a function of the order that returns edits of the text.
        code: the same, of the code.
        adapt: a function of the order that returns the adapter.
        seen: as in `Rule`.
    """
    return tuple(
        Rule(
            name=name,
            text=text(order),
            code=code(order),
            adapt=adapt(order),
            page=f"here the arguments are {listed(order)}, in this order",
            seen=seen,
        )
        for name, order in ORDERS.items()
    )


def layout(name, text, code, adapt, seen=""):
    """Return the rule of one layout of q, k and v; arguments as in `Rule`."""
    words = LAYOUTS[name][2]
    return Rule(
        name=name,
        text=text,
        code=code,
        adapt=adapt,
        page=f"here q, k and v have {words}",
        seen=seen,
    )


def moved(name):
    """Return the line that brings q, k and v into the page's layout."""
    axes = ", ".join(map(str, back(LAYOUTS[name][0])))
    return f"    q, k, v = (x.permute({axes}) for x in (q, k, v))\n"


OF_RESULTS = {  # name: adapter, page, seen
    "weights-first": (
        results_swapped,
        "here the weights come first, then the context",
        "with its results exchanged",
    ),
    "weights-turned": (
        with_pair(weights=turned),
        "here the weights have a row per key, (B, H, S, T)",
        "with the weights turned back, a row per query",
    ),
    "context-behind": (
        with_pair(context=heads_back),
        "here the context has the heads behind the queries, (B, T, H, d_v)",
        "with the context brought back to (B, H, T, d_v)",
    ),
    "context-turned": (
        with_pair(context=turned),
        "here the context has a column per query, (B, H, d_v, T)",
        "with the context turned back, a row per query",
    ),
}


def results(text, code, adapt=None):
    """Return rules about the results.

    Args:
        text: name of a rule -> its edits of the text.
        code: the same, of the code.
        adapt: what makes the adapter of functions into the rule's.
    """
    said = OF_RESULTS
    if adapt:  # of tests
        said = {
            name: (adapt(how), page, ATTEND_AS_ON_PAGE)
            for name, (how, page, _) in said.items()
        }
    return tuple(
        Rule(
            name=name,
            text=text[name],
            code=code[name],
            adapt=how,
            page=page,
            seen=seen,
        )
        for name, (how, page, seen) in said.items()
    )
