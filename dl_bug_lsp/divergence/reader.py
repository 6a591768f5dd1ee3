"""Which rank is elsewhere: the states of all ranks brought together into one failure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from dl_bug_lsp.divergence.records import CLASSES, COMMUNICATION, RankRecords, read_rank_records
from dl_bug_lsp.divergence.stacks import (
    OURS,
    Dumped,
    dumps_of,
    groups_of,
    operation_of,
    own_frames,
    state_of,
)
from dl_bug_lsp.logs.log import Log, LogLine, Process, Span
from dl_bug_lsp.report import HANG
from dl_bug_lsp.tracebacks.dialects import dialect_named
from dl_bug_lsp.tracebacks.failures import (
    Activity,
    Cause,
    Divergence,
    Failure,
    FailureKind,
    Frame,
    RankState,
    Reading,
    Relation,
)
from dl_bug_lsp.tracebacks.reader import read_blocks
from dl_bug_lsp.tracebacks.stream import Stream

_CLOSED = re.compile(r"Connection (?:closed by peer|reset by peer)")
_FATAL = re.compile(r"^Fatal Python error: ")
_MARKS = re.compile(
    r"\(most recent call first\):|CollectiveFingerPrint|monitoredBarrier|\[flight recorder\]"
    r"|Watchdog caught|subset of ranks|arrier timed out|DDP expects same model|\[dl-bug-lsp\] hang"
)
_SHOWN = 5
"""Ranks that are listed; of more their number is told."""
DIALECT = "ranks"


def read_divergence(log: Log, reading: Reading) -> Reading:
    """Return ``reading`` with what the ranks' stacks and records say of where they parted.

    Dumps become one failure, which ended the job; where ranks have failed themselves, waiting for
    one another, the failure that ended the job is told where all stood. A failure that is no
    consequence of waiting stays the one that counts.
    """
    primary = next((f for f in reading.failures if f.primary), None)
    if not _may_diverge(log, primary):
        return reading
    streams = log.streams()
    by_rank: dict[int | None, tuple[LogLine, ...]] = {}
    for process, lines in streams.items():
        rank = process.rank if process is not None else None
        by_rank[rank] = (*by_rank.get(rank, ()), *lines)
    dumps = {rank: dumps_of(lines) for rank, lines in by_rank.items()}
    if any(_FATAL.match(line.text) for line in log.lines):
        dumps = {}
    recorded = read_rank_records(by_rank.items())
    states, numbered = _dumped(dumps)
    is_dump = bool(states)
    waits = primary is not None and waits_for_others(primary)
    # What a launcher says of ranks that wait may have been read as a message of the job.
    waits = waits or bool(
        recorded.missing and primary is not None and primary.kind is FailureKind.MESSAGE
    )
    if not is_dump and primary is not None and not waits:
        return _alone(reading, log)
    if not is_dump:
        states, numbered = _failed(by_rank)
    states = _merged(states, recorded.states)
    hang = next((line for line in log.lines if OURS.match(line.text)), None)
    several = len(states) > 1 or recorded.size > 1 or hang is not None
    if not recorded.missing and not (several and (states or recorded.differs)):
        return _alone(reading, log)
    size = max([recorded.size, *(rank + 1 for rank in (*states, *recorded.missing))])
    if not is_dump and recorded.size == 0 and _all_closed(by_rank, states):
        # The connections of all that speak were closed: by one that says nothing.
        size += 1
    divergence = _divergence(states, recorded, size, numbered)
    if not is_dump and primary is not None:
        failures = tuple(
            replace(f, divergence=divergence) if f is primary else f for f in reading.failures
        )
        return Reading(failures, reading.problems)
    failure = _failure(divergence, dumps, log)
    others = [
        replace(f, primary=False)
        for f in reading.failures
        if not _is_of_dump(f) and not _is_aftermath(f, failure)
    ]
    every = sorted((*others, failure), key=lambda f: (f.span.first_line, f.span.last_line))
    return Reading(tuple(every), reading.problems)


def _alone(reading: Reading, log: Log) -> Reading:
    """Return a reading in which the stacks of one process that stood still are said to be that.

    Nothing was raised there, and nobody else ended the process: we did, for it did not move.
    """
    found = (OURS.match(line.text) for line in log.lines)
    said = next((match["hang"] for match in found if match and match["hang"]), None)
    if said is None:
        return reading
    message = said.partition(": ")[2].partition(";")[0]
    failures = tuple(
        replace(f, causes=(replace(f.cause, type=HANG, message=message),), root=0, evidence=message)
        if _is_of_dump(f) and f.cause is not None
        else f
        for f in reading.failures
    )
    return replace(reading, failures=failures)


def waits_for_others(failure: Failure) -> bool:
    """Say whether a failure tells only that other ranks did not come, or did not fit."""
    cause = failure.cause
    if cause is None:
        return False
    text = f"{cause.message[:20_000]}\n{failure.evidence}"
    return cause.class_name in CLASSES or bool(COMMUNICATION.search(text))


def _may_diverge(log: Log, primary: Failure | None) -> bool:
    if primary is not None and waits_for_others(primary):
        return True
    return any(_MARKS.search(line.text) for line in log.lines)


def _dumped(
    dumps: Mapping[int | None, Sequence[Dumped]],
) -> tuple[dict[int, RankState], bool]:
    """Return the states of dumps by rank, and whether the ranks are only the dumps' order."""
    states: dict[int, RankState] = {}
    for rank, own in dumps.items():
        state = state_of(rank, list(own)) if rank is not None else None
        if state is not None:
            states[state.rank] = state
    if states:
        return states, False
    loose = [state_of(0, [dump]) for dump in dumps.get(None, ())]
    own_states = [s for s in loose if s is not None and (own_frames(s.frames) or s.operation)]
    if len(own_states) < 2:
        return {}, False
    return {number: replace(state, rank=number) for number, state in enumerate(own_states)}, True


