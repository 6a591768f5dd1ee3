"""The failure factory's runs, with a tiny program that is run for real."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from factory.__main__ import show_table
from factory.producing import Budget, Production, is_worse, normalized
from factory.running import Limits, Runner, Server, WorkingCopy
from factory.storage import BLIND, SEEN, Halves, Store
from factory.values import Edit, Mutation, Operator, Program, Target

TRAIN = """import sys
from pathlib import Path


def scale(values, factor):
    total = sum(values)
    return [factor * v / total for v in values]


def main():
    rate = 3
    steps = 4
    values = scale([1, 2, 5], rate)
    Path("out.txt").write_text(str(values))
    loss = values[2] / steps
    print("loss", round(loss, 4))


if __name__ == "__main__":
    main()
"""


def replacing(name: str, *pairs: tuple[str, str]) -> Operator:
    """Return an operator that offers to replace texts."""

    def mutate(target: Target) -> Iterator[Mutation]:
        for old, new in pairs:
            start = target.text.find(old)
            if start >= 0:
                edit = Edit(target.path, start, start + len(old), new)
                yield Mutation((edit,), f"{old} became {new}")

    return Operator(name, name, "a test", 1.0, ("python",), mutate)


FAULTS = replacing(
    "faults",
    ("values[2]", "values[3]"),
    ("values[2]", "values[9]"),
    ("/ total", "/ totals"),
    ("/ steps", "/ (steps - 4)"),
    ("scale([1, 2, 5], rate)", "scale([1, 2, 5])"),
    ("rate = 3", "rate = 2"),
)


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """Return a program that ends well."""
    folder = tmp_path / "program"
    folder.mkdir()
    (folder / "train.py").write_text(TRAIN)
    return Program(
        id="tiny-train",
        source="tiny",
        framework="none",
        command=("python", "train.py"),
        editable=("*.py",),
        folder=str(folder),
        metric=r"loss ([\d.]+)",
    )


def turn(
    tmp_path: Path,
    store: Store,
    operator: Operator,
    program: Program,
    told: list[str] | None = None,
    limits: Limits | None = None,
) -> Counter[str]:
    """Give a program a turn with one operator's mutants, run by this interpreter."""
    say = (told if told is not None else []).append
    python = Path(sys.executable)
    made = Production(store, python, None, tmp_path / "work", say, limits, (operator,))
    try:
        return made.turn(program, Budget())
    finally:
        made.close()


def store_at(folder: Path, text: str = 'seen = ["tiny"]\nopened = []\n') -> Store:
    """Return a store whose list of halves says ``text``."""
    folder.mkdir()
    (folder / "halves.toml").write_text(text)
    return Store(folder, Halves(folder / "halves.toml"))


def test_failures_of_one_family_are_kept_once(tmp_path: Path, program: Program) -> None:
    store = store_at(tmp_path / "store")
    outcomes = turn(tmp_path, store, FAULTS, program)
    assert outcomes == {"kept": 4, "known already": 1, "ends well": 1}
    cases = store.cases(SEEN)
    assert len({c["family"] for c in cases}) == 4
    for case in cases:
        folder = store.folder("tiny", case["case"])
        log = (folder / "log.txt").read_text()
        assert str(tmp_path) not in log
        assert "fork_server" not in log
        assert str(tmp_path) not in (folder / "truth.json").read_text()
        mutation, _ = store.mutation(SEEN, "tiny", case["case"])
        assert len(mutation.edits) == 1


def test_a_killed_run_goes_on_where_it_was(tmp_path: Path, program: Program) -> None:
    whole = store_at(tmp_path / "whole")
    turn(tmp_path, whole, FAULTS, program)

    class Dying(Store):
        def add(self, record: dict[str, object]) -> None:
            if sum(1 for r in self.records() if r["key"]) == 3:
                # The line that a kill cuts off.
                with self.index(SEEN).open("a") as index:
                    index.write('{"program": "tiny-tr')
                os.kill(os.getpid(), signal.SIGKILL)
            super().add(record)

    store = store_at(tmp_path / "cut")
    child = os.fork()
    if child == 0:
        try:
            dying = Dying(store.root, store.halves)
            turn(tmp_path, dying, FAULTS, program)
        finally:
            os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    assert sum(1 for r in store.records() if r["key"]) == 3
    outcomes = turn(tmp_path, store, FAULTS, program)
    assert sum(outcomes.values()) == 3
    keys = [r["key"] for r in store.records() if r["key"]]
    assert len(keys) == len(set(keys))
    assert sorted(r["case"] for r in store.cases(SEEN)) == sorted(
        r["case"] for r in whole.cases(SEEN)
    )


