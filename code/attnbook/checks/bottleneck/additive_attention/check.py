"""Check of additive attention.

Dimension letters:
    B batch, T queries, S keys, d_q width of a query, d_k width of a key,
    A width of the score's hidden layer.
"""

import torch

from attnbook.checks.engine.calling import close
from attnbook.checks.engine.exercise import Case, Exercise, check
from attnbook.checks.engine.steps import table
from attnbook.checks.engine.verdict import Hint

LIKE = (
    4,
    4,
    7,
    5,
    5,
    5,
)  # B, T, S, d_q, d_k, A: most mistakes fit these sizes
SIZES = (2, 3, 5, 7, 11, 13)  # all different
SQUARE = (4, 4, 4, 4, 4, 4)  # a wrong axis must not hide, nor be right here
ONE_QUERY = (3, 1, 5, 4, 2, 6)
ONE_SENTENCE = (1, 3, 5, 4, 2, 6)
MANY = (4, 6, 5, 7, 11, 13)  # a mistake with large scores shows in few rows


def additive_attention(query, keys, w_q, w_k, v, mask):
    """Mix the keys, scored against each query by a small network.

    Args:
        query: queries, float, (B, T, d_q).
        keys: keys, float, (B, S, d_k).
        w_q: weights of the query, (d_q, A).
        w_k: weights of the keys, (d_k, A).
        v: weights of the score, (A,).
        mask: bool, (B, 1, S); True where a key may be attended to.

    Returns:
        The context, (B, T, d_k), and the weights, (B, T, S).
    """
    q = query @ w_q  # (B, T, A)
    k = keys @ w_k  # (B, S, A)
    total = q.unsqueeze(2) + k.unsqueeze(1)  # (B, T, S, A)
    hidden = total.tanh()
    raw = hidden @ v  # (B, T, S)
    visible = mask
    scores = raw.masked_fill(~visible, -torch.inf)
    weights = scores.softmax(-1)
    mixing = weights
    context = mixing @ keys  # (B, T, d_k)
    return context, weights


def shares(powers):
    """Divide by the sum over the keys."""
    return powers / powers.sum(-1, keepdim=True)


def best(weights):
    """Give the whole weight to the largest one."""
    return (weights == weights.amax(-1, keepdim=True)).to(weights.dtype)


def last(mask, weights):
    """Give the whole weight to the last word, in the shape of `weights`."""
    number = mask * torch.arange(1, mask.size(-1) + 1)
    return best(number.to(weights.dtype)).expand_as(weights)


