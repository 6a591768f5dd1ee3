"""Bug reports with their fixes as a Denchmark file tells them, however incomplete a line is."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from denchmark_metrics import Score


@dataclass(frozen=True)
class Bug:
    """One line of the bugs file; what is absent or of another type there is empty or None here.

    ``lines`` are 1-based lines of the fix's parent by file; ``bug_type`` and ``origin`` are in
    lower case, None where nobody labelled the bug; ``study`` holds what the techniques of the study
    reached on this bug, by name.
    """

    project: str
    repository: str
    id: str
    version: str
    opened: datetime | None
    fix_commit: str
    summary: str
    description: str
    files: tuple[str, ...]
    lines: Mapping[str, tuple[int, ...]]
    bug_type: str | None
    origin: str | None
    study: Mapping[str, Score]

    @property
    def name(self) -> str:
        """Project and number, as messages call the bug."""
        return f"{self.project} {self.id}"


def read_bugs(path: Path) -> tuple[list[Bug], list[str]]:
    """Return the bugs in the order of the file, and a sentence for each line that is none."""
    bugs: list[Bug] = []
    problems: list[str] = []
    with path.open(encoding="utf-8", errors="replace") as stream:
        for number, line in enumerate(stream, 1):
            if not line.strip():
                continue
            try:
                data = json.loads(line)
            except ValueError as error:
                problems.append(f"{path.name}:{number}: no JSON: {error}")
                continue
            if isinstance(data, dict) and data.get("project") and data.get("id") is not None:
                bugs.append(bug_of(data))
            else:
                problems.append(f"{path.name}:{number}: no bug: it has no project or no id")
    return bugs, problems


def bug_of(data: dict[str, Any]) -> Bug:
    """Make a bug of a line's object."""
    project = str(data["project"])
    bug_type, origin = _label(data.get("label"))
    return Bug(
        project=project,
        repository=str(data.get("repository") or project.replace("+", "/", 1)),
        id=str(data["id"]),
        version=str(data.get("version") or ""),
        opened=read_time(data.get("opened")),
        fix_commit=str(data.get("fix_commit") or ""),
        summary=str(data.get("summary") or ""),
        description=str(data.get("description") or ""),
        files=tuple(dict.fromkeys(map(str, _list(data.get("buggy_files_at_version"))))),
        lines=_lines(data.get("changed_lines_before_fix")),
        bug_type=bug_type,
        origin=origin,
        study=_study(data.get("study")),
    )


def read_time(text: object) -> datetime | None:
    """Read an ISO 8601 time; one without a zone is taken as UTC."""
    if not isinstance(text, str):
        return None
    try:
        found = datetime.fromisoformat(text.strip().replace("Z", "+00:00"))
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=timezone.utc)


def by_repository(bugs: Iterable[Bug]) -> Iterator[tuple[str, list[Bug]]]:
    """Group bugs by repository, each group in an order that keeps a version's bugs together."""
    groups: dict[str, list[Bug]] = {}
    for bug in bugs:
        groups.setdefault(bug.repository, []).append(bug)
    for repository in sorted(groups):
        yield repository, sorted(groups[repository], key=lambda b: (b.project, b.version, b.id))


def find_repository(folder: Path, bug: Bug) -> Path | None:
    """Return where a bug's repository was cloned to, by its name or its project's, or None."""
    for name in (bug.repository, bug.project.replace("+", "/", 1)):
        for candidate in (folder / name, folder / f"{name}.git"):
            if candidate.is_dir():
                return candidate
    return None


def _label(label: object) -> tuple[str | None, str | None]:
    """Return bug type and origin; deep learning has none of the types where a label denies it."""
    if not isinstance(label, dict):
        return None, None
    kind = label.get("bug_type")
    bug_type = str(kind).lower() if kind else None
    if label.get("dl_related") is False:
        bug_type = "not deep learning"
    extrinsic = label.get("extrinsic")
    origin = {True: "extrinsic", False: "intrinsic"}.get(extrinsic) if extrinsic in (0, 1) else None
    return bug_type, origin


def _study(study: object) -> Mapping[str, Score]:
    found: dict[str, Score] = {}
    for name, record in sorted(study.items()) if isinstance(study, dict) else ():
        if isinstance(record, dict) and isinstance(record.get("average_precision"), (int, float)):
            rank = record.get("first_rank")
            first = rank if isinstance(rank, int) and rank > 0 else None
            found[f"study's {name}"] = Score(first, float(record["average_precision"]))
    return found


def _lines(changed: object) -> Mapping[str, tuple[int, ...]]:
    if not isinstance(changed, dict):
        return {}
    found = {
        str(file): tuple(sorted({line for line in _list(lines) if isinstance(line, int)}))
        for file, lines in sorted(changed.items())
    }
    return {file: lines for file, lines in found.items() if lines}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
