"""The benchmark on a GPU, stored beside that of the CPU.

    python code/experiments/benchmark_gpu.py --sizes A B --compile --store

Takes the options of benchmark.py.
"""

from benchmark import main
from needs import in_one_line, need_gpu

NEEDS = "a GPU, Multi30k, the other libraries"
REVISION = 1  # raise it by hand when the times are stale


def on_gpu():
    """Measure where there is a GPU."""
    need_gpu()
    main()


if __name__ == "__main__":
    in_one_line(on_gpu)
