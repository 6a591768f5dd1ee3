"""What somebody who may write into a workspace could plant there; a part of `soak.py`."""

from __future__ import annotations

import os
import random
import shutil
import socket
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

DEEP = 24_000
LONG = 4_000
ODD_NAMES = (
    "a](command:dlBug.dismiss) <img src=x onerror=alert(1)>.py",
    "\u202egnp.py",
    "`code` & \"quotes\" 'more'.py",
)
FAILING = 'raise KeyError("<script>alert(1)</script> [a](http://b) \u202e")\n'
SOURCES: dict[str, Callable[[], str]] = {
    "deep.yaml": lambda: "[" * DEEP + "]" * DEEP,
    "aliases.yaml": lambda: (
        "a0: &a0 [1]\n"
        + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}, *a{n - 1}]\n" for n in range(1, 60))
    ),
    "deep.toml": lambda: "a." * DEEP + "b = 1\n",
    "arrays.toml": lambda: "a = " + "[" * 60 + "1, " * LONG + "]" * 60,
    "deep.json": lambda: '{"a":' * DEEP,
    "deep.py": lambda: "x = " + "(" * DEEP,
    "large.py": lambda: "x = 1;" * 200_000,
    "chain.py": lambda: "x0 = 1\n" + "".join(f"x{n} = x{n - 1} + 1\n" for n in range(1, LONG)),
    "compared.py": lambda: "x = " + " == ".join(["a"] * LONG) + "\n",
    "deep.ipynb": lambda: '{"cells":[' * LONG,
    "wide.csv": lambda: ",".join(f"c{n}" for n in range(LONG)) + "\n" + "1," * LONG,
    "script.sh": lambda: "python train.py \\\n" + "--a=$(" * LONG,
    ".gitignore": lambda: "*a" * 40 + "b\n" + "**/" * 40 + "c\n",
    "pyproject.toml": lambda: "[tool.dl-bug-lsp]\nlogs.include = ['" + "*a" * 40 + "']\ntop = -1\n",
    "junit.xml": lambda: '<!DOCTYPE a [<!ENTITY b "cc">]><testsuite>&b;</testsuite>',
}
LOGS: tuple[Callable[[], str], ...] = (
    lambda: "".join(f"metric{n}: {n}.5\n" for n in range(LONG)),
    lambda: "".join(f'{{"k{n}": {n}, "loss": 0.5}}\n' for n in range(LONG)),
    lambda: "{" + ", ".join(f'"k{n}": {n}' for n in range(LONG)) + "}\n",
    lambda: "\x1b[31m\x1b[A\r" * LONG,
    lambda: (
        "Traceback (most recent call last):\n"
        + "".join(f'  File "train.py", line {n}, in f\n    x\n' for n in range(1, LONG))
        + "ValueError: bad\n"
    ),
    lambda: "".join(f"KeyError: 'a{n}'\n" for n in range(LONG // 4)),
)
MESSAGES = (
    b"{",
    b"[" * 5_000,
    b'{"jsonrpc": "2.0", "method": "no/such", "params": [1]}',
    b'{"jsonrpc": "2.0", "id": "x", "method": "textDocument/hover", "params": {"a": 1}}',
    b'{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"textDocument": 7}}',
    b'{"jsonrpc": "1.0"}',
    b"\xff\xfe\x00",
)


def plant(folder: Path, dice: random.Random) -> None:
    """Put one hostile thing into a workspace's folder, or take it away again.

    Nothing is done through a link: what is planted here leads out, this program must not.
    """
    way = dice.choice((_source, _source, _odd_name, _pipe, _link, _database, _records, _clock))
    with suppress(OSError, sqlite3.Error):
        way(folder, dice)


def _is_inside(place: Path, folder: Path) -> bool:
    """Say whether a place's parents, from a folder on, are no links."""
    parents = [one for one in place.parents if folder in one.parents]
    return not any(one.is_symlink() for one in parents)


def _source(folder: Path, dice: random.Random) -> None:
    name = dice.choice(sorted(SOURCES))
    place = folder / name
    if place.exists():
        place.unlink()
    else:
        place.write_text(SOURCES[name](), "utf-8", newline="")


def _odd_name(folder: Path, dice: random.Random) -> None:
    place = folder / dice.choice(ODD_NAMES)
    if place.exists():
        place.unlink()
    else:
        place.write_text(FAILING, "utf-8")


def _pipe(folder: Path, dice: random.Random) -> None:
    names = ("pipe.py", "pipe.yaml", "pipe.log", ".coverage", ".dlbug/runs/20260101T000000Z-1.json")
    place = folder / dice.choice(names)
    if not _is_inside(place, folder) or place.is_symlink():
        return
    if place.exists() and not place.is_file():
        place.unlink()
    elif not place.exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        if dice.random() < 0.2:
            with closing(socket.socket(socket.AF_UNIX)) as one:
                one.bind(str(place))
        else:
            os.mkfifo(place)


def _link(folder: Path, dice: random.Random) -> None:
    names = ("zero.py", "loop.yaml", "out.log", ".dlbug/runs", ".dlbug/failures.json", ".dlbug")
    outside = folder.parent / "outside"
    outside.mkdir(exist_ok=True)
    targets = ("/dev/zero", str(outside), str(outside / "not there"), str(folder))
    place, target = folder / dice.choice(names), dice.choice(targets)
    if not _is_inside(place, folder):
        return
    if place.is_symlink():
        place.unlink()
        return
    if place.is_dir():
        shutil.rmtree(place)
    place.unlink(missing_ok=True)
    place.parent.mkdir(exist_ok=True)
    place.symlink_to(target)


def _database(folder: Path, dice: random.Random) -> None:
    place = folder / dice.choice((".dlbug/spectrum.db", ".dlbug/index.sqlite", ".coverage"))
    place.parent.mkdir(exist_ok=True)
    if _is_inside(place, folder) and not place.is_symlink():
        place.unlink(missing_ok=True)
        with closing(sqlite3.connect(place)) as connection:
            connection.executescript(
                "create view about as with recursive n(x) as (select 1 union all select x + 1 from"
                " n) select x as key, x as value from n; create table t (x);"
            )


def _records(folder: Path, dice: random.Random) -> None:
    runs = folder / ".dlbug" / "runs"
    if runs.is_symlink() or not _is_inside(runs, folder):
        return
    runs.mkdir(parents=True, exist_ok=True)
    place = runs / f"2099{dice.randrange(10_000):04}T000000Z-{dice.randrange(99)}"
    place.with_suffix(".json").write_text(
        '{"version": 1, "command": ["a"], "folder": "../../..", "pid": 1, "started": "\u202e",'
        ' "exit_code": 1, "ended": null, "left_out": 0}'
    )
    place.with_suffix(".log").write_text(dice.choice(LOGS)())
    for old in sorted(runs.glob("2099*"))[:-20]:
        old.unlink()


def _clock(folder: Path, dice: random.Random) -> None:
    found = [path for path in folder.iterdir() if path.is_file() and not path.is_symlink()]
    if found:
        at = dice.choice((0, 10**9, 4 * 10**9, 2**33))
        os.utime(dice.choice(found), (at, at))
