"""Answers to the task of chapter 17, a datastore."""

import math

import torch
import torch.nn.functional as F

from answers.registry import right, wrong
from attnbook.decoding.datastore import Datastore

# ------------------------------------------------------ the datastore's words
TASK = "look_up"


@right(TASK)
def by_index_add(query, keys, words, model_probs, temperature, share):
    q, k = F.normalize(query, dim=-1), F.normalize(keys, dim=-1)
    weights = (q @ k.T / temperature).softmax(-1)
    found = torch.zeros_like(model_probs).index_add(1, words, weights)
    return (1 - share) * model_probs + share * found


@right(TASK)
def by_one_hot(query, keys, words, model_probs, temperature, share):
    """Multiply the weights with a matrix of zeros and ones."""
    cosines = F.cosine_similarity(query[:, None], keys[None], dim=-1)
    which = F.one_hot(words, model_probs.size(-1)).to(
        model_probs.dtype
    )  # (N, vocab)
    found = (cosines / temperature).softmax(-1) @ which
    return torch.lerp(model_probs, found, float(share))


@right(TASK)
def by_scatter_add(query, keys, words, model_probs, temperature, share):
    q = query / query.norm(dim=-1, keepdim=True)
    k = keys / keys.norm(dim=-1, keepdim=True)
    weights = F.softmax(torch.einsum("rd,nd->rn", q, k) / temperature, dim=1)
    mixed = (1 - share) * model_probs
    places = words.expand(len(query), -1)
    return mixed.scatter_add(1, places, share * weights)


@right(TASK)
def by_loops(query, keys, words, model_probs, temperature, share):
    """Go over queries and entries, one after the other."""
    rows = []
    for x, own in zip(query, model_probs, strict=True):
        scores = torch.stack([x @ k / x.norm() / k.norm() for k in keys])
        powers = ((scores - scores.max()) / temperature).exp()
        found = [torch.zeros_like(powers[0])] * len(own)
        for word, power in zip(words.tolist(), powers, strict=True):
            found[word] = found[word] + power / powers.sum()
        rows.append((1 - share) * own + share * torch.stack(found))
    return torch.stack(rows)


@right(TASK)
def by_words(query, keys, words, model_probs, temperature, share):
    """Add up the columns of each word."""
    weights = F.normalize(query) @ F.normalize(keys).T
    weights = torch.softmax(weights / temperature, 1)
    columns = [
        weights[:, words == v].sum(1) for v in range(model_probs.size(1))
    ]
    return model_probs + share * (torch.stack(columns, 1) - model_probs)


@right(TASK)
def by_sums_in_place(query, keys, words, model_probs, temperature, share):
    """Fill a new tensor entry by entry."""
    q, k = F.normalize(query, dim=-1), F.normalize(keys, dim=-1)
    weights = (q @ k.T / temperature).softmax(-1)
    found = torch.zeros_like(model_probs)
    for entry, word in enumerate(words):
        found[:, word] += weights[:, entry]
    return (1 - share) * model_probs + share * found


@right(TASK)
def by_distances(query, keys, words, model_probs, temperature, share):
    """Half the squared distance of unit vectors is 1 less their cosine."""
    q, k = F.normalize(query, dim=-1), F.normalize(keys, dim=-1)
    squares = (q[:, None] - k).square().sum(-1)
    weights = (-squares / (2 * temperature)).softmax(-1)
    found = model_probs.new_zeros(model_probs.shape).index_add_(
        1, words, weights
    )
    return (1 - share) * model_probs + share * found


@right(TASK)
def by_logarithms(query, keys, words, model_probs, temperature, share):
    """Mix as the package does, by logarithms."""
    q, k = F.normalize(query, dim=-1), F.normalize(keys, dim=-1)
    weights = (q @ k.T / temperature).softmax(-1)
    found = torch.zeros_like(model_probs).index_add(1, words, weights)
    own, other = model_probs.new_tensor([1 - share, share]).log()
    return torch.logaddexp(model_probs.log() + own, found.log() + other).exp()


@right(TASK)
def by_the_package(query, keys, words, model_probs, temperature, share):
    q, k = F.normalize(query, dim=-1), F.normalize(keys, dim=-1)
    store = Datastore(k, words, model_probs.size(-1), temperature, share)
    return (1 - share) * model_probs + share * store.probabilities(q)


@wrong(TASK, "and no tuple")
def with_the_weights(query, keys, words, model_probs, temperature, share):
    q, k = F.normalize(query, dim=-1), F.normalize(keys, dim=-1)
    weights = (q @ k.T / temperature).softmax(-1)
    found = torch.zeros_like(model_probs).index_add(1, words, weights)
    return (1 - share) * model_probs + share * found, weights


@wrong(TASK, "must be a tensor")
def as_array(*inputs):
    return by_index_add(*inputs).numpy()


@wrong(TASK, "your function returns nothing")
def forgets_to_return(*inputs):
    by_index_add(*inputs)


