"""Parameters of a stored model that do not fit: the layers that make them, and those not made."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue, Suggestion
from dl_bug_lsp.evidence.domain_rules.syntax import near_files
from dl_bug_lsp.evidence.followed_run import follow
from dl_bug_lsp.messages import FactKind
from dl_bug_lsp.provenance.scopes import Scope, called_name

MOST_FILES = 40
MOST_PARAMETERS = 6
OF_SHARED = 0.4
"""What a layer counts where following the run showed that others, or a setting, made its size."""
WEIGHTS = {"weight", "bias", "running_mean", "running_var", "num_batches_tracked", "kernel"}


def find(case: Case) -> Iterator[Clue]:
    """Yield where the layers of the message's parameters are made, or would be."""
    names = [str(f.value) for f in case.facts.of(FactKind.PARAMETER)]
    if not names:
        return
    classes = list(_classes(case))
    sizes = bool(case.facts.of(FactKind.SHAPE))
    unexpected = "Unexpected key" in case.message
    seen: set[tuple[str, int]] = set()
    raised = follow(case).raised
    sides = raised.sides[:1] if raised is not None and raised.what == "size" else ()
    shared = frozenset(origin for side in sides for origin in side.origins)
    for order, name in enumerate(names[:MOST_PARAMETERS]):
        parts = [part for part in name.split(".") if not part.isdigit()]
        if parts and parts[-1] in WEIGHTS:
            parts = parts[:-1]
        if not parts:
            continue
        made = list(_made(classes, parts))
        for scope, line, how in made:
            at = (scope.file, line)
            if at in seen:
                continue
            seen.add(at)
            why = f"`{name}` of the message is made here"
            score = how / (1 + order / 3) if sizes else 0.6 * how / (1 + order / 3)
            if sizes and shared and at not in shared:
                score *= OF_SHARED
            yield Clue("repair.parameter", scope.file, line, score, why)
        if not made and unexpected and len(parts) > 1:
            for owner, _, _ in _made(classes, parts[:-1]):
                yield from _lacking(classes, owner, parts, name)


def _classes(case: Case) -> Iterator[Scope]:
    for file in near_files(case)[:MOST_FILES]:
        module = case.engine.program.module(file)
        for scope in module.walk() if module is not None else ():
            if scope.is_class:
                yield scope


def _made(classes: list[Scope], parts: list[str]) -> Iterator[tuple[Scope, int, float]]:
    """Yield class, line and belief of what makes the last part of a dotted path."""
    last = parts[-1]
    owner = _class_of(classes, parts[-2]) if len(parts) > 1 else None
    for cls in classes:
        found = [(b.line, 1.0) for m, b in cls.attributes.get(last, []) if not b.mutates]
        for method in cls.functions.values():
            found.extend(
                (k.value.lineno, 0.9)
                for call in method.calls
                if called_name(call) in ("dict", "ModuleDict")
                for k in call.keywords
                if k.arg == last
            )
            found.extend(
                (key.lineno, 0.9)
                for call in method.calls
                if called_name(call) == "ModuleDict"
                for table in call.args
                if isinstance(table, ast.Dict)
                for key in table.keys
                if isinstance(key, ast.Constant) and key.value == last
            )
        fits = 1.0 if owner is None or owner is cls else 0.4
        for line, how in found:
            yield cls, line, how * fits


def _class_of(classes: list[Scope], attribute: str) -> Scope | None:
    """Return the class of the workspace that an attribute is built of, by its constructor call."""
    names = {cls.name.rpartition(".")[2]: cls for cls in classes}
    for cls in classes:
        for method in cls.functions.values():
            for call in method.calls:
                if any(k.arg == attribute for k in call.keywords):
                    for inner in ast.walk(call):
                        if isinstance(inner, ast.Call) and called_name(inner) in names:
                            return names[called_name(inner)]
        for _, binding in cls.attributes.get(attribute, []):
            for inner in ast.walk(binding.value):
                if isinstance(inner, ast.Call) and called_name(inner) in names:
                    return names[called_name(inner)]
    return None


def _lacking(classes: list[Scope], owner: Scope, parts: list[str], name: str) -> Iterator[Clue]:
    """Yield the constructor that does not make a parameter which the stored model has."""
    cls = _class_of(classes, parts[-2]) or owner
    init = cls.functions.get("__init__")
    if init is None:
        return
    why = f"the stored model has `{name}`, which `{cls.name}` does not make"
    made = sorted({b.line for found in cls.attributes.values() for m, b in found if m is init})
    for line in made:
        yield Clue(
            "missing.parameter", init.file, line, 0.7, why, Suggestion(init.file, line, "", "")
        )
    yield Clue("missing.parameter", init.file, init.line, 0.7, why)
