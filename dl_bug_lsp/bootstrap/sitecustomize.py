"""Starts what was asked for in an interpreter of a run, and hands on to the user's own module.

Four parts, each turned on by its own environment variables: stacks for `dl_bug_lsp.runs.hangs`,
the tracer of `dl_bug_lsp.recording`, the training recorder of `dl_bug_lsp.monitoring`, the recorder
of local variables of `dl_bug_lsp.post_mortem`.

Loaded by ``site`` (https://docs.python.org/3/library/site.html) because its folder stands first on
``PYTHONPATH``. Must parse on every Python 3, and never be the reason that a program fails.
"""

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from time import process_time

_HERE = os.path.dirname(os.path.abspath(__file__))
_PACKAGES = os.path.dirname(os.path.dirname(_HERE))
_RANK = ("RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "HOROVOD_RANK", "SLURM_PROCID")
_open = []  # type: ignore[var-annotated]


def _watch() -> None:
    """Let this interpreter write its stacks when asked."""
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


def _trace() -> None:
    """Record the lines that this interpreter executes."""
    began = process_time()

    def begin(folder: str, root: str) -> None:
        from dl_bug_lsp.recording.tracing.starting import start

        start(folder, root, os.environ.get("DL_BUG_BRANCH") == "1", began)

    _record("DL_BUG_SPECTRUM", "tracer", begin)


def _monitor() -> None:
    """Record the trainings of this interpreter."""

    def begin(folder: str, root: str) -> None:
        from dl_bug_lsp.monitoring.recorder.starting import start_below

        start_below(folder, root, os.environ.get("DL_BUG_COMMAND", "[]"))

    _record("DL_BUG_MONITOR", "training recorder", begin)


def _keep_locals() -> None:
    """Record the local variables of what ends this interpreter."""

    def begin(folder: str, root: str) -> None:
        from dl_bug_lsp.post_mortem.recorder import start

        start(folder, root)

    _record("DL_BUG_LOCALS", "recorder of local variables", begin)


def _record(variable: str, what: str, begin: Callable) -> None:  # type: ignore[type-arg]
    """Begin to record into the folder that a variable names; say there why it does not work."""
    folder, root = os.environ.get(variable), os.environ.get("DL_BUG_ROOT")
    if not folder or not root:
        return
    if sys.version_info < (3, 9):
        _complain(folder, "this Python is older than 3.9")
        return
    sys.path.append(_PACKAGES)
    try:
        begin(folder, root)
    except Exception as error:
        _complain(folder, "the %s failed (%s: %s)" % (what, type(error).__name__, error))
    finally:
        sys.path.remove(_PACKAGES)


def _complain(folder: str, problem: str) -> None:
    with open(os.path.join(folder, "problem.txt"), "a") as stream:
        stream.write(problem + "\n")


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


for _part in (_watch, _trace, _monitor, _keep_locals):
    with suppress(Exception):
        _part()
_hand_on()
