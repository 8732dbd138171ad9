"""What readers play with: markup, sizes, and in a browser keys and touch.

The browser tests need playwright and Chromium, and say so where they skip.
"""

import gzip
import json
import math
import os
import re
import shutil
from html import unescape

import numpy as np
import pytest
import torch

from attnbook import plots
from attnbook.plots.clocks import HANDS, LAST, WIDTH, multiply
from attnbook.plots.explorable import part
from attnbook.plots.fitting import HEIGHTS, RATES, RIDES, SLOPES, loss_of
from attnbook.plots.fitting import STEPS as STEPS_OF_LINE
from attnbook.plots.following import STEPS, make_tables
from attnbook.plots.likeness import KEYS, REACH, STEP, likeness
from attnbook.plots.masking import find_moved
from attnbook.plots.scaling import WIDTHS, raw_scores
from attnbook.plots.splitting import paths
from attnbook.positions import RotaryPositions
from attnbook.tasks import running_sentence
from browser import swipe

KINDS = (
    "clocks",
    "fitting",
    "following",
    "likeness",
    "map",
    "masking",
    "scaling",
    "slope",
    "splitting",
)


def tables_of(html):
    """Return the cells of an interactive heatmap, read as a browser would."""
    body = html.split("<tbody>")[1].split("</tbody>")[0]
    return [
        re.findall(r"<td[^>]*>([^<]*)</td>", row)
        for row in body.split("<tr>")[1:]
    ]


def test_interactive_heatmap_is_a_table_with_headers():
    weights = torch.tensor([[0.75, 0.25, 0.0], [0.1, 0.3, 0.6]])
    made = plots.interactive_heatmap(
        weights, ["it", "<pad>"], ["a", "&", "<b>"], "a 'map'"
    )
    html = made._repr_html_()
    assert tables_of(html) == [
        ["0.75", "0.25", ""],
        ["0.10", "0.30", "0.60"],
    ]
    assert re.findall(r'<th scope="row">(.*?)</th>', html) == [
        "it",
        "&lt;pad&gt;",
    ]
    assert re.findall(r'<th scope="col">(.*?)</th>', html) == [
        "a",
        "&amp;",
        "&lt;b&gt;",
    ]
    assert "a &#x27;map&#x27;" in html
    assert repr(made) == "interactive heatmap: 1 x 2 queries x 3 keys"
    assert "http" not in html.replace("http://www.w3.org", "")


def test_interactive_heatmap_shows_the_first_head_and_holds_all():
    weights = torch.rand(3, 2, 4).softmax(-1)
    html = plots.interactive_heatmap(weights, "ab", "wxyz", "heads").html
    data = json.loads(re.search(r'data-x="(.*?)"', html)[1])
    assert np.abs(np.array(data) / 100 - weights.numpy()).max() <= 0.0051
    assert [[float(n or 0) for n in row] for row in tables_of(html)] == [
        [n / 100 for n in row] for row in data[0]
    ]


def test_one_long_name_sets_all_keys_upright():
    def upright(names):
        html = plots.interactive_heatmap(torch.eye(2), "ab", names, "x").html
        return html.count('class="long"')

    assert upright(["it", "the"]) == 0
    assert upright(["it", "because"]) == 2


def test_interactive_heatmap_is_small():
    """8 heads of 20 x 20 under 10 kB compressed."""
    names = [f"word{i}" for i in range(20)]
    weights = torch.randn(8, 20, 20).softmax(-1)
    html = plots.interactive_heatmap(weights, names, names, "eight").html
    assert len(gzip.compress(html.encode())) < 10_000


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        (torch.ones(2), "shape"),
        (torch.ones(1, 1, 1, 1), "shape"),
        (torch.ones(0, 2), "shape"),
        (torch.ones(2, 2) * 1.5, "from 0 to 1"),
        (torch.full((2, 2), math.nan), "from 0 to 1"),
        (torch.ones(2, 3) / 3, "2 queries x 2 keys"),
    ],
)
def test_interactive_heatmap_refuses(weights, words):
    with pytest.raises(ValueError, match=words):
        plots.interactive_heatmap(weights, "ab", "cd", "caption")


