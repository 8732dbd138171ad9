"""Check of the look-up in a datastore, mixed with a model's probabilities.

Dimension letters:
    R queries, N entries, D width of a state, vocab words of the vocabulary.
"""

import torch
import torch.nn.functional as F

from attnbook.checks.engine.calling import close
from attnbook.checks.engine.exercise import Case, Exercise, check
from attnbook.checks.engine.steps import table


def look_up(query, keys, words, model_probs, temperature, share):
    """Mix a model's probabilities with what a datastore finds.

    Args:
        query: states of the decoder, of any length, float, (R, D).
        keys: kept states, of any length, float, (N, D).
        words: the word that came next, int64, (N,).
        model_probs: the model's own probabilities, (R, vocab).
        temperature: cosines are divided by it, above 0.
        share: of what is found in the mixture, from 0 to 1.

    Returns:
        Probabilities, (R, vocab).
    """
    q = F.normalize(query, dim=-1)
    k = F.normalize(keys, dim=-1)
    scores = q @ k.T  # (R, N)
    scaled = scores / temperature
    weights = scaled.softmax(-1)
    nothing = torch.zeros_like(model_probs)
    found = nothing.index_add(1, words, weights)  # (R, vocab)
    mixed = (1 - share) * model_probs + share * found
    return mixed


def by_square(states):
    """Divide by the squared length."""
    return states / states.square().sum(-1, keepdim=True)


def at_least(states, least):
    """Divide by the length, or by a least number."""
    return states / states.norm(dim=-1, keepdim=True).clamp(min=least)


def centred(states):
    """Take off each state's mean, and bring the rest to length 1."""
    return F.normalize(states - states.mean(-1, keepdim=True), dim=-1)


def layer_norm(states):
    """Take off each state's mean, and divide by the deviation."""
    return F.layer_norm(states, states.shape[-1:])


def shares(powers, least=0.0):
    """Divide by the sum over the last axis, or by a least number."""
    return powers / powers.sum(-1, keepdim=True).clamp(min=least)


def best(x):
    """Give the whole weight to the largest of each row."""
    return F.one_hot(x.argmax(-1), x.size(-1)).to(x)


def nearest(scaled, count):
    """Share the weight among the nearest entries of each row."""
    kept = scaled.topk(min(count, scaled.size(-1)), -1)
    lowest = torch.full_like(scaled, -torch.inf)
    return lowest.scatter(-1, kept.indices, kept.values).softmax(-1)


def overwritten(nothing, words, weights):
    """Let each entry put its weight in the place of those before it."""
    found = nothing.clone()
    for word, weight in zip(words, weights.T, strict=True):
        found[:, word] = weight
    return found


def largest(nothing, words, weights):
    """Keep the largest weight of each word."""
    places = words.expand_as(weights)
    return nothing.scatter_reduce(1, places, weights, "amax")


def means(nothing, words, weights, more=0):
    """Take the mean of each word's weights, or divide by more than that."""
    counts = counts_of(nothing, words).clamp(min=1) + more
    return nothing.index_add(1, words, weights) / counts


def counts_of(probs, words):
    """Return how many entries each word has, (vocab,)."""
    return torch.bincount(words, minlength=probs.size(-1)).to(probs)


