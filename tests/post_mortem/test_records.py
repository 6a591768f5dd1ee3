"""What is kept of a run is read whatever stands in it, and only the failure's frames are taken."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dl_bug_lsp.interpretation.calls import MAX_DEPTH
from dl_bug_lsp.interpretation.interpreter import Interpreter
from dl_bug_lsp.interpretation.recorded_values import RecordedNames
from dl_bug_lsp.post_mortem.records import RecordedException, matching, read_exceptions
from dl_bug_lsp.post_mortem.wording import worded
from dl_bug_lsp.workspace import Workspace

ROOT = Path("/project")
# The interpreter raises it; hypothesis does not like that it changes under its hands.
sys.setrecursionlimit(30 * MAX_DEPTH + 1_000)


def document(*chains: list[dict[str, Any]]) -> bytes:
    records = [{"exceptions": chain} for chain in chains]
    return json.dumps({"version": 1, "processes": [{"version": 1, "records": records}]}).encode()


def exception(kind: str, message: str, *places: tuple[str, int]) -> dict[str, Any]:
    frames = [
        {"file": file, "line": line, "function": "f", "locals": {"size": {"v": line}}}
        for file, line in places
    ]
    return {"type": kind, "message": message, "frames": frames}


def read(*chains: list[dict[str, Any]]) -> tuple[RecordedException, ...]:
    return read_exceptions(document(*chains), ROOT)


@pytest.mark.parametrize(
    "data",
    [
        None,
        b"",
        b"\xff\x00",
        b"[" * 100_000,
        b"[]",
        b'{"version": 2, "processes": [{"records": []}]}',
        b'{"version": 1}',
        b'{"version": 1, "processes": [3, {"records": [4, {"exceptions": [5, {"type": "E"}]}]}]}',
    ],
)
def test_damaged_documents_hold_nothing(data: bytes | None) -> None:
    assert read_exceptions(data, ROOT) == ()


def test_the_exception_of_the_log_is_found_by_class_message_and_place() -> None:
    first = exception("ValueError", "bad size 3", ("/project/a.py", 3), ("/project/b.py", 5))
    exceptions = read([first])
    places = [("a.py", 3), ("b.py", 5)]
    assert matching(exceptions, "ValueError", "bad size 3", places) == exceptions[0]
    assert matching(exceptions, "numpy.ValueError", "bad size 3\nmore", places) == exceptions[0]
    assert matching(exceptions, "KeyError", "bad size 3", places) is None
    assert matching(exceptions, "ValueError", "bad size 4", places) is None
    assert matching(exceptions, "ValueError", "bad size 3", [("a.py", 3), ("b.py", 6)]) is None
    assert matching(exceptions, "ValueError", "bad size 3", []) is None


def test_of_several_the_last_one_counts() -> None:
    place = ("/project/a.py", 3)
    exceptions = read([exception("E", "x", place)], [exception("E", "x", place)])
    assert matching(exceptions, "E", "x", [("a.py", 3)]) is exceptions[1]


PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
FIELDS = (
    *("v", "t", "n", "is", "items", "shape", "dtype", "low", "high", "columns", "given", "cut"),
    *("attributes", "modules", "device", "begins", "hidden", "nan", "name"),
)
KINDS = (
    *("torch.Tensor", "numpy.ndarray", "pandas.core.frame.DataFrame", "pandas.Series", "dict"),
    *("__main__.Net", "torch.nn.modules.linear.Linear", "float", "argparse.Namespace"),
    *("pathlib.PosixPath", "list", "tuple"),
)
VALUES = st.recursive(
    PLAIN | st.sampled_from(KINDS),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=6)
    ),
    max_leaves=12,
)
DESCRIPTIONS = st.builds(
    lambda kind, held: {**held, "t": kind},
    st.sampled_from(KINDS),
    st.dictionaries(st.sampled_from(FIELDS), VALUES),
) | st.dictionaries(st.sampled_from(FIELDS), VALUES)


@settings(max_examples=100, deadline=None)
@given(DESCRIPTIONS)
def test_whatever_is_described_is_worded_and_followed(description: dict[str, Any]) -> None:
    frames = read([{**exception("E", "x"), "frames": [FRAME | {"locals": {"x": description}}]}])
    assert isinstance(worded(frames[0].frames[0].names["x"]), str)
    workspace = Workspace(PROGRAM_FOLDER, cache=False)
    run = Interpreter(workspace, "train.py", ("train.py", 5), frames=[("train.py", 5)])
    run.recorded = RecordedNames({("train.py", 5): frames[0].frames[0]}, insists=True)
    assert run.run().reached


FRAME = {"file": "/project/train.py", "line": 5, "function": "<module>"}
PROGRAM_FOLDER = Path(__file__).parent / "program"
