"""The failure factory's commands.

PYTHONPATH=benchmarks python -m factory run [--python PATH] [--mirror FOLDER] [--jobs N] ...
PYTHONPATH=benchmarks python -m factory demo
PYTHONPATH=benchmarks python -m factory table [--blind]
PYTHONPATH=benchmarks python -m factory halves
PYTHONPATH=benchmarks python -m factory open SOURCE
"""

from __future__ import annotations

import argparse
import fcntl
import json
import multiprocessing
import os
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from factory.catalogue import OURS, PROJECT, programs, seed_of
from factory.operators import all_operators
from factory.producing import Budget, Production
from factory.running import work_folder
from factory.score import (
    Located,
    label_of_package,
    results,
    score_all,
    side_by_side,
    summary,
    table,
)
from factory.storage import BLIND, SEEN, Store, totals
from factory.values import Program

KEYS = ("operator", "framework", "size", "kind", "format")
CHEAP = {"pytorch": 0, "sklearn": 1, "transformers": 2, "lightning": 3, "keras": 4}
"""Programs of one framework share a server, so they stand together; the quick ones first."""
ROUNDS = ((40, 60.0), (100, 110.0), (300, 300.0), (800, 600.0), (2000, 1200.0), (5000, 2400.0))
"""Attempts of a program in all and seconds of its turn, by round: all come before much of one."""


def main() -> int:
    """Run one of the commands."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    mirror = os.environ.get("MIRROR")
    parser.add_argument("--store", type=Path, default=PROJECT / ".factory")
    parser.add_argument(
        "--python", type=Path, default=Path(sys.executable), help="runs the programs"
    )
    parser.add_argument("--mirror", type=Path, default=Path(mirror) if mirror else None)
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="make failures; can be stopped and goes on")
    run.add_argument("--jobs", type=int, default=2)
    run.add_argument("--rounds", type=int, default=len(ROUNDS))
    run.add_argument("--only", help="programs whose id holds this text")
    run.add_argument("--quick", type=float, help="only programs with a clean run of fewer seconds")
    run.add_argument("--goal", type=int, default=1_000_000, help="failures to stop at")
    demo = commands.add_parser("demo", help="ten failures end to end")
    demo.add_argument("--count", type=int, default=10)
    counts = commands.add_parser("table", help="how many failures stand, by kind")
    counts.add_argument("--blind", action="store_true", help="of the blind half")
    score = commands.add_parser("score", help="locate the stored failures; figures as JSON")
    score.add_argument("--label", help="name of the results; by default of the package's git tree")
    score.add_argument("--jobs", type=int, default=2)
    score.add_argument("--limit", type=int, help="failures a source, at most")
    score.add_argument("--blind", action="store_true", help="print the blind half's totals")
    score.add_argument("--half", choices=(SEEN, BLIND), help="locate one half only")
    score.add_argument("--only-print", action="store_true", help="locate nothing more")
    score.add_argument("--among", metavar="LABEL", help="only failures that it has located, too")
    score.add_argument("--markdown", action="store_true", help="print both halves side by side")
    score.add_argument("--json", type=Path, help="where the figures of both halves go")
    commands.add_parser("halves", help="how sources fall into halves")
    opened = commands.add_parser("open", help="move a source of the blind half to the seen one")
    opened.add_argument("source")
    args = parser.parse_args()
    store = Store(args.store.resolve())
    # A link of a virtual environment must stay the link: it is what makes it that environment.
    args.python = Path.cwd() / args.python
    if args.command == "run":
        return run_all(args, store)
    if args.command == "demo":
        return show_demo(args, store)
    if args.command == "table":
        show_table(store, BLIND if args.blind else SEEN)
    elif args.command == "score":
        score_and_show(args, store)
    elif args.command == "halves":
        show_halves(store, programs(args.mirror))
    else:
        store.halves.open(args.source, store.root)
    return 0


def run_all(args: argparse.Namespace, store: Store) -> int:
    """Give all programs their turns, in several processes; one such run a store at a time."""
    store.root.mkdir(parents=True, exist_ok=True)
    with (store.root / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            print("another run works on this store", file=sys.stderr)
            return 1
        chosen = [p for p in programs(args.mirror) if not args.only or args.only in p.id]
        if args.quick is not None:
            chosen = [p for p in chosen if _clean_seconds(store, p) < args.quick]
        print(f"{len(all_operators())} operators, {len(chosen)} programs", flush=True)
        turns = [
            (program, Budget(attempts, seconds))
            for number, (attempts, seconds) in enumerate(ROUNDS[: args.rounds])
            for program in _in_turn(chosen)
        ]
        context = multiprocessing.get_context("fork")
        following = context.Value("i", 0)
        workers = [
            context.Process(
                target=work,
                args=(turns, following, number, args.python, args.mirror, store.root, args.goal),
            )
            for number in range(args.jobs)
        ]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        show_progress(store)
        return max((worker.exitcode or 0) for worker in workers)


def _clean_seconds(store: Store, program: Program) -> float:
    """Return the processor time of a program's clean run, 0 where it was not run yet."""
    try:
        data = json.loads((store.root / "clean" / f"{program.id}.json").read_text("utf-8"))
    except (OSError, ValueError):
        return 0.0
    return float(data["processor"])


