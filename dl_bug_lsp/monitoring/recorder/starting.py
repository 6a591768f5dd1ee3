"""Starts the recorder in an interpreter: frameworks are patched as they are imported.

What trainers log by themselves is recorded too: Lightning's metrics, the logs of transformers'
Trainer.
"""

from __future__ import annotations

import atexit
import functools
import os
import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any, Callable, Optional, Sequence

from dl_bug_lsp.monitoring.recorder.recorder import Recorder


def install_lightning(recorder: Recorder) -> None:
    """Record what Lightning's logger connector is given to log."""
    for package in ("lightning.pytorch", "pytorch_lightning"):
        module: Any = sys.modules.get(
            package + ".trainer.connectors.logger_connector.logger_connector"
        )
        owner = getattr(module, "_LoggerConnector", None)
        if owner is None:
            continue
        recorder.versions.setdefault("lightning", _version(package.split(".", maxsplit=1)[0]))

        def of_step(connector: Any, metrics: Any, step: Any = None) -> None:
            trainer = getattr(connector, "trainer", None)
            _write(recorder, "lightning", metrics, getattr(trainer, "current_epoch", None))

        def of_epoch(connector: Any, metrics: Any = None) -> None:
            trainer = getattr(connector, "trainer", None)
            _write(
                recorder,
                "lightning",
                getattr(trainer, "callback_metrics", None),
                getattr(trainer, "current_epoch", None),
            )

        _after(recorder, owner, "log_metrics", of_step)
        _after(recorder, owner, "update_train_epoch_metrics", of_epoch)
        _after(recorder, owner, "log_eval_end_metrics", of_epoch)


def install_transformers(recorder: Recorder) -> None:
    """Record what transformers' Trainer logs."""
    owner = getattr(sys.modules["transformers.trainer"], "Trainer", None)
    recorder.versions.setdefault("transformers", _version("transformers"))

    def of_log(trainer: Any, logs: Any, start_time: Any = None) -> None:
        state = getattr(trainer, "state", None)
        _write(recorder, "transformers", logs, getattr(state, "epoch", None))

    if owner is not None:
        _after(recorder, owner, "log", of_log)


def _after(recorder: Recorder, owner: Any, name: str, what: Callable[..., None]) -> None:
    original = vars(owner).get(name)
    if original is None or hasattr(original, "_dl_bug"):
        return

    @functools.wraps(original)
    def wrapper(*arguments: Any, **keywords: Any) -> Any:
        result = original(*arguments, **keywords)
        if not recorder.is_over:
            try:
                what(*arguments, **keywords)
            except Exception as error:
                recorder.fail(error)
        return result

    wrapper._dl_bug = True  # type: ignore[attr-defined]
    setattr(owner, name, wrapper)
    recorder.undo.append(lambda: setattr(owner, name, original))


def _write(recorder: Recorder, source: str, metrics: Any, epoch: Any) -> None:
    if not isinstance(metrics, dict):
        return
    for key, value in list(metrics.items())[:64]:
        try:
            number = float(value)
        except (TypeError, ValueError, RuntimeError):
            continue
        recorder.row(
            "log",
            step=max(recorder.step - 1, 1),
            epoch=float(epoch) if isinstance(epoch, (int, float)) else None,
            source=source,
            key=str(key)[:80],
            value=number,
        )


def _version(package: str) -> str:
    return str(getattr(sys.modules.get(package), "__version__", ""))


# ---------------------------------------------------------------------- the start
def _torch(recorder: Recorder) -> None:
    from dl_bug_lsp.monitoring.recorder import torch_training

    torch_training.install(recorder)


def _keras(recorder: Recorder) -> None:
    from dl_bug_lsp.monitoring.recorder import keras_training

    keras_training.install(recorder)


def _numpy(recorder: Recorder) -> None:
    from dl_bug_lsp.monitoring.recorder.recorder import install_numpy

    install_numpy(recorder)


def _lightning(recorder: Recorder) -> None:

    install_lightning(recorder)


def _transformers(recorder: Recorder) -> None:

    install_transformers(recorder)


FRAMEWORKS: dict[str, Callable[[Recorder], None]] = {
    "torch": _torch,
    "keras": _keras,
    "numpy.random": _numpy,
    "lightning.pytorch.trainer.trainer": _lightning,
    "pytorch_lightning.trainer.trainer": _lightning,
    "transformers.trainer": _transformers,
}
"""What is done when a module has been imported."""


_running: list[Recorder] = []


def running() -> Recorder | None:
    """Return the recorder of this process, None where none is at work."""
    return next((recorder for recorder in _running if not recorder.is_over), None)


def start(folder: str, root: str, session: str, command: str) -> Recorder:
    """Record what this process trains, into a journal below ``folder``; returns the recorder."""
    recorder = Recorder(folder, root, session, command)
    _running[:] = [recorder]
    finder = _Finder(recorder)
    sys.meta_path.insert(0, finder)
    recorder.undo.append(lambda: sys.meta_path.remove(finder))
    for name in FRAMEWORKS:
        if name in sys.modules:
            finder.imported(name)
    atexit.register(recorder.end)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=lambda: _forked(recorder))
    return recorder


def start_below(folder: str, root: str, command: str) -> Recorder:
    """Record this process as a part of the session whose folder this is."""
    return start(folder, root, os.path.basename(folder), command)


def _forked(recorder: Recorder) -> None:
    recorder.forked()
    util: Any = sys.modules.get("multiprocessing.util")
    if util is not None:
        # Children of multiprocessing end without `atexit`; they forget finalizers at their start.
        util.register_after_fork(
            recorder, lambda child: util.Finalize(None, child.end, exitpriority=-1000)
        )


class _Finder(MetaPathFinder):
    """Lets the modules of `FRAMEWORKS` be found as ever, and has them patched once executed."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def find_spec(
        self, name: str, path: Optional[Sequence[str]], target: Optional[ModuleType] = None
    ) -> Optional[ModuleSpec]:
        if name not in FRAMEWORKS or self._recorder.is_over:
            return None
        spec = self._spec(name, path, target)
        if spec is not None and spec.loader is not None and hasattr(spec.loader, "exec_module"):
            spec.loader = _Loader(spec.loader, self)
        return spec

    def _spec(
        self, name: str, path: Optional[Sequence[str]], target: Optional[ModuleType]
    ) -> Optional[ModuleSpec]:
        for finder in sys.meta_path:
            if finder is not self and hasattr(finder, "find_spec"):
                spec = finder.find_spec(name, path, target)
                if spec is not None:
                    return spec
        return PathFinder.find_spec(name, path, target)

    def imported(self, name: str) -> None:
        """Patch a framework; an error of ours ends the recording, not the import."""
        if self._recorder.is_over:
            return
        try:
            FRAMEWORKS[name](self._recorder)
        except Exception as error:
            self._recorder.fail(error)


class _Loader(Loader):
    """Loads a module with its own loader and tells the finder; then the own one is in its place."""

    def __init__(self, loader: Loader, finder: _Finder) -> None:
        self._loader, self._finder = loader, finder

    def create_module(self, spec: ModuleSpec) -> Optional[ModuleType]:
        """Let the own loader make the module."""
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """Execute the module, then patch it."""
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        module.__loader__ = self._loader
        self._loader.exec_module(module)
        self._finder.imported(module.__name__)
