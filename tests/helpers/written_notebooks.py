"""Notebooks of a few code cells, with what the cells show."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

Output = dict[str, object]


def notebook(
    cells: Sequence[tuple[int | None, str]],
    outputs: Mapping[int, Sequence[Output]] | None = None,
) -> str:
    """Return the text of a notebook: cells as (execution count, source), outputs by count."""
    shown = outputs or {}
    code = [
        {
            "cell_type": "code",
            "execution_count": count,
            "metadata": {},
            "outputs": list(shown.get(count, ())) if count is not None else [],
            "source": source.splitlines(keepends=True),
        }
        for count, source in cells
    ]
    return json.dumps({"cells": code, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1)


def printed(text: str) -> Output:
    """Return what a cell wrote to its standard output."""
    return {"output_type": "stream", "name": "stdout", "text": text.splitlines(keepends=True)}


def result(text: str) -> Output:
    """Return the value of a cell's last expression, as it is shown."""
    lines = text.splitlines(keepends=True)
    return {"output_type": "execute_result", "data": {"text/plain": lines}}
