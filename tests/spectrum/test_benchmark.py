"""The benchmark's script on a file that nobody saw: holes in it, and no file at all."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import dl_bug_lsp

ROOT = Path(dl_bug_lsp.__file__).resolve().parent.parent
BUGS = {
    "new:1": {
        "failing_tests": 1, "passing_tests": 3,
        "statements": {"pack/a.py::3": [1, 3], "pack/a.py::9": [1, 0], "pack/bags.py::5": [1, 0]},
        "faulty": ["pack/bags.py::5", "pack/bags.py::77"], "statement_count": 100,
        "published_e_inspect": {"Tarantula": 1.5, "Ochiai": 1.5, "DStar": 9.0, "ST": 20},
        "failure_output": "FAIL: test_put (tests.test_bags.Tests)\n",
    },
    "new:2": {"statements": {"a.py::1": [2, 0]}, "faulty": ["a.py::4"], "statement_count": 10,
              "failure_output": None, "passing_tests": 0},
    "empty:1": {},
    "late:1": {"statements": None, "faulty": ["a.py::1"], "published_e_inspect": {"Ochiai": None}},
}  # fmt: skip


def spectra(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "benchmarks/spectra.py", *arguments],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip


def test_a_file_with_holes_is_ranked_as_far_as_it_goes(tmp_path: Path) -> None:
    file, out = tmp_path / "spectra.json.gz", tmp_path / "out.json"
    file.write_bytes(gzip.compress(json.dumps({"bugs": BUGS}).encode()))
    done = spectra("--spectra", str(file), "--json", str(out), "--detail")
    assert done.returncode == 0, done.stderr
    assert "Ochiai     1 of 1 as published" in done.stdout
    assert "new:1: 1.500, published 9.000" in done.stdout
    listed = {(r["bug"], r["technique"]): r["e_inspect"] for r in json.loads(out.read_text())}
    assert listed["new:1", "Ochiai"] == 1.5
    # The test's name moves bags.py up.
    assert listed["new:1", "Combined"] == 1.0
    # One scored statement, then 9 others with one faulty: 2 + (9 - 1)/2.
    assert listed["new:2", "Ochiai"] == listed["new:2", "Combined"] == 6.0
    assert listed["empty:1", "Combined"] is None
    assert {bug for bug, _ in listed} == BUGS.keys()


def test_what_is_no_spectra_file_is_said_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    script = import_module("spectra")
    bad = tmp_path / "bad.json"
    for content in (b"", b"[]", b"\x1f\x8bnot gzip", b'{"bugs": {"a:1": {"statements": 5}}}'):
        bad.write_bytes(content)
        monkeypatch.setattr(sys, "argv", ["spectra.py", "--spectra", str(bad)])
        with pytest.raises(SystemExit) as ended:
            script.main()
        # Python prints such a text to standard error, and ends with 1.
        assert isinstance(ended.value.code, str)
        assert len(ended.value.code.strip().splitlines()) == 1
    done = spectra("--spectra", str(tmp_path / "none.json"))
    assert done.returncode == 1
    assert len(done.stderr.strip().splitlines()) == 1
