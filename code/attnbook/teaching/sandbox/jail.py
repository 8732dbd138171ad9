"""Shut a process in: what it sees, what it may use, and what it may do.

Linux namespaces, by calls of libc (Python has them only since 3.12).  The
*zygote* gets users, network, files and processes of its own, once; each
*child* gets processes and files of its own again, and gives up every right.
"""

import ctypes
import os
import platform
import resource
import socket
import struct
import sys
import sysconfig

from attnbook.teaching.sandbox import calls

NEWNS, NEWIPC, NEWUTS = 0x00020000, 0x08000000, 0x04000000
NEWUSER, NEWPID, NEWNET = 0x10000000, 0x20000000, 0x40000000
RDONLY, NOSUID, NODEV, BIND, REC = 1, 2, 4, 4096, 16384
PRIVATE, DETACH = 1 << 18, 2
PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
MOUNT_SETATTR, RECURSIVE, HERE = 442, 0x8000, -100
NO_NEW_PRIVS, DROP_BOUND, DUMPABLE, AMBIENT = 38, 24, 4, 47
ROOTS = "/tmp", "/mnt", "/srv", "/run"  # the new root is mounted on one
SCRATCH = "/scratch"
PLACES = dict.fromkeys(("HOME", "TMPDIR", "MPLCONFIGDIR"), SCRATCH)
DEVICES = ("null", "zero", "urandom", "random")
STUDENT = 1  # the child's user, where root may give it one of its own

libc = ctypes.CDLL(None, use_errno=True)


def ask(what, function, *args):
    """Call a function of libc; raise OSError with what was tried."""
    args = [a.encode() if isinstance(a, str) else a for a in args]
    args = [ctypes.c_ulong(a) if isinstance(a, int) else a for a in args]
    if getattr(libc, function)(*args) < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def mount(source, target, kind=None, flags=0, options=None):
    """Mount something."""
    ask(f"mount {target}", "mount", source, target, kind, flags, options)


# ----------------------------------------------------------- the zygote
def leave():
    """Leave the namespaces of the machine; the next child is process 1."""
    flags = NEWUSER | NEWNS | NEWIPC | NEWUTS | NEWNET | NEWPID
    ask("new namespaces", "unshare", flags)


def maps_for(pid):
    """Write who is who in a process that has left.

    Root gives the children a user of their own, nobody's; anybody else can
    give them no user but their own.

    Args:
        pid: of the process that has called `leave`.
    """
    uid, gid = os.geteuid(), os.getegid()
    more = f"\n{STUDENT} 65534 1" if uid == 0 else ""
    pairs = [("setgroups", "deny"), ("uid_map", f"0 {uid} 1{more}"),
             ("gid_map", f"0 {gid} 1{more}")]  # fmt: skip
    for name, text in pairs[uid == 0 :]:
        with open(f"/proc/{pid}/{name}", "w") as file:
            file.write(text + "\n")


def write(path, text):
    """Write a setting of the kernel, if it can be written."""
    try:
        with open(path, "w") as file:
            file.write(text)
    except OSError:
        pass


def expendable():
    """Let the kernel end this process first where memory is short."""
    write("/proc/self/oom_score_adj", "1000")


def folders():
    """Return the folders that the interpreter and its libraries need."""
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    found = [sysconfig.get_path(name) for name in names]
    found += ["/lib", "/lib64", "/usr/lib", "/usr/lib64"]
    found.append(os.path.join(sys.base_prefix, "lib"))
    found = sorted({os.path.realpath(p) for p in found if os.path.isdir(p)})
    return [p for p in found if not any(
        p.startswith(other + os.sep) for other in found)]  # fmt: skip


def links():
    """Return the links of the root that lead to libraries."""
    return [p for p in ("/lib", "/lib64") if os.path.islink(p)]


def place_for(wanted):
    """Return a folder to mount the new root on, which hides none of some.

    Args:
        wanted: folders that are still to be mounted below the new root.
    """
    for path in map(os.path.realpath, ROOTS):
        above = any(x.startswith(path + os.sep) for x in wanted)
        if os.path.isdir(path) and not above:
            return path
    raise OSError(f"Python's folders lie below each of {', '.join(ROOTS)}")


