"""Answers to the tasks of chapter 6, Self-attention."""

import math

import torch
import torch.nn.functional as F

from answers.registry import right, wrong

TASK = "self_attention"


def attend(q, k, v, factor=None, dim=-1):
    """Return context and weights with a factor and an axis of choice."""
    factor = q.size(-1) ** -0.5 if factor is None else factor
    weights = (q @ k.mT * factor).softmax(dim=dim)
    return weights @ v, weights


# ---------------------------------------------------------------- right
@right(TASK)
def in_matrices(x, w_q, w_k, w_v):
    return attend(x @ w_q, x @ w_k, x @ w_v)


@right(TASK)
def einsum(words, queries, keys, values):
    q = torch.einsum("...td,dk->...tk", words, queries)
    k = torch.einsum("...sd,dk->...sk", words, keys)
    v = torch.einsum("...sd,de->...se", words, values)
    scores = torch.einsum("...tk,...sk->...ts", q, k)
    weights = F.softmax(scores / q.shape[-1] ** 0.5, dim=-1)
    return [torch.einsum("...ts,...sv->...tv", weights, v), weights]


@right(TASK)
def word_by_word(x, w_q, w_k, w_v):
    if x.dim() == 3:
        pairs = [word_by_word(s, w_q, w_k, w_v) for s in x]
        return tuple(torch.stack(part) for part in zip(*pairs, strict=True))
    rows = []
    for word in x:
        query = word @ w_q
        scores = torch.stack([query @ (other @ w_k) for other in x])
        rows.append((scores / math.sqrt(len(query))).softmax(0))
    weights = torch.stack(rows)
    return weights @ (x @ w_v), weights


@right(TASK)
def values_projected_after_mixing(x, w_q, w_k, w_v):
    weights = attend(x @ w_q, x @ w_k, x)[1]
    return (weights @ x) @ w_v, weights


@right(TASK)
def one_matrix_between_the_words(x, w_q, w_k, w_v):
    between = w_q @ w_k.T / w_q.size(1) ** 0.5
    weights = (x @ between @ x.mT).softmax(-1)
    return weights @ x @ w_v, weights


@right(TASK)
def projected_at_once_then_split(x, w_q, w_k, w_v):
    sizes = [w.size(1) for w in (w_q, w_k, w_v)]
    return attend(*(x @ torch.cat([w_q, w_k, w_v], 1)).split(sizes, -1))


@right(TASK)
def float64_inside(x, w_q, w_k, w_v):
    dtype = x.dtype
    x, w_q, w_k, w_v = (t.double() for t in (x, w_q, w_k, w_v))
    context, weights = attend(x @ w_q, x @ w_k, x @ w_v)
    return context.to(dtype), weights.to(dtype)


@right(TASK)
def pytorch_s_own(x, w_q, w_k, w_v):
    q, k, v = (F.linear(x, w.T) for w in (w_q, w_k, w_v))
    weights = torch.softmax(
        q @ k.transpose(-1, -2) / math.sqrt(q.size(-1)), -1
    )
    return F.scaled_dot_product_attention(q, k, v), weights


@right(TASK)
def root_of_a_tensor(x, w_q, w_k, w_v):
    scores = (x @ w_q) @ (x @ w_k).mT
    scores /= torch.sqrt(torch.tensor(w_q.size(1)))  # backward needs no copy
    weights = scores.softmax(-1)
    return weights @ (x @ w_v), weights


@right(TASK)
def rows_written_into_a_tensor(x, w_q, w_k, w_v):
    q, k = x @ w_q, x @ w_k
    weights = x.new_empty(*x.shape[:-1], x.size(-2))
    for t in range(x.size(-2)):
        scores = (k @ q[..., t, :, None])[..., 0] / w_q.size(1) ** 0.5
        weights[..., t, :] = scores.softmax(-1)
    return weights @ (x @ w_v), weights


@right(TASK)
def rows_overwritten(x, w_q, w_k, w_v):
    rows = (x @ w_q) @ (x @ w_k).mT / w_q.size(1) ** 0.5
    for t in range(x.size(-2)):
        rows[..., t, :] = rows[..., t, :].softmax(-1)
    return rows @ (x @ w_v), rows


