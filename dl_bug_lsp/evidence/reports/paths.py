"""Files by the ends of their paths, so that a path from another machine finds its file."""

from __future__ import annotations

from collections.abc import Sequence


class PathIndex:
    """Looks up printed paths by their longest common end with the workspace's."""

    def __init__(self, files: Sequence[str]) -> None:
        self._parts = [file.split("/") for file in files]
        self._by_name: dict[str, list[int]] = {}
        for row, parts in enumerate(self._parts):
            self._by_name.setdefault(parts[-1], []).append(row)

    def find(self, path: str) -> tuple[list[int], int]:
        """Return the rows that share most with the path's end, and how many components they share.

        A path of one component finds every file of that name.
        """
        wanted = [part for part in path.replace("\\", "/").split("/") if part not in {"", "."}]
        if not wanted:
            return [], 0
        best: list[int] = []
        most = 0
        for row in self._by_name.get(wanted[-1], ()):
            shared = _shared(wanted, self._parts[row])
            if shared > most:
                best, most = [], shared
            if shared == most:
                best.append(row)
        return best, most


def _shared(one: list[str], other: list[str]) -> int:
    count = 0
    for left, right in zip(reversed(one), reversed(other), strict=False):
        if left != right:
            break
        count += 1
    return count
