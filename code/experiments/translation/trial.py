"""One trial of the search on Multi30k: train for some minutes, and score.

    python code/experiments/run.py trial '{"minutes": 1, "dropout": 0.2}'

It runs in one thread; its minutes are those of the processor, so that two
trials can run side by side, or of the clock on a GPU.  The rate falls with the
time that is spent.  What is measured is printed as one line of JSON; the test
set is read only where "test" asks for it.
"""

import functools
import itertools
import json
import math
import random
import sys
import time
from contextlib import closing, nullcontext
from multiprocessing import get_context

import torch

from attnbook.config import TransformerConfig
from attnbook.data import bpe, datasets
from attnbook.data.batches import batch_stream
from attnbook.data.vocabulary import PAD
from attnbook.decoding import metrics
from attnbook.decoding.translator import Translator
from attnbook.fast import halves
from attnbook.fast.chunked_loss import loss_and_gradients
from attnbook.training import muon
from attnbook.training.config import TrainConfig
from attnbook.training.loop import make_optimizer, validation_loss
from attnbook.training.precision import (
    PRECISIONS,
    autocast,
    for_many_shapes,
    has_bfloat16,
)
from attnbook.training.repro import parameter_count, seed_everything
from attnbook.transformer import Transformer
from lab.needs import Missing, need_multi30k
from translation.recorded import Recorded, shape_of
from translation.scoring import translated

BASE = {
    "device": "cpu",  # or "cuda"
    "minutes": 8.0,  # of one core; of the clock on a GPU
    "source": "en",
    "target": "de",
    "lower_case": False,  # of all texts, before anything is learned
    "merges": 8000,
    "d_model": 128,
    "num_heads": 4,
    "d_ff": 256,
    "num_encoder_layers": 4,
    "num_decoder_layers": 4,
    "dropout": 0.1,
    "smoothing": 0.1,
    "optimizer": "muon",
    "products": muon.NS_STEPS,
    "learning_rate": 5e-3,
    "weight_decay": 0.3,
    "warmup": 0.05,  # share of the time
    "end": "cosine",  # or "late": even, then down in a fifth
    "max_tokens": 2048,
    "grow": 1,  # batches of an update after half of the time
    "average": 0.0,  # factor of an exponential average; 0 for none
    "bpe_dropout": 0.0,  # share of merges left out
    "r_drop": 0.0,  # weight of the two passes' disagreement
    "zero_start": False,  # of the last matrix of every sublayer
    "alphas": [2.0],  # length penalties to score with; the first for tests
    "seed": 0,
    "test": False,  # whether the test set is translated, too
    "any_form": False,  # of attention; see `precision.for_many_shapes`
    "warm_up": 0,  # updates of another model before the clock
    "recorded": False,  # see recorded.py; before the clock, too
}
AVERAGE_EVERY = 4  # updates
CHUNK = {"cpu": 128, "cuda": 4096}  # words compared at once, by R-Drop
SAMPLES = 8  # ways to cut a word that BPE dropout chooses from


def factor(share, warmup=0.05, end="cosine"):
    """Return the learning rate's factor when a share of time is spent."""
    if share < warmup:
        return share / warmup
    if end == "late":
        return min(1.0, (1 - share) / 0.2)
    return 0.5 * (1 + math.cos(math.pi * (share - warmup) / (1 - warmup)))


def cut_at_random(vocab, piece, share, rng):
    """Return a piece's ids with some merges left out.

    Provilkov et al. (2020), sec. 3.1: at each step every possible merge is
    left out with this probability.
    """
    ids = list(bpe._byte_ids(piece))
    while True:
        places = [
            (vocab.ranks[pair], i)
            for i, pair in enumerate(itertools.pairwise(ids))
            if pair in vocab.ranks and rng.random() >= share
        ]
        if not places:
            return ids
        new, i = min(places)
        ids[i : i + 2] = [new]


def cut_anew(texts, vocab, share, rng, known):
    """Return the ids of texts, each word cut in one of several ways."""
    rows = []
    for text in texts:
        ids = []
        for piece in bpe.split(text):
            if piece not in known:
                known[piece] = [
                    cut_at_random(vocab, piece, share, rng)
                    for _ in range(SAMPLES)
                ]
            ids += rng.choice(known[piece])
        rows.append(ids)
    return rows


