"""Time and peak memory of attention on a GPU, stored beside the CPU's.

    python code/experiments/attention_cost_gpu.py [--dry]

Takes the options of attention_cost.py.
"""

from attention_cost import main
from needs import in_one_line, need_gpu

NEEDS = "a GPU"
REVISION = 1  # raise it by hand when the times are stale


def on_gpu():
    """Measure where there is a GPU."""
    need_gpu()
    main("cuda")


if __name__ == "__main__":
    in_one_line(on_gpu)
