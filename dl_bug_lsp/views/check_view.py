"""The findings of the checks as text, JSON (docs/check.schema.json), SARIF and annotations."""

from __future__ import annotations

from typing import Any

from dl_bug_lsp.checks.findings import Certainty, CheckReport, Finding
from dl_bug_lsp.checks.registry import BY_ID
from dl_bug_lsp.views.escape import escape, in_order, shorten, well_formed
from dl_bug_lsp.views.github import command
from dl_bug_lsp.views.layout import PLAIN, Lines, PathStyle, Style, wrap
from dl_bug_lsp.views.sarif import FINGERPRINT, digest, log_of, physical, plain
from dl_bug_lsp.views.words import counted

VERSION = 1
SARIF_LEVELS = {Certainty.SURE: "error", Certainty.LIKELY: "warning", Certainty.LOOK: "note"}
GITHUB_LEVELS = {Certainty.SURE: "error", Certainty.LIKELY: "warning", Certainty.LOOK: "notice"}
NOTHING = "Nothing was found that would make a run fail."
UNCHECKED = "No finding; no command was checked."

Json = dict[str, Any]


def to_json(report: CheckReport) -> Json:
    """Return the findings as JSON values: well-formed Unicode, what is said as it is read."""
    return {
        "version": VERSION,
        "findings": [
            {
                "id": found.id,
                "category": found.category,
                "certainty": found.certainty.value,
                "file": well_formed(found.file),
                "line": found.line,
                "end_line": found.end_line,
                "message": in_order(found.message),
                "evidence": [in_order(said) for said in found.evidence],
            }
            for found in report.findings
        ],
        "problems": [in_order(problem) for problem in report.problems],
    }


def to_sarif(report: CheckReport, lines: Lines) -> Json:
    """Return a SARIF 2.1.0 log with one result for each finding; the rules are the checks."""
    used = sorted({found.id for found in report.findings})
    index = {id: at for at, id in enumerate(used)}
    results = []
    for found in report.findings:
        source = lines(found.file)
        text = source[found.line - 1].strip() if 1 <= found.line <= len(source) else ""
        message = " ".join((found.message, *found.evidence))
        results.append(
            {
                "ruleId": found.id,
                "ruleIndex": index[found.id],
                "level": SARIF_LEVELS[found.certainty],
                "message": {"text": plain(message)},
                "locations": [
                    {"physicalLocation": physical(found.file, found.line, found.end_line)}
                ],
                "partialFingerprints": {FINGERPRINT: digest(found.id, found.file, text)},
                "properties": {"category": found.category, "certainty": found.certainty.value},
            }
        )
    return log_of([_rule(id) for id in used], results, report.problems, report.workspace)


def _rule(id: str) -> Json:
    check = BY_ID[id]
    return {
        "id": check.id,
        "name": "".join(part.title() for part in check.id.split("-")),
        "shortDescription": {"text": check.about},
        "fullDescription": {"text": check.explanation},
        "help": {"text": f"{check.explanation}\n\nMore: docs/checks.md"},
        "defaultConfiguration": {"level": SARIF_LEVELS[check.certainty]},
        "properties": {"tags": [check.category]},
    }


def to_github(report: CheckReport, prefix: str = "") -> str:
    """Return one workflow command for each finding; ``prefix`` leads to the workspace."""
    out = []
    for found in report.findings:
        properties = {"file": prefix + found.file, "line": str(found.line)}
        if found.end_line > found.line:
            properties["endLine"] = str(found.end_line)
        properties["title"] = f"{found.id} ({found.certainty.value})"
        said = "\n".join(escape(text) for text in (found.message, *found.evidence))
        out.append(command(GITHUB_LEVELS[found.certainty], properties, said))
    return "".join(f"{line}\n" for line in out)


def render_text(
    report: CheckReport,
    lines: Lines,
    width: int = 80,
    style: Style = PLAIN,
    paths: PathStyle | None = None,
) -> str:
    """Return the findings as text: each with its place, its line of code and its evidence."""
    paths = paths or PathStyle()
    out: list[str] = []
    for found in report.findings:
        out += [*_finding(found, lines, max(width, 40), style, paths), ""]
    for problem in report.problems:
        out += wrap(f"Note: {escape(problem)}", max(width, 40), "", "  ")
    out += wrap(_summary(report), max(width, 40), "", "  ")
    return "\n".join(out) + "\n"


def _finding(found: Finding, lines: Lines, width: int, style: Style, paths: PathStyle) -> list[str]:
    mark = style.error if found.certainty is Certainty.SURE else style.suspect
    head = f"{paths.place(found.file, found.line)}"
    out = [f"{style.place(head)}  {mark(found.certainty.value)}  {style.bold(found.id)}"]
    out += wrap(escape(found.message), width, "  ")
    source = lines(found.file)
    if 1 <= found.line <= len(source) and source[found.line - 1].strip():
        code = shorten(escape(source[found.line - 1].strip()), max(width - 6, 20))
        out.append(style.dim(f"    {code}"))
    for said in found.evidence:
        out += wrap(escape(said), width, "  - ", "    ")
    return out


def _summary(report: CheckReport) -> str:
    runs = counted(len(report.entries), "command")
    if not report.findings:
        if not report.entries and report.problems:
            return UNCHECKED
        said = f" {runs} checked." if report.entries else ""
        return f"{NOTHING}{said}"
    by = [(c, sum(f.certainty is c for f in report.findings)) for c in Certainty]
    told = ", ".join(f"{count} {certainty.value}" for certainty, count in by if count)
    return f"{counted(len(report.findings), 'finding')} ({told}); {runs} checked."
