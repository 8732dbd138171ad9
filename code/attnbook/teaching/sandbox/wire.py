"""Messages as bytes: two lengths, a JSON header and a body.

What comes in was written by a student's process: every size is compared with
the bytes that are there before anything is made of it, and nothing is ever
executed.
"""

import json
import struct
import time

from attnbook.teaching.sandbox import tensors
from attnbook.teaching.sandbox.tensors import Refused

HEADER = 4 * 2**20  # bytes of a message's structure at most
LENGTHS = struct.Struct(">II")


class Late(Exception):
    """The other side has taken too long."""


class Closed(Exception):
    """The other side is gone."""


def send(sock, header, body=b""):
    """Send one message.

    Args:
        sock: a socket of a stream.
        header: a dict that JSON can hold.
        body: bytes.

    Raises:
        Refused: it is too large.
        Late: it is not read in the time that the socket has.
        Closed: the other side is gone.
    """
    try:
        text = json.dumps(header).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise Refused(f"cannot be written: {error}") from None
    if len(text) > HEADER or len(body) > tensors.BODY:
        raise Refused(f"too large: {len(text)} and {len(body)} bytes")
    try:
        sock.sendall(LENGTHS.pack(len(text), len(body)) + text + body)
    except TimeoutError:
        raise Late from None
    except OSError:
        raise Closed from None


def receive(sock, deadline=None):
    """Return header and body of the next message.

    Args:
        sock: a socket of a stream.
        deadline: on the clock `time.monotonic`, or None.

    Raises:
        Refused: no message, or one that is too large.
        Late: the deadline has passed.
        Closed: the other side is gone.
    """
    lengths = LENGTHS.unpack(read(sock, LENGTHS.size, deadline))
    if lengths[0] > HEADER or lengths[1] > tensors.BODY:
        raise Refused(f"too large: {lengths} bytes")
    header, body = (read(sock, length, deadline) for length in lengths)
    return header_of(header), body


def header_of(text):
    """Return a header out of its bytes, a dict; else `Refused`."""
    try:
        header = json.loads(bytes(text))
    except (ValueError, RecursionError) as error:
        raise Refused(f"no JSON: {error}") from None
    if type(header) is not dict:
        raise Refused("a header is a dict")
    return header


def read(sock, length, deadline):
    """Return so many bytes, a bytearray."""
    found = bytearray(length)
    view = memoryview(found)
    while view:
        if deadline is not None:
            left = deadline - time.monotonic()
            if left <= 0:  # bytes that keep coming do not stop the clock
                raise Late
            sock.settimeout(left)
        try:
            count = sock.recv_into(view)
        except TimeoutError:
            raise Late from None
        except OSError:
            count = 0
        if not count:
            raise Closed
        view = view[count:]
    return found