MISTAKES = table("""
    q = query
        the query is not brought to length 1; a long one gets weights as if the
        temperature were lower
    k = keys
        the keys are not brought to length 1, so that long keys win
    q = query; k = keys
        neither query nor keys are brought to length 1: you score by the dot
        product; this task wants the cosine
    q = query / query.size(-1) ** 0.5; k = keys
        you score by the scaled dot product of chapter 4; this task wants the
        cosine
    scores = q @ k.T / query.size(-1) ** 0.5
        you divide by the root of D; a cosine does not grow with D, so divide
        by the temperature alone
    q = F.normalize(query, dim=0)
        you normalise the query over the queries; each state must get the
        length 1, dim=-1
    k = F.normalize(keys, dim=0)
        you normalise the keys over the entries; each state must get the length
        1, dim=-1
    q = F.normalize(query, dim=0); k = F.normalize(keys, dim=0)
        you normalise query and keys down the columns; each state must get the
        length 1, dim=-1
    q = query / query.norm()
        you divide the query by the length of the whole matrix; each state has
        its own (dim=-1, keepdim=True)
    k = keys / keys.norm()
        you divide the keys by the length of the whole matrix; each state has
        its own (dim=-1, keepdim=True)
    q = query / query.norm(); k = keys / keys.norm()
        you divide query and keys by the lengths of the whole matrices; each
        state has its own (dim=-1, keepdim=True)
    q = F.normalize(query, p=1, dim=-1); k = F.normalize(keys, p=1, dim=-1)
        you divide by the sum of the absolute numbers; the length is the root
        of the sum of squares
    q = by_square(query)
        you divide the query by its squared length; take the root first
    k = by_square(keys)
        you divide the keys by their squared length; take the root first
    q = by_square(query); k = by_square(keys)
        you divide query and keys by their squared lengths; take the root first
    q = query.softmax(-1); k = keys.softmax(-1)
        you take the softmax of the states; divide them by their length
    q = centred(query); k = centred(keys)
        you take off each state's mean first, which gives the correlation; for
        the cosine divide by the length alone
    q = layer_norm(query)
        you take the layer norm of the query, whose length is not 1; divide by
        the length alone
    q = layer_norm(query); k = layer_norm(keys)
        you take the layer norm of query and keys, whose length is not 1;
        divide by the length alone
    q = at_least(query, 1)
        a query that is shorter than 1 is left short; divide by the length,
        whatever it is
    k = at_least(keys, 1)
        a key that is shorter than 1 is left short; divide by the length,
        whatever it is
    q = at_least(query, 1); k = at_least(keys, 1)
        states that are shorter than 1 are left short; divide by the length,
        whatever it is
    scores = -(q @ k.T)
        the sign is wrong: the entry that is least like the query gets the most
    scores = (q @ k.T).abs()
    scores = (q @ k.T).square()
        a key that points the other way is as good as one that points the same
        way; keep the sign of the cosine
    scores = (q @ k.T).relu()
        you cut negative cosines off; they are scores like any other
    scores = -torch.cdist(query, keys)
    scores = -torch.cdist(query, keys).square()
        you score by the distance of the states, as the paper does; this task
        wants the cosine
    scores = torch.cdist(query, keys)
    scores = torch.cdist(query, keys).square()
        you score by the distance, and with the wrong sign: the farthest entry
        wins; this task wants the cosine
    scores = -torch.cdist(q, k)
    scores = -torch.cdist(q, k).square()
        you score by the distance of the states of length 1; it falls otherwise
        than the cosine, which is their product
    scores = -(q @ k.T).clamp(-1, 1).acos()
        you score by the angle; this task wants its cosine
    scaled = scores * temperature
        you multiply by the temperature; divide by it
    scaled = scores
        the temperature plays no part; divide the cosines by it
    scaled = scores / temperature**2
        you divide by the temperature twice, or by its square; once is right
    scaled = scores / temperature**0.5
        you divide by the root of the temperature; take it as it is
    scaled = scores / (2 * temperature**2)
        you use the temperature as the bandwidth of a kernel; divide by it as
        it is
    scaled = scores / max(temperature, 0.1)
    scaled = scores / max(temperature, 0.01)
        a small temperature is replaced by a larger one; use it as it is
    scaled = scores / min(temperature, 1)
        a temperature above 1 is cut off; use it as it is
    scaled = (scores / temperature).masked_fill(scores > 0.9999, -math.inf)
        an entry just like the query is left out; it counts most
    weights = scores.softmax(-1) / temperature
        you divide by the temperature after the softmax; it belongs to the
        cosines
    weights = (scores.softmax(-1) / temperature).softmax(-1)
    weights = scaled.softmax(-1).softmax(-1)
        you take the softmax twice; once is right
    weights = scaled.softmax(0)
        your weights sum to 1 over the queries; for every query they must sum
        to 1 over the entries, dim=-1
    weights = scaled.flatten().softmax(0).view_as(scaled)
        your weights sum to 1 over all queries and entries together; for every
        query they must sum to 1 over the entries
    weights = scaled.exp()
        the exponentials are not divided by their sum
    weights = (scaled - scaled.amax(-1, keepdim=True)).exp()
        the exponentials, less the largest score, are not divided by their sum
    weights = scaled.sigmoid()
        you use a sigmoid, which judges every entry alone; a softmax lets the
        entries compete for a sum of 1
    weights = scaled
        the softmax is missing: you add up scores; add up weights
    weights = shares(scaled)
        you divide the scores by their sum; take the softmax
    weights = scaled.log_softmax(-1)
        you add up logarithms of the weights; use softmax, not log_softmax
    weights = best(scaled)
        you take the nearest entry alone; all have a weight
    weights = nearest(scaled, 2)
    weights = nearest(scaled, 3)
    weights = nearest(scaled, 4)
    weights = nearest(scaled, 5)
    weights = nearest(scaled, 8)
    weights = nearest(scaled, 10)
    weights = nearest(scaled, 16)
    weights = nearest(scaled, 32)
        you keep a few of the nearest entries, as the paper does; here all have
        a weight
    weights = torch.ones_like(scaled) / scaled.size(1)
        every entry has the same weight: the cosines are not used, or you count
        entries
    weights = scaled[:1].softmax(-1).expand_as(scaled)
        every query has the weights of the first one
    weights = scaled.mean(0).softmax(-1).expand_as(scaled)
        you average the scores over the queries; every query has its own
        weights
    weights = shares(scaled.exp())
        no maximum is subtracted: at a low temperature the exponentials
        overflow, or all are 0; use softmax
    weights = shares((scaled - scaled.max()).exp())
    weights = shares((scaled - 1 / temperature).exp())
        you subtract one number for all queries, and a row that lies far below
        it becomes 0/0; subtract from every row its own maximum, or use softmax
    weights = shares((scaled - scaled.max()).exp(), 1e-9)
    weights = shares((scaled - 1 / temperature).exp(), 1e-9)
        every exponential of a row is 0, and your guard against 0/0 loses it;
        subtract from every row its own maximum, or use softmax
    found = overwritten(nothing, words, weights)
        entries of one word overwrite each other, and the last one stays; add
        their weights (found[:, words] += weights does not: index_add)
    found = overwritten(nothing, words.flip(0), weights.flip(1))
        of the entries of one word the first alone counts; add their weights
    found = largest(nothing, words, weights)
        you keep the largest weight of each word; add the weights of all its
        entries
    found = means(nothing, words, weights)
    found = means(nothing, words, weights, 1)
        you take the mean of a word's weights; add them up, so that a word
        found often counts more
    found = shares(means(nothing, words, weights))
        you take the mean of a word's weights, and then divide by the sum over
        the words; add the weights of a word up, and divide by nothing
    found = nothing.index_add(1, words, weights) / len(words)
        you divide what is found by the number of entries; the weights sum to 1
        already
    found = counts_of(model_probs, words) + nothing
        you count the entries of each word; add up their weights
    found = nothing.index_add(1, words.sort().values, weights)
        you sort the words, and the weights stay where they were; each weight
        belongs to the word of its entry
    found = nothing.index_add(1, words.flip(0), weights)
        words and weights run in opposite order; each weight belongs to the
        word of its entry
    found = nothing.index_add(1, words.roll(1), weights)
        each weight goes to the word of the entry before
    found = nothing.index_add(1, words.roll(-1), weights)
        each weight goes to the word of the entry behind; `words` are the next
        words already
    found = nothing.index_add(1, words.unique(return_inverse=True)[1], weights)
        the words that come are numbered anew; the column is the word itself
    found = nothing.index_add(1, (words + 1) % model_probs.size(1), weights)
        the words are off by one, upwards: word 0 is column 0
    found = nothing.index_add(1, (words - 1) % model_probs.size(1), weights)
        the words are off by one, downwards: word 0 is column 0
    found = nothing.index_add(1, words, weights * (words > 0))
        entries of the word 0 are left out; it is a word like any other
    found = nothing.index_add(1, words, weights).softmax(-1)
        you take a softmax of what is found; it is probabilities already
    found = nothing.index_add(1, words, scaled).softmax(-1)
        you add up the scores of each word and take a softmax over the words;
        take it over the entries, and add weights
    found = best(nothing.index_add(1, words, weights))
        the word found most gets everything; every word keeps its weight
    nothing = torch.ones_like(model_probs)
        you start from ones; a word that no entry has gets 0
    mixed = share * model_probs + (1 - share) * found
        the share is on the wrong side: it is that of what is found
    mixed = (model_probs + found) / 2
        the share plays no part: you take the mean of the two
    mixed = found
        you return what is found alone; mix it with what the model said
    mixed = model_probs
        what is found plays no part
    mixed = model_probs + share * found
        the model's part is not weighted by what the share leaves, or what is
        found starts from `model_probs` and not from zeros
    mixed = (model_probs + share * found) / (1 + share)
        you divide by 1 + share afterwards; give the model's part what the
        share leaves, and divide by nothing
    mixed = (1 - share) * model_probs + found
        what is found is not weighted by the share
    mixed = model_probs + found
        you add the two without weighting them
    mixed = share * model_probs + share * found
        both parts are weighted by the share; the model's part gets the rest
    mixed = (1 - share) * (model_probs + found)
        both parts get what the share leaves; what is found gets the share
    mixed = (1 - share) * model_probs
        what is found is missing from the mixture
    mixed = share * found
        what the model said is missing from the mixture
    mixed = ((1 - share) * model_probs + share * found).softmax(-1)
        you take a softmax of the mixture; it is probabilities already
    mixed = (1 - share) * model_probs.softmax(-1) + share * found
        you take a softmax of what the model said; it is probabilities already
    mixed = (1 - share) * model_probs.exp() + share * found
        you take the exponential of what the model said; it is probabilities,
        not logarithms
    mixed = ((1 - share) * model_probs + share * found).log()
        you return the logarithm of the mixture; return probabilities
    mixed = (1 - share) * model_probs.log() + share * found.log()
    mixed = model_probs ** (1 - share) * found**share
    mixed = shares(model_probs ** (1 - share) * found**share)
        you mix logarithms, a geometric mean: a word that is not found gets 0,
        whatever the model says; mix the probabilities
    mixed = model_probs * found
    mixed = shares(model_probs * found)
        you multiply the two; a mixture is a weighted sum
    mixed = torch.maximum(model_probs, found)
        you take the larger of the two; a mixture is a weighted sum
    mixed = model_probs.where(found == 0, model_probs.lerp(found, share))
        a word that is not found keeps all that the model said; its part is
        what the share leaves, as for every word
    mixed = model_probs.where(found == 0, found)
        what is found replaces what the model said; mix the two
    mixed = weights
        you return the weights of the entries; add up those of each word, and
        mix
    mixed = ((1 - share) * model_probs + share * found).T
        the result is transposed: one row per query, (R, vocab)
""")


