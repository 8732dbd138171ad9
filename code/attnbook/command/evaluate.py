"""What the command ``attnbook evaluate`` does."""

import time

from attnbook.command.options import (
    add_command,
    add_data,
    add_decoding,
    list_data,
    load_data,
    note,
)
from attnbook.data import datasets
from attnbook.data.corpus import name_lines, read_sides, report_known
from attnbook.decoding import metrics, translator

TEXT = """\
Measure a trained model on its test set (or on files of your own): BLEU with
its signature, chrF, lower-cased BLEU for comparison with older work, and the
percentage of exact matches.

  attnbook evaluate --checkpoint runs/storybook-en-fr
  attnbook evaluate --checkpoint runs/multi30k-de-en --beam 5
  attnbook evaluate --checkpoint runs/files-de-en --files new.de new.en \\
      --train text.de text.en

Each line of your files counts, as in sacreBLEU: an empty source has an empty
translation, and of an empty reference no word is right. With the options that
say where the training text is, such as --train, you are told how many of the
pairs stand in it.
"""


def add(commands):
    """Add the command."""
    about = "measure a trained model"
    parser = add_command(commands, "evaluate", about, TEXT, evaluate)
    add_decoding(parser)
    parser.add_argument(
        "--split",
        choices=("valid", "test"),
        help="part of the model's own data (default: test)",
    )
    parser.add_argument(
        "--files",
        nargs=2,
        metavar=("SOURCE", "TARGET"),
        help="your own text instead, one sentence per line",
    )
    add_data(parser)


def evaluate(options):
    """Measure a model.

    Args:
        options: of the command.

    Raises:
        ValueError: no model, or no data to measure it on; a validation set
            of other training data than the model's; a part of its data and
            files, too.
    """
    if options.files and options.split:
        raise ValueError("expected --split or --files, got both")
    trained, config = translator.load_translator(
        options.checkpoint, options.device
    )
    name, source, target = config["data"]
    kind = datasets.find(name)
    dataset = None
    if not options.files or list_data(options):
        dataset = load_data(options, name, source, target)
    if options.files:
        pairs = read_own(kind, options.files, dataset)
    else:
        part = options.split or "test"
        pairs = read_part(kind, dataset, part, config)
    start = time.perf_counter()
    outputs = trained.translate(
        [text for texts, _ in pairs for text in texts],
        options.beam,
        options.length_penalty,
    )
    seconds = time.perf_counter() - start
    print(f"{len(pairs)} sentences in {seconds:.1f} s, beam {options.beam}")
    outputs = iter([kind.write_text(text, target) for text in outputs])
    written = [" ".join(next(outputs) for _ in texts) for texts, _ in pairs]
    scores = measure(written, [t for _, t in pairs], target)
    for label, (score, how) in scores.items():
        print(f"{label:<18} {score:6.2f}  {how}")


def read_part(kind, dataset, part, config):
    """Return the pairs of the test or the validation set of the model's data.

    Args:
        kind: the class of the model's dataset.
        dataset: what the model was trained on.
        part: "test" or "valid".
        config: of the model.

    Returns:
        A list of pairs: a list of the source alone, and the target.

    Raises:
        ValueError: no such pairs, or other training data than the model's.
    """
    if part == "valid":
        check_training_pairs(dataset, config)
    name, _, target = config["data"]
    split = getattr(dataset, part)
    if not split:
        raise ValueError(
            f"expected pairs to measure on, got none: {name} has no "
            f"{part} set; add --split valid, or --files SOURCE TARGET"
        )
    return [([s], kind.write_text(t, target)) for s, t in split]


def read_own(kind, files, dataset):
    """Return the reader's own pairs, and print what is odd about them.

    Args:
        kind: the class of the model's dataset.
        files: paths of the source and the target.
        dataset: what the model was trained on, or None if that is not known.

    Returns:
        A list of pairs: the sentences of a source line, since it may hold
        several, as in `translate`; and the target line.

    Raises:
        ValueError: see `corpus.read_sides`.
    """
    lines = read_sides(*files)
    pairs = [pair for pair in lines if any(pair)]
    if not pairs:
        raise ValueError(
            f"expected pairs to measure on, got none in {files[0]} and "
            f"{files[1]}"
        )
    if len(pairs) < len(lines):
        count = len(lines) - len(pairs)
        note(f"left out {count} line(s) that are empty on both sides")
    odd = [i for i, (s, t) in enumerate(lines, 1) if bool(s) != bool(t)]
    if odd:
        note(
            f"{len(odd)} of {len(pairs)} pairs have one empty side and are "
            f"scored so: {name_lines(odd)} of {files[0]} and {files[1]}"
        )
    if dataset:
        report_known("test", pairs, dataset.train, note)
    return [
        ([kind.read_text(part) for part in kind.split_text(s)], t)
        for s, t in pairs
    ]


def check_training_pairs(dataset, config):
    """Refuse a validation set that comes with other training pairs."""
    got = dataset.fingerprint()
    if config.get("pairs", got) != got:  # older versions have no "pairs"
        raise ValueError(
            "expected the data that the model was trained on, got other "
            "training pairs; give the same files as to attnbook train"
        )


def measure(written, wanted, language):
    """Return label -> score and how it was computed, given lists of str."""
    match = 100 * metrics.exact_match(written, wanted)
    return {
        "BLEU": metrics.bleu(written, wanted),
        "chrF": metrics.chrf(written, wanted),
        "lower-cased BLEU": metrics.old_bleu(written, wanted, language),
        "exact match": (match, "% of sentences"),
    }