MISTAKES = table("""
    hidden = total
        there is no tanh between the sum and v; without it the query adds the
        same number to every key's score and drops out
    raw = (total @ v).tanh()
        you take the tanh of the finished score; take it of the hidden numbers,
        before the product with v
    hidden = q.tanh().unsqueeze(2) + k.tanh().unsqueeze(1)
        every query has the same weights: the query is not used, or you take
        its tanh apart, and then it adds the same to every key's score; one
        tanh of the sum
    total = q.unsqueeze(2) * k.unsqueeze(1)
        you multiply projected query and projected key; add them, as the name
        says
    total = q.unsqueeze(2) - k.unsqueeze(1)
        you subtract the projected key; add it to the projected query
    raw = q @ k.mT
        your scores are dot products of projected query and key; add the two,
        take the tanh, then multiply with v
    raw = hidden.sum(-1)
        v is not used; the score is the product of tanh and v
    raw = (hidden * v).mean(-1)
        you take the mean of the products with v; add them up, which @ v does
    raw = -(hidden @ v)
        the sign of the scores is wrong: the best key gets the least
    hidden = total.sigmoid()
        you use a sigmoid where the hidden layer needs a tanh
    hidden = total.relu()
        you use a ReLU where the hidden layer needs a tanh
    raw = hidden @ v / len(v) ** 0.5
        you divide the scores by a root, as chapter 4 does with dot products;
        additive scores are not scaled
    q = query @ w_k; k = keys @ w_q
        w_q and w_k are exchanged: w_q belongs to the query, w_k to the keys
    q = query @ w_k
        you multiply query and keys by w_k; w_q belongs to the query
    k = keys @ w_q
        you multiply query and keys by w_q; w_k belongs to the keys
    q = query @ w_q.T
        you use w_q turned round (.T, or F.linear, which does the same); here
        rows multiply matrices as they are: query @ w_q, keys @ w_k
    k = keys @ w_k.T
        you use w_k turned round (.T, or F.linear, which does the same); here
        rows multiply matrices as they are: query @ w_q, keys @ w_k
    q = query @ w_q.T; k = keys @ w_k.T
        you use w_q and w_k turned round (.T, or F.linear, which does the
        same); here rows multiply matrices as they are: query @ w_q, keys @ w_k
    visible = mask[:, 0]
        the mask has lost its middle axis; (B, 1, S) fits scores of shape
        (B, T, S) as it is, so leave squeeze out
    visible = mask | True
        pads are attended: the mask is not used; hide the scores where it is
        False before the softmax
    visible = ~mask
        the mask is turned round: you hide the words and keep the pads; True =
        may attend
    visible = mask[:1]
        you use the mask of the first sentence for all
    visible = torch.arange(keys.size(1)) < mask.sum(-1, keepdim=True)
        you count the True ones and take as many keys from the start; use the
        mask as it is
    scores = raw * mask
        pads are attended: a score of 0 is a score like any other, e to the 0
        is 1; fill with minus infinity
    scores = raw.masked_fill(~mask, -1.0)
    scores = raw.masked_fill(~mask, -5.0)
    scores = raw.masked_fill(~mask, -10.0)
    scores = raw.masked_fill(~mask, -100.0)
        pads are attended: you fill with a number that some scores reach; use
        minus infinity
    scores = raw + (mask + 1e-9).log()
        pads are attended: the logarithm of a small number hides too little (of
        1e-9 it is about -20), and scores can lie further apart; use minus
        infinity
    scores = raw + mask
        you add the mask to the scores as 0 and 1, which hides nothing; fill
        with minus infinity where it is False
    weights = raw.softmax(-1) * mask
        you hide the pads after the softmax, so the rows no longer sum to 1;
        mask the scores, then normalise
    weights = shares((raw - raw.amax(-1, keepdim=True)).exp() * mask)
        you hide the pads after the exponential; where a pad scores far above
        all words, every word is 0 by then, and 0 is divided by 0; mask the
        scores first
    weights = scores
    weights = scores; mixing = scores.softmax(-1)
        you return the scores in the place of the weights; normalise them with
        a softmax over the keys
    weights = raw
        you return the scores in the place of the weights, and without the
        mask; mask them, then normalise over the keys
    weights = scores.log_softmax(-1)
        you return the logarithm of the weights; use softmax, not log_softmax
    weights = scores.exp()
        you take the exponential, but do not divide by its sum
    weights = scores.sigmoid()
        you use a sigmoid, which judges every key alone; a softmax lets the
        keys compete for a sum of 1
    weights = scores.softmax(-1).softmax(-1)
        you take the softmax twice; once is right
    weights = best(scores)
        you give the whole weight to the best key; a softmax spreads it
    weights = last(mask, scores)
        you give the whole weight to the last state; that is the bottleneck
        again, let the softmax decide
    weights = (raw * 0).masked_fill(~mask, -math.inf).softmax(-1)
        all keys get the same weight; the scores are not used
    weights = scores.softmax(0)
        the tensor of weights holds NaN: you take the softmax over axis 0, the
        batch, where a column of pads is hidden in full; take it over the keys,
        dim=-1
    weights = scores.softmax(1)
        the tensor of weights holds NaN: you take the softmax over axis 1, the
        queries, where a column of pads is hidden in full; take it over the
        keys, dim=-1
    scores = raw.where(visible, -1e9); weights = scores.softmax(0) * mask
        the weights sum to 1 over the batch, not over the keys; normalise the
        last axis
    scores = raw.masked_fill(~visible, -1e9); weights = scores.softmax(1)
        the weights sum to 1 over the queries, not over the keys; normalise the
        last axis
    weights = scores.flatten(1).softmax(-1).view_as(raw)
        the weights sum to 1 over the whole matrix, not over the keys;
        normalise the last axis
    weights = shares(raw.exp() * mask)
        the tensor of weights holds NaN: your exponentials overflow; subtract
        from every row its largest score first
    weights = shares((raw - raw.max()).exp() * mask)
    weights = shares((scores - scores.max()).exp())
        the tensor of weights holds NaN: you subtract one maximum for all rows,
        and a row that lies far below it becomes 0/0; subtract from every row
        its own, amax(-1, keepdim=True)
    weights = scores.softmax(-1)[..., None]; mixing = weights[..., 0]
        the weights have an axis of size 1 too many; v has one number per
        hidden number, so the last axis is summed away
    mixing = weights.mT if query.size(1) == keys.size(1) else weights
        you mix with the weights turned round; compute weights @ keys, whatever
        the sizes
    mixing = weights.mean(1, keepdim=True).expand_as(weights)
    context = (weights.mean(1, keepdim=True) @ keys)[:, 0]
    context = weights.mean(1) @ keys
        you average the weights over the queries; every query has its own
        context, weights @ keys
    context = keys[:, -1:].expand_as(mixing @ keys)
        the context is the last state only, as without attention; mix all keys
        by their weights
    mixing = last(mask, weights)
        the context is the last word's state only, as without attention; mix
        all keys by their weights
    context = mixing @ k
        you mix the projected keys; mix the keys themselves
    mixing = raw.softmax(-1)
        your weights are right, but you mix the keys with weights that know no
        mask; use the weights that you return
    mixing = raw
        you mix the keys with the scores; mix them with the weights
    mixing = best(weights)
        you take the best key alone; mix all of them
    mixing = torch.ones_like(weights)
        you add the keys up without weights; compute weights @ keys
    mixing = torch.ones_like(weights) / keys.size(1)
        you average the keys without looking at the weights; compute
        weights @ keys
    context = mixing @ keys[:1]
        you mix the keys of the first sentence for all sentences
    context = mixing @ keys + query
        you add the query to the context; in this task the context is the
        mixture and nothing more
""")


