"""Sets of line numbers as bytes: bit ``n % 8`` of byte ``n // 8`` stands for line ``n``.

The format of coverage.py's database (coverage.numbits); read here without that library, which the
language server does not need.
"""

from __future__ import annotations

from collections.abc import Iterable

_BITS = tuple(tuple(bit for bit in range(8) if byte >> bit & 1) for byte in range(256))


def lines_of(numbits: bytes) -> list[int]:
    """Return the 1-based line numbers in ``numbits``, rising."""
    found = [8 * at + bit for at, byte in enumerate(numbits) if byte for bit in _BITS[byte]]
    # An empty file runs "line 0".
    return found[1:] if found and found[0] == 0 else found


def numbits_of(lines: Iterable[int]) -> bytes:
    """Return the numbits of 1-based line numbers; numbers below 1 are left out."""
    wanted = {line for line in lines if line > 0}
    if not wanted:
        return b""
    found = bytearray(max(wanted) // 8 + 1)
    for line in wanted:
        found[line // 8] |= 1 << line % 8
    return bytes(found)


def union(one: bytes, other: bytes) -> bytes:
    """Return the numbits of the lines in either."""
    size = max(len(one), len(other))
    both = int.from_bytes(one, "little") | int.from_bytes(other, "little")
    return both.to_bytes(size, "little")
