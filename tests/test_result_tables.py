"""The tables of the book's pages are those of the stored results."""

import result_tables
from attnbook import results


def test_a_table_says_where_its_numbers_come_from():
    result = results.load("benchmark")
    last = result_tables.floor().splitlines()[-1]
    assert last.startswith(
        f"`make experiments RUN=benchmark`, {result['date']}, "
    )
    assert result["commit"][:7] in last


def test_every_ratio_of_the_benchmark_is_in_a_table():
    """A contender that the table forgets would be missed by nobody."""
    tables = result_tables.training("benchmark")
    tables += result_tables.decoding("benchmark")
    for values in results.load("benchmark")["values"].values():
        for label, (median, _, _) in values["ratios"].items():
            digits = 1 if label.startswith(("greedy", "beam")) else 2
            assert f"{median:.{digits}f}" in tables, label