# ---------------------------------------------------------------- wrong
@wrong(TASK, "leave the batch in front")
def one_sentence_only(x, w_q, w_k, w_v):
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    weights = (q @ k.T / math.sqrt(q.shape[1])).softmax(dim=1)
    return weights @ v, weights


@wrong(TASK, "but not for one sentence (T, D)")
def batch_only(x, w_q, w_k, w_v):
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    weights = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(q.size(2))
    weights = weights.softmax(dim=2)
    return torch.bmm(weights, v), weights


@wrong(TASK, "nothing added")
def words_added(x, w_q, w_k, w_v):
    context, weights = in_matrices(x, w_q, w_k, w_v)
    return x + context, weights


@wrong(TASK, "weights @ v, in this order")
def mixed_in_the_wrong_order(x, w_q, w_k, w_v):
    weights = in_matrices(x, w_q, w_k, w_v)[1]
    return x @ w_v @ weights, weights


@wrong(TASK, "queries are scored against values")
def scored_against_values(x, w_q, w_k, w_v):
    return attend(x @ w_q, x @ w_v, x @ w_v)


@wrong(TASK, "without a transpose")
def projections_transposed(x, w_q, w_k, w_v):
    return in_matrices(x, w_q.T, w_k.T, w_v.T)


@wrong(TASK, "'float' object has no attribute 'softmax'")
def softmax_of_the_root(x, w_q, w_k, w_v):
    scores = (x @ w_q) @ (x @ w_k).mT
    weights = scores / math.sqrt(w_q.size(1)).softmax(-1)
    return weights @ (x @ w_v), weights


@wrong(TASK, "must be Tensor, not int")
def root_of_a_number(x, w_q, w_k, w_v):
    scores = (x @ w_q) @ (x @ w_k).mT
    weights = (scores / torch.sqrt(w_q.size(1))).softmax(-1)
    return weights @ (x @ w_v), weights


@wrong(TASK, "in the product of q and k, use k.transpose(-2, -1)")
def keys_not_transposed(x, w_q, w_k, w_v):
    weights = ((x @ w_q) @ (x @ w_k) / w_q.size(1) ** 0.5).softmax(-1)
    return weights @ (x @ w_v), weights


@wrong(TASK, "weights first")
def returned_in_the_wrong_order(x, w_q, w_k, w_v):
    return in_matrices(x, w_q, w_k, w_v)[::-1]


@wrong(TASK, "return two tensors")
def context_only(x, w_q, w_k, w_v):
    return in_matrices(x, w_q, w_k, w_v)[0]


@wrong(TASK, "several hundred: the weights hold NaN, because e to such a")
def softmax_without_max(x, w_q, w_k, w_v):
    powers = ((x @ w_q) @ (x @ w_k).mT / w_q.size(1) ** 0.5).exp()
    weights = powers / powers.sum(-1, keepdim=True)
    return weights @ (x @ w_v), weights


@wrong(TASK, "several hundred: something is cut off or replaced")
def scores_clamped(x, w_q, w_k, w_v):
    scores = (x @ w_q) @ (x @ w_k).mT / w_q.size(1) ** 0.5
    weights = scores.clamp(-80, 80).softmax(-1)
    return weights @ (x @ w_v), weights


@wrong(TASK, "several hundred: the weights hold NaN")
def one_maximum_for_all(x, w_q, w_k, w_v):
    scores = (x @ w_q) @ (x @ w_k).mT / w_q.size(1) ** 0.5
    powers = (scores - scores.max()).exp()
    weights = powers / powers.sum(-1, keepdim=True)
    return weights @ (x @ w_v), weights


@wrong(TASK, "the weights are right, but the context is not; it is weights")
def values_shifted(x, w_q, w_k, w_v):
    context, weights = in_matrices(x, w_q, w_k, w_v)
    return context + (x @ w_v).roll(1, -2), weights


