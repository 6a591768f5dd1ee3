"""Checks of calls and names of libraries against what the environment has installed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

from dl_bug_lsp.cancellation import checkpoint
from dl_bug_lsp.checks.findings import Certainty, Check, Finding
from dl_bug_lsp.checks.forecasts import forecast_of
from dl_bug_lsp.checks.program import CheckedProgram, finding
from dl_bug_lsp.environments.members import (
    Definition,
    Lack,
    definition,
    lack,
    lacks_member,
    may_take,
    module_of,
    names_of,
    refused_texts,
)
from dl_bug_lsp.environments.signatures import Callee, LibraryApi, is_available
from dl_bug_lsp.fixes.fix_context import only_slip
from dl_bug_lsp.fixes.library_names import tables
from dl_bug_lsp.provenance.scopes import library_imports, library_name

ATTRIBUTE = Check(
    "missing-library-name",
    "attribute_not_found",
    Certainty.SURE,
    "A library's module is asked for a name that the installed version does not have.",
    "The names are read from the module's source and its stub. Where the module may make names "
    "while it runs and a stub lists what it has, a finding is likely.",
    "np.trapz(y, x)        # NumPy 2: np.trapezoid",
)
ARGUMENT = Check(
    "unknown-argument",
    "illegal_argument",
    Certainty.SURE,
    "A library's function or class is called with an argument that it does not take.",
    "Signatures are those of the installed version, told by jedi (the extra 'check'). Where a "
    "decorator may change the arguments, a finding is only worth a look.",
    "Trainer(gpus=0)",
)
MISSING = Check(
    "missing-argument",
    "illegal_argument",
    Certainty.LIKELY,
    "A library's function or class is called without an argument that it requires.",
    "As for unknown-argument; calls with * or ** are left out.",
    "torch.nn.Linear(10)",
)
MEMBER = Check(
    "missing-member",
    "attribute_not_found",
    Certainty.LIKELY,
    "An object of a library's class is asked for an attribute that the installed version does not "
    "have.",
    "The run is followed without being executed; the class and its bases are read from their "
    "sources. Classes that make attributes while they run, or whose bases cannot be read, are left "
    "out, but for those of pandas and torch.nn, whose ways of doing so are known.",
    "frame.append(row, ignore_index=True)     # pandas 2: pd.concat",
)
CHOICE = Check(
    "refused-text",
    "illegal_argument",
    Certainty.SURE,
    "An estimator of scikit-learn is given a text that the installed version does not know.",
    "The choices are those that the class itself declares (_parameter_constraints), with those of "
    "its bases.",
    'RandomForestClassifier(max_features="auto")     # since 1.3: sqrt, log2, None',
)
CHECKS = (ATTRIBUTE, ARGUMENT, MISSING, MEMBER, CHOICE)

MOST_FOLLOWED = 6

CAUGHT = {"AttributeError", "TypeError", "ImportError", "Exception", "BaseException",
          "ModuleNotFoundError"}  # fmt: skip
ASKING = ("version", "hasattr", "TYPE_CHECKING", "signature", "_available", "callable(", "has_")


def find(program: CheckedProgram) -> Iterator[Finding]:
    """Yield names and arguments that the installed libraries do not know."""
    environment = program.environment
    if environment is None or not environment.sites:
        return
    api = LibraryApi(environment) if is_available() else None
    if api is None:
        program.problems.append(
            "calls of libraries are not checked: pip install 'dl-bug-lsp[check]' for that"
        )
    for file in program.files:
        tree = program.workspace.tree(file)
        if tree is None:
            continue
        names = library_imports(program.workspace, file, tree)
        if not names:
            continue
        excused = _excused(tree)
        # What stands in a function or a branch may not run.
        inside = program.function_lines(file) | program.guarded_lines(file)
        seen: set[tuple[int, str]] = set()
        for node in ast.walk(tree):
            line = getattr(node, "lineno", 0)
            if line in excused:
                continue
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
                dotted = library_name(node, names)
                if dotted is not None and (line, dotted) not in seen:
                    seen.add((line, dotted))
                    yield from _attribute(program, file, node, dotted, line in inside)
            elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
                yield from _imported(program, file, node)
            elif isinstance(node, ast.Call) and api is not None:
                dotted = library_name(node.func, names)
                if dotted is not None and (node.args or node.keywords):
                    checkpoint()
                    yield from _call(program, api, file, node, dotted, line in inside)
    yield from _followed(program, api)
    if api is not None:
        yield from _targets(program, api)
        api.save()


def _followed(program: CheckedProgram, api: LibraryApi | None) -> Iterator[Finding]:
    """Yield what the runs ask of objects of libraries, and give to their calls by ``**``."""
    environment = program.environment
    assert environment is not None
    for entry in program.entries[:MOST_FOLLOWED]:
        _, forecast = forecast_of(program, entry)
        for (cls, name), (file, line) in forecast.asked.items():
            if not lacks_member(environment, cls, name):
                continue
            short = cls.rpartition(".")[2]
            new = tables()["attributes"].get(short, {}).get(name)
            evidence = [_version(program, cls), f"It is '{new}' now." if new else ""]
            yield finding(
                MEMBER, file, line, f"An object of '{cls}' has no attribute '{name}'.",
                *filter(None, evidence),
            )  # fmt: skip
        for (dotted, (file, line)), (count, keywords) in forecast.called.items():
            written = program.workspace.source_line(file, line)
            if "**" not in written or api is None or dotted.startswith("builtins."):
                continue
            nothing = ast.Constant(None, lineno=line, col_offset=0)
            arguments = [ast.keyword(name, nothing) for name in keywords]
            call = ast.Call(ast.Name(dotted), [nothing] * count, arguments, lineno=line)
            yield from _call(program, api, file, call, dotted, True)


def _targets(program: CheckedProgram, api: LibraryApi) -> Iterator[Finding]:
    """Yield keys of config blocks that their class (hydra's ``_target_``) does not take."""
    rows = [e for e in program.workspace.config_entries() if e.key == "_target_"]
    for entry in rows:
        dotted = entry.value
        if not isinstance(dotted, str) or not re.fullmatch(r"\w+(?:\.\w+)+", dotted):
            continue
        if program.workspace.module_file(dotted.partition(".")[0]) is not None:
            continue
        beside = [
            e
            for e in program.workspace.config_entries(entry.file)
            if len(e.path) == len(entry.path) and e.path[:-1] == entry.path[:-1]
        ]
        keys = {str(e.path[-1]): e for e in beside if not str(e.path[-1]).startswith("_")}
        nothing = ast.Constant(None, lineno=entry.line, col_offset=0)
        arguments = [ast.keyword(name, nothing) for name in keys if name != "defaults"]
        call = ast.Call(ast.Name(dotted), [], [*arguments, ast.keyword(None, nothing)])
        for finding_of_call in _call(program, api, entry.file, call, dotted, False):
            name = re.search(r"takes no argument '(\w+)'", finding_of_call.message)
            if name is not None and name[1] in keys:
                line = keys[name[1]].line
                yield replace(finding_of_call, line=line, end_line=line)


def _excused(tree: ast.Module) -> frozenset[int]:
    """Return the lines where a failing call is caught, or done for some versions only."""
    lines: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Try):
            caught = {
                getattr(part, "id", getattr(part, "attr", ""))
                for handler in node.handlers
                for part in (ast.walk(handler.type) if handler.type is not None else ())
            }
            bare = any(handler.type is None for handler in node.handlers)
            if bare or caught & CAUGHT:
                last = node.handlers[-1].end_lineno or node.lineno
                lines.update(range(node.lineno, last + 1))
        elif isinstance(node, (ast.If, ast.IfExp)):
            text = ast.unparse(node.test)
            if any(word in text for word in ASKING) or "VERSION" in text:
                lines.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return frozenset(lines)