def _failed(
    by_rank: Mapping[int | None, tuple[LogLine, ...]],
) -> tuple[dict[int, RankState], bool]:
    """Return where each rank waited when its wait was broken off.

    Where no line has a rank, as JAX prints none, they are numbered as they speak.
    """
    states: dict[int, RankState] = {}
    numbered = all(rank is None for rank in by_rank)
    for rank, lines in by_rank.items():
        if rank is None and not numbered:
            continue
        for block in read_blocks(Stream(lines)):
            cause = block.causes[0] if block.causes else None
            if cause is None or not cause.frames:
                continue
            speaks = COMMUNICATION.search(cause.message[:20_000])
            if speaks or cause.class_name in CLASSES:
                operation = operation_of(cause.frames)
                number = len(states) if rank is None else rank
                states[number] = RankState(number, Activity.WAITS, operation, frames=cause.frames)
                if rank is not None:
                    break
    return states, numbered


def _all_closed(
    by_rank: Mapping[int | None, tuple[LogLine, ...]], states: Mapping[int, RankState]
) -> bool:
    """Say whether all ranks from 0 on were left by another, and none has only waited too long."""
    closed = all(
        any(_CLOSED.search(line.text) for line in by_rank.get(rank, ())) for rank in states
    )
    return closed and len(states) > 1 and set(states) == set(range(len(states)))


def _merged(
    states: Mapping[int, RankState], recorded: Mapping[int, RankState]
) -> dict[int, RankState]:
    merged = dict(states)
    for rank, record in recorded.items():
        known = merged.get(rank)
        if known is None:
            merged[rank] = record
        else:
            operation = known.operation or record.operation
            merged[rank] = replace(
                known, operation=operation, detail=record.detail, count=record.count
            )
    return dict(sorted(merged.items()))


def _divergence(
    states: Mapping[int, RankState], recorded: RankRecords, size: int, numbered: bool
) -> Divergence:
    groups = groups_of(list(states.values()))
    unseen = set(range(size)) - states.keys()
    differs = recorded.differs
    counts = len({state.count for state in states.values()})
    certain = not numbered
    if recorded.missing:
        apart = recorded.missing
        if len(groups) < 2 and differs == "place":
            differs = ""
    elif len(groups) == 1 and counts == 1 and differs in ("", "place"):
        state = groups[0][0]
        few = len(unseen) <= len(states) and state.doing is Activity.WAITS
        apart = unseen if few else set()
        certain = certain and not unseen
        if not unseen and size > 1 and state.operation in ("recv", "send"):
            # Each waits for another that waits as well.
            differs = "order"
    else:
        apart = _odd_ones(list(states.values()), groups)
        certain = certain and bool(apart)
        if not apart and states:
            # Two that differ: which of them is wrong the text does not say.
            first = next(iter(states.values()))
            others = {s.rank for s in states.values() if s.detail != first.detail}
            apart = {s.rank for s in groups[-1]} if len(groups) > 1 else others
        differs = differs or "place"
    return Divergence(tuple(states.values()), tuple(sorted(apart)), size, differs, certain)