def test_kit_and_explorables_are_small():
    def size(name):
        return sum(len(part(name, kind).encode()) for kind in ("js", "css"))

    assert size("explorable") < 10_000
    assert all(size(kind) < 6_000 for kind in KINDS)


@pytest.mark.parametrize("kind", ["explorable", *KINDS])
def test_colours_are_the_pages_variables_with_a_fallback(kind):
    style = part(kind, "css")
    assert not re.search(r"#[0-9a-f]{3,6}", re.sub(r"var\([^)]*\)", "", style))
    used = re.findall(r"var\(--atn-[a-z]+(,#[0-9a-f]{3,6})?\)", style)
    assert all(used)


def test_scaling_starts_where_it_is_told():
    made = plots.explore_scaling("Why?", d_k=64, scaled=False)
    scores = raw_scores()[0, WIDTHS.index(64)]
    for value in [*scores, *scores.softmax(0)]:
        assert f"</i>{value:.2f}</td>" in made.html
    assert "Why?" in made.html and "d_k 1 to 512" in repr(made)
    with pytest.raises(ValueError, match="got 5"):
        plots.explore_scaling("Why?", d_k=5)


def test_the_slope_is_that_of_a_nudge():
    for d_k in (1, 4, 64):
        scores = torch.tensor([1.0, 0, -1, 0]).double() * d_k**0.5
        scores.requires_grad_()
        weight = scores.softmax(0)[0]
        weight.backward()
        said = f"weight {weight:.4f}, slope {scores.grad[0]:.4f}."
        assert said in plots.explore_slope("Where?", d_k=d_k).html
    made = plots.explore_slope("Where?", d_k=64, scaled=True)
    assert "Where?" in made.html and "Score 1.0, weight" in made.html
    with pytest.raises(ValueError, match="got 5"):
        plots.explore_slope("Where?", d_k=5)


def test_the_product_of_the_clocks_is_that_of_rotary_positions():
    rotary = RotaryPositions(WIDTH, LAST + 1)
    pairs = torch.tensor([1.0, 0]).repeat(HANDS)  # each hand points up
    turned = rotary(pairs.expand(LAST + 1, -1))  # (T, d_k)
    for hands in (2, HANDS):
        own = turned[:, : 2 * hands]
        right = own @ own[0]  # (T,), the product with the first place
        made = torch.tensor([multiply(d, hands) for d in range(LAST + 1)])
        torch.testing.assert_close(made, right, atol=1e-5, rtol=0)
    html = plots.explore_clocks("Where?", distance=19).html
    assert "Where?" in html and "2 hands: product 1.95, at most 2." in html
    with pytest.raises(ValueError, match="got 64 and 2"):
        plots.explore_clocks("Where?", distance=64)


def test_two_hands_repeat_at_the_distances_that_chapter_8_names():
    by_product = sorted(range(2, LAST + 1), key=lambda d: -multiply(d, 2))
    assert by_product[:2] == [19, 38]


def test_the_line_starts_where_it_is_told():
    html = plots.explore_fitting("Which?", slope=2.5, height=1.0).html
    assert "Which?" in html and '<td class="loss">0.50</td>' in html
    assert '<td class="loss">11.00</td>' in plots.explore_fitting("?").html
    with pytest.raises(ValueError, match="got 0.3 and 1.0"):
        plots.explore_fitting("Which?", slope=0.3)
    with pytest.raises(ValueError, match="got 0.3"):
        plots.explore_rate("Which?", rate=0.3)


def test_the_best_line_is_among_the_stops():
    """The answer to the first question that chapter 0 asks."""
    losses = {(s, h): loss_of(s, h) for s in SLOPES for h in HEIGHTS}
    assert min(losses, key=losses.get) == (2.5, 1.0)
    assert losses[2.5, 1.0] == 0.5


