"""Keep the pages free of scripts that come from somewhere else.

The theme puts the loader of thebe (live code from a third party) into every
page, even with thebe turned off; it is taken out here.
"""


def loads_thebe(script):
    """Say whether a script of a page belongs to thebe."""
    body = getattr(script, "attributes", {}).get("body") or ""
    name = str(getattr(script, "filename", script))
    return "THEBE_JS_URL" in body or "thebe" in name


def drop_thebe(app, pagename, templatename, context, doctree):
    """Take thebe's scripts out of a page that is about to be written."""
    scripts = context.get("script_files", [])
    context["script_files"] = [s for s in scripts if not loads_thebe(s)]


def setup(app):
    """Run after the theme has collected its scripts."""
    app.connect("html-page-context", drop_thebe, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
