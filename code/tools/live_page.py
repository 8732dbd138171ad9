"""Make the still of the live page: one sentence, and where the model looked.

    python code/tools/live_page.py            # compare, and say what differs
    python code/tools/live_page.py --write

The still stands on the page before any script, without one, and on paper: two
rows of words with lines between them, the mean of all heads that look at the
source.  `book/_static/live.js` goes on from the same numbers.

Dimension letters:
    N layers, H heads, T target words, S source words.
"""

import json
import sys
from html import escape
from pathlib import Path

import torch

from attnbook.data import datasets, storybook
from attnbook.data.vocabulary import BOS, EOS
from attnbook.decoding import pretrained

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "book/_ext"))
from live_models import write_script  # noqa: E402

PAGE = ROOT / "book/live.html"
NEAR = 2  # hundredths that another processor may differ by
NARROW, WIDE = "il'.,tfj ", "mw"  # letters
FAINT = 30  # hundredths from which a line of another word is drawn
TEMPLATE = """<!-- Written by code/tools/live_page.py. -->
<link rel="stylesheet" href="../_static/live.css">
<link rel="stylesheet" href="../_static/live_views.css">
<div class="atn-live" id="live">
<script type="application/json">{data}</script>
<div class="atn-live-controls"></div>
<div class="atn-live-still">
<p class="atn-live-sentence" lang="fr">{sentence}</p>
{pictures}
</div>
</div>
<script src="../_static/live.js" defer></script>
"""


def compute():
    """Return what the page stores, from the packaged model.

    Returns:
        A dict: `source` and `target`, tokens with <eos>; `cross`, (T, S),
        the mean of all heads in hundredths; `step`, the place of the
        pronoun in the target; `sentence`; `bytes`, language -> the size of
        the script that holds the model.
    """
    translator = pretrained.load("fr")
    translator.model.requires_grad_(False)
    pair = storybook.running_pair("fr")
    english = " ".join(pair.doer.source)
    french = translator.translate([english])[0]
    source = torch.tensor([[*translator.source.encode(english), EOS]])
    target = torch.tensor([[BOS, *translator.target.encode(french)]])
    maps = translator.model.attention_maps(source, target)
    cross = maps["cross"][:, 0].double().mean((0, 1))  # (T, S)
    return {
        "source": [*english.split(), "<eos>"],
        "target": [*french.split(), "<eos>"],
        "cross": (100 * cross).round().int().tolist(),
        "step": pair.step,
        "sentence": datasets.find("storybook").write_text(french, "fr"),
        "bytes": {name: weigh(name) for name in pretrained.LANGUAGES},
    }


def weigh(language):
    """Return how many bytes the script has that holds a model."""
    return len(write_script(pretrained.find_model(language)))


def width(word):
    """Return about how wide a word is, set in 15 pixels."""
    sizes = (4.2 if c in NARROW else 12 if c in WIDE else 8.4 for c in word)
    return sum(sizes)


def spread(words, room):
    """Return the middles of words that fill a row."""
    gap = (room - sum(map(width, words))) / (len(words) - 1)
    places, x = [], 0
    for word in words:
        places.append(x + width(word) / 2)
        x += width(word) + gap
    return places


def place_wide(data):
    """Return the size, and x, y of each word: two rows."""
    size = 740, 200
    rows = [(data["source"], 34), (data["target"], 182)]
    return size, [
        [(20 + x, y) for x in spread(words, size[0] - 40)] for words, y in rows
    ]


def place_tall(data):
    """Return the size, and x, y of each word: two columns, for a phone."""
    rows = [(data["source"], 84), (data["target"], 262)]
    places = [
        [(x, 20 + 27 * n) for n in range(len(words))] for words, x in rows
    ]
    return (330, 27 * max(map(len, places)) + 8), places


