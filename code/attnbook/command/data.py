"""What the command ``attnbook data`` does."""

from attnbook.command.options import (
    add_command,
    add_data,
    add_languages,
    load_data,
)
from attnbook.data import datasets

TEXT = """\
Show what a model is trained on; Multi30k is fetched if it is not there yet.

  attnbook data storybook --target ko
  attnbook data storybook --kind naming
  attnbook data storybook --words
  attnbook data multi30k --source de --target en

"""


def add(commands):
    """Add the command."""
    lines = [f"{k.name:<10} {k.about}" for k in datasets.DATASETS.values()]
    text = TEXT + "\n".join(lines)
    about = "show or fetch the data"
    parser = add_command(commands, "data", about, text, show)
    parser.add_argument("data", choices=list(datasets.DATASETS))
    add_languages(parser)
    parser.add_argument(
        "--kind",
        metavar="NAME",
        help="show ten sentences of a kind, or of every kind with all",
    )
    parser.add_argument(
        "--words", action="store_true", help="show the words that it knows"
    )
    add_data(parser)


def show(options):
    """Show the size of the data and a few pairs, its kinds or its words.

    Args:
        options: of the command.

    Raises:
        ValueError: unknown languages or kind, or a damaged file.
        ConnectionError: data that is not there and cannot be fetched.
    """
    dataset = load_data(options, options.data, options.source, options.target)
    if options.words:
        show_words(dataset)
    elif options.kind:
        show_kinds(dataset, options.kind)
    else:
        show_all(dataset)


def show_pair(dataset, source, target):
    """Print a pair as a reader of the languages expects it."""
    print(f"  {dataset.write_text(source, dataset.source)}")
    print(f"  -> {dataset.write_text(target, dataset.target)}")


def show_all(dataset):
    """Show sizes and kinds, or the first pairs of what has no kinds."""
    for split in ("train", "valid", "test"):
        print(f"{split:<6} {len(getattr(dataset, split)):>7,} pairs")
    if not dataset.kinds:
        for source, target in dataset.train[:3]:
            show_pair(dataset, source, target)
        return
    print("kinds of sentences (--kind NAME shows ten, --kind all of each):")
    for kind in dataset.kinds:
        ((source, _),) = dataset.of_kind(kind, 1)
        print(f"  {kind:<11} {dataset.write_text(source, dataset.source)}")
    count = sum(len(words) for words in dataset.words().values())
    print(f"{count} words with their forms (--words shows them)")
    print(dataset.rules())


def show_kinds(dataset, kind):
    """Show ten pairs of a kind, or of all."""
    if not dataset.kinds:
        raise ValueError(
            f"expected data that knows its kinds, got {dataset.name}"
        )
    if kind != "all" and kind not in dataset.kinds:
        raise ValueError(
            f"expected a kind of {['all', *dataset.kinds]}, got {kind!r}"
        )
    for name in dataset.kinds if kind == "all" else (kind,):
        print(name)
        for source, target in dataset.of_kind(name, 10):
            show_pair(dataset, source, target)


def show_words(dataset):
    """Show the words by group."""
    groups = dataset.words()
    if not groups:
        raise ValueError(
            f"expected data that knows its words, got {dataset.name}"
        )
    for group, words in groups.items():
        print(f"{group}: {', '.join(words)}")
