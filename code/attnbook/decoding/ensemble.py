"""Several trained models that write one sentence together.

Each gives every next word a probability; the mean of these is the ensemble's
(Sutskever et al., 2014, table 1, have ensembles of two and of five).  They
may look the word up in a `Datastore`, too.

Dimension letters:
    B sentences, T target length, S source length, D = d_model of one model, M
    models, vocab target words, W beams of each sentence, R = B * W rows.
"""

import math

import torch
from torch import nn

from attnbook.decoding.datastore import make_keys


def mean_log(logits):
    """Return the logarithm of the mean of several models' probabilities.

    Args:
        logits: a list of M tensors, (..., vocab) each.

    Returns:
        float32, or float64 where the logits are, (..., vocab).
    """
    wide = torch.promote_types(logits[0].dtype, torch.float32)
    logs = [z.to(wide).log_softmax(dim=-1) for z in logits]
    return torch.stack(logs).logsumexp(dim=0) - math.log(len(logs))


class Ensemble(nn.Module):
    """Models of one vocabulary, used as one.

    It has what decoding needs of the interface of `Transformer`.  Nothing
    else is shared: the models may differ in all sizes.

    Args:
        models: a list of `Transformer`, at least one.
        datastore: a `Datastore` of the same models, or None.

    Raises:
        ValueError: no model, models of different vocabularies or longest
            sentences, or a datastore of another vocabulary.
    """

    def __init__(self, models, datastore=None):
        super().__init__()
        names = "source_vocab", "target_vocab", "max_length"
        sizes = {tuple(getattr(m.config, n) for n in names) for m in models}
        if len(sizes) != 1:
            raise ValueError(
                f"expected models of one {', '.join(names)}, got "
                f"{sorted(sizes) or 'no model'}"
            )
        self.models = nn.ModuleList(models)
        self.config = models[0].config
        size = self.config.target_vocab
        if datastore is not None and datastore.vocabulary != size:
            raise ValueError(
                f"expected a datastore of {size} words, got one of "
                f"{datastore.vocabulary}"
            )
        self.datastore = datastore

    def forward(self, source, target):
        """Return the logarithm of the mean probability, (B, T, vocab).

        Arguments as in `Transformer.forward`, and its errors.
        """
        memory, mask, _ = self.encode(source)
        states, _ = self.decode(target, memory, mask)
        return self.output(states)

    def encode(self, source):
        """Return all memories side by side, (B, S, M * D), mask, weights.

        Arguments as in `Transformer.encode`.  Mask and weights are those of
        the first model.
        """
        memories, masks, maps = zip(
            *(model.encode(source) for model in self.models), strict=True
        )
        return torch.cat(memories, dim=-1), masks[0], maps[0]

    def decode(self, target, memory, memory_mask):
        """Return what each model's output layer reads, and no weights.

        Args:
            target: decoder input ids, int, (B, T), padded at the end.
            memory: the memory from `encode`, (B, S, M * D).
            memory_mask: see `Transformer.decode`.

        Returns:
            A list of M states, (B, T, D) each, and an empty list.

        Raises:
            ValueError: see `Transformer.forward`.
        """
        parts = memory.split([m.config.d_model for m in self.models], dim=-1)
        states = [
            model.decode(target, part, memory_mask)[0]
            for model, part in zip(self.models, parts, strict=True)
        ]
        return states, []

    def output(self, states):
        """Return the logarithm of the probability of the next words.

        Args:
            states: what each model's output layer reads, a list of (..., D).

        Returns:
            (..., vocab).
        """
        pairs = zip(self.models, states, strict=True)
        logs = mean_log([model.output(x) for model, x in pairs])
        if self.datastore is None:
            return logs
        return self.datastore.mix(make_keys(states), logs)
