"""System calls that no answer needs, and that end at this filter.

What the kernel keeps outlives a process: a key that one answer leaves there,
another one finds, and so it is with which pages of a library's files are in
memory.  A lock on such a file is seen by an answer that runs at the same time,
and so is who opens it.  Sockets lead out of a network that has none: those to
the host of a virtual machine do.  Memory of System V counts for no process, so
that no limit ends who fills it.  The last four calls are large parts of the
kernel, of which less is open to an attack so.
"""

import ctypes
import errno
import os
import platform
import struct

CALLS = {  # numbers: x86_64, aarch64
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "mincore": (27, 232),
    "readahead": (187, 213),
    "fadvise64": (221, 223),
    "preadv2": (327, 286),
    "cachestat": (451, 451),
    "flock": (73, 32),
    "inotify_init": (253, 26),  # aarch64 has the next alone
    "inotify_init1": (294, 26),
    "fanotify_init": (300, 262),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "socket": (41, 198),
    "socketpair": (53, 199),
    "perf_event_open": (298, 241),
    "bpf": (321, 280),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
}
FCNTL = 72, 25
LOCKS = 5, 6, 7, 36, 37, 38, 1024, 1026  # commands of fcntl, watches too
MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
OTHER_ABI = 0x40000000  # numbers of x32, which would pass by the list
LOAD, EQUAL, AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06
NUMBER, ARCHITECTURE, SECOND = 0, 4, 24  # where a filter reads them
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | errno.ENOSYS
SET_SECCOMP, FILTER = 22, 2
LAST = object()  # a jump to the last line

libc = ctypes.CDLL(None, use_errno=True)


def program(machine):
    """Return the filter of a processor, as the kernel reads it.

    Args:
        machine: as `platform.machine` says it.

    Raises:
        OSError: it is unknown.
    """
    if machine not in MACHINES:
        raise OSError(f"unknown processor {machine}")
    column, architecture = MACHINES[machine]
    lines = [(LOAD, 0, 0, ARCHITECTURE), (EQUAL, 1, 0, architecture)]
    lines += [(RETURN, 0, 0, REFUSE), (LOAD, 0, 0, NUMBER)]
    lines += [(EQUAL, LAST, 0, pair[column]) for pair in CALLS.values()]
    lines += [(AT_LEAST, LAST, 0, OTHER_ABI)]
    lines += [(EQUAL, 0, 1 + len(LOCKS), FCNTL[column])]
    lines += [(LOAD, 0, 0, SECOND)]
    lines += [(EQUAL, LAST, 0, command) for command in LOCKS]
    lines += [(RETURN, 0, 0, ALLOW), (RETURN, 0, 0, REFUSE)]
    for i, (what, jump, otherwise, number) in enumerate(lines):
        if jump is LAST:
            lines[i] = what, len(lines) - i - 2, otherwise, number
    return b"".join(struct.pack("HBBI", *line) for line in lines)


def refuse():
    """Refuse these calls from now on, to this process and all it starts.

    Raises:
        OSError: the kernel has no filters.
    """
    lines = program(platform.machine())
    held = ctypes.create_string_buffer(lines, len(lines))
    head = struct.pack("HxxxxxxP", len(lines) // 8, ctypes.addressof(held))
    if libc.prctl(SET_SECCOMP, FILTER, ctypes.c_char_p(head), 0, 0) < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"filter of calls: {os.strerror(number)}")
