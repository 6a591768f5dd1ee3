"""What launchers, communication libraries and their debug modes say about single ranks.

PyTorch: ``TORCH_DISTRIBUTED_DEBUG=DETAIL``, ``monitored_barrier``, the NCCL watchdog, DDP's check
of parameters, the flight recorder; Horovod's stall inspector; JAX's coordination service.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from dl_bug_lsp.logs.log import LogLine
from dl_bug_lsp.tracebacks.failures import Activity, RankState

_FINGERPRINT = re.compile(
    r"Rank (?P<rank>\d{1,6}) is running (?P<what>collective|inconsistent collective|monitored)"
    r"[^:]{0,20}: CollectiveFingerPrint\((?:SequenceNumber=(?P<seq>\d{1,12}), )?"
    r"OpType=(?P<op>\w{1,40})(?:, TensorShape=\[(?P<shape>[\d, ]{0,200})\])?"
    r"(?:, TensorDtypes=(?P<dtype>\w{1,30}))?"
)
_BARRIER = re.compile(
    r"Ranks? (?P<ranks>\d{1,6}(?:, ?\d{1,6}){0,200}) failed to (?:pass|call into) monitoredBarrier"
)
_PARAMETERS = re.compile(
    r"DDP expects same model across all ranks, but Rank (?P<first>\d{1,6}) has (?P<n>\d{1,9})"
    r" params, while rank (?P<second>\d{1,6}) has inconsistent (?P<m>\d{1,9}) params"
    r"|params\[\d{1,9}\] in this process with sizes .{0,200} appears not to match"
)
_REDUCTION = re.compile(r"Expected to have finished reduction in the prior iteration")
_WATCHDOG = re.compile(
    r"Rank (?P<rank>\d{1,6})\] .{0,60}collective operation timeout: WorkNCCL\("
    r"SeqNum=(?P<seq>\d{1,12}), OpType=(?P<op>\w{1,40})(?:, NumelIn=(?P<numel>\d{1,15}))?"
)
_PROGRESS = re.compile(
    r"Rank (?P<rank>\d{1,6})\].{0,200}last enqueued (?:NCCL )?work: (?P<begun>\d{1,12}),"
    r" last completed (?:NCCL )?work: (?P<done>-?\d{1,12})"
)
_HOROVOD = re.compile(r"submitted to be reduced, gathered or broadcasted by subset of ranks")
_HOROVOD_HEAD = re.compile(r"^\s*(?P<kind>Missing|Stalled) ranks:\s*$")
_HOROVOD_RANK = re.compile(r"^\s*(?P<rank>\d{1,6}): \[(?P<names>.{1,2000})\]?")
_HOROVOD_OLD = re.compile(r"\[missing ranks: (?P<ranks>\d{1,6}(?:, ?\d{1,6}){0,500})\]")
_JAX_TIMEOUT = re.compile(r"Barrier timed out|barrier timed out|heartbeat timeout|unhealthy task")
_JAX_TASK = re.compile(r"/job:\w{1,40}/(?:replica:\d{1,5}/)?task:(?P<rank>\d{1,6})")
_JAX_FIRST = re.compile(
    r"(?:first|last) task (?:at|to reach)|initiated by|reported by|Error source"
)
_JAX_NAMES = re.compile(
    r"sync_global_devices name mismatch \('(?P<one>[^']{0,200})' vs\. '(?P<other>[^']{0,200})'"
)
_FLIGHT = re.compile(
    r"^\[flight recorder\] (?:ranks (?P<ranks>[\d ]+)|(?P<name>\S+) seq=(?P<seq>\d{1,12})"
    r" p2p=(?P<p2p>\w+) state=(?P<state>\S+) retired=(?P<retired>\w+) group=(?P<group>\S+)"
    r" sizes=(?P<sizes>\S+) dtypes=(?P<dtypes>\S+))"
)
_SIZES = re.compile(r"op\.preamble\.length <= op\.nbytes|data size doesn't match expected size")
"""Gloo has received more than it was to receive: the ranks were in different calls."""
_LAUNCHED = re.compile(r"^\s*rank\s*: (?P<rank>\d{1,6}) \(local_rank: \d{1,6}\)")
"""A failed child in torchrun's summary; when one fails it ends, and names, all."""
COMMUNICATION = re.compile(
    r"Timed out waiting|Connection (?:closed|reset|refused)|closed by peer|monitoredBarrier"
    r"|mismatch between collectives|Watchdog caught|NCCL communicator|ncclRemoteError"
    r"|ncclSystemError|recvValue failed|wait timeout|Barrier timed out|DEADLINE_EXCEEDED"
    r"|op\.preamble\.length <= op\.nbytes|Broken pipe|[Ww]aiting for .{0,60} timed out"
    r"|DDP expects same model|appears not to match|Expected to have finished reduction"
    r"|sync_global_devices name mismatch|Gloo (?:all-?reduce|barrier|\w+) failed"
    r"|gloo.{0,300}[Tt]imeout",
    re.IGNORECASE,
)
"""Messages of a rank that only waited for others, or did not fit to them."""
CLASSES = frozenset(("DistBackendError", "DistNetworkError", "DistStoreError"))


