"""Find the tags of a page in one walk; each CSS selector walks anew."""

from collections import defaultdict

from bs4 import Tag


def tags_of(page):
    """Return the tags of a page by what they are called.

    Args:
        page: the page as a BeautifulSoup.

    Returns:
        A dict of "name", ".class", "#id" or "role=role" -> its tags, in the
        order of the page; an empty list for what the page does not have.
    """
    found = defaultdict(list)
    for tag in page.descendants:
        if isinstance(tag, Tag):
            attributes = tag.attrs
            found[tag.name].append(tag)
            for name in attributes.get("class", ()):
                found[f".{name}"].append(tag)
            for key, sign in (("id", "#"), ("role", "role=")):
                if key in attributes:
                    found[f"{sign}{attributes[key]}"].append(tag)
    return found


def in_article(tags):
    """Return those tags of a list that belong to a page's own text."""
    return [tag for tag in tags if tag.find_parent("article")]
