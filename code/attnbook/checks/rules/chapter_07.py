"""Other ways to split, merge and attend than those of chapter 7."""

from attnbook.checks.rules.merge_heads import MERGE
from attnbook.checks.rules.multi_head import MULTI_HEAD
from attnbook.checks.rules.split_heads import SPLIT

RULES = {"7.4": SPLIT, "7.5": MERGE, "7.6": MULTI_HEAD}
