"""Check of a test: does the learner's own test catch wrong attentions?"""

from attnbook.checks.engine.calling import close
from attnbook.checks.engine.draws import make_check
from attnbook.checks.engine.tests_of_learners import disguised, opinion_of
from attnbook.checks.engine.verdict import Hint, Mistake
from attnbook.checks.scaling.attention_test.attentions import (
    PROBES,
    RIGHT,
    wrong_attentions,
)


def opinion(answer, attend):
    """Return what the learner's test says of an attention, as a bool."""
    help = (
        "give it 4-D q, k and v, and take the result apart as (context, "
        "weights)"
    )
    return opinion_of(answer, disguised(attend, RIGHT[0]), help)


def opinions(answer, wrong, draws):
    """Return what the test says of wrong and of right attentions, lists."""
    attentions = [*(attend for _, attend in wrong), *RIGHT]
    said = {}
    for number in draws.shuffled([*range(len(attentions))]):
        said[number] = opinion(answer, attentions[number])
    said = [said[number] for number in range(len(attentions))]
    return said[: len(wrong)], said[len(wrong) :]


def inputs_of(answer):
    """Return the inputs (q, k, v) that the learner's test draws, a list."""
    drawn = []

    def attend(*inputs):
        result = RIGHT[0](*inputs)
        drawn.append([x.detach() for x in inputs])
        return result

    opinion(answer, attend)
    return drawn


def hidden(drawn, scale):
    """Return a hint for inputs at which mistakes do not show, or None."""
    if all(
        k.size(-2) > 1 and close(v, v[..., :1, :].expand_as(v))
        for _, k, v in drawn
    ):
        return (
            "the values v that your test draws are all equal, so that every "
            "mixture of them is the same; draw all inputs with torch.randn"
        )
    if not scale:
        return None
    if all(k.size(-2) == 1 for _, k, _ in drawn):
        return (
            "your test draws a single key, which gets the weight 1 at every "
            "scale; draw more than one key"
        )
    if all(q.size(-1) == 1 for q, _, _ in drawn):
        return (
            "your test draws queries and keys of width 1, and the root of 1 "
            "is 1; choose a d_k above 1"
        )
    scores = [q @ k.transpose(-2, -1) for q, k, _ in drawn]
    if all((x.amax(-1) - x.amin(-1)).max() < 0.1 for x in scores):
        return (
            "your test draws inputs (zeros, ones, tiny numbers?) whose scores "
            "are nearly equal, and so are the weights, at every scale; draw "
            "with torch.randn"
        )
    return None


def judge_wrong(answer, mistakes, passes, drawn):
    """Raise a mistake if wrong attentions are accepted."""
    if any(passes) and not passes[0]:
        for hint, attend in PROBES:
            if opinion(answer, attend):
                raise Mistake(hint)
    for mistake, accepted in zip(mistakes, passes, strict=True):
        if accepted:
            taken = Hint("your test accepts {}", Hint(mistake))
            raise Mistake(hidden(drawn, scale=passes[0]) or taken)


@make_check
def check_attention_test(answer, draws):
    """Check exercise ``attention_test(attend) -> bool``.

    Its argument is a function that takes an attention function, calls it on q
    (B, H, T, d_k), k (B, H, S, d_k) and v (B, H, S, d_v) of its own, and
    returns True if the result, (context, weights), is right.  The check
    returns a `Verdict`, prints it too, and never raises.
    """
    tried = [*wrong_attentions(draws)]
    wrong, right = opinions(answer, tried, draws)
    if all(right) and not any(wrong):
        return
    drawn = inputs_of(answer)
    if not drawn and any(right):
        raise Mistake("your test never calls attend; ask what it returns")
    if all(wrong) and not any(right):
        raise Mistake(
            "your test says True of wrong attentions and False of right ones; "
            "turn it round"
        )
    if not any(right):
        raise Mistake(
            "your test refuses every attention, right ones too; is what you "
            "compare with right, as F.scaled_dot_product_attention says? "
            "And do you allow for rounding (torch.allclose, atol=1e-5)?"
        )
    if not all(right):
        raise Mistake(
            "your test refuses a right attention that adds up in another "
            "order, so that its last digits differ; compare by "
            "torch.allclose with atol=1e-5, not exactly"
        )
    judge_wrong(answer, [mistake for mistake, _ in tried], wrong, drawn)