@wrong(TASK, "(T, D); count axes from the end: the context must have the axes")
def a_batch_in_any_case(x, w_q, w_k, w_v):
    return in_matrices(x.view(-1, *x.shape[-2:]), w_q, w_k, w_v)


@wrong(TASK, "no gradient flows through the tensor of weights")
def returned_weights_detached(x, w_q, w_k, w_v):
    context, weights = in_matrices(x, w_q, w_k, w_v)
    return context, weights.detach()


@wrong(TASK, "keep the type")
def always_float32(x, w_q, w_k, w_v):
    return in_matrices(*(t.float() for t in (x, w_q, w_k, w_v)))


@wrong(TASK, "no gradient")
def detached(x, w_q, w_k, w_v):
    return in_matrices(*(t.detach() for t in (x, w_q, w_k, w_v)))


@wrong(TASK, "gradient of w_k is not")
def keys_detached(x, w_q, w_k, w_v):
    return in_matrices(x, w_q, w_k.detach(), w_v)


@wrong(TASK, "backward() fails")
def normalised_in_place(x, w_q, w_k, w_v):
    scores = (x @ w_q) @ (x @ w_k).mT / w_q.size(1) ** 0.5
    weights = (scores - scores.amax(-1, keepdim=True)).exp()
    weights /= weights.sum(-1, keepdim=True)
    return weights @ (x @ w_v), weights


@wrong(TASK, "backward() fails")
def weights_multiplied_in_place(x, w_q, w_k, w_v):
    weights = in_matrices(x, w_q, w_k, w_v)[1].mul_(1.0)
    return weights @ (x @ w_v), weights


@wrong(TASK, "float64: digits are lost")
def float32_inside(x, w_q, w_k, w_v):
    result = in_matrices(*(t.float() for t in (x, w_q, w_k, w_v)))
    return tuple(t.to(x.dtype) for t in result)


@wrong(TASK, "float64: digits are lost")
def float32_for_the_values(x, w_q, w_k, w_v):
    weights = in_matrices(x, w_q, w_k, w_v)[1]
    v = (x.float() @ w_v.float()).to(x.dtype)
    return weights @ v, weights


@wrong(TASK, "an axis of size 1 is gone from the weights")
def squeezed(x, w_q, w_k, w_v):
    return tuple(t.squeeze() for t in in_matrices(x, w_q, w_k, w_v))


@wrong(TASK, "an axis of size 1 is gone from the weights")
def words_squeezed(x, w_q, w_k, w_v):
    return in_matrices(x.squeeze(0) if x.dim() == 3 else x, w_q, w_k, w_v)


@wrong(TASK, "an axis of size 1 is gone from the context")
def context_squeezed(x, w_q, w_k, w_v):
    context, weights = in_matrices(x, w_q, w_k, w_v)
    return context.squeeze(-1), weights


@wrong(TASK, "in place")
def scaled_in_place(x, w_q, w_k, w_v):
    with torch.no_grad():
        w_q /= w_q.size(1) ** 0.5
    return attend(x @ w_q, x @ w_k, x @ w_v, 1)


@wrong(TASK, "two calls")
def dropout(x, w_q, w_k, w_v):
    weights = F.dropout(in_matrices(x, w_q, w_k, w_v)[1], 0.1)
    return weights @ (x @ w_v), weights


@wrong(TASK, "you lose digits")
def rounded(x, w_q, w_k, w_v):
    context, weights = in_matrices(x, w_q, w_k, w_v)
    return context, (weights * 1000).round() / 1000


@wrong(TASK, "but not for (4, 11, 3, 8, 2)")
def width_written_down(x, w_q, w_k, w_v):
    return attend(x @ w_q, x @ w_k, x @ w_v, 7**-0.5)


@wrong(TASK, "a score of 0 hides nothing")
def scores_of_zero_hidden(x, w_q, w_k, w_v):
    scores = (x @ w_q) @ (x @ w_k).mT / w_q.size(1) ** 0.5
    weights = scores.masked_fill(scores == 0, -1e9).softmax(-1)
    return weights @ (x @ w_v), weights


