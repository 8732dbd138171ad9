"""Render pages of HTML that are safe to open, whatever students have typed.

The templates escape every text and attribute.  A page has no script and may
not run one, loads nothing and sends nothing (Content Security Policy, level
3).
"""

import base64
import hashlib

import jinja2

from attnbook.teaching.visible import make_visible


def prepare(value):
    """Return what is escaped of a value; HTML of a template stays as it is."""
    return value if hasattr(value, "__html__") else make_visible(str(value))


TEMPLATES = jinja2.Environment(
    loader=jinja2.PackageLoader("attnbook.teaching"),
    autoescape=True,
    undefined=jinja2.StrictUndefined,
    finalize=prepare,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)
STYLE = TEMPLATES.loader.get_source(TEMPLATES, "pages.css")[0]


def policy():
    """Return the Content Security Policy: a page's own style, nothing else."""
    digest = hashlib.sha256(STYLE.encode()).digest()
    encoded = base64.b64encode(digest).decode()
    return (
        f"default-src 'none'; style-src 'sha256-{encoded}'; base-uri 'none'; "
        "form-action 'none'"
    )


def render_page(template, **values):
    """Return a page of HTML.

    Args:
        template: name of a file in ``templates/``.
        values: what it shows; any text in them is escaped.
    """
    return TEMPLATES.get_template(template).render(
        policy=policy(), style=STYLE, **values
    )
