"""Answers to the tasks of chapter 14, Decoding."""

import math

import torch
import torch.nn.functional as F

from answers.registry import right, wrong
from attnbook.checks.decoding.beam_search.check import beam_search
from attnbook.checks.engine.steps import with_mistakes

# ---------------------------------------------------------------- greedy
TASK = "greedy"


@right(TASK)
def greedy_of_a_batch(model, source, bos, eos, longest):
    model.eval()
    written = torch.full((len(source), 1), bos)
    for _ in range(longest):
        with torch.no_grad():
            logits = model(source, written)[:, -1]
        word = logits.argmax(dim=-1)
        written = torch.cat([written, word[:, None]], dim=1)
    rows = [row[1:] for row in written.tolist()]
    return [row[: row.index(eos)] if eos in row else row for row in rows]


@right(TASK)
def greedy_one_by_one(model, source, bos, eos, longest):
    model.eval()
    rows = []
    for sentence in source:
        words = []
        while len(words) < longest:
            prefix = torch.tensor([[bos, *words]])
            word = int(model(sentence[None], prefix)[0, -1].argmax())
            if word == eos:
                break
            words.append(word)
        rows.append(words)
    return rows


@right(TASK)
@torch.inference_mode()
def greedy_that_stops_early(net, src, start, end, most):
    mode = net.training
    net.eval()
    out = src.new_full((src.shape[0], 1), start)
    done = torch.zeros(src.shape[0], dtype=torch.bool)
    for _ in range(most):
        p = net(src, out)[:, -1].softmax(-1)
        new = p.max(-1).indices
        new[done] = end
        out = torch.hstack([out, new.unsqueeze(1)])
        done |= new == end
        if done.all():
            break
    net.train(mode)
    return [
        list(map(int, r[1:])) if end not in r[1:] else until(r[1:], end)
        for r in out
    ]


def until(row, end):
    return row[: int((row == end).nonzero()[0])].tolist()


@right(TASK)
def greedy_with_fewer_and_fewer_rows(model, source, bos, eos, longest):
    model = model.eval()
    rows = {i: [] for i in range(len(source))}
    open_ = list(rows)
    for _ in range(longest):
        if not open_:
            break
        prefix = torch.tensor([[bos, *rows[i]] for i in open_])
        words = model(source[open_], prefix)[:, -1].argmax(-1).tolist()
        for i, word in zip(list(open_), words, strict=True):
            if word == eos:
                open_.remove(i)
            else:
                rows[i].append(word)
    return list(rows.values())


@right(TASK)
def greedy_by_topk(model, source, bos, eos, longest):
    model.train(False)
    written = torch.tensor([[bos]] * len(source))
    for _ in range(longest):
        words = model(source, written).topk(1, dim=-1).indices[:, -1]
        written = torch.cat((written, words), 1)
    return [cut_at(r, eos) for r in written[:, 1:].tolist()]


@right(TASK)
def greedy_by_double_log_softmax(model, source, bos, eos, longest):
    was = model.training
    model.eval()
    y = torch.full((source.size(0), 1), bos, dtype=torch.long)
    for _ in range(longest):
        log_p = F.log_softmax(model(source, y)[:, -1, :].double(), dim=-1)
        y = torch.cat([y, log_p.argmax(1).view(-1, 1)], -1)
    model.train(was)
    return [cut_at(r, eos) for r in y[:, 1:].tolist()]


def cut_at(row, eos):
    return row[: row.index(eos)] if eos in row else row


def written_by(model, source, bos, longest, pick=None):
    """All words as a tensor, <bos> in front."""
    y = torch.full((len(source), 1), bos)
    for _ in range(longest):
        logits = model(source, y)[:, -1]
        word = pick(logits) if pick else logits.argmax(-1)
        y = torch.cat([y, word[:, None]], dim=1)
    return y


@wrong(TASK, "begin with <bos>; cut it off; and: your rows still hold <eos>")
def greedy_returns_both(model, source, bos, eos, longest):
    y = written_by(model.eval(), source, bos, longest).tolist()
    return [[*cut_at(r, eos), eos] if eos in r else r for r in y]


@wrong(TASK, "ask first whether it is there")
def greedy_needs_an_end(model, source, bos, eos, longest):
    y = written_by(model.eval(), source, bos, longest)[:, 1:].tolist()
    return [r[: r.index(eos)] for r in y]


