"""Finish each page of the book after the theme has made it.

Sphinx hands every template to a bridge.  This one is Sphinx's own, and has
the page rewritten before it is saved: in plain words (`wording.py`), lighter
(`lighter.py`), usable with keys and by screen readers (`accessible.py`), and
with what is shown beside a link to it (`sharing.py`).
"""

import gc

from bs4 import BeautifulSoup
from sphinx.jinja2glue import BuiltinTemplateLoader

from accessible import make_accessible
from lighter import make_lighter, size_pictures
from sharing import describe
from wording import reword


class Bridge(BuiltinTemplateLoader):
    """Sphinx's templates, with finished pages."""

    def init(self, builder, theme=None, dirs=None):
        """Remember the builder, which knows where pictures come from."""
        super().init(builder, theme, dirs)
        gc.set_threshold(50_000)  # a page is many small objects, and all live
        self.builder = builder

    def render(self, template, context):
        """Return a template's text; a page's is rewritten."""
        text = super().render(template, context)
        if not text.lstrip().lower().startswith("<!doctype html"):
            return text
        page = BeautifulSoup(text, "html.parser")
        folder = self.builder.srcdir
        files = {to: folder / at for at, to in self.builder.images.items()}
        reword(page)
        make_accessible(page)
        make_lighter(page)
        size_pictures(page, files)
        home = self.builder.config.html_baseurl
        describe(page, home, context.get("pagename", ""))
        return str(page)
