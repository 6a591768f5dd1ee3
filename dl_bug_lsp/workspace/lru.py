"""A small cache that forgets what was used longest ago; safe between threads."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Lru(Generic[Value]):
    """Values by file, at most ``size`` units: one a value unless ``weigh`` says otherwise."""

    def __init__(self, size: int, weigh: Callable[[Value], int] | None = None) -> None:
        self._size = size
        self._weigh = weigh or (lambda _: 1)
        self._held = 0
        self._values: OrderedDict[str, Value] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, file: str, make: Callable[[str], Value]) -> Value:
        """Return the value of a file, making it where it is not held."""
        with self._lock:
            if file in self._values:
                self._values.move_to_end(file)
                return self._values[file]
        value = make(file)
        with self._lock:
            if file in self._values:
                return self._values[file]
            self._values[file] = value
            self._held += self._weigh(value)
            while self._held > self._size and len(self._values) > 1:
                self._held -= self._weigh(self._values.popitem(last=False)[1])
        return value

    def files(self) -> tuple[str, ...]:
        """Return the files whose values are held, those used longest ago first."""
        with self._lock:
            return tuple(self._values)

    def forget(self, file: str) -> None:
        """Drop the value of one file."""
        with self._lock:
            if file in self._values:
                self._held -= self._weigh(self._values.pop(file))

    def clear(self) -> None:
        """Drop everything."""
        with self._lock:
            self._values.clear()
            self._held = 0
