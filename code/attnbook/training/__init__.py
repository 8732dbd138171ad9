"""From batches to a checkpoint: loss, schedule, precision, loop, workers.

It imports `data`, the machine at the root of the package, and `fast`.
What happens once per update, or keeps a run alive, belongs here.
"""
