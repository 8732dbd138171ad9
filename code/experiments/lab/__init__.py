"""What all experiments share: the record, the loop, the store."""

import time

START = time.perf_counter()  # of the command: nothing is imported before
