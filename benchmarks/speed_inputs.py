"""What `speed` measures: workspaces put together from installed packages, and large logs."""

from __future__ import annotations

import contextlib
import os
import shutil
import sysconfig
from collections.abc import Iterable, Iterator
from pathlib import Path

from dl_bug_lsp.workspace import Workspace

SMALL, LARGE = 300, 5000
"""Python files that the default workspaces have, about."""
BLOCK = 8 << 20


def default_sources() -> list[tuple[str, list[Path]]]:
    """Return the default workspaces: what each is made of, and the files' or folders' paths.

    The first is the installed package whose number of Python files is nearest to `SMALL`; the
    second all installed packages in the order of their names and, where those do not suffice, the
    folders of the standard library, as long as they fit into `LARGE` Python files.
    """
    counts = {p: _python_files(p) for p in _packages("purelib")}
    near = min(counts, key=lambda p: (abs(counts[p] - SMALL), p.name))
    chosen: list[Path] = []
    total = 0
    for path in (*counts, *_packages("stdlib")):
        count = counts[path] if path in counts else _python_files(path)
        if total + count <= LARGE:
            chosen.append(path)
            total += count
    label = "the installed packages and the standard library, the first by name"
    return [(f"the package {near.name}", [near]), (label, chosen)]


def _packages(scheme: str) -> list[Path]:
    folder = Path(sysconfig.get_paths()[scheme])
    hidden = ("site-packages", "dist-packages", "__pycache__")
    return [p for p in sorted(folder.iterdir()) if p.is_dir() and p.name not in hidden]


def _python_files(folder: Path) -> int:
    return sum(1 for _ in folder.rglob("*.py"))


def assemble(target: Path, sources: Iterable[Path], cases: Iterable[Path]) -> Path:
    """Put a workspace together in ``target``: the folders of ``sources`` and recorded programs.

    What a workspace would read is linked, or copied where links are not possible, so that nothing
    is written into the folders themselves; modification times stay.
    """
    for source in sources:
        _link_all(source, target / "packages" / source.name)
    for case in cases:
        _link_all(case / "workspace", target / "projects" / case.name)
    return target


def _link_all(source: Path, target: Path) -> None:
    for file in Workspace(source, cache=False).files():
        to = target / file
        to.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileNotFoundError):
            try:
                os.link((source / file).resolve(), to)
            except OSError:
                shutil.copy2(source / file, to)


def write_log(path: Path, kind: str, size: int, failure: bytes) -> Path:
    """Write a log of about ``size`` bytes that ends with the text of one failure."""
    block = b"".join(_lines(kind))
    with path.open("wb") as stream:
        for _ in range(size // len(block)):
            stream.write(block)
        stream.write(block[: size % len(block)])
        stream.write(b"\n" + failure)
    return path


def _lines(kind: str) -> Iterator[bytes]:
    """Yield about `BLOCK` bytes of a training's output, no two lines alike."""
    make = {"lines": _step_line, "bars": _progress_bars}[kind]
    held = step = 0
    while held < BLOCK:
        line = make(step)
        held += len(line)
        step += 1
        yield line


def _step_line(step: int) -> bytes:
    loss = 0.2 + 2.0 / (1 + step / 900) + (step * 7919 % 997) / 20_000
    seconds = step * 37 // 100
    clock = f"{seconds // 3600 % 24:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    if step % 500 == 499:
        text = f"INFO     trainer.py:214  epoch {step // 500} done, val_acc={1 - loss / 4:.4f}"
    else:
        rate = 3e-4 / (1 + step / 5000)
        text = (
            f"INFO     trainer.py:187  step {step} loss={loss:.4f} lr={rate:.3e}"
            f" grad_norm={loss * 1.7:.3f} tokens/s={41_000 + step % 613}"
        )
    return f"2025-03-11 {clock},{step * 13 % 1000:03} {text}\n".encode()


def _progress_bars(epoch: int) -> bytes:
    """Return one epoch of a progress bar that overwrites itself 400 times, and its summary."""
    total = 400
    parts: list[str] = []
    for done in range(total + 1):
        share = done / total
        bar = "█" * int(30 * share) + "▏▎▍▌▋▊▉"[done % 7] * (done < total)
        loss = 0.2 + 2.0 / (1 + epoch + share)
        spent, left = done * 3 // 50, (total - done) * 3 // 50
        parts.append(
            f"\rEpoch {epoch}: {int(100 * share):3}%|{bar:<30}| {done}/{total} "
            f"[{spent // 60:02}:{spent % 60:02}<{left // 60:02}:{left % 60:02}, 16.31it/s, "
            f"loss={loss:.4f}]"
        )
    parts.append(f"\nepoch {epoch}: train_loss {2.0 / (1 + epoch):.4f} val_acc {epoch % 97 / 97}\n")
    return "".join(parts).encode()
