"""Workflow commands: one line each, escaped as documented."""

from __future__ import annotations

import re
from dataclasses import replace

import sample_reports as samples

from dl_bug_lsp.report import CellPlace, Report
from dl_bug_lsp.views.github import to_github

COMMAND = re.compile(r"::(error|warning) (?:\w+=[^:,\r\n]*)(?:,\w+=[^:,\r\n]*)*::[^\r\n]*")


def test_one_annotation_for_each_place() -> None:
    assert to_github(samples.REPORT).splitlines() == [
        "::warning title=Communication Failure"
        "::torch.distributed.DistBackendError: Connection reset by peer",
        "::error file=models/head.py,line=7,"
        "title=Tensor Mismatch%3A suspicious place 1 (93 %25%2C not certain)"
        "::RuntimeError: mat1 and mat2 shapes cannot be multiplied (64x512 and 256x10)"
        "%0AThe layer was called at models/head.py:10.%0A256 in the message stands here.",
        "::warning file=configs/my base.yaml,line=1,endLine=2,"
        "title=Tensor Mismatch%3A suspicious place 2 (31 %25)"
        "::RuntimeError: mat1 and mat2 shapes cannot be multiplied (64x512 and 256x10)"
        "%0A512 in the message is set here.",
    ]


def test_files_are_relative_to_the_repository() -> None:
    assert "file=apps/seg/models/head.py," in to_github(samples.REPORT, "apps/seg/")


def test_a_log_cannot_smuggle_a_second_command() -> None:
    commands = to_github(samples.HOSTILE).split("\n")
    assert commands.pop() == ""
    assert len(commands) == 2
    assert all(COMMAND.fullmatch(command) for command in commands)


def test_nothing_found_prints_nothing() -> None:
    assert to_github(samples.EMPTY) == ""


def test_a_place_of_a_notebook_says_its_cell() -> None:
    place = replace(samples.HEAD, file="a.ipynb", function=None, cell=CellPlace(3, 7, 2))
    report = Report("/w", (replace(samples.MISMATCH, suspects=(place,)),))
    assert "%2C code cell 3 (In [7])%2C line 2::" in to_github(report)


def test_places_below_one_per_cent_are_left_out_as_in_the_text() -> None:
    places = tuple(replace(samples.HEAD, rank=n, line=n, score=0.002) for n in range(2, 10))
    first = replace(samples.HEAD, score=0.8)
    failure = replace(samples.MISMATCH, suspects=(first, *places))
    assert len(to_github(Report("/w", (failure,))).splitlines()) == 3
    sure = replace(failure, suspects=(samples.HEAD, *places))
    assert len(to_github(Report("/w", (sure,))).splitlines()) == 1
