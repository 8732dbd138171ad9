"""Mark the lines of code and output that are wider than a phone.

There a long line goes on below, and its style says how far it is indented, so
that course.css can set the rest of it further in than its beginning: Python's
indentation stays visible.
"""

import re
from html import unescape

from pygments.formatters import HtmlFormatter
from sphinx.highlighting import PygmentsBridge

PHONE = 36  # letters of code in one line, 320 pixels wide
TAG = re.compile("<[^>]+>")


class LineFormatter(HtmlFormatter):
    """Pygments' formatter, with an element for each wide line."""

    def _format_lines(self, tokensource):
        """Yield whether a line is code, and its HTML."""
        for is_code, line in super()._format_lines(tokensource):
            words = unescape(TAG.sub("", line)).rstrip()
            if is_code and len(words) > PHONE:
                indent = len(words) - len(words.lstrip())
                style = f' style="--in:{indent}"' if indent else ""
                line = f'<span class="atn-line"{style}>{line}</span>'
            yield is_code, line


def setup(app):
    """Use the formatter for every page."""
    PygmentsBridge.html_formatter = LineFormatter
    return {"parallel_read_safe": True, "parallel_write_safe": True}
