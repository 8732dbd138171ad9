"""Curves of a loss, short enough to be stored."""


def block_means(losses, size, digits=4):
    """Return the means of blocks of so many losses, rounded.

    Args:
        losses: a list of floats.
        size: losses of a block; the last one may have fewer.
        digits: to which a mean is rounded.
    """
    blocks = [losses[i : i + size] for i in range(0, len(losses), size)]
    return [round(sum(block) / len(block), digits) for block in blocks]
