"""A report read back from its JSON; what lies on disk is not trusted, every member is checked."""

from __future__ import annotations

from typing import Any

from dl_bug_lsp.logs.values import Process, Span
from dl_bug_lsp.report import (
    Advice,
    CategoryVerdict,
    CellPlace,
    ChainStep,
    Confidence,
    Evidence,
    ExceptionText,
    FailureReport,
    RanksParted,
    RanksTogether,
    Report,
    ReportFrame,
    Suggestion,
    Suspect,
    SuspectFile,
    Verdict,
)

MOST = 1_000
LONGEST = 100_000


def report_of(raw: Any) -> Report:
    """Return the report; raises `ValueError` for anything that is none."""
    table = _table(raw)
    failures = tuple(_failure(_table(one)) for one in _list(table, "failures"))
    problems = tuple(_checked(one, str) for one in _list(table, "problems"))
    return Report(_text(table, "workspace"), failures, problems)


def is_inside(file: str) -> bool:
    """Whether a name can only be that of a file below the workspace."""
    parts = file.replace("\\", "/").split("/")
    return bool(file) and ":" not in parts[0] and not {"", ".", ".."} & set(parts)


def _failure(raw: dict[str, Any]) -> FailureReport:
    category = _table(raw.get("category"))
    exception, process = raw.get("exception"), raw.get("process")
    span = _table(raw.get("span"))
    return FailureReport(
        id=_text(raw, "id"),
        primary=_get(raw, "primary", bool),
        category=CategoryVerdict(
            _text(category, "id"),
            _text(category, "dimension"),
            _share(category, "confidence"),
            _text(category, "evidence"),
            "kept",
        ),
        bug_type=_verdict(raw.get("bug_type")),
        origin=_verdict(raw.get("origin")),
        exception=None if exception is None else _exception(_table(exception)),
        process=None if process is None else _process(_table(process)),
        retry_may_help=_get(raw, "retry_may_help", bool),
        span=Span(_number(span, "first_line"), _number(span, "last_line")),
        frames=tuple(_frame(_table(one)) for one in _list(raw, "frames")),
        suspects=tuple(_suspect(_table(one)) for one in _list(raw, "suspects")),
        files=tuple(_file(_table(one)) for one in _list(raw, "files")),
        advice=tuple(
            Advice(
                _text(_table(one), "cause"),
                _text(_table(one), "fix"),
                _text(_table(one), "page") if "page" in _table(one) else "",
            )
            for one in _list(raw, "advice")
        ),
        reliable=_get(raw, "reliable", bool),
        confidence=_confidence(raw.get("confidence")),
        complete=raw.get("complete") is not False,
        diagnosis=_optional(raw, "diagnosis"),
        outside=_optional(raw, "outside") if "outside" in raw else None,
        ranks=_ranks(_table(raw["ranks"])) if "ranks" in raw else None,
    )


def _ranks(raw: dict[str, Any]) -> RanksParted:
    groups = []
    for one in map(_table, _list(raw, "groups")):
        file = _optional(one, "file")
        line = one.get("line")
        groups.append(
            RanksTogether(
                _numbers(one, "ranks"),
                _text(one, "doing"),
                _text(one, "operation"),
                file if file is not None and is_inside(file) else None,
                None if line is None else _checked(line, int),
            )
        )
    certain = _get(raw, "certain", bool)
    return RanksParted(
        _number(raw, "size"), _numbers(raw, "apart"), certain, tuple(groups), _text(raw, "summary")
    )


def _numbers(raw: dict[str, Any], name: str) -> tuple[int, ...]:
    return tuple(_checked(number, int) for number in _list(raw, name))


def _confidence(raw: Any) -> Confidence:
    """Return how far the order is trusted; failures kept by older versions do not say it."""
    return Confidence(raw) if raw in {c.value for c in Confidence} else Confidence.POSSIBLE


def _exception(raw: dict[str, Any]) -> ExceptionText:
    return ExceptionText(_text(raw, "type"), _text(raw, "message"))


def _process(raw: dict[str, Any]) -> Process:
    rank = raw.get("rank")
    return Process(None if rank is None else _checked(rank, int), _optional(raw, "host"))


def _frame(raw: dict[str, Any]) -> ReportFrame:
    file = _optional(raw, "workspace_file")
    line = raw.get("workspace_line")
    if file is not None and not is_inside(file):
        file = None
    return ReportFrame(
        _text(raw, "file"),
        _number(raw, "line"),
        _optional(raw, "function"),
        file,
        None if line is None else _checked(line, int),
        raw.get("mapped") is True,
    )


def _suspect(raw: dict[str, Any]) -> Suspect:
    evidence = tuple(
        Evidence(_text(_table(e), "kind"), _share(_table(e), "score"), _text(_table(e), "why"))
        for e in _list(raw, "evidence")
    )
    return Suspect(
        _number(raw, "rank"),
        _name(raw),
        max(1, _number(raw, "line")),
        max(1, _number(raw, "end_line")),
        _optional(raw, "function"),
        _share(raw, "score"),
        evidence,
        _cell(raw.get("cell")),
        _suggestion(raw.get("suggestion")),
        tuple(_step(_table(one)) for one in _list(raw, "chain")) if "chain" in raw else (),
    )


def _step(raw: dict[str, Any]) -> ChainStep:
    return ChainStep(_name(raw), max(1, _number(raw, "line")), _text(raw, "text"))


def _suggestion(raw: Any) -> Suggestion | None:
    if raw is None:
        return None
    edit = _table(raw)
    return Suggestion(_text(edit, "before"), _text(edit, "after"))


def _cell(raw: Any) -> CellPlace | None:
    if raw is None:
        return None
    cell = _table(raw)
    count = cell.get("execution_count")
    return CellPlace(
        _number(cell, "number"),
        None if count is None else _checked(count, int),
        _number(cell, "line"),
    )


def _file(raw: dict[str, Any]) -> SuspectFile:
    return SuspectFile(_number(raw, "rank"), _name(raw), _share(raw, "score"))


def _name(raw: dict[str, Any]) -> str:
    file = _text(raw, "file")
    if not is_inside(file):
        raise ValueError("a file outside of the workspace")
    return file


def _verdict(raw: Any) -> Verdict:
    table = _table(raw)
    return Verdict(_text(table, "id"), _share(table, "confidence"))


def _table(raw: Any) -> dict[str, Any]:
    found: dict[str, Any] = _checked(raw, dict)
    return found


def _list(raw: dict[str, Any], name: str) -> list[Any]:
    found: list[Any] = _get(raw, name, list)
    return found[:MOST]


def _text(raw: dict[str, Any], name: str) -> str:
    return str(_get(raw, name, str))[:LONGEST]


def _optional(raw: dict[str, Any], name: str) -> str | None:
    return None if raw.get(name) is None else _text(raw, name)


def _number(raw: dict[str, Any], name: str) -> int:
    found = int(_get(raw, name, int))
    if not 0 <= found < 2**31:
        raise ValueError(f"{name} is out of range")
    return found


def _share(raw: dict[str, Any], name: str) -> float:
    value = raw.get(name)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise ValueError(f"{name} is no share")
    return float(value)


def _get(raw: dict[str, Any], name: str, kind: type) -> Any:
    return _checked(raw.get(name), kind)


def _checked(value: Any, kind: type) -> Any:
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise ValueError(f"not a {kind.__name__}")
    return value
