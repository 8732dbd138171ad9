"""How often each kind of sentence is drawn."""

from itertools import accumulate

from attnbook.data.storybook.cast import Cast
from attnbook.data.storybook.deeds import (
    ability,
    chain,
    gift,
    going,
    pair,
    tool,
    wish,
)
from attnbook.data.storybook.events import (
    cause,
    joined,
    reason,
    relative,
    scene,
)
from attnbook.data.storybook.places import (
    clothes,
    existence,
    having,
    place,
    possession,
)
from attnbook.data.storybook.states import comparison, naming, state

# How often each rule is used.
WEIGHTS = {
    reason: 4,
    state: 4,
    scene: 4.2,
    naming: 2.4,
    gift: 1.8,
    ability: 1.4,
    cause: 1.4,
    comparison: 1.3,
    chain: 1.2,
    relative: 1.2,
    wish: 1.2,
    existence: 1,
    going: 1,
    having: 1,
    joined: 1,
    possession: 0.8,
    place: 0.8,
    pair: 0.6,
    tool: 0.6,
    clothes: 0.6,
}
_RULES, _SHARES = tuple(WEIGHTS), tuple(accumulate(WEIGHTS.values()))


def plan(rng):
    """Draw the plan of a sentence.

    Args:
        rng: a `random.Random`.

    Returns:
        A `Clause`.
    """
    (rule,) = rng.choices(_RULES, cum_weights=_SHARES)
    return rule(Cast(rng))
