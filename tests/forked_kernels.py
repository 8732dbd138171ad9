"""A pytest plugin: kernels that begin with what every notebook imports.

Beside nbval.  A kernel of its own imports torch and others for seconds, and
there are as many as notebooks.  Here a process imports them once, and each
kernel is a fork of it.  On Linux alone; elsewhere nbval starts its own.
"""

import multiprocessing
import os
import sys
import threading
from importlib.metadata import EntryPoint
from multiprocessing import forkserver
from pathlib import Path

from jupyter_client.provisioning import (
    KernelProvisionerFactory,
    LocalProvisioner,
)

# Nothing of the course itself; not pandas, which looks for a kernel as soon as
# it is imported, to see how wide its tables may be.
IMPORTED = ["ipykernel.kernelapp", "torch._dynamo", "matplotlib.figure"]
ROOT = Path(__file__).resolve().parents[1]
OWN = (ROOT, ROOT / "tests", ROOT / "code/tools")  # what pytest puts first
INLINE = "module://matplotlib_inline.backend_inline"  # what kernels draw with


def pytest_configure():
    """Let kernels be forked from now on."""
    if sys.platform != "linux":
        return
    os.environ.setdefault("MPLBACKEND", INLINE)  # read by the import
    kind = "jupyter_client.kernel_provisioners"
    factory = KernelProvisionerFactory.instance()
    entry = EntryPoint("forked", f"{__name__}:ForkedKernels", kind)
    factory.provisioners["forked"] = entry
    factory.default_provisioner_name = "forked"
    multiprocessing.set_forkserver_preload(IMPORTED)


def pytest_sessionstart(session):
    """Import in the background, while notebooks are collected."""
    if sys.platform == "linux" and hasattr(session.config, "workerinput"):
        forkserver.ensure_running()


def end_with_parent():
    """End this process as soon as the one that asked for it has ended."""
    multiprocessing.parent_process().join()
    os._exit(1)


def run(arguments, folder, environment):
    """Be a kernel, in a process that was just forked."""
    os.setsid()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.path[:] = [
        x for x in sys.path if not x or Path(x).resolve() not in OWN
    ]
    sys.argv = ["ipykernel_launcher.py", *arguments]
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)
    threading.Thread(target=end_with_parent, daemon=True).start()
    from ipykernel.kernelapp import IPKernelApp

    IPKernelApp.launch_instance(argv=arguments)


class Forked:
    """A forked process with what `LocalProvisioner` asks of a Popen."""

    stdin = stdout = stderr = None

    def __init__(self, *arguments):
        context = multiprocessing.get_context("forkserver")
        self.process = context.Process(target=run, args=arguments)
        self.process.start()
        self.pid = self.process.pid
        self.kill, self.terminate = self.process.kill, self.process.terminate

    def poll(self):
        """Return the exit status, or None while the process is alive."""
        return self.process.exitcode

    def wait(self):
        """Return the exit status as soon as there is one."""
        self.process.join()
        return self.process.exitcode

    def send_signal(self, number):
        """Send the process a signal."""
        if self.poll() is None:
            os.kill(self.pid, number)


class ForkedKernels(LocalProvisioner):
    """Starts kernels by a fork."""

    async def launch_kernel(self, cmd, **options):
        """Start one; the command is that of `ipykernel_launcher`."""
        arguments = cmd[cmd.index("ipykernel_launcher") + 1 :]
        folder, environment = options["cwd"], dict(options["env"])
        self.process = Forked(arguments, folder, environment)
        self.pid = self.pgid = self.process.pid  # of its own, by setsid
        self.cwd = folder
        return self.connection_info
