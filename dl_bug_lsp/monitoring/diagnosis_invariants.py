"""Relations that hold in clean trainings of a program, and runs in which they do not.

In the manner of TrainCheck (Jiang et al., OSDI 2025): of each run a set of relations between calls,
objects and values is inferred ("`zero_grad` runs in every step", "every trained parameter moves",
"inputs lie between 0 and 1"). Those that held in all clean runs of the same program are its
invariants; a few hold in all sound trainings of a framework and are shipped. What the next run
breaks is evidence, however well its loss looks.

Learned invariants lie in ``.dlbug/training_invariants.json``; a run counts as clean where
`diagnosis.diagnose` finds nothing in it. Nothing here raises on what it reads.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dl_bug_lsp import data_folder
from dl_bug_lsp.monitoring.diagnosis_facts import RunFacts, Site, finite, middle, plain, site
from dl_bug_lsp.monitoring.training_run import Run

NAME = "training_invariants.json"
LARGEST = 4 * 2**20
MOST_PROGRAMS = 200
SCHEMA = 1
WIDER = 3.0
"""A range that was seen may be left by this many times its width."""
LEAST_RUNS = 2
"""Clean runs of a program before its ranges count; relations without numbers need one."""


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation of a run: its key, its sentence, and the values that it was seen with.

    ``low`` and ``high`` bound a number; both are None where the relation either holds or does not.
    """

    key: str
    text: str
    low: float | None = None
    high: float | None = None
    runs: int = 1


@dataclass(frozen=True, slots=True)
class Violation:
    """An invariant that a run breaks: its key, what was expected and what was seen, and lines."""

    key: str
    expected: str
    seen: str
    sites: tuple[Site, ...] = ()
    runs: int = 0


def relations(run: Run) -> dict[str, Relation]:
    """Return the relations that hold in a run, by key."""
    facts = RunFacts(run)
    by_key: dict[str, Relation] = {}
    for relation in (
        *_of_calls(facts),
        *_of_parameters(facts),
        *_of_data(facts),
        *_of_values(facts),
    ):
        by_key[relation.key] = relation
    return by_key


def _of_calls(facts: RunFacts) -> Iterator[Relation]:
    steps = len(facts.steps)
    if steps < 2:
        return
    for kind in ("zero_grad", "backward", "step", "scheduler_step", "clip", "eval", "train"):
        count = facts.count(kind)
        if count:
            share = count / steps
            text = f"`{kind}` is called {share:.2g} times a step"
            yield Relation(f"calls.{kind}", text, share, share)
    texts = [c for c in facts.run.cycles if (c.count or 0) > 0.5 * steps]
    for cycle in texts[:1]:
        yield Relation(f"cycle.{cycle.text}", f"a step is `{cycle.text}`")
    for optimizer in facts.run.optimizers:
        yield Relation(f"optimizer.{optimizer.type}", f"the optimizer is {optimizer.type}")
    modes = {s.training for s in facts.eval_steps if s.gradient is False}
    if modes == {False}:
        yield Relation("modes.eval", "passes without gradients run in evaluation mode")
    if {s.training for s in facts.steps if s.training is not None} == {True}:
        yield Relation("modes.train", "training steps run in training mode")


def _of_parameters(facts: RunFacts) -> Iterator[Relation]:
    names = {x.layer: x.name for x in facts.run.layers}
    for row in facts.run.parameters:
        name = f"{names.get(row.layer or -1, '')}.{row.name}".strip(".")
        if (row.gradients or 0) > 0:
            yield Relation(f"gradient.{name}", f"`{name}` gets gradients")
        if (row.moved or 0) > 0:
            yield Relation(f"moves.{name}", f"`{name}` moves")
        if row.optimizer is not None:
            yield Relation(f"held.{name}", f"`{name}` is in an optimizer")


def _of_data(facts: RunFacts) -> Iterator[Relation]:
    for loader in facts.run.loaders:
        if loader.phase == "train" and loader.shuffled:
            yield Relation("data.shuffled", "training rows are shuffled")
    shared = [o for o in facts.run.overlaps if o.compared]
    if shared and not any(o.shared for o in shared):
        yield Relation("data.apart", "training and evaluation share no rows")
    for name, rows in (("model", facts.model_inputs), ("target", facts.target_input)):
        least, most = finite(r.least for r in rows), finite(r.greatest for r in rows)
        if least and most:
            text = f"{name} inputs lie between {min(least):.3g} and {max(most):.3g}"
            yield Relation(f"range.{name}", text, min(least), max(most))
    call = facts.training_loss
    if call is not None:
        before = call.before or "nothing known"
        yield Relation(f"loss.{plain(call.kind)}", f"the loss is `{call.kind}`")
        yield Relation(f"loss_input.{plain(before)}", f"the loss is given the output of {before}")
    if len(facts.label_counts) > 1:
        yield Relation("labels.several", "labels differ")


def _of_values(facts: RunFacts) -> Iterator[Relation]:
    if facts.rates:
        low, high = min(facts.rates), max(facts.rates)
        yield Relation("rate", f"learning rates lie between {low:.3g} and {high:.3g}", low, high)
    for layer, ratios in facts.update_ratios.items():
        level = middle(r for _, r in ratios)
        record = facts.run.layer(layer)
        if level and record is not None:
            value = math.log10(level)
            text = f"updates of `{record.name}` are 10^{value:.1f} of its weights"
            yield Relation(f"update.{record.name}", text, value, value)
    if facts.first_bad_step is None and facts.losses:
        yield Relation("loss.finite", "the loss is a number")


