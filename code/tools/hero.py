"""Make what the front page shows: the packaged model's own weights.

    python code/tools/hero.py            # compare, and say what differs
    python code/tools/hero.py --write

Two sentences, their translations by the model, and two attentions in
hundredths: the decoder's looks at the English words, for every French word
that it writes, and the encoder's looks from the word *it*.  All layers and
heads are stored, so that none is chosen.  See chapter 15.

Dimension letters:
    N layers, H heads, T target words, S source words.
"""

import sys
from html import escape
from pathlib import Path

import torch

import live_page
from attnbook.data import storybook
from attnbook.data.vocabulary import BOS, EOS
from attnbook.decoding import pretrained

PAGE = Path(__file__).parents[2] / "book/hero.html"
END = "<end>"  # what stands for the token that ends a sentence
NEAR = 2  # hundredths that another processor may differ by
TEMPLATE = """<!-- Written by code/tools/hero.py. -->
<link rel="stylesheet" href="../_static/hero.css">
<div class="atn-hero">
<script type="application/json">{data}</script>
<table>
<caption>{caption}</caption>
<thead><tr><th scope="col">English</th>{columns}</tr></thead>
<tbody>
{rows}
</tbody>
</table>
<a class="atn-hero-type" href="closing.html#live">Type your own sentence</a>
<div class="atn-hero-paper">{paper}</div>
</div>
<script src="../_static/hero.js" defer></script>
"""
CAPTION = (
    "How strongly the model looks at each English word at the step that "
    "writes il or elle: mean of all eight heads, in hundredths."
)


def reading(translator, pair):
    """Return a sentence, the model's translation and where it looked.

    Args:
        translator: a `Translator`.
        pair: one reading of the running sentence.

    Returns:
        A dict: `source`, `target` (words), `cross`, (N, H, T, S), and
        `it`, (N, H, S), nested lists of hundredths.

    Raises:
        ValueError: the model does not translate as the grammar does.
    """
    english, french = " ".join(pair.source), " ".join(pair.target)
    written = translator.translate([english])[0]
    if written != french:
        raise ValueError(f"expected {french!r}, got {written!r}")
    source = torch.tensor([[*translator.source.encode(english), EOS]])
    target = torch.tensor([[BOS, *translator.target.encode(french)]])
    maps = translator.model.attention_maps(source, target)
    steps = maps["cross"][:, 0, :, : len(pair.target)]  # (N, H, T, S)
    own = maps["encoder"][:, 0, :, pair.pronoun.pronoun]  # (N, H, S)
    return {
        "source": [*pair.source, END],
        "target": list(pair.target),
        "cross": hundredths(steps),
        "it": hundredths(own),
    }


def hundredths(weights):
    """Return weights as nested lists of integers."""
    return (100 * weights).round().int().tolist()


def compute():
    """Return what the page shows, from the packaged model.

    Returns:
        A dict: `it` and `step`, the places of the pronoun in the source
        and in the target, and `readings`, the two of `reading`.
    """
    translator = pretrained.load("fr")
    translator.model.requires_grad_(False)
    pair = storybook.running_pair("fr")
    return {
        "it": pair.doer.pronoun.pronoun,
        "step": pair.step,
        "readings": [reading(translator, p) for p in pair.readings],
    }


def still(data):
    """Return the table that stands there without the script.

    Args:
        data: what `compute` returns.

    Returns:
        A list of rows: an English word and a whole number of hundredths for
        each reading.
    """
    step, first, second = data["step"], *data["readings"]
    columns = []
    for each in (first, second):
        rows = torch.tensor(each["cross"])[:, :, step]  # (N, H, S)
        columns.append(rows.double().mean((0, 1)).round().int().tolist())
    words = [
        a if a == b else f"{a} / {b}"
        for a, b in zip(first["source"], second["source"], strict=True)
    ]
    return list(zip(words, *columns, strict=True))


def draw_still():
    """Return the picture that is printed: the live page's own."""
    kept = live_page.stored()
    return live_page.draw(kept, "wide", *live_page.place_wide(kept))


def page(data):
    """Return the HTML of the front page's picture.

    Args:
        data: what `compute` returns.

    Returns:
        A string.
    """
    heads = "".join(
        f'<th scope="col">{" ".join(r["target"][data["step"] :])}</th>'
        for r in data["readings"]
    )
    rows = "\n".join(
        f'<tr><th scope="row">{escape(word)}</th><td>{a}</td><td>{b}</td></tr>'
        for word, a, b in still(data)
    )
    return TEMPLATE.format(
        data=live_page.dump(data),
        caption=CAPTION,
        columns=heads,
        rows=rows,
        paper=draw_still(),
    )


def stored():
    """Return the data that the page holds."""
    return live_page.stored(PAGE)


def complaints(fresh, kept):
    """Say where stored data are not the model's.

    Args:
        fresh: what `compute` returns.
        kept: what `stored` returns.

    Returns:
        A list of sentences.
    """
    found = []
    for new, old in zip(fresh["readings"], kept["readings"], strict=True):
        name = " ".join(new["source"])
        for key in ("source", "target"):
            if new[key] != old[key]:
                found.append(f"{name}: {key} differs")
        for key in ("cross", "it"):
            a, b = torch.tensor(new[key]), torch.tensor(old[key])
            if a.shape != b.shape or (a - b).abs().max() > NEAR:
                found.append(f"{name}: weights of {key} differ")
    return found + [k for k in ("it", "step") if fresh[k] != kept[k]]


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
