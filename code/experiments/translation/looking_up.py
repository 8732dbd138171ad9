"""What a datastore is worth, and what it finds: measures of an experiment."""

import os.path

import torch

from attnbook.data.batches import bucket_batches, make_batch
from attnbook.data.vocabulary import BOS, EOS, PAD
from attnbook.decoding.datastore import make_keys
from attnbook.decoding.ensemble import mean_log
from lab.progress import track

SHARES = [n / 20 for n in range(20)]  # of the datastore in the mixture
SOFTER = [n / 20 for n in range(16, 27)]  # temperatures of the models alone
LOOKED_UP = 4  # sentences that are looked into
NEAREST = 3  # entries of each


@torch.inference_mode()
def of_labels(models, stores, pairs):
    """Return what is said of the right next words of some sentences.

    Args:
        models: that write together.
        stores: datastores of theirs.
        pairs: encoded pairs.

    Returns:
        Their own log-probability of each right word, (n,); the same after
        dividing by each of `SOFTER`, (len(SOFTER), n); and what each
        datastore gives it, (len(stores), n).
    """
    own, softer, found = [], [], []
    lengths = [(len(s) + 1, len(t) + 1) for s, t in pairs]
    for group in track(bucket_batches(lengths, 1024, seed=0), "batches"):
        batch = make_batch([pairs[i] for i in group])
        counts = batch.labels != PAD  # (B, T)
        labels = batch.labels[counts][:, None]  # (n, 1)
        states = [m.states(batch.source, batch.target) for m in models]
        states = [x[counts] for x in states]  # (n, D) each
        pairs_of = zip(models, states, strict=True)
        logs = mean_log([m.output(x) for m, x in pairs_of])  # (n, vocab)
        own.append(logs.gather(1, labels)[:, 0])
        ways = [(logs / t).log_softmax(-1) for t in SOFTER]
        softer.append(torch.stack([z.gather(1, labels)[:, 0] for z in ways]))
        queries = make_keys(states)
        looked = [store.probabilities(queries) for store in stores]
        found.append(torch.stack([p.gather(1, labels)[:, 0] for p in looked]))
    return torch.cat(own), torch.cat(softer, 1), torch.cat(found, 1)


def valid_losses(models, stores, pairs):
    """Return validation losses with datastores, in nats per label.

    Args:
        models: that write together.
        stores: datastores of theirs, the largest last.
        pairs: encoded validation pairs.

    Returns:
        A dict: "by_share", [share, loss] with the last datastore; "by_size",
        [entries, least loss, its share]; "by_temperature", [temperature,
        loss] of the models alone.
    """
    own, softer, found = of_labels(models, stores, pairs)

    def loss(share, looked):
        return -((1 - share) * own.exp() + share * looked).log().mean().item()

    table = [[(loss(s, looked), s) for s in SHARES] for looked in found]
    means = zip(SOFTER, (-softer.mean(1)).tolist(), strict=True)
    return {
        "by_share": [[s, round(x, 4)] for x, s in table[-1]],
        "by_size": [
            [len(store.words), round(min(row)[0], 4), min(row)[1]]
            for store, row in zip(stores, table, strict=True)
        ],
        "by_temperature": [[t, round(x, 4)] for t, x in means],
    }


@torch.inference_mode()
def look(translator, source, ids, words, train, places):
    """Return what a datastore says after some words, and by what entries.

    Args:
        translator: with an `Ensemble` that has a datastore.
        source: a sentence.
        ids: what is written so far.
        words: next tokens to ask for.
        train: encoded training pairs.
        places: of every entry, (N, 2), see `collect_entries`.

    Returns:
        A dict: the text so far, each asked token with what the models and
        the datastore give it, and the entries with most weight.
    """
    ensemble, target = translator.model, translator.target
    datastore, models = ensemble.datastore, ensemble.models
    encoded = translator.encode([source])  # (1, S)
    written = torch.tensor([[BOS, *ids]])  # (1, T)
    states = [m.states(encoded, written)[:, -1] for m in models]
    pairs = zip(models, states, strict=True)
    own = mean_log([m.output(x) for m, x in pairs])[0].exp()  # (vocab,)
    query = make_keys(states)  # (1, D)
    found = datastore.probabilities(query)[0]  # (vocab,)
    weights, nearest = datastore.weights(query)[0].topk(NEAREST)
    found_at = places[datastore.order[nearest]].tolist()
    lines = []
    for weight, (pair, place) in zip(weights.tolist(), found_at, strict=True):
        read, wrote = train[pair]
        lines.append(
            {
                "weight": round(weight, 3),
                "source": translator.source.decode(read),
                "so_far": target.decode(wrote[:place]),
                "next": target.decode(wrote[place : place + 1]) or "<eos>",
            }
        )
    asked = [
        {
            "token": target.decode([word]) or "<eos>",
            "models": round(own[word].item(), 3),
            "datastore": round(found[word].item(), 3),
        }
        for word in words
    ]
    so_far = {"so_far": target.decode(ids)}
    return so_far | {"next": asked, "entries": lines}


def looked_up(translator, pairs, before, after, train, places):
    """Look into the datastore where it changed what was written.

    Args:
        translator: see `look`, as are train and places.
        pairs: (source, reference) of every sentence.
        before: translations without it.
        after: translations with it.
        train: encoded training pairs.
        places: of every entry.

    Returns:
        A list of dicts, of the first sentences that changed: the texts, and
        what `look` says where they part.  (The texts are encoded anew: their
        tokens need not be those that were written.)
    """
    rows = []
    for (source, wanted), old, new in zip(pairs, before, after, strict=True):
        if old != new and len(rows) < LOOKED_UP:
            ends = [[*translator.target.encode(x), EOS] for x in (old, new)]
            ids = os.path.commonprefix(ends)
            words = [row[len(ids)] for row in ends]
            texts = {"source": source, "reference": wanted}
            texts |= {"before": old, "after": new}
            found = look(translator, source, ids, words, train, places)
            rows.append(texts | found)
    return rows
