"""The findings of the checks as text, JSON (docs/check.schema.json), SARIF and annotations."""

from __future__ import annotations

from typing import Any

from dl_bug_lsp.checks.checking import BY_ID
from dl_bug_lsp.checks.findings import Certainty, CheckReport, Finding
from dl_bug_lsp.views.escape import escape, in_order, shorten, well_formed
from dl_bug_lsp.views.github import command
from dl_bug_lsp.views.layout import PLAIN, Lines, PathStyle, Style, wrap
from dl_bug_lsp.views.sarif import FINGERPRINT, digest, log_of, physical, plain
from dl_bug_lsp.views.words import counted

VERSION = 1
SARIF_LEVELS = {Certainty.SURE: "error", Certainty.LIKELY: "warning", Certainty.LOOK: "note"}
GITHUB_LEVELS = {Certainty.SURE: "error", Certainty.LIKELY: "warning", Certainty.LOOK: "notice"}
NOTHING = "Nothing was found that would make a run fail; not all failures can be seen before."
UNCHECKED = "No finding."
NO_PROGRAM = "No program was checked: the command starts no Python program of this folder."
NONE_FOUND = (
    "No program was checked: this folder has no launch file that starts one, no script that does "
    "something and no notebook. Name the command, as in dl-bug-lsp check -- python train.py."
)
TYPED = "the command"
MOST = 5
"""Commands that the last line names."""
LONGEST_COMMAND = 120

Json = dict[str, Any]


def to_json(report: CheckReport) -> Json:
    """Return the findings as JSON values: well-formed Unicode, what is said as it is read."""
    return {
        "version": VERSION,
        "programs": [well_formed(entry) for entry in report.entries],
        "findings": [
            {
                "id": finding.id,
                "category": finding.category,
                "certainty": finding.certainty.value,
                "file": well_formed(finding.file) or None,
                "line": finding.line or None,
                "end_line": finding.end_line or None,
                "message": in_order(finding.message),
                "evidence": [in_order(text) for text in finding.evidence],
            }
            for finding in report.findings
        ],
        "problems": [in_order(problem) for problem in report.problems],
    }


def to_sarif(report: CheckReport, lines: Lines) -> Json:
    """Return a SARIF 2.1.0 log with one result for each finding; the rules are the checks."""
    used = sorted({finding.id for finding in report.findings})
    index = {id: at for at, id in enumerate(used)}
    results = []
    for finding in report.findings:
        source = lines(finding.file)
        text = source[finding.line - 1].strip() if 1 <= finding.line <= len(source) else ""
        message = " ".join((finding.message, *finding.evidence))
        results.append(
            {
                "ruleId": finding.id,
                "ruleIndex": index[finding.id],
                "level": SARIF_LEVELS[finding.certainty],
                "message": {"text": plain(message)},
                "locations": [{"physicalLocation": place} for place in _places(finding)],
                "partialFingerprints": {FINGERPRINT: digest(finding.id, finding.file, text)},
                "properties": {"category": finding.category, "certainty": finding.certainty.value},
            }
        )
    return log_of([_rule(id) for id in used], results, report.problems, report.workspace)


def _places(finding: Finding) -> list[Json]:
    """Return the place of a finding, none where it is in the command that was typed."""
    return [physical(finding.file, finding.line, finding.end_line)] if finding.file else []


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
    for finding in report.findings:
        properties: dict[str, str] = {}
        if finding.file:
            properties = {"file": prefix + finding.file, "line": str(finding.line)}
        if finding.end_line > finding.line:
            properties["endLine"] = str(finding.end_line)
        properties["title"] = f"{finding.id} ({finding.certainty.value})"
        text_lines = "\n".join(escape(text) for text in (finding.message, *finding.evidence))
        out.append(command(GITHUB_LEVELS[finding.certainty], properties, text_lines))
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
    for finding in report.findings:
        out += [*_finding(finding, report.command, lines, max(width, 40), style, paths), ""]
    for problem in report.problems:
        out += wrap(f"Note: {escape(problem)}", max(width, 40), "", "  ")
    out += wrap(_summary(report), max(width, 40), "", "  ")
    return "\n".join(out) + "\n"


def _finding(
    finding: Finding, typed: str, lines: Lines, width: int, style: Style, paths: PathStyle
) -> list[str]:
    mark = style.error if finding.certainty is Certainty.SURE else style.suspect
    head = paths.place(finding.file, finding.line) if finding.file else TYPED
    out = [f"{style.place(head)}  {mark(finding.certainty.value)}  {style.bold(finding.id)}"]
    out += wrap(escape(finding.message), width, "  ")
    source = lines(finding.file) if finding.file else [typed]
    at = finding.line if finding.file else 1
    if 1 <= at <= len(source) and source[at - 1].strip():
        code = shorten(escape(source[at - 1].strip()), max(width - 6, 20))
        out.append(style.dim(f"    {code}"))
    for text in finding.evidence:
        out += wrap(escape(text), width, "  - ", "    ")
    return out


def _summary(report: CheckReport) -> str:
    looked = _looked_at(report)
    if not report.findings:
        return f"{NOTHING} {looked}" if report.entries else f"{UNCHECKED} {looked}"
    by = [(c, sum(f.certainty is c for f in report.findings)) for c in Certainty]
    counts = ", ".join(f"{count} {certainty.value}" for certainty, count in by if count)
    return f"{counted(len(report.findings), 'finding')} ({counts}). {looked}"


def _looked_at(report: CheckReport) -> str:
    """Return in one sentence which programs were looked at."""
    if report.entries:
        names = [escape(shorten(entry, LONGEST_COMMAND)) for entry in report.entries[:MOST]]
        more = len(report.entries) - MOST
        return f"Checked: {', '.join(names)}{f' and {more} more' if more > 0 else ''}."
    if report.command:
        return NO_PROGRAM
    return NONE_FOUND
