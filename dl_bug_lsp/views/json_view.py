"""The report as JSON, version 1 (docs/report.schema.json)."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

from dl_bug_lsp.report import Evidence, FailureReport, Report, ReportFrame, Suspect, SuspectFile
from dl_bug_lsp.views.escape import in_order, well_formed

VERSION = 1

Json = dict[str, Any]


def to_json(report: Report) -> Json:
    """Return the report as JSON values: well-formed Unicode, shares within 0 and 1.

    What is said is in the order in which it is read (`in_order`); names of files are as they are.
    """
    return {
        "version": VERSION,
        "workspace": well_formed(report.workspace),
        "failures": [failure_to_json(failure) for failure in report.failures],
        "problems": [in_order(problem) for problem in report.problems],
    }


def failure_to_json(failure: FailureReport) -> Json:
    """Return one failure of the report."""
    return (
        {
            "id": failure.id,
            "primary": failure.primary,
            "category": {
                "id": failure.category.id,
                "dimension": failure.category.dimension,
                "confidence": _share(failure.category.confidence),
                "evidence": in_order(failure.category.evidence),
            },
            "bug_type": {
                "id": failure.bug_type.id,
                "confidence": _share(failure.bug_type.confidence),
            },
            "origin": {"id": failure.origin.id, "confidence": _share(failure.origin.confidence)},
            "exception": _exception(failure),
            "process": _process(failure),
            "retry_may_help": failure.retry_may_help,
            "reliable": failure.reliable,
            "confidence": failure.confidence.value,
            "complete": failure.complete,
            "diagnosis": _optional(failure.diagnosis),
            "span": {"first_line": failure.span.first_line, "last_line": failure.span.last_line},
            "frames": [_frame(frame) for frame in failure.frames],
            "suspects": [suspect_to_json(suspect) for suspect in failure.suspects],
            "files": [_file(file) for file in failure.files],
            "advice": [
                {"cause": in_order(advice.cause), "fix": in_order(advice.fix)}
                | ({"page": in_order(advice.page)} if advice.page else {})
                for advice in failure.advice
            ],
        }
        | ({} if failure.outside is None else {"outside": in_order(failure.outside)})
        | _ranks(failure)
        | _conflict(failure)
    )


def _conflict(failure: FailureReport) -> Json:
    conflict = failure.conflict
    if conflict is None:
        return {}
    values = [
        {
            "value": in_order(value.value),
            "places": [{"file": well_formed(p.file), "line": p.line} for p in value.places],
            "others": value.others,
        }
        for value in conflict.values
    ]
    return {"conflict": {"values": values, "known": in_order(conflict.known)}}


def _ranks(failure: FailureReport) -> Json:
    ranks = failure.ranks
    if ranks is None:
        return {}
    groups = [
        {
            "ranks": list(group.ranks),
            "doing": group.doing,
            "operation": in_order(group.operation),
            "file": group.file and well_formed(group.file),
            "line": group.line,
        }
        for group in ranks.groups
    ]
    return {
        "ranks": {
            "size": ranks.size,
            "apart": list(ranks.apart),
            "certain": ranks.is_certain,
            "groups": groups,
            "summary": in_order(ranks.summary),
        }
    }


def suspect_to_json(suspect: Suspect) -> Json:
    """Return one suspicious place of a failure."""
    return (
        {
            "rank": suspect.rank,
            "file": well_formed(suspect.file),
            "line": suspect.line,
            "end_line": suspect.end_line,
            "function": _optional(suspect.function),
            "score": _share(suspect.score),
            "evidence": [evidence_to_json(evidence) for evidence in suspect.evidence],
            "cell": asdict(suspect.cell) if suspect.cell is not None else None,
        }
        | _suggestion(suspect)
        | _chain(suspect)
    )


def _suggestion(suspect: Suspect) -> Json:
    edit = suspect.suggestion
    if edit is None:
        return {}
    return {"suggestion": {"before": well_formed(edit.before), "after": well_formed(edit.after)}}


def _chain(suspect: Suspect) -> Json:
    if not suspect.chain:
        return {}
    steps = [
        {"file": well_formed(step.file), "line": step.line, "text": in_order(step.text)}
        for step in suspect.chain
    ]
    return {"chain": steps}


def evidence_to_json(evidence: Evidence) -> Json:
    """Return one reason for a place."""
    return {
        "kind": evidence.kind,
        "score": _share(evidence.score),
        "why": in_order(evidence.why),
    }


def _exception(failure: FailureReport) -> Json | None:
    if failure.exception is None:
        return None
    return {
        "type": in_order(failure.exception.type),
        "message": in_order(failure.exception.message),
    }


def _process(failure: FailureReport) -> Json | None:
    if failure.process is None:
        return None
    return {"rank": failure.process.rank, "host": _optional(failure.process.host)}


def _frame(frame: ReportFrame) -> Json:
    return {
        "file": well_formed(frame.file),
        "line": frame.line,
        "function": _optional(frame.function),
        "workspace_file": frame.workspace_file and well_formed(frame.workspace_file),
        "workspace_line": frame.workspace_line,
        **({"mapped": True} if frame.mapped else {}),
        **({"changed": True} if frame.changed else {}),
        **({"variables": _variables(frame)} if frame.variables else {}),
    }


def _variables(frame: ReportFrame) -> list[Json]:
    return [
        {"name": well_formed(variable.name), "value": well_formed(variable.value)}
        for variable in frame.variables
    ]


def _file(file: SuspectFile) -> Json:
    return {"rank": file.rank, "file": well_formed(file.file), "score": _share(file.score)}


def _optional(text: str | None) -> str | None:
    return None if text is None else in_order(text)


def _share(value: float) -> float:
    if not math.isfinite(value):
        return 0.0
    return round(min(1.0, max(0.0, float(value))), 4)
