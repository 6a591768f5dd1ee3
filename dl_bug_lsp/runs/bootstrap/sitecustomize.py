"""Lets an interpreter of a watched run write its stacks when asked, and hands on to the user's own.

Loaded by ``site`` (https://docs.python.org/3/library/site.html) because its folder stands first on
``PYTHONPATH``. Must parse on every Python 3, and never be the reason that a program fails.
"""

import os
import sys
from contextlib import suppress
from importlib.machinery import PathFinder
from importlib.util import module_from_spec

_HERE = os.path.dirname(os.path.abspath(__file__))
_RANK = ("RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "HOROVOD_RANK", "SLURM_PROCID")
_open = []  # type: ignore[var-annotated]


def _start() -> None:
    folder, number = os.environ.get("DL_BUG_STACKS"), os.environ.get("DL_BUG_STACKS_SIGNAL")
    if not folder or not number:
        return
    import faulthandler
    import signal

    def register() -> None:
        # A handler of the program's own stays.
        if not _open and signal.getsignal(int(number)) is not signal.SIG_DFL:
            return
        with suppress(OSError):
            rank = next((os.environ[name] for name in _RANK if os.environ.get(name)), "")
            name = os.path.join(folder, "%d.stacks" % os.getpid())
            stream = open(name, "wb", buffering=0)  # noqa: SIM115
            stream.write(("%d %s\n" % (os.getppid(), rank if rank.isdigit() else "-")).encode())
            faulthandler.register(int(number), file=stream, all_threads=True)
            _open[:] = [stream]

    register()
    if _open:
        os.register_at_fork(after_in_child=register)


def _hand_on() -> None:
    """Load the module that ``site`` would have found without us."""
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != _HERE]
    spec = PathFinder.find_spec("sitecustomize", sys.path)
    if spec is None or spec.loader is None:
        # Ours stays in place of none: taking it away would make `site` report an error.
        return
    module = module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


with suppress(Exception):
    _start()
_hand_on()
