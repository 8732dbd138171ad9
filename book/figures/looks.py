"""How the Transformer's picture looks, and what it says in words."""

from drawing import tint

from attnbook.plots.svg import STEPS

WIDTH, HEIGHT = 760, 1150
INK, SLATE, GREY, WINE = "#1d2733", "#2f3d4f", "#6b7684", "#a01f4b"
MASK = STEPS["mask"]

TITLE = "The Transformer of this course: encoder, decoder, attention"
DESCRIPTION = (
    "Two stacks, read from bottom to top. Left, the encoder: token ids of "
    "the source (B, S) become vectors (B, S, D) and pass N layers, each "
    "self-attention and feed-forward, with a norm before each, and a final "
    "norm; the result is the memory (B, S, D). Right, the decoder: the "
    "target so far (B, T) becomes vectors (B, T, D) and passes N layers, "
    "each masked self-attention, cross-attention and feed-forward, and a "
    "final norm. Every decoder layer takes keys and values from the memory "
    "and queries from its own stream. Each part reads from a straight "
    "residual stream and adds to it; only attention joins words. An output "
    "layer and a softmax give probabilities (B, T, vocab) of the next word. "
    "Below, one attention in five steps: project, score, mask, "
    "normalise, mix."
)

FONT = (
    'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", '
    "Arial, sans-serif"
)
TEXTS = {
    "name": f"font-size: 13.5px; font-weight: 600; fill: {INK}",
    "heading": f"font-size: 17px; font-weight: 700; fill: {INK}",
    "title": "font-size: 13px; font-weight: 600; fill: #ffffff",
    "label": f"font-size: 13px; fill: {INK}",
    "small": f"font-size: 12px; fill: {INK}",
    "shape": f"font-size: 12px; font-weight: 600; fill: {INK}",
    "port": "font-size: 13px; font-weight: 700; fill: #00517f",
    "raised": "font-size: 12px",
    "white": "fill: #ffffff",
    "wine": f"fill: {WINE}",
}
BOXES = {
    "ground": "fill: #ffffff; stroke: #cfd5dc",
    "panel": "fill: #f7f8fa; stroke: #cfd5dc",
    "stack": "fill: #eceff3",
    "layer": "fill: #ffffff; stroke: #b9c1cb",
    "meet": f"fill: {SLATE}",
    "alone": f"fill: #f4efe4; stroke: {GREY}",
    "token": f"fill: #ffffff; stroke: {GREY}",
    "special": f"fill: #e3e7ec; stroke: {GREY}",
    "mask-chip": f"fill: {tint(MASK, 0.16)}; stroke: {MASK}",
    "cell": f"stroke: {GREY}; stroke-width: 0.6",
    "open": "fill: #ffffff",
    "hidden": f"fill: {MASK}",
    "sum": f"fill: #ffffff; stroke: {INK}; stroke-width: 1.6",
    "read": f"fill: {INK}",
}
LINES = {
    "stream": "stroke: #8793a1; stroke-width: 9",
    "flow": f"stroke: {INK}; stroke-width: 1.4",
    "plus": f"stroke: {INK}; stroke-width: 1.6",
    "memory": f"stroke: {WINE}; stroke-width: 5; stroke-linecap: square",
    "memory-arrow": f"stroke: {WINE}; stroke-width: 3",
    "mask-flow": f"stroke: {MASK}; stroke-width: 1.8",
    "share": f"stroke: {GREY}; stroke-width: 1.4; stroke-dasharray: 4 4",
    "wire": "stroke-width: 0.9",
}
INKS = {
    "word.dark": f"fill: {INK}",
    "word.light": "fill: #ffffff",
    "wire.dark": f"stroke: {INK}",
    "wire.light": "stroke: #dfe5ec",
}


def shades():
    """Return fills of the steps: full, pale, and ten shades of each."""
    fills = {}
    for step, colour in STEPS.items():
        fills[step] = f"fill: {tint(colour, 0.55)}"
        fills[f"full-{step}"] = f"fill: {colour}"
        pale = f"fill: {tint(colour, 0.16)}; stroke: {colour}"
        fills[f"step-{step}"] = pale
    for step in ("score", "normalise"):
        for i in range(11):
            fills[f"{step}-{i}"] = f"fill: {tint(STEPS[step], i / 10)}"
    return fills


def style():
    """Return the style sheet of the picture."""
    rules = [f"text {{ font-family: {FONT}; }}", "path { fill: none; }"]
    tables = (BOXES, LINES, INKS, shades(), TEXTS)
    for table in tables:
        rules += [f".{name} {{ {look}; }}" for name, look in table.items()]
    return rules


def tip(name, colour, size):
    """Return an arrow's tip."""
    return (
        f'<marker id="{name}" viewBox="0 0 8 8" refX="7" refY="4" '
        f'markerWidth="{size}" markerHeight="{size}" '
        'markerUnits="userSpaceOnUse" orient="auto">'
        f'<path d="M0 0 L8 4 L0 8 Z" style="fill: {colour}"/></marker>'
    )


def picture(lines):
    """Put the drawn lines into an SVG file with its style and its words."""
    tips = (tip("tip", INK, 8), tip("memory-tip", WINE, 11))
    return "\n".join(
        [
            '<svg xmlns="http://www.w3.org/2000/svg" role="img" '
            'aria-labelledby="architecture-title architecture-desc" '
            f'width="{WIDTH}" height="{HEIGHT}" '
            f'viewBox="0 0 {WIDTH} {HEIGHT}">',
            "  <!-- Written by architecture.py: change it there. -->",
            f'  <title id="architecture-title">{TITLE}</title>',
            f'  <desc id="architecture-desc">{DESCRIPTION}</desc>',
            "  <style>",
            *(f"    {rule}" for rule in style()),
            "  </style>",
            "  <defs>",
            *(f"    {t}" for t in (*tips, tip("mask-tip", MASK, 9))),
            "  </defs>",
            *lines,
            "</svg>",
            "",
        ]
    )
