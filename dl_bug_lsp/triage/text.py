"""The result as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timezone

from dl_bug_lsp.taxonomy.categories import categories
from dl_bug_lsp.triage.results import Group, TriageResult
from dl_bug_lsp.views.escape import escape, one_line, shorten

MOST_UNREAD = 10
MOST_HOSTS = 20


def render_text(result: TriageResult, top: int = 20, width: int = 100) -> str:
    """Return the figures, the ``top`` groups with most jobs, and what was not read."""
    return "\n".join(_lines(result, top, width)) + "\n"


def _lines(result: TriageResult, top: int, width: int) -> Iterator[str]:
    yield _counted(result)
    if result.jobs:
        yield _jobs(result)
    if result.since is not None:
        new = len(result.new_groups)
        yield f"New since {_day(result.since)}: {_plural(new, 'failure')}."
    if result.groups:
        yield ""
        yield f"{'jobs':>8}  {'GPU-hours' if result.gpu_hours else '':>9}  failure"
    names = {row.id: row.name for row in categories()}
    for group in result.groups[:top]:
        yield from _group(group, names.get(group.category, group.category), width)
    if len(result.groups) > top:
        yield f"{'':8}  {'':9}  {_plural(len(result.groups) - top, 'rarer failure')} not shown"
    if result.categories:
        yield ""
        yield "By category:"
        total = sum(row.jobs for row in result.categories)
        for row in result.categories:
            yield f"{row.jobs:>8,}  {row.jobs / total:>9.1%}  {names.get(row.name, row.name)}"
    if result.retried:
        yield ""
        yield (
            f"Retries: {result.retried:,}, of which {result.helped:,} got through and "
            f"{result.repeated:,} met the same failure again."
        )
    yield from _hosts(result)
    if result.notes:
        yield ""
        yield from (f"Note: {escape(note)}" for note in result.notes)
    yield ""
    yield f"Not read, or in part: {len(result.unread):,}."
    for log in result.unread[:MOST_UNREAD]:
        yield f"  {escape(log.log)}: {escape(log.reason)}"
    if len(result.unread) > MOST_UNREAD:
        yield f"  and {len(result.unread) - MOST_UNREAD:,} more"


def _counted(result: TriageResult) -> str:
    return (
        f"{_plural(result.logs, 'log')} read, {result.failures:,} with a failure, "
        f"{_plural(len(result.groups), 'different failure')}."
    )


def _jobs(result: TriageResult) -> str:
    summary = f"{_plural(result.jobs, 'job')}, {result.failed_jobs:,} failed"
    if result.gpu_hours:
        share = result.gpu_hours_lost / result.gpu_hours
        summary += f"; GPU-hours of failed jobs: {result.gpu_hours_lost:,.1f} ({share:.0%})"
    return summary + "."


def _group(group: Group, category: str, width: int) -> Iterator[str]:
    message = one_line(group.message)
    failure = f"{escape(group.exception)}: {message}" if group.exception else message
    mark = "new: " if group.new else ""
    hours = f"{group.gpu_hours:,.1f}" if group.gpu_hours else ""
    yield f"{group.jobs:>8,}  {hours:>9}  {shorten(mark + failure, max(40, width - 21))}"
    facts = [category]
    if group.users:
        facts.append(_plural(len(group.users), "user"))
    if group.last_seen is not None:
        facts.append(f"last {_day(group.last_seen)}")
    if group.only_repeats:
        facts.append(f"{group.retried:,} retries never helped")
    yield f"{'':8}  {'':9}  {', '.join(facts)}"
    place = group.suspects[0] if group.suspects else group.places[0] if group.places else ""
    if place:
        yield f"{'':8}  {'':9}  {shorten(escape(place), max(40, width - 21))}"
    yield f"{'':8}  {'':9}  {escape(group.representative)}"


def no_bad_hosts(result: TriageResult) -> str:
    """Return what is known where no host stands out: that, or that there are too few jobs."""
    hosts = _plural(result.hosts_tested, "host")
    if result.hosts_comparable:
        return f"On none of {hosts} jobs fail more often than by chance."
    return f"Hosts are not compared: there are too few jobs or hosts for that ({hosts})."


def _hosts(result: TriageResult) -> Iterator[str]:
    if not result.hosts_tested:
        return
    yield ""
    if not result.bad_hosts:
        yield no_bad_hosts(result)
        return
    yield (
        f"On {len(result.bad_hosts):,} of {result.hosts_tested:,} hosts jobs fail more often than "
        "chance allows:"
    )
    for host in result.bad_hosts[:MOST_HOSTS]:
        yield (
            f"  {escape(host.host)}: {host.failures:,} of {_plural(host.jobs, 'job')} failed, "
            f"{host.expected:.1f} expected (q = {host.q:.1e})"
        )
    if len(result.bad_hosts) > MOST_HOSTS:
        yield f"  and {len(result.bad_hosts) - MOST_HOSTS:,} more"


def _day(at: float) -> str:
    return f"{datetime.fromtimestamp(at, timezone.utc):%Y-%m-%d}"


def _plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