@wrong(TASK, "(new tensors need dtype=...)")
def rows_in_a_tensor_of_float32(x, w_q, w_k, w_v):
    weights = torch.zeros(*x.shape[:-1], x.size(-2))
    full = in_matrices(x, w_q, w_k, w_v)[1]
    for t in range(x.size(-2)):
        weights[..., t, :] = full[..., t, :]
    return weights.to(x.dtype) @ (x @ w_v), weights


@wrong(TASK, "end it with a return")
def forgotten_return(x, w_q, w_k, w_v):
    context, weights = in_matrices(x, w_q, w_k, w_v)


# ----------------------------------------------------------- batch test
TASK = "batch_test"


def moves(attend_, x, sentence, word, least=1e-6, step=1.0):
    """Return which words move when one changes, bool, (B, T)."""
    changed = x.clone()
    changed[sentence, word] += step
    return (attend_(changed) - attend_(x)).abs().amax(-1) > least


def own_sentence_only(attend_, shape=(3, 5, 8), cells=None, **how):
    """Say whether changes move their own sentences, and those alone."""
    x = torch.randn(shape, generator=torch.Generator().manual_seed(0))
    for b, t in cells or [(b, t) for b in range(3) for t in range(5)]:
        want = torch.zeros(shape[:2], dtype=torch.bool)
        want[b] = True
        if not torch.equal(moves(attend_, x, b, t, **how), want):
            return False
    return True


@right(TASK)
def every_word_in_turn(attend_):
    return own_sentence_only(attend_)


@right(TASK)
def short_sentences(attend_):
    cells = [(b, t) for b in range(3) for t in range(3)]
    return own_sentence_only(attend_, (3, 3, 8), cells, least=1e-5)


@right(TASK)
def in_float64(attend_):
    return own_sentence_only(lambda x: attend_(x.double()), step=2.0)


@right(TASK)
def by_autograd(attend_):
    x = torch.randn(2, 3, 4)
    slopes = torch.autograd.functional.jacobian(attend_, x)
    reads = slopes.abs().amax((2, 5)) > 1e-5  # (B, T, B, T)
    own = torch.eye(2)[:, None, :, None].expand(2, 3, 2, 3) > 0
    return torch.equal(reads, own)


@right(TASK)
def by_forward_derivatives(attend_):
    x = torch.randn(2, 3, 4)
    reads = (torch.func.jacrev(attend_)(x) != 0).any(5).any(2)
    own = torch.eye(2)[:, None, :, None].expand(2, 3, 2, 3) > 0
    return bool((reads == own).all())


@right(TASK)
def allclose_with_a_tolerance(attend_):
    x = torch.randn(2, 3, 8)
    before = attend_(x)
    for b in range(2):
        for t in range(3):
            changed = x.clone()
            changed[b, t] = torch.randn(8)
            after = attend_(changed)
            if not torch.allclose(after[1 - b], before[1 - b], atol=1e-6):
                return False
            if not all((after[b] - before[b]).norm(dim=-1) > 1e-5):
                return False
    return True


@right(TASK)
def alone_and_together(attend_):
    x = torch.randn(4, 6, 10)
    together = attend_(x)
    for b in range(4):
        alone = attend_(x[b : b + 1])
        if not torch.allclose(alone[0], together[b], atol=1e-5):
            return False
    cells = [(0, t) for t in range(6)]
    return own_sentence_only(attend_, (4, 6, 10), cells)


@right(TASK)
def without_gradients(attend_):
    with torch.no_grad():
        return own_sentence_only(attend_, step=-100.0, least=1e-5)


@right(TASK)
@torch.no_grad()
def number_by_number(attend_):
    x = torch.randn(2, 3, 8)  # two sentences are enough
    for b, t in [(b, t) for b in range(2) for t in range(3)]:
        moved = moves(attend_, x, b, t, step=100.0)
        for c, u in [(c, u) for c in range(2) for u in range(3)]:
            if (moved[c, u].item() == 1) != (c == b):
                return False
    return True


