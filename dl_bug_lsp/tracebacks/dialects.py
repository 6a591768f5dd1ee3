"""The list of dialects: one line each, in the order in which they are asked."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from dl_bug_lsp.tracebacks import (
    complaints,
    cpython,
    debugger,
    exception_group,
    faulthandler,
    hydra_job,
    ipython,
    pytest_report,
    rich_box,
    stack_info,
    torchrun,
)
from dl_bug_lsp.tracebacks.stream import Block, Stream


class Dialect(NamedTuple):
    """A dialect's name, a search that finds its first lines, and its reader."""

    name: str
    trigger: re.Pattern[str]
    read: Callable[[Stream, int], Block | None]


DIALECTS = (
    Dialect("anomaly", stack_info.ANOMALY, stack_info.read_anomaly),
    Dialect("stack_info", stack_info.STACK_INFO, stack_info.read_stack_info),
    Dialect("exception_group", exception_group.TRIGGER, exception_group.read_exception_group),
    Dialect("rich", rich_box.TRIGGER, rich_box.read_rich),
    Dialect("rich_tail", rich_box.TAIL, rich_box.read_tail),
    Dialect("ipython", ipython.TRIGGER, ipython.read_ipython),
    Dialect("debugger", debugger.TRIGGER, debugger.read_debugger),
    Dialect("cpython", cpython.TRIGGER, cpython.read_cpython),
    Dialect("pytest", pytest_report.TRIGGER, pytest_report.read_pytest),
    Dialect("faulthandler", faulthandler.TRIGGER, faulthandler.read_faulthandler),
    Dialect("hydra", hydra_job.TRIGGER, hydra_job.read_hydra_job),
    Dialect("torchrun", torchrun.TRIGGER, torchrun.read_summary),
    Dialect("message", complaints.TRIGGER, complaints.read_complaint),
)
