"""Seeds of random number generators, with the lines that set them. Nothing is ever drawn."""

from __future__ import annotations

import functools
import random
import sys
from typing import Any

from dl_bug_lsp.monitoring.recorder.recorder import Recorder


def install_torch(recorder: Recorder) -> None:
    """Record seeds of PyTorch and of Python's own generator."""
    import torch

    _wrap(recorder, torch, "manual_seed", "torch")
    _wrap(recorder, torch.cuda, "manual_seed_all", "cuda")
    _wrap(recorder, random, "seed", "random")


def install_numpy(recorder: Recorder) -> None:
    """Record seeds of NumPy's global generator."""
    _wrap(recorder, sys.modules["numpy.random"], "seed", "numpy")


def install_python(recorder: Recorder) -> None:
    """Record seeds of Python's own generator."""
    _wrap(recorder, random, "seed", "random")


def _wrap(recorder: Recorder, module: Any, name: str, library: str) -> None:
    original = getattr(module, name, None)
    if original is None or hasattr(original, "_dl_bug_library"):
        return

    def seed(*arguments: Any, **keywords: Any) -> Any:
        try:
            values = (*arguments, *keywords.values())
            if values:
                recorder.seed(library, values[0])
        except Exception as error:
            recorder.fail(error)
        return original(*arguments, **keywords)

    wrapper = functools.wraps(original)(seed)
    wrapper._dl_bug_library = library  # type: ignore[attr-defined]
    setattr(module, name, wrapper)

    def undo() -> None:
        if getattr(module, name, None) is wrapper:
            setattr(module, name, original)

    recorder.undo.append(undo)
