"""Multi30k: 29,000 image captions in English, German and French.

Elliott et al. (2016), Elliott et al. (2017).  The data carries no licence to
hand it on, so it is fetched from its own repository, at one commit, checked,
and kept in a folder of the reader's.
"""

import gzip
import hashlib
import http.client
import os
import urllib.error
import urllib.request
from pathlib import Path

COMMIT = "a3d2e0d26b56f3846f66a952536ffed4e401d05a"
BASE = (
    f"https://raw.githubusercontent.com/multi30k/dataset/{COMMIT}"
    "/data/task1/raw/"
)
LANGUAGES = ("en", "de", "fr")
SPLITS = {
    "train": "train",
    "valid": "val",
    "test": "test_2016_flickr",
    "test2017": "test_2017_flickr",
    "testcoco": "test_2017_mscoco",
}
SHA256 = {
    "train.en.gz": "d79cfa999dd4c51d2cb42499b6796d5a"
    "882c3a8a961923c25a898c90f8bbd56f",
    "train.de.gz": "726e39b2fa9eb9ffb6dc763fb35a179f"
    "80fae06ffc5d28b6ace5faa883de28a6",
    "train.fr.gz": "622e75069e9f4c577425c4f277116ce6"
    "6e63a2401c0a2312d90073cb12379a3c",
    "val.en.gz": "14f7d25ddd868909a9213e361768460e"
    "dcacdd6ab9d1e77b92560dc10c10dc28",
    "val.de.gz": "f0cba2f995189cf5770f29a8a9a537a3"
    "ad3f51657ad873405082ff6863a5e75a",
    "val.fr.gz": "ca3106f1a72390591d25f6c45cb4cd39"
    "dec4cd3f123e099748a3ce5256c160e9",
    "test_2016_flickr.en.gz": "611d361c6334bc7246101d48097c13cf"
    "5c4413c5befc793cc629934359d532d9",
    "test_2016_flickr.de.gz": "9204244e408ccb38d2a55cfcd344df15"
    "005fc42a07a6e55ca6c52b6ababb8cc8",
    "test_2016_flickr.fr.gz": "6d326e188d259fb1d04ac19eae3af956"
    "559b3a0b93d7635e56c90987c40c8b90",
    "test_2017_flickr.en.gz": "76a444ee25172e72695cddb13ae4a3bd"
    "a59430617be88e0bb46b60504f054074",
    "test_2017_flickr.de.gz": "a2c89666db00c495cd8513b9d708d5a3"
    "acc205d7de312ef2bf5fb7ebc1540aee",
    "test_2017_flickr.fr.gz": "3ba671ceb2299f3304ffafefea7a833d"
    "08632fbaf0ba18546f8a2ec2391af496",
    "test_2017_mscoco.en.gz": "aab300bfb4427697987e02cd0aacd44b"
    "fe8aa50456231b6474c08038bbed2b58",
    "test_2017_mscoco.de.gz": "799e4854c25d601cb6cb6be29eabe566"
    "7734c61ace2f495e03e429031a0bc338",
    "test_2017_mscoco.fr.gz": "754f3072ba9f124569ba5258b32730fc"
    "1d214bbf8e0c6dfb2b74401676220db0",
}
HELP = (
    "without the network, train on the storybook instead (attnbook train), or "
    "put the files into a folder and name it with --data-dir or ATTNBOOK_DATA"
)


def find_folder(data_dir=None):
    """Return the folder of the data: where it is, or where it will go.

    Args:
        data_dir: the reader's choice; else the environment variable
            ATTNBOOK_DATA, else a cache folder in the reader's home.

    Returns:
        A Path; the subfolder "multi30k" is taken where there is one.
    """
    chosen = data_dir or os.environ.get("ATTNBOOK_DATA")
    if chosen:
        folder = Path(chosen)
        inner = folder / "multi30k"
        return inner if inner.is_dir() else folder
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "attnbook" / "multi30k"