def test_the_loss_first_grows_at_the_rate_that_chapter_0_says():
    growing = []
    for rate in RATES:
        slope, height = 1.0, 1.0
        for _ in range(STEPS_OF_LINE):
            misses = [slope * km + height - took for km, took in RIDES]
            pairs = zip(misses, RIDES, strict=True)
            slope -= rate * 2 / 3 * sum(m * km for m, (km, _) in pairs)
            height -= rate * 2 / 3 * sum(misses)
        if loss_of(slope, height) > loss_of(1.0, 1.0):
            growing.append(rate)
    assert growing == [0.19, 0.2]


def test_split_and_merge_are_those_of_the_package():
    from attnbook.multihead import merge_heads, split_heads

    ways = paths()
    x = ways["split, right"][0][2]
    assert torch.equal(ways["split, right"][-1][2], split_heads(x, 2))
    heads = ways["merge, right"][0][2]
    assert torch.equal(ways["merge, right"][-1][2], merge_heads(heads))
    for name, right in (("split", "view"), ("merge", "reshape")):
        wrong = ways[f"{name}, {right} alone"][-1][2]
        assert not torch.equal(wrong, ways[f"{name}, right"][-1][2])


def test_only_the_last_reshape_moves_numbers_in_memory():
    html = plots.explore_split("Which?").html
    data = json.loads(unescape(re.search(r'data-x="(.*?)"', html)[1]))
    memories = [[step[3] for step in way] for way in data["ways"]]
    still = list(range(12))
    assert memories[0] == [still] * 3 and memories[1] == [still] * 2
    moved = [0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11]
    assert memories[2] == [still, still, moved]
    assert memories[3] == [still] * 2


def test_the_three_measures_are_those_of_pytorch():
    query = torch.tensor([-1.5, 2.0])
    values, wins = likeness(query)
    for numbers, key in zip(values, KEYS.values(), strict=True):
        key = torch.tensor(key)
        right = key @ query, torch.cosine_similarity(key, query, dim=0)
        torch.testing.assert_close(numbers[:2], torch.stack(right))
        torch.testing.assert_close(numbers[2], torch.dist(key, query))
    assert wins.long().tolist() == [[0, 0, 0], [0, 0, 0], [1, 1, 1]]
    start = likeness(torch.tensor([1.0, 1.0]))[1].long()
    assert start.tolist() == [[0, 1, 1], [0, 0, 0], [1, 0, 0]]


def test_the_short_key_is_loudest_only_where_all_products_are_negative():
    """The answer to the question that chapter 3 asks."""
    steps = torch.arange(-REACH, REACH + STEP, STEP)
    found = 0
    for query in torch.cartesian_prod(steps, steps):
        values, wins = likeness(query)
        if wins[0, 0] and not wins[1:, 0].any():
            found += 1
            assert (values[:, 0] < 0).all()
    assert found > 20


def test_likeness_starts_where_it_is_told():
    html = plots.explore_likeness("Where?", query=(0.5, -2.0)).html
    assert "Where?" in html
    for text in ("-1.5", "-8", "3.20"):
        assert f">{text.replace('-', chr(0x2212))}</td>" in html
    with pytest.raises(ValueError, match="multiples of 0.5"):
        plots.explore_likeness("Where?", query=(0.3, 1.0))
    with pytest.raises(ValueError, match="not both 0"):
        plots.explore_likeness("Where?", query=(0.0, 0.0))


def test_outputs_that_move_are_those_of_a_decoder():
    from attnbook.probes.leaks import leak_map
    from attnbook.probes.peeking import NextToken, mask_wrongly

    mask = torch.rand(6, 6, generator=torch.Generator().manual_seed(1)) < 0.3
    mask[:, 0] = True  # no row without a True
    layers, tokens = 2, torch.tensor([[1, 4, 2, 6, 0, 3]])
    model = NextToken(8, layers, mask_wrongly(lambda _: mask)).eval()
    found = leak_map(model, tokens, ids=8)
    for j in range(6):
        moved, undefined = find_moved(mask, j, layers)
        assert torch.equal(found.moved[:, j], moved) and not undefined.any()
    mask[2] = False  # a blind row
    undefined = find_moved(mask, 0, layers)[1]
    assert torch.equal(leak_map(model, tokens, ids=8).undefined, undefined)


