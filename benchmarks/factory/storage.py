"""What the factory keeps: halves, one line for each attempt, one folder for each failure."""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from factory.catalogue import HERE, OURS, seed_of, tomllib
from factory.values import Edit, Mutation

SEEN, BLIND = "seen", "blind"
HALVES = HERE / "halves.toml"


class Halves:
    """Which half each source belongs to; the same everywhere, whatever other sources there are."""

    def __init__(self, file: Path = HALVES) -> None:
        self.file = file
        data = tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
        self.opened = list(data.get("opened", []))
        self.seen = {*data.get("seen", []), *self.opened}
        self.blind = {*data.get("blind", [])} - set(self.opened)

    def of(self, source: str) -> str:
        """Return ``seen`` or ``blind``."""
        if source == OURS or source.startswith(f"{OURS}-") or source in self.seen:
            return SEEN
        if source in self.blind:
            return BLIND
        return BLIND if seed_of("half", source) % 2 else SEEN

    def open(self, source: str, store: Path) -> None:
        """Record that a case of a source was opened, and move what is stored of it."""
        if self.of(source) == SEEN:
            return
        self.opened.append(source)
        text = self.file.read_text(encoding="utf-8") if self.file.is_file() else "opened = []\n"
        lines = [
            f"opened = {json.dumps(sorted(self.opened))}" if x.startswith("opened") else x
            for x in text.splitlines()
        ]
        self.file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        self.seen.add(source)
        self.blind.discard(source)
        old, new = store / BLIND, store / SEEN
        if (old / source).is_dir():
            new.mkdir(parents=True, exist_ok=True)
            shutil.move(str(old / source), str(new / source))
        records = list(read_lines(old / "index.jsonl"))
        kept = [r for r in records if r["source"] != source]
        write_lines(new / "index.jsonl", [r for r in records if r["source"] == source], "a")
        write_lines(old / "index.jsonl", kept, "w")


def read_lines(file: Path) -> Iterator[dict[str, Any]]:
    """Yield the records of a file of JSON lines; the rest of a line cut off by a kill is left."""
    if not file.is_file():
        return
    with file.open(encoding="utf-8") as stream:
        for line in stream:
            try:
                record = json.loads(line)
            except ValueError:
                continue
            if isinstance(record, dict):
                yield record


def write_lines(file: Path, records: Iterable[dict[str, Any]], mode: str) -> None:
    """Write records as JSON lines."""
    file.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(record, sort_keys=True) + "\n" for record in records)
    if mode == "a":
        # One write for all, at the end of the file: other processes append to it too.
        ends = not file.is_file() or not file.stat().st_size or file.read_bytes()[-1:] == b"\n"
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            os.write(descriptor, (("" if ends else "\n") + text).encode())
        finally:
            os.close(descriptor)
        return
    fresh = file.with_suffix(".part")
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(file)


class Store:
    """The folder of attempts and failures, in two halves."""

    def __init__(self, root: Path, halves: Halves | None = None) -> None:
        self.root = root
        self.halves = halves or Halves()

    def index(self, half: str) -> Path:
        """Return the file with one line for each attempt."""
        return self.root / half / "index.jsonl"

    def records(self, half: str | None = None) -> Iterator[dict[str, Any]]:
        """Yield the attempts of one half, or of both."""
        for each in (half,) if half else (SEEN, BLIND):
            yield from read_lines(self.index(each))

    def attempts(self, program: str, source: str) -> list[dict[str, Any]]:
        """Return what was tried of one program."""
        return [r for r in self.records(self.halves.of(source)) if r["program"] == program]

    def add(self, record: dict[str, Any]) -> None:
        """Append an attempt to the index of its half."""
        write_lines(self.index(self.halves.of(record["source"])), [record], "a")

    def folder(self, source: str, case: str) -> Path:
        """Return the folder of a failure."""
        return self.root / self.halves.of(source) / source / case

    def keep(
        self,
        source: str,
        case: str,
        log: bytes,
        truth: dict[str, Any],
        mutation: Mutation,
        files: dict[str, str],
    ) -> None:
        """Store a failure; its folder appears whole or not at all.

        ``files`` are files of ours that the run needed beside the program's.
        """
        at = self.folder(source, case)
        fresh = at.with_name(at.name + ".part")
        shutil.rmtree(fresh, ignore_errors=True)
        shutil.rmtree(at, ignore_errors=True)
        fresh.mkdir(parents=True)
        (fresh / "log.txt").write_bytes(log)
        (fresh / "truth.json").write_text(json.dumps(truth, indent=1) + "\n", encoding="utf-8")
        told = {
            "note": mutation.note,
            "edits": [asdict(e) for e in mutation.edits],
            "files": files,
        }
        (fresh / "mutation.json").write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
        fresh.rename(at)

    def cases(self, half: str) -> list[dict[str, Any]]:
        """Return the attempts of a half that are stored failures, by case."""
        found = {r["case"]: r for r in self.records(half) if r.get("case")}
        return [
            record
            for case, record in sorted(found.items())
            if (self.root / half / record["source"] / case / "truth.json").is_file()
        ]

    def mutation(self, half: str, source: str, case: str) -> tuple[Mutation, dict[str, str]]:
        """Return a failure's edits and the files of ours beside it."""
        file = self.root / half / source / case / "mutation.json"
        data = json.loads(file.read_text(encoding="utf-8"))
        return Mutation(tuple(Edit(**e) for e in data["edits"]), data["note"]), data["files"]


def totals(records: Iterable[dict[str, Any]], keys: Iterable[str]) -> dict[str, Counter[str]]:
    """Count stored failures by each of ``keys``."""
    found = {key: Counter[str]() for key in keys}
    for record in records:
        if record.get("case"):
            for key, counter in found.items():
                counter[str(record.get(key))] += 1
    return found
