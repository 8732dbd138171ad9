"""Answers that attack the grader: source, and what may come of it.

`DIES` end for the reason given; `FAILS` return what an attack has brought,
None where nothing was brought, or raise; nothing else may come of them.
"""

FORGES = """
import os, json, sys, time
def send(header, body=b""):
    text = json.dumps(header).encode()
    data = len(text).to_bytes(4, "big") + len(body).to_bytes(4, "big")
    data += text + body
    while data: data = data[os.write(3, data):]
def forge(node, tensors=(), body=b"", **more):
    frame = sys._getframe()
    while "header" not in frame.f_locals: frame = frame.f_back
    header = {"kind": "done", "number": frame.f_locals["header"]["number"]}
    header |= {"value": ["tuple", [node, None, None, None]]} | more
    send(header | {"tensors": list(tensors)}, body)
    time.sleep(60)
M = 2**61 - 1  # all its multiples have the hash 0
"""
DIES = {
    "endless loop": ("def f(x):\n while True: pass", "ran out of time"),
    "endless on one line": ("f = lambda x: [0 for _ in iter(int, 1)]",
                            "ran out of time"),
    "endless in C": ("def f(x): return sum(range(10**15))",
                     "ran out of time"),
    "endless at import": ("while True: pass", "ran out of time"),
    "deaf to signals": (
        "import signal\n"
        "for n in range(1, 65):\n"
        "  try: signal.signal(n, signal.SIG_IGN)\n"
        "  except (OSError, ValueError): pass\n"
        "def f(x):\n"
        "  while True:\n"
        "    try:\n      while True: pass\n"
        "    except BaseException: pass",
        "ran out of time",
    ),
    "20 GB": ("import torch\ndef f(x): return torch.ones(5 * 10**9)",
              "used more memory than 1 GB"),
    "20 GB of lists": ("def f(x): return [0] * (25 * 10**8)",
                       "used more memory than 1 GB"),
    "os._exit": ("import os\ndef f(x): os._exit(0)", "ended itself"),
    "segmentation fault": ("import ctypes\ndef f(x): ctypes.string_at(0)",
                           "crashed"),
    "closed pipe": ("import os\ndef f(x): os.close(3)", "ended itself"),
    "patched builtins": (
        "import builtins\n"
        "builtins.len = builtins.isinstance = lambda *a: True\n"
        "def f(x): return 1.0",
        "ended itself",
    ),
    "forged bytes": ("import os\ndef f(x):\n os.write(3, b'A' * 4096)",
                     "no valid reply"),
    "forged reply": (
        "import os, json\n"
        "def f(x):\n"
        " h = json.dumps({'kind': 'done', 'number': 1, 'tensors': [],\n"
        "   'value': ['tuple', [1.0, None, None, None]]}).encode()\n"
        " os.write(3, len(h).to_bytes(4, 'big') + bytes(4) + h)",
        "no valid reply",
    ),
    "forged reply before the question": (
        "import os, json\n"
        "def f(x): return x\n"
        "h = json.dumps({'kind': 'done', 'number': 1, 'tensors': [],\n"
        "   'value': ['tuple', [1.0, None, None, None]]}).encode()\n"
        "h = len(h).to_bytes(4, 'big') + bytes(4) + h\n"
        "os.write(3, h + h + h)",
        "no valid reply",
    ),
    "huge reply": ("import os\ndef f(x):\n os.write(3, b'\\xff' * 8)",
                   "no valid reply"),
    "tensor of impossible size": (
        "import sys, torch\n"
        "def lie(x): return {'dtype': 'float32', 'shape': [2**40],\n"
        "  'stride': [0], 'grad': False, 'leaf': True}, b'1234'\n"
        "def f(x):\n"
        " frame = sys._getframe()\n"
        " while 'wire' not in frame.f_globals: frame = frame.f_back\n"
        " frame.f_globals['wire'].tensors.tensor_as = lie\n"
        " return torch.ones(1)",
        "no valid reply",
    ),
    "call of what was not handed over": (
        "import gc\n"
        "def f(x):\n"
        " peer, = [p for p in gc.get_objects()\n"
        "          if type(p).__name__ == 'Peer']\n"
        " return peer.call(99, [], {})",
        "no valid reply",
    ),
    "a set of equal hashes": (
        FORGES + "def f(x): forge(['set', [k * M for k in range(90000)]])",
        "no valid reply",
    ),
    "a dict of equal hashes": (
        FORGES + "def f(x):\n"
        " forge(['dict', [[['tuple', [k * M]], 1] for k in range(50000)]])",
        "no valid reply",
    ),
    "equal hashes while it is opened": (
        FORGES + "forge(0, value=['set', [k * M for k in range(90000)]])",
        "no valid reply",
    ),
    "a range without end": (
        FORGES + "def f(x): forge(['range', 0, 10**18, 1])",
        "no valid reply",
    ),
    "a size that is no number": (
        FORGES + "def f(x): forge(['tensor', 0], [{'dtype': 'float32',\n"
        " 'shape': [float('nan')], 'stride': [1]}], bytes(4))",
        "no valid reply",
    ),
    "a flood of calls": (
        FORGES + "def f(x):\n"
        " while True: send({'kind': 'call', 'number': 1, 'target': 1,\n"
        "  'value': ['tuple', [['list', []], ['dict', []]]],\n"
        "  'tensors': []})",
        "no valid reply",
    ),
    "letter by letter": (
        "import os, time\ndef f(x):\n"
        " os.write(3, b'\\0\\0\\x40\\0\\0\\0\\0\\0')\n"
        " while True: os.write(3, b' '), time.sleep(0.05)",
        "ran out of time",
    ),
    "half a message, then silence": (
        "import os, time\ndef f(x):\n"
        " os.write(3, b'\\0\\0\\0\\x40\\0\\0\\0\\0{')\n time.sleep(60)",
        "ran out of time",
    ),
}  # fmt: skip
TRY = """
import os, sys
def attempt(what, *given):
    try:
        return what(*given)
    except Exception:
        return None
"""
FAILS = {
    "exit": "def f(x): raise SystemExit(1)",
    "asking the keyboard": "def f(x): return input()",
    "errors of the pipe": "def f(x): raise TimeoutError",
    "atexit": "import atexit, os\natexit.register(os._exit, 0)\n"
    "def f(x): raise ValueError",
    "recursion": "def f(x): return f(x)",
    "import of the package": "def f(x):\n import attnbook\n return 1",
    "network": "import socket\ndef f(x):\n"
    " socket.create_connection(('1.1.1.1', 80), 0.5)\n return 1",
    "own machine's network": "import socket\ndef f(x):\n"
    " socket.create_connection(('127.0.0.1', 22), 0.5)\n return 1",
    "a socket of any family": """
import ctypes
libc = ctypes.CDLL(None)
def f(x):
    made = [n for n in range(64) for k in (1, 2, 3, 5)
            if libc.socket(n, k, 0) >= 0]
    pair = ctypes.create_string_buffer(8)
    made += [k for k in (1, 2, 5) if libc.socketpair(1, k, 0, pair) == 0]
    return made or None
""",
    "a mark that others see": TRY
    + """
import ctypes, fcntl
libc = ctypes.CDLL(None)
def f(x):
    file = os.open(os.__file__, os.O_RDONLY)
    marks = [attempt(fcntl.fcntl, file, n, bytes(32)) for n in (5, 6, 36, 37)]
    marks += [attempt(lambda: fcntl.flock(file, fcntl.LOCK_SH) or 1)]
    marks += [n for n in (libc.inotify_init1(0), libc.inotify_init()) if n > 0]
    marks += [attempt(fcntl.fcntl, os.open(".", 0), 1026, 1)]
    return [x for x in marks if x] or None
""",
    "memory that counts for no process": """
import ctypes
libc = ctypes.CDLL(None)
def f(x):
    made = libc.shmget(0, 4096, 0o1600), libc.msgget(0, 0o1600)
    made += (libc.semget(0, 1, 0o1600),)
    return [n for n in made if n >= 0] or None
""",
    "killing others": TRY
    + """
import signal
def f(x):
    for p in (*range(2, 400), os.getppid(), -1):
        attempt(os.kill, p, signal.SIGKILL)
""",
    "what can be read": TRY
    + """
import torch
def f(x):
    found = [[n for n in attempt(os.listdir, p) or []
              if not os.__file__.startswith(f"{p}/{n}/")
              and not torch.__file__.startswith(f"{p}/{n}/")]  # libraries
             for p in ("/proc", "/old", "/etc", "/home", "/tmp", "/var",
                       "/sys", "/run")]
    found += [attempt(open, p) for p in ("/etc/passwd", "/proc/1/mem",
              "/proc/self/environ", "/dev/mem", "/dev/vda", BUNDLE, ANSWERS)]
    return [x for x in found if x] or len(os.environ) > 4 or None
""",
    "a link out": TRY
    + """
def f(x):
    os.symlink(BUNDLE, "link")
    os.symlink("/", "root")
    found = attempt(open, "link") or attempt(open, "root/etc/passwd")
    return found and 1
""",
    "writing outside": TRY
    + """
import torch
def f(x):
    places = ("/here", "/dev/here", torch.__file__, os.__file__, BUNDLE,
              os.path.dirname(torch.__file__) + "/here")
    made = [p for p in places if attempt(open, p, "a")]
    attempt(__import__("shutil").rmtree, "/")
    attempt(os.remove, BUNDLE)
    return made or None
""",
    "filling the disk": """
def f(x):
    with open("large", "wb") as file:
        for _ in range(100):
            file.write(bytes(10**6))
    return 1
""",
    "new namespaces": TRY
    + """
import ctypes
libc = ctypes.CDLL(None)
def f(x):
    flags = 0x10000000, 0x20000, 0x40000000, 0x20000000
    got = [n for n in flags if libc.unshare(n) == 0]
    got += [libc.chroot(b".") == 0, libc.setuid(2) == 0]
    got += [libc.mount(b"t", b".", b"tmpfs", 0, None) == 0]
    got += [libc.ptrace(16, p, 0, 0) == 0 for p in (2, os.getppid())]
    return [x for x in got if x] or None
""",
    "secrets in memory": """
import gc, sys
def f(x):
    seen = [o for o in gc.get_objects() if isinstance(o, dict)]
    words = {k for d in seen for k in list(d) if isinstance(k, str)}
    frame, names = sys._getframe(), set()
    while frame:
        names |= set(frame.f_locals)
        frame = frame.f_back
    found = {"seed_of_the_teacher", "rights", "verdict", "bundle"}
    found &= words | names
    ours = [m for m in sys.modules if "attnbook" in m]
    return ours or sorted(found) or None
""",
}
HARMLESS = {  # they spoil their own process, and return 1.0 all the same
    "patched torch": """
import torch
torch.allclose = torch.equal = lambda *a, **k: True
torch.testing.assert_close = torch.isnan = torch.allclose
torch.Tensor.__eq__ = lambda *a: True
def f(x): return 1.0
""",
    "settrace": """
import sys
def look(frame, event, arg):
    frame.f_locals["hint"] = None
    return look
sys.settrace(look)
def f(x): return 1.0
""",
    "printing 1 GB": """
import os
def f(x):
    for _ in range(1000): os.write(1, bytes(10**6))
    return 1.0
""",
    "a thread that goes on": """
import threading
def on():
    while True: pass
def f(x):
    threading.Thread(target=on, daemon=True).start()
    return 1.0
""",
    "fork bomb": """
import os
def f(x):
    try:
        while True:
            if os.fork() == 0:
                while True:
                    try: os.fork()
                    except OSError: pass
    except OSError:
        return 1.0
""",
}