def test_a_mask_starts_causal():
    html = plots.explore_masks("abc", "Who?").html
    assert "Who?" in html and html.count('class="key open"') == 6
    assert html.count(">stays<") == 2 and html.count(">moves<") == 1
    with pytest.raises(ValueError, match="three words, got 2"):
        plots.explore_masks("ab", "Who?")


def follow():
    return plots.explore_self_attention(
        running_sentence.embeddings(),
        running_sentence.projections(),
        running_sentence.WORDS,
        running_sentence.FEATURES,
        "Which word?",
    )


def test_the_steps_are_those_of_the_package():
    from attnbook.attention import scaled_dot_product_attention

    x, matrices = running_sentence.embeddings(), running_sentence.projections()
    views = [x @ w for w in matrices]
    causal = torch.ones(6, 6).tril().bool()
    for hide in (False, True):
        made = make_tables(x, *matrices, causal=hide)
        assert tuple(made) == STEPS
        context, weights = scaled_dot_product_attention(
            *views, causal if hide else None
        )
        for name, right in (("normalise", weights), ("mix", context)):
            shown = [[float(n) for n in row] for row in made[name][0]]
            assert (torch.tensor(shown) - right).abs().max() <= 0.0051
    assert made["mask"][0][0] == ["0.0"] + ["\u2212\u221e"] * 5
    assert made["score"][0][3][3] == "\u22122.0"


def test_self_attention_refuses_sizes_that_do_not_fit():
    x, matrices = running_sentence.embeddings(), running_sentence.projections()
    with pytest.raises(ValueError, match="expected 2 words of one width"):
        plots.explore_self_attention(x, matrices, "ab", "abcd", "Why?")
    with pytest.raises(ValueError, match="and 3 features"):
        plots.explore_self_attention(x, matrices, "abcdef", "abc", "Why?")


@pytest.fixture(scope="module")
def browser():
    api = pytest.importorskip(
        "playwright.sync_api", reason="NOT TRIED: no playwright"
    )
    path = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if not path:
        pytest.skip("NOT TRIED: no chromium")
    with api.sync_playwright() as play:
        yield play.chromium.launch(executable_path=path, args=["--no-sandbox"])


@pytest.fixture
def page(browser):
    weights = torch.tensor([[[0.5, 0.25, 0.25]] * 3, torch.eye(3).tolist()])
    made = [
        plots.interactive_heatmap(weights, "abc", "xyz", "A map."),
        plots.explore_scaling("Why?"),
        plots.explore_split("Which?"),
        follow(),
        plots.explore_likeness("Where?"),
        plots.explore_fitting("Which?"),
        plots.explore_rate("Which?"),
        plots.explore_slope("Where?"),
        plots.explore_clocks("When?"),
        plots.explore_masks(running_sentence.WORDS, "Which?"),
    ]
    context = browser.new_context(
        viewport={"width": 390, "height": 800}, has_touch=True
    )
    page = context.new_page()
    errors = []
    page.on("pageerror", lambda error: errors.append(error))
    page.set_content("<!doctype html>" + "".join(m.html for m in made))
    yield page
    assert not errors
    wide = page.evaluate("document.documentElement.scrollWidth")
    context.close()
    assert wide <= 390


def said(page, kind):
    found = page.locator(f".attnbook-{kind} [role=status]")
    return found.first.text_content()


