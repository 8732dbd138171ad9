"""Answers to the tasks of chapter 14, Decoding."""

import math

import torch
import torch.nn.functional as F

from answers.registry import right, wrong

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


def written_by(model, source, bos, longest, place=-1, last=False, pick=None):
    """All words as a tensor, <bos> in front."""
    y = torch.full((len(source), 1), bos)
    for _ in range(longest):
        logits = model(source, y[:, -1:] if last else y)[:, place]
        word = pick(logits) if pick else logits.argmax(-1)
        y = torch.cat([y, word[:, None]], dim=1)
    return y


@wrong(TASK, "model.eval()")
def greedy_in_train_mode(model, source, bos, eos, longest):
    y = written_by(model, source, bos, longest)
    return [cut_at(r, eos) for r in y[:, 1:].tolist()]


@wrong(TASK, "model.eval()")
def greedy_without_gradients_alone(model, source, bos, eos, longest):
    with torch.no_grad():  # which is not eval
        y = written_by(model, source, bos, longest)
    return [cut_at(r, eos) for r in y[:, 1:].tolist()]


@wrong(TASK, "logits of the first place")
def greedy_reads_the_first_place(model, source, bos, eos, longest):
    y = written_by(model.eval(), source, bos, longest, place=0)
    return [cut_at(r, eos) for r in y[:, 1:].tolist()]


@wrong(TASK, "one place too early")
def greedy_reads_too_early(model, source, bos, eos, longest):
    model.eval()
    y = torch.full((len(source), 1), bos)
    for _ in range(longest):
        logits = model(source, y)
        word = logits[:, max(-2, -y.size(1))].argmax(-1)
        y = torch.cat([y, word[:, None]], dim=1)
    return [cut_at(r, eos) for r in y[:, 1:].tolist()]


@wrong(TASK, "only the newest word is fed")
def greedy_feeds_the_last_word(model, source, bos, eos, longest):
    y = written_by(model.eval(), source, bos, longest, last=True)
    return [cut_at(r, eos) for r in y[:, 1:].tolist()]


@wrong(TASK, "begin with <bos>")
def greedy_returns_bos(model, source, bos, eos, longest):
    y = written_by(model.eval(), source, bos, longest)
    return [cut_at(r, eos) for r in y.tolist()]


@wrong(TASK, "still hold <eos>")
def greedy_returns_eos(model, source, bos, eos, longest):
    y = written_by(model.eval(), source, bos, longest)[:, 1:].tolist()
    return [[*cut_at(r, eos), eos] if eos in r else r for r in y]


@wrong(TASK, "<bos> in front and <eos> behind")
def greedy_returns_both(model, source, bos, eos, longest):
    y = written_by(model.eval(), source, bos, longest).tolist()
    return [[*cut_at(r, eos), eos] if eos in r else r for r in y]


@wrong(TASK, "cut it at the first <eos>")
def greedy_never_cuts(model, source, bos, eos, longest):
    return written_by(model.eval(), source, bos, longest)[:, 1:].tolist()


@wrong(TASK, "the words behind it stay")
def greedy_drops_eos_alone(model, source, bos, eos, longest):
    y = written_by(model.eval(), source, bos, longest)[:, 1:].tolist()
    return [[i for i in r if i != eos] for r in y]


@wrong(TASK, "one word too many")
def greedy_writes_one_more(model, source, bos, eos, longest):
    y = written_by(model.eval(), source, bos, longest + 1)
    return [cut_at(r, eos) for r in y[:, 1:].tolist()]


@wrong(TASK, "one word too few")
def greedy_counts_bos(model, source, bos, eos, longest):
    y = written_by(model.eval(), source, bos, longest - 1)
    return [cut_at(r, eos) for r in y[:, 1:].tolist()]


@wrong(TASK, "when the first one ends")
def greedy_stops_at_any_end(model, source, bos, eos, longest):
    model.eval()
    y = torch.full((len(source), 1), bos)
    for _ in range(longest):
        word = model(source, y)[:, -1].argmax(-1)
        if (word == eos).any():
            break
        y = torch.cat([y, word[:, None]], dim=1)
    return [cut_at(r, eos) for r in y[:, 1:].tolist()]


@wrong(TASK, "first sentence of the batch ends")
def greedy_stops_at_the_first_row(model, source, bos, eos, longest):
    model.eval()
    y = torch.full((len(source), 1), bos)
    for _ in range(longest):
        word = model(source, y)[:, -1].argmax(-1)
        if word[0] == eos:
            break
        y = torch.cat([y, word[:, None]], dim=1)
    return [cut_at(r, eos) for r in y[:, 1:].tolist()]


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


@wrong(TASK, "two calls differ")
def greedy_draws(model, source, bos, eos, longest):
    def pick(logits):
        return logits.softmax(-1).multinomial(1)[:, 0]

    y = written_by(model.eval(), source, bos, longest, pick=pick)
    return [cut_at(r, eos) for r in y[:, 1:].tolist()]


@wrong(TASK, "not the most probable words")
def greedy_takes_the_least(model, source, bos, eos, longest):
    y = written_by(
        model.eval(), source, bos, longest, pick=lambda x: x.argmin(-1)
    )
    return [cut_at(r, eos) for r in y[:, 1:].tolist()]


@wrong(TASK, "for the first source")
def greedy_for_one_source(model, source, bos, eos, longest):
    same = source[:1].expand_as(source)
    y = written_by(model.eval(), same, bos, longest)
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


@wrong(TASK, "filled up with <eos>")
def greedy_pads_with_eos(model, source, bos, eos, longest):
    rows = greedy_of_a_batch(model, source, bos, eos, longest)
    most = max(map(len, rows))
    return [r + [eos] * (most - len(r)) for r in rows]


@wrong(TASK, "keep the order of the sources")
def greedy_sorts(model, source, bos, eos, longest):
    return sorted(greedy_of_a_batch(model, source, bos, eos, longest), key=len)


@wrong(TASK, "longest is 1")
def greedy_without_a_short_case(model, source, bos, eos, longest):
    rows = greedy_of_a_batch(model, source, bos, eos, max(2, longest))
    return rows


@wrong(TASK, "ends at once")
def greedy_always_writes_a_word(model, source, bos, eos, longest):
    rows = greedy_of_a_batch(model, source, bos, eos, longest)
    return [r or [eos] for r in rows]


_ = math
