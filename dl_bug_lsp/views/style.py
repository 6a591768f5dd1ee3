"""Colours of the terminal view (ECMA-48 SGR), or none."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Style:
    """Marks up text for a terminal; a disabled style leaves it as it is."""

    enabled: bool = False

    def bold(self, text: str) -> str:
        """Emphasize."""
        return self._wrap("1", text)

    def dim(self, text: str) -> str:
        """Push into the background."""
        return self._wrap("2", text)

    def error(self, text: str) -> str:
        """Mark the failure itself."""
        return self._wrap("1;31", text)

    def suspect(self, text: str) -> str:
        """Mark a suspicious line."""
        return self._wrap("1;33", text)

    def place(self, text: str) -> str:
        """Mark a path with its line."""
        return self._wrap("36", text)

    def heading(self, text: str) -> str:
        """Mark a section's title."""
        return self._wrap("1;4", text)

    def _wrap(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.enabled and text else text


PLAIN = Style()
