"""The report as SARIF 2.1.0 (OASIS, errata 01), one result for each suspicious place."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from dl_bug_lsp import __version__
from dl_bug_lsp.report import FailureReport, Report, ReportFrame, Suspect
from dl_bug_lsp.views import words
from dl_bug_lsp.views.escape import escape, shorten, well_formed
from dl_bug_lsp.views.layout import Lines
from dl_bug_lsp.views.words import CategoryWords, category_words, headline

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
ROOT_ID = "SRCROOT"
FINGERPRINT = "suspiciousPlace/v1"
LONGEST_MESSAGE = 1_000
_LINK = re.compile(r"\]\(")
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_REFERENCE = re.compile(r"&(?=#|[A-Za-z])")

Json = dict[str, Any]


def to_sarif(report: Report, lines: Lines) -> Json:
    """Return the report as a SARIF log with one run; ``lines`` gives a workspace file's lines."""
    categories = sorted({failure.category.id for failure in report.failures})
    rules = [category_words(category) for category in categories]
    index = {category: at for at, category in enumerate(categories)}
    results = [
        result
        for failure in report.failures
        for result in _results(failure, index[failure.category.id], lines)
    ]
    return log_of([_rule(rule) for rule in rules], results, report.problems, report.workspace)


def log_of(
    rules: Sequence[Json], results: Sequence[Json], problems: Sequence[str], folder: str
) -> Json:
    """Return a SARIF log with one run of this program over a folder."""
    run: Json = {
        "tool": {
            "driver": {
                "name": "dl-bug-lsp",
                "semanticVersion": __version__,
                "rules": list(rules),
            }
        },
        "columnKind": "unicodeCodePoints",
        "invocations": [_invocation(problems)],
        "results": list(results),
    }
    workspace = PurePath(well_formed(folder))
    if workspace.is_absolute():
        root = workspace.as_uri().rstrip("/") + "/"
        run["originalUriBaseIds"] = {ROOT_ID: {"uri": root}}
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(rule: CategoryWords) -> Json:
    meaning = rule.meaning or rule.name
    return {
        "id": rule.id,
        "name": "".join(part.title() for part in rule.id.split("_")),
        "shortDescription": {"text": rule.name},
        "fullDescription": {"text": meaning},
        "help": {"text": f"{meaning}\n\nMore: dl-bug-lsp explain {rule.id}"},
        "defaultConfiguration": {"level": "error"},
        "properties": {"tags": [rule.dimension] if rule.dimension else []},
    }


def _invocation(problems: Sequence[str]) -> Json:
    invocation: Json = {"executionSuccessful": True}
    if problems:
        invocation["toolExecutionNotifications"] = [
            {"level": "note", "message": {"text": plain(problem)}} for problem in problems
        ]
    return invocation


def _results(failure: FailureReport, rule_index: int, lines: Lines) -> list[Json]:
    base: Json = {"ruleId": failure.category.id, "ruleIndex": rule_index}
    related = _related(failure.frames)
    if not failure.suspects:
        outside = words.outside(failure)
        message = {"text": plain(f"{headline(failure)} {outside}".strip())}
        fingerprint = {FINGERPRINT: digest(failure.id)}
        bare = {**base, "level": "error", "message": message, "partialFingerprints": fingerprint}
        return [{**bare, **({"relatedLocations": related} if related else {})}]
    results = []
    for suspect in failure.suspects:
        result = {**base, **_suspicion(failure, suspect, lines)}
        if related:
            result["relatedLocations"] = related
        if suspect is failure.suspects[0] and failure.frames:
            result["codeFlows"] = [_code_flow(failure)]
        results.append(result)
    return results