class Cutter:
    """Texts that are cut anew, as often as it is called.

    Args:
        pairs: of texts.
        vocab: their `BytePairs`.
        share: of merges that are left out.
        seed: of the choice.
    """

    def __init__(self, pairs, vocab, share, seed):
        self.sides, self.vocab = list(zip(*pairs, strict=True)), vocab
        self.share, self.rng, self.known = share, random.Random(seed), {}

    def __call__(self):
        """Return pairs of ids."""
        sides = (
            cut_anew(side, self.vocab, self.share, self.rng, self.known)
            for side in self.sides
        )
        return list(zip(*sides, strict=True))


def keep_cutting(queue, *arguments):
    """Put what a `Cutter` gives into a queue, for ever."""
    again = Cutter(*arguments)
    while True:
        queue.put(again())


def cut_ahead(*arguments):
    """Yield what a `Cutter` gives; it works ahead in another process.

    Args:
        arguments: of the `Cutter`.

    Yields:
        Pairs of ids, a list for each epoch.
    """
    spawn = get_context("spawn")
    queue = spawn.Queue(1)
    process = spawn.Process(
        target=keep_cutting, args=(queue, *arguments), daemon=True
    )
    process.start()
    try:
        while True:
            yield queue.get(timeout=300)  # a process that died gives nothing
    finally:
        process.terminate()
        process.join()


def batches(dataset, vocab, options):
    """Yield batches for ever; with BPE dropout, cut anew in every epoch."""
    seed, size = options["seed"], options["max_tokens"]
    share = options["bpe_dropout"]
    if not share:
        pairs = datasets.encode_pairs(dataset.train, vocab, vocab)
        for _, batch in batch_stream(pairs, size, seed):
            yield batch
    arguments = dataset.train, vocab, share, seed
    if options["device"] == "cpu":  # one core is all that a trial has
        again = Cutter(*arguments)
        epochs = (again() for _ in itertools.count())
    else:
        epochs = cut_ahead(*arguments)
    with closing(epochs):
        for epoch, pairs in enumerate(epochs):
            for (now, _), batch in batch_stream(pairs, size, seed, (epoch, 0)):
                if now > epoch:
                    break
                yield batch


def first_epoch(pairs, max_tokens):
    """Yield the batches of one epoch.

    Sentences are sorted by their lengths before they are cut into batches, so
    every epoch has batches of the same shapes, in another order.

    Args:
        pairs: encoded pairs.
        max_tokens: see `bucket_batches`.
    """
    for (epoch, _), batch in batch_stream(pairs, max_tokens, seed=0):
        if epoch:
            return
        yield batch


def r_drop_loss(weight):
    """Return a loss like `loss_and_gradients` that adds R-Drop's term.

    Liang et al. (2021), eq. (4): every sentence goes through twice, with
    other dropout.  Both cross-entropies count, and ``weight`` times half the
    sum of both Kullback-Leibler divergences.

    Args:
        weight: of the disagreement, alpha in the paper.
    """

    def loss_of(states, table, labels, smoothing, dtype):
        """Return loss and gradients; rows n and n + N / 2 are one word."""
        loss, to_states, to_table = loss_and_gradients(
            states, table, labels, smoothing, dtype
        )
        half, small = len(states) // 2, table.to(dtype)
        one, other = states.to(dtype).split(half)
        wide = torch.promote_types(dtype, torch.float32)
        changes, apart = [], 0.0
        size = CHUNK[states.device.type]
        for a, b in zip(one.split(size), other.split(size), strict=True):
            logp, logq = (x @ small.T for x in (a, b))  # (C, vocab)
            logp, logq = (x.to(wide).log_softmax(-1) for x in (logp, logq))
            p, q, gap = logp.exp(), logq.exp(), logp - logq
            pq = (p * gap).sum(-1, keepdim=True)  # KL(p || q), (C, 1)
            qp = -(q * gap).sum(-1, keepdim=True)
            apart += (pq + qp).sum()
            to_p = (p * (gap - pq) + p - q).to(dtype)
            to_q = (q * (-gap - qp) + q - p).to(dtype)
            to_table += weight / 2 * (to_p.T @ a + to_q.T @ b)
            changes.append((to_p @ small, to_q @ small))
        change = [torch.cat(side) for side in zip(*changes, strict=True)]
        to_states += weight / 2 * torch.cat(change)
        return loss + weight / 2 * apart, to_states, to_table

    return loss_of


