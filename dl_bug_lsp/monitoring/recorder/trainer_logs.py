"""What trainers log by themselves: Lightning's metrics, the logs of transformers' Trainer."""

from __future__ import annotations

import functools
import sys
from typing import Any, Callable

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