def _suspicion(failure: FailureReport, suspect: Suspect, lines: Lines) -> Json:
    source = lines(suspect.file)
    text = source[suspect.line - 1] if 1 <= suspect.line <= len(source) else ""
    reasons_given = [evidence.why for evidence in suspect.evidence[:3]]
    reasons = " ".join((*reasons_given, *words.reservations(failure)))
    where = f" ({words.cell_place(suspect.cell)})" if suspect.cell is not None else ""
    doubt = words.doubt(failure)
    unsure = f" ({doubt})" if doubt and (suspect.rank == 1 or doubt == words.UNSURE_BRIEFLY) else ""
    message = f"Suspicious place {suspect.rank}{unsure}{where} for: {headline(failure)}"
    location: Json = {"physicalLocation": physical(suspect.file, suspect.line, suspect.end_line)}
    if text:
        location["physicalLocation"]["region"]["snippet"] = {"text": _inert(text)}
    if suspect.function:
        location["logicalLocations"] = [{"fullyQualifiedName": _inert(suspect.function)}]
    return {
        "level": _level(failure, suspect),
        "rank": round(100 * min(1.0, max(0.0, suspect.score)), 2),
        "message": {"text": plain(f"{message}. {reasons}" if reasons else message)},
        "locations": [location],
        "partialFingerprints": {
            FINGERPRINT: digest(
                failure.category.id, suspect.file, suspect.function or "", text.strip()
            )
        },
        "properties": {
            "failure": failure.id,
            "primary": failure.primary,
            "evidence": [evidence.kind for evidence in suspect.evidence],
        },
    }


def _level(failure: FailureReport, suspect: Suspect) -> str:
    if suspect.rank == 1:
        return "error" if failure.primary else "warning"
    return "warning" if failure.primary and suspect.rank <= 3 else "note"


def _related(frames: Sequence[ReportFrame]) -> list[Json]:
    """Return the workspace's frames, the raise site first."""
    inside = [frame for frame in frames if frame.workspace_file]
    related = []
    for at, frame in enumerate(dict.fromkeys(reversed(inside))):
        line = frame.workspace_line or frame.line
        words_ = "Raised below this line" if at == 0 else "Called from here"
        if frame.changed:
            words_ += " as it stood in the run; it was changed since"
        if frame.mapped:
            words_ += f" (mapped: the log calls it {escape(frame.file)}:{frame.line})"
        location: Json = {"id": at, "message": {"text": words_}}
        location["physicalLocation"] = physical(frame.workspace_file or "", line, line)
        related.append(location)
    return related


def _code_flow(failure: FailureReport) -> Json:
    steps = []
    for at, frame in enumerate(failure.frames):
        words_ = frame.function or frame.file
        location: Json = {"message": {"text": plain(words_)}}
        if frame.workspace_file:
            line = frame.workspace_line or frame.line
            location["physicalLocation"] = physical(frame.workspace_file, line, line)
            if frame.mapped:
                location["message"]["text"] += f" (mapped from {plain(frame.file)})"
        else:
            printed = f"{_inert(frame.file)}:{frame.line}"
            location["logicalLocations"] = [{"fullyQualifiedName": printed}]
        importance = "essential" if frame.workspace_file else "unimportant"
        steps.append({"executionOrder": at + 1, "importance": importance, "location": location})
    return {
        "message": {"text": f"The stack, {words.counted(len(steps), 'frame')}, outermost first"},
        "threadFlows": [{"locations": steps}],
    }


def physical(file: str, first: int, last: int) -> Json:
    """Return a place in a workspace file; lines are 1-based."""
    region = {"startLine": max(1, first)}
    if last > first:
        region["endLine"] = last
    uri = quote(file.encode("utf-8", "replace"), safe="/~!$&'()*+,;=@")
    return {"artifactLocation": {"uri": uri, "uriBaseId": ROOT_ID}, "region": region}


def plain(text: str) -> str:
    """Return a message's text, bounded, with nothing in it that a viewer takes for more."""
    return _inert(shorten(text, LONGEST_MESSAGE))


def _inert(text: str) -> str:
    """Return a text in which no viewer finds a link, a tag or a reference of HTML.

    SARIF's links are ``[text](target)`` in plain text as well (3.11.6). Its own escapes, which are
    backslashes, are shown by some viewers, and are no obstacle to the pattern of others; a blank in
    between is one to all.
    """
    shown = _LINK.sub("] (", escape(text))
    return _REFERENCE.sub("& ", _TAG.sub("< ", shown))


def digest(*parts: str) -> str:
    """Return a fingerprint of texts."""
    joined = "\0".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.sha256(joined).hexdigest()[:32]
