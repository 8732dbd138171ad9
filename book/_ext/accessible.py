"""Make a page usable with keys and by screen readers.

Repairs what the theme, docutils, pandas and the notebook renderer leave
wrong; `make pages` measures what remains.
"""

# The theme makes boxes of this class a stop of the Tab key while they are
# wider than the column, and only then.
SCROLLS = "pst-scrollable-table-container"

# It measures when the window changes; a fold that opens must count too.
MEASURE = """document.addEventListener("toggle",
  () => dispatchEvent(new Event("resize")), true);"""


def wrap_tables(page):
    """Put each table into a box that scrolls, so that it stays a table."""
    for table in page.select("article table"):
        box = table.find_parent(class_=SCROLLS)
        if box is None:
            box = table.wrap(page.new_tag("div"))
            box["class"] = [SCROLLS]
        box["role"], box["aria-label"] = "group", "Table"
    for header in page.select("article th"):
        if not header.get_text(strip=True):
            header.name = "td"  # the corner of a table heads nothing


def open_to_keys(page):
    """Let keys scroll what may be wider than a phone."""
    boxes = "article figure:has(img, svg), article .drawing"
    for box in page.select(boxes):
        box["class"] = [*box.get("class", []), SCROLLS]
    for formula in page.select("div.math"):
        formula["role"], formula["aria-label"] = "group", "Formula"
    if page.body and page.summary:
        script = page.new_tag("script")
        script.string = MEASURE
        page.body.append(script)


def repair_names(page):
    """Let what is read out be what is shown."""
    for summary in page.select("summary[aria-label]"):
        del summary["aria-label"]
    for button in page.select(".search-button-field[aria-label]"):
        del button["aria-label"]  # it says "Search" itself
    for icon in page.select(".theme-switch[title]"):
        del icon["title"]
    for entry in page.select("[role=doc-biblioentry], div[role=list]"):
        del entry["role"]


def repair_landmarks(page):
    """Put the book's name, and the way back to the top, into landmarks."""
    for box in page.select(".sidebar-header-items, .bd-sidebar-primary"):
        if box.select_one(".navbar-brand") and box.name == "div":
            box["role"], box["aria-label"] = "complementary", "The book"
            break


def make_accessible(page):
    """Repair a page.

    Args:
        page: the page as a BeautifulSoup, changed in place.
    """
    wrap_tables(page)
    open_to_keys(page)
    repair_names(page)
    repair_landmarks(page)
