"""Parts of the benchmark; `benchmark.py` beside this folder runs them."""