@wrong(TASK, "changes its inputs in place")
def into_what_was_said(query, keys, words, model_probs, temperature, share):
    q, k = F.normalize(query, dim=-1), F.normalize(keys, dim=-1)
    weights = (q @ k.T / temperature).softmax(-1)
    model_probs *= 1 - share
    return model_probs.index_add_(1, words, share * weights)


@wrong(TASK, "changes its inputs in place")
def states_in_place(query, keys, words, model_probs, temperature, share):
    query /= query.norm(dim=-1, keepdim=True)
    return by_index_add(query, keys, words, model_probs, temperature, share)


@wrong(TASK, "also for words that no entry has")
def as_wide_as_the_words(query, keys, words, model_probs, temperature, share):
    q, k = F.normalize(query, dim=-1), F.normalize(keys, dim=-1)
    weights = (q @ k.T / temperature).softmax(-1)
    found = weights @ F.one_hot(words).to(weights)  # as many as words.max()
    return (1 - share) * model_probs + share * found


@wrong(TASK, "float32 and another type meet")
def whole_ones(query, keys, words, model_probs, temperature, share):
    q, k = F.normalize(query, dim=-1), F.normalize(keys, dim=-1)
    weights = (q @ k.T / temperature).softmax(-1)
    found = weights @ F.one_hot(words, model_probs.size(-1))
    return (1 - share) * model_probs + share * found


@wrong(TASK, "entries of one word overwrite each other")
def by_index(query, keys, words, model_probs, temperature, share):
    q, k = F.normalize(query, dim=-1), F.normalize(keys, dim=-1)
    weights = (q @ k.T / temperature).softmax(-1)
    found = torch.zeros_like(model_probs)
    found[:, words] += weights
    return (1 - share) * model_probs + share * found


@wrong(TASK, "entries of one word overwrite each other")
def by_scatter(query, keys, words, model_probs, temperature, share):
    q, k = F.normalize(query, dim=-1), F.normalize(keys, dim=-1)
    weights = (q @ k.T / temperature).softmax(-1)
    places = words.expand_as(weights)
    found = torch.zeros_like(model_probs).scatter(1, places, weights)
    return (1 - share) * model_probs + share * found


@wrong(TASK, "numbered anew")
def sorted_by_word(query, keys, words, model_probs, temperature, share):
    """Take what is found in the order in which words first come."""
    q, k = F.normalize(query, dim=-1), F.normalize(keys, dim=-1)
    weights = (q @ k.T / temperature).softmax(-1)
    order = [*dict.fromkeys(words.tolist())]
    found = torch.zeros_like(model_probs)
    for place, word in enumerate(order):
        found[:, place] = weights[:, words == word].sum(-1)
    return (1 - share) * model_probs + share * found


@wrong(TASK, "not brought to length 1, so that long keys win; and: ")
def two_mistakes(query, keys, words, model_probs, temperature, share):
    weights = (F.normalize(query) @ keys.T / temperature).softmax(-1)
    found = torch.zeros_like(model_probs).index_add(1, words, weights)
    return share * model_probs + (1 - share) * found


@wrong(TASK, "overwrite each other, and the last one stays")
def two_others(query, keys, words, model_probs, temperature, share):
    q, k = F.normalize(query, dim=-1), F.normalize(keys, dim=-1)
    weights = (q @ k.T * temperature).softmax(-1)
    found = torch.zeros_like(model_probs)
    found[:, words] = weights
    return (1 - share) * model_probs + share * found


@wrong(TASK, "right for a share between 0 and 1, but not for 0")
def a_share_of_none(query, keys, words, model_probs, temperature, share):
    return by_index_add(
        query, keys, words, model_probs, temperature, share or 0.25
    )


@wrong(TASK, "right for a share between 0 and 1, but not for 1")
def never_all(query, keys, words, model_probs, temperature, share):
    return by_index_add(
        query, keys, words, model_probs, temperature, min(share, 0.9)
    )


@wrong(TASK, "a logarithm of 0 is taken")
def by_logarithms_of_python(
    query, keys, words, model_probs, temperature, share
):
    q, k = F.normalize(query, dim=-1), F.normalize(keys, dim=-1)
    weights = (q @ k.T / temperature).softmax(-1)
    found = torch.zeros_like(model_probs).index_add(1, words, weights)
    own, other = math.log(1 - share), math.log(share)
    return torch.logaddexp(model_probs.log() + own, found.log() + other).exp()


@wrong(TASK, "add nothing to it")
def something_added(query, keys, words, model_probs, temperature, share):
    q = query / (query.norm(dim=-1, keepdim=True) + 3e-6)
    k = keys / (keys.norm(dim=-1, keepdim=True) + 3e-6)
    return by_lengths(q, k, words, model_probs, temperature, share)


def by_lengths(q, k, words, model_probs, temperature, share):
    """Mix without bringing states to length 1."""
    weights = (q @ k.T / temperature).softmax(-1)
    found = torch.zeros_like(model_probs).index_add(1, words, weights)
    return (1 - share) * model_probs + share * found