def _attribute(
    program: CheckedProgram, file: str, node: ast.Attribute, dotted: str, inside: bool
) -> Iterator[Finding]:
    module, _, name = dotted.rpartition(".")
    yield from _lacking(program, file, node.lineno, module, name, inside)


def _imported(program: CheckedProgram, file: str, node: ast.ImportFrom) -> Iterator[Finding]:
    module = node.module or ""
    if program.workspace.module_file(module.partition(".")[0], file) is not None:
        return
    if node.lineno in program.guarded_lines(file):
        return
    for alias in node.names:
        if alias.name != "*":
            inside = node.lineno in program.function_lines(file)
            yield from _lacking(program, file, alias.lineno, module, alias.name, inside)


def _lacking(
    program: CheckedProgram, file: str, line: int, module: str, name: str, inside: bool
) -> Iterator[Finding]:
    """Yield a finding where a module surely has no such name."""
    environment = program.environment
    assert environment is not None
    how = lack(environment, module, name)
    if how is Lack.NONE:
        return
    new = tables()["attributes"].get(module, {}).get(name)
    sure = how is Lack.CERTAIN and not inside
    near = None if new else only_slip(name, set(names_of(environment, module)))
    evidence = [_version(program, module)]
    if new:
        evidence.append(f"It is '{module}.{new}' now.")
    elif near:
        evidence.append(f"It has '{near}'.")
    yield finding(
        ATTRIBUTE, file, line, f"The module '{module}' has no name '{name}'.",
        *filter(None, evidence), certainty=Certainty.SURE if sure else Certainty.LIKELY,
    )  # fmt: skip