def _in_turn(chosen: list[Program]) -> list[Program]:
    """Return programs so that sources take turns: two of each, public ones first, then two more."""
    place: Counter[str] = Counter()
    keyed = []
    for program in chosen:
        order = CHEAP.get(program.framework, len(CHEAP))
        spread = seed_of("turn", program.id)
        ours = program.source.startswith(OURS)
        keyed.append((place[program.source] // 2, ours, order, spread, program))
        place[program.source] += 1
    return [entry[-1] for entry in sorted(keyed, key=lambda e: e[:-1])]


def work(
    turns: list[tuple[Program, Budget]],
    following: Any,
    number: int,
    python: Path,
    mirror: Path | None,
    root: Path,
    goal: int,
) -> None:
    """Take turns until none is left or the goal is reached; ``following`` is a shared number."""
    store = Store(root)
    production = Production(store, python, mirror, work_folder(root) / str(number), _say)
    last = time.monotonic()
    while True:
        with following.get_lock():
            at = following.value
            following.value += 1
        if at >= len(turns):
            production.close()
            return
        production.turn(*turns[at])
        if time.monotonic() - last > 60:
            last = time.monotonic()
            show_progress(store)
            if sum(1 for r in store.records() if r.get("case")) >= goal:
                return


def _say(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)


def show_progress(store: Store) -> None:
    """Print one line: what stands."""
    told = []
    for half in (SEEN, BLIND):
        records = list(store.records(half))
        kept = sum(1 for r in records if r.get("case"))
        tried = sum(1 for r in records if r["key"])
        told.append(f"{half} {kept} failures of {tried} mutants")
    _say("; ".join(told))


def show_table(store: Store, half: str) -> None:
    """Print totals of stored failures; of the blind half nothing but totals."""
    records = list(store.records(half))
    kept = [r for r in records if r.get("case")]
    tried = [r for r in records if r["key"]]
    print(f"{half}: {len(kept)} failures of {len(tried)} mutants")
    if not kept:
        return
    for key in ("program", "source"):
        print(f"  {key}s {len({r[key] for r in kept})}")
    print(f"  raised elsewhere {sum(bool(r.get('elsewhere')) for r in kept)}")
    print(f"  silent {sum(bool(r.get('silent')) for r in kept)}")
    spent = [r["seconds"] for r in tried if "seconds" in r]
    print(f"  seconds a mutant: mean {sum(spent) / len(spent):.2f}, all {sum(spent):.0f}")
    outcomes = Counter(r["outcome"] for r in tried)
    print("  " + ", ".join(f"{n} {name}" for name, n in sorted(outcomes.items())))
    for key, counter in totals(kept, KEYS).items():
        print(f"{key}:")
        for name, count in counter.most_common():
            print(f"  {name:32} {count:6}")


def score_and_show(args: argparse.Namespace, store: Store) -> None:
    """Locate what has no result yet, then print the figures of one half and write those of both."""
    label = args.label or label_of_package()
    if not args.only_print:
        halves = (args.half,) if args.half else (SEEN, BLIND)
        found = programs(args.mirror)
        score_all(
            store,
            found,
            args.mirror,
            args.python,
            label,
            halves=halves,
            jobs=args.jobs,
            limit=args.limit,
            tell=_say,
        )
    rows = {half: results(store, half, label) for half in (SEEN, BLIND)}
    if args.among:
        for half, located in rows.items():
            others = {r["case"] for r in results(store, half, args.among)}
            rows[half] = [r for r in located if r["case"] in others]
    if args.markdown:
        print("\n".join(side_by_side(rows[SEEN], rows[BLIND])))
        return
    told = {half: summary(rows[half]) for half in (SEEN, BLIND)}
    half = BLIND if args.blind else SEEN
    print(f"{half} half, {label}")
    for line in table(told[half], told[SEEN] if args.blind else None):
        print(line)
    at = args.json or store.root / "results" / f"{label}.json"
    at.parent.mkdir(parents=True, exist_ok=True)
    at.write_text(json.dumps({"label": label, **told}, indent=1) + "\n", encoding="utf-8")


def show_halves(store: Store, found: list[Program]) -> None:
    """Print how many programs and sources of each framework stand in each half."""
    for half in (SEEN, BLIND):
        inside = [p for p in found if store.halves.of(p.source) == half]
        public = [p for p in inside if not p.source.startswith(OURS)]
        print(f"{half}: {len(inside)} programs, {len({p.source for p in inside})} sources, public")
        for name, count in Counter(p.framework for p in public).most_common():
            print(f"  {name:16} {count}")


def show_demo(args: argparse.Namespace, store: Store) -> int:
    """Make ten failures of three programs of ours in a store of their own and show them."""
    demo = Store(store.root / "demo")
    wanted = ("104-charlm", "101-leaf", "419-wine", "120-gnn", "112-dqn")
    chosen = [p for p in programs(None) if any(f"{OURS}-{w}" in p.id for w in wanted)]
    production = Production(demo, args.python, None, work_folder(demo.root), _say)
    for program in chosen:
        kept = sum(1 for r in demo.records(SEEN) if r.get("case"))
        if kept >= args.count:
            break
        production.turn(program, Budget(40, 60.0, min(4, args.count - kept)))
    production.close()
    known = {p.id: p for p in chosen}
    for record in demo.cases(SEEN)[: args.count]:
        place = Located.of(
            known[record["program"]], demo, None, args.python, work_folder(demo.root) / "shown"
        )
        told = place.locate(demo, SEEN, record)
        folder = demo.folder(record["source"], record["case"])
        truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
        cause = truth["root_cause"][0]
        print(f"\n{record['case']} ({record['operator']}, {record['format']}): {cause['why']}")
        print(f"  {(truth['message'] or 'silent').splitlines()[0][:100]}")
        print(f"  cause {cause['file']}:{cause['line']}, found as number {told['line'] or '-'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
