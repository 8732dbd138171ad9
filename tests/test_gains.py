"""The pictures of how much faster something is."""

from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[1] / "book/figures"


@pytest.fixture
def gains(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    import gains

    return gains


def test_a_change_is_faster_only_if_every_round_was(gains):
    sure = {"change": "a", "gain": 2.0, "least": 1.5, "most": 3.0}
    unsure = {"change": "b", "gain": 1.1, "least": 0.9, "most": 1.3}
    worse = {"change": "c", "gain": 0.7, "least": 0.65, "most": 0.8}
    rows = [sure, unsure, worse]
    assert [*map(gains.verdict, rows)] == ["faster", "either", "slower"]
    sheet = gains.draw(rows, "times", (0.5, 4), "no gain")
    assert sheet.svg.count("<circle") == 3
    assert "b 1.10, 0.90 to 1.30" in sheet.alt


def test_equal_factors_are_equally_far(gains):
    ends = 0.5, 4
    far = gains.across(2, ends) - gains.across(1, ends)
    assert gains.across(3, ends) - gains.across(1.5, ends) == far
    assert [gains.across(end, ends) for end in ends] == [12, 328]


def test_the_stored_pictures_are_those_of_the_stored_runs(gains):
    for name, sheet in gains.drawn().items():
        stored = (FOLDER / f"{name}.svg").read_text(encoding="utf-8")
        assert stored == sheet.svg + "\n"


def test_the_page_says_what_is_drawn(gains):
    page = (FOLDER.parent / "what_made_it_fast.md").read_text("utf-8")
    rows = gains.changes()
    kinds = [gains.verdict(row) for row in rows]
    assert (len(kinds), kinds.count("either")) == (9, 4)
    assert "Four of the nine are not to be told from no gain" in page
    assert max(row["gain"] for row in rows) == rows[0]["gain"] == 2.72
    assert "worth most, 2.7 times" in page
    assert kinds[-1] == "slower" and "`torch.compile` loses" in page
    changes = gains.results.load("speed_steps")["values"]["rows"]
    speeds = [row["labels_per_second"] for row in changes]
    assert f"Eight changes make it {speeds[8] / speeds[0]:.1f} times" in page


def test_the_page_says_how_far_others_are(gains):
    page = (FOLDER.parent / "what_made_it_fast.md").read_text("utf-8")
    rows = gains.others()
    assert {gains.verdict(row) for row in rows} == {"faster"}
    assert "Ours is faster in every round" in page
    farthest = sorted(rows, key=lambda row: -row["gain"])[:2]
    assert all("common loop" in row["change"] for row in farthest)
    nearest = min(rows, key=lambda row: row["gain"])
    assert nearest["change"] == "Marian of transformers, size B"
    assert f"Marian at size B, {nearest['gain']:.2f};" in page
    sizes = gains.results.load("benchmark")["values"]
    least, _, ours = min(
        (ratio[0], key, values["parameters"]["ours bf16"])
        for values in sizes.values()
        for key, ratio in values["ratios"].items()
        if key.startswith("torch-best")
    )
    assert f"comes to {least:.2f}." in page and round(ours / 1e6) == 48
    assert "6 million parameters at size A and 48 million at B" in page


def test_the_page_says_what_is_left_on_a_gpu(gains):
    page = (FOLDER.parent / "what_made_it_fast.md").read_text("utf-8")
    rows = gains.others("benchmark_gpu", "cuda")
    kinds = {row["change"]: gains.verdict(row) for row in rows}
    faster = [change for change, kind in kinds.items() if kind == "faster"]
    assert faster == [
        "the common loop, in fp32, size A",
        "x-transformers, size B",
    ]
    assert "size B only x-transformers is behind in every round" in page
    slower = {change for change, kind in kinds.items() if kind == "slower"}
    assert slower == {
        f"{n}, compiled, size A" for n in ("ours", "nn.Transformer")
    }
    gain = {row["change"]: row["gain"] for row in rows}
    assert f"As fast: {gain['nn.Transformer at its best, size A']:.2f}" in page
    others = {
        c: g for c, g in gain.items() if c.endswith("A") and c not in slower
    }
    others.pop(faster[0])
    assert all(5 / 6 < g < 6 / 5 for g in others.values())
    compiled = gain["nn.Transformer, compiled, size A"]
    assert f"is then {1 / compiled:.1f} times as fast as ours in bf16" in page
