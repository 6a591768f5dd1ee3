"""The file that failures are kept in, `.dlbug/failures.json` of a folder: never the texts of logs.

What lies on disk is not trusted; every member is checked. Version 1:
``{"version": 1, "failures": [...]}``, oldest first; each has ``source``, ``log``, the
``report`` (docs/report.schema.json) and ``places``: a suspect's ``failure`` and ``suspect`` with
the ``spots`` of its mark, its lens and its frames, each ``[line, text]`` or, in a notebook,
``[line, text, cell, line in the cell]``; null where the lines are gone. ``told`` are the logs
that told a failure, shown or put aside: ``[source, file, time of its last change, failure, its
line, older failures put aside]``, the last a list of ``[failure, its line]``.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from cattrs import Converter
from cattrs.gen import make_dict_structure_fn, override
from lsprotocol import types

from dl_bug_lsp import data_folder
from dl_bug_lsp.report import (
    CategoryVerdict,
    ChainStep,
    Confidence,
    LinePlace,
    RanksParted,
    RanksTogether,
    Report,
    ReportFrame,
    Suspect,
    SuspectFile,
)
from dl_bug_lsp.server.documents import Folder
from dl_bug_lsp.server.jobs import Token
from dl_bug_lsp.server.known_failures import MOST_ASIDE, KeptLog
from dl_bug_lsp.server.position_tracking import CellLine, Encoding, Spot, line_text, to_file
from dl_bug_lsp.server.publication import Place, Publication, publication
from dl_bug_lsp.settings.reading import Settings

if TYPE_CHECKING:
    from dl_bug_lsp.workspace import Workspace

# ---------------------------------------------------------------- small files in the hidden folder
_WAIT = 5.0
"""Seconds for which another writer is waited for."""


def read_state(root: Path, name: str, limit: int) -> bytes | None:
    """Return a kept file's bytes, None where there is none, or one of more than ``limit`` bytes."""
    return data_folder.read(root / data_folder.FOLDER / name, limit)


def change_state(
    root: Path, name: str, limit: int, change: Callable[[bytes | None], bytes | None]
) -> bool:
    """Write what ``change`` makes of a kept file, or remove it for None; False where it cannot be.

    Of several writers at the same time each is handed what the one before wrote. A reader sees the
    old file or the new one, never a part.
    """
    folder = root / data_folder.FOLDER
    try:
        if change(None) is None and not data_folder.is_plain(folder):
            return True
        data_folder.prepare(root)
        with data_folder.locked(folder, _WAIT):
            old = data_folder.read(folder / name, limit)
            new = change(old)
            if new is None:
                data_folder.remove(folder / name)
            elif new != old:
                data_folder.write(folder / name, new)
    except (OSError, ValueError):
        return False
    return True


# ---------------------------------------------------------------------- failures
MOST_ITEMS = 1_000
LONGEST = 100_000


def report_of(raw: Any) -> Report:
    """Return the report; raises `ValueError` for anything that is none."""
    try:
        return _converter().structure(raw, Report)
    except (TypeError, LookupError, AttributeError) as error:
        raise ValueError("not a report") from error


def is_inside(file: str) -> bool:
    """Whether a name can only be that of a file below the workspace."""
    parts = file.replace("\\", "/").split("/")
    return bool(file) and ":" not in parts[0] and not {"", ".", ".."} & set(parts)


@cache
def _converter() -> Converter:
    """Return the converter for reports; it takes no value for another type's, and no long one."""
    converter = Converter(detailed_validation=False)
    converter.register_structure_hook(str, lambda value, _: _checked(value, str)[:LONGEST])
    converter.register_structure_hook(bool, lambda value, _: _checked(value, bool))
    converter.register_structure_hook(int, lambda value, _: _number(value))
    converter.register_structure_hook(float, lambda value, _: _share(value))
    converter.register_structure_hook(Confidence, lambda value, _: _confidence(value))

    def items(kind: Any) -> Callable[[Any, Any], tuple[Any, ...]]:
        item = get_args(kind)[0]
        return lambda value, _: tuple(
            converter.structure(part, item) for part in _checked(value, list)[:MOST_ITEMS]
        )

    converter.register_structure_hook_factory(
        lambda kind: getattr(kind, "__origin__", None) is tuple, items
    )
    file = override(struct_hook=lambda value, _: _file(value))
    line = override(struct_hook=lambda value, _: max(1, _number(value)))
    known = override(struct_hook=lambda value, _: _known_file(value))
    overrides: dict[type[Any], dict[str, Any]] = {
        Suspect: {"file": file, "line": line, "end_line": line},
        SuspectFile: {"file": file},
        ChainStep: {"file": file, "line": line},
        ReportFrame: {"workspace_file": known},
        LinePlace: {"file": file, "line": line},
        RanksTogether: {"file": known},
        RanksParted: {"is_certain": override(rename="certain")},
    }
    for kind, members in overrides.items():
        converter.register_structure_hook(kind, make_dict_structure_fn(kind, converter, **members))
    category = make_dict_structure_fn(CategoryVerdict, converter)
    converter.register_structure_hook(
        CategoryVerdict, lambda value, kind: category(value | {"rule": "kept"}, kind)
    )
    return converter


