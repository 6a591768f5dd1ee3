"""Decoding as Python does it, and lines as editors count them."""

from __future__ import annotations

import io
import tokenize

import pytest

from dl_bug_lsp.workspace.elements import decode_plain, decode_python, split_lines

SOURCES = [
    b"x = 1\n",
    b"\xef\xbb\xbfx = '\xc3\xbc'\n",
    b"# -*- coding: latin-1 -*-\nx = '\xfc'\n",
    b"#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\nx = '\x80'\n",
    b"\n# coding: utf-8\nx = '\xc3\xbc'\n",
    b"x = 1\n# coding: latin-1\ny = '\xc3\xbc'\n",
    b"a = 1\r\nb = 2\rc = 3\n",
    b"",
]


@pytest.mark.parametrize("data", SOURCES)
def test_python_is_decoded_as_the_tokenizer_does(data: bytes) -> None:
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    expected = data.decode(encoding).replace("\r\n", "\n").replace("\r", "\n")
    decoded = decode_python(data)
    assert (decoded.text, decoded.problem) == (expected, None)


BROKEN = [
    (b"a = 1\nb = '\xff'\n", "not valid utf-8: byte 0xff", 2),
    (b"# coding: no-such-codec\nx = 1\n", "unknown encoding: no-such-codec", 1),
    (b"# coding: rot13\nx = 1\n", "unknown encoding: rot13", 1),
    (b"# coding: utf-16\nx = 1\n", "cannot be read as utf-16", 1),
]


@pytest.mark.parametrize(("data", "problem", "line"), BROKEN)
def test_what_cannot_be_decoded_is_read_on_with_a_problem(
    data: bytes, problem: str, line: int
) -> None:
    decoded = decode_python(data)
    assert (decoded.problem, decoded.problem_line) == (problem, line)
    assert len(decoded.text) == len(data)


def test_plain_text_by_its_byte_order_mark() -> None:
    for encoding in ("utf-8-sig", "utf-16", "utf-32"):
        decoded = decode_plain("a: ü\n".encode(encoding))
        assert decoded is not None
        assert decoded.text == "a: ü\n"
    assert decode_plain(b"\x80\x02\0\0binary") is None


def test_only_newlines_end_lines() -> None:
    text = "a\x0cb\x1cc\x85d\u2028e\u2029f\x0bg\n\nlast"
    assert split_lines(text) == ("a\x0cb\x1cc\x85d\u2028e\u2029f\x0bg", "", "last")
    assert split_lines("a\n") == ("a",)
    assert split_lines("") == ()
