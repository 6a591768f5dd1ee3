"""What the first bytes of pictures and sounds say, against files made by the formats' rules."""

from __future__ import annotations

import io
import struct
import wave
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dl_bug_lsp.workspace import Workspace
from dl_bug_lsp.workspace.binary_files import Picture, Sound, media_in

PNG = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sIIBBBBB", 13, b"IHDR", 37, 21, 8, 6, 0, 0, 0)
DEEP = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sIIBBBBB", 13, b"IHDR", 37, 21, 16, 0, 0, 0, 0)
OF_CAMERA = b"\xff\xe1" + struct.pack(">H", 6) + b"Exif"
FRAME = b"\xff\xc2" + struct.pack(">HBHHB", 17, 8, 21, 37, 3) + bytes(9)
JPEG = b"\xff\xd8" + OF_CAMERA + b"\xff\xc4" + struct.pack(">H", 2) + FRAME
GIF = b"GIF89a" + struct.pack("<HH", 37, 21) + bytes(3)
BITMAP = b"BM" + bytes(16) + struct.pack("<iiHH", 37, -21, 1, 24)
FLAC = b"fLaC" + bytes(14) + ((16_000 << 44) | (1 << 41) | (15 << 36) | 501).to_bytes(8, "big")


def sound(channels: int, samples: int) -> bytes:
    """Return a WAVE file as the standard library writes it."""
    held = io.BytesIO()
    with wave.open(held, "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(2)
        file.setframerate(8_000)
        file.writeframes(bytes(2 * channels * samples))
    return held.getvalue()


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (PNG, Picture(37, 21, "RGBA")),
        (DEEP, Picture(37, 21, "I;16")),
        (JPEG, Picture(37, 21, "RGB")),
        (GIF, Picture(37, 21, "P")),
        (BITMAP, Picture(37, 21, "RGB")),
        (FLAC, Sound(16_000, 2, 501)),
        (sound(2, 500), Sound(8_000, 2, 500, "int16")),
        (b"not a picture", None),
        (PNG[:12], None),
    ],
)
def test_headers_tell_sizes(data: bytes, expected: Picture | Sound | None) -> None:
    assert media_in(data, len(data)) == expected


@given(
    st.sampled_from([PNG, JPEG, GIF, BITMAP, FLAC, sound(1, 3)]), st.binary(), st.integers(0, 60)
)
def test_broken_files_are_read_without_errors(whole: bytes, rest: bytes, at: int) -> None:
    data = whole[:at] + rest
    held = media_in(data, len(data))
    assert held is None or isinstance(held, (Picture, Sound))


def test_a_workspace_reads_pictures(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(PNG)
    (tmp_path / "a.txt").write_text("a", encoding="utf-8")
    workspace = Workspace(tmp_path, cache=False)
    assert workspace.media("a.png") == Picture(37, 21, "RGBA")
    assert workspace.media("a.txt") is None
