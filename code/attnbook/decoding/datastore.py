"""The training text, kept to be looked up while a model writes.

Before each word of the training text a trained model stands at a state.  An
entry of the datastore is that state, the key, and the word that came next.
A model that writes attends to all entries: the more a key is like its own
state, the more weight goes to the word.  What it finds, p_kNN, is mixed with
its own probabilities, p_LM: (1 - lambda) p_LM + lambda p_kNN (Khandelwal et
al., 2021, sec. 2, who take the nearest entries by distance; here all have a
weight, by cosine).

Dimension letters:
    N entries, D width of a key, R queries, vocab target words, C entries of
    one chunk, B sentences, T target length.
"""

import math

import torch
import torch.nn.functional as F

from attnbook.data.batches import bucket_batches, make_batch
from attnbook.data.vocabulary import PAD

CHUNK = 4096  # entries whose scores are in the processor's cache at once
SMALL = 1e-30  # a sum of weights below this is not to be trusted


def make_keys(states):
    """Return keys, or queries, of the states of one or several models.

    Each state is brought to length 1, and so is the whole: the product of
    two such vectors is the mean of the states' cosines.

    Args:
        states: a list of M tensors, (..., D) each; the D may differ.

    Returns:
        (..., sum of all D).
    """
    units = [F.normalize(x, dim=-1) for x in states]
    return torch.cat(units, dim=-1) / math.sqrt(len(units))


class Datastore:
    """Keys, and the word that followed each.

    Args:
        keys: see `make_keys`, float, (N, D).
        words: the word that came next, int64, (N,).
        vocabulary: number of words.
        temperature: cosines are divided by it before the softmax.
        share: of the datastore in the mixture, from 0 to 1; lambda.

    Attributes:
        order: where each entry stood among the given ones, int64, (N,);
            here those of one word stand together.

    Raises:
        ValueError: sizes that do not fit, or numbers out of range.
    """

    def __init__(self, keys, words, vocabulary, temperature, share):
        if keys.dim() != 2 or words.shape != keys.shape[:1] or not len(words):
            raise ValueError(
                "expected keys (N, D) and words (N,) with N of at least 1, "
                f"got {tuple(keys.shape)} and {tuple(words.shape)}"
            )
        if words.min() < 0 or words.max() >= vocabulary:
            raise ValueError(
                f"expected words from 0 to {vocabulary - 1}, got "
                f"{int(words.min())} to {int(words.max())}"
            )
        if not temperature > 0 or not 0 <= share <= 1:
            raise ValueError(
                "expected a temperature above 0 and a share from 0 to 1, got "
                f"{temperature} and {share}"
            )
        self.words, self.order = words.sort(stable=True)
        self.keys = keys[self.order]
        self.vocabulary = vocabulary
        self.temperature, self.share = temperature, share

    def weights(self, queries):
        """Return how much queries attend to each entry, (R, N).

        Args:
            queries: see `make_keys`, float, (R, D).
        """
        return (queries @ self.keys.T / self.temperature).softmax(dim=-1)

    def probabilities(self, queries):
        """Return the weight of all entries of each word.

        The sums of `weights`, but chunk by chunk: never more than C scores
        of a query exist.  No cosine is above 1, so no maximum is needed
        first, unless all weights are so small that their sum is lost.

        Args:
            queries: see `make_keys`, float, (R, D).

        Returns:
            float, (R, vocab); every row sums to 1.
        """
        least = queries.new_tensor(-1 / self.temperature)
        scaled = (queries / self.temperature).T  # (D, R)
        found = queries.new_zeros(self.vocabulary, len(queries))  # (vocab, R)
        parts = self.keys.split(CHUNK), self.words.split(CHUNK)
        for keys, words in zip(*parts, strict=True):
            scores = torch.addmm(least, keys, scaled)  # (C, R), at most 0
            found.index_add_(0, words, scores.exp_())
        lost = found.sum(dim=0) < SMALL  # (R,)
        if lost.any():
            weights = self.weights(queries[lost]).T  # (N, R')
            nothing = torch.zeros_like(found[:, lost])  # (vocab, R')
            found[:, lost] = nothing.index_add_(0, self.words, weights)
        return (found / found.sum(dim=0)).T

    def mix(self, queries, log_probs):
        """Return the logarithm of the mixture's probabilities.

        Args:
            queries: see `make_keys`, float, (..., D).
            log_probs: the model's own, (..., vocab).

        Returns:
            (..., vocab).
        """
        found = self.probabilities(queries.flatten(0, -2)).view_as(log_probs)
        parts = log_probs.new_tensor([1 - self.share, self.share]).log()
        return torch.logaddexp(log_probs + parts[0], found.log() + parts[1])


@torch.inference_mode()
def collect_entries(models, pairs, max_tokens=8192):
    """Read training pairs once; return all keys, what followed, and where.

    Args:
        models: a list of `Transformer` of one vocabulary, in eval mode.
        pairs: encoded pairs, (source ids, target ids).
        max_tokens: of a batch, see `bucket_batches`.

    Returns:
        Keys, float, (N, D); the next words, int64, (N,); which pair and
        which place of its target, int64, (N, 2).  There is an entry for
        every word and every end of a target sentence.

    Raises:
        ValueError: see `bucket_batches` and `Transformer.forward`.
    """
    lengths = [(len(s) + 1, len(t) + 1) for s, t in pairs]  # with <eos>
    keys, words, places = [], [], []
    for group in bucket_batches(lengths, max_tokens, seed=0):
        batch = make_batch([pairs[i] for i in group])
        counts = batch.labels != PAD  # (B, T)
        states = [m.states(batch.source, batch.target) for m in models]
        keys.append(make_keys(states)[counts])
        words.append(batch.labels[counts])
        place = counts.nonzero()  # (n, 2)
        place[:, 0] = torch.tensor(group)[place[:, 0]]
        places.append(place)
    return torch.cat(keys), torch.cat(words), torch.cat(places)
