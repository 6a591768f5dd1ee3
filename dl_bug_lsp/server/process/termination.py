"""The end of the process: at once, from any thread, whatever still runs."""

from __future__ import annotations

import logging
import os
import sys
from contextlib import suppress

logger = logging.getLogger(__name__)


def end_with_parent() -> None:
    """End the process because the one that wanted it is gone."""
    logger.warning("the client's process is gone; the server ends")
    end_process(1)


def end_process(code: int) -> None:
    """End the process with an exit code."""
    with suppress(Exception):
        logging.shutdown()
    with suppress(OSError, ValueError):
        sys.stderr.flush()
    os._exit(code)
