"""Entries of JSON documents."""

from __future__ import annotations

from dl_bug_lsp.workspace.configs.json_reader import Node, read_json
from dl_bug_lsp.workspace.configs.reading import MOST_ENTRIES, ConfigReading, entry
from dl_bug_lsp.workspace.values import ConfigEntry


def read_json_config(file: str, text: str) -> ConfigReading:
    """Return an entry for every key and list item; comments and stray commas are a problem."""
    if not text.strip():
        return ConfigReading((), "the file is empty", 1)
    reading = read_json(text)
    entries = node_entries(file, reading.root) if reading.root is not None else ()
    return ConfigReading(entries, reading.problem, reading.problem_line)


def node_entries(file: str, root: Node) -> tuple[ConfigEntry, ...]:
    """Flatten a document in its own order; an entry's line is its key's."""
    entries: list[ConfigEntry] = []
    stack: list[tuple[Node, tuple[str | int, ...], int]] = [(root, (), root.line)]
    while stack and len(entries) < MOST_ENTRIES:
        node, path, line = stack.pop()
        length = len(node.items) if node.is_container else None
        if path:
            entries.append(
                entry(
                    file, line, path, node.value, node.text, end_line=node.end_line, length=length
                )
            )
        children: list[tuple[Node, tuple[str | int, ...], int]] = []
        for index, item in enumerate(node.items):
            if node.keys is None:
                children.append((item, (*path, index), item.line))
            else:
                key, key_line = node.keys[index]
                children.append((item, (*path, key), key_line))
        stack.extend(reversed(children))
    return tuple(entries)
