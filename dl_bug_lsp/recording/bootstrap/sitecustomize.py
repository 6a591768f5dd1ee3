"""Starts the tracer in an interpreter of a recorded run, and hands on to the user's own module.

Loaded by ``site`` (https://docs.python.org/3/library/site.html) because its folder stands first on
``PYTHONPATH``. Must parse on every Python 3, and never be the reason that a program fails.
"""

import os
import sys
from contextlib import suppress
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from time import process_time

_HERE = os.path.dirname(os.path.abspath(__file__))
_PACKAGES = os.path.dirname(os.path.dirname(os.path.dirname(_HERE)))


def _start() -> None:
    folder, root = os.environ.get("DL_BUG_SPECTRUM"), os.environ.get("DL_BUG_ROOT")
    if not folder or not root:
        return
    began = process_time()
    if sys.version_info < (3, 9):
        _complain(folder, "this Python is older than 3.9")
        return
    sys.path.append(_PACKAGES)
    try:
        from dl_bug_lsp.recording.tracing.starting import start

        start(folder, root, os.environ.get("DL_BUG_BRANCH") == "1", began)
    except Exception as error:
        _complain(folder, "the tracer failed (%s: %s)" % (type(error).__name__, error))
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


with suppress(Exception):
    _start()
_hand_on()
