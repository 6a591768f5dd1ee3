"""How fast, how exact and how robust `dl-bug-lsp triage` is, on a corpus of made job logs.

    python benchmarks/triage.py make FOLDER --jobs 20000 [--logs DIR ...]
    python benchmarks/triage.py speed FOLDER        MB/s a core, beside grep and zgrep
    python benchmarks/triage.py workers FOLDER      two workers against one
    python benchmarks/triage.py grouping FOLDER     pairwise F1, beside Drain and last frames
    python benchmarks/triage.py resume FOLDER       killed 20 times at random points
    python benchmarks/triage.py memory FOLDER       peak memory with a big log among the others
    python benchmarks/triage.py hosts --jobs 100000 planted bad hosts, of 2,000
    python benchmarks/triage.py page                a page of 10,000 groups in a real browser (needs
                                                    playwright and a Chromium)

The logs are recorded ones (fixtures, the tracebacks of the tests, and those in ``--logs``) below
the progress of a training, with their accidents varied: folders, users, environments, line numbers,
times, hosts, addresses, ids, numbers in messages, ranks whose lines interleave. A *variant* is the
same mistake in another program: its files and functions have other names, and it is another bug.
Which bug a log holds is known from how it was made.
"""

# ruff: noqa: E501  (what programs print)

from __future__ import annotations

import argparse
import csv
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

USERS = [
    f"{name}{n}" for n in range(1, 9) for name in ("anna", "ben", "chen", "dora", "emre", "fay")
]
WORDS = (
    "amber",
    "birch",
    "cedar",
    "delta",
    "ember",
    "fjord",
    "grove",
    "heron",
    "indigo",
    "juniper",
)
FRAME = re.compile(r'(File ")([^"\n]+)(", line )(\d+)')
LIBRARY = re.compile(r"^(?:.*?)((?:site|dist)-packages/.*|lib/python3\.\d+/.*)$")
ADDRESS = re.compile(r"0x[0-9a-f]{6,16}")
STAMP = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d")
RAISED = re.compile(r"^(?:\[[^\]]+\]: ?)?[\w.]*(?:Error|Exception)\b: .*", re.MULTILINE)
CODES = re.compile(r"code|status|signal|rrno|HTTP", re.IGNORECASE)


# --- the corpus -----------------------------------------------------------------------------------


def recorded(folders: Sequence[Path]) -> dict[str, str]:
    """Return recorded logs that tell of a failure, by the name of the bug that they hold."""
    from dl_bug_lsp.logs import read_log
    from dl_bug_lsp.tracebacks import read_failures

    files = {f"fixture-{p.parent.name}": p for p in sorted(ROOT.glob("fixtures/*/log.txt"))}
    for folder in folders:
        files |= {f"{folder.name}-{p.parent.name}": p for p in sorted(folder.glob("*/log.txt"))}
    found: dict[str, str] = {}
    for name, path in files.items():
        text = path.read_text("utf-8", "replace")
        if len(text) < 100_000 and any(f.primary for f in read_failures(read_log(text)).failures):
            found[name] = text
    cases: dict[tuple[str, str], str] = {}
    for path in sorted((ROOT / "tests" / "tracebacks" / "cases").glob("*.txt")):
        text = path.read_bytes().decode("utf-8", "replace")
        primary = [f for f in read_failures(read_log(text)).failures if f.primary]
        # One program in several forms of print is one bug, and is taken once.
        if primary and primary[0].cause is not None and len(text) < 100_000:
            cause = primary[0].cause
            cases.setdefault((cause.class_name, cause.message[:60]), path.stem)
    for name in cases.values():
        path = ROOT / "tests" / "tracebacks" / "cases" / f"{name}.txt"
        found[f"case-{name}"] = path.read_bytes().decode("utf-8", "replace")
    return found


def own_files(text: str) -> list[str]:
    """Return the last names of the user's files on stacks."""
    paths = (match[2] for match in FRAME.finditer(text))
    names = (p.rpartition("/")[2] for p in paths if not LIBRARY.match(p) and not p.startswith("<"))
    return [name for name in dict.fromkeys(names) if name.endswith(".py")]


