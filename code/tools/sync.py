"""Keep what is written from the package, the results and the chapters.

python code/tools/sync.py            say what differs; 1 if any does
python code/tools/sync.py --write    write it

What is made for pages, and by which function, `blocks` tells.
"""

import sys

import blocks
import catalogue
import result_tables
import running_tables
import sessions
import symptoms
import sync_cells
import ten_minutes

# To import a tool is to have the functions that make its blocks.
TOOLS = (
    result_tables,
    running_tables,
    symptoms,
    catalogue,
    sessions,
    ten_minutes,
)


def main(arguments: list[str]) -> int:
    """Check or write the chapters' texts, then the pages made from them."""
    write = "--write" in arguments
    return sync_cells.main(write) | blocks.keep_pages(write)


if __name__ == "__main__":
    if sys.argv[1:] not in ([], ["--write"]):
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
