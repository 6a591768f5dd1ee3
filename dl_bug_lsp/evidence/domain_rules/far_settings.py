"""Settings of a command that lie far from their defaults, where numbers became NaN or infinite.

The default of an option is what its author ran the program with. A value of other magnitude that a
command gives a rate, a scale or a bound is the first thing to look at where a training diverges.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.domain_rules.syntax import calls_in, keyword, near_files
from dl_bug_lsp.provenance.launches import Launch, commands_before, name_of
from dl_bug_lsp.provenance.scopes import called_name

NOT_FINITE = re.compile(
    r"(?i)\b(?:nans?|inf|infinity|non-?finite|not finite|overflow\w*|diverg\w+)\b"
)
DIVERGED = {"loss_nan", "loss_divergence"}
OPTIONS = {"add_argument", "option", "DEFINE_float", "Option"}
COUNTS = re.compile(
    r"(?i)epoch|step|iter|batch|worker|seed|size|num|count|^n_|_n$|port|dim|layer|width|hidden|depth"
    r"|channel|head|length|every|interval|freq|patience|rank|gpu|device|class|vocab|max_len|warmup"
)
"""Options whose magnitude follows what a run is for."""
LEAST = 1.5
"""Orders of magnitude from which a value is far from its default."""
MOST = 2.0
"""Orders of magnitude from which it counts wholly."""
MOST_FILES = 20
MOST_COMMANDS = 6


def find_far_settings(case: Case) -> Iterator[Clue]:
    """Yield the settings of a command that are far from the defaults of their options."""
    if not NOT_FINITE.search(case.message) and case.category.id not in DIVERGED:
        return
    found: dict[tuple[str, int], tuple[float, str]] = {}
    for launch in _commands(case):
        defaults = _defaults(case, launch.script)
        for word in launch.words:
            name = name_of(word).lstrip("-").replace("-", "_")
            default, value = defaults.get(name), _number(word.value)
            if default is None or value is None or COUNTS.search(name) or not word.line:
                continue
            far = _orders(value, default)
            if far >= LEAST:
                why = f"`{name}` is {word.text} here and {default:g} by default"
                found[word.file, word.line] = (min(far / MOST, 1.0), why)
    for (file, line), (score, why) in found.items():
        yield Clue("rules.strong", file, line, score / math.sqrt(len(found)), why)


def _commands(case: Case) -> list[Launch]:
    """Return the failing command and those before it in its file."""
    launches = [launch for launch in case.engine.run.launches if launch.file]
    if len(launches) != 1:
        return launches[:1]
    return [*commands_before(case.workspace, launches[0]), *launches][-MOST_COMMANDS:]


def _defaults(case: Case, script: str) -> dict[str, float]:
    """Return the numbers that options have by default, by the names of the options."""
    found: dict[str, float] = {}
    for file in dict.fromkeys([script, *near_files(case)[:MOST_FILES]]):
        tree = case.workspace.tree(file)
        for call in calls_in(tree) if tree is not None else ():
            if called_name(call) not in OPTIONS:
                continue
            held = keyword(call, "default")
            default = _number(held.value) if isinstance(held, ast.Constant) else None
            for flag in call.args:
                if default is not None and isinstance(flag, ast.Constant):
                    name = str(flag.value).lstrip("-").replace("-", "_")
                    found.setdefault(name, default)
    return found


def _number(value: object) -> float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return float(value)
    try:
        return float(value) if isinstance(value, str) else None
    except ValueError:
        return None


def _orders(value: float, default: float) -> float:
    """Return by how many orders of magnitude two numbers differ; 0 where one of them is 0."""
    if not value or not default or not math.isfinite(value) or not math.isfinite(default):
        return 0.0
    return abs(math.log10(abs(value / default)))