@dataclass(slots=True)
class RankRecords:
    """What records tell: states by rank, ranks that did not come, what differs, how many ranks."""

    states: dict[int, RankState] = field(default_factory=dict)
    missing: set[int] = field(default_factory=set)
    differs: str = ""
    size: int = 0

    def add(self, rank: int, operation: str, detail: str = "", count: int | None = None) -> None:
        """Take in that a rank waits in an operation; the first word about a rank counts."""
        self.size = max(self.size, rank + 1)
        known = self.states.get(rank)
        if known is None:
            self.states[rank] = RankState(rank, Activity.WAITS, operation.lower(), detail, count)
        elif known.count is None and count is not None:
            self.states[rank] = replace(known, count=count)


def read_rank_records(streams: Iterable[tuple[int | None, tuple[LogLine, ...]]]) -> RankRecords:
    """Read all lines of a log, by the rank that wrote them."""
    records = RankRecords()
    for rank, lines in streams:
        flight: list[re.Match[str]] = []
        for index, line in enumerate(lines):
            text = line.text[:20_000]
            _fingerprints(records, text)
            if match := _BARRIER.search(text):
                records.missing.update(int(n) for n in match["ranks"].split(","))
                records.differs = records.differs or "place"
            elif match := _PARAMETERS.search(text):
                records.differs = "parameters"
            elif _REDUCTION.search(text) and rank is not None:
                records.differs = "gradients"
                records.missing.add(rank)
            elif match := _WATCHDOG.search(text):
                numel = f"{match['numel']} elements" if match["numel"] else ""
                records.add(int(match["rank"]), match["op"], numel, int(match["seq"]))
            elif match := _PROGRESS.search(text):
                records.add(int(match["rank"]), "", "", int(match["begun"]))
            elif match := _HOROVOD_OLD.search(text):
                records.missing.update(int(n) for n in match["ranks"].split(","))
            elif _HOROVOD.search(text):
                _horovod(records, lines[index + 1 : index + 400])
            elif _JAX_TIMEOUT.search(text):
                _jax(records, [text, *(x.text for x in lines[index + 1 : index + 12])])
            elif match := _FLIGHT.match(text):
                if match["ranks"]:
                    records.size = max(records.size, *(int(n) + 1 for n in match["ranks"].split()))
                else:
                    flight.append(match)
            elif _SIZES.search(text):
                records.differs = records.differs or "place"
            elif match := _LAUNCHED.match(text):
                records.size = max(records.size, int(match["rank"]) + 1)
            elif _JAX_NAMES.search(text):
                records.differs = "operation"
        if flight and rank is not None:
            _flight(records, rank, flight)
    _differ(records)
    return records


def _fingerprints(records: RankRecords, text: str) -> None:
    if "CollectiveFingerPrint" not in text:
        return
    for match in _FINGERPRINT.finditer(text):
        shape = f"[{match['shape']}]" if match["shape"] is not None else ""
        detail = " ".join(part for part in (shape, match["dtype"] or "") if part)
        count = int(match["seq"]) if match["seq"] else None
        records.add(int(match["rank"]), match["op"], detail, count)


def _horovod(records: RankRecords, below: tuple[LogLine, ...]) -> None:
    kind = ""
    for line in below:
        if head := _HOROVOD_HEAD.match(line.text):
            kind = head["kind"]
        elif kind and (match := _HOROVOD_RANK.match(line.text)):
            if kind == "Missing":
                records.missing.add(int(match["rank"]))
            else:
                records.add(int(match["rank"]), "", match["names"].split(",")[0])
        elif kind and line.text.strip():
            return


def _jax(records: RankRecords, texts: list[str]) -> None:
    """Take the tasks that did not come; those that came are named in other words."""
    for text in texts:
        if not _JAX_FIRST.search(text):
            records.missing.update(int(m["rank"]) for m in _JAX_TASK.finditer(text))
        for match in _JAX_TASK.finditer(text):
            records.size = max(records.size, int(match["rank"]) + 1)


def _flight(records: RankRecords, rank: int, entries: list[re.Match[str]]) -> None:
    """Take the oldest collective that is not over; all of them count."""
    own = [entry for entry in entries if entry["p2p"] != "True"]
    open_ = [
        entry for entry in own if entry["retired"] == "False" and entry["state"] != "completed"
    ]
    current = open_[0] if open_ else (own[-1] if own else entries[-1])
    name = current["name"].rpartition(":")[2]
    detail = f"{current['sizes']} {current['dtypes']}"
    records.add(rank, name, detail, int(current["seq"]))


def _differ(records: RankRecords) -> None:
    """Say in what the ranks' collectives differ, where the records show it."""
    if records.differs or len(records.states) < 2:
        return
    states = [state for state in records.states.values() if state.operation]
    if len({state.count for state in states}) > 1:
        records.differs = "place"
    elif len({state.operation for state in states}) > 1:
        records.differs = "operation"
    elif len({state.detail for state in states}) > 1:
        shapes = {state.detail.partition(" ")[0] for state in states}
        records.differs = "shape" if len(shapes) > 1 else "dtype"