def _confidence(value: Any) -> Confidence:
    """Return how far the order is trusted; failures kept by older versions do not say it."""
    return Confidence(value) if value in {c.value for c in Confidence} else Confidence.POSSIBLE


def _file(value: Any) -> str:
    file = str(_checked(value, str))[:LONGEST]
    if not is_inside(file):
        raise ValueError("a file outside of the workspace")
    return file


def _known_file(value: Any) -> str | None:
    return _file(value) if value is not None and is_inside(_checked(value, str)) else None


def _number(value: Any) -> int:
    number = int(_checked(value, int))
    if not 0 <= number < 2**31:
        raise ValueError("a number is out of range")
    return number


def _share(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise ValueError("not a share")
    return float(value)


def _checked(value: Any, kind: type) -> Any:
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise ValueError(f"not a {kind.__name__}")
    return value


logger = logging.getLogger(__name__)

NAME = "failures.json"
VERSION = 1
MOST = 50
"""Failures of a folder; beyond them the oldest goes."""
LARGEST = 4 * 2**20
"""Bytes of the file; the oldest failures are left out of it."""


@dataclass(frozen=True)
class StoredContent:
    """What is written of a folder, as JSON values."""

    failures: list[dict[str, Any]]
    told: list[list[Any]]


@dataclass(frozen=True)
class Restored:
    """What was read of a folder, and what of it is this server's from now on."""

    publications: list[Publication] = field(default_factory=list)
    told: list[KeptLog] = field(default_factory=list)
    known: Known = field(default_factory=set)


def to_bytes(content: StoredContent) -> bytes | None:
    """Return the file's bytes, None for nothing to keep; the oldest give way to the limit."""
    failures, logs = content.failures, content.told
    while failures or logs:
        whole = {"version": VERSION, "failures": failures, "told": logs}
        data = json.dumps(whole, ensure_ascii=True).encode()
        if len(data) <= LARGEST:
            return data
        failures, logs = failures[1:], logs if failures else []
    return None


Known = set[tuple[str, ...]]
"""What a server has kept or read of a folder; the rest of the file is what others keep."""


def names_of(content: StoredContent) -> Known:
    """Return what tells each part of a content from all others: of whatever server."""
    return {*map(_failure_name, content.failures), *map(_told_name, content.told)}


def beside(old: bytes | None, content: StoredContent, known: Known) -> StoredContent:
    """Return a content with what others keep in the same file: what is there, but not ``known``."""
    stored = _parsed(old)
    if stored is None:
        return content
    own = names_of(content) | known
    failures = [failure for failure in stored.failures if _failure_name(failure) not in own]
    logs = [row for row in stored.told if _told_name(row) not in own]
    return StoredContent(
        [*failures, *content.failures][-MOST:],
        [*logs, *content.told][-MOST:],
    )


def _parsed(data: bytes | None) -> StoredContent | None:
    """Return what a file holds, as far as its parts have a name; None where it is damaged."""
    try:
        raw = json.loads(data) if data is not None else None
        if raw is None or raw["version"] != VERSION:
            return None
        failures, logs = list(raw["failures"]), list(raw.get("told", ()))
        for failure in failures:
            _failure_name(failure)
        for row in logs:
            _told_name(row)
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return None
    return StoredContent(failures, logs)


def _failure_name(stored: dict[str, Any]) -> tuple[str, ...]:
    ids = [str(failure["id"]) for failure in stored["report"]["failures"]]
    return "failure", str(stored["source"]), *ids


def _told_name(row: list[Any]) -> tuple[str, ...]:
    return "told", str(row[0])


def to_kept(held: Publication) -> dict[str, Any]:
    """Return what is kept of a publication, as JSON values."""
    places = [
        {
            "failure": place.failure.id,
            "suspect": place.suspect.rank,
            "spots": [_spot(spot) for spot in _spots(place)],
        }
        for place in held.shown()
    ]
    return {"source": held.source, "log": held.log, "report": held.document, "places": places}


def _spots(place: Place) -> list[Spot]:
    return [place.mark, place.lens, *(related.spot for related in place.related)]


def _spot(spot: Spot) -> list[Any] | None:
    if spot.range is None:
        return None
    text = spot.text.encode("utf-8", "replace").decode()
    if spot.cell is None:
        return [spot.line, text]
    return [spot.line, text, spot.cell.number, spot.cell.line]


def read_folder(
    folder: Folder, settings: Settings, encoding: Encoding, token: Token, own: Known
) -> Restored:
    """Return what was kept of a folder, at the lines that hold the texts now; oldest first.

    What this server has kept itself since the folder was opened (``own``) is left out: it is shown,
    or was put aside.
    """
    data = read_state(folder.root, NAME, LARGEST)
    if data is None:
        return Restored()
    try:
        raw = json.loads(data)
        listed = raw["failures"] if raw["version"] == VERSION else []
        newest = list(listed)[-MOST:]
        logs = [_told(row) for row in raw.get("told", ())]
    except (ValueError, TypeError, LookupError, RecursionError):
        logger.warning("%s of a folder is damaged and was left out", NAME)
        return Restored()
    out = []
    for stored in newest:
        if token.cancelled:
            break
        try:
            if _failure_name(stored) in own:
                continue
            held = _restored(stored, folder, settings, encoding)
        except (ValueError, TypeError, LookupError, AttributeError):
            logger.warning("a failure in %s is damaged and was left out", NAME)
            continue
        if held.shown():
            out.append(held)
    content = _parsed(data)
    return Restored(out, logs, names_of(content) if content is not None else set())


def read_kept(workspace: Workspace, settings: Settings) -> list[Publication]:
    """Return what was kept of a folder that no client has open, oldest first; see `read_folder`."""
    folder = Folder(workspace.root.as_uri(), workspace.root)
    folder.workspace = workspace
    encoding = types.PositionEncodingKind.Utf16
    return read_folder(folder, settings, encoding, Token(), set()).publications


def _told(row: Any) -> KeptLog:
    source, file, changed, failure, line, *more = row
    aside = tuple((str(name), int(at)) for name, at in (more[0] if more else ())[-MOST_ASIDE:])
    return str(source), str(file), int(changed), str(failure), int(line), aside


def _restored(stored: Any, folder: Folder, settings: Settings, encoding: Encoding) -> Publication:
    source, log = stored["source"], stored["log"]
    if not isinstance(source, str) or not (log is None or isinstance(log, str)):
        raise ValueError("not a source")
    held = publication(report_of(stored["report"]), folder, settings, source, encoding)
    # Only a log in the folder itself is opened on the word of a file.
    held.log = log if log is not None and folder.file_of(log) is not None else None
    spots_by_place = {
        (place["failure"], place["suspect"]): place["spots"] for place in stored["places"]
    }
    for place in held.places:
        spots = spots_by_place.get((place.failure.id, place.suspect.rank))
        if spots is None:
            place.mark.range, place.is_dismissed = None, True
            continue
        for spot, was in zip(_spots(place), spots, strict=False):
            _settle(spot, was, folder, encoding)
    return held


def _settle(spot: Spot, was: Any, folder: Folder, encoding: Encoding) -> None:
    """Put a spot to the line that holds its kept text now; gone where none does."""
    file = folder.file_of(spot.home)
    if was is None or file is None:
        spot.range = None
        return
    line, text = int(was[0]), str(was[1])
    lines = folder.workspace.lines(file)
    spot.text = text
    if len(was) == 4:
        spot.cell = CellLine(int(was[2]), int(was[3]))
        to_file(spot, lines, folder.workspace.cells(file), encoding)
    elif text and line_text(lines, line) == text:
        spot.set_lines(line, line, lines, encoding)
    else:
        spot.find(line, lines, encoding)
