"""Keep the numbers of the closing page equal to the running sentence's.

    python code/tools/running_tables.py [--write]

The page holds a table between two lines, ``<!-- running: NAME -->`` and
``<!-- end -->``; NAME is a key of what `tables` returns.  ``--write`` copies
numbers -> page; without it every difference is named and the exit status is
1.
"""

import math
import re
import sys

import torch

from attnbook.attention import scaled_dot_product_attention
from attnbook.layers import layer_norm
from attnbook.masks import causal_mask
from attnbook.multihead import merge_heads, split_heads
from attnbook.tasks import running_sentence
from chapter_files import ROOT, keep_equal

PAGE = ROOT / "book/closing.md"
BLOCK = re.compile(
    r"(<!-- running: (\w+) -->\n)(?:(?!<!--).)*(<!-- end -->)", re.DOTALL
)
WORDS = list(running_sentence.WORDS)
FEATURES = list(running_sentence.FEATURES)


def table(
    rows: torch.Tensor, columns: list[str], places: int, kind: str = "word"
) -> str:
    """Return a Markdown table, one row per word or per feature."""
    lines = [[kind, *columns], ["---", *["---:"] * len(columns)]]
    names = WORDS if kind == "word" else FEATURES
    for name, row in zip(names, rows.tolist(), strict=True):
        rounded = [round(x, places) + 0.0 for x in row]  # no minus zero
        numbers = [f"{x:.{places}f}" for x in rounded]
        lines.append([f"*{name}*", *numbers])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def numbered(letter: str, count: int) -> list[str]:
    """Return the names of numbered columns."""
    return [f"{letter}{i}" for i in range(count)]


def heads(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """Return the contexts of two heads side by side, (T, D)."""
    split = (split_heads(x[None], 2) for x in (q, k, v))  # (1, H, T, K)
    return merge_heads(scaled_dot_product_attention(*split)[0])[0]


def tables() -> dict[str, str]:
    """Return name -> table, in the order of the page."""
    x = running_sentence.embeddings()  # (T, D)
    q, k, v = running_sentence.views()  # (T, K), (S, K), (S, E)
    scores = q @ k.T  # (T, S)
    context, weights = scaled_dot_product_attention(q, k, v)
    _, past = scaled_dot_product_attention(q, k, v, causal_mask(len(WORDS)))
    stream = x + context  # (T, D)
    normed = layer_norm(stream, torch.ones(4), torch.zeros(4))  # (T, D)
    ids = torch.arange(len(WORDS))[:, None]  # (T, 1)
    matrices = torch.cat(running_sentence.projections(), dim=1)  # (D, 2K + E)
    columns = [name for letter in "qkv" for name in numbered(letter, 4)]
    return {
        "ids": table(ids, ["id"], 0),
        "embeddings": table(x, FEATURES, 0),
        "matrices": table(matrices, columns, 0, "feature"),
        "queries": table(q, numbered("q", 4), 0),
        "keys": table(k, numbered("k", 4), 0),
        "values": table(v, FEATURES, 0),
        "scores": table(scores, WORDS, 0),
        "scaled": table(scores / math.sqrt(4), WORDS, 1),
        "weights": table(weights, WORDS, 2),
        "past": table(past, WORDS, 2),
        "context": table(context, FEATURES, 2),
        "heads": table(heads(q, k, v), FEATURES, 2),
        "stream": table(stream, FEATURES, 2),
        "normed": table(normed, FEATURES, 2),
        "logits": table(normed @ x.T, WORDS, 2),
        "next": table((normed @ x.T).softmax(-1), WORDS, 2),
    }


def filled(text: str) -> str:
    """Return the page with its tables as the numbers are.

    Raises:
        ValueError: a table of an unknown name.
    """
    known = tables()

    def fill(match: re.Match) -> str:
        if match[2] not in known:
            raise ValueError(
                f"expected a table of {sorted(known)}, got {match[2]!r}"
            )
        return f"{match[1]}\n{known[match[2]]}\n\n{match[3]}"

    return BLOCK.sub(fill, text)


def main(arguments: list[str]) -> int:
    """Check or write the page; return the exit status."""
    new = filled(PAGE.read_text(encoding="utf-8"))
    source = "the running sentence"
    return keep_equal(PAGE, new, source, "--write" in arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