def _odd_ones(states: Sequence[RankState], groups: Sequence[Sequence[RankState]]) -> set[int]:
    """Return the ranks that do not wait where others do, else those that are fewest."""
    free = {state.rank for state in states if state.doing is not Activity.WAITS}
    if free and len(free) < len(states):
        return free
    counts = {state.count for state in states}
    if None not in counts and len(counts) > 1:
        # The collectives are counted: who has begun fewer than most stayed away.
        every = [state.count for state in states]
        usual = max(counts, key=lambda count: (every.count(count), -(count or 0)))
        odd = {state.rank for state in states if state.count != usual}
        if len(odd) * 2 < len(states):
            return odd
    if len(groups) > 1:
        details = {(state.operation, state.detail) for state in states}
        if len(groups[0]) > len(states) / 2:
            together = {state.rank for state in groups[0]}
            return {state.rank for state in states} - together
        if len(details) == 2 and len(groups) == len(states):
            by_detail: dict[tuple[str, str], set[int]] = {}
            for state in states:
                by_detail.setdefault((state.operation, state.detail), set()).add(state.rank)
            fewest = min(by_detail.values(), key=len)
            if len(fewest) * 2 < len(states):
                return fewest
    elif len(states) > 2:
        by_detail = {}
        for state in states:
            by_detail.setdefault((state.operation, state.detail), set()).add(state.rank)
        if len(by_detail) > 1:
            return {s.rank for s in states} - max(by_detail.values(), key=len)
    return set()


def _failure(
    divergence: Divergence,
    dumps: Mapping[int | None, Sequence[Dumped]],
    log: Log,
) -> Failure:
    lines = [
        number for own in dumps.values() for d in own for number in (d.first, d.last) if number
    ]
    hang = next((x for x in log.lines if (m := OURS.match(x.text)) and m["hang"]), None)
    if not lines:
        lines = [x.number for x in log.lines if _MARKS.search(x.text)]
    first = min(lines, default=1) if hang is None else hang.number
    span = Span(first, max(lines, default=first))
    message = words_of(divergence)
    cause = Cause(HANG, message, shown_frames(divergence), Relation.ROOT, span)
    only = divergence.apart[0] if len(divergence.apart) == 1 else None
    process = Process(only) if only is not None and divergence.size > 1 else None
    evidence = message.split("\n", 1)[0]
    return Failure(
        FailureKind.MESSAGE, (cause,), 0, DIALECT, span, evidence, process,
        primary=True, divergence=divergence,
    )  # fmt: skip


def shown_frames(divergence: Divergence) -> tuple[Frame, ...]:
    """Return the stack that tells most: that of a rank apart, else of one that waits."""
    ranked = sorted(
        divergence.states, key=lambda s: (s.rank not in divergence.apart, not s.frames, s.rank)
    )
    return next((s.frames for s in ranked if own_frames(s.frames)), ())


def words_of(divergence: Divergence) -> str:
    """Return where the ranks stand, one sentence a group, those apart last."""
    sentences = []
    groups = groups_of(divergence.states)
    groups.sort(key=lambda group: group[0].rank in divergence.apart)
    for group in groups:
        ranks = [state.rank for state in group]
        sentences.append(f"{_ranks(ranks)} {_doing(group)}")
    seen = {state.rank for state in divergence.states}
    unseen = [rank for rank in divergence.apart if rank not in seen]
    if unseen:
        known = "did not come" if divergence.is_certain else "said nothing"
        sentences.append(f"{_ranks(unseen)} {known}")
    text = "; ".join(sentences) or "no rank says where it stood"
    return text[:1].upper() + text[1:]


def _doing(group: Sequence[RankState]) -> str:
    state = group[0]
    plural = len(group) > 1
    if state.doing is Activity.ENDED:
        return "have ended" if plural else "has ended"
    where = _where(state)
    if state.doing is Activity.WAITS and state.operation:
        detail = f" of {state.detail}" if state.detail else ""
        count = f" (number {state.count})" if state.count is not None else ""
        return f"{'wait' if plural else 'waits'} in {state.operation}{detail}{count}{where}"
    return f"{'are' if plural else 'is'} elsewhere{where or ', nobody says where'}"


def _where(state: RankState) -> str:
    own = own_frames(state.frames)
    if not own:
        return ""
    frame = own[-1]
    name = frame.file.replace("\\", "/").rpartition("/")[2]
    function = f", in {frame.function}" if frame.function and frame.function[0] != "<" else ""
    return f" at {name}:{frame.line}{function}"


def _ranks(ranks: Sequence[int]) -> str:
    if len(ranks) == 1:
        return f"rank {ranks[0]}"
    if len(ranks) > _SHOWN:
        shown = ", ".join(map(str, ranks[:_SHOWN]))
        return f"{len(ranks)} ranks ({shown}, ...)"
    return f"ranks {', '.join(map(str, ranks[:-1]))} and {ranks[-1]}"


def _is_of_dump(failure: Failure) -> bool:
    cause = failure.cause
    is_dump = dialect_named(failure.dialect).is_dump
    return is_dump and cause is not None and "Fatal" not in cause.message


def _is_aftermath(failure: Failure, hang: Failure) -> bool:
    """Say whether a failure is only how the run was ended after its stacks were written."""
    cause = failure.cause
    later = failure.span.first_line > hang.span.first_line
    return (
        later
        and cause is not None
        and (
            cause.class_name in ("SignalException", "ChildFailedError", "KeyboardInterrupt")
            or cause.type in ("torchrun", "signal", "kill")
        )
    )
