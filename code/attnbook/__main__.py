"""Run the command: ``python -m attnbook``."""

import sys

from attnbook.cli import main

if __name__ == "__main__":
    sys.exit(main())