def example(draws, sizes, temperature=0.3, share=0.3, length=1.0, **more):
    """Draw the inputs, none of them contiguous.

    Args:
        draws: where they come from.
        sizes: R, N, D and vocab; the last word never comes if vocab > 1.
        temperature: as the answer gets it.
        share: as the answer gets it.
        length: about that of the states.
        more: `dtype` of the floats; `word`, that of all entries; `every`
            word comes; `equal`: the first key is like the first query;
            `near`: all keys are nearly so, and far from other queries.
    """
    r, n, d, v = sizes
    generator = draws.seeded(17)

    def states(count):
        x = torch.randn(d, count, generator=generator).T + 0.3
        lengths = 0.5 + 1.5 * torch.rand(count, 1, generator=generator)
        return length * lengths * x / d**0.5

    query, keys = states(r), states(n)
    logits = 1.5 * torch.randn(v, r, generator=generator)
    words = torch.randint(max(v - 1, 1), (2 * n,), generator=generator)[::2]
    words[n // 2] = 0
    if more.get("every"):
        words = (torch.arange(2 * n) % v)[::2]
    if "word" in more:
        words = torch.full_like(words, more["word"])
    if more.get("equal"):
        keys[0] = 3 * query[0]
    if more.get("near"):
        keys = query[:1] + 0.1 * keys
    dtype = more.get("dtype", torch.float32)
    model_probs = logits.to(dtype).softmax(0).T  # (R, vocab)
    return (
        query.to(dtype),
        keys.to(dtype),
        words,
        model_probs,
        temperature,
        share,
    )


def guess(results, rights, inputs):
    """Return a hint for a mixture that no row explains, or None."""
    (mixed,), (right,) = results, rights
    *_, words, model_probs, _, share = inputs
    moved = torch.cdist(mixed.detach(), right).amin(-1).max() < 1e-5
    if moved or close(mixed, right, 1e-2):
        return None  # the engine names rows that moved, and lost digits
    if (mixed < -1e-6).any():
        return "there are negative probabilities; mix weights, not scores"
    sums = mixed.sum(-1)
    if not close(sums, torch.ones_like(sums), 1e-3):
        return (
            "the rows do not sum to 1; do the weights, over the entries, and "
            "the two parts of the mixture?"
        )
    never = counts_of(model_probs, words) == 0  # (vocab,)
    if not close(mixed[:, never], (1 - share) * model_probs[:, never], 1e-3):
        return (
            "words that no entry has are wrong; only what the model said, "
            "times what the share leaves, goes to them"
        )
    return (
        "the rows sum to 1, but the numbers are wrong; compute one query and "
        "three entries of two words by hand: cosines, weights, sums, mixture"
    )


NAN = (
    "the result holds NaN or infinity: an exponential overflows, all of a row "
    "are 0, or a logarithm of 0 is taken; use softmax, and mix probabilities"
)
SIZES = (3, 11, 5, 7)  # R, N, D, vocab


def cases(draws):
    """Yield all cases."""
    yield Case(
        "", example(draws, SIZES, draws.share(0.3, 0.25, 0.35)), nan=NAN
    )
    yield Case(
        "right for a small vocabulary, but not for one larger than the "
        "datastore: ",
        example(draws, (4, 6, 3, 13), draws.share(0.4, 0.3, 0.45), 0.6),
        nan=NAN,
    )
    yield Case(
        "right while all sizes differ, but not if R = N = D = vocab: ",
        example(draws, (6, 6, 6, 6), 0.2, 0.2),
        nan=NAN,
    )
    yield Case(
        "right for few entries, but not for many: ",
        example(draws, (2, 90, 8, 20)),
    )
    yield Case(
        "right at a moderate temperature, but not at a low one: ",
        example(draws, (5, 11, 4, 7), 0.004, near=True),
        1e-3,
        nan=NAN,
    )
    yield Case(
        "right at low temperatures, but not at a high one: ",
        example(draws, SIZES, draws.share(20.0, 15.0, 25.0), 0.8),
    )
    yield Case(
        "right for a share between 0 and 1, but not for 0: ",
        example(draws, SIZES, share=0),
        nan=NAN,
        otherwise="a share of 0 leaves what the model said, untouched",
    )
    yield Case(
        "right for a share between 0 and 1, but not for 1: ",
        example(draws, SIZES, share=1),
        nan=NAN,
        otherwise="a share of 1 leaves what is found, alone",
    )
    yield Case(
        "right for states of length about 1, but not for long ones: ",
        example(draws, SIZES, length=1000.0),
        nan=NAN,
        otherwise="the length of a state must not matter; divide by it",
    )
    yield Case(
        "right for states of length about 1, but not for short ones: ",
        example(draws, SIZES, length=0.002),
        1e-4,
        otherwise="the length of a state must not matter; divide by it, and "
        "add nothing to it",
    )
    yield Case(
        "right for float32, but not for float64: ",
        example(draws, SIZES, dtype=torch.float64),
        1e-9,
    )
    yield Case(
        "right, but not if a key is like a query: ",
        example(draws, SIZES, equal=1),
    )
    yield Case(
        "right, but not if all have one word: ", example(draws, SIZES, word=3)
    )
    yield Case(
        "right, but not for a single query: ", example(draws, (1, 7, 5, 4))
    )
    yield Case(
        "right, but not for a single entry: ", example(draws, (3, 1, 5, 4))
    )
    yield Case(
        "right, but not for states of one number: ",
        example(draws, (3, 6, 1, 4)),
    )


LOG_ERRORS = "math domain error", "expected a positive input"
LOGARITHM = "a logarithm of 0 is taken; mix the probabilities themselves"


def exercise(draws):
    """Return the exercise with its inputs."""
    return Exercise(
        right=look_up,
        returns={"the mixture": "R vocab"},
        takes=("R D", "N D", "N", "R vocab", "", ""),
        cases=tuple(cases(draws)),
        mistakes=MISTAKES,
        errors=dict.fromkeys(LOG_ERRORS, LOGARITHM),
        help="the weights are (R, N); what is found is (R, vocab) like "
        "`model_probs`, also for words that no entry has",
        guess=guess,
        trains=(("", example(draws, (3, 16, 5, 7), every=True)),),
    )


check_look_up = check(exercise)
