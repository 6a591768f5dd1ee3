"""Text as Markdown that cannot become markup: nothing from a log turns into a link or a picture.

Follows CommonMark's backslash escapes, code spans and fences; what GitHub's dialect would link by
itself (addresses) is broken up as well.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

from dl_bug_lsp.report import Evidence, FailureReport, Report, percent
from dl_bug_lsp.views import words
from dl_bug_lsp.views.escape import escape, shorten, whole_sentences
from dl_bug_lsp.views.layout import PathStyle
from dl_bug_lsp.views.text import fold
from dl_bug_lsp.views.words import message_lines, where_in_text

_SPECIAL = re.compile(
    r"[\\`*\[\]<>#|~&$!{}@]|(?<![^\W_])_|_(?![^\W_])|:(?=//|[a-z+_-]+:)"
    r"|(?<=mailto):|(?<=xmpp):|(?<=www)\.|^[-+=](?=\s|[-+=])|^\d+(?=[.)])",
    re.I,
)
"""What Markdown could take for markup.

`_` within a word and `:` within a place (``model.py:7``) are none, and Neovim's hover shows escapes
as they are.
"""
LONGEST = 600
LONGEST_SENTENCES = 1_200


def plain(text: str) -> str:
    """Return one line of text with everything escaped that Markdown could take for markup."""
    line = " ".join(shorten(escape(text), LONGEST).split())
    return _SPECIAL.sub(_escaped, line)


def _escaped(match: re.Match[str]) -> str:
    return f"{match[0]}&#8203;" if match[0].isdigit() else f"\\{match[0]}"


def code(text: str) -> str:
    """Return one line as a code span, whatever backticks it holds; empty for a blank text."""
    line = " ".join(shorten(escape(text), LONGEST).split())
    if not line:
        return ""
    fence = "`" * (longest_run(line) + 1)
    pad = " " if line[0] == "`" or line[-1] == "`" else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def sentence(text: str) -> str:
    """Return a sentence, or several, whose parts in backticks are code."""
    parts = whole_sentences(text, LONGEST_SENTENCES).split("`")
    if len(parts) % 2 == 0:
        return plain(text)
    out = []
    for index, part in enumerate(parts):
        if index % 2:
            out.append(code(part))
        elif part:
            head, tail = (" " * part[:1].isspace(), " " * part[-1:].isspace())
            out.append(f"{head}{plain(part)}{tail}" if part.strip() else " ")
    return "".join(out).strip()


def block(lines: list[str]) -> str:
    """Return lines as a fenced block of text, whatever fences they hold themselves."""
    text = "\n".join(escape(line) for line in lines)
    fence = "`" * max(3, longest_run(text) + 1)
    return f"{fence}text\n{text}\n{fence}"


def render_markdown(
    report: Report,
    paths: PathStyle | None = None,
    only: str | None = None,
    listed: Mapping[str, Collection[int]] | None = None,
) -> str:
    """Return the report as a Markdown page; of one failure where its id is given as ``only``.

    ``listed`` gives by a failure's id the ranks of its places that an editor marks; the page then
    lists these.
    """
    style = paths or PathStyle()
    failures = [f for f in report.failures if only in (None, f.id)]
    primary = next((f for f in failures if f.primary), None) or next(iter(failures), None)
    if primary is None:
        return "# No failure\n\nThe text reports no failure.\n"
    out = _failure(primary, style, listed)
    others = [failure for failure in failures if failure is not primary]
    if others:
        out += ["", f"## {words.other_failures(others, primary).capitalize()}", ""]
        for failure in others[:20]:
            out.append(f"- {plain(words.headline(failure))} ({plain(where_in_text(failure))})")
    if report.problems:
        out += [
            "",
            "## Not understood",
            "",
            *(f"- {plain(problem)}" for problem in report.problems[:5]),
        ]
    return "\n".join(out) + "\n"


def _failure(
    failure: FailureReport, paths: PathStyle, listed: Mapping[str, Collection[int]] | None
) -> list[str]:
    meaning = words.meaning(failure)
    share = percent(failure.category.confidence)
    first = next(iter(failure.suspects), None)
    place = f"`{paths.place(first.file, first.line)}`" if first is not None else ""
    name = words.category_name(failure)
    out = [f"# {plain(name)} ({share})", "", block(message_lines(failure)), ""]
    finding = words.finding(failure, place)
    if failure.diagnosis:
        where = paths.place(first.file, first.line) if first is not None else ""
        diagnosis = words.located(failure, failure.diagnosis, where)
        finding = f"Likely cause: {words.with_place_as_code(diagnosis)}"
    out += [f"**{sentence(finding)}**", "", plain(meaning)]
    kind = words.kind_of_bug(failure.bug_type)
    verdicts = (kind, words.where_cause_lies(failure.origin), words.told_of_retry(failure))
    if any(verdicts):
        out += ["", " ".join(plain(text) for text in verdicts if text)]
    out += ["", f"Found in {plain(where_in_text(failure))}."]
    if not failure.reliable:
        out += ["", f"**{words.UNRELIABLE}**"]
    out += _conflict(failure, paths)
    out += ["", f"## {words.heading_of_places(failure)}", ""]
    if caution := words.introduction(failure):
        out += [caution, ""]
    ranks = (listed or {}).get(failure.id)
    shown = [
        suspect
        for suspect in failure.suspects
        if (suspect.rank in ranks if ranks else not words.hardly_counts(failure, suspect))
    ]
    for number, suspect in enumerate(shown, 1):
        place = code(paths.place(suspect.file, suspect.line))
        where = f" in {code(suspect.function)}" if suspect.function else ""
        where += f", {words.cell_place(suspect.cell)}" if suspect.cell else ""
        score = words.place_score(failure, suspect)
        out.append(f"{number}. {place}{where}" + (f" — {score}" if score else ""))
        out += [f"   - {reason}" for reason in evidence_lines(suspect.evidence[:3])]
        if suspect is first and failure.advice:
            out += ["", "   **What usually helps**", ""]
            out += [f"   {line}" for line in advice_lines(failure)]
            out.append("")
    if left := len(failure.suspects) - len(shown):
        out += ["", f"{words.counted(left, 'less likely place')} not listed."]
    if not failure.suspects:
        out.append(f"{words.NO_PLACE}.")
        if text := words.outside(failure):
            out += ["", sentence(text)]
    if failure.frames:
        entries = fold(failure.frames, paths)
        lines = [
            line
            for entry in entries
            for line in (
                f"{entry.place}  {entry.words}".strip(),
                *(f"    {variable}" for variable in entry.variables),
            )
        ]
        text = words.mapped(failure)
        noted = [sentence(text), ""] if text else []
        out += ["", f"## {words.stack_title(failure)}", "", *noted, block(lines)]
    if failure.advice and not failure.suspects:
        out += ["", "## What usually helps", "", *advice_lines(failure)]
    return out


def _conflict(failure: FailureReport, paths: PathStyle) -> list[str]:
    """Return both sides of the check that failed as a list, nothing where they are not known."""
    conflict = failure.conflict
    if conflict is None:
        return []
    out = ["", f"## {words.CONFLICT}", "", plain(words.conflict_note(conflict)), ""]
    for label, value in words.conflict_rows(conflict):
        named = ", ".join(code(paths.place(p.file, p.line)) for p in value.places)
        more = f", {words.counted(value.others, 'more line')}" if value.others else ""
        out.append(f"- {code(label)}: {named}{more}")
    return out


def evidence_lines(evidence: Iterable[Evidence]) -> list[str]:
    """Return one sentence for each reason, the strongest first."""
    ordered = sorted(evidence, key=lambda e: -e.score)
    return [sentence(why) for why in dict.fromkeys(reason.why for reason in ordered)]


def advice_lines(failure: FailureReport) -> list[str]:
    """Return one line for each frequent cause and what helps against it."""
    return [
        f"- {sentence(advice.cause)} → {sentence(advice.fix)}"
        + (f" ([documentation]({advice.page}))" if advice.page.startswith("https://") else "")
        for advice in failure.advice
    ]


def longest_run(text: str) -> int:
    """Return the length of the longest run of backticks."""
    return max((len(run) for run in re.findall("`+", text)), default=0)