def variant_of(text: str, number: int) -> str | None:
    """Return the same mistake in another program; None where no file's name tells programs apart."""
    if not number:
        return text
    names = own_files(text)
    if not names:
        return None
    word = WORDS[number % len(WORDS)] + (str(number // len(WORDS)) if number >= len(WORDS) else "")
    for name in names:
        text = text.replace(name, f"{name[:-3]}_{word}.py")
    return text


def with_accidents(text: str, rng: random.Random) -> str:
    """Return the failure as another job would print it."""
    user, job = rng.choice(USERS), rng.randrange(10**6, 10**8)
    home = rng.choice((
        f"/home/{user}/work", f"/scratch/{user}/run_{job}/code", f"/mnt/nfs/{user}/proj-{job % 97}",
        f"/lustre/project{job % 7}/{user}/src",
    ))  # fmt: skip
    python = rng.choice(("3.10", "3.11", "3.12"))
    library = rng.choice((
        f"/opt/conda/envs/{rng.choice(WORDS)}/lib/python{python}",
        f"/home/{user}/.venv/lib/python{python}", f"/usr/local/lib/python{python}",
    ))  # fmt: skip
    library_shift = rng.choice((0, 0, rng.randrange(-9, 40)))
    own_shift = rng.choice((0, 0, rng.randrange(1, 25)))

    def frame(match: re.Match[str]) -> str:
        path, line = match[2], int(match[4])
        if inner := LIBRARY.match(path):
            kept = inner[1] if inner[1].startswith(("site", "dist")) else inner[1].split("/", 2)[2]
            return f"{match[1]}{library}/{kept}{match[3]}{max(1, line + library_shift)}"
        if path.startswith("<"):
            return match[0]
        name = "/".join(path.split("/")[-2:]) if path.count("/") > 3 else path.rpartition("/")[2]
        return f"{match[1]}{home}/{name}{match[3]}{line + own_shift}"

    text = FRAME.sub(frame, text)
    text = ADDRESS.sub(lambda m: f"0x{rng.randrange(16**8, 16**11):x}", text)
    text = STAMP.sub(lambda m: stamp(rng), text)
    if rng.random() < 0.5:
        text = RAISED.sub(lambda m: other_numbers(m[0], rng), text)
    if rng.random() < 0.15 and "[rank" not in text and "\x1b" not in text and "\r" not in text:
        text = interleaved(text, rng.choice((2, 4, 8)), rng)
    return text


def other_numbers(line: str, rng: random.Random) -> str:
    """Return an exception's line with other sizes and ids, but the same codes."""
    if CODES.search(line):
        return line
    return re.sub(
        r"(?<![\w.])\d{2,}(?![\w.])",
        lambda m: str(rng.randrange(10 ** (len(m[0]) - 1), 10 ** len(m[0]))),
        line,
    )


def interleaved(text: str, ranks: int, rng: random.Random) -> str:
    """Return the text of several ranks, each line tagged, mixed as pipes mix them."""
    lines = text.rstrip("\n").split("\n")
    waiting = [[f"[rank{rank}]: {line}" for line in lines] for rank in range(ranks)]
    out: list[str] = []
    while any(waiting):
        rank = rng.choice([r for r in range(ranks) if waiting[r]])
        size = rng.randrange(1, 12)
        out += waiting[rank][:size]
        del waiting[rank][:size]
    return "\n".join(out) + "\n"


def stamp(rng: random.Random) -> str:
    """Return a time of the last weeks."""
    return f"2026-{rng.randrange(9, 12):02d}-{rng.randrange(1, 29):02d} {rng.randrange(24):02d}:{rng.randrange(60):02d}:{rng.randrange(60):02d}"


def progress_lines(style: int, rng: random.Random, size: int) -> bytes:
    """Return ``size`` bytes of what trainings print while they go well."""
    out: list[str] = []
    length = step = 0
    while length < size:
        step += 1
        loss = 2.3 / (1 + step / 5000) + rng.random() / 9
        if style == 0:
            line = f"Epoch {step // 500}: {step % 500 / 5:.0f}%|{'█' * (step % 500 // 50):<10}| {step % 500}/500 [00:{step % 60:02d}<01:12, {rng.uniform(8, 14):.2f}it/s, loss={loss:.4f}]"
            line += "\r" if step % 500 else "\n"
        elif style == 1:
            line = f"{stamp(rng)},{rng.randrange(1000):03d} INFO [trainer] step {step} | loss {loss:.5f} | lr {1e-3 / (1 + step):.3e} | tokens/s {rng.randrange(10**4, 10**6)} | node-{rng.randrange(2000):04d}\n"
        elif style == 2:
            line = f"{step}/1563 [==============================] - {rng.randrange(9)}s {rng.randrange(90)}ms/step - loss: {loss:.4f} - accuracy: {1 - loss / 3:.4f} - val_loss: {loss * 1.1:.4f}\n"
        elif style == 3:
            line = f"[{stamp(rng)}][train][INFO] - epoch {step // 100} batch {step % 100} loss={loss:.4f} grad_norm={rng.random():.3f} mem={rng.randrange(80)}GiB\n"
        else:
            line = f"{{'loss': {loss:.4f}, 'grad_norm': {rng.random():.4f}, 'learning_rate': {1e-4 / (1 + step):.3e}, 'epoch': {step / 1000:.3f}}}\n"
        if step % 400 == 0:
            line += f"Saving model checkpoint to /scratch/out/checkpoint-{step}\n"
        out.append(line)
        length += len(line.encode())
    return "".join(out).encode()


START = (
    "/opt/venv/lib/python3.11/site-packages/torch/utils/data/dataloader.py:617: UserWarning: This DataLoader will create 8 worker processes in total.\n  warnings.warn(\n",
    "2026-11-02 10:12:44.104713: I tensorflow/core/util/port.cc:153] oneDNN custom operations are on. You may see slightly different numerical results due to floating-point round-off errors from different computation orders.\n",
    "GPU available: True (cuda), used: True\nTPU available: False, using: 0 TPU cores\nLOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0,1]\n",
    "Some weights of BertForSequenceClassification were not initialized from the model checkpoint and are newly initialized: ['classifier.bias']\n",
    "wandb: Tracking run with wandb version 0.17.0\nwandb: Run data is saved locally in /scratch/wandb/run-20261102\n",
)


def make(arguments: argparse.Namespace) -> None:
    """Write the corpus: logs in folders of a thousand, `jobs.csv`, `truth.json`."""
    folder: Path = arguments.folder
    rng = random.Random(arguments.seed)
    texts = recorded(arguments.logs)
    bugs = [
        (f"{name}#{number}", text)
        for name, base in texts.items()
        for number in range(arguments.variants)
        if (text := variant_of(base, number)) is not None
    ]
    rng.shuffle(bugs)
    weights = [1 / (rank + 5) for rank in range(len(bugs))]
    pool = [progress_lines(style, rng, 2_000_000) for style in range(5)]
    truth: dict[str, str] = {}
    size = 0
    (folder / "logs").mkdir(parents=True)
    with (folder / "jobs.csv").open("w", newline="") as stream:
        rows = csv.writer(stream)
        rows.writerow(
            (
                "job_id",
                "name",
                "user",
                "partition",
                "host",
                "gpus",
                "start",
                "end",
                "exit_code",
                "log",
            )
        )
        start = 1_790_000_000.0
        for number in range(arguments.jobs):
            fails = rng.random() < 0.4
            length = min(int(rng.lognormvariate(0, 1.2) * arguments.median_kb * 1000), 20_000_000)
            style = rng.randrange(5)
            body = pool[style]
            parts = [rng.choice(START).encode(), rng.choice(START).encode()]
            while length > 0:
                at = body.find(b"\n", rng.randrange(len(body) // 2)) + 1
                parts.append(body[at : body.rfind(b"\n", 0, at + max(length, 300)) + 1])
                length -= len(parts[-1]) or 300
            name = f"logs/{number // 1000:04d}/job_{5_000_000 + number}.log"
            if fails:
                bug, text = rng.choices(bugs, weights)[0]
                truth[name] = bug
                parts.append(b"\n" + with_accidents(text, rng).encode("utf-8", "replace"))
                if rng.random() < 0.3 and text.rstrip()[-1:] not in "]})":
                    parts.append(
                        b"\nsrun: error: node-%04d: task 0: Exited with exit code 1\n"
                        % rng.randrange(2000)
                    )
            else:
                parts.append(b"Training finished.\n")
            path = folder / name
            path.parent.mkdir(exist_ok=True)
            data = b"".join(parts)
            path.write_bytes(data)
            size += len(data)
            start += rng.random() * 30
            seconds = rng.lognormvariate(8, 1.5)
            rows.writerow((5_000_000 + number, f"exp-{rng.randrange(5000)}", rng.choice(USERS),
                           rng.choice(("gpu", "long", "debug")), f"node-{rng.randrange(2000):04d}",
                           rng.choice((1, 2, 4, 8)), f"{start:.0f}", f"{start + seconds:.0f}",
                           int(fails), name))  # fmt: skip
    (folder / "truth.json").write_text(json.dumps(truth))
    print(
        f"{arguments.jobs:,} logs, {size / 1e9:.2f} GB, {len(truth):,} with a failure, "
        f"{len(set(truth.values())):,} bugs from {len(texts)} recorded logs"
    )


# --- measures -------------------------------------------------------------------------------------


def corpus_size(folder: Path) -> int:
    """Return the bytes of all logs, and have the system's cache hold as many as it can."""
    return sum(len(path.read_bytes()) for path in (folder / "logs").rglob("*.log"))


def cpu(work: Callable[[], object]) -> tuple[float, float]:
    """Return the seconds on the clock and the processor's seconds, children's included."""

    def used() -> float:
        usages = (resource.getrusage(w) for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        return sum(usage.ru_utime + usage.ru_stime for usage in usages)

    before, start = used(), time.perf_counter()
    work()
    return time.perf_counter() - start, used() - before


def speed(arguments: argparse.Namespace) -> None:
    """Print MB/s of one core (by processor time, as the machine may have other work)."""
    from dl_bug_lsp.triage.reading import Reader
    from dl_bug_lsp.triage.running import batches, read_batch
    from dl_bug_lsp.triage.sources import listing

    logs = arguments.folder / "logs"
    size = corpus_size(arguments.folder) / 1e6

    def ours(remembered: int) -> Callable[[], object]:
        reader = Reader(remembered)
        listed = listing([str(logs)]).sources
        return lambda: [read_batch(batch, reader) for batch in batches(listed)]

    def program(*words: str) -> Callable[[], object]:
        return lambda: subprocess.run(words, stdout=subprocess.DEVNULL, check=False)

    packed = arguments.folder / "packed"
    if not packed.exists():
        packed.mkdir()
        for path in list(logs.rglob("*.log"))[:2000]:
            subprocess.run(
                ("gzip", "-kc", path), stdout=(packed / f"{path.name}.gz").open("wb"), check=True
            )
    names = {path.name.removesuffix(".gz") for path in packed.iterdir()}
    part = sum(p.stat().st_size for p in logs.rglob("*.log") if p.name in names) / 1e6
    zipped = listing([str(packed)]).sources
    reader = Reader()
    rows: list[tuple[str, Callable[[], object], float]] = [
        ("dl-bug-lsp triage, one process", ours(20_000), size),
        ("  without remembering what was read", ours(0), size),
        ("grep -rc Traceback", program("grep", "-rc", "Traceback", str(logs)), size),
        ("dl-bug-lsp triage, gzip", lambda: [read_batch(b, reader) for b in batches(zipped)], part),
        ("zgrep -c Traceback", program("bash", "-c", f"zgrep -c Traceback {packed}/*.gz"), part),
    ]
    print(f"{size:,.0f} MB of logs")
    for name, work, megabytes in rows:
        clock, busy = cpu(work)
        print(
            f"{name:38} {megabytes / busy:8.1f} MB/s of processor, {megabytes / clock:8.1f} by the clock"
        )


def workers(arguments: argparse.Namespace) -> None:
    """Print how much faster two workers read than one (reading alone, without start and tables)."""
    from dl_bug_lsp.triage.running import batches, cluster_client, read_with
    from dl_bug_lsp.triage.sources import listing

    corpus_size(arguments.folder)
    sources = listing([str(arguments.folder / "logs")]).sources
    seconds = {}
    for count in (1, 2, 1, 2):
        with cluster_client(None, count) as client:
            list(read_with(client, [(source,) for source in sources[:50]]))
            start = time.perf_counter()
            rows = sum(rows.num_rows for _, rows in read_with(client, list(batches(sources))))
            taken = time.perf_counter() - start
        seconds[count] = min(taken, seconds.get(count, taken))
        print(f"{count} worker(s): {taken:.1f} s, {rows:,} logs")
    print(f"two workers are {seconds[1] / seconds[2]:.2f} times as fast as one")


def pairs_f1(groups: Sequence[Hashable], truth: Sequence[str]) -> tuple[float, float, float]:
    """Return precision, recall and F1 over pairs of logs that are held to be one bug."""

    def pairs(counts: Iterator[int]) -> int:
        return sum(n * (n - 1) // 2 for n in counts)

    both = pairs(iter(Counter(zip(groups, truth, strict=True)).values()))
    ours, theirs = (pairs(iter(Counter(one).values())) for one in (groups, truth))
    precision, recall = both / max(1, ours), both / max(1, theirs)
    return precision, recall, 2 * precision * recall / max(1e-12, precision + recall)


def drain(lines: Sequence[str], depth: int = 4, similarity: float = 0.5) -> list[int]:
    """Return a template's number for each line (Drain: He et al., ICWS 2017)."""
    leaves: dict[Hashable, list[tuple[int, list[str]]]] = defaultdict(list)
    out: list[int] = []
    count = 0
    for line in lines:
        tokens = line.split()[:60]
        heads = ["<*>" if any(c.isdigit() for c in t) else t for t in tokens[: depth - 2]]
        leaf = leaves[len(tokens), tuple(heads)]
        best, share = None, 0.0
        for entry in leaf:
            same = sum(a == b for a, b in zip(entry[1], tokens, strict=True)) / max(1, len(tokens))
            if same > share:
                best, share = entry, same
        if best is None or share < similarity:
            count += 1
            best = (count, list(tokens))
            leaf.append(best)
        template = best[1]
        for at, token in enumerate(tokens):
            if template[at] != token:
                template[at] = "<*>"
        out.append(best[0])
    return out


def grouping(arguments: argparse.Namespace) -> None:
    """Print the pairwise F1 of ours, of Drain's templates and of exception and last frame."""
    import pyarrow.parquet as pq

    from dl_bug_lsp.triage import triage
    from dl_bug_lsp.triage.reading import excerpts, log_of, primary

    folder: Path = arguments.folder
    truth = json.loads((folder / "truth.json").read_text())
    with tempfile.TemporaryDirectory() as results:
        triage([folder / "logs"], results=results, manifests=[folder / "jobs.csv"], workers=1)
        rows = pq.read_table(Path(results) / "failures.parquet").to_pylist()
    found = {os.path.relpath(row["log"], folder.resolve()): row["group"] for row in rows}
    names = sorted(truth)
    labels = [truth[name] for name in names]
    missed = sum(1 for name in names if not found.get(name))
    false = sum(1 for name in found if name not in truth)
    print(
        f"{len(names):,} failures, {len(set(labels)):,} bugs; {missed} not read, {false} where none is"
    )
    ours = [found.get(name) or f"missed {name}" for name in names]
    show("dl-bug-lsp triage", pairs_f1(ours, labels))
    lines, frames = [], []
    for name in names:
        failure = primary(log_of(excerpts([(folder / name).read_bytes()])[0]))
        cause = failure.cause if failure is not None else None
        said = f"{cause.type}: {cause.message.split(chr(10))[0]}" if cause is not None else ""
        lines.append(said)
        last = cause.frames[-1] if cause is not None and cause.frames else None
        where = (last.file.rpartition("/")[2], last.function) if last else said
        frames.append((cause.class_name if cause is not None else "", where))
    show("Drain, exception and message", pairs_f1(drain(lines), labels))
    show("exception type and last frame", pairs_f1(frames, labels))
    if arguments.show:
        worst(ours, labels, names)


def worst(ours: Sequence[str], truth: Sequence[str], names: Sequence[str]) -> None:
    """Print the bugs that fall into most groups, and the groups that mix most bugs."""
    by_bug, by_group = defaultdict(Counter), defaultdict(Counter)
    example = dict(zip(zip(truth, ours, strict=True), names, strict=True))
    for group, bug in zip(ours, truth, strict=True):
        by_bug[bug][group] += 1
        by_group[group][bug] += 1
    for title, table, turned in (("split", by_bug, False), ("mixed", by_group, True)):
        for key, counts in sorted(
            table.items(), key=lambda item: -sum(item[1].values()) + max(item[1].values())
        )[:12]:
            if len(counts) > 1:
                shown = [
                    (k, n, example[(k, key) if turned else (key, k)])
                    for k, n in counts.most_common(3)
                ]
                print(title, key, len(counts), shown)


def show(name: str, scores: tuple[float, float, float]) -> None:
    """Print one row of the table."""
    print(f"{name:32} precision {scores[0]:.3f}  recall {scores[1]:.3f}  F1 {scores[2]:.3f}")


KILLED = """
import os, random, signal, sys, threading
from dl_bug_lsp.triage import batches, triaging
triaging.PART_ROWS, batches.BATCH_FILES = 60, 20
started = []
def progress(state):
    if not started:
        started.append(threading.Timer(float(sys.argv[3]), os.kill, (os.getpid(), signal.SIGKILL)))
        started[0].daemon = True
        started[0].start()
result = triaging.run(sys.argv[1:2], results=sys.argv[2], manifests=[], workspace=None,
                      scheduler=None, workers=1, progress=progress)
print(result.seconds)
"""


def resume(arguments: argparse.Namespace) -> None:
    """Kill runs at random times of their reading, then compare with one that was not killed."""
    import pyarrow.parquet as pq

    rng = random.Random(7)

    def run(results: Path, seconds: float) -> subprocess.CompletedProcess[str]:
        words = (str(arguments.folder / "logs"), str(results), str(seconds))
        return subprocess.run(
            [sys.executable, "-c", KILLED, *words],
            capture_output=True,
            text=True,
            check=False,
            cwd=ROOT,
        )

    kills = lost = 0
    kept: list[int] = []
    with tempfile.TemporaryDirectory() as scratch:
        whole = Path(scratch) / "whole"
        seconds = float(run(whole, 1e6).stdout)
        expected = rows_of(whole)
        at = 0
        while kills < arguments.kills:
            killed = Path(scratch) / f"killed-{at}"
            # Up to five kills of one folder, then a run to the end.
            for _ in range(min(5, arguments.kills - kills)):
                if run(killed, rng.uniform(0, seconds / 3)).returncode == -signal.SIGKILL:
                    kills += 1
            parts = sorted((killed / "reads").glob("part-*.parquet"))
            kept.append(sum(pq.read_metadata(part).num_rows for part in parts))
            run(killed, 1e6)
            lost += rows_of(killed) != expected
            at += 1
    print(
        f"killed {kills} times in {at} folders, which then held {kept} of {len(expected):,} logs; "
        f"{lost} folders differ from a run without kills"
    )
    if lost:
        sys.exit(1)


def rows_of(results: Path) -> list[tuple[str, str]]:
    """Return the logs of a results' folder with their groups."""
    from dl_bug_lsp.triage.running import Store

    rows = Store(results).rows()
    return sorted(zip(rows["log"].to_pylist(), rows["group"].to_pylist(), strict=True))


def memory(arguments: argparse.Namespace) -> None:
    """Print the peak memory of a process that reads a big log (made, then removed) and others."""
    rng = random.Random(3)
    folder: Path = arguments.folder
    big = folder / "big" / "job_4999999.log"
    big.parent.mkdir(exist_ok=True)
    block = b"".join(progress_lines(style, rng, 2_000_000) for style in (1, 2, 3, 4))
    text = next(iter(recorded([]).values()))
    try:
        with big.open("wb") as stream:
            for at in range(int(arguments.gigabytes * 1e9 / len(block))):
                stream.write(block)
                if at % 20 == 7:
                    stream.write(b"WARNING: could not send metrics, connection refused; retrying\n")
            stream.write(with_accidents(text, rng).encode())
        others = sorted((folder / "logs").iterdir())[0]
        code = (
            "import resource, sys; from dl_bug_lsp.triage import triage\n"
            "r = triage(sys.argv[1:], workers=1)\n"
            "print(f'{r.logs:,} logs, {r.failures:,} failures, {r.seconds:.1f} s, peak '\n"
            "      f'{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB')\n"
        )
        subprocess.run([sys.executable, "-c", code, str(big), str(others)], check=True, cwd=ROOT)
    finally:
        shutil.rmtree(big.parent)


def hosts(arguments: argparse.Namespace) -> None:
    """Plant bad hosts among 2,000 and print how many are found, and how many others are named."""
    from dl_bug_lsp.triage.manifests import Job
    from dl_bug_lsp.triage.results import result_of
    from dl_bug_lsp.triage.running import SCHEMA

    for seed in range(arguments.seeds):
        rng = random.Random(seed)
        names = [f"node-{n:04d}" for n in range(2000)]
        planted = {name: rng.uniform(0.15, 0.5) for name in rng.sample(names, 50)}
        jobs: list[Job] = []
        at = 0.0
        while len(jobs) < arguments.jobs:
            # A user's experiment is sent again and again, often to the same host.
            user, name = rng.choice(USERS), f"exp-{rng.randrange(10**6)}"
            broken = rng.random() < 0.12
            host = rng.choice(names)
            for _ in range(min(40, int(rng.expovariate(0.5)) + 1)):
                host = host if rng.random() < 0.3 else rng.choice(names)
                bad = broken or rng.random() < 0.05 or rng.random() < planted.get(host, 0.0)
                at += 5
                jobs.append(
                    Job(
                        str(len(jobs)),
                        name,
                        user,
                        rng.choice(("gpu", "long")),
                        (host,),
                        4,
                        at,
                        at + 3600,
                        int(bad),
                    )
                )
        start = time.perf_counter()
        found = {host.host for host in result_of(SCHEMA.empty_table(), jobs).bad_hosts}
        hits = len(found & planted.keys())
        print(
            f"{len(jobs):,} jobs: {hits} of 50 planted hosts found, {len(found) - hits} false, {time.perf_counter() - start:.1f} s"
        )


def page(arguments: argparse.Namespace) -> None:  # noqa: PLR0915
    """Open a page of many groups in Chromium: sort, search, unfold; print how long each takes."""
    import pyarrow as pa
    from playwright.sync_api import sync_playwright

    from dl_bug_lsp.taxonomy.categories import categories
    from dl_bug_lsp.triage.manifests import Job
    from dl_bug_lsp.triage.page import render_page
    from dl_bug_lsp.triage.results import result_of
    from dl_bug_lsp.triage.running import SCHEMA

    rng = random.Random(5)
    kinds = categories()
    rows, jobs = [], []
    for number in range(arguments.groups):
        kind = rng.choice(kinds)
        for again in range(min(30, int(rng.paretovariate(1.0)))):
            id, start = f"{number}-{again}", 1_792_000_000.0 + rng.random() * 3_000_000
            jobs.append(
                Job(
                    id,
                    f"exp-{number}",
                    rng.choice(USERS),
                    "gpu",
                    (f"node-{rng.randrange(200):03d}",),
                    4,
                    start,
                    start + rng.lognormvariate(8, 2),
                    1,
                )
            )
            rows.append({
                "log": f"/logs/{id}/train.log", "source": "s", "token": "t", "modified": start, "size": 1, "lines": 1,
                "unread": "", "note": "", "group": f"{number:016x}", "kind": "exception", "exception": "RuntimeError",
                "message": f"failure number {number} <script>alert({number})</script> of a made page", "exact": True,
                "category": kind.id, "dimension": kind.dimension, "origin": kind.origin, "retry_may_help": kind.retry_may_help,
                "framework": rng.choice(("torch", "keras", "jax")), "places": [f"/code/train_{number}.py:{number % 400} in main"],
                "line": 7, "read_at": 0.0,
            })  # fmt: skip
    result = result_of(
        pa.Table.from_pylist(rows, SCHEMA),
        jobs,
        now=1_795_000_000.0,
        before={"known": [f"{n:016x}" for n in range(9000)], "finished": 1_794_000_000.0},
    )
    file = arguments.output.resolve()
    start = time.perf_counter()
    file.write_text(render_page(result), encoding="utf-8")
    print(
        f"{len(result.groups):,} groups: made in {time.perf_counter() - start:.1f} s, {file.stat().st_size / 1e6:.1f} MB"
    )
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=arguments.browser, args=["--no-sandbox"]
        )
        view = browser.new_page(viewport={"width": 1280, "height": 1000})
        said: list[str] = []
        view.on("console", lambda message: said.append(message.text))
        view.on("pageerror", lambda error: said.append(str(error)))
        view.on(
            "request",
            lambda request: (
                said.append(request.url) if not request.url.startswith("file:") else None
            ),
        )
        view.on("dialog", lambda dialog: said.append("a dialog opened"))

        def timed(name: str, work: Callable[[], object]) -> None:
            begin = time.perf_counter()
            work()
            print(f"  {name}: {time.perf_counter() - begin:.2f} s")

        timed("load", lambda: view.goto(file.as_uri()))
        timed("sort by failure", lambda: view.click("#groups th:nth-child(2) button"))
        timed("sort by jobs", lambda: view.click("#groups th:nth-child(1) button"))
        first = view.locator("#groups tbody tr.group td").first.inner_text()
        assert int(first.replace(",", "")) == max(group.jobs for group in result.groups), first
        timed("search", lambda: view.fill("#search", "train_77.py number"))
        assert view.locator("#groups tbody tr.group").count() == 1
        timed("unfold", lambda: view.click("#groups tbody tr.group"))
        assert "/code/train_77.py:77 in main" in view.locator(".detail").inner_text()
        view.screenshot(path=str(file.with_suffix(".found.png")))
        deep = result.groups[-1].id
        timed(
            "open a link to the last group",
            lambda: (view.goto("about:blank"), view.goto(f"{file.as_uri()}#g-{deep}")),
        )
        assert view.locator(f"#g-{deep}").get_attribute("aria-expanded") == "true"
        view.goto("about:blank")
        view.goto(file.as_uri())
        view.screenshot(path=str(file.with_suffix(".png")), full_page=False)
        view.emulate_media(color_scheme="dark")
        view.screenshot(path=str(file.with_suffix(".dark.png")))
        assert not said, said
        browser.close()


def main() -> None:
    """Run one of the measures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True)
    for work in (make, speed, workers, grouping, resume, memory, hosts, page):
        command = commands.add_parser(work.__name__, help=(work.__doc__ or "").split("\n")[0])
        command.set_defaults(work=work)
        if work is page:
            command.add_argument("--groups", type=int, default=10_000)
            command.add_argument("--browser", default="/usr/bin/chromium")
            command.add_argument("--output", type=Path, default=Path("triage-page.html"))
        if work not in (hosts, page):
            command.add_argument("folder", type=Path)
        if work is make:
            command.add_argument("--jobs", type=int, default=20_000)
            command.add_argument("--median-kb", type=float, default=40.0)
            command.add_argument("--variants", type=int, default=10)
            command.add_argument("--seed", type=int, default=1)
            command.add_argument("--logs", type=Path, action="append", default=[])
        if work is hosts:
            command.add_argument("--jobs", type=int, default=100_000)
            command.add_argument("--seeds", type=int, default=3)
        if work is memory:
            command.add_argument("--gigabytes", type=float, default=1.0)
        if work is resume:
            command.add_argument("--kills", type=int, default=20)
        if work is grouping:
            command.add_argument("--show", action="store_true")
    arguments = parser.parse_args()
    arguments.work(arguments)


if __name__ == "__main__":
    main()
