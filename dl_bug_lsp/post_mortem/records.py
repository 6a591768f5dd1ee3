"""Reads what `recorder` wrote of a run, and finds the exception of a log among it.

The processes of a run write into a temporary folder; what is kept stands beside the run's log, as
``.dlbug/runs/<time>-<pid>.frames.json`` (`dl_bug_lsp.runs.records`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

from dl_bug_lsp import data_folder
from dl_bug_lsp.post_mortem.recorder import VERSION, Description
from dl_bug_lsp.python_path import python_path

MOST_BYTES = 4 * 2**20
"""Bytes of the file of one process; larger ones are not read."""
MOST_PROCESSES = 64
MOST_KEPT = 32 * 2**20
"""Bytes of the file of a run, of which larger ones are not read."""
OF_TESTS = "tests.frames.json"
"""The file in ``.dlbug/`` of what the failing tests of the last session held."""
Place: TypeAlias = tuple[str, int]
"""A file relative to the workspace, with ``/``, and a 1-based line."""


@dataclass(frozen=True, slots=True)
class RecordedFrame:
    """A frame of an exception; ``names`` are its local variables and the globals that it uses.

    ``file`` is relative to the workspace where it lies in it; ``line`` is 1-based. The values of
    ``names`` are as `recorder` describes them.
    """

    file: str
    line: int
    function: str
    names: Mapping[str, Description]
    local_names: frozenset[str]

    @property
    def place(self) -> Place:
        """The file and the line."""
        return self.file, self.line


@dataclass(frozen=True, slots=True)
class RecordedException:
    """An exception with its frames, the outermost first; ``type`` is the name of its class."""

    type: str
    message: str
    frames: tuple[RecordedFrame, ...]


@contextmanager
def recording_folder() -> Iterator[Path]:
    """Give a folder for the files of a run's processes, which only its user can read."""
    with TemporaryDirectory(prefix="dl-bug-lsp-") as folder:
        yield Path(folder)


def environment(folder: Path, root: Path, before: Mapping[str, str]) -> dict[str, str]:
    """Return the variables with which the Pythons of a command record into a folder."""
    return {
        "DL_BUG_LOCALS": str(folder),
        "DL_BUG_ROOT": str(root),
        "PYTHONPATH": python_path(before.get("PYTHONPATH")),
    }


def problems(folder: Path) -> tuple[str, ...]:
    """Return why processes could not record, each reason once."""
    text = data_folder.read(folder / "problem.txt", 2**16) or b""
    return tuple(dict.fromkeys(text.decode("utf-8", "replace").splitlines()))


def collect(folder: Path) -> bytes:
    """Return what the processes of a run left in a folder as one document, to be kept."""
    processes: list[dict[str, Any]] = []
    for name in data_folder.names(folder):
        if name.startswith("frames-") and name.endswith(".json"):
            document = _document(data_folder.read(folder / name, MOST_BYTES))
            if document is not None and len(processes) < MOST_PROCESSES:
                processes.append(document)
    return json.dumps({"version": VERSION, "processes": processes}).encode()


def keep_frames(root: Path, folder: Path, *, is_wanted: bool) -> None:
    """Keep what the processes of a test session left in its folder, in place of the last one's.

    Their files are removed from the folder. Raises `OSError` where nothing can be written.
    """
    kept = root / data_folder.FOLDER / OF_TESTS
    if is_wanted:
        data_folder.write(kept, collect(folder))
    else:
        # What an older session recorded does not belong to the tests that are stored now.
        data_folder.remove(kept)
    for name in data_folder.names(folder):
        if name.startswith("frames-"):
            data_folder.remove(folder / name)


def read_of_tests(root: Path) -> tuple[RecordedException, ...]:
    """Read what was recorded of the failing tests of a workspace's last session."""
    return read_kept(root / data_folder.FOLDER / OF_TESTS, root)


def read_kept(file: Path, root: Path) -> tuple[RecordedException, ...]:
    """Read the file of what was kept of a run; nothing where there is none."""
    return read_exceptions(data_folder.read(file, MOST_KEPT), root)


def read_exceptions(data: bytes | None, root: Path) -> tuple[RecordedException, ...]:
    """Read what was kept of a run, oldest first in each process; nothing where it is damaged."""
    document = _document(data)
    processes = document.get("processes") if document is not None else None
    exceptions: list[RecordedException] = []
    for process in processes if isinstance(processes, list) else ():
        records = process.get("records") if isinstance(process, dict) else None
        for record in records if isinstance(records, list) else ():
            chain = record.get("exceptions") if isinstance(record, dict) else None
            for item in chain if isinstance(chain, list) else ():
                exception = _exception(item, root)
                if exception is not None:
                    exceptions.append(exception)
    return tuple(exceptions)


