"""Entries of YAML documents with the lines of their keys (YAML 1.1, as PyYAML resolves it)."""

from __future__ import annotations

import re
from typing import Any

import yaml

from dl_bug_lsp.workspace.configs.reading import (
    MOST_ENTRIES,
    ConfigReading,
    entry,
    plain_scalar,
    unquoted,
)
from dl_bug_lsp.workspace.contents import ConfigEntry, Scalar

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_KEY = re.compile(r"([ ]*)((?:-[ ]+)*)([\"']?)([\w.$/-][\w.$ /-]*?)\3[ ]*:(?:[ ]+([^\n]*))?$")
_ITEM = re.compile(r"([ ]*)-[ ]+([^\n]+)$")
_DEEPEST = 60
_MOST_NESTED = 200
_MERGE = "tag:yaml.org,2002:merge"
_Path = tuple[str | int, ...]


def read_yaml_config(file: str, text: str) -> ConfigReading:
    """Return an entry for every key and item of every document of a file.

    A tag of the program's own (``!ref``, ``!new:a.B``) stands before the text of what it is on. A
    merged or aliased mapping is entered where it is used, with the lines of its anchor. A broken
    file is read line by line as far as its layout tells.
    """
    try:
        deep = _nested_too_deeply(text)
        if deep is not None:
            problem = f"more than {_MOST_NESTED} levels are nested"
            return ConfigReading(_scan(file, text), problem, deep)
        documents = list(yaml.compose_all(text, Loader=_Loader))
    except yaml.YAMLError as error:
        problem, line = _problem(error)
        return ConfigReading(_scan(file, text), problem, line)
    except (ValueError, RecursionError) as error:
        return ConfigReading(_scan(file, text), str(error)[:200], 1)
    entries: list[ConfigEntry] = []
    for document in documents:
        if document is not None:
            _flatten(file, document, entries)
    if not entries and not text.strip():
        return ConfigReading((), "the file is empty", 1)
    return ConfigReading(tuple(entries))


def _nested_too_deeply(text: str) -> int | None:
    """Return the 1-based line where nodes are nested too deeply to be composed; None if nowhere.

    libyaml's composer calls itself for each level and ends the process where the stack does; its
    parser, which is asked here, keeps a stack of its own.
    """
    longest = max(map(len, text.splitlines()), default=0)
    # A level takes a column of a line, or a bracket: most files need not be parsed twice.
    if longest + text.count("[") + text.count("{") <= _MOST_NESTED:
        return None
    depth = 0
    try:
        for event in yaml.parse(text, Loader=_Loader):
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
                if depth > _MOST_NESTED:
                    return int(event.start_mark.line) + 1 if event.start_mark is not None else 1
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
    except yaml.MarkedYAMLError as error:
        # Newer releases of libyaml stop at a thousand levels, before the events of the first.
        if "nesting depth" not in str(error.problem):
            raise
        return int(error.problem_mark.line) + 1 if error.problem_mark is not None else 1
    return None


def _problem(error: yaml.YAMLError) -> tuple[str, int]:
    """Say the problem at the mark where the reader stopped: the line to look at first."""
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    words = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
    return str(words).split("\n", 1)[0][:200], mark.line + 1 if mark is not None else 1


def _flatten(file: str, root: yaml.Node, entries: list[ConfigEntry]) -> None:
    """Walk the node graph depth first; the path of a loop of aliases is cut by depth."""
    stack: list[tuple[yaml.Node, _Path, int]] = [(root, (), root.start_mark.line + 1)]
    while stack and len(entries) < MOST_ENTRIES:
        node, path, line = stack.pop()
        children = _children(node, path) if len(path) < _DEEPEST else []
        if path:
            end = _end_line(node)
            length = len(node.value) if not isinstance(node, yaml.ScalarNode) else None
            text = node.value if isinstance(node, yaml.ScalarNode) else ""
            if node.tag.startswith("!"):
                text = f"{node.tag} {text}".rstrip()
            entries.append(
                entry(file, line, path, _scalar(node), text, end_line=end, length=length)
            )
        stack.extend(reversed(children))


