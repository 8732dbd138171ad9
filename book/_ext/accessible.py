"""Make a page usable with keys and by screen readers.

Repairs what the theme, docutils, pandas and the notebook renderer leave
wrong; `make pages` measures what remains.
"""

from tags import in_article, tags_of

# The theme makes boxes of this class a stop of the Tab key while they are
# wider than the column, and only then.
SCROLLS = "pst-scrollable-table-container"

# It measures when the window changes; a fold that opens must count too.
MEASURE = """document.addEventListener("toggle",
  () => dispatchEvent(new Event("resize")), true);"""


def wrap_tables(page, tags):
    """Put each table into a box that scrolls, so that it stays a table."""
    for table in in_article(tags["table"]):
        box = table.find_parent(class_=SCROLLS)
        if box is None:
            box = table.wrap(page.new_tag("div"))
            box["class"] = [SCROLLS]
        box["role"], box["aria-label"] = "group", "Table"
    for header in in_article(tags["th"]):
        if not header.get_text(strip=True):
            header.name = "td"  # the corner of a table heads nothing


def open_to_keys(page, tags):
    """Let keys scroll what may be wider than a phone."""
    figures = [box for box in tags["figure"] if box.find(["img", "svg"])]
    for box in in_article(figures + tags[".drawing"]):
        box["class"] = [*box.get("class", []), SCROLLS]
    for formula in tags[".math"]:
        if formula.name != "div":
            continue
        formula["role"], formula["aria-label"] = "group", "Formula"
    if page.body and page.summary:
        script = page.new_tag("script")
        script.string = MEASURE
        page.body.append(script)


def put_code_below(tags):
    """Let a cell's picture come first, and its folded code below it.

    A style sheet could do it too, but the fold would move as a page loads.
    """
    for fold in in_article(tags[".hide"]):
        output = fold.find_next_sibling(class_="cell_output")
        if output and output.select_one("figure, .drawing, .attnbook-x"):
            output.insert_after(fold.extract())


def repair_names(tags):
    """Let what is read out be what is shown."""
    for named in tags["summary"] + tags[".search-button-field"]:
        del named["aria-label"]  # they say what they are themselves
    for icon in tags[".theme-switch"]:
        del icon["title"]
    lists = [tag for tag in tags["role=list"] if tag.name == "div"]
    for entry in tags["role=doc-biblioentry"] + lists:
        del entry["role"]


def repair_landmarks(tags):
    """Put the book's name, and the way back to the top, into landmarks."""
    for box in tags[".bd-sidebar-primary"] + tags[".sidebar-header-items"]:
        if box.select_one(".navbar-brand") and box.name == "div":
            box["role"], box["aria-label"] = "complementary", "The book"
            break


def shorten_way(tags):
    """Let the link past the menus also pass the buttons above the text."""
    for link in tags[".skip-link"] if tags["article"] else []:
        tags["article"][0]["id"] = "page-text"
        link.a["href"] = "#page-text"


def make_accessible(page):
    """Repair a page.

    Args:
        page: the page as a BeautifulSoup, changed in place.
    """
    tags = tags_of(page)
    wrap_tables(page, tags)
    open_to_keys(page, tags)
    put_code_below(tags)
    repair_names(tags)
    repair_landmarks(tags)
    shorten_way(tags)
