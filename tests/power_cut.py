"""What a folder holds after a kill, or a power cut, at any moment.

A program that is killed leaves what it has written so far.  After a power
cut only what was synced is sure: the content of a file since its own sync,
the names of a folder since the folder's.  A later name may be there too.
"""

import os
import shutil


def snapshot(path):
    """Return a folder as a dict, a file as its bytes."""
    if path.is_dir():
        return {p.name: snapshot(p) for p in path.iterdir()}
    return path.read_bytes()


def write(path, content):
    """Write what `snapshot` has returned."""
    if isinstance(content, dict):
        path.mkdir()
        for name, inner in content.items():
            write(path / name, inner)
    else:
        path.write_bytes(content)


class Disk:
    """Note the folder at every call that changes or syncs it.

    Args:
        root: the folder, empty.
        monkeypatch: pytest's.
    """

    def __init__(self, root, monkeypatch):
        self.root, self.moments = root, []
        self.synced = {root.stat().st_ino: {}}  # inode: bytes, or names
        self.held = []  # open files, so that no inode is used again
        self.fsync = os.fsync
        monkeypatch.setattr(os, "fsync", self.sync)
        for name in ("rename", "replace", "mkdir", "unlink", "rmdir"):
            monkeypatch.setattr(os, name, self.spy(getattr(os, name)))

    def spy(self, call):
        """Return a function of `os` that notes what is there before."""

        def noted(*arguments, **options):
            self.note()
            return call(*arguments, **options)

        return noted

    def sync(self, number):
        """Note what is on the disk from now on."""
        self.note()
        self.fsync(number)
        inode = os.fstat(number).st_ino
        self.held.append(os.dup(number))
        for path in (self.root, *self.root.rglob("*")):
            if path.stat().st_ino == inode and path.is_dir():
                names = {p.name: p for p in path.iterdir()}
                self.synced[inode] = {
                    n: (p.stat().st_ino, p.is_dir()) for n, p in names.items()
                }
            elif path.stat().st_ino == inode:
                self.synced[inode] = path.read_bytes()

    def sure(self, inode, is_dir=True):
        """Return what a power cut leaves if it loses all that it may."""
        found = self.synced.get(inode, {} if is_dir else b"")
        if is_dir:
            return {n: self.sure(*entry) for n, entry in found.items()}
        return found

    def names_alone(self, path):
        """Return what it leaves if all names are kept, and no content."""
        if path.is_dir():
            return {p.name: self.names_alone(p) for p in path.iterdir()}
        return self.synced.get(path.stat().st_ino, b"")

    def note(self):
        """Keep the three folders that may be found after this moment."""
        self.moments += [
            ("killed", snapshot(self.root)),
            ("cut", self.sure(self.root.stat().st_ino)),
            ("cut, names kept", self.names_alone(self.root)),
        ]

    def close(self):
        """Let go of the files."""
        for number in self.held:
            os.close(number)

    def each(self, folder):
        """Yield every different moment's name and its folder, restored.

        Args:
            folder: where to restore it; empty again for every moment.
        """
        seen = []
        for name, content in self.moments:
            if content not in seen:
                seen.append(content)
                shutil.rmtree(folder, ignore_errors=True)
                write(folder, content)
                yield name, folder