def make_twice(batch):
    """Return a batch with every row twice: all rows, then all again.

    Their number is made even: every second row then is a whole half.
    """
    return batch.rows(list(range(len(batch.labels) // 2 * 2)) * 2)


def in_lower_case(dataset):
    """Return a dataset in small letters, without its test pairs."""
    train, valid = (
        [(source.lower(), target.lower()) for source, target in pairs]
        for pairs in (dataset.train, dataset.valid)
    )
    languages = dataset.source, dataset.target
    return type(dataset)(*languages, train, valid, [])


@functools.cache
def texts_of(source, target, lower_case, merges):
    """Return a dataset and its vocabulary; arguments as in `BASE`."""
    dataset = need_multi30k(source, target)
    if lower_case:
        dataset = in_lower_case(dataset)
    return dataset, dataset.learn_vocabularies(merges)[0]


def begin(options):
    """Return dataset, vocabulary, model and optimizer."""
    names = "source", "target", "lower_case", "merges"
    dataset, vocab = texts_of(*(options[name] for name in names))
    seed_everything(options["seed"])
    sizes = set(TransformerConfig.__dataclass_fields__) & set(options)
    config = TransformerConfig(
        source_vocab=len(vocab),
        target_vocab=len(vocab),
        shared_embeddings=True,
        max_length=256,
        **{name: options[name] for name in sizes},
    )
    model = Transformer(config).to(options["device"])
    if options["zero_start"]:
        for name, p in model.named_parameters():
            if name.endswith(("w_o.weight", "outer.weight")):
                torch.nn.init.zeros_(p)
    train = TrainConfig(
        optimizer=options["optimizer"],
        learning_rate=options["learning_rate"],
        weight_decay=options["weight_decay"],
    )
    optimizer = muon.with_muon(
        make_optimizer, model, train, ns_steps=options["products"]
    )
    return dataset, vocab, model, optimizer


def add_gradients(model, batch, count, smoothing, dtype, loss_of):
    """Add the gradients of a batch on a GPU; arguments as in `halves`.

    Only the checks of what the model is given ask the GPU for a number, and
    they are left out while a CUDA graph is recorded.
    """
    table = model.output.weight
    batch = batch.to(table.device)
    name = "bf16" if dtype == torch.bfloat16 else "fp32"
    with autocast(name, table.device):
        states = model.states(batch.source, batch.target)  # (B, T, D)
    with torch.no_grad():
        pads = (batch.labels == PAD)[..., None]  # (B, T, 1)
        read = states.detach().masked_fill(pads, 0)  # (B, T, D)
        loss, to_states, to_table = loss_of(
            read.flatten(0, 1),  # (B T, D)
            table.detach(),
            batch.labels.flatten(),
            smoothing,
            dtype,
        )
        # All words are equally likely after a 0, whatever the table says.
        loss -= pads.sum() * math.log(len(table))
        above = to_states.view_as(states).masked_fill(pads, 0) / count
    states.backward(above)
    if table.grad is None:  # it is no table of embeddings
        table.grad = torch.zeros_like(table)
    table.grad += to_table / count
    return loss


def precision_on(device):
    """Return the number type of a trial; there is no scaler for fp16."""
    return "bf16" if has_bfloat16(device) else "fp32"


def gradients_of(model, options):
    """Return a function that adds the gradients of a batch and a number.

    Args:
        model: the model.
        options: see `BASE`.
    """
    device = torch.device(options["device"])
    plain = device.type == "cpu" and not options["recorded"]
    weight = options["r_drop"]
    how = {
        "smoothing": options["smoothing"],
        "dtype": PRECISIONS[precision_on(device)],
        "loss_of": r_drop_loss(weight) if weight else loss_and_gradients,
    }
    add = halves.add_gradients if plain else add_gradients
    return functools.partial(add, model, **how)


def recorded(add, epoch, options):
    """Return a function like ``add``, recorded for every shape of an epoch.

    Args:
        add: what `gradients_of` returned.
        epoch: its batches.
        options: see `BASE`.
    """
    add = Recorded(add, torch.device(options["device"]))
    for batch in epoch:
        batch = make_twice(batch) if options["r_drop"] else batch
        if shape_of(batch) not in add.known:
            add.learn(batch)
    return add


def train(model, optimizer, stream, options, add, limit=None):
    """Train until the time is spent.

    Args:
        model: the model.
        optimizer: its optimizer.
        stream: of batches.
        options: see `BASE`.
        add: what `gradients_of` or `recorded` returned.
        limit: updates after which it ends, too, if not None.

    Returns:
        Updates, labels, and the averaged weights or None.
    """
    kept = None
    if options["average"]:
        kept = [p.detach().clone() for p in model.parameters()]
    on_cpu = options["device"] == "cpu"
    now = time.process_time if on_cpu else time.perf_counter
    start, steps, labels = now(), 0, 0
    model.train()
    while True:
        spent = now() - start
        share = spent / (60 * options["minutes"])
        if share >= 1 or steps == limit:
            return steps, labels, kept
        part = factor(share, options["warmup"], options["end"])
        for group in optimizer.param_groups:
            group["lr"] = options["learning_rate"] * part
        many = options["grow"] if share > 0.5 else 1
        taken = list(itertools.islice(stream, many))
        if options["r_drop"]:
            taken = [make_twice(batch) for batch in taken]
        count = sum(batch.tokens for batch in taken)
        optimizer.zero_grad(set_to_none=not options["recorded"])
        for batch in taken:
            add(batch, count)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        steps, labels = steps + 1, labels + count
        if kept and steps % AVERAGE_EVERY == 0:
            with torch.no_grad():
                for mean, p in zip(kept, model.parameters(), strict=True):
                    mean.lerp_(p, 1 - options["average"])
        if steps % 100 == 0:
            print(f"{share:.0%}", file=sys.stderr, flush=True)


def trial(options):
    """Train and score on validation sentences; return a dict."""
    torch.set_num_threads(1)
    device = torch.device(options["device"])
    begun = time.perf_counter()
    dataset, vocab, model, optimizer = begin(options)
    stream = source = batches(dataset, vocab, options)
    if device.type != "cpu":  # what is prepared once comes before the clock
        stream = itertools.chain([next(source)], source)
    valid = datasets.encode_pairs(dataset.valid, vocab, vocab)
    forms = nullcontext() if options["any_form"] else for_many_shapes(device)
    with forms:
        add = gradients_of(model, options)
        if options["recorded"]:
            pairs = datasets.encode_pairs(dataset.train, vocab, vocab)
            epoch = first_epoch(pairs, options["max_tokens"])
            if device.type == "cpu":  # a try: there is nothing to gain
                epoch = itertools.islice(epoch, 2)
            add = recorded(add, epoch, options)
        if options["warm_up"]:
            _, _, *other = begin(options)
            plain = gradients_of(other[0], options)
            train(*other, stream, options, plain, options["warm_up"])
        if options["recorded"] or options["warm_up"]:
            seed_everything(options["seed"])
        start = time.perf_counter()
        steps, labels, kept = train(model, optimizer, stream, options, add)
        if kept:
            with torch.no_grad():
                for p, mean in zip(model.parameters(), kept, strict=True):
                    p.copy_(mean)
        loss = validation_loss(model.eval(), valid)  # waits for the device
    seconds = time.perf_counter() - start
    source.close()
    trained = Translator(model, vocab, vocab)
    wanted = [target for _, target in dataset.valid]
    scores = {}
    for alpha in options["alphas"]:
        written, _ = translated(trained, dataset.valid, 5, alpha)
        score, how = metrics.old_bleu(written, wanted, options["target"])
        scores[str(alpha)] = round(score, 2)
    found = {
        "parameters": parameter_count(model),
        "updates": steps,
        "labels": labels,
        "setup_seconds": round(start - begun, 1),  # data, words, warm-up
        "seconds": round(seconds, 2),  # the last loss included
        "precision": precision_on(device),
        "valid_loss": round(loss, 4),
        "valid_bleu": scores,  # by length penalty
        "signature": how,
    }
    if options["test"]:
        found["test"] = {
            str(width): translated(
                trained, dataset.test, width, options["alphas"][0]
            )[0]
            for width in (1, 5)
        }
    return found


def main(words):
    """Run the trial that a command names; print what it measured."""
    changes = json.loads(*words)
    unknown = set(changes) - set(BASE)
    if unknown:
        raise Missing(
            f"expected options of {sorted(BASE)}, got {sorted(unknown)}"
        )
    print(json.dumps(trial(BASE | changes)))