def build(hidden):
    """Make a root that holds libraries alone, and enter it.

    Args:
        hidden: folders among them that must be empty.
    """
    mount(None, "/", None, REC | PRIVATE)
    wanted, names = folders(), [(p, os.readlink(p)) for p in links()]
    root = place_for(wanted)
    hidden = [os.path.realpath(p) for p in hidden]
    mount("tmpfs", root, "tmpfs", NOSUID, "size=1m,mode=755")
    for path in wanted:
        os.makedirs(root + path)
        mount(path, root + path, None, BIND | REC)
    for path, target in names:
        os.symlink(target, root + path)
    for path in hidden:
        if os.path.isdir(root + path):
            mount("tmpfs", root + path, "tmpfs", NOSUID, "size=4k,mode=755")
    os.mkdir(f"{root}/dev")
    for name in DEVICES:
        open(f"{root}/dev/{name}", "w").close()
        mount(f"/dev/{name}", f"{root}/dev/{name}", None, BIND)
    os.mkdir(root + SCRATCH)
    os.mkdir(f"{root}/old")
    attributes = struct.pack("QQQQ", RDONLY | NOSUID, 0, 0, 0)
    ask("read-only root", "syscall", MOUNT_SETATTR, HERE, root, RECURSIVE,
        ctypes.c_char_p(attributes), len(attributes))  # fmt: skip
    enter(root)


def enter(root):
    """Turn into the new root, and let go of the old one."""
    number = PIVOT_ROOT.get(platform.machine())
    if number is None:
        raise OSError(f"unknown processor {platform.machine()}")
    ask("pivot_root", "syscall", number, root, f"{root}/old")
    os.chdir("/")
    ask("the old root", "umount2", "/old", DETACH)


def own_processes():
    """Let the next child be process 1 of processes of its own."""
    ask("new processes", "unshare", NEWPID)


def back(descriptor):
    """Let the next child be none, after `own_processes`."""
    ask("old processes", "setns", descriptor, NEWPID)


# ------------------------------------------------------------ the child
def bound(limits, base):
    """Set limits of the kernel.

    Args:
        limits: a dict, see `client.Limits`.
        base: bytes of address space that the zygote has already.
    """
    seconds = int(limits["seconds"]) + 2
    for name, most in (
        ("CPU", seconds),
        ("AS", base + limits["memory"]),
        ("FSIZE", limits["files"]),
        ("NPROC", limits["processes"]),
        ("NOFILE", 64),
        ("CORE", 0),
        ("MEMLOCK", 0),
        ("MSGQUEUE", 0),
    ):
        kind = getattr(resource, f"RLIMIT_{name}", None)
        if kind is None:
            continue
        hard = resource.getrlimit(kind)[1]
        if hard != resource.RLIM_INFINITY:
            most = min(most, hard)
        resource.setrlimit(kind, (most, most))


def only(descriptor):
    """Keep one open file, as number 3; 0 to 2 lead nowhere."""
    nowhere = os.open("/dev/null", os.O_RDWR)
    high = os.dup2(descriptor, 200)
    for number in (0, 1, 2):
        os.dup2(nowhere, number)
    os.dup2(high, 3)
    os.closerange(4, 65536)
    return socket.socket(fileno=3)


def shut_in(limits, users):
    """Give the child files of its own, and take every right from it.

    Args:
        limits: a dict, see `client.Limits`.
        users: whether there is a user for it.
    """
    ask("own files", "unshare", NEWNS | NEWIPC)
    user = STUDENT if users else 0
    size = f"size={limits['files']},nr_inodes=500,mode=700,uid={user}"
    mount("tmpfs", SCRATCH, "tmpfs", NOSUID | NODEV, f"{size},gid={user}")
    os.chdir(SCRATCH)
    for right in range(64):
        if libc.prctl(DROP_BOUND, right, 0, 0, 0) < 0:
            break
    if users:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    give_up()


def give_up():
    """Drop all rights, for good."""
    libc.prctl(AMBIENT, 4, 0, 0, 0)
    head = struct.pack("Ii", 0x20080522, 0)
    ask("rights", "capset", ctypes.c_char_p(head),
        ctypes.c_char_p(bytes(24)))  # fmt: skip
    ask("no new rights", "prctl", NO_NEW_PRIVS, 1, 0, 0, 0)
    libc.prctl(DUMPABLE, 0, 0, 0, 0)
    calls.refuse()