def test_keys_walk_through_the_map(page):
    page.locator(".attnbook-map td").first.focus()
    assert "Query a, key x: weight 0.50, place 1 of 3" in said(page, "map")
    page.keyboard.press("Control+End")
    assert "Query c, key z: weight 0.25" in said(page, "map")
    assert "shares place 2 of 3 in its row with 1 other" in said(page, "map")
    page.keyboard.press("PageUp")
    assert "Query a, key z" in said(page, "map")
    page.keyboard.press("Control+End")
    page.keyboard.press("Control+Home")
    assert "Query a, key x" in said(page, "map")
    page.locator(".attnbook-map select").select_option("1")
    assert "weight 1.00" in said(page, "map")


def test_the_cells_of_a_map_are_square(page):
    for cell in page.locator(".attnbook-map tbody td").all():
        box = cell.bounding_box()
        assert abs(box["width"] - box["height"]) < 1


def test_touch_reads_a_cell(page):
    page.locator(".attnbook-map tbody td").nth(4).tap()
    assert "Query b, key y" in said(page, "map")


def test_keys_move_width_and_temperature(page):
    one = page.locator(".attnbook-scaling")
    one.get_by_label("width d_k").focus()
    page.keyboard.press("End")
    assert said(page, "scaling").startswith("d_k 512, divided by its root")
    one.get_by_label("divide").press("Space")
    weights = raw_scores()[0, -1].softmax(0)
    assert f"Largest weight {weights.max():.2f}" in said(page, "scaling")
    page.get_by_label("temperature").press("End")
    softer = (raw_scores()[0, -1] / 16).softmax(0)
    assert f"Largest weight {softer.max():.2f}" in said(page, "scaling")


def test_keys_slide_the_dot_along_the_curve(page):
    one = page.locator(".attnbook-slope")
    one.get_by_label("width d_k").press("End")
    right = "d_k 64, not divided. Score 8.0, weight 0.9993, slope 0.0007."
    assert said(page, "slope") == right
    one.get_by_label("divide").press("Space")
    right = (
        "d_k 64, divided by its root. Score 1.0, weight 0.5344, slope 0.2488."
    )
    assert said(page, "slope") == right


def test_keys_turn_the_clocks(page):
    one = page.locator(".attnbook-clocks")
    one.get_by_label("distance").press("End")
    one.get_by_label("hands").press("End")
    right = f"{multiply(LAST, HANDS):.2f}, at most 8."
    assert said(page, "clocks") == f"63 places apart, 8 hands: product {right}"
    assert one.locator(".off").count() == 0


def test_keys_move_the_line(page):
    page.locator(".attnbook-fitting").first.get_by_label("slope").press("End")
    page.get_by_label("height").press("Home")
    assert said(page, "fitting") == "Slope 4.0, height \u22121.0: loss 3.00."


def test_buttons_take_steps_of_the_line(page):
    one = page.locator(".attnbook-fitting").nth(1)
    status = one.locator("[role=status]")
    one.get_by_role("button", name="one step").tap()
    said = status.text_content()
    assert said.endswith("slope 2.40, height 1.60, loss 0.67.")
    one.get_by_role("button", name="all steps").tap()
    assert "step 20 of 20" in status.text_content()
    assert one.get_by_role("button", name="one step").is_disabled()
    one.get_by_label("learning rate").press("End")
    assert "Rate 0.2, step 0 of 20" in status.text_content()
    one.get_by_role("button", name="all steps").tap()
    assert "above the picture" in status.text_content()


def test_a_tick_lets_a_word_in_by_way_of_another(page):
    one = page.locator(".attnbook-masking")
    assert said(page, "masking").endswith("Outputs that move: tired.")
    one.get_by_label("it reads tired").tap()
    assert said(page, "masking").endswith("move: it, tired.")
    one.get_by_label("layers").select_option(index=1)
    assert said(page, "masking").endswith("move: it, too, tired.")
    one.get_by_label("animal reads animal").press("Space")
    assert "NaN: animal, cross, street, it" in said(page, "masking")
    one.get_by_role("button", name="last two hidden").tap()
    assert said(page, "masking").endswith("Outputs that move: tired.")


