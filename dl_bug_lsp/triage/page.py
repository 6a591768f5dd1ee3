"""The result as one HTML page that needs nothing else: tables that sort, plots, drill-down.

What logs and manifests say stands in the page as text alone: escaped here, or as data that the
script turns into text nodes. The page's policy lets only its own script run and loads nothing.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timezone
from html import escape as html_escape
from importlib import resources
from typing import Any

from dl_bug_lsp.taxonomy.categories import categories
from dl_bug_lsp.triage.results import DURATIONS, Group, Row, TriageResult
from dl_bug_lsp.triage.text import no_bad_hosts
from dl_bug_lsp.views.escape import ascii_json, escape, shorten, well_formed

MOST_SHOWN = 50_000
"""Groups that the page holds: those with most jobs."""
MOST_UNREAD = 1_000
MOST_DAYS = 120
_LONGEST = 1_000
_COLUMNS = ("jobs", "message", "category", "users", "gpu_hours", "first_seen", "last_seen")
_HEADS = (
    "jobs",
    "failure",
    "category",
    "users",
    "GPU-hours",
    "first seen (UTC)",
    "last seen (UTC)",
)
_NUMBERS = frozenset(("jobs", "users", "gpu_hours"))
_DIMENSIONS = (
    "deep_learning_specific", "execution_environment", "general_code_error", "data", "platform",
    "silent",
)  # fmt: skip


def render_page(result: TriageResult, title: str = "Failed jobs") -> str:
    """Return the page."""
    package = resources.files("dl_bug_lsp.triage")
    style = package.joinpath("page.css").read_text("utf-8")
    script = package.joinpath("page.js").read_text("utf-8")
    policy = (
        f"default-src 'none'; style-src 'sha256-{_hash(style)}'; "
        f"script-src 'sha256-{_hash(script)}'"
    )
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        f"<title>{_text(title)}</title><style>{style}</style></head><body>",
        f"<header><h1>{_text(title)}</h1>{_when(result)}</header><main>",
        *_figures(result),
        '<nav><a href="#failures">Failures</a><a href="#categories">Categories</a>',
        f"{_navigation(result)}</nav>",
        *_notes(result),
        *_unread(result),
        *_plots(result),
        '<div class="pair" id="categories"><div>',
        *_table("Categories", "category", result.categories, _category_names()),
        "</div><div>",
        *_table("Dimensions", "dimension", result.dimensions, {}),
        *_table("Frameworks", "framework", result.frameworks, {}),
        "</div></div>",
        *_retries(result),
        *_hosts(result),
        *_groups(result),
        "</main>",
        f'<script type="application/json" id="data">{_data(result)}</script>',
        f"<script>{script}</script></body></html>\n",
    ]
    return "\n".join(parts)


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")


def _text(text: str) -> str:
    return html_escape(escape(well_formed(text)))


def _when(result: TriageResult) -> str:
    if not result.finished:
        return ""
    moment = datetime.fromtimestamp(result.finished, timezone.utc)
    return f'<p class="soft">dl-bug-lsp triage, {moment:%Y-%m-%d %H:%M} UTC</p>'


def _figures(result: TriageResult) -> Iterator[str]:
    yield '<ul class="figures">'
    figures = [
        ("logs read", f"{result.logs:,}"),
        ("not read, or in part", f"{len(result.unread):,}"),
        ("logs with a failure", f"{result.failures:,}"),
        ("different failures", f"{len(result.groups):,}"),
    ]
    if result.since is not None:
        figures.append(("new since the last run", f"{len(result.new_groups):,}"))
    if result.jobs:
        figures.append(("jobs", f"{result.jobs:,}"))
        figures.append(("of them failed", f"{result.failed_jobs:,}"))
    if result.gpu_hours:
        share = result.gpu_hours_lost / result.gpu_hours
        figures.append(("GPU-hours of failed jobs", f"{result.gpu_hours_lost:,.0f} ({share:.0%})"))
    yield from (f"<li><b>{value}</b>{name}</li>" for name, value in figures)
    yield "</ul>"


def _navigation(result: TriageResult) -> str:
    parts = [("retries", "Retries", result.retried), ("hosts", "Hosts", result.hosts_tested)]
    return "".join(f'<a href="#{at}">{name}</a>' for at, name, there in parts if there)


def _notes(result: TriageResult) -> Iterator[str]:
    if result.notes:
        yield '<ul class="notes">'
        yield from (f"<li>{_text(note)}</li>" for note in result.notes)
        yield "</ul>"


def _unread(result: TriageResult) -> Iterator[str]:
    if not result.unread:
        return
    yield f"<details><summary>{len(result.unread):,} logs not read, or in part</summary><table>"
    yield "<thead><tr><th>log</th><th>why</th></tr></thead><tbody>"
    for log in result.unread[:MOST_UNREAD]:
        yield f'<tr><td class="code">{_text(log.log)}</td><td>{_text(log.reason)}</td></tr>'
    yield "</tbody></table>"
    if len(result.unread) > MOST_UNREAD:
        yield f"<p>{len(result.unread) - MOST_UNREAD:,} more stand in failures.parquet.</p>"
    yield "</details>"


def _category_names() -> dict[str, str]:
    return {row.id: row.name for row in categories()}


def _table(
    heading: str, first: str, rows: Sequence[Row], names: Mapping[str, str]
) -> Iterator[str]:
    total = sum(row.jobs for row in rows) or 1
    yield f'<h2>{heading}</h2><table class="sorted"><thead><tr>'
    yield f'<th><button>{first}</button></th><th class="n"><button>jobs</button></th>'
    yield '<th class="n"><button>share</button></th><th class="n"><button>failures</button></th>'
    yield '<th class="n"><button>GPU-hours</button></th></tr></thead><tbody>'
    for row in rows:
        name = _text(names.get(row.name, row.name.replace("_", " ")))
        share = row.jobs / total
        yield (
            f"<tr><td>{name}</td>{_number(row.jobs)}{_number(share, f'{share:.1%}')}"
            f"{_number(row.groups)}{_hours(row.gpu_hours)}</tr>"
        )
    yield "</tbody></table>"


def _number(value: float, shown: str | None = None) -> str:
    return f'<td class="n" data-value="{value!r}">{f"{value:,}" if shown is None else shown}</td>'


def _hours(hours: float) -> str:
    """Return a cell of GPU-hours, an empty one where no manifest tells of any."""
    return _number(hours, f"{hours:,.1f}" if hours else "")


def _retries(result: TriageResult) -> Iterator[str]:
    if not result.retried:
        return
    yield '<h2 id="retries">Retries</h2>'
    yield (
        f"<p>{result.retried:,} failures were tried again: {result.helped:,} retries got through "
        f"({result.helped / result.retried:.0%}), {result.repeated:,} met the same failure.</p>"
    )
    only = [group for group in result.groups if group.only_repeats]
    if only:
        yield f"<p>{len(only):,} failures were only repeated by retries; the most frequent:</p>"
        yield '<table class="sorted"><thead><tr><th><button>failure</button></th>'
        yield '<th class="n"><button>retries</button></th>'
        yield '<th class="n"><button>GPU-hours</button></th></tr></thead><tbody>'
        for group in sorted(only, key=lambda group: -group.retried)[:20]:
            yield (
                f"<tr><td>{_link(group)}</td>{_number(group.retried)}{_hours(group.gpu_hours)}</tr>"
            )
        yield "</tbody></table>"
    rows = [row for row in result.categories if row.retried]
    names = _category_names()
    yield '<table class="sorted"><thead><tr><th><button>category</button></th>'
    yield '<th class="n"><button>retries</button></th>'
    yield '<th class="n"><button>got through</button></th></tr></thead><tbody>'
    for row in rows:
        share = row.helped / row.retried
        name = _text(names.get(row.name, row.name))
        yield f"<tr><td>{name}</td>{_number(row.retried)}{_number(share, f'{share:.0%}')}</tr>"
    yield "</tbody></table>"


def _link(group: Group) -> str:
    first_line = group.message.split("\n", 1)[0]
    shown = f"{group.exception}: {first_line}" if group.exception else first_line
    return f'<a class="code" href="#g-{_text(group.id)}">{_text(shorten(shown, 160))}</a>'


def _hosts(result: TriageResult) -> Iterator[str]:
    if not result.hosts_tested:
        return
    yield '<h2 id="hosts">Hosts</h2>'
    if not result.bad_hosts:
        yield f"<p>{no_bad_hosts(result)}</p>"
        return
    yield (
        f"<p>On {len(result.bad_hosts):,} of {result.hosts_tested:,} hosts jobs fail more often "
        "than chance allows (Fisher's exact test by queue, corrected by Benjamini and Hochberg: "
        "about one in a hundred of these is expected to be named wrongly). A failure of a user's "
        "own program counts once a host.</p>"
    )
    yield '<table class="sorted"><thead><tr><th><button>host</button></th>'
    for name in ("jobs", "failures", "expected", "q"):
        yield f'<th class="n"><button>{name}</button></th>'
    yield "</tr></thead><tbody>"
    for host in result.bad_hosts:
        yield (
            f"<tr><td>{_text(host.host)}</td>{_number(host.jobs)}{_number(host.failures)}"
            f"{_number(host.expected, f'{host.expected:.1f}')}"
            f"{_number(host.q, f'{host.q:.1e}')}</tr>"
        )
    yield "</tbody></table>"


def _groups(result: TriageResult) -> Iterator[str]:
    yield '<h2 id="failures">Failures</h2>'
    yield '<p><label>Search <input type="search" id="search"></label>'
    yield '<span id="count" class="soft"></span></p>'
    yield "<noscript><p>The list of failures needs JavaScript.</p></noscript>"
    yield '<table id="groups"><thead><tr>'
    for key, name in zip(_COLUMNS, _HEADS, strict=True):
        kind = ' class="n"' if key in _NUMBERS else ""
        order = ' aria-sort="descending"' if key == "jobs" else ""
        yield f"<th{kind}{order}><button>{name}</button></th>"
    yield '</tr></thead><tbody></tbody></table><button id="more" hidden></button>'
    if len(result.groups) > MOST_SHOWN:
        left = len(result.groups) - MOST_SHOWN
        yield f"<p>{left:,} rarer failures stand in groups.parquet.</p>"


def _data(result: TriageResult) -> str:
    """Return the groups as JSON that cannot end its element."""
    document = {
        "columns": _COLUMNS,
        "names": _category_names(),
        "groups": [_shown(group) for group in result.groups[:MOST_SHOWN]],
    }
    text = ascii_json(json.dumps(document, ensure_ascii=False, allow_nan=False))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _shown(group: Group) -> dict[str, Any]:
    def words(values: Iterable[str], most: int = 200) -> list[str]:
        return [_plain(value) for value in list(values)[:most]]

    return {
        "id": group.id,
        "category": group.category,
        "exception": _plain(group.exception),
        "message": escape(well_formed(group.message[:_LONGEST]), keep_newlines=True),
        "framework": group.framework,
        "origin": group.origin,
        "retry_may_help": group.retry_may_help,
        "jobs": group.jobs,
        "logs": group.logs,
        "users": words(group.users),
        "hosts": words(group.hosts),
        "queues": words(group.queues, 20),
        "first_seen": group.first_seen,
        "last_seen": group.last_seen,
        "gpu_hours": round(group.gpu_hours, 1),
        "retried": group.retried,
        "helped": group.helped,
        "repeated": group.repeated,
        "representative": _plain(group.representative),
        "line": group.line,
        "places": words(group.places),
        "suspects": words(group.suspects),
        "examples": words(group.examples, 11),
        "new": bool(group.new),
    }


def _plain(text: str) -> str:
    return escape(well_formed(text[:_LONGEST]))


def _plots(result: TriageResult) -> Iterator[str]:
    days = {day: row for day, row in result.days.items() if day != "unknown"}
    if len(days) > 1:
        shown = dict(list(days.items())[-MOST_DAYS:])
        yield "<h2>Failed jobs by day</h2>"
        yield _bars(list(shown.items()), 22 if len(shown) < 30 else 8)
        yield _legend(name for row in shown.values() for name in row)
    if result.ends:
        yield "<h2>How long failed jobs ran</h2>"
        names = [f"< {name}" for _, name in DURATIONS] + [f"> {DURATIONS[-1][1]}"]
        bars = [
            (name, {d: row[at] for d, row in result.ends.items() if row[at]})
            for at, name in enumerate(names)
        ]
        yield _bars(bars, 60)
        yield _legend(result.ends)


def _bars(bars: Sequence[tuple[str, Mapping[str, int]]], width: int) -> str:
    """Return stacked bars as SVG, one a name, a colour for each dimension."""
    height, gap, left = 160, 2 if width < 40 else 12, 48
    top = max((sum(row.values()) for _, row in bars), default=0) or 1
    total = left + len(bars) * (width + gap)
    out = [f'<svg viewBox="0 0 {total} {height + 30}" width="{total}" role="img">']
    out.append(f'<text x="{left - 6}" y="12" text-anchor="end">{top:,}</text>')
    out.append(f'<text x="{left - 6}" y="{height}" text-anchor="end">0</text>')
    every = max(1, -(-72 // (width + gap)))
    for at, (name, row) in enumerate(bars):
        x, y = left + at * (width + gap), float(height)
        counts = ", ".join(f"{_words(d)} {n:,}" for d, n in sorted(row.items()))
        out.append(f"<g><title>{_text(name)}: {_text(counts) or 'none'}</title>")
        for dimension in (*_DIMENSIONS, "unclassified"):
            size = row.get(dimension, 0) / top * (height - 8)
            if size:
                y -= size
                out.append(
                    f'<rect x="{x}" y="{y:.1f}" width="{width}" height="{size:.1f}"'
                    f' class="d{_colour(dimension)}"/>'
                )
        out.append("</g>")
        if at % every == 0:
            out.append(f'<text x="{x}" y="{height + 16}">{_text(name)}</text>')
    return "".join(out) + "</svg>"


def _legend(names: Iterable[str]) -> str:
    known = set(names)
    shown = [name for name in (*_DIMENSIONS, "unclassified") if name in known]
    items = (f'<span><i class="d{_colour(name)}"></i>{_words(name)}</span>' for name in shown)
    return f'<p class="legend">{"".join(items)}</p>'


def _colour(dimension: str) -> int:
    return _DIMENSIONS.index(dimension) if dimension in _DIMENSIONS else 6


def _words(dimension: str) -> str:
    return dimension.replace("_", " ")