# ---------------------------------------------------------------------- learning
def learned(runs: Iterable[Mapping[str, Relation]]) -> dict[str, Relation]:
    """Return the relations that hold in all runs, with the widest of their ranges."""
    common: dict[str, Relation] = {}
    for number, run in enumerate(runs):
        if number == 0:
            common = dict(run)
            continue
        common = {k: _joined(v, run[k]) for k, v in common.items() if k in run}
    return common


def _joined(left: Relation, right: Relation) -> Relation:
    lows = [v for v in (left.low, right.low) if v is not None]
    highs = [v for v in (left.high, right.high) if v is not None]
    low, high = (min(lows), max(highs)) if lows and highs else (None, None)
    return Relation(left.key, left.text, low, high, left.runs + right.runs)


EXPECTED = ("gradient.", "moves.", "held.", "modes.", "data.", "labels.", "loss.", "loss_input.")
"""Relations whose absence alone is a deviation."""


def violations(run: Run, known: Mapping[str, Relation]) -> tuple[Violation, ...]:
    """Return the invariants that a run breaks, those of calls and objects first."""
    facts = RunFacts(run)
    own = relations(run)
    broken: list[Violation] = []
    for key, relation in known.items():
        if relation.low is None:
            if key not in own and key.startswith(EXPECTED) and _is_comparable(key, own):
                broken.append(
                    Violation(
                        key, relation.text, "does not hold", _sites(key, facts), relation.runs
                    )
                )
            continue
        seen = own.get(key)
        if seen is None or seen.low is None or seen.high is None:
            if key.startswith("calls.") and len(facts.steps) > 1:
                kind = key.partition(".")[2]
                broken.append(
                    Violation(key, relation.text, f"`{kind}` is never called", _sites(key, facts),
                              relation.runs)
                )  # fmt: skip
        elif relation.runs >= LEAST_RUNS and _is_outside(seen, relation):
            broken.append(
                Violation(key, relation.text, seen.text, _sites(key, facts), relation.runs)
            )
    order = ("calls.", "held.", "gradient.", "moves.", "modes.", "loss", "data.", "range.", "rate")
    broken.sort(key=lambda v: next((n for n, w in enumerate(order) if v.key.startswith(w)), 99))
    return tuple(broken)


def _is_comparable(key: str, own: Mapping[str, Relation]) -> bool:
    """Whether a run records what a relation speaks of: a renamed layer is no deviation."""
    head, _, name = key.partition(".")
    if head in ("gradient", "moves", "held"):
        return any(k.partition(".")[2] == name for k in own)
    return True


def _is_outside(seen: Relation, known: Relation) -> bool:
    assert seen.low is not None and seen.high is not None
    assert known.low is not None and known.high is not None
    width = known.high - known.low
    if known.key.startswith("update."):
        room = max(1.0, width)
    elif known.key == "rate":
        return seen.high > 10 * known.high or (known.high > 0 and seen.high < known.high / 10)
    elif known.key.startswith("calls."):
        return seen.high > 3 * known.high or seen.high < known.low / 3
    else:
        room = WIDER * max(width, 1e-9)
    return seen.low < known.low - room or seen.high > known.high + room


def _sites(key: str, facts: RunFacts) -> tuple[Site, ...]:
    head, _, name = key.partition(".")
    if head == "calls":
        return facts.sites(name) or facts.sites("backward", "step")
    if head in ("held", "gradient", "moves", "rate"):
        return facts.rate_sites
    if head in ("data", "range", "labels"):
        return facts.data_sites
    call = facts.training_loss
    place = site(call.file, call.line) if call is not None else None
    if head.startswith("loss") and place is not None:
        return (place,)
    return ()


# ---------------------------------------------------------------------- what is kept
def invariants_file(root: Path) -> Path:
    """Return where a workspace's invariants lie."""
    return root / data_folder.FOLDER / NAME


def read_invariants(root: Path) -> dict[str, dict[str, Relation]]:
    """Return the invariants of a workspace by program; empty where none can be read."""
    data = data_folder.read(invariants_file(root), LARGEST)
    try:
        content = json.loads(data) if data else {}
    except (ValueError, RecursionError):
        return {}
    if not isinstance(content, dict) or content.get("schema") != SCHEMA:
        return {}
    programs = content.get("programs")
    by_program: dict[str, dict[str, Relation]] = {}
    for program, rows in programs.items() if isinstance(programs, dict) else ():
        own = [r for r in map(_relation, rows) if r is not None] if isinstance(rows, list) else []
        by_program[str(program)] = {r.key: r for r in own}
    return by_program


def _relation(row: Any) -> Relation | None:
    if not isinstance(row, dict) or not isinstance(row.get("key"), str):
        return None
    low, high, runs, text = row.get("low"), row.get("high"), row.get("runs"), row.get("text")
    numbers = isinstance(low, (int, float)) and isinstance(high, (int, float))
    if not isinstance(text, str) or not isinstance(runs, int):
        return None
    if numbers:
        return Relation(row["key"][:400], text[:400], float(low), float(high), runs)  # type: ignore[arg-type]
    return Relation(row["key"][:400], text[:400], None, None, runs)


def keep_clean_run(root: Path, run: Run) -> None:
    """Add a run in which nothing was found to the invariants of its program; raises OSError."""
    known = read_invariants(root)
    program = run.process.program or run.process.command
    own = relations(run)
    known[program] = learned([known[program], own]) if program in known else own
    newest = dict(list(known.items())[-MOST_PROGRAMS:])
    rows = {
        name: [
            {"key": r.key, "text": r.text, "low": r.low, "high": r.high, "runs": r.runs}
            for r in values.values()
        ]
        for name, values in newest.items()
    }
    text = json.dumps({"schema": SCHEMA, "programs": rows}, indent=1, sort_keys=True)
    with data_folder.locked(invariants_file(root).parent):
        data_folder.write(invariants_file(root), text.encode())
