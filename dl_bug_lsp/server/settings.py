"""The client's settings, read so that an odd value is ignored and named, never a crash."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from dl_bug_lsp.report import Options

SECTION = "dlBug"


@dataclass(frozen=True, slots=True)
class Settings:
    """What a client may set for a folder.

    ``max_diagnostics`` bounds the places of a report that are pushed as diagnostics.
    """

    options: Options = field(default_factory=Options)
    max_diagnostics: int = 10
    code_lens: bool = True


def read_settings(raw: Any) -> tuple[Settings, tuple[str, ...]]:
    """Return the settings in ``raw`` and one sentence for each value that was ignored."""
    if raw is None:
        return Settings(), ()
    if not isinstance(raw, dict):
        return Settings(), (f"The settings of {SECTION} are not a table and were ignored.",)
    reader = _Reader(raw)
    options = Options(
        top=reader.number("top", 10, 1),
        top_files=reader.number("topFiles", 10, 0),
        path_map=reader.mapping("pathMap"),
    )
    limit = reader.number("maxDiagnostics", 10, 0)
    lens = reader.flag("codeLens", True)
    return Settings(options, limit, lens), tuple(reader.problems)


class _Reader:
    def __init__(self, raw: dict[Any, Any]) -> None:
        self._raw = raw
        self.problems: list[str] = []

    def number(self, name: str, default: int, least: int) -> int:
        value = self._raw.get(name)
        if value is None:
            return default
        if isinstance(value, (int, float)) and not isinstance(value, bool) and value >= least:
            return int(min(value, 10_000))
        self._ignore(name, f"a whole number from {least} on")
        return default

    def flag(self, name: str, default: bool) -> bool:
        value = self._raw.get(name)
        if value is None or isinstance(value, bool):
            return default if value is None else value
        self._ignore(name, "true or false")
        return default

    def mapping(self, name: str) -> tuple[tuple[str, str], ...]:
        value = self._raw.get(name)
        if value is None:
            return ()
        if isinstance(value, dict) and all(
            isinstance(part, str) and part for pair in value.items() for part in pair
        ):
            return tuple(sorted(value.items()))
        self._ignore(name, "a table from the log's paths to local ones")
        return ()

    def _ignore(self, name: str, wanted: str) -> None:
        self.problems.append(f"The setting {SECTION}.{name} must be {wanted} and was ignored.")