def test_keys_step_through_a_merge(page):
    page.locator(".attnbook-splitting select").select_option("2")
    page.get_by_role("button", name="next").tap()
    assert "Step 2 of 3. Nothing moves in memory." in said(page, "splitting")
    page.keyboard.press("ArrowRight")
    assert "8 numbers get another place in memory" in said(page, "splitting")
    page.keyboard.press("ArrowLeft")
    assert "Step 2 of 3" in said(page, "splitting")


def test_a_word_s_row_is_lit_through_all_steps(page):
    one = page.locator(".attnbook-following")
    assert one.locator(".lit button").text_content() == "it"
    one.get_by_role("button", name="street").tap()
    one.get_by_role("button", name="normalise").tap()
    assert one.locator(".lit button").text_content() == "street"
    assert "street, shares of 1: animal 0.07" in said(page, "following")
    page.keyboard.press("ArrowRight")
    assert "street gets all values" in said(page, "following")
    one.get_by_role("button", name="street").focus()
    page.keyboard.press("ArrowUp")
    assert said(page, "following").startswith("cross gets all values")
    one.get_by_label("hide later words").press("Space")
    one.get_by_role("button", name="mask").tap()
    assert "cross may not read 4 later words" in said(page, "following")


def test_a_query_is_moved_by_keys_sliders_and_pointer(page):
    one, plane = page.locator(".attnbook-likeness"), "svg"
    start = "Query (1, 1.5). Largest dot product 6: long. Largest cosine 0.98"
    assert said(page, "likeness").startswith(start)
    one.locator(plane).focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowDown")
    assert said(page, "likeness").startswith("Query (0.5, 1)")
    for _ in range(12):
        page.keyboard.press("ArrowDown")
    assert said(page, "likeness").startswith("Query (0.5, \u22124).")
    assert one.get_by_label("query, up").input_value() == "0"
    one.get_by_label("query, across").press("Home")
    words = said(page, "likeness")
    assert words.startswith("Query (\u22124, \u22124). Largest dot product")
    assert "\u22128: short" in words and "short. Smallest" not in words
    box = one.locator(plane).bounding_box()
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.touchscreen.tap(middle[0] + 34 * 3, middle[1])
    assert "Query (3, 0). Largest dot product 9: middle" in said(
        page, "likeness"
    )
    page.mouse.move(middle[0] + 34 * 3, middle[1])
    page.mouse.down()
    page.mouse.move(middle[0], middle[1])
    page.mouse.up()
    assert "No cosine" in said(page, "likeness")


@pytest.mark.parametrize(
    ("off", "way", "end"),
    [
        ((0, 0), (68, 0), "Query (3, 1.5)"),
        ((0, 0), (0, 85), "Query (1, \u22121)"),
        ((12, -15), (-12, -53), "Query (1, 3.5)"),  # a finger beside it
        ((0, 0), (-170, 34), "Query (\u22124, 0.5)"),  # beyond the edge
        ((60, 60), (0, -80), "Query (1, 1.5)"),  # scrolls the page
        ((60, 60), (60, 0), "Query (1, 1.5)"),
    ],
)
def test_a_finger_drags_the_query_and_scrolls_elsewhere(page, off, way, end):
    tip = page.locator(".attnbook-likeness .tip")
    tip.evaluate("tip => tip.scrollIntoView({block: 'center'})")
    page.evaluate("scrollBy(0, -60)")  # as far as it goes, at the page's end
    box, before = tip.bounding_box(), page.evaluate("scrollY")
    start = [
        box[side] + box[size] / 2 + n
        for side, size, n in (
            ("x", "width", off[0]),
            ("y", "height", off[1]),
        )
    ]
    swipe(page, start, way)
    assert said(page, "likeness").startswith(end)
    if off == (60, 60) and way[1]:
        page.wait_for_function("before => scrollY > before", arg=before)
    else:
        assert page.evaluate("scrollY") == before
