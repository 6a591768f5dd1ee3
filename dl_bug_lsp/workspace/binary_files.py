"""What binary files say of themselves: shapes of arrays, sizes of pictures and sounds.

Formats: NumPy's ``.npy`` (NEP 1, ``numpy.lib.format``) and ``.npz``, a zip archive of such files.
Nothing is unpickled: of arrays of objects only the shape is known.

Sources: PNG specification (IHDR), ITU T.81 (frame headers of JPEG), GIF89a, Microsoft's documents
of bitmaps and of RIFF WAVE, the FLAC format (STREAMINFO).
"""

from __future__ import annotations

import io
import math
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import IO, TypeVar

MOST_BYTES = 64 * 1024 * 1024
"""Size of an archive that is read; of a single array the beginning is enough."""
MOST_HEADER = 10_000
MOST_MEMBERS = 64
MOST_CELLS = 4_000
MOST_NUMBERS = 2_000_000
"""Numbers of a file's arrays that are looked at."""
MAGIC = b"\x93NUMPY"
_DESCR = re.compile(r"'descr':\s*'([<>|=]?)([a-zA-Z])(\d*)[^']*'")
_SHAPE = re.compile(r"'shape':\s*\(([\d,\s]*)\)")
_NAMES = {"f": "float", "i": "int", "u": "uint", "c": "complex"}
_CODES = {
    "b1": "?", "i1": "b", "i2": "h", "i4": "i", "i8": "q", "u1": "B", "u2": "H", "u4": "I",
    "u8": "Q", "f2": "e", "f4": "f", "f8": "d",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class StoredArray:
    """An array of a file: its name in an archive ("" alone), its shape and dtype as NumPy names it.

    Where it has one axis and few numbers, ``cells`` are these. ``lowest`` and ``highest`` bound
    whole numbers, if there are not more than `MOST_NUMBERS`.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str
    cells: tuple[int | float | bool, ...] | None = None
    lowest: int | None = None
    highest: int | None = None


@dataclass(frozen=True, slots=True)
class UnfitNumbers:
    """How many of an array's floats are NaN and infinite, of those that were looked at."""

    name: str
    nans: int
    infinite: int
    count: int


def arrays_in(file: str, data: bytes) -> tuple[StoredArray, ...] | None:
    """Return the arrays that a file's bytes hold, None where they are of no known format."""
    return _each(file, data, _array)


def unfit_numbers(file: str, data: bytes) -> tuple[UnfitNumbers, ...]:
    """Return the arrays of a file that hold NaN or infinite numbers, at most those of its limits.

    No more than the first `MOST_NUMBERS` of an array are looked at.
    """
    found = _each(file, data, _unfit) or ()
    return tuple(unfit for unfit in found if unfit.nans or unfit.infinite)


_Read = TypeVar("_Read")


def _each(
    file: str, data: bytes, read: Callable[[str, IO[bytes]], _Read]
) -> tuple[_Read, ...] | None:
    try:
        if data.startswith(MAGIC):
            return (read("", io.BytesIO(data)),)
        if file.endswith(".npz") and data[:2] == b"PK":
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                return tuple(_members(archive, read))
    except (ValueError, OSError, EOFError, KeyError, RuntimeError, NotImplementedError):
        return None
    except (zipfile.BadZipFile, zlib.error, struct.error, MemoryError, OverflowError):
        return None
    return None


def _members(archive: zipfile.ZipFile, read: Callable[[str, IO[bytes]], _Read]) -> Iterator[_Read]:
    names = archive.namelist()
    if len(names) > MOST_MEMBERS:
        raise ValueError("too many members")
    for name in names:
        with archive.open(name) as stream:
            yield read(name.removesuffix(".npy"), stream)


@dataclass(frozen=True, slots=True)
class _Header:
    """What precedes the numbers of an array; ``code`` is that of `struct`, None for other types."""

    shape: tuple[int, ...]
    dtype: str
    order: str = "<"
    code: str | None = None


def _header(stream: IO[bytes]) -> _Header:
    """Read the header of an array. Raises ValueError and struct.error where it is none."""
    start = stream.read(8)
    if start[:6] != MAGIC:
        raise ValueError("no array")
    length = struct.unpack("<H", stream.read(2)) if start[6] == 1 else struct.unpack(
        "<I", stream.read(4)
    )  # fmt: skip
    if length[0] > MOST_HEADER:
        raise ValueError("a long header")
    header = stream.read(length[0]).decode("latin-1")
    shown = _SHAPE.search(header)
    if shown is None:
        raise ValueError("no shape")
    shape = tuple(int(part) for part in shown[1].split(",") if part.strip())
    descr = _DESCR.search(header)
    if descr is None:
        return _Header(shape, "object")
    order, kind, width = descr.groups()
    code = _CODES.get(f"{kind}{width}")
    return _Header(shape, _dtype(kind, width), ">" if order == ">" else "<", code)


def _array(name: str, stream: IO[bytes]) -> StoredArray:
    """Read the header of an array, and what its numbers tell where they are not too many.

    Raises ValueError and struct.error where it is none.
    """
    header = _header(stream)
    count, code = math.prod(header.shape), header.code
    is_short = len(header.shape) == 1 and count <= MOST_CELLS
    is_whole = code is not None and code in "bhiqBHIQ"
    if code is None or not 0 < count <= MOST_NUMBERS or not (is_short or is_whole):
        return StoredArray(name, header.shape, header.dtype)
    cells = _numbers(stream, header, count)
    if len(cells) < count:
        return StoredArray(name, header.shape, header.dtype)
    bounds = (int(min(cells)), int(max(cells))) if is_whole else (None, None)
    kept = cells if is_short else None
    return StoredArray(name, header.shape, header.dtype, kept, *bounds)


def _unfit(name: str, stream: IO[bytes]) -> UnfitNumbers:
    header = _header(stream)
    if header.code is None or header.code not in "efd":
        return UnfitNumbers(name, 0, 0, 0)
    cells = _numbers(stream, header, min(math.prod(header.shape), MOST_NUMBERS))
    nans = sum(map(math.isnan, cells))
    return UnfitNumbers(name, nans, sum(map(math.isinf, cells)), len(cells))


def _numbers(stream: IO[bytes], header: _Header, most: int) -> tuple[int | float | bool, ...]:
    """Return the next numbers of a stream, fewer where it ends."""
    width = struct.calcsize(f"={header.code}")
    raw = stream.read(most * width)
    count = len(raw) // width
    return struct.unpack(f"{header.order}{count}{header.code}", raw[: count * width])


def _dtype(kind: str, width: str) -> str:
    if kind == "b":
        return "bool"
    if kind in _NAMES and width:
        return f"{_NAMES[kind]}{8 * int(width)}"
    return "object"


MOST_MEDIA_BYTES = 1_000_000
"""Bytes in which a header is looked for: photographs begin with long tables of their camera."""


@dataclass(frozen=True, slots=True)
class Picture:
    """Width and height in pixels, and Pillow's mode (``"RGB"``, ``"L"``)."""

    width: int
    height: int
    mode: str


@dataclass(frozen=True, slots=True)
class Sound:
    """Sampling rate in Hz, number of channels, samples of each channel, and their type.

    ``dtype`` is NumPy's name of the type that holds a sample, None where it is not known.
    """

    rate: int
    channels: int
    samples: int
    dtype: str | None = None


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


_EXTENSIBLE, _WITH_CODE = 0xFFFE, 26
"""The code of the longer header of WAVE files, which has the code of the samples further on."""
_SAMPLES = {
    (1, 8): "uint8",
    (1, 16): "int16",
    (1, 24): "int32",
    (1, 32): "int32",
    (1, 64): "int64",
    (3, 32): "float32",
    (3, 64): "float64",
}
"""NumPy's types of samples by their code and bits, as ``scipy.io.wavfile`` reads them."""


def _wave(data: bytes, size: int) -> Sound | None:
    at, rate, channels, width, dtype = 12, 0, 0, 0, None
    while at + 8 <= len(data):
        name, length = data[at : at + 4], struct.unpack("<I", data[at + 4 : at + 8])[0]
        if name == b"fmt ":
            code, channels, rate, _, width, bits = struct.unpack("<HHIIHH", data[at + 8 : at + 24])
            if code == _EXTENSIBLE and length >= _WITH_CODE:
                code = struct.unpack("<H", data[at + 32 : at + 34])[0]
            dtype = _SAMPLES.get((code, bits))
        elif name == b"data":
            # A length that was never filled in reaches beyond the file.
            length = min(length, size - at - 8)
            return Sound(rate, channels, length // width, dtype) if rate and width else None
        at += 8 + length + length % 2
    return None


def _flac(data: bytes) -> Sound:
    packed = int.from_bytes(data[18:26], "big")
    return Sound(packed >> 44, (packed >> 41 & 7) + 1, packed & (1 << 36) - 1)
