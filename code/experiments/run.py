"""Run an experiment, or list what is stored.

python code/experiments/run.py warmup           measures, and stores it
python code/experiments/run.py warmup --small   a try, stores nothing
python code/experiments/run.py warmup --help    its other options
python code/experiments/run.py list             see lab/rerun.py
python code/experiments/run.py gpu              see lab/gpu.py
"""

import sys

import lab  # noqa: F401 - its clock starts before anything else is imported
from lab.run import main

if __name__ == "__main__":
    main(sys.argv[1:])
