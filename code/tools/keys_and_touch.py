"""Try a page with the Tab key and with a finger, as `pages.py` asks.

What the Tab key reaches must have a ring that is seen: an outline of at least
2 pixels that nothing cuts off or fades.  A finger must move what can be
dragged while the page stays, and must scroll the page from anywhere else.
"""

from collections.abc import Iterator

from browser import swipe

# After a key, what a script focuses has its ring too.
RINGS = """() => {
  const found = {};
  const note = (what, e) => {
    const words = (e.ariaLabel || e.textContent || e.className).trim();
    (found[what] ??= []).push(`${e.localName} "${words.slice(0, 30)}"`);
  };
  const cuts = e => {
    const {overflowX, overflowY} = getComputedStyle(e);
    return overflowX !== 'visible' || overflowY !== 'visible';
  };
  const stops = 'a[href], button, input, select, summary, [tabindex="0"]';
  for (const e of document.querySelectorAll(stops)) {
    e.focus();
    if (document.activeElement !== e || !e.matches(':focus-visible')) continue;
    const {outlineStyle, outlineWidth, outlineOffset, maskImage}
      = getComputedStyle(e);
    const far = parseFloat(outlineWidth) + parseFloat(outlineOffset);
    const thin = outlineStyle !== 'auto' && parseFloat(outlineWidth) < 2;
    if (outlineStyle === 'none' || thin)
      note('no ring', e);
    else if (maskImage !== 'none') note('a ring that fades', e);
    const box = e.getBoundingClientRect();
    for (let p = e.parentElement; p !== document.body; p = p.parentElement) {
      if (!cuts(p)) continue;
      const by = p.getBoundingClientRect();
      const room = [box.left - by.left, by.right - box.right,
                    box.top - by.top, by.bottom - box.bottom];
      if (room.filter(n => n < far - 1).length > 1) note('a ring cut off', e);
      break;
    }
  }
  document.activeElement.blur();
  return Object.entries(found);
}"""
MOVES = """([before, patience]) => new Promise(done => {
  const end = performance.now() + patience;
  const look = () => {
    if (scrollY !== before) done(true);
    else if (performance.now() > end) done(false);
    else requestAnimationFrame(look);
  };
  look();
})"""
SHOWN = 3  # elements named of each complaint
DRAGGED = {
    ".attnbook-likeness .tip": [(30, 0), (0, 40)],
    "[type=range]": [(40, 0)],
}
# What may trap a finger that only wants to scroll: the first of each.
LARGE = (".attnbook-x", ".atn-hero-stage", "figure")
SOON, LATE = 60, 3000  # milliseconds
TOP, BOTTOM = 100, 600  # of the window: where a finger may come down


def rings(page) -> Iterator[str]:
    """Yield what the Tab key reaches on a page without a ring that is seen."""
    page.keyboard.press("Tab")
    for what, where in page.evaluate(RINGS):
        named = ", ".join(where[:SHOWN])
        yield f"{what} around {len(where)} element(s): {named}"


def place(element, across: float = 0.5) -> tuple[float, float]:
    """Bring an element to the window's middle; return a place on it."""
    element.evaluate("e => e.scrollIntoView({block: 'center'})")
    box = element.bounding_box()
    y = min(max(box["y"] + box["height"] / 2, TOP), BOTTOM)
    return box["x"] + box["width"] * across, y


def is_scrolled(page, start: tuple, way: tuple, patience: int) -> bool:
    """Swipe; say whether the page moves, within some milliseconds."""
    before = page.evaluate("scrollY")
    swipe(page, start, way)
    return page.evaluate(MOVES, [before, patience])


def touch(page) -> Iterator[str]:
    """Yield what a finger cannot do on a page.

    Args:
        page: a tab with touch.
    """
    look = "e => [e.value, e.outerHTML].join()"
    for name, ways in DRAGGED.items():
        for part in page.locator(f"article {name}:visible").all():
            for way in ways:
                start, before = place(part), part.evaluate(look)
                if is_scrolled(page, start, way, SOON):
                    yield f"a finger on {name} scrolls the page"
                if part.evaluate(look) == before:
                    yield f"a finger does not drag {name}"
    for name in LARGE:
        for large in page.locator(f"article {name}:visible").all()[:1]:
            if not is_scrolled(page, place(large, 1 / 8), (0, -120), LATE):
                yield f"a finger on {name} does not scroll the page"
