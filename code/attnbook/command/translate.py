"""What the command ``attnbook translate`` does."""

import sys

from attnbook.command.options import add_command, add_decoding, note
from attnbook.data import datasets
from attnbook.data.characters import name_invisible
from attnbook.data.corpus import read_lines, split_lines
from attnbook.data.files import write_file
from attnbook.decoding import translator

TEXT = """\
Translate with a trained model: the words on the command line, a file, or
standard input.  One line in, one line out.  "unsure" after a tab marks a line
with a word that the model does not know, or of which it is less sure than of
98 in 100 sentences like those that it was trained on.

  attnbook translate --checkpoint runs/storybook-en-fr "The dog is hungry."
  attnbook translate --checkpoint runs/multi30k-de-en --file text.de
  cat text.de | attnbook translate --checkpoint runs/multi30k-de-en
"""


def add(commands):
    """Add the command."""
    about = "translate with a trained model"
    parser = add_command(commands, "translate", about, TEXT, translate)
    add_decoding(parser)
    parser.add_argument("text", nargs="*", help="sentences to translate")
    parser.add_argument("--file", help="a file with one sentence per line")
    parser.add_argument(
        "--output", help="where to write (default: the screen)"
    )


def read_input(options):
    """Return the sentences to translate, one per line."""
    if options.text and options.file:
        raise ValueError("expected sentences or --file, got both")
    if options.text:
        return [text.strip() for text in options.text]
    if options.file:
        return read_lines(options.file)
    if sys.stdin.isatty():
        note("type a sentence per line, end with Ctrl-D")
    data = sys.stdin.buffer.read()
    try:
        return split_lines(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise ValueError(
            f"expected UTF-8 on standard input, got byte "
            f"{error.object[error.start]} at position {error.start}"
        ) from None


def translate(options):
    """Translate sentences; an empty line stays an empty line.

    Args:
        options: of the command.

    Raises:
        ValueError: no model, or text that it cannot read.
    """
    trained, config = translator.load_translator(
        options.checkpoint, options.device
    )
    name, _, target = config["data"]
    kind = datasets.find(name)
    lines = [
        [kind.read_text(part) for part in kind.split_text(line)]
        for line in read_input(options)
    ]
    texts = [text for line in lines for text in line]
    if not texts:
        raise ValueError("expected sentences to translate, got empty input")
    check_lengths(trained, lines)
    unknown = find_unknown_words(trained, texts)
    if unknown:
        words = ", ".join(map(name_invisible, unknown))
        note(f"words that the model does not know: {words}")
    outputs = iter(
        trained.translate_surely(texts, options.beam, options.length_penalty)
    )
    lines = [
        format_line(trained, kind, target, line, outputs) for line in lines
    ]
    if options.output:
        write_file(options.output, "\n".join(lines) + "\n")
    else:
        print("\n".join(lines))


def check_lengths(trained, lines):
    """Refuse a text that the model cannot read; say in which line it is."""
    for number, texts in enumerate(lines, 1):
        for text in texts:
            try:
                trained.encode([text])
            except ValueError as error:
                raise ValueError(f"line {number}: {error}") from None


def format_line(trained, kind, target, texts, outputs):
    """Return a line of output: the translations, and whether unsure."""
    pairs = [next(outputs) for _ in texts]
    line = " ".join(kind.write_text(text, target) for text, _ in pairs)
    sure = all(value >= trained.sure_from for _, value in pairs)  # NaN is not
    sure = sure and not find_unknown_words(trained, texts)
    return line if sure else line + "\tunsure"


def find_unknown_words(trained, texts):
    """Return the words that the model has never seen, sorted."""
    return sorted(
        {
            word
            for text in texts
            for word in text.split()
            if "<unk>" in trained.source.tokens(trained.source.encode(word))
        }
    )
