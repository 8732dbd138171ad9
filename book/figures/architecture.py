"""Draw the whole Transformer, as attnbook/transformer.py builds it.

    python book/figures/architecture.py

writes the architecture.svg that the package holds.  The picture is read from
bottom to top; below it a panel shows the inside of one attention.
"""

from pathlib import Path

from drawing import Sheet
from looks import HEIGHT, WIDTH, picture
from panels import inside, legend
from parts import (
    CARD,
    DECODER,
    ENCODER,
    attention,
    block,
    chips,
    feed_forward,
    final_norm,
    icon,
    later_layers,
    mask,
    norm,
    ports,
    up,
)

ROOT = Path(__file__).resolve().parents[2]
MEMORY = 375  # where the memory rises between the two stacks
SOURCE = ("I", "am", "a", "student", "<eos>", "<pad>")
TARGET = ("<bos>", "je", "suis", "étudiant")
ANSWER = ("je", "suis", "étudiant", "<eos>")
READ, HIDDEN = "open", "hidden"
PADDING = [[READ] * 5 + [HIDDEN]] * 6
CAUSAL = [[READ] * (i + 1) + [HIDDEN] * (3 - i) for i in range(4)]


def self_attention(sheet, column, low, name, rows, words):
    """Draw self-attention: one norm feeds queries, keys and values."""
    with sheet.group(f"{column.name}-self-attention"):
        norm(sheet, column, low)
        attention(sheet, column, low + 56, name, column.length)
        mask(sheet, column, low + 56, rows, words)
        bend = up(low + 36)
        x = column.x(75)
        sheet.path("flow", (x, up(low + 24)), (x, bend), (column.x(169), bend))
        ports(sheet, column, low + 36, "QKV", (75, 122, 169))


def cross_attention(sheet, low):
    """Draw cross-attention: queries from here, the rest from memory."""
    with sheet.group("cross-attention"):
        norm(sheet, DECODER, low)
        attention(sheet, DECODER, low + 56, "cross-attention", "S")
        rows = PADDING[:4]
        mask(sheet, DECODER, low + 56, rows, ("source", "padding"))
        x = DECODER.x(75)
        sheet.path("flow", (x, up(low + 24)), (x, up(low + 36)))
        ports(sheet, DECODER, low + 36, "Q", (75,))
        y, end = up(low + 18), up(low + 55)
        for letter, place in zip("KV", (150, 184), strict=True):
            x = DECODER.x(place)
            points = (MEMORY, y), (x, y), (x, end)
            sheet.path("memory-arrow", *points, tip="memory-tip")
            sheet.text("port", x + 13, up(low + 41), letter)


def embedding(sheet, column, words, note, partners=()):
    """Draw the tokens, the embedding and the start of the stream."""
    with sheet.group(f"{column.name}-input"):
        chips(sheet, column, 0, words, partners)
        left, top, width = block(sheet, "alone", column, CARD, 52, 96)
        middle = left + width / 2
        sheet.text("small", middle, up(-18), note)
        sheet.path("flow", (middle, up(27)), (middle, up(51)), tip="tip")
        shape = f"(B, {column.length})"
        sheet.text("shape", middle + 8, up(34), shape, "start")
        sheet.text("name", left + 14, top + 19, "embedding", "start")
        line = "look up, \u00d7 \u221aD, + position"
        sheet.text("small", left + 14, top + 36, line, "start")
        icon(sheet, "dark", left + 240, top + 13, 36, 18, meet=False)


def stack_ground(sheet, column, layer_top, top):
    """Draw what lies behind a stack: its ground, its first layer."""
    block(sheet, "stack", column, (-24, 292), 118, top)
    block(sheet, "layer", column, CARD, 126, layer_top)


def stream(sheet, column, end):
    """Draw the residual stream, straight and of one width."""
    x = column.stream
    sheet.path("stream", (x, up(96)), (x, up(end)))
    shape = f"(B, {column.length}, D)"
    anchor = "start" if column is ENCODER else "end"
    sheet.text("shape", column.x(12), up(103), shape, anchor)


