"""The benchmark on a GPU, stored beside that of the CPU.

    python code/experiments/benchmark_gpu.py --sizes A B --compile --store

Takes the options of benchmark.py.
"""

import torch

from benchmark import main

if __name__ == "__main__":
    if not torch.cuda.is_available():
        raise SystemExit("expected a GPU, got none: nothing was measured")
    main()