@wrong(TASK, "but not for long ones: the length of a state must not")
def clipped(query, keys, *rest):
    return by_index_add(query.clamp(-9, 9), keys.clamp(-9, 9), *rest)


@wrong(TASK, "the rows do not sum to 1")
def half_of_the_share(query, keys, words, model_probs, temperature, share):
    mixed = by_index_add(query, keys, words, model_probs, temperature, share)
    return mixed + share / 2 * model_probs


@wrong(TASK, "there are negative probabilities")
def scores_taken_from_weights(
    query, keys, words, model_probs, temperature, share
):
    q, k = F.normalize(query, dim=-1), F.normalize(keys, dim=-1)
    weights = (q @ k.T / temperature).softmax(-1) - q @ k.T
    found = torch.zeros_like(model_probs).index_add(1, words, weights)
    return (1 - share) * model_probs + share * found


@wrong(TASK, "words that no entry has are wrong")
def smoothed(query, keys, words, model_probs, temperature, share):
    q, k = F.normalize(query, dim=-1), F.normalize(keys, dim=-1)
    weights = (q @ k.T / temperature).softmax(-1)
    found = torch.zeros_like(model_probs).index_add(1, words, weights) + 0.1
    found = found / found.sum(-1, keepdim=True)
    return (1 - share) * model_probs + share * found


@wrong(TASK, "compute one query and three entries of two words by hand")
def cubes(query, keys, words, model_probs, temperature, share):
    q, k = F.normalize(query, dim=-1), F.normalize(keys, dim=-1)
    weights = ((q @ k.T) ** 3 / temperature).softmax(-1)
    found = torch.zeros_like(model_probs).index_add(1, words, weights)
    return (1 - share) * model_probs + share * found


@wrong(TASK, "digits are lost")
def in_float32(query, keys, words, model_probs, temperature, share):
    floats = query.float(), keys.float(), words, model_probs.float()
    return by_index_add(*floats, temperature, share).to(model_probs.dtype)


@wrong(TASK, "has turned from torch.float64")
def returns_float32(*inputs):
    return by_index_add(*inputs).float()


@wrong(TASK, "no gradient flows")
def detached(*inputs):
    return by_index_add(*inputs).detach()


@wrong(TASK, "the gradient of keys is not")
def detached_keys(query, keys, *rest):
    return by_index_add(query, keys.detach(), *rest)


@wrong(TASK, "overwritten in place")
def powers_in_place(query, keys, words, model_probs, temperature, share):
    q, k = F.normalize(query, dim=-1), F.normalize(keys, dim=-1)
    weights = (q @ k.T / temperature).softmax(-1)
    found = torch.zeros_like(model_probs).index_add(1, words, weights)
    weights.mul_(2)
    return (1 - share) * model_probs + share * found


@wrong(TASK, "single query: an axis of size 1 is gone")
def squeezed(*inputs):
    return by_index_add(*inputs).squeeze(0)


@wrong(TASK, "is that of the first R everywhere")
def first_row_for_all(query, keys, words, model_probs, temperature, share):
    mixed = by_index_add(query, keys, words, model_probs, temperature, share)
    return mixed[:1].expand_as(mixed).contiguous()


@wrong(TASK, "R comes in the wrong order")
def last_query_first(*inputs):
    return by_index_add(*inputs).flip(0)


@wrong(TASK, "view wants numbers that lie in memory")
def viewed(query, keys, words, model_probs, temperature, share):
    mixed = by_index_add(query, keys, words, model_probs, temperature, share)
    return mixed + 0 * model_probs.view(-1).sum()


@wrong(TASK, "keep nothing between calls")
def remembered(query, keys, words, model_probs, *numbers, seen={}):  # noqa: B006
    key = (query.shape, words.shape, model_probs.shape)
    if key not in seen:
        mixed = by_index_add(query, keys, words, model_probs, *numbers)
        seen.clear()
        seen[key] = mixed.detach()
    return seen[key]


@wrong(TASK, "two calls with the same inputs differ")
def with_dropout(query, *rest):
    return by_index_add(F.dropout(query, 0.3), *rest)


@wrong(TASK, "a small vocabulary, but not for one larger")
def as_many_words_as_entries(
    query, keys, words, model_probs, temperature, share
):
    size = max(model_probs.size(-1), len(words))
    q, k = F.normalize(query, dim=-1), F.normalize(keys, dim=-1)
    weights = (q @ k.T / temperature).softmax(-1)
    found = model_probs.new_zeros(len(query), len(words))
    found = found.index_add(1, words.clamp(max=len(words) - 1), weights)
    found = F.pad(found, (0, size - len(words)))[:, : model_probs.size(-1)]
    return (1 - share) * model_probs + share * found


@wrong(TASK, "a single entry")
def wants_two_entries(query, keys, words, model_probs, temperature, share):
    q, k = F.normalize(query, dim=-1), F.normalize(keys, dim=-1)
    return by_lengths(
        q, k.squeeze().mT.mT, words, model_probs, temperature, share
    )
