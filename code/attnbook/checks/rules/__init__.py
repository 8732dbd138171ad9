"""Rules under which exercises are assigned to a class.

`RULES` maps an exercise's id to groups of rules.  A seed takes one rule of
every group, or of some of them; so rules of different groups must go together.
"""

from attnbook.checks.rules import chapter_07, chapter_10

RULES = {**chapter_07.RULES, **chapter_10.RULES}
