"""What files of arrays say of themselves: names, shapes and dtypes, and small columns of numbers.

Formats: NumPy's ``.npy`` (NEP 1, ``numpy.lib.format``) and ``.npz``, a zip archive of such files.
Nothing is unpickled: of arrays of objects only the shape is known.
"""

from __future__ import annotations

import io
import math
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

MOST_BYTES = 64 * 1024 * 1024
"""Size of an archive that is read; of a single array the beginning is enough."""
MOST_HEADER = 10_000
MOST_MEMBERS = 64
MOST_CELLS = 4_000
MAGIC = b"\x93NUMPY"
_DESCR = re.compile(r"'descr':\s*'([<>|=]?)([a-zA-Z])(\d*)[^']*'")
_SHAPE = re.compile(r"'shape':\s*\(([\d,\s]*)\)")
_NAMES = {"f": "float", "i": "int", "u": "uint", "c": "complex"}
_CODES = {
    "b1": "?", "i1": "b", "i2": "h", "i4": "i", "i8": "q", "u1": "B", "u2": "H", "u4": "I",
    "u8": "Q", "f4": "f", "f8": "d",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class StoredArray:
    """An array of a file: its name in an archive ("" alone), its shape and dtype as NumPy names it.

    Where it has one axis and few numbers, ``cells`` are these, and ``lowest`` and ``highest`` bound
    whole ones.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str
    cells: tuple[int | float | bool, ...] | None = None
    lowest: int | None = None
    highest: int | None = None


def arrays_in(file: str, data: bytes) -> tuple[StoredArray, ...] | None:
    """Return the arrays that a file's bytes hold, None where they are of no known format."""
    try:
        if data.startswith(MAGIC):
            return (_array("", io.BytesIO(data)),)
        if file.endswith(".npz") and data[:2] == b"PK":
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                return tuple(_members(archive))
    except (ValueError, OSError, EOFError, KeyError, RuntimeError, NotImplementedError):
        return None
    except (zipfile.BadZipFile, zlib.error, struct.error, MemoryError, OverflowError):
        return None
    return None


def _members(archive: zipfile.ZipFile) -> Iterator[StoredArray]:
    names = archive.namelist()
    if len(names) > MOST_MEMBERS:
        raise ValueError("too many members")
    for name in names:
        with archive.open(name) as stream:
            yield _array(name.removesuffix(".npy"), stream)


def _array(name: str, stream: IO[bytes]) -> StoredArray:
    """Read the header of an array, and its numbers where they are few.

    Raises ValueError and struct.error where it is none.
    """
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
        return StoredArray(name, shape, "object")
    order, kind, width = descr.groups()
    dtype = _dtype(kind, width)
    code = _CODES.get(f"{kind}{width}")
    count = math.prod(shape)
    if len(shape) != 1 or code is None or not 0 < count <= MOST_CELLS:
        return StoredArray(name, shape, dtype)
    raw = stream.read(count * struct.calcsize(f"={code}"))
    cells = struct.unpack(f"{'>' if order == '>' else '<'}{count}{code}", raw)
    whole = kind in "iu"
    bounds = (min(cells), max(cells)) if whole else (None, None)
    return StoredArray(name, shape, dtype, cells, *bounds)


def _dtype(kind: str, width: str) -> str:
    if kind == "b":
        return "bool"
    if kind in _NAMES and width:
        return f"{_NAMES[kind]}{8 * int(width)}"
    return "object"