@wrong(TASK, "it cannot tell how words move")
def shapes_alone(attend_):
    return attend_(torch.randn(3, 5, 8)).shape == (3, 5, 8)


@wrong(TASK, "one sentence in every batch")
def the_colleague_s(attend_):
    x = torch.randn(1, 5, 8)
    return bool(moves(attend_, x, 0, 0).any())


@wrong(TASK, "keys of the first")
def never_the_first_sentence(attend_):
    return own_sentence_only(attend_, cells=[(2, 0), (2, 4)])


@wrong(TASK, "values of the last")
def the_first_sentence_only(attend_):
    x = torch.randn(3, 5, 8)
    return all(
        not moves(attend_, x, 0, t)[1:].any()
        and bool(moves(attend_, x, 0, t)[0].all())
        for t in (0, 4)
    )


@wrong(TASK, "a small leak")
def coarse(attend_):
    return own_sentence_only(attend_, least=5e-3, step=5.0)


@wrong(TASK, "moves nothing but the changed word")
def others_only(attend_):
    x = torch.randn(3, 5, 8)
    return not any(moves(attend_, x, b, 0)[b - 1].any() for b in range(3))


@wrong(TASK, "hides the later words")
def first_word_only(attend_):
    return own_sentence_only(attend_, cells=[(b, 0) for b in range(3)])


@wrong(TASK, "hides the earlier words")
def last_word_only(attend_):
    return own_sentence_only(attend_, cells=[(b, 4) for b in range(3)])


@wrong(TASK, "last digits differ from call to call")
def exactly_equal(attend_):
    return own_sentence_only(attend_, least=0.0)


@wrong(TASK, "turn it round")
def the_wrong_way_round(attend_):
    return not own_sentence_only(attend_)


@wrong(TASK, "refuses every attention")
def nothing_may_move(attend_):
    return not moves(attend_, torch.randn(3, 5, 8), 1, 0).any()


@wrong(TASK, "instead")
def asserts(attend_):
    assert own_sentence_only(attend_)
    return True


@wrong(TASK, "return True or False")
def returns_a_tensor(attend_):
    return moves(attend_, torch.randn(3, 5, 8), 1, 0)


@wrong(TASK, "of shape (B, T, D)")
def queries_keys_values(attend_):
    x = torch.randn(3, 5, 8)
    return attend_(x, x, x).shape == x.shape


@wrong(TASK, "of shape (B, T, D)")
def one_sentence(attend_):
    return attend_(torch.randn(5, 8)).shape == (5, 8)


@wrong(TASK, "never calls attend")
def always_yes(attend_):
    return True


@wrong(TASK, "attention across the batch")
def anything_moves(attend_):
    return bool(moves(attend_, torch.randn(3, 5, 8), 1, 2).any())


@wrong(TASK, "as if they were one long sentence")
def own_row_only(attend_):
    x = torch.randn(3, 5, 8)
    return all(bool(moves(attend_, x, b, 0)[b].all()) for b in range(3))


@wrong(TASK, "change one word alone")
def whole_sentences_changed(attend_):
    x = torch.randn(3, 5, 8)
    before = attend_(x)
    for b in range(3):
        changed = x.clone()
        changed[b] = torch.randn(5, 8)
        moved = (attend_(changed) - before).abs().amax(-1) > 1e-6
        if not moved[b].all() or moved.sum() > 5:
            return False
    return True


@wrong(TASK, "context of another sentence")
def sentences_counted(attend_):
    x = torch.randn(3, 5, 8)
    cells = [(b, t) for b in range(3) for t in range(5)]
    seen = [moves(attend_, x, b, t) for b, t in cells]
    return all(m.any(1).sum() == 1 and m.sum() == 5 for m in seen)


@wrong(TASK, "NaN everywhere")
def asks_what_does_not_hold(attend_):
    x = torch.randn(3, 5, 8)
    for b in range(3):
        for t in range(5):
            changed = x.clone()
            changed[b, t] += 1.0
            moved = (attend_(changed) - attend_(x)).abs().amax(-1)
            others = moved[[n for n in range(3) if n != b]]
            if (others > 1e-6).any() or (moved[b] < 1e-6).any():
                return False
    return True


