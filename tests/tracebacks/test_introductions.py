"""What stands above a traceback, and what it says of whether the exception ended the run."""

from __future__ import annotations

from dl_bug_lsp.logs import read_log
from dl_bug_lsp.tracebacks import read_failures

INNER = """Traceback (most recent call last):
  File "/env/lib/python3.11/site-packages/pandas/core/apply.py", line 1436, in agg
    result = obj.apply(func)
TypeError: dispatcher did not return an iterable
"""
OUTER = """
During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/home/u/run.py", line 46, in <module>
    main()
  File "/home/u/run.py", line 40, in main
    table.agg(join)
ValueError: zero-dimensional arrays cannot be concatenated
"""
HINT = "I0000 00:00:1795832607.074189 8118 cudart_stub.cc:31] Could not find cuda drivers on your"
WARNING = "28 Nov 02:23    WARNING  pages is no number, which will not be normalized."


def primary(text: str) -> str:
    (failure,) = [f for f in read_failures(read_log(text)).failures if f.primary]
    assert failure.cause is not None
    return failure.cause.type


def test_a_warning_above_a_chain_that_ended_the_run_says_nothing_of_it() -> None:
    assert primary(f"{HINT} machine\n{WARNING}\n{INNER}{OUTER}") == "ValueError"


def test_a_warning_above_what_somebody_caught_does() -> None:
    later = 'Traceback (most recent call last):\n  File "/home/u/run.py", line 50, in <module>\n'
    text = f"{WARNING}\n{INNER}{OUTER}going on\n{later}    last()\nKeyError: 'w'\n"
    assert primary(text) == "KeyError"
