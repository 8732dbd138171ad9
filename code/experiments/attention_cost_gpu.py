"""Time and peak memory of attention on a GPU, stored beside the CPU's.

    python code/experiments/attention_cost_gpu.py [--dry]

Takes the options of attention_cost.py.
"""

import torch

from attention_cost import main

if __name__ == "__main__":
    # `is_available` would start CUDA here, and no process forked from this
    # one could use it; `device_count` asks the driver's library alone.
    if not torch.cuda.device_count():
        raise SystemExit("expected a GPU, got none: nothing was measured")
    main("cuda")