def _document(data: bytes | None) -> dict[str, Any] | None:
    with suppress(ValueError, RecursionError):
        document = json.loads(data) if data is not None else None
        if isinstance(document, dict) and document.get("version") == VERSION:
            return document
    return None


def _exception(item: object, root: Path) -> RecordedException | None:
    if not isinstance(item, dict):
        return None
    kind, message, frames = (item.get(name) for name in ("type", "message", "frames"))
    if not (isinstance(kind, str) and isinstance(message, str) and isinstance(frames, list)):
        return None
    read = (_frame(frame, root) for frame in frames)
    return RecordedException(kind, message, tuple(frame for frame in read if frame is not None))


def _frame(item: object, root: Path) -> RecordedFrame | None:
    if not isinstance(item, dict):
        return None
    file, line, function = (item.get(name) for name in ("file", "line", "function"))
    if not (isinstance(file, str) and isinstance(line, int) and isinstance(function, str)):
        return None
    own = _described(item.get("locals"))
    names = {**_described(item.get("globals")), **own}
    return RecordedFrame(_relative(file, root), line, function, names, frozenset(own))


def _described(names: object) -> dict[str, Description]:
    if not isinstance(names, dict):
        return {}
    return {name: _checked(value) for name, value in names.items() if isinstance(value, dict)}


def _checked(given: dict[str, Any], depth: int = 0) -> Description:
    """Return a description with those of its fields that are of the type which they should have."""
    checked: Description = {
        name: given[name]
        for name, kinds in FIELDS.items()
        if name in given and type(given[name]) in kinds
    }
    if not isinstance(given.get("t"), str):
        return {"v": checked["v"]} if "v" in checked else {}
    shape, columns = given.get("shape"), given.get("columns")
    if isinstance(shape, list) and all(n is None or type(n) is int for n in shape):
        checked["shape"] = shape
    elif "shape" in given:
        checked["shape"] = None
    pairs = [c for c in columns if isinstance(c, list)] if isinstance(columns, list) else []
    if pairs and len(checked.get("shape") or ()) == 2:
        checked["columns"] = [[c[0], str(c[1])] for c in pairs if len(c) == 2 and _is_key(c[0])]
    if depth > MOST_NESTED:
        return checked
    for name in ("items", "given", "modules"):
        entries = given.get(name)
        if not isinstance(entries, list):
            continue
        if name == "items" and given.get("is") != "dict":
            checked[name] = [
                _checked(item, depth + 1) if isinstance(item, dict) else {} for item in entries
            ]
        else:
            checked[name] = [
                [entry[0], _checked(entry[1], depth + 1)]
                for entry in entries
                if isinstance(entry, list)
                and len(entry) == 2
                and _is_key(entry[0])
                and isinstance(entry[1], dict)
            ]
    attributes = given.get("attributes")
    if isinstance(attributes, dict):
        checked["attributes"] = {
            name: _checked(item, depth + 1)
            for name, item in attributes.items()
            if isinstance(item, dict)
        }
    return checked


MOST_NESTED = 8
PLAIN = (type(None), bool, int, float, str)
FIELDS: dict[str, tuple[type, ...]] = {
    "v": PLAIN,
    **dict.fromkeys(("t", "is", "dtype", "device", "begins"), (str,)),
    **dict.fromkeys(("grad", "nan", "inf", "hidden", "cut"), (bool,)),
    **dict.fromkeys(("low", "high"), (bool, int, float)),
    "n": (int,),
    "name": (int, str),
}
"""The fields of a description that hold no other descriptions, with the types that they have."""


def _is_key(value: object) -> bool:
    return isinstance(value, PLAIN)


def _relative(file: str, root: Path) -> str:
    path = PurePath(file)
    with suppress(ValueError):
        return path.relative_to(root).as_posix()
    return path.as_posix()


def matching(
    exceptions: Iterable[RecordedException], kind: str, message: str, places: Sequence[Place]
) -> RecordedException | None:
    """Return the recorded exception that a log shows, None where none surely is it.

    ``kind`` is the class as it was printed, ``places`` are its frames in the workspace, outermost
    first. Class and message agree, as far as the log has the message, and so does the innermost
    place. The last one is taken.
    """
    name = kind.rpartition(".")[2]
    first = message.strip().partition("\n")[0].strip()
    known = set(places)
    found = None
    for exception in exceptions:
        own = [frame.place for frame in exception.frames if frame.names or frame.place in known]
        is_same = exception.type == name and exception.message.strip().startswith(first[:80])
        if is_same and own and places and own[-1] == places[-1]:
            found = exception
    return found
