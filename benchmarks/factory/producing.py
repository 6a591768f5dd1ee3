"""Makes failures: clean runs, mutants of each program, what becomes of them."""

from __future__ import annotations

import hashlib
import json
import math
import random
import re
import shutil
import time
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from itertools import accumulate, islice
from pathlib import Path
from typing import Any

from dl_bug_lsp.logs import read_log
from dl_bug_lsp.tracebacks import Failure, FailureKind, read_failures
from factory.catalogue import checkout, editable_files, kind_of, seed_of, size_of
from factory.operators import all_operators
from factory.running import (
    FRAMEWORK_MODULES,
    Ending,
    Limits,
    Machine,
    Runner,
    Server,
    WorkingCopy,
    neutral,
    shown_root,
)
from factory.storage import BLIND, Store
from factory.truth import apply, truth_of
from factory.values import Edit, Mutation, Operator, Program, Target

MAX_PYTHON_TARGETS = 12
MAX_PYTHON_CHARS = 60_000
MAX_OTHER_TARGETS = 20
MAX_TARGET_CHARS = 60_000
PLACES_EACH = 400
"""Places of one operator in one file that are looked at, at most."""
NOT_EXECUTED = 0.03
NOT_SEEN = 0.3
"""How much a place weighs that the clean run does not execute, against one that it does; and where
the clean run was not watched to its end."""
SHAPES = (
    ("plain", 66),
    ("rich", 8),
    ("logging", 7),
    ("ipython", 6),
    ("pytest", 7),
    ("loguru", 3),
    ("prefixed", 3),
)
"""How a failure of a Python script is shown, and how often; other commands are always plain."""
MAX_LOG_BYTES = 1_000_000
TIMES_CLEAN = 6.0
WALL_S = 20.0
"""A mutant may take this much longer than so many times the clean run; the processor's time is what
ends one that computes without end, also on a busy machine."""
WORSE_BY = 0.1
"""A silent fault's metric is worse than the worst clean one by this share of it, over 3 seeds,
and by three times the range of the clean ones."""
SEEDS = (0, 1, 2)
SHOWN_BY = {
    "rich": "rich.traceback",
    "ipython": "IPython.core.ultratb",
    "loguru": "loguru",
    "pytest": "pytest",
}
SHOWN_AS = {
    "rich": "Traceback (most recent call last) ─".encode(),
    "ipython": b"Traceback (most recent call last)",
    "loguru": b"Training failed",
    "logging": b"Training failed",
}
"""What is in a log that is shown so."""
SHOWING = (*SHOWN_BY.values(), "logging", "_pytest.assertion.rewrite")
"""What the shapes of a failure import, imported ahead too."""
NEVER_AHEAD = frozenset({"antigravity", "this"})
PYTEST_FILE = "test_smoke.py"
PYTEST_TEXT = """import runpy
import sys


def test_runs(monkeypatch):
    monkeypatch.setattr(sys, "argv", {argv!r})
    monkeypatch.syspath_prepend({folder!r})
    runpy.run_path({script!r}, run_name="__main__")
"""
MOST_SHOWN = 5
"""A program that walks up the stack itself (loguru's) is left after this many tries in a turn."""
VERSION = 2


@dataclass
class Clean:
    """How a program runs without a fault; ``problem`` says why it cannot be used.

    ``lines`` are the executed lines by file, ``opened`` the files that were opened, ``whole``
    whether the run was watched to its end, ``preload`` the modules that a server imports,
    ``metrics`` one number a seed.
    """

    problem: str | None = None
    seconds: float = 0.0
    processor: float = 0.0
    whole: bool = True
    preload: list[str] = field(default_factory=list)
    lines: dict[str, list[int]] = field(default_factory=dict)
    opened: list[str] = field(default_factory=list)
    metrics: list[float] = field(default_factory=list)
    size: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """One mutation that an operator offers, and the file kind it is of."""

    operator: Operator
    mutation: Mutation
    kind: str
    line: int
    reach: float


