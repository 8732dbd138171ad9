"""Do on the live page what a reader does, as `pages.py` asks.

Type, choose a language, walk by arrows, open every view, switch a head off,
cut an edge, search with a beam, follow a link, bring a model.  After each of
these the page must say what it should, and have no violation.
"""

from collections.abc import Iterator
from pathlib import Path

LIVE = "book/closing.html"
OWN = Path(__file__).parents[2] / "code/attnbook/models/storybook-en-ko"
READY = "live.state.translator && !live.state.still && !live.state.problem"
SETTLED = "new Promise(done => setTimeout(done, 250))"
MOST = 300  # letters of what the page says
NEEDED = "encoder1.2"  # the head without which *elle* becomes *il*


class Reader:
    """A reader of the page.

    Args:
        page: a tab of the browser, on the live page.
        violations: a function of a page and a selector that yields what
            axe-core finds there.
    """

    def __init__(self, page, violations):
        self.page, self.violations = page, violations
        self.found = []

    def press(self, key):
        """Press what has a `data-key`."""
        self.page.locator(f".atn-live [data-key='{key}']").first.click()

    def expect(self, what, words, selector=".atn-live-shown"):
        """Note what does not say some words, and what axe-core finds."""
        self.page.wait_for_function(READY)
        self.page.evaluate(SETTLED)
        said = self.page.locator(selector).first.inner_text()
        if words not in said:
            got = " ".join(said.split())[:MOST]
            self.found.append(f"{what}: expected {words!r}, got {got!r}")
        found = self.violations(self.page, ".atn-live")
        self.found += [f"{what}: {line}" for line in found]
        wide = self.page.evaluate(
            "document.documentElement.scrollWidth - innerWidth"
        )
        if wide > 0:
            self.found.append(f"{what}: scrolls sideways by {wide} pixels")


def drive(page, violations) -> Iterator[str]:
    """Yield what goes wrong while a reader uses the live page.

    Args:
        page: a tab of the browser, on the live page.
        violations: a function of a page and a selector that yields what
            axe-core finds there.
    """
    reader = Reader(page, violations)
    if page.evaluate("live.state.translator"):
        yield "a model is loaded before anything is touched"
    page.locator("#live-typed").fill("The purple animal slept.")
    reader.expect("typed", "“purple”")
    page.locator("#live-typed").fill("The anim")
    page.locator(".atn-live-offers button").first.click()
    reader.expect("offered", "L'animal")
    reader.press("ko")
    reader.expect("Korean", "동물")
    reader.press("fr")
    reader.press("wide")
    reader.expect("chosen", "elle était trop large")
    page.locator(".atn-live-row button").nth(8).click()
    page.keyboard.press("ArrowRight")
    reader.expect("walked", "“was”", ".atn-live-say")
    for view in page.evaluate(
        "live.views.filter(view => !view.slot).map(view => view.name)"
    ):
        reader.press(view)
        reader.expect(view, "elle était trop large")
    reader.press("apart")
    reader.press(NEEDED)
    reader.expect("a head off", "“elle” has become “il”")
    reader.press("heads")
    reader.press("cross1.2")
    reader.press("cut")
    reader.expect("an edge cut", "cut from")
    page.evaluate("live.set({ width: 4 })")
    reader.expect("a beam", "il était")
    page.reload()
    reader.expect("a link", "“elle” has become “il”")
    reader.press("python")
    reader.press("ui.ko")
    reader.press("ui.en")
    reader.expect("Python", "beam_search(model, source, width=4")
    reader.press("reset")
    reader.expect("reset", "il était trop fatigué")
    page.locator(".atn-live-fold > summary").last.click()
    page.locator("#live-files").set_input_files(list(OWN.iterdir()))
    reader.expect("an own model", "works with your model")
    yield from reader.found