@wrong(TASK, "the loop does not end")
def greedy_waits_for_all_at_once(model, source, bos, eos, longest):
    model.eval()
    y = torch.full((len(source), 1), bos)
    while not (y[:, -1] == eos).all():
        word = model(source, y)[:, -1].argmax(-1)
        y = torch.cat([y, word[:, None]], dim=1)
    return [cut_at(r, eos) for r in y[:, 1:].tolist()]


@wrong(TASK, "but not when some never do: the loop does not end")
def greedy_ignores_longest(model, source, bos, eos, longest):
    model.eval()
    rows = []
    for s in source:
        words = [bos]
        while words[-1] != eos:
            y = torch.tensor([words])
            words.append(int(model(s[None], y)[0, -1].argmax()))
        rows.append(words[1:-1])
    return rows


@wrong(TASK, "two calls with the same inputs differ")
def greedy_draws(model, source, bos, eos, longest):
    def pick(logits):
        return logits.softmax(-1).multinomial(1)[:, 0]

    y = written_by(model.eval(), source, bos, longest, pick=pick)
    return [cut_at(r, eos) for r in y[:, 1:].tolist()]


@wrong(TASK, "not for other ids")
def greedy_with_fixed_ids(model, source, bos, eos, longest):
    y = written_by(model.eval(), source, 1, longest)
    return [cut_at(r, 2) for r in y[:, 1:].tolist()]


@wrong(TASK, "when eos is 0")
def greedy_that_asks_for_truth(model, source, bos, eos, longest):
    rows = greedy_of_a_batch(model, source, bos, eos, longest)
    y = written_by(model.eval(), source, bos, longest)[:, 1:].tolist()
    return rows if eos else y


@wrong(TASK, "a tensor cannot hold rows")
def greedy_returns_a_tensor(model, source, bos, eos, longest):
    return written_by(model.eval(), source, bos, longest)[:, 1:]


@wrong(TASK, "not for one")
def greedy_squeezes(model, source, bos, eos, longest):
    y = written_by(model.eval(), source, bos, longest)[:, 1:].squeeze(0)
    if y.dim() == 1:
        return cut_at(y.tolist(), eos)
    return [cut_at(r, eos) for r in y.tolist()]


@wrong(TASK, "as a column")
def greedy_joins_a_row(model, source, bos, eos, longest):
    model.eval()
    y = torch.full((len(source), 1), bos)
    for _ in range(longest):
        y = torch.cat([y, model(source, y)[:, -1].argmax(-1)], dim=1)
    return [cut_at(r, eos) for r in y[:, 1:].tolist()]


@wrong(TASK, "must be ids, int64")
def greedy_starts_with_floats(model, source, bos, eos, longest):
    y = torch.zeros(len(source), 1) + bos
    for _ in range(longest):
        word = model.eval()(source, y)[:, -1].argmax(-1)
        y = torch.cat([y, word[:, None]], dim=1)
    return [cut_at(r, eos) for r in y[:, 1:].tolist()]


@wrong(TASK, "one <bos> per sentence")
def greedy_starts_with_one_bos(model, source, bos, eos, longest):
    y = torch.tensor([[bos]])
    word = model.eval()(source, y)[:, -1].argmax(-1)
    return [[int(i)] for i in word]


@wrong(TASK, "thousands")
def greedy_by_exponentials(model, source, bos, eos, longest):
    y = written_by(
        model.eval(), source, bos, longest, pick=lambda x: x.exp().argmax(-1)
    )
    return [cut_at(r, eos) for r in y[:, 1:].tolist()]


@wrong(TASK, "longest is 1")
def greedy_without_a_short_case(model, source, bos, eos, longest):
    return greedy_of_a_batch(model, source, bos, eos, max(2, longest))


@wrong(TASK, "ends at once")
def greedy_always_writes_a_word(model, source, bos, eos, longest):
    rows = greedy_of_a_batch(model, source, bos, eos, longest)
    return [r or [eos] for r in rows]


@right(TASK)
def greedy_by_keywords(model, source, bos, eos, longest):
    model.eval()
    y = torch.full((len(source), 1), bos)
    for _ in range(longest):
        word = model(source=source, words=y)[:, -1:].argmax(-1)
        y = torch.cat([y, word], dim=1)
    return tuple(tuple(cut_at(r, eos)) for r in y[:, 1:].tolist())