@wrong(TASK, "NaN or infinity into the words")
def changed_to_nan(attend_):
    for b in range(3):
        for t in range(5):
            x = torch.randn(3, 5, 8)
            x[b, t] = math.nan
            gone = attend_(x).isnan().any(-1)
            if not gone[b].all() or gone.sum() > 5:
                return False
    return True


@wrong(TASK, "by less than a hundredth")
def too_small_a_change(attend_):
    return own_sentence_only(attend_, step=1e-7)


@wrong(TASK, "write x.clone()")
def forgotten_clone(attend_):
    x = torch.randn(3, 5, 8)
    changed = x
    changed[1, 2] += 1.0
    moved = (attend_(changed) - attend_(x)).abs().amax(-1) > 1e-6
    return bool(moved[1].all() and moved.sum() == 5)


@wrong(TASK, "in some draws and not in others")
def a_cell_by_chance(attend_):
    cell = [int(torch.randint(n, ())) for n in (3, 5)]
    return own_sentence_only(attend_, cells=[cell])


@wrong(TASK, "take .abs()")
def forgotten_abs(attend_):
    x = torch.randn(3, 5, 8)
    for b in range(3):
        for t in range(5):
            changed = x.clone()
            changed[b, t] += 1.0
            moved = (attend_(changed) - attend_(x)).amax(-1) > 1e-6
            if not moved[b].all() or moved.sum() > 5:
                return False
    return True


@wrong(TASK, "last digits differ from call to call")
def allclose_as_it_is(attend_):
    x = torch.randn(3, 5, 8)
    changed = x.clone()
    changed[0, 0] += 1.0
    return torch.allclose(attend_(changed)[1:], attend_(x)[1:])


@wrong(TASK, "let it end in return True")
def forgotten_return_true(attend_):
    return None if own_sentence_only(attend_) else False


@wrong(TASK, "has no attribute 'eval'")
def mode_changed(attend_):
    attend_.eval()
    return own_sentence_only(attend_)


@wrong(TASK, "attention across the batch")
def words_counted_in_a_square(attend_):
    x = torch.randn(5, 5, 8)
    cells = [(b, t) for b in range(5) for t in range(5)]
    return all(moves(attend_, x, b, t).sum() == 5 for b, t in cells)


@wrong(TASK, "sentences of one word")
def sentences_of_one_word(attend_):
    cells = [(0, 0), (1, 0), (2, 0)]
    return own_sentence_only(attend_, (3, 1, 8), cells)


@wrong(TASK, "keys of one in the middle; change words of every sentence")
def four_corners(attend_):
    cells = (0, 0), (0, 4), (2, 0), (2, 4)
    return own_sentence_only(attend_, cells=cells, least=1e-5)


@wrong(TASK, "change every word in turn, those in the middle too")
def both_ends_of_all(attend_):
    cells = [(b, t) for b in range(3) for t in (0, 4)]
    return own_sentence_only(attend_, cells=cells)


@wrong(TASK, "sliding window")
def sentences_of_two_words(attend_):
    cells = [(b, t) for b in range(3) for t in range(2)]
    return own_sentence_only(attend_, (3, 2, 8), cells)


@wrong(TASK, "ask whether all words of the sentence move, not one or two")
def the_next_word_only(attend_):
    x = torch.randn(3, 5, 8)
    cells = [(b, t) for b in range(3) for t in range(5)]
    seen = [(b, t, moves(attend_, x, b, t)) for b, t in cells]
    return all(m[b, t - 4] and m.any(1).sum() == 1 for b, t, m in seen)


@wrong(TASK, "look at all numbers of a word, with .abs().amax(-1)")
def one_number_of_each_word(attend_):
    return own_sentence_only(lambda x: attend_(x)[..., :1])