def example(draws, sizes=SIZES, factor=1.0, dtype=torch.float32, padded=True):
    """Draw the six inputs; queries and keys are not contiguous."""
    b, t, s, q, k, a = sizes
    generator = draws.seeded(2)

    def draw(*shape):
        return torch.randn(*shape, generator=generator).to(dtype)

    query, keys = draw(t, b, q).transpose(0, 1), draw(s, b, k).transpose(0, 1)
    w_q, w_k, v = draw(q, a) / q**0.5, draw(k, a) / k**0.5, factor * draw(a)
    words = (s - 1 - torch.arange(b)).clamp(min=1)  # every one has a pad
    mask = torch.arange(s) < (words if padded else words * 0 + s)[:, None]
    return query, keys, w_q, w_k, v, mask[:, None]  # mask: (B, 1, S)


def example_with_holes(draws):
    """Draw inputs whose masks hide keys in front and in the middle, too."""
    *numbers, mask = example(draws)
    mask[0, 0, 1], mask[1, 0, 0] = False, False
    return *numbers, mask


def guess(results, rights, inputs):
    """Return a hint for results that no row explains, or None."""
    (_, weights), (_, right), mask = results, rights, inputs[5]
    if (weights.masked_fill(mask, 0) > 1e-6).any():
        return (
            "pads are attended; every weight where the mask is False is 0, if "
            "its score is minus infinity"
        )
    if ((weights == 0) & (right > 1e-6)).any():
        return "some words get weight 0; only pads are to be hidden"
    if close(weights, right, 1e-2):
        return None  # the engine looks at the context, and at lost digits
    sums = weights.sum(-1)
    if not close(sums, torch.ones_like(sums), 1e-3):
        return (
            "the rows of the weights do not sum to 1; take the softmax of "
            "the masked scores over the keys, and add nothing to it"
        )
    for axis, name in ((0, "sentence"), (1, "query")):
        first, own = (x.narrow(axis, 0, 1) for x in (weights, right))
        if weights.size(axis) > 1 and close(weights, first.expand_as(weights)):
            whose = ", those of the first one" * close(first, own)
            return Hint("every {} has the same weights{}", name, whose)
    return (
        "the rows sum to 1, but the weights are wrong; recompute one score "
        "by hand: query @ w_q plus key @ w_k, tanh, product with v"
    )


ZERO_SCORE = (
    "you hide every score that is 0, but a word may have the score 0; hide "
    "where the mask is False, whatever the score"
)


def cases(draws):
    """Yield all cases."""
    yield Case("", example(draws, LIKE))
    yield Case(
        Hint(
            "right while some sizes are equal, but not for "
            "B, T, S, d_q, d_k, A = {}: ",
            SIZES,
        ),
        example(draws),
    )
    yield Case(
        "right while the sizes differ, but not when all are 4 (do the same "
        "at every size): ",
        example(draws, SQUARE),
    )
    yield Case(
        "right with pads at the end, but not when the mask hides a key in "
        "front or in the middle: ",
        example_with_holes(draws),
    )
    yield Case(
        "right for several queries, but not for one: ",
        example(draws, ONE_QUERY),
    )
    yield Case(
        "right for a batch, but not for one sentence: ",
        example(draws, ONE_SENTENCE),
    )
    yield Case(
        "right with pads, but not in a batch that has none: ",
        example(draws, padded=False),
    )
    yield Case(
        "right, but not when v is 0, and with it every score: ",
        example(draws, factor=0.0),
        nan=ZERO_SCORE,
        otherwise=ZERO_SCORE,
        only=True,
    )
    yield Case(
        "right for small scores, but not for scores of several hundred: ",
        example(draws, MANY, factor=300.0),
        1e-3,
    )
    yield Case(
        "right for float32, but not for float64: ",
        example(draws, dtype=torch.float64),
        1e-9,
    )


def exercise(draws):
    """Return the exercise with its inputs."""
    return Exercise(
        right=additive_attention,
        returns={"the context": "B T d_k", "the tensor of weights": "B T S"},
        takes=("B T d_q", "B S d_k", "d_q A", "d_k A", "A", "B 1 S"),
        cases=tuple(cases(draws)),
        mistakes=MISTAKES,
        help="query @ w_q is (B, T, A) and keys @ w_k is (B, S, A); to add "
        "every query to every key, give each an axis of size 1: "
        "unsqueeze(2), unsqueeze(1)",
        guess=guess,
        trains=(("", example(draws)),),
    )


check_additive_attention = check(exercise)
