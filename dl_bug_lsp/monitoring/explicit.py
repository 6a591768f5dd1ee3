"""Recording a training by hand: a context for any loop, callbacks for Lightning and others.

    with record():
        train()

What is recorded is the same as with ``dl-bug-lsp run --monitor``. Models and optimizers that were
constructed before are recorded without the lines that constructed them. Below ``run --monitor``
these do nothing: the process is recorded already.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dl_bug_lsp import data_folder
from dl_bug_lsp.monitoring.recorder.starting import running, start
from dl_bug_lsp.monitoring.store import Session, StoreError, begin


class Monitor:
    """Records this process from its construction to `end`; never raises."""

    def __init__(self, root: str | Path | None = None) -> None:
        self._session: Session | None = None
        self._recorder: Any = None
        if running() is not None:
            return
        try:
            self._session = begin(Path(root) if root is not None else _workspace())
            self._recorder = start(
                str(self._session.folder),
                str(self._session.root),
                self._session.name,
                json.dumps(sys.argv[:100]),
            )
        except Exception as error:
            _complain(f"the training is not recorded ({type(error).__name__}: {error})")

    def end(self) -> tuple[int, ...]:
        """End the recording and take it into the database; return the runs' numbers."""
        if self._recorder is None or self._session is None:
            return ()
        recorder, self._recorder = self._recorder, None
        recorder.end()
        recorder.stop()
        try:
            return self._session.take_in()
        except StoreError as error:
            _complain(str(error))
            return ()


@contextmanager
def record(root: str | Path | None = None) -> Iterator[Monitor]:
    """Record the trainings of the block below; ``root`` is the folder of the code."""
    monitor = Monitor(root)
    try:
        yield monitor
    finally:
        monitor.end()


def lightning_callback(root: str | Path | None = None) -> Any:
    """Return a callback for ``lightning.Trainer(callbacks=[...])``."""
    import lightning.pytorch as lightning

    class TrainingMonitor(lightning.Callback):  # type: ignore[misc, unused-ignore]
        """Records from its construction to the end of ``fit``."""

        def __init__(self) -> None:
            self._monitor = Monitor(root)

        def on_fit_end(self, trainer: Any, pl_module: Any) -> None:
            self._monitor.end()

    return TrainingMonitor()


def transformers_callback(root: str | Path | None = None) -> Any:
    """Return a callback for ``transformers.Trainer(callbacks=[...])``."""
    import transformers

    class TrainingMonitor(transformers.TrainerCallback):  # type: ignore[misc, unused-ignore]
        """Records from its construction to the end of ``train``."""

        def __init__(self) -> None:
            self._monitor = Monitor(root)

        def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            self._monitor.end()

    return TrainingMonitor()


def keras_callback(root: str | Path | None = None) -> Any:
    """Return a callback for ``model.fit(callbacks=[...])``, made before that call."""
    import keras

    class TrainingMonitor(keras.callbacks.Callback):  # type: ignore[misc, unused-ignore]
        """Records from its construction to the end of ``fit``."""

        def __init__(self) -> None:
            super().__init__()
            self._monitor = Monitor(root)

        def on_train_end(self, logs: Any = None) -> None:
            self._monitor.end()

    return TrainingMonitor()


def _workspace() -> Path:
    """Return the nearest folder with a ``.dlbug``, else the working folder."""
    folder = Path(os.getcwd())  # noqa: PTH109
    marked = (
        parent for parent in (folder, *folder.parents) if (parent / data_folder.FOLDER).is_dir()
    )
    return next(marked, folder)


def _complain(text: str) -> None:
    print(f"dl-bug-lsp: {text}", file=sys.stderr)