@wrong(TASK, "with .abs().amax(-1), not at one of them or at their sum")
def size_of_the_sum(attend_):
    x = torch.randn(3, 5, 16)
    for b, t in [(b, t) for b in range(3) for t in range(5)]:
        changed = x.clone()
        changed[b, t] += 1.0
        moved = (attend_(changed) - attend_(x)).sum(-1).abs() > 1e-6
        if not only_own(moved, b, t):
            return False
    return True


@wrong(TASK, "it changes several words at once")
def sentences_raised(attend_):
    x = torch.randn(3, 5, 8)
    for b in range(3):
        changed = x.clone()
        changed[b] += 1.0
        moved = (attend_(changed) - attend_(x)).abs().amax(-1) > 1e-6
        if not moved[b].all() or moved.sum() != 5:
            return False
    return True


@wrong(TASK, "keys of the first; ask the same of every sentence")
def the_first_sentence_alone(attend_):
    x = torch.randn(3, 5, 8)
    return torch.allclose(attend_(x[:1]), attend_(x)[:1], atol=1e-5)


@wrong(
    TASK, "your test accepts an attention in which every sentence is scored"
)
def slopes_of_one_sentence(attend_):
    x = torch.randn(3, 5, 8, requires_grad=True)
    attend_(x)[0].sum().backward()
    slopes = x.grad.abs().amax(-1) > 0
    return bool(slopes[0].all() and not slopes[1:].any())


@wrong(TASK, "take .abs() of the differences, call all above about 1e-6")
def signed_sums(attend_):
    x = torch.randn(3, 5, 8)
    for b in range(3):
        for t in range(5):
            changed = x.clone()
            changed[b, t] += 1.0
            moved = (attend_(changed) - attend_(x)).sum(-1) > 1e-6
            if not moved[b].all() or moved.sum() != 5:
                return False
    return True


@wrong(TASK, "change every word in turn, the first and the last too")
def middle_words_only(attend_):
    return own_sentence_only(attend_, cells=[(b, 2) for b in range(3)])


@wrong(TASK, "no word reads the first")
def all_but_the_first(attend_):
    cells = [(b, t) for b in range(3) for t in range(1, 5)]
    return own_sentence_only(attend_, cells=cells)


@wrong(TASK, "no word reads the last")
def on_the_diagonal(attend_):
    return own_sentence_only(attend_, cells=[(b, b) for b in range(3)])


@wrong(TASK, "no word reads the second")
def every_other_word(attend_):
    cells = [(b, t) for b in range(3) for t in (0, 2, 4)]
    return own_sentence_only(attend_, cells=cells)


def whenever(attend_, holds, x=None):
    """Say whether something holds of all moves, for every word in turn."""
    x = torch.randn(3, 5, 8) if x is None else x
    cells = [(b, t) for b in range(3) for t in range(5)]
    return all(bool(holds(moves(attend_, x, *c), *c)) for c in cells)


@wrong(TASK, "one of the next sentence too")
def next_sentence_still(attend_):
    def holds(moved, b, t):
        return moved[b].all() and not moved[(b + 1) % 3].any()

    return whenever(attend_, holds)


@wrong(TASK, "one of the sentence before too")
def sentence_before_still(attend_):
    return whenever(attend_, lambda m, b, t: m[b].all() and not m[b - 1].any())


@wrong(TASK, "only the first and the last word read the others")
def ends_move(attend_):
    def holds(moved, b, t):
        others = [n for n in range(3) if n != b]
        return moved[b, [0, -1]].all() and not moved[others].any()

    return whenever(attend_, holds)


@wrong(TASK, "one word of the other sentences is still (any)")
def any_other_word_still(attend_):
    def holds(moved, b, t):
        others = [n for n in range(3) if n != b]
        return moved[b].all() and (~moved[others]).any()

    return whenever(attend_, holds)


@wrong(TASK, "all words but the first of a sentence read one of the sentence")
def others_first_words_alone(attend_):
    def holds(moved, b, t):
        others = [n for n in range(3) if n != b]
        return moved[b].all() and not moved[others, 0].any()

    return whenever(attend_, holds)