def test_the_blind_half_never_shows_a_case(
    tmp_path: Path, program: Program, capsys: pytest.CaptureFixture[str]
) -> None:
    store = store_at(tmp_path / "store", 'blind = ["tiny"]\nopened = []\n')
    told: list[str] = []
    turn(tmp_path, store, FAULTS, program, told)
    show_table(store, BLIND)
    shown = capsys.readouterr().out + "\n".join(told)
    assert "4 failures of 6 mutants" in shown
    assert "tiny" not in shown
    assert "train.py" not in shown
    assert not store.cases(SEEN)

    store.halves.open("tiny", store.root)
    assert Halves(store.halves.file).of("tiny") == SEEN
    assert len(store.cases(SEEN)) == 4
    assert not store.cases(BLIND)


def test_halves_do_not_depend_on_other_sources() -> None:
    halves = Halves(Path("no such file"))
    names = [f"owner+name{n}" for n in range(200)]
    blind = [name for name in names if halves.of(name) == BLIND]
    assert 60 < len(blind) < 140
    assert [name for name in reversed(names) if halves.of(name) == BLIND] == blind[::-1]
    assert halves.of("ours-1-leaf") == SEEN


def test_limits_end_mutants_and_the_rest_goes_on(tmp_path: Path, program: Program) -> None:
    operator = replacing(
        "runaways",
        ("    steps = 4", "    while True: pass"),
        ("    steps = 4", "    while True: Path('big').open('ab').write(bytes(1 << 16))"),
        ("/ total", "/ totals"),
    )
    store = store_at(tmp_path / "store")
    limits = Limits(file_bytes=1 << 20, least_s=1.0)
    outcomes = turn(tmp_path, store, operator, program, limits=limits)
    assert outcomes == {"hangs": 1, "fills the disk": 1, "kept": 1}


def test_what_a_run_leaves_behind_is_ended(tmp_path: Path, program: Program) -> None:
    folder = Path(program.folder or "")
    code = "import subprocess\nsubprocess.Popen(['sleep', '60'], start_new_session=True)\n"
    (folder / "train.py").write_text(code)
    copy = WorkingCopy(program, folder, tmp_path / "copy")
    copy.keep()
    server = Server(Path(sys.executable), tmp_path / "server")
    runner = Runner(program, copy, Path(sys.executable), server)
    runner.start(())
    ending = runner.run()
    server.close()
    assert ending.ended_well
    assert ending.seconds < 30


def test_a_log_is_what_the_interpreter_prints(tmp_path: Path, program: Program) -> None:
    folder = Path(program.folder or "")
    for text in (TRAIN.replace("/ total", "/ totals"), "x = (\n", "raise SystemExit('no data')\n"):
        (folder / "train.py").write_text(text)
        copy = WorkingCopy(program, folder, tmp_path / "copy")
        copy.keep()
        server = Server(Path(sys.executable), tmp_path / "server")
        runner = Runner(program, copy, Path(sys.executable), server)
        runner.start(())
        ending = runner.run()
        server.close()
        apart = subprocess.run(
            [sys.executable, "train.py"],
            cwd=copy.root,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        assert ending.output == apart.stdout
        assert ending.code == apart.returncode


def test_a_working_copy_is_restored(tmp_path: Path, program: Program) -> None:
    copy = WorkingCopy(program, Path(program.folder or ""), tmp_path / "copy")
    copy.keep()
    copy.write({"train.py": "pass\n", "new/file.py": "x = 1\n"})
    (copy.root / "out").mkdir()
    (copy.root / "out" / "log.csv").write_text("1")
    (copy.scratch / "left").write_text("1")
    copy.restore()
    assert sorted(p.name for p in copy.root.rglob("*")) == ["train.py"]
    assert (copy.root / "train.py").read_text() == TRAIN
    assert not list(copy.scratch.iterdir())


def test_families_leave_out_numbers_names_and_paths() -> None:
    one = normalized("size mismatch for 'conv1': (3, 4) in /home/a/x.pt")
    assert one == normalized("size mismatch for 'fc': (31, 7) in /data/b.pt")
    assert one != normalized("shape mismatch for 'conv1': (3, 4) in /home/a/x.pt")


def test_silent_faults_are_worse_with_every_seed(program: Program) -> None:
    clean = (1.0, 1.02, 0.99)
    assert is_worse(program, clean, (2.0, 1.9, float("nan")))
    assert not is_worse(program, clean, (2.0, 1.05, 2.0))
    assert not is_worse(program, clean, (2.0, None, 2.0))
    assert re.search(program.metric or "", "loss 0.25")
