"""The tools: their schemas, and an answer as text and as JSON values for each call.

The text is for the model and bounded; the values are the report's own (docs/report.schema.json).
Everything is redacted: what a tool answers may leave the machine.
"""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dl_bug_lsp.assistants.explaining import PLACES, clean, context_of, meaning_of
from dl_bug_lsp.assistants.value_origins import MOST_STEPS, why, why_text
from dl_bug_lsp.mcp_server.folders import (
    Folders,
    KeptFailure,
    ShownPlace,
    ToolError,
    below,
    localized,
    log_bytes,
)
from dl_bug_lsp.report import FailureReport, Report
from dl_bug_lsp.taxonomy.categories import categories
from dl_bug_lsp.views.escape import escape, in_order, shorten
from dl_bug_lsp.views.explain import explain_markdown
from dl_bug_lsp.views.json_view import to_json
from dl_bug_lsp.views.markdown import code, plain, render_markdown
from dl_bug_lsp.views.words import counted, headline
from dl_bug_lsp.workspace import Workspace

if TYPE_CHECKING:
    from dl_bug_lsp.mcp_server.folders import Folders


Json = dict[str, Any]
BRIEF, FULL = "brief", "full"
BRIEF_PLACES, BRIEF_REASONS, FULL_FRAMES = 5, 2, 60
PAGE = 10
"""Failures, or places of a failure, on a page of a full answer."""
BRIEF_TOKENS, FULL_TOKENS = 800, 3000
LONGEST_TEXT = 32 * 2**20
LONGEST_STRING = 2_000
MOST_HELD = 20
"""Reports of this session that can be read again as resources."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a call gives: a text for the model, and JSON values of the tool's output schema."""

    text: str
    values: Json


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool by its name, with JSON schemas of what goes in and comes out."""

    name: str
    title: str
    description: str
    takes: Json
    gives: Json
    run: Callable[[Mapping[str, Any]], Answer]
    read_only: bool = True


@dataclass(frozen=True, slots=True)
class HeldReport:
    """A report that can be read again, with the folder that it was made for."""

    id: str
    report: Report
    workspace: Workspace


_WORKSPACE = {
    "type": "string",
    "description": "Folder of the code; the one the server was started for where it is left out.",
}
_DETAIL = {
    "type": "string",
    "enum": [BRIEF, FULL],
    "default": BRIEF,
    "description": "brief: the failure that ended the job and its first places. full: all of it.",
}
_PAGE = {"type": "integer", "minimum": 1, "default": 1, "description": "With detail full."}


def _object(properties: Json, required: Sequence[str] = ()) -> Json:
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
        "required": list(required),
    }


@dataclass(eq=False)
class Tools:
    """The tools over some folders; used by one thread at a time."""

    folders: Folders
    logs: tuple[Path, ...] = ()
    held: dict[str, HeldReport] = field(default_factory=dict)

    def all(self) -> list[Tool]:
        """Return the tools, those that this installation lacks left out."""
        return [
            Tool(
                "localize",
                "Localize a failure",
                "Say what kind of failure ended a deep-learning job, and which lines of the "
                "workspace most likely hold its cause. Takes a log or a traceback. Offline; "
                "nothing is run.",
                _object(
                    {
                        "log_path": {
                            "type": "string",
                            "description": "A log below the workspace; or give text.",
                        },
                        "text": {"type": "string", "description": "What the failed run printed."},
                        "workspace": _WORKSPACE,
                        "detail": _DETAIL,
                        "tokens": {
                            "type": "integer",
                            "minimum": 200,
                            "maximum": 20_000,
                            "description": "Tokens that the text of the answer takes at most.",
                        },
                        "page": _PAGE,
                    }
                ),
                report_schema(),
                self.localize,
            ),
            Tool(
                "latest_failures",
                "Latest failures",
                "List the failures of training jobs that the user's editor shows now, the latest "
                "first, with their suspicious places at the lines where they stand now.",
                _object({"workspace": _WORKSPACE, "detail": _DETAIL, "page": _PAGE}),
                FAILURES_SCHEMA,
                self.latest_failures,
            ),
            Tool(
                "explain",
                "Explain a category or a message",
                "Say what a failure category, or the category of an error message, means, what "
                "usually causes it and what helps.",
                _object(
                    {
                        "about": {
                            "type": "string",
                            "description": "A category (tensor_mismatch), a word (oom), a message.",
                        }
                    },
                    ["about"],
                ),
                EXPLAIN_SCHEMA,
                self.explain,
            ),
            Tool(
                "why",
                "Why does a line have these values",
                "Say where the values of a line come from: for each expression of a line of "
                "Python what it may stand for, and the assignments, calls, constants and settings "
                "that it was made of. Nothing is run.",
                _object(
                    {
                        "file": {"type": "string", "description": "Relative to the workspace."},
                        "line": {"type": "integer", "minimum": 1},
                        "workspace": _WORKSPACE,
                        "detail": _DETAIL,
                    },
                    ["file", "line"],
                ),
                WHY_SCHEMA,
                self.why,
            ),
            *extra_tools(self.folders, self.logs),
        ]

    def localize(self, arguments: Mapping[str, Any]) -> Answer:
        """Localize a log or a text; raises `ToolError` for a wrong call."""
        named, text = arguments.get("log_path"), arguments.get("text")
        if (named is None) == (text is None):
            raise ToolError("give either 'log_path' or 'text'")
        workspace = self.folders.workspace(arguments.get("workspace"))
        data = log_bytes(workspace, named, self.logs) if named is not None else text
        if not data or len(data) > LONGEST_TEXT:
            raise ToolError("the text is empty" if not data else "the text is too long")
        report = localized(data, workspace, PLACES)
        self._hold(report, workspace)
        detail = arguments.get("detail", BRIEF)
        default = BRIEF_TOKENS if detail == BRIEF else FULL_TOKENS
        answer = context_of(report, workspace, arguments.get("tokens", default))
        if detail == BRIEF:
            return Answer(answer, cleaned(to_json(brief(report))))
        shown, pages = paged(report, arguments.get("page", 1))
        if pages > 1:
            answer += f"\nPage {arguments.get('page', 1)} of {pages} of the structured report.\n"
        return Answer(answer, cleaned(to_json(shown)))

    def _hold(self, report: Report, workspace: Workspace) -> None:
        primary = report.primary or next(iter(report.failures), None)
        if primary is None:
            return
        self.held.pop(primary.id, None)
        self.held[primary.id] = HeldReport(primary.id, report, workspace)
        while len(self.held) > MOST_HELD:
            del self.held[next(iter(self.held))]

    def latest_failures(self, arguments: Mapping[str, Any]) -> Answer:
        """List what the editor shows."""
        workspace = self.folders.workspace(arguments.get("workspace"))
        reports = self.folders.kept(workspace)
        for kept_report in reversed(reports):
            self._hold(kept_report.report, workspace)
        is_brief = arguments.get("detail", BRIEF) == BRIEF
        rows = [row for kept_report in reports for row in self._rows(kept_report, is_brief)]
        pages = max(1, math.ceil(len(rows) / PAGE))
        page = 1 if is_brief else arguments.get("page", 1)
        rows = rows[(page - 1) * PAGE : page * PAGE]
        if not rows:
            message = "The editor shows no failure of this workspace."
            return Answer(message + "\n", {"failures": [], "page": page, "pages": pages})
        out = ["The failures that the editor shows, the latest first. Code spans are quoted."]
        for row in rows:
            out.append(f"- {code(row['message'])} ({plain(row['category'])}), report {row['id']}")
            for place in row["places"]:
                where = code(f"{place['file']}:{place['line']}")
                out.append(f"  {place['rank']}. {where} {code(place['text'])}")
        values = cleaned({"failures": rows, "page": page, "pages": pages})
        return Answer(clean("\n".join(out)) + "\n", values)

    @staticmethod
    def _rows(stored: KeptFailure, is_brief: bool) -> list[Json]:
        most = BRIEF_PLACES if is_brief else PLACES
        return [
            {
                "id": failure.id,
                "report": stored.id,
                "source": in_order(shorten(stored.source, 200)),
                "primary": failure.primary,
                "category": failure.category.id,
                "message": clean(shorten(headline(failure), 300)),
                "places": [
                    asdict(_clean_place(place))
                    for place in stored.places.get(failure.id, ())[:most]
                ],
            }
            for failure in stored.report.failures
            if failure.id in stored.places or not is_brief
        ]

    def explain(self, arguments: Mapping[str, Any]) -> Answer:
        """Say what a category or a message means; raises `ToolError` where none is known."""
        about = arguments["about"][:20_000]
        meaning = meaning_of(about)
        if meaning is None:
            known = ", ".join(row.id for row in categories())
            raise ToolError(f"no category is known for this. The categories: {known}")
        category = meaning.category
        advice = [asdict(item.advice) for item in category.advice]
        values = {
            "id": category.id,
            "name": category.name,
            "definition": category.definition,
            "retry_may_help": category.retry_may_help,
            "advice": [{"cause": advised["cause"], "fix": advised["fix"]} for advised in advice],
        }
        return Answer(explain_markdown(category), values)

    def why(self, arguments: Mapping[str, Any]) -> Answer:
        """Say where the values of a line come from; raises `ToolError` for a line without any."""
        workspace = self.folders.workspace(arguments.get("workspace"))
        file = file_named(workspace, arguments["file"])
        steps = MOST_STEPS if arguments.get("detail", BRIEF) == BRIEF else 4 * MOST_STEPS
        frames = next(
            (
                failure.frames
                for held in reversed(self.held.values())
                if held.workspace is workspace
                for failure in held.report.failures
                if any(f.workspace_file == file for f in failure.frames)
            ),
            (),
        )
        try:
            answer = why(workspace, file, arguments["line"], frames, steps)
        except LookupError as error:
            raise ToolError(str(error.args[0])) from None
        return Answer(why_text(answer), cleaned(asdict(answer)))

    def resource(self, report: str) -> str | None:
        """Return the page of a report of this session, None for one that is not held."""
        report_held = self.held.get(report)
        if report_held is None:
            return None
        return clean(render_markdown(report_held.report))


def file_named(workspace: Workspace, name: str) -> str:
    """Return a file of the workspace by its relative or absolute name; raises `ToolError`."""
    plain_name = name.replace("\\", "/").removeprefix("./")
    root = workspace.root.as_posix().rstrip("/") + "/"
    plain_name = plain_name.removeprefix(root)
    if plain_name not in workspace.files():
        raise ToolError(f"there is no file '{escape(name)[:200]}' in the workspace")
    return plain_name


def brief(report: Report) -> Report:
    """Return a report with the failure that ended the job, its first places and own frames."""
    primary = report.primary or next(iter(report.failures), None)
    failures = (_shortened(primary),) if primary is not None else ()
    return Report(report.workspace, failures, report.problems[:3])


def _shortened(failure: FailureReport) -> FailureReport:
    from dataclasses import replace

    suspects = tuple(
        replace(
            suspect,
            evidence=tuple(sorted(suspect.evidence, key=lambda e: -e.score)[:BRIEF_REASONS]),
        )
        for suspect in failure.suspects[:BRIEF_PLACES]
    )
    own = tuple(frame for frame in failure.frames if frame.workspace_file)[-PAGE:]
    return replace(
        failure, suspects=suspects, frames=own, files=failure.files[:3], advice=failure.advice[:1]
    )


def paged(report: Report, page: int) -> tuple[Report, int]:
    """Return a page of a report and how many there are.

    The first holds the failure that ended the job with its first places; the next pages hold more
    of its places, then the other failures. Raises `ToolError` for a page that does not exist.
    """
    from dataclasses import replace

    primary = report.primary or next(iter(report.failures), None)
    if primary is None:
        return report, 1
    parts = [
        replace(
            primary, suspects=primary.suspects[at : at + PAGE], frames=primary.frames[-FULL_FRAMES:]
        )
        for at in range(0, max(1, len(primary.suspects)), PAGE)
    ]
    others = [
        replace(failure, suspects=failure.suspects[:PAGE], frames=failure.frames[-FULL_FRAMES:])
        for failure in report.failures
        if failure is not primary
    ]
    pages: list[tuple[FailureReport, ...]] = [(part,) for part in parts]
    pages += [tuple(others[at : at + PAGE]) for at in range(0, len(others), PAGE)]
    if page > len(pages):
        raise ToolError(f"there are {len(pages)} pages")
    return replace(report, failures=pages[page - 1]), len(pages)


def cleaned(value: Any) -> Any:
    """Return JSON values whose texts hold no secrets and are bounded."""
    if isinstance(value, str):
        return in_order(clean(shorten(value, LONGEST_STRING)))
    if isinstance(value, Mapping):
        return {key: cleaned(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [cleaned(item) for item in value]
    return value


def _clean_place(place: ShownPlace) -> ShownPlace:
    return ShownPlace(place.rank, place.file, place.line, clean(escape(place.text)), place.score)


@cache
def report_schema() -> Json:
    """Return the schema of the report, as docs/report.schema.json has it."""
    package = files("dl_bug_lsp.mcp_server")
    schema: Json = json.loads((package / "report.schema.json").read_text(encoding="utf-8"))
    return schema


_TEXT: Json = {"type": "string"}
_NUMBER: Json = {"type": "integer"}
_TEXTS = {"type": "array", "items": _TEXT}


def _all(**properties: Any) -> Json:
    return _object(properties, list(properties))


FAILURES_SCHEMA = _all(
    failures={
        "type": "array",
        "items": _all(
            id=_TEXT,
            report=_TEXT,
            source=_TEXT,
            primary={"type": "boolean"},
            category=_TEXT,
            message=_TEXT,
            places={
                "type": "array",
                "items": _all(
                    rank=_NUMBER, file=_TEXT, line=_NUMBER, text=_TEXT, score={"type": "number"}
                ),
            },
        ),
    },
    page=_NUMBER,
    pages=_NUMBER,
)
EXPLAIN_SCHEMA = _all(
    id=_TEXT,
    name=_TEXT,
    definition=_TEXT,
    retry_may_help={"type": ["boolean", "null"]},
    advice={"type": "array", "items": _all(cause=_TEXT, fix=_TEXT)},
)
WHY_SCHEMA = _all(
    file=_TEXT,
    line=_NUMBER,
    code=_TEXT,
    function={"type": ["string", "null"]},
    expressions={
        "type": "array",
        "items": _all(
            text=_TEXT,
            values=_TEXTS,
            origins={
                "type": "array",
                "items": _all(
                    file=_TEXT, line=_NUMBER, text=_TEXT, values=_TEXTS, decides={"type": "boolean"}
                ),
            },
            more={"type": "boolean"},
        ),
    },
    complete={"type": "boolean"},
)


# ---------------------------------------------------------------------- check and triage
MOST_FINDINGS = 20
MOST_GROUPS = 20
_OBJECT: Json = {"type": "object"}


def extra_tools(folders: Folders, logs: Sequence[Path]) -> list[Tool]:
    """Return the tools that look at commands and at folders of logs."""
    return [_check_tool(folders), _triage_tool(folders, logs)]


def _takes(name: str, description: str) -> Json:
    workspace = {"type": "string", "description": "Folder of the code."}
    properties = {name: {**_TEXT, "description": description}, "workspace": workspace}
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
        "required": [name],
    }


def _check_tool(folders: Folders) -> Tool:
    def check(arguments: Mapping[str, Any]) -> Answer:
        from dl_bug_lsp.checks.checking import check as checked
        from dl_bug_lsp.views.check_view import to_json

        workspace = folders.workspace(arguments.get("workspace"))
        try:
            words = shlex.split(arguments["command"])
        except ValueError:
            raise ToolError("the command has a quote that is not closed") from None
        report = checked(workspace, words)
        findings = report.findings
        out = [f"{counted(len(findings), 'finding')}; code spans are quoted. Nothing was started."]
        for finding in findings[:MOST_FINDINGS]:
            place = code(f"{finding.file}:{finding.line}") if finding.file else "the command"
            out.append(
                f"- {finding.certainty.value} {place} {plain(finding.id)}: {code(finding.message)}"
            )
        out += [f"- not looked at: {code(problem)}" for problem in report.problems[:5]]
        return Answer(clean("\n".join(out)) + "\n", cleaned(to_json(report)))

    return Tool(
        "check",
        "Check a command before it runs",
        "Say what is certainly or likely wrong with a training command before it is run: names, "
        "imports, options, settings, paths, calls of libraries. Nothing is started.",
        _takes("command", "The command as it would be typed, as in python train.py --lr 1e-3."),
        _OBJECT,
        check,
    )


def _triage_tool(folders: Folders, logs: Sequence[Path]) -> Tool:
    def triage(arguments: Mapping[str, Any]) -> Answer:
        from dl_bug_lsp.triage import MissingExtraError
        from dl_bug_lsp.triage import triage as triaged
        from dl_bug_lsp.triage.results import to_json

        workspace = folders.workspace(arguments.get("workspace"))
        folder = below(workspace.root / arguments["folder"], (workspace.root, *logs))
        if folder is None:
            raise ToolError(f"the folder '{arguments['folder']}' is outside of the workspace")
        try:
            result = triaged([str(folder)], workers=1)
        except MissingExtraError as error:
            raise ToolError(str(error)) from None
        except Exception as error:
            raise ToolError(shorten(escape(str(error)), 300) or type(error).__name__) from None
        document = to_json(result)
        groups = document["groups"]
        out = [f"{result.logs} logs, {result.failures} failed jobs, {len(groups)} groups:"]
        for group in groups[:MOST_GROUPS]:
            exception = code(str(group["exception"]))
            out.append(f"- {group['jobs']} jobs, {plain(group['category'])}: {exception}")
        document["groups"] = groups[: 5 * MOST_GROUPS]
        document["unread"] = document["unread"][:MOST_GROUPS]
        return Answer(clean("\n".join(out)) + "\n", cleaned(document))

    return Tool(
        "triage",
        "Triage the logs of many jobs",
        "Read the logs of many jobs below a folder and say what failed how often: failures grouped "
        "into bugs, the most frequent first.",
        _takes("folder", "A folder of logs, below the workspace or given with --logs."),
        _OBJECT,
        triage,
    )