def hash_file(path):
    """Return the SHA-256 of a file, in hexadecimal."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def download(name, folder, base=BASE, report=print):
    """Fetch one file, going on where an earlier try was cut off.

    Args:
        name: a name in `SHA256`.
        folder: where to; made if it is not there.
        base: address of the files, ending in a slash.
        report: called with one line when it starts and when it ends.

    Returns:
        The Path of the complete, checked file.

    Raises:
        ConnectionError: the network failed; what came is kept.
        ValueError: the file came whole and is not the right one.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    part = folder / f"{name}.part"
    done = part.stat().st_size if part.exists() else 0
    report(f"fetching {name}" + (f", from byte {done}" if done else ""))
    request = urllib.request.Request(base + name)
    if done:
        request.add_header("Range", f"bytes={done}-")
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            mode = (
                "ab"
                if answer.status == http.HTTPStatus.PARTIAL_CONTENT
                else "wb"
            )
            copy(answer, part, mode, report)
    except urllib.error.HTTPError as error:
        if error.code != http.HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
            raise make_error(name, error) from error
    except (OSError, http.client.HTTPException) as error:
        raise make_error(name, error) from error
    return accept(part, folder / name)


def make_error(name, error):
    """Return the error of a download that did not come through."""
    return ConnectionError(f"could not fetch {name} ({error}); {HELP}")


def copy(answer, part, mode, report):
    """Write an answer of the network to a file, and report its progress."""
    length = int(answer.headers.get("Content-Length") or 0)
    came, shown = 0, 0
    with open(part, mode) as file:
        while block := answer.read(1 << 16):
            file.write(block)
            came += len(block)
            if length and came * 4 // length > shown:
                shown = came * 4 // length
                report(f"  {came:,} of {length:,} bytes")
    if came < length:
        raise ConnectionError(f"cut off after {came:,} of {length:,} bytes")


def accept(part, path):
    """Move a checked file to its name, or remove it and say why."""
    found = hash_file(part)
    if found != SHA256[path.name]:
        part.unlink()
        raise ValueError(
            f"expected {path.name} with SHA-256 {SHA256[path.name]}, got "
            f"{found}; it was removed, try again"
        )
    os.replace(part, path)
    return path


def find(name, data_dir=None, base=BASE, report=print):
    """Return a checked file, fetched if it is not there.

    Args:
        name: a name in `SHA256`.
        data_dir: see `find_folder`.
        base: see `download`.
        report: see `download`.

    Returns:
        Its Path.

    Raises:
        ConnectionError: it is not there and could not be fetched.
        ValueError: it is there and is not the right file.
    """
    folder = find_folder(data_dir)
    path = folder / name
    if not path.exists():
        return download(name, folder, base, report)
    if hash_file(path) != SHA256[name]:
        raise ValueError(
            f"expected {path} with SHA-256 {SHA256[name]}, got "
            f"{hash_file(path)}; remove the file to fetch it again"
        )
    return path


def load(source, target, split, data_dir=None, base=BASE, report=print):
    """Return the sentence pairs of one split.

    Args:
        source: "en", "de" or "fr".
        target: another of these.
        split: one of `SPLITS`.
        data_dir: see `find_folder`.
        base: see `download`.
        report: see `download`.

    Returns:
        A list of (source, target).

    Raises:
        ConnectionError: see `find`.
        ValueError: an unknown language or split, or a damaged file.
    """
    if {source, target} - set(LANGUAGES) or source == target:
        raise ValueError(
            f"expected two languages of {LANGUAGES}, got {source} and {target}"
        )
    if split not in SPLITS:
        raise ValueError(
            f"expected a split of {sorted(SPLITS)}, got {split!r}"
        )
    sides = []
    for language in (source, target):
        name = f"{SPLITS[split]}.{language}.gz"
        path = find(name, data_dir, base, report)
        text = gzip.decompress(path.read_bytes()).decode("utf-8")
        lines = text.removesuffix("\n").split("\n")  # not splitlines: U+0085
        sides.append([line.strip() for line in lines])
    return list(zip(*sides, strict=True))