@dataclass(frozen=True, slots=True)
class Budget:
    """The most that one turn of a program may take; ``attempts`` counts those of earlier turns."""

    attempts: int = 60
    seconds: float = 90.0
    kept: int = 1_000


def fingerprint(program: Program) -> str:
    """Return a text that changes with a program's entry."""
    told = json.dumps([VERSION, asdict(program)], sort_keys=True)
    return hashlib.sha256(told.encode()).hexdigest()[:16]


def clean_run(program: Program, runner: Runner, store: Store) -> Clean:
    """Run a program without a fault, learn what it imports and executes; remembered in the store.

    The server is left running with everything imported that the program wants.
    """
    remembered = store.root / "clean" / f"{program.id}.json"
    if remembered.is_file():
        data = json.loads(remembered.read_text(encoding="utf-8"))
        if data.pop("fingerprint") == fingerprint(program):
            found = Clean(**data)
            if found.problem is None:
                runner.start(found.preload)
            return found
    found = Clean(size=size_of(runner.copy.kept))
    trace = runner.copy.root.parent / "trace.json"
    try:
        _learn(program, runner, found, trace)
    except RuntimeError as error:
        found.problem = str(error)
    remembered.parent.mkdir(parents=True, exist_ok=True)
    told = {**asdict(found), "fingerprint": fingerprint(program)}
    remembered.write_text(json.dumps(told), encoding="utf-8")
    return found


def _learn(program: Program, runner: Runner, found: Clean, trace: Path) -> None:
    base = list(program.preload or FRAMEWORK_MODULES.get(program.framework, ()))
    runner.start(base)
    first = runner.run(trace=trace, timeout_s=program.timeout_s * 2)
    runner.copy.restore()
    if not first.ended_well:
        last = first.output.decode(errors="replace").strip().rpartition("\n")[2][:200]
        found.problem = f"{first.stopped or f'exit code {first.code}'}: {last}"
        return
    found.preload = base
    found.seconds, found.processor = first.seconds, first.processor
    if program.command[0].startswith("python"):
        modules = _read(trace).get("modules", [])
        wanted = [m for m in (*modules, *SHOWING) if m not in NEVER_AHEAD]
        runner.server.preload(wanted)
        traced = runner.run(trace=trace, lines=True, timeout_s=program.timeout_s * 4)
        runner.copy.restore()
        told = _read(trace) if traced.ended_well else {}
        found.lines, found.opened = told.get("lines", {}), told.get("opened", [])
        found.whole = told.get("whole", True)
        found.preload = [*base, *wanted]
        if traced.ended_well:
            found.seconds = min(first.seconds, traced.seconds)
            found.processor = min(first.processor, traced.processor)
        else:
            # What it imports may not bear a fork, or not bear to be traced.
            second = runner.run(timeout_s=program.timeout_s * 2)
            runner.copy.restore()
            found.seconds, found.processor = second.seconds, second.processor
            if not second.ended_well:
                found.preload = base
                found.seconds, found.processor = first.seconds, first.processor
                runner.server.close()
                runner.start(base)
    if program.metric:
        for seed in SEEDS:
            value = metric_of(program, runner.run(seed=seed))
            runner.copy.restore()
            if value is not None:
                found.metrics.append(value)