@right(TASK)
def greedy_into_a_full_tensor(model, source, bos, eos, longest):
    for part in model.modules():
        part.training = False
    y = torch.full((len(source), longest + 1), eos)
    y[:, 0] = bos
    for t in range(longest):
        y[:, t + 1] = model(source, y)[:, t].argmax(-1)
    return [cut_at(r, eos) for r in y[:, 1:].tolist()]


def greedy_choosing(hint, name, choose):
    """Register greedy decoding with another choice of the word."""

    def answer(model, source, bos, eos, longest):
        model.eval()
        y = torch.full((len(source), 1), bos)
        for _ in range(longest):
            word = choose(model(source, y)[:, -1], y)
            y = torch.cat([y, word[:, None]], dim=1)
        return [cut_at(r, eos) for r in y[:, 1:].tolist()]

    answer.__name__ = name
    return wrong(TASK, hint)(answer)


greedy_choosing(
    "compare all digits", "greedy_in_half", lambda p, y: p.half().argmax(-1)
)
greedy_choosing(
    "all below 0", "greedy_of_relu", lambda p, y: p.relu().argmax(-1)
)


@wrong(TASK, "more than longest times")
def greedy_calls_once_more(model, source, bos, eos, longest):
    y = written_by(model.eval(), source, bos, longest + 1)
    return [cut_at(r[:longest], eos) for r in y[:, 1:].tolist()]


@wrong(TASK, "forty words")
def greedy_of_20_words(model, source, bos, eos, longest):
    y = written_by(model.eval(), source, bos, min(longest, 20))
    return [cut_at(r, eos) for r in y[:, 1:].tolist()]


@wrong(TASK, "a sentence occurs twice")
def greedy_by_sentence(model, source, bos, eos, longest):
    rows = greedy_of_a_batch(model, source, bos, eos, longest)
    found = zip(map(tuple, source.tolist()), rows, strict=True)
    return list(dict(found).values())


@wrong(TASK, "grow by more than one")
def greedy_appends_all_places(model, source, bos, eos, longest):
    model.eval()
    y = torch.full((len(source), 1), bos)
    while y.size(1) <= longest:
        y = torch.cat([y, model(source, y).argmax(-1)], dim=1)
    return [cut_at(r, eos) for r in y[:, 1 : longest + 1].tolist()]


@wrong(TASK, "the model is called once")
def greedy_in_one_call(model, source, bos, eos, longest):
    y = torch.full((len(source), longest), bos)
    rows = model.eval()(source, y).argmax(-1).tolist()
    return [cut_at(r, eos) for r in rows]


@wrong(TASK, "a row goes on behind its <eos>")
def greedy_cuts_if_all_end_at_once(model, source, bos, eos, longest):
    model.eval()
    y = torch.full((len(source), 1), bos)
    for _ in range(longest):
        word = model(source, y)[:, -1].argmax(-1)
        y = torch.cat([y, word[:, None]], dim=1)
        if (word == eos).all():
            break
    return [r[:-1] if r[-1] == eos else r for r in y[:, 1:].tolist()]


@wrong(TASK, "the first row is right, others are not")
def greedy_goes_on_with_the_row_before(model, source, bos, eos, longest):
    model.eval()
    rows, words = [], [bos]
    for sentence in source:
        for _ in range(longest):
            logits = model(sentence[None], torch.tensor([words]))
            word = int(logits[0, -1].argmax())
            if word == eos:
                break
            words.append(word)
        rows.append(words[1:])
    return rows


@wrong(TASK, "give each row a list of its own")
def greedy_with_one_list_for_all(model, source, bos, eos, longest):
    model.eval()
    rows = [[bos]] * len(source)
    for _ in range(longest):
        words = model(source, torch.tensor(rows))[:, -1].argmax(-1)
        for row, word in zip(rows, words.tolist(), strict=True):
            row.append(word)
    return [cut_at(row[1:], eos) for row in rows]


@wrong(TASK, "not for a longer batch: a row is cut short")
def greedy_writes_no_more_than_it_reads(model, source, bos, eos, longest):
    y = written_by(model.eval(), source, bos, min(longest, source.size(1)))
    return [cut_at(r, eos) for r in y[:, 1:].tolist()]


@wrong(TASK, "the place that you read does not exist")
def greedy_reads_beyond(model, source, bos, eos, longest):
    return model.eval()(source, torch.full((len(source), 1), bos))[:, 1]