@wrong(TASK, "no word reads itself; ask whether the changed word moves too")
def changed_word_left_out(attend_):
    def holds(moved, b, t):
        moved[b, t] = True
        return only_own(moved, b, t)

    return whenever(attend_, holds)


@wrong(TASK, "lets the other sentences move too far")
def others_move_a_little(attend_):
    x = torch.randn(3, 5, 8)
    cells = [(b, t) for b in range(3) for t in range(5)]
    far = [(b, moves(attend_, x, b, t, 0.1)) for b, t in cells]
    near = [(b, moves(attend_, x, b, t)) for b, t in cells]
    return all(n[b].all() for b, n in near) and not any(
        f[[n for n in range(3) if n != b]].any() for b, f in far
    )


@wrong(TASK, "comes from other sentences too; look at all numbers")
def least_number(attend_):
    x = torch.randn(3, 5, 8)
    for b in range(3):
        for t in range(5):
            changed = x.clone()
            changed[b, t] += 1.0
            moved = (attend_(changed) - attend_(x)).abs().amin(-1) > 1e-6
            if not moved[b].all() or moved.sum() > 5:
                return False
    return True


def only_own(moved, b, t):
    return moved[b].all() and moved.sum() == 5


@wrong(TASK, "words that are all alike")
def zeros(attend_):
    return whenever(attend_, only_own, torch.zeros(3, 5, 8))


@wrong(TASK, "the softmax saturates")
def hundreds(attend_):
    return whenever(attend_, only_own, 100 * torch.randn(3, 5, 8))


@wrong(TASK, "the changes pile up")
def never_reset(attend_):
    x = torch.randn(3, 5, 8)
    changed = x.clone()
    for b in range(3):
        for t in range(5):
            changed[b, t] += 1.0
            moved = (attend_(changed) - attend_(x)).abs().amax(-1) > 1e-6
            if not moved[b].all() or moved[b + 1 :].any():
                return False
    return True


@wrong(TASK, "only the last comparison")
def last_one_decides(attend_):
    x = torch.randn(3, 5, 8)
    for b in range(3):
        for t in range(5):
            right = only_own(moves(attend_, x, b, t), b, t)
    return bool(right)


@wrong(TASK, "as soon as one comparison holds")
def first_success(attend_):
    x = torch.randn(3, 5, 8)
    cells = [(b, t) for b in range(3) for t in range(5)]
    return any(bool(only_own(moves(attend_, x, *c), *c)) for c in cells)


@wrong(TASK, "no word reads one of the others; change every word in turn")
def three_words_of_five(attend_):
    cells = [(b, t) for b in range(3) for t in (0, 1, 4)]
    return own_sentence_only(attend_, cells=cells)


@wrong(TASK, "change words of every sentence, and leave none out")
def sentences_with_even_numbers(attend_):
    cells = [(b, t) for b in (0, 2, 4) for t in range(5)]
    return own_sentence_only(attend_, (5, 5, 8), cells)


@wrong(TASK, "one word reads itself alone; ask of every word")
def first_word_never_asked(attend_):
    def holds(moved, b, t):
        others = [n for n in range(3) if n != b]
        return moved[b, 1:].all() and not moved[others].any()

    return whenever(attend_, holds)


@wrong(TASK, "the words of one sentence read themselves alone")
def one_sentence_asked_whether_it_moves(attend_):
    def holds(moved, b, t):
        others = [n for n in range(3) if n != b]
        own = b != 1 or moved[b].all()
        return own and moved[b, t] and not moved[others].any()

    return whenever(attend_, holds)


@wrong(TASK, "of one number and not of a sum")
def differences_added_up(attend_):
    x = torch.randn(3, 5, 8)
    for b, t in [(b, t) for b in range(3) for t in range(5)]:
        changed = x.clone()
        changed[b, t] += 1.0
        moved = (attend_(changed) - attend_(x)).abs().sum((1, 2)) > 1e-6
        if moved.tolist() != [n == b for n in range(3)]:
            return False
    return True


@wrong(TASK, "returns a str; return True or False")
def in_words(attend_):
    return str(own_sentence_only(attend_))
