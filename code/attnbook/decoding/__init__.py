"""From a trained model to text, and from text to a score.

It imports `training`, whose checkpoints it reads, `fast`, `data` and the
machine.
A way to choose the next word, or to judge a translation, belongs here.
"""