# ----------------------------------------------------------- beam search
TASK = "beam_search"


@right(TASK)
def beam_in_lists(step, width, alpha, bos, eos, longest):
    open_, ended = [(0.0, [bos])], []
    for _ in range(longest):
        table = step([ids for _, ids in open_])
        every = [
            (total + float(p), [*ids, word])
            for (total, ids), row in zip(open_, table, strict=True)
            for word, p in enumerate(row)
            if p > -math.inf
        ]
        every.sort(reverse=True)
        for total, ids in every[:width]:
            if ids[-1] == eos:
                penalty = ((5 + len(ids) - 1) / 6) ** alpha
                ended.append((total / penalty, ids[1:-1]))
        open_ = [pair for pair in every if pair[1][-1] != eos][:width]
        if len(ended) >= width or not open_:
            break
    if not ended:
        total, ids = open_[0]
        ended = [(total / ((5 + len(ids) - 1) / 6) ** alpha, ids[1:])]
    score, ids = max(ended)
    return ids, score


@right(TASK)
def beam_in_tensors(step, width, alpha, bos, eos, longest):
    rows, total = [[bos]], torch.zeros(1, dtype=torch.double)
    ended = {}
    for n in range(1, longest + 1):
        table = total[:, None] + step(rows).double()
        count = min(2 * width, table.numel())
        best, index = table.flatten().topk(count)
        size = table.size(1)
        new = [[*rows[i // size], i % size] for i in index.tolist()]
        pairs = list(zip(best.tolist(), new, strict=True))
        for score, row in pairs[:width]:
            if row[-1] == eos and score > -math.inf and len(ended) < width:
                ended[tuple(row[1:-1])] = score / ((5 + n) / 6) ** alpha
        going = [(s, r) for s, r in pairs if r[-1] != eos and s > -math.inf]
        rows = [r for _, r in going[:width]]
        total = torch.tensor([s for s, _ in going[:width]], dtype=torch.double)
        if len(ended) == width or not rows:
            break
    if ended:
        best = max(ended, key=ended.get)
        return list(best), ended[best]
    return rows[0][1:], total[0] / ((5 + longest) / 6) ** alpha


@right(TASK)
def beam_with_a_heap(step, k, a, start, end, most):
    import heapq

    beams, done = {(start,): 0.0}, []
    for _ in range(most):
        keys = list(beams)
        table = step([list(key) for key in keys])
        pool = {}
        for key, row in zip(keys, table.tolist(), strict=True):
            for word, p in enumerate(row):
                if p != -math.inf:
                    pool[(*key, word)] = beams[key] + p
        first = heapq.nlargest(k, pool, key=pool.get)
        done += [(pool[key], key) for key in first if key[-1] == end]
        rest = {key: p for key, p in pool.items() if key[-1] != end}
        beams = {key: rest[key] for key in heapq.nlargest(k, rest, rest.get)}
        if len(done) >= k or not beams:
            break
    done = done or [(p, key) for key, p in beams.items()]

    def normal(pair):
        return pair[0] / ((5 + len(pair[1]) - 1) / 6) ** a

    best = max(done, key=normal)
    return [i for i in best[1][1:] if i != end], normal(best)


@right(TASK)
def beam_returning_a_tensor(step, width, alpha, bos, eos, longest):
    ids, score = beam_in_lists(step, width, alpha, bos, eos, longest)
    return torch.tensor(ids), torch.tensor(score, dtype=torch.double)


@right(TASK)
def beam_returning_a_list(step, width, alpha, bos, eos, longest):
    return list(beam_in_tensors(step, width, alpha, bos, eos, longest))


@right(TASK)
def beam_that_steps_one_by_one(step, width, alpha, bos, eos, longest):
    def once(prefixes):
        return torch.cat([step([prefix]) for prefix in prefixes])

    return beam_in_lists(once, width, alpha, bos, eos, longest)


@right(TASK)
def beam_with_more_children(step, width, alpha, bos, eos, longest):
    def best(rows):
        p = step(rows)
        few = p.topk(min(width + 1, p.size(1))).values[:, -1:]
        return p.masked_fill(p < few, -math.inf)

    return beam_in_lists(best, width, alpha, bos, eos, longest)


def beam_with(hint, name, steps):
    """Register the right answer with wrong steps that no row has."""

    def answer(*inputs):
        return with_mistakes(beam_search, steps)(*inputs)

    answer.__name__ = name
    wrong(TASK, hint)(answer)


beam_with("no beginning at all", "beam_of_none", "stop = len(ended) >= wide")
beam_with("no fallback", "beam_without_fallback", "pool = ended")
beam_with("it has ended", "beam_that_extends_the_ended", "going = order")
beam_with(
    "several copies of <bos>", "beam_of_copies", "beams = [(0.0, [bos])] * 9"
)
beam_with(
    "250 rounds: the search stops too early",
    "beam_of_ten_rounds",
    "rounds = min(longest, 10)",
)
beam_with(
    "the sum of logs; return the one divided by the penalty; and: your ids "
    "begin with <bos>",
    "beam_with_bos_and_the_sum",
    "ids = [i for i in written if i != end]; score = sums[best]",
)
beam_with(
    "becomes 0",
    "beam_of_products",
    "beams = [(1.0, [bos])];"
    "every = grow(beams, rows, lambda total, p, n: total * math.exp(p));"
    "likely = [x for x, p in zip(every, sum(rows, [])) if p > -math.inf];"
    "sums = [math.log(x) if x else -math.inf for x, _ in pool]",
)


KEPT = {}


@wrong(TASK, "two calls with the same inputs differ")
def beam_that_remembers(step, width, alpha, bos, eos, longest):
    ids, score = beam_in_lists(step, width, alpha, bos, eos, longest)
    KEPT[len(KEPT)] = score
    return ids, score - len(KEPT)


def beam_changed(hint, name, change):
    """Register a beam search whose arguments or results are changed."""

    def answer(step, width, alpha, bos, eos, longest):
        return change(step, width, alpha, bos, eos, longest)

    answer.__name__ = name
    return wrong(TASK, hint)(answer)


beam_changed(
    "first the ids, then the score",
    "beam_returns_the_score_first",
    lambda *given: beam_in_lists(*given)[::-1],
)
beam_changed(
    "return two things",
    "beam_returns_ids_alone",
    lambda *given: beam_in_lists(*given)[0],
)
beam_changed(
    "handed to step does not start with <bos>",
    "beam_starts_with_nothing",
    lambda s, w, a, b, e, n: s([[]]),
)
beam_changed(
    "each a list of ids",
    "beam_starts_with_one_row",
    lambda s, w, a, b, e, n: s([b]),
)
beam_changed(
    "the newest words alone",
    "beam_that_forgets",
    lambda s, *given: beam_in_lists(
        lambda rows: s([[given[2], *row[1:][-1:]] for row in rows]), *given
    ),
)
beam_changed(
    "not (1,)",
    "beam_returns_an_axis",
    lambda *given: (
        beam_in_lists(*given)[0],
        torch.tensor([beam_in_lists(*given)[1]]),
    ),
)


@wrong(TASK, "one list is appended to")
def beam_of_one_list(step, width, alpha, bos, eos, longest):
    open_, ended = [(0.0, [bos])], []
    for _ in range(longest):
        rows = step([ids for _, ids in open_]).tolist()
        every = []
        for (total, ids), row in zip(open_, rows, strict=True):
            for word, p in enumerate(row):
                ids.append(word)
                every.append((total + p, ids))
        every.sort(reverse=True)
        ended += [x for x in every[:width] if x[1][-1] == eos]
        open_ = [x for x in every if x[1][-1] != eos][:width]
        if len(ended) >= width or not open_:
            break
    return max(ended or open_)[::-1]


@wrong(TASK, "topk asks for more")
def beam_with_a_wide_topk(step, width, alpha, bos, eos, longest):
    best, index = step([[bos]]).flatten().topk(2 * width)
    return index.tolist(), float(best[0])


# ----------------------------------------------------------- cached step
TASK = "cached_step"


def parts_of(x, w_q, w_k, w_v, table, cache):
    """The newest query, key and value, and how many are in the cache."""
    t = 0 if cache is None else cache[0].size(1)
    x = x + table[t]
    return x @ w_q, x @ w_k, x @ w_v, t


@right(TASK)
def cached_by_the_book(x, w_q, w_k, w_v, table, cache):
    q, k, v, _ = parts_of(x, w_q, w_k, w_v, table, cache)
    if cache is not None:
        k = torch.cat([cache[0], k], dim=1)
        v = torch.cat([cache[1], v], dim=1)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    return scores.softmax(-1) @ v, (k, v)


@right(TASK)
def cached_by_pytorch(x, wq, wk, wv, places, past):
    q, k, v, t = parts_of(x, wq, wk, wv, places, past)
    if t:
        k, v = torch.hstack([past[0], k]), torch.hstack([past[1], v])
    return F.scaled_dot_product_attention(q, k, v), (k, v)


@right(TASK)
def cached_by_einsum(x, w_q, w_k, w_v, table, cache):
    q, k, v, t = parts_of(x, w_q, w_k, w_v, table, cache)
    if cache:
        k, v = (torch.cat(pair, 1) for pair in zip(cache, (k, v), strict=True))
    scores = torch.einsum("bik,bsk->bis", q, k) * k.size(-1) ** -0.5
    p = scores.softmax(2)
    return torch.einsum("bis,bse->bie", p, v), [k, v]


@right(TASK)
def cached_in_double(x, w_q, w_k, w_v, table, cache):
    wide = [y.double() for y in (x, w_q, w_k, w_v, table)]
    past = None if cache is None else [y.double() for y in cache]
    out, grown = cached_by_the_book(*wide, past)
    return out.to(x.dtype), tuple(y.to(x.dtype) for y in grown)


@right(TASK)
def cached_with_an_empty_cache(x, w_q, w_k, w_v, table, cache):
    if cache is None:
        cache = (
            x.new_zeros(len(x), 0, w_k.shape[1]),
            x.new_zeros(len(x), 0, w_v.shape[1]),
        )
    old_k, old_v = cache
    here = x + table[None, old_k.shape[1] : old_k.shape[1] + 1]
    k = torch.cat((old_k, here @ w_k), -2)
    v = torch.cat((old_v, here @ w_v), -2)
    p = torch.softmax((here @ w_q) @ k.mT / w_q.size(1) ** 0.5, -1)
    return p @ v, (k, v)


@right(TASK)
def cached_in_loops(x, w_q, w_k, w_v, table, cache):
    q, k, v, _ = parts_of(x, w_q, w_k, w_v, table, cache)
    if cache is not None:
        k, v = torch.cat([cache[0], k], 1), torch.cat([cache[1], v], 1)
    out = []
    for b in range(len(x)):
        s = torch.stack([(q[b, 0] * key).sum() for key in k[b]])
        p = (s / q.size(-1) ** 0.5).softmax(0)
        out.append(sum(w * value for w, value in zip(p, v[b], strict=True)))
    return torch.stack(out)[:, None], (k, v)


def attend(q, k, v):
    return F.scaled_dot_product_attention(q, k, v)


def grow(cache, k, v):
    if cache is None:
        return k, v
    return torch.cat([cache[0], k], 1), torch.cat([cache[1], v], 1)


@wrong(TASK, "along the words, dim=1")
def cached_along_the_batch(x, w_q, w_k, w_v, table, cache):
    q, k, v, t = parts_of(x, w_q, w_k, w_v, table, cache)
    if t:
        k, v = torch.cat([cache[0], k], 0), torch.cat([cache[1], v], 0)
    return attend(q, k[: len(q)], v[: len(q)]), (k, v)


@wrong(TASK, "along the words, dim=1")
def cached_along_the_width(x, w_q, w_k, w_v, table, cache):
    q, k, v, t = parts_of(x, w_q, w_k, w_v, table, cache)
    if t:
        k, v = torch.cat([cache[0], k], -1), torch.cat([cache[1], v], -1)
    return attend(q, k[..., : q.size(-1)], v), (k, v)


@wrong(TASK, "return two things")
def cached_returning_one(x, w_q, w_k, w_v, table, cache):
    return cached_by_the_book(x, w_q, w_k, w_v, table, cache)[0]


@wrong(TASK, "return two things")
def cached_returning_three(x, w_q, w_k, w_v, table, cache):
    out, (k, v) = cached_by_the_book(x, w_q, w_k, w_v, table, cache)
    return out, k, v


@wrong(TASK, "at the first step there is no cache")
def cached_that_needs_a_cache(x, w_q, w_k, w_v, table, cache):
    t = cache[0].size(1)
    y = x + table[t]
    k, v = grow(cache, y @ w_k, y @ w_v)
    return attend(y @ w_q, k, v), (k, v)


SEEN = []


@wrong(TASK, "keep nothing between calls")
def cached_in_a_global(x, w_q, w_k, w_v, table, cache):
    if cache is None:
        SEEN.clear()
    y = x + table[len(SEEN)]
    SEEN.append((y @ w_k, y @ w_v))
    k, v = (torch.cat(rows, 1) for rows in zip(*SEEN, strict=True))
    return attend(y @ w_q, k, v), (k, v)


@wrong(TASK, "changes the cache in place")
def cached_in_place(x, w_q, w_k, w_v, table, cache):
    q, k, v, t = parts_of(x, w_q, w_k, w_v, table, cache)
    if t:
        cache[0].data = torch.cat([cache[0], k], 1)
        cache[1].data = torch.cat([cache[1], v], 1)
        k, v = cache
    return attend(q, k, v), (k, v)


@wrong(TASK, "an axis of size 1 is gone")
def cached_squeezed(x, w_q, w_k, w_v, table, cache):
    out, grown = cached_by_the_book(x, w_q, w_k, w_v, table, cache)
    return out.squeeze(1), grown


@wrong(TASK, "digits are lost")
def cached_in_single(x, w_q, w_k, w_v, table, cache):
    narrow = [y.float() for y in (x, w_q, w_k, w_v, table)]
    past = None if cache is None else [y.float() for y in cache]
    out, grown = cached_by_the_book(*narrow, past)
    return out.to(x.dtype), tuple(y.to(x.dtype) for y in grown)


@wrong(TASK, "scores in the hundreds")
def cached_with_own_softmax(x, w_q, w_k, w_v, table, cache):
    q, k, v, _ = parts_of(x, w_q, w_k, w_v, table, cache)
    k, v = grow(cache, k, v)
    powers = (q @ k.mT / k.size(-1) ** 0.5).exp()
    return powers / powers.sum(-1, keepdim=True) @ v, (k, v)


@right(TASK)
def cached_asking_for_equality(x, w_q, w_k, w_v, table, cache):
    if cache == None:  # noqa: E711
        return cached_by_the_book(x, w_q, w_k, w_v, table, None)
    return cached_by_the_book(x, w_q, w_k, w_v, table, list(cache))


@right(TASK)
def cached_into_new_tensors(x, w_q, w_k, w_v, table, cache, *, scale=None):
    q, k, v, t = parts_of(x, w_q, w_k, w_v, table, cache)
    keys = k.new_empty(len(x), t + 1, k.size(-1))
    values = v.new_empty(len(x), t + 1, v.size(-1))
    if t:
        keys[:, :t], values[:, :t] = cache
    keys[:, t:], values[:, t:] = k, v
    return attend(q, keys, values), (keys, values)


@wrong(TASK, "only the newest 8 words are seen")
def cached_in_a_window(x, w_q, w_k, w_v, table, cache):
    q, k, v, _ = parts_of(x, w_q, w_k, w_v, table, cache)
    k, v = grow(cache, k, v)
    return attend(q, k[:, -8:], v[:, -8:]), (k, v)


def cached_placed(hint, name, place):
    """Register a step at a wrong place."""

    def answer(x, w_q, w_k, w_v, table, cache):
        t = 0 if cache is None else place(x, table, cache)
        y = x + table[t]
        k, v = grow(cache, y @ w_k, y @ w_v)
        return attend(y @ w_q, k, v), (k, v)

    answer.__name__ = name
    return wrong(TASK, hint)(answer)


cached_placed(
    "not for forty: the position is that of place",
    "cached_at_eight_places",
    lambda x, table, cache: cache[0].size(1) % 8,
)
cached_placed(
    "the position is that of place 3",
    "cached_at_the_size_of_the_batch",
    lambda x, table, cache: cache[0].size(0),
)


@wrong(TASK, "digits are lost")
def cached_in_single_precision(x, w_q, w_k, w_v, table, cache):
    out, grown = cached_by_the_book(x, w_q, w_k, w_v, table, cache)
    return out, tuple(y.float().to(x.dtype) for y in grown)


@wrong(TASK, "a tensor that it was given")
def cached_adding_in_place(x, w_q, w_k, w_v, table, cache):
    x += table[0 if cache is None else cache[0].size(1)]
    k, v = grow(cache, x @ w_k, x @ w_v)
    return attend(x @ w_q, k, v), (k, v)