def draw_line(word, key, weight, is_asked, is_tall):
    """Return the line from a written word to one that it looks at.

    Args:
        word: x and y of the written word.
        key: x and y of the other.
        weight: in hundredths.
        is_asked: whether this word is the one whose weights are shown.
        is_tall: whether words stand in columns.
    """
    (x, y), (u, v) = word, key
    if is_tall:
        x, u, y, v = x - 6, u + 6, y - 5, v - 5
        bend = (x + u) / 2, y, (x + u) / 2, v
    else:
        y, v = y - 19, v + 8
        bend = x, (y + v) / 2, u, (y + v) / 2
    ends = " ".join(f"{n:.0f}" for n in (*bend, u, v))
    kind = f'stroke-width="{1 + 0.11 * weight:.1f}"'
    if not is_asked:
        kind = 'class="faint" stroke-opacity=".3"'
    return f'<path d="M{x:.0f} {y:.0f}C{ends}" {kind}/>'


def draw_word(word, place, anchor, kind=""):
    """Return a word as SVG; `place` is its x and y, `kind` a class."""
    x, y = place
    kind = kind and f' class="{kind}"'
    return (
        f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}"{kind}>'
        f"{escape(word)}</text>"
    )


def draw(data, name, size, places):
    """Return the picture as SVG; it can be read without its style sheet.

    Args:
        data: what `compute` returns.
        name: "wide" or "tall".
        size: width and height.
        places: for each side x and y of every word.
    """
    tall, step = name == "tall", data["step"]
    source, target = places
    lines = [
        draw_line(target[t], source[s], weight, t == step, tall)
        for t, row in enumerate(data["cross"])
        for s, weight in enumerate(row)
        if weight >= (1 if t == step else FAINT)
    ]
    ends = ("end", "start") if tall else ("middle", "middle")
    words = [
        draw_word(word, place, ends[0])
        for word, place in zip(data["source"], source, strict=True)
    ]
    words += [
        draw_word(word, place, ends[1], "asks" if t == step else "")
        for t, (word, place) in enumerate(
            zip(data["target"], target, strict=True)
        )
    ]
    dx, dy = (-64, 0) if tall else (0, -18)
    words += [
        draw_word(f"{weight / 100:.2f}", (x + dx, y + dy), "middle", "weight")
        for weight, (x, y) in zip(data["cross"][step], source, strict=True)
        if weight
    ]
    shown = ' display="none"' if tall else ""  # the style sheet says when
    return (
        f'<svg class="{name}" viewBox="0 0 {size[0]} {size[1]}" role="img" '
        f'aria-label="{escape(describe(data))}" font-size="15"{shown}>'
        f'<g fill="none" stroke="#7a4fb3">{"".join(lines)}</g>'
        f"{''.join(words)}</svg>"
    )


def describe(data):
    """Return the picture in words."""
    row = data["cross"][data["step"]]
    most = sorted(zip(row, data["source"], strict=True), reverse=True)[:3]
    named = ", ".join(f"“{word}” {weight / 100:.2f}" for weight, word in most)
    word = data["target"][data["step"]]
    return f"To write “{word}”, the model looks at {named} (mean of all heads)"


def page(data):
    """Return the HTML of the still and its data."""
    layouts = {"wide": place_wide(data), "tall": place_tall(data)}
    return TEMPLATE.format(
        data=dump(data),
        sentence=escape(data["sentence"]),
        pictures="\n".join(draw(data, n, *how) for n, how in layouts.items()),
    )


def dump(data):
    """Return data as JSON in which no tag can end a page's script."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")


def stored(path=PAGE):
    """Return the data that a page holds."""
    text = path.read_text(encoding="utf-8")
    data = text.split('<script type="application/json">')[1]
    return json.loads(data.split("</script>")[0])


def complaints(fresh, kept):
    """Say where stored data are not the model's.

    Args:
        fresh: what `compute` returns.
        kept: what `stored` returns.

    Returns:
        A list of sentences.
    """
    found = [
        f"{k} differs" for k in fresh if k != "cross" and fresh[k] != kept[k]
    ]
    a, b = torch.tensor(fresh["cross"]), torch.tensor(kept["cross"])
    if a.shape != b.shape or (a - b).abs().max() > NEAR:
        found.append("weights differ")
    return found


def main(arguments):
    """Write the page, or compare it; return 1 if it differs."""
    fresh = compute()
    if "--write" in arguments:
        PAGE.write_text(page(fresh), encoding="utf-8")
        return 0
    found = complaints(fresh, stored())
    print(*found, sep="\n", end="\n" if found else "")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