def _version(program: CheckedProgram, module: str) -> str:
    environment = program.environment
    top = module.partition(".")[0]
    package = tables()["packages"].get(top, top).lower().replace("_", "-")
    version = environment.distributions.get(package) if environment is not None else None
    return f"Installed is {package} {version}." if version else ""


def _call(
    program: CheckedProgram, api: LibraryApi, file: str, node: ast.Call, dotted: str, inside: bool
) -> Iterator[Finding]:
    assert program.environment is not None
    # Reading definitions is quick and says where nothing is wrong; jedi is asked about the rest.
    called = definition(program.environment, dotted)
    if called is not None:
        for name, text, choices in refused_texts(program.environment, called, node):
            keyword = next(k for k in node.keywords if k.arg == name)
            yield finding(
                CHOICE, file, keyword.value.lineno,
                f"'{dotted}' takes no '{text}' for '{name}'.",
                f"The installed version takes {', '.join(choices) or 'no text'}.",
                certainty=Certainty.LIKELY if inside else Certainty.SURE,
            )  # fmt: skip
    if called is None or may_take(program.environment, called, node) is not False:
        return
    home = module_of(program.environment, called[0])
    if home is None:
        return
    parts = dotted.split(".")
    is_method = len(parts) > 1 and not _stands_alone(called)
    callee = api.callee(".".join([home, *parts[-2 if is_method else -1 : -1], called[1].name]))
    if callee is None or not callee.signatures:
        return
    short = dotted.rpartition(".")[2]
    level = Certainty.SURE if not inside else Certainty.LIKELY
    if not callee.plain:
        level = Certainty.LOOK
    keywords = [k.arg for k in node.keywords]
    for keyword in node.keywords:
        if keyword.arg is None or any(s.takes(keyword.arg) for s in callee.signatures):
            continue
        yield _unknown(callee, file, keyword, dotted, short, level)
    starred = None in keywords or any(isinstance(arg, ast.Starred) for arg in node.args)
    if starred or len(callee.signatures) != 1 or not callee.plain:
        return
    signature = callee.signatures[0]
    most = signature.positions
    if most is not None and len(node.args) > most:
        message = f"'{dotted}' takes at most {most} arguments by position, not {len(node.args)}."
        place = f"The signature: {_shown(callee)}"
        yield finding(ARGUMENT, file, node.lineno, message, place, certainty=Certainty.LIKELY)
        return
    names_given = {p.name for p in signature.parameters[: len(node.args)]} | set(keywords)
    lacking = [name for name in signature.required if name not in names_given]
    if lacking:
        message = f"'{dotted}' is called without '{lacking[0]}', which it requires."
        yield finding(MISSING, file, node.lineno, message, f"The signature: {_shown(callee)}")


def _stands_alone(called: Definition) -> bool:
    """Whether a definition is no method."""
    arguments = getattr(called[1], "args", None)
    first = arguments.args[:1] if arguments is not None else []
    return not first or first[0].arg not in ("self", "cls")


def _unknown(
    callee: Callee, file: str, keyword: ast.keyword, dotted: str, short: str, level: Certainty
) -> Finding:
    assert keyword.arg is not None
    known = {p.name for s in callee.signatures for p in s.parameters}
    renamed = tables()["arguments"].get(short, {}).get(keyword.arg)
    near = renamed if renamed in known else only_slip(keyword.arg, known)
    evidence = [f"It is called '{near}' there."] if near else []
    evidence.append(f"The signature: {_shown(callee)}")
    return finding(
        ARGUMENT, file, keyword.value.lineno, f"'{dotted}' takes no argument '{keyword.arg}'.",
        *evidence, certainty=level,
    )  # fmt: skip


def _shown(callee: Callee) -> str:
    names = []
    for parameter in callee.signatures[0].parameters[:12]:
        star = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}.get(parameter.kind, "")
        names.append(f"{star}{parameter.name}{'=...' if parameter.optional and not star else ''}")
    more = ", ..." if len(callee.signatures[0].parameters) > 12 else ""
    return f"({', '.join(names)}{more})"
