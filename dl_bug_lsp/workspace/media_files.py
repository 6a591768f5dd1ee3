"""What the first bytes of pictures and sounds say: their sizes, never what they show.

Sources: PNG specification (IHDR), ITU T.81 (frame headers of JPEG), GIF89a, Microsoft's documents
of bitmaps and of RIFF WAVE, the FLAC format (STREAMINFO).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

MOST_BYTES = 1_000_000
"""Bytes in which a header is looked for: photographs begin with long tables of their camera."""


@dataclass(frozen=True, slots=True)
class Picture:
    """Width and height in pixels, and Pillow's mode (``"RGB"``, ``"L"``)."""

    width: int
    height: int
    mode: str


@dataclass(frozen=True, slots=True)
class Sound:
    """Sampling rate in Hz, number of channels, samples of each channel."""

    rate: int
    channels: int
    samples: int


def media_in(data: bytes, size: int) -> Picture | Sound | None:
    """Return what a file's beginning says of it, None where it is no known picture or sound.

    ``size`` is the length of the whole file in bytes.
    """
    readers = (
        (b"\x89PNG\r\n\x1a\n", _png),
        (b"\xff\xd8", _jpeg),
        (b"GIF8", _gif),
        (b"BM", _bitmap),
        (b"fLaC", _flac),
    )
    try:
        for magic, read in readers:
            if data.startswith(magic):
                return read(data)
        if data[:4] == b"RIFF" and data[8:12] == b"WAVE":
            return _wave(data, size)
    except (struct.error, IndexError):
        return None
    return None


_OF_COLOR_TYPE = {0: "L", 2: "RGB", 3: "P", 4: "LA", 6: "RGBA"}


def _png(data: bytes) -> Picture | None:
    width, height, depth, color = struct.unpack(">IIBB", data[16:26])
    mode = _OF_COLOR_TYPE.get(color)
    if mode == "L" and depth != 8:
        mode = "I;16" if depth == 16 else "1" if depth == 1 else mode
    return Picture(width, height, mode) if mode is not None else None


_NO_FRAME = {0xC4, 0xC8, 0xCC}
_OF_COMPONENTS = {1: "L", 3: "RGB", 4: "CMYK"}


def _jpeg(data: bytes) -> Picture | None:
    at = 2
    while at + 9 < len(data):
        if data[at] != 0xFF:
            return None
        marker = data[at + 1]
        if marker == 0xFF:
            at += 1
        elif 0xC0 <= marker <= 0xCF and marker not in _NO_FRAME:
            height, width, components = struct.unpack(">HHB", data[at + 5 : at + 10])
            mode = _OF_COMPONENTS.get(components)
            return Picture(width, height, mode) if mode is not None else None
        else:
            at += 2 + struct.unpack(">H", data[at + 2 : at + 4])[0]
    return None


def _gif(data: bytes) -> Picture:
    width, height = struct.unpack("<HH", data[6:10])
    return Picture(width, height, "P")


_OF_BITS = {1: "1", 8: "P", 24: "RGB", 32: "RGB"}


def _bitmap(data: bytes) -> Picture | None:
    width, height, _, bits = struct.unpack("<iiHH", data[18:30])
    mode = _OF_BITS.get(bits)
    return Picture(width, abs(height), mode) if mode is not None else None


def _wave(data: bytes, size: int) -> Sound | None:
    at, rate, channels, width = 12, 0, 0, 0
    while at + 8 <= len(data):
        name, length = data[at : at + 4], struct.unpack("<I", data[at + 4 : at + 8])[0]
        if name == b"fmt ":
            channels, rate, _, width = struct.unpack("<HIIH", data[at + 10 : at + 22])
        elif name == b"data":
            # A length that was never filled in reaches beyond the file.
            length = min(length, size - at - 8)
            return Sound(rate, channels, length // width) if rate and width else None
        at += 8 + length + length % 2
    return None


def _flac(data: bytes) -> Sound:
    packed = int.from_bytes(data[18:26], "big")
    return Sound(packed >> 44, (packed >> 41 & 7) + 1, packed & (1 << 36) - 1)
