"""Recorded jobs whose ranks parted: `fixtures/hangs`, and files of several ranks together."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from warm_start import program

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))
from hangs import HANGS, judged, text_of  # noqa: E402

SEEN = sorted(folder.name for folder in (HANGS / "seen").iterdir())
MISSED = {"jax-rows-of-each", "uneven-shards"}


@pytest.mark.parametrize("slug", SEEN)
def test_rank_and_line_of_a_recorded_job(slug: str) -> None:
    outcome, failure = judged(HANGS / "seen" / slug)
    assert failure is not None
    assert outcome.both == (slug not in MISSED)
    assert outcome.category
    assert outcome.in_five
    ranks = failure.ranks
    assert ranks is not None
    # Where the others say nothing, they may as well have been killed.
    seen = sum(len(group.ranks) for group in ranks.groups)
    assert outcome.no_retry or seen < ranks.size or len(ranks.groups) == 1


def test_files_of_ranks_are_one_job_on_the_command_line(tmp_path: Path) -> None:
    folder = HANGS / "seen" / "gather-in-logger"
    files = sorted(str(file) for file in (folder / "logs").iterdir())
    words = program("localize", *files, "--format", "json")
    done = subprocess.run(
        [*words, "--workspace", str(folder / "workspace")],
        cwd=tmp_path, capture_output=True, check=False, timeout=60,
    )  # fmt: skip
    (failure,) = json.loads(done.stdout)["failures"]
    assert (failure["ranks"]["apart"], failure["ranks"]["size"]) == ([0], 3)
    assert (failure["suspects"][0]["file"], failure["suspects"][0]["line"]) == ("log_utils.py", 10)


def test_the_logs_of_a_job_name_no_folder_of_who_recorded_them() -> None:
    for folder in sorted(HANGS.glob("*/*")):
        text = text_of(folder)
        assert b"/root/" not in text, folder.name
