from bs4 import BeautifulSoup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

import code_lines

CODE = '''def half(x):
    """Say what happens, in more than one line: é < è.

    And what it returns.
    """
    return {"a rather long name": x / 2, "another one": x}


print(half(1), half(2), half(3), half(4))
'''


def test_wide_lines_know_their_indentation_and_no_letter_is_lost():
    def read(formatter):
        html = highlight(CODE, PythonLexer(), formatter)
        return BeautifulSoup(html, "html.parser")

    page = read(code_lines.LineFormatter())
    assert page.get_text() == read(HtmlFormatter()).get_text()
    wide = page.select(".atn-line")
    assert [line.get("style") for line in wide] == ["--in:4", "--in:4", None]
    shown = [line.get_text() for line in wide]
    long = [n for n in CODE.splitlines(True) if len(n) > code_lines.PHONE]
    assert shown == long
