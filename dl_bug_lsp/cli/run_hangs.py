"""``dl-bug-lsp run --hang-after``: tells of a run that does not move, and ends it or leaves it."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from dl_bug_lsp.cli.errors import complain

if TYPE_CHECKING:
    from dl_bug_lsp.runs.capped import CappedLog
    from dl_bug_lsp.runs.hangs import Hang, HangWatch


@contextlib.contextmanager
def watching(
    arguments: argparse.Namespace, log: CappedLog, report: Callable[[], None]
) -> Iterator[HangWatch | None]:
    """Watch the command that is started below, where that was asked for; else give None.

    The stacks go into ``log``; ``report`` tells of a hang in a run that is left alone. Where runs
    cannot be watched a line says why, and the command runs as it would without us.
    """
    if arguments.hang_after is None:
        yield None
        return
    from dl_bug_lsp.runs.hangs import unsupported, watched

    ends = arguments.hang_then == "end"

    def told(hang: Hang) -> None:
        log.write(b"\n" + hang.text().encode("utf-8", "replace"))
        count = sum(dump.text is not None for dump in hang.dumps)
        complain(
            f"nothing has moved for {hang.seconds:.0f} s; the stacks of {count} processes are in "
            f"the log; the run is {'ended' if ends else 'left alone'}"
        )
        if not ends and not arguments.no_report:
            report()

    why = unsupported()
    with contextlib.ExitStack() as stack:
        watch = None
        if why is None:
            try:
                watch = stack.enter_context(watched(arguments.hang_after, ends, told))
            except OSError as error:
                why = (error.strerror or str(error)).lower()
        if why is not None:
            complain(f"hangs are not looked for: {why}")
        yield watch
