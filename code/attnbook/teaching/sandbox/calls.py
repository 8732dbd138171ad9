"""System calls that no answer needs, and that end at this filter.

What the kernel keeps outlives a process: a key that one answer leaves there,
another one finds, and so it is with which pages of a library's files are in
memory.  The last four calls are large parts of the kernel, of which less is
open to an attack so.
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
    "perf_event_open": (298, 241),
    "bpf": (321, 280),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
}
MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
OTHER_ABI = 0x40000000  # numbers of x32, which would pass by the list
LOAD, EQUAL, AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06
NUMBER, ARCHITECTURE = 0, 4  # where they stand in what a filter reads
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | errno.ENOSYS
SET_SECCOMP, FILTER = 22, 2

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
    tests = [(EQUAL, numbers[column]) for numbers in CALLS.values()]
    tests.append((AT_LEAST, OTHER_ABI))
    lines = [(LOAD, 0, 0, ARCHITECTURE), (EQUAL, 1, 0, architecture)]
    lines += [(RETURN, 0, 0, REFUSE), (LOAD, 0, 0, NUMBER)]
    for left, (test, number) in zip(
        range(len(tests), 0, -1), tests, strict=True
    ):
        lines.append((test, left, 0, number))  # to the last line
    lines += [(RETURN, 0, 0, ALLOW), (RETURN, 0, 0, REFUSE)]
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