def encoder(sheet):
    """Draw the stack that reads the source."""
    embedding(sheet, ENCODER, SOURCE, "source")
    with sheet.group("encoder"):
        stack_ground(sheet, ENCODER, 386, 532)
        parts = "self-attention, feed-forward"
        later_layers(sheet, ENCODER, 398, parts)
        stream(sheet, ENCODER, 494)
        final_norm(sheet, ENCODER, 494)
        words = ("source", "padding")
        self_attention(sheet, ENCODER, 138, "self-attention", PADDING, words)
        feed_forward(sheet, ENCODER, 290)
        sheet.text("name", ENCODER.x(239), up(352), "layer 1")


def decoder(sheet):
    """Draw the stack that writes the target."""
    embedding(sheet, DECODER, TARGET, "target so far", ANSWER)
    with sheet.group("decoder"):
        stack_ground(sheet, DECODER, 538, 684)
        parts = "self, cross, feed-forward"
        later_layers(sheet, DECODER, 550, parts)
        stream(sheet, DECODER, 646)
        final_norm(sheet, DECODER, 646)
        words = ("causal &", "padding")
        name = "masked self-attention"
        self_attention(sheet, DECODER, 138, name, CAUSAL, words)
        cross_attention(sheet, 290)
        feed_forward(sheet, DECODER, 442)
        sheet.text("name", DECODER.x(239), up(504), "layer 1")


def memory(sheet):
    """Draw the way of the memory into every decoder layer."""
    x, cross, second, last = ENCODER.stream, up(308), up(564), up(616)
    with sheet.group("memory"):
        sheet.path("memory", (x, up(523)), (x, second), (MEMORY, second))
        sheet.path("memory", (MEMORY, cross), (MEMORY, last))
        for y in (second, last):
            end = DECODER.x(CARD[1] + 1), y
            sheet.path("memory-arrow", (MEMORY, y), end, tip="memory-tip")
        sheet.text("heading wine", 68, up(542), "memory", "start")
        sheet.text("shape", 152, up(542), "(B, S, D)", "start")
        lines = ("K and V", "from the", "encoder,", "Q from the", "decoder")
        for i, line in enumerate(lines):
            sheet.text("small", MEMORY, up(284 - 16 * i), line)


def output(sheet):
    """Draw the way from the last state to the next word."""
    left, width = DECODER.span(CARD)
    middle, x = left + width / 2, DECODER.stream
    with sheet.group("output"):
        sheet.path("stream", (x, up(672)), (x, up(710)))
        sheet.text("shape", x - 12, up(692), "(B, T, D)", "end")
        lines = "output layer, D \u2192 vocab", "softmax over vocab"
        shapes = "logits (B, T, vocab)", "probabilities (B, T, vocab)"
        for low, line, shape in zip((710, 764), lines, shapes, strict=True):
            block(sheet, "alone", DECODER, CARD, low, low + 28)
            sheet.text("name", left + 14, up(low + 9), line, "start")
            place = left + 240, up(low + 20)
            icon(sheet, "dark", *place, 36, 12, meet=False)
            ends = (middle, up(low + 28)), (middle, up(low + 53))
            sheet.path("flow", *ends, tip="tip")
            sheet.text("shape", middle + 8, up(low + 36), shape, "start")
        chips(sheet, DECODER, 818, ANSWER, TARGET)
        for i, line in enumerate(("next word", "at every", "place")):
            sheet.text("small", 382, up(842 - 16 * i), line)
        sheet.text("small", left, up(826), "")


def shared_table(sheet):
    """Draw which three parts may share one table of vectors."""
    left, right = ENCODER.x(CARD[1]), DECODER.x(CARD[0])
    with sheet.group("shared-table"):
        y = up(74)
        sheet.path("share", (left, y), (DECODER.x(CARD[1]), y))
        points = (right, y), (738, y), (738, up(724)), (right, up(724))
        sheet.path("share", *points)
        for i, line in enumerate(("one table,", "if shared")):
            sheet.text("small", MEMORY, up(82 - 24 * i), line)
        line = "the same table, if shared"
        sheet.text("small", 752, up(400), line, turn=True)


def draw():
    """Return the picture as the text of an SVG file."""
    sheet = Sheet()
    sheet.rect("ground", 0, 0, WIDTH, HEIGHT, rx=12)
    legend(sheet)
    shared_table(sheet)
    encoder(sheet)
    decoder(sheet)
    memory(sheet)
    output(sheet)
    inside(sheet)
    return picture(sheet.lines)


def main():
    """Write the picture into the package."""
    path = ROOT / "code/attnbook/plots/architecture.svg"
    path.write_text(draw(), encoding="utf-8")


if __name__ == "__main__":
    main()