def _children(node: yaml.Node, path: _Path) -> list[tuple[yaml.Node, _Path, int]]:
    if isinstance(node, yaml.SequenceNode):
        return [(n, (*path, i), n.start_mark.line + 1) for i, n in enumerate(node.value)]
    if not isinstance(node, yaml.MappingNode):
        return []
    own: list[tuple[yaml.Node, _Path, int]] = []
    # By identity: merged again and again, one large mapping would fill the memory.
    sources: dict[int, yaml.MappingNode] = {}
    for key, value in node.value:
        if key.tag == _MERGE:
            named = value.value if isinstance(value, yaml.SequenceNode) else [value]
            sources.update(
                {id(mapping): mapping for mapping in named if isinstance(mapping, yaml.MappingNode)}
            )
        elif isinstance(key, yaml.ScalarNode):
            own.append((value, (*path, key.value), key.start_mark.line + 1))
    sources.pop(id(node), None)
    names = {child[1] for child in own}
    merged = [child for source in sources.values() for child in _merged(source, path)]
    return own + [child for child in merged if child[1] not in names]


def _merged(source: yaml.MappingNode, path: _Path) -> list[tuple[yaml.Node, _Path, int]]:
    return [
        (value, (*path, key.value), key.start_mark.line + 1)
        for key, value in source.value
        if isinstance(key, yaml.ScalarNode) and key.tag != _MERGE
    ]


def _end_line(node: yaml.Node) -> int:
    """Return a node's last line; a block's end mark stands at the token after it."""
    mark = node.end_mark
    if mark.column == 0 and mark.line > node.start_mark.line:
        return int(mark.line)
    return int(mark.line) + 1


def _scalar(node: yaml.Node) -> Scalar:
    """Resolve a scalar as PyYAML would: ``1e-3`` stays text, ``yes`` is true."""
    if not isinstance(node, yaml.ScalarNode):
        return None
    kind = node.tag.rpartition(":")[2]
    text = str(node.value)
    try:
        if kind == "null":
            return None
        if kind == "bool":
            return text.lower() in ("yes", "true", "on")
        if kind in ("int", "float"):
            value: Scalar = getattr(_constructor, f"construct_yaml_{kind}")(node)
            return value
    except (ValueError, yaml.YAMLError):
        return text
    return text


OMEGACONF_NUMBER = re.compile(r"[-+]?\d+(?:_\d+)*[eE][-+]?\d+")
"""Numbers that are text to PyYAML, which asks for a point, and floats to OmegaConf and Hydra."""


def _scan(file: str, text: str) -> tuple[ConfigEntry, ...]:
    """Read ``key: value`` and ``- item`` lines by indentation alone."""
    entries: list[ConfigEntry] = []
    stack: list[tuple[int, _Path]] = []
    counts: dict[_Path, int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        match = _KEY.match(line[:300].split(" #", 1)[0].rstrip())
        item = None if match else _ITEM.match(line[:300].split(" #", 1)[0].rstrip())
        if (match is None and item is None) or len(entries) >= MOST_ENTRIES:
            continue
        header = match or item
        assert header is not None
        indent = len(header.group(1))
        dashed = item is not None or bool(header.group(2))
        # The items of a list may stand at the column of its key.
        while stack and (stack[-1][0] > indent or (stack[-1][0] == indent and not dashed)):
            stack.pop()
        outer = stack[-1][1] if stack else ()
        if dashed:
            counts[outer] = counts.get(outer, -1) + 1
            outer = (*outer, counts[outer])
            stack.append((indent + 1, outer))
        if item is not None:
            written, path = item.group(2).strip(), outer
        else:
            assert match is not None
            written, path = (match.group(5) or "").strip(), (*outer, match.group(4))
            stack.append((indent + len(match.group(2)), path))
        value = plain_scalar(written) if written[:1] not in ("'", '"') else unquoted(written)
        entries.append(entry(file, number, path, value if written else None, written))
    return tuple(entries)


_constructor = yaml.constructor.SafeConstructor()
