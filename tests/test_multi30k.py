"""The download, from a server on this computer that can break off."""

import gzip
import hashlib
import http.server
import os
import threading
from pathlib import Path

import pytest

from attnbook.data import datasets, multi30k
from attnbook.data.characters import clean_text

LINES = {"de": "Ein Hund.\n Zwei\u00a0Hunde. \n", "en": "A dog.\nTwo dogs.\n"}


class Server(http.server.ThreadingHTTPServer):
    """Files in memory; `break_after` cuts an answer off."""

    files, break_after, asked = {}, None, []


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        data = self.server.files.get(self.path.lstrip("/"))
        self.server.asked.append(self.headers.get("Range"))
        if data is None:
            self.send_error(404)
            return
        first = 0
        if self.headers.get("Range"):
            first = int(self.headers["Range"][6:-1])
            if first >= len(data):
                self.send_error(416)
                return
        self.send_response(206 if first else 200)
        self.send_header("Content-Length", str(len(data) - first))
        self.end_headers()
        end = self.server.break_after or len(data)
        self.wfile.write(data[first:end])

    def log_message(self, *_):
        pass


@pytest.fixture
def server(monkeypatch):
    files = {}
    for language, text in LINES.items():
        for split in multi30k.SPLITS.values():
            data = gzip.compress((split + " " + text).encode(), mtime=0)
            files[f"{split}.{language}.gz"] = data
    sums = {n: hashlib.sha256(d).hexdigest() for n, d in files.items()}
    monkeypatch.setattr(multi30k, "SHA256", sums)
    monkeypatch.delenv("ATTNBOOK_DATA", raising=False)
    running = Server(("127.0.0.1", 0), Handler)
    running.files, running.asked = dict(files), []
    threading.Thread(target=running.serve_forever, daemon=True).start()
    running.base = f"http://127.0.0.1:{running.server_port}/"
    yield running
    running.shutdown()
    running.server_close()


def load(server, folder, **changes):
    arguments = {"source": "de", "target": "en", "split": "valid"} | changes
    return multi30k.load(
        **arguments,
        data_dir=folder,
        base=server.base,
        report=lambda line: None,
    )


def test_files_are_fetched_once_and_read_line_by_line(server, tmp_path):
    pairs = load(server, tmp_path)
    assert pairs == [
        ("val Ein Hund.", "val A dog."),
        ("Zwei\u00a0Hunde.", "Two dogs."),
    ]
    assert len(server.asked) == 2
    assert load(server, tmp_path) == pairs
    assert len(server.asked) == 2


def test_a_download_goes_on_where_it_broke_off(server, tmp_path):
    name = "val.de.gz"
    whole = server.files[name]
    server.break_after = 20
    with pytest.raises(ConnectionError, match="storybook instead"):
        multi30k.download(name, tmp_path, server.base, lambda line: None)
    part = tmp_path / f"{name}.part"
    assert part.read_bytes() == whole[:20]
    server.break_after = None
    said = []
    path = multi30k.download(name, tmp_path, server.base, said.append)
    assert server.asked[-1] == "bytes=20-"
    assert "from byte 20" in said[0]
    assert path.read_bytes() == whole
    assert not part.exists()


def test_a_whole_part_is_accepted_without_the_network(server, tmp_path):
    name = "val.de.gz"
    (tmp_path / f"{name}.part").write_bytes(server.files[name])
    path = multi30k.download(name, tmp_path, server.base, lambda line: None)
    assert path.read_bytes() == server.files[name]


def test_a_wrong_file_is_refused_and_removed(server, tmp_path):
    server.files["val.de.gz"] = b"something else"
    with pytest.raises(ValueError, match="with SHA-256 .* got .*try again"):
        load(server, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_file_in_the_folder_is_refused(server, tmp_path):
    load(server, tmp_path)
    (tmp_path / "val.en.gz").write_bytes(b"damaged")
    with pytest.raises(ValueError, match="remove the file to fetch it again"):
        load(server, tmp_path)


def test_offline_the_message_names_the_way_on(tmp_path, monkeypatch):
    monkeypatch.delenv("ATTNBOOK_DATA", raising=False)
    with pytest.raises(ConnectionError, match="attnbook train.*--data-dir"):
        multi30k.load(
            "de",
            "en",
            "valid",
            tmp_path,
            base="http://127.0.0.1:9/",
            report=lambda line: None,
        )


def test_a_missing_file_on_the_server_is_an_error(server, tmp_path):
    server.files.clear()
    with pytest.raises(ConnectionError, match="404"):
        load(server, tmp_path)


def test_the_folder_is_the_reader_s_choice(tmp_path, monkeypatch):
    monkeypatch.setenv("ATTNBOOK_DATA", str(tmp_path / "env"))
    assert multi30k.find_folder("mine") == Path("mine")
    assert multi30k.find_folder() == tmp_path / "env"
    (tmp_path / "env/multi30k").mkdir(parents=True)
    assert multi30k.find_folder() == tmp_path / "env/multi30k"
    monkeypatch.delenv("ATTNBOOK_DATA")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert multi30k.find_folder() == tmp_path / "cache/attnbook/multi30k"


def test_unknown_languages_and_splits_are_refused(tmp_path):
    with pytest.raises(ValueError, match="two languages of .*de and ko"):
        multi30k.load("de", "ko", "train", tmp_path)
    with pytest.raises(ValueError, match="got de and de"):
        multi30k.load("de", "de", "train", tmp_path)
    with pytest.raises(ValueError, match="a split of .*got 'dev'"):
        multi30k.load("de", "en", "dev", tmp_path)


@pytest.mark.skipif(
    "ATTNBOOK_DATA" not in os.environ,
    reason="the real corpus is not here; set ATTNBOOK_DATA to its folder",
)
def test_the_real_corpus():
    for language in ("en", "fr"):
        train = multi30k.load("de", language, "train")
        assert len(train) == 29_000
    assert len(multi30k.load("de", "en", "valid")) == 1_014
    assert len(multi30k.load("de", "en", "test")) == 1_000
    german = [source for source, _ in train]
    assert sum("\u00a0" in line for line in german) == 44
    assert all(line and line == line.strip() for line in german)
    assert all(clean_text(line) == line for pair in train for line in pair)


def test_pairs_to_measure_on_that_were_trained_on_are_said(monkeypatch):
    pairs = [("ein Hund", "a dog"), ("zwei", "two"), ("drei", "three")]
    parts = {"train": pairs, "valid": pairs[1:2], "test": [("ein", "two")]}
    monkeypatch.setattr(
        multi30k, "load", lambda source, target, name, *_, report: parts[name]
    )
    said = []
    datasets.load("multi30k", "de", "en", report=said.append)
    assert [line.split(" pairs")[0] for line in said] == [
        "warning: 1 of 1 validation"
    ]