def _read(trace: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(trace.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    trace.unlink()
    return found


def metric_of(program: Program, ending: Ending) -> float | None:
    """Return the last number that the program's metric matches in its output."""
    if not program.metric or not ending.ended_well:
        return None
    found = re.findall(program.metric, ending.output.decode(errors="replace"))
    try:
        return float(found[-1]) if found else None
    except ValueError:
        return None


def is_worse(program: Program, clean: Sequence[float], values: Sequence[float | None]) -> bool:
    """Whether the metrics of three seeds are all clearly worse than the clean run's three.

    That is beyond the worst clean one by a tenth of its size and by three times their range; a
    metric that is no number is worse.
    """
    if len(clean) < len(SEEDS) or not values or any(v is None for v in values):
        return False
    sign = 1.0 if program.better == "lower" else -1.0
    worst = max(sign * v for v in clean)
    margin = max(WORSE_BY * abs(worst), 3.0 * (max(clean) - min(clean)), 1e-9)
    return all(v is not None and (math.isnan(v) or sign * v > worst + margin) for v in values)


def places_of(
    operators: Sequence[Operator], clean: Clean, texts: dict[str, str]
) -> tuple[list[Place], Counter[str]]:
    """Return what all operators offer in a program's files, and how many found no place."""
    lines = {file: set(numbers) for file, numbers in clean.lines.items()}
    wanted = _targets(clean, texts)
    found: list[Place] = []
    notes: Counter[str] = Counter()
    rest = NOT_EXECUTED if clean.whole else NOT_SEEN
    targets = [(Target(file, texts[file]), kind_of(file) or "") for file in wanted]
    for operator in operators:
        if operator.silent and len(clean.metrics) < len(SEEDS):
            continue
        before = len(found)
        for target, kind in targets:
            if kind not in operator.targets:
                continue
            starts = _line_starts(target.text)
            try:
                offered = list(islice(operator.mutate(target), PLACES_EACH))
            except Exception as error:
                notes[f"{operator.id} raised {type(error).__name__}"] += 1
                continue
            for mutation in offered:
                first = mutation.edits[0]
                line = _line_at(starts, first.start)
                last = _line_at(starts, max(first.start, first.end - 1))
                executed = _is_executed(clean, lines, first, line, last)
                found.append(Place(operator, mutation, kind, line, 1.0 if executed else rest))
        if len(found) == before:
            notes["found no place"] += 1
    return found, notes


@lru_cache(maxsize=1)
def operators_digest() -> str:
    """Return a text that changes with any operator's code."""
    folder = Path(__file__).resolve().parent / "operators"
    files = sorted(folder.glob("*.py"))
    return hashlib.sha256(b"\0".join(f.read_bytes() for f in files)).hexdigest()


def _targets(clean: Clean, texts: dict[str, str]) -> list[str]:
    usable = [f for f, text in texts.items() if len(text) <= MAX_TARGET_CHARS and text.strip()]
    python = [f for f in usable if f.endswith(".py")]
    if clean.lines:
        run = [f for f in python if f in clean.lines]
        # Files with many executed lines first; then the order of their names.
        run.sort(key=lambda f: (-len(clean.lines[f]), f))
        python = run
    others = [f for f in usable if not f.endswith(".py")]
    others.sort(key=lambda f: (f not in clean.opened, f))
    chars = accumulate(len(texts[f]) for f in python)
    python = [f for f, n in zip(python, chars, strict=True) if n <= MAX_PYTHON_CHARS] or python[:1]
    return [*python[:MAX_PYTHON_TARGETS], *others[:MAX_OTHER_TARGETS]]


def _line_starts(text: str) -> list[int]:
    return [0, *(m.end() for m in re.finditer("\n", text))]


def _line_at(starts: list[int], offset: int) -> int:
    return bisect_right(starts, offset)


def _is_executed(
    clean: Clean, lines: dict[str, set[int]], edit: Edit, line: int, last: int
) -> bool:
    if not clean.lines:
        return True
    if edit.file.endswith(".py"):
        ran = lines.get(edit.file, set())
        return any(number in ran for number in range(max(1, line - 1), min(last, line + 30) + 1))
    return edit.file in clean.opened or not clean.opened


def sampled(program: Program, places: list[Place]) -> Iterator[Place]:
    """Yield the places in an order that spreads over operators, files and lines.

    It is the same for the same places. An operator comes by its weight over how often it came; of
    its places those executed come first, and those whose file and line came seldom.
    """
    rng = random.Random(seed_of("sample", program.id))
    by_operator: dict[str, list[Place]] = {}
    for place in places:
        by_operator.setdefault(place.operator.id, []).append(place)
    used: Counter[object] = Counter()
    order = sorted(by_operator)
    while order:
        weights = []
        for name in order:
            operator = by_operator[name][0].operator
            reach = max(place.reach for place in by_operator[name][:50])
            weights.append(operator.weight * reach / (1.0 + used[name]))
        name = rng.choices(order, weights)[0]
        rest = by_operator[name]
        scores = [
            place.reach
            / (1.0 + used[place.mutation.edits[0].file])
            / (1.0 + 3.0 * used[place.mutation.edits[0].file, place.line])
            for place in rest
        ]
        place = rest.pop(rng.choices(range(len(rest)), scores)[0])
        if not rest:
            order.remove(name)
        file = place.mutation.edits[0].file
        used[name] += 1
        used[file] += 1
        used[file, place.line] += 1
        yield place


def key_of(texts: dict[str, str]) -> str:
    """Return a name for changed files: the same for the same texts."""
    told = json.dumps(sorted(texts.items()))
    return hashlib.sha256(told.encode("utf-8", errors="surrogatepass")).hexdigest()[:12]


def shape_of(program: Program, case: str) -> str:
    """Return how a case's failure is shown; only a Python script's can be shown otherwise."""
    script = program.command[0].startswith("python") and not program.command[1].startswith("-m")
    if not script:
        return "plain"
    at = seed_of("shape", case) % sum(weight for _, weight in SHAPES)
    for shape, weight in SHAPES:
        if at < weight:
            return shape
        at -= weight
    return "plain"


@dataclass(frozen=True, slots=True)
class Reading:
    """What a failed run's log tells: the failure, its key for deduplication and its raise site."""

    family: str
    site: tuple[str, int] | None
    message: str | None


def read_failure(
    output: bytes, copy: WorkingCopy, texts: Mapping[str, str], changed: Mapping[str, str]
) -> Reading | None:
    """Read a log as it was printed; None where nothing in it tells of a failure.

    The family is the exception's class, its message without numbers, quoted words and paths, the
    innermost frame of the workspace, at its line before the change, and the innermost one.
    """
    log = read_log(output)
    primary: Failure | None = next((f for f in read_failures(log).failures if f.primary), None)
    if primary is None or primary.kind is FailureKind.SILENT or primary.cause is None:
        last = next((x.text for x in reversed(log.lines) if x.text.strip()), "")
        return Reading(f"?|{normalized(last)}", None, last[:300]) if last else None
    root = f"{copy.root}/"
    frames = [f for f in primary.frames if f.line > 0]
    own = [f for f in frames if _relative(f.file, root) is not None]
    parts = [primary.cause.class_name, normalized(primary.cause.message)]
    for frame in (own[-1:], frames[-1:]):
        for each in frame or (None,):
            file = (_relative(each.file, root) or each.file) if each is not None else "-"
            line = each.line if each is not None else 0
            if file in changed:
                line = line_before(texts.get(file, ""), changed[file], line)
            parts.append(f"{file}:{line}")
    site = None
    if own:
        site = (_relative(own[-1].file, root) or "", own[-1].line)
    message = primary.cause.message.strip()
    told = f"{primary.cause.type}: {message}" if message else primary.cause.type
    return Reading("|".join(parts), site, told[:2000])


def line_before(old: str, new: str, line: int) -> int:
    """Return where a line of a changed text stood; of the changed lines, the first of them."""
    before, after = old.split("\n"), new.split("\n")
    same = 0
    while same < min(len(before), len(after)) and before[same] == after[same]:
        same += 1
    if line <= same:
        return line
    ends = 0
    rest = min(len(before), len(after)) - same
    while ends < rest and before[-1 - ends] == after[-1 - ends]:
        ends += 1
    if line > len(after) - ends:
        return line - len(after) + len(before)
    return same + 1


def _relative(file: str, root: str) -> str | None:
    if file.startswith(root):
        return file[len(root) :]
    if not file.startswith(("/", "<", "~")):
        return file.removeprefix("./")
    return None


def normalized(message: str) -> str:
    """Return a message without what differs between failures of one family."""
    text = re.sub(r"'[^']*'|\"[^\"]*\"|`[^`]*`", "Q", message)
    text = re.sub(r"(?:/[\w.@+-]+)+", "P", text)
    text = re.sub(r"0x[0-9a-f]+|\d+(?:\.\d+)?(?:e[-+]?\d+)?", "N", text)
    text = re.sub(r"(?:N[,\sx]*)+", "N", text)
    return " ".join(text.split())[:200]


class Production:
    """Failures of programs, one program at a time."""

    def __init__(
        self,
        store: Store,
        python: Path,
        mirror: Path | None,
        work: Path,
        tell: Callable[[str], None] = print,
        limits: Limits | None = None,
        operators: Sequence[Operator] | None = None,
    ) -> None:
        self.operators = all_operators() if operators is None else tuple(operators)
        self.store = store
        self.python = python
        self.mirror = mirror
        self.work = work
        self.tell = tell
        self.limits = limits or Limits()
        self.machine = Machine.of(python)
        self.server = Server(python, work / "server")

    def close(self) -> None:
        """End the server."""
        self.server.close()

    def turn(self, program: Program, budget: Budget) -> Counter[str]:
        """Give a program one turn: its clean run, then mutants up to the budget.

        Returns how many attempts ended in which way. Whatever goes wrong is one line of the record.
        """
        outcomes: Counter[str] = Counter()
        begin = time.monotonic()
        blind = self.store.halves.of(program.source) == BLIND
        name = "a program of the blind half" if blind else program.id
        try:
            self._turn(program, budget, outcomes)
        except Exception as error:
            outcomes["problem"] += 1
            self._note(program, f"{type(error).__name__}: {error}"[:300])
            self.tell(f"{name}: {type(error).__name__}" + ("" if blind else f": {error}"[:200]))
        told = ", ".join(f"{n} {outcome}" for outcome, n in sorted(outcomes.items()))
        self.tell(f"{name}: {told or 'nothing left'} in {time.monotonic() - begin:.0f} s")
        return outcomes

    def _note(self, program: Program, problem: str) -> None:
        record = {"program": program.id, "source": program.source, "outcome": "problem"}
        self.store.add({**record, "key": None, "note": problem})

    def _turn(self, program: Program, budget: Budget, outcomes: Counter[str]) -> None:
        before = self.store.attempts(program.id, program.source)
        if sum(1 for r in before if r["key"]) >= budget.attempts:
            return
        at = self.work / program.id
        copy = WorkingCopy(program, checkout(program, self.mirror, self.store.root), at)
        try:
            runner = Runner(program, copy, self.python, self.server, self.limits)
            if not runner.setup():
                outcomes["unusable"] += 1
                self._note(program, "unusable: its setup does not end well")
                return
            copy.keep()
            files = editable_files(program, copy.kept)
            clean = clean_run(program, runner, self.store)
            if clean.problem is not None:
                outcomes["unusable"] += 1
                self._note(program, f"unusable: {clean.problem}"[:300])
                return
            self._mutants(program, runner, clean, copy.texts(files), budget, outcomes)
        finally:
            shutil.rmtree(at, ignore_errors=True)

    def _mutants(
        self,
        program: Program,
        runner: Runner,
        clean: Clean,
        texts: dict[str, str],
        budget: Budget,
        outcomes: Counter[str],
    ) -> None:
        begin = time.monotonic()
        before = self.store.attempts(program.id, program.source)
        tried = {r["key"] for r in before if r["key"]}
        families = {r["family"] for r in before if r.get("case")}
        places, notes = self._places(program, clean, texts)
        for problem, count in notes.items():
            if problem != "found no place":
                self._note(program, f"{problem} in {count} files")
        original = key_of({})
        for place in sampled(program, places):
            if (
                len(tried) >= budget.attempts
                or outcomes["kept"] >= budget.kept
                or time.monotonic() - begin > budget.seconds
            ):
                return
            try:
                changed = apply(place.mutation, texts)
            except (KeyError, ValueError):
                continue
            changed = {f: t for f, t in changed.items() if t != texts[f]}
            key = key_of(changed)
            if key in tried or key == original:
                continue
            tried.add(key)
            record = self._attempt(program, runner, clean, texts, place, changed, key, families)
            outcomes[record["outcome"]] += 1
            self.store.add(record)
            if outcomes["shows the server"] > MOST_SHOWN:
                return

    def _places(
        self, program: Program, clean: Clean, texts: dict[str, str]
    ) -> tuple[list[Place], Counter[str]]:
        """Return what `places_of` finds, remembered in the store."""
        known = {operator.id: operator for operator in self.operators}
        told = [sorted(known), texts, operators_digest()]
        digest = hashlib.sha256(json.dumps(told, sort_keys=True).encode())
        file = self.store.root / "places" / f"{program.id}.json"
        try:
            data = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            data = {}
        if data.get("digest") == digest.hexdigest():
            found = [
                Place(
                    known[name],
                    Mutation(tuple(Edit(*edit) for edit in edits), note),
                    kind,
                    line,
                    reach,
                )
                for name, edits, note, kind, line, reach in data["places"]
            ]
            return found, Counter()
        found, notes = places_of(self.operators, clean, texts)
        rows = [
            (
                p.operator.id,
                [[e.file, e.start, e.end, e.text] for e in p.mutation.edits],
                p.mutation.note,
                p.kind,
                p.line,
                p.reach,
            )
            for p in found
        ]
        file.parent.mkdir(parents=True, exist_ok=True)
        kept = {"digest": digest.hexdigest(), "places": rows}
        file.write_text(json.dumps(kept), encoding="utf-8")
        return found, notes

    def _attempt(
        self,
        program: Program,
        runner: Runner,
        clean: Clean,
        texts: dict[str, str],
        place: Place,
        changed: dict[str, str],
        key: str,
        families: set[str],
    ) -> dict[str, Any]:
        case = f"{program.id}-{key}"
        shape = shape_of(program, case)
        if SHOWN_BY.get(shape) in runner.server.failed:
            shape = "plain"
        record: dict[str, Any] = {
            "program": program.id,
            "source": program.source,
            "operator": place.operator.id,
            "framework": program.framework,
            "size": clean.size,
            "kind": place.kind,
            "key": key,
            "format": shape,
        }
        copy = runner.copy
        command, files = program.command, {}
        if shape == "pytest":
            command, files = self._as_test(program, copy)
        copy.write({**changed, **files})
        most = max(self.limits.least_s, clean.processor * TIMES_CLEAN)
        timeout_s = min(program.timeout_s * 2, WALL_S + clean.seconds * TIMES_CLEAN)
        shown = shape if shape in ("rich", "logging", "ipython", "loguru") else "plain"
        try:
            ending = runner.run(shape=shown, timeout_s=timeout_s, processor_s=most, command=command)
            record.update(seconds=ending.seconds, processor=ending.processor)
            outcome, reading = self._judge(
                program, runner, clean, ending, families, timeout_s, texts, changed
            )
            if shape == "pytest" and ending.code not in (0, 1) and ending.stopped is None:
                # It is pytest that could not run, not the program that failed.
                outcome = "not shown"
        finally:
            copy.restore()
        if shape in SHOWN_AS and SHOWN_AS[shape] not in ending.output:
            # It ended without a traceback, which is all that would have looked otherwise.
            record["format"] = shape = "plain"
        record["outcome"] = outcome
        if outcome != "kept":
            return record
        silent = ending.ended_well
        family = reading.family if reading is not None else f"silent|{place.operator.id}|{key}"
        families.add(family)
        record.update(case=case, family=family, silent=silent)
        root = shown_root(program, case)
        site = bool(program.installed) and seed_of("site", case) % 2 == 0
        log = neutral(ending.output, program, copy, self.machine, root, site)
        if shape == "prefixed":
            log = prefixed(log, case)
        if reading is not None and reading.message is not None:
            shown_message = neutral(
                reading.message.encode(), program, copy, self.machine, root, site
            )
            reading = replace(reading, message=shown_message.decode(errors="replace"))
        truth = self._truth(program, place, texts, reading, shape, ending, root)
        files = {f: t.replace(str(copy.root), root) for f, t in files.items()}
        self.store.keep(program.source, case, log, truth, place.mutation, files)
        elsewhere = truth["raise_site"] is not None and truth["raise_site"] not in [
            {"file": r["file"], "line": r["line"]} for r in truth["root_cause"]
        ]
        record["elsewhere"] = elsewhere
        return record

    def _judge(
        self,
        program: Program,
        runner: Runner,
        clean: Clean,
        ending: Ending,
        families: set[str],
        timeout_s: float,
        texts: dict[str, str],
        changed: dict[str, str],
    ) -> tuple[str, Reading | None]:
        if ending.stopped is not None:
            return {"time": "hangs", "disk": "fills the disk"}.get(ending.stopped, "forks"), None
        if b"fork_server.py" in ending.output:
            return "shows the server", None
        if len(ending.output) > MAX_LOG_BYTES or b"[Errno 27] File too large" in ending.output:
            return "fills the disk", None
        if ending.code == 0:
            value = metric_of(program, ending)
            if not is_worse(program, clean.metrics, [value] if value is not None else []):
                return "ends well", None
            others = [runner.run(seed=seed, timeout_s=timeout_s) for seed in SEEDS[1:]]
            values = [value, *(metric_of(program, other) for other in others)]
            return ("kept" if is_worse(program, clean.metrics, values) else "ends well"), None
        reading = read_failure(ending.output, runner.copy, texts, changed)
        if reading is None:
            return "says nothing", None
        return ("known already" if reading.family in families else "kept"), reading

    def _as_test(
        self, program: Program, copy: WorkingCopy
    ) -> tuple[tuple[str, ...], dict[str, str]]:
        words = [w for w in program.command[1:] if w != "-u"]
        folder = str(Path(words[0]).parent)
        text = PYTEST_TEXT.format(argv=words, folder=folder, script=words[0])
        command = ("python", "-m", "pytest", "-q", "-p", "no:cacheprovider", PYTEST_FILE)
        return command, {PYTEST_FILE: text}

    def _truth(
        self,
        program: Program,
        place: Place,
        texts: dict[str, str],
        reading: Reading | None,
        shape: str,
        ending: Ending,
        root: str,
    ) -> dict[str, Any]:
        truth = truth_of(place.mutation, texts)
        site = reading.site if reading is not None else None
        why = place.mutation.note
        return {
            "category": None,
            "category_alt": [],
            "bug_type": None,
            "extrinsic": False,
            "framework": program.framework,
            "format": shape,
            "silent": ending.ended_well,
            "message": reading.message if reading is not None else None,
            "root_cause": [{"file": truth.file, "line": n, "why": why} for n in truth.lines],
            "raise_site": {"file": site[0], "line": site[1]} if site is not None else None,
            "command": " ".join(program.command),
            "log_root": root,
            "exit_code": ending.code,
            "operator": place.operator.id,
            "program": program.id,
            "source": program.source,
            "kind": place.kind,
            "deleted": truth.deleted,
            "function": truth.function,
            "function_lines": list(truth.function_lines) if truth.function_lines else None,
        }


def prefixed(log: bytes, case: str) -> bytes:
    """Return a log as a pipe that puts the time before each line shows it."""
    second = seed_of("time", case) % 86_000
    found = []
    for number, line in enumerate(log.splitlines(keepends=True)):
        hours, rest = divmod((second + number // 9) % 86_400, 3600)
        stamp = f"2026-03-14 {hours:02}:{rest // 60:02}:{rest % 60:02} "
        found.append(stamp.encode() + line)
    return b"".join(found)
