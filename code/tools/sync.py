"""Keep what is written from the package, the results and the chapters.

    python code/tools/sync.py            say what differs; 1 if any does
    python code/tools/sync.py --write    write it

Each of the tools below does its part alone, too.
"""

import sys

import catalogue
import result_tables
import running_tables
import sessions
import symptoms
import sync_cells

PAGES = (result_tables, running_tables, symptoms, catalogue, sessions)


def main(arguments: list[str]) -> int:
    """Check or write the chapters' texts, then the pages made from them."""
    status = sync_cells.main("--write" in arguments)
    for page in PAGES:
        status |= page.main(arguments)
    return status


if __name__ == "__main__":
    if sys.argv[1:] not in ([], ["--write"]):
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
