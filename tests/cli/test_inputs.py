"""Reading the text: limits, line counts, what is text at all."""

from __future__ import annotations

import gzip
import io
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dl_bug_lsp.cli.errors import UsageError
from dl_bug_lsp.cli.localize_command import is_binary, read_end


def numbered(count: int) -> bytes:
    return b"".join(b"line %d\n" % n for n in range(1, count + 1))


def test_a_small_text_is_kept_whole() -> None:
    found = read_end(io.BytesIO(numbered(3)), 1000)
    assert (found.data, found.skipped_lines) == (numbered(3), 0)


@pytest.mark.parametrize("limit", [20, 100, 5_000, 2**20, 3 * 2**20])
def test_of_a_large_text_the_end_is_kept_in_whole_lines(limit: int) -> None:
    text = numbered(400_000)
    found = read_end(io.BytesIO(text), limit)
    assert len(found.data) <= limit
    assert text.endswith(found.data)
    assert found.data.startswith(b"line %d\n" % (found.skipped_lines + 1))


def test_one_huge_line_is_cut() -> None:
    found = read_end(io.BytesIO(b"x" * 5_000_000), 1000)
    assert (len(found.data), found.skipped_lines) == (1000, 0)


@given(st.lists(st.sampled_from([b"\n", b"ab", b"c" * 9])), st.integers(1, 40))
def test_skipped_lines_and_kept_lines_add_up(parts: list[bytes], limit: int) -> None:
    text = b"".join(parts)
    found = read_end(io.BytesIO(text), limit)
    assert text.endswith(found.data)
    assert found.skipped_lines + found.data.count(b"\n") == text.count(b"\n")


def test_large_utf16_is_refused_rather_than_cut_in_the_middle_of_a_character() -> None:
    with pytest.raises(UsageError, match="UTF-8"):
        read_end(io.BytesIO(("line\n" * 500_000).encode("utf-16")), 1000)


@pytest.mark.parametrize(
    ("sample", "binary"),
    [
        (b"Traceback (most recent call last):\n", False),
        ("Größe".encode("latin-1") * 50, False),
        ("Fehler: Größe".encode("utf-16"), False),
        ("Traceback (most recent call last):".encode("utf-16-le"), False),
        (b"\x1b[31mred\x1b[0m\r 10%|# |\x08\x08\n", False),
        (b"torn" + b"\0" * 20 + b" by a crash of the file system, which left holes in it\n", False),
        (b"\x89PNG\r\n\x1a\n", True),
        (b"PK\x03\x04checkpoint", True),
        (pickle.dumps({"weights": [0.5] * 9, "step": 1}), True),
        (b"\x7fELF\x02\x01", True),
        (bytes(range(256)) * 4, True),
        (b"\0" * 100, True),
    ],
)
def test_is_binary(sample: bytes, binary: bool) -> None:
    assert is_binary(sample) is binary


def test_compressed_logs_are_named_as_such() -> None:
    assert gzip.compress(b"x").startswith(b"\x1f\x8b")
