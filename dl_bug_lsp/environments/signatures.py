"""What an installed function or class takes, told by jedi from sources and stubs.

Nothing of the environment is imported: jedi is given a search path without compiled modules that it
could load, and its cache of parsed files lies in a folder that goes with the process. The answers
are kept as JSON beside the user's other caches, one file for each state of an environment.
"""

from __future__ import annotations

import ast
import atexit
import contextlib
import hashlib
import json
import os
import sys
import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dl_bug_lsp.environments.interpreters import Environment
from dl_bug_lsp.environments.members import parsed

MOST_ASKED = 400
"""Names that jedi is asked of in one check: each may take a second the first time."""
MOST_KEPT = 20_000
HARMLESS = frozenset(
    ("staticmethod", "classmethod", "dataclass", "overload", "abstractmethod", "property",
     "no_grad", "inference_mode", "tf_export", "keras_export", "set_module", "final",
     "runtime_checkable", "compatibility", "override", "cache", "lru_cache", "wraps",
     "array_function_dispatch", "set_array_function_like_doc", "doc", "Appender", "Substitution",
     "add_start_docstrings", "add_end_docstrings", "auto_docstring", "requires", "export",
     "_defaults_from_env_vars", "deprecated", "total_ordering", "dispatch", "jit", "custom_jvp")
)  # fmt: skip
"""Decorators that hand all arguments on as they are."""
VARIADIC = ("VAR_POSITIONAL", "VAR_KEYWORD")


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter: its name, its kind as `inspect` names it, whether it may be left out."""

    name: str
    kind: str
    optional: bool


@dataclass(frozen=True, slots=True)
class Signature:
    """The parameters of one overload, without ``self``."""

    parameters: tuple[Parameter, ...]

    def takes(self, keyword: str) -> bool:
        """Whether an argument of a name can be given."""
        return any(
            p.kind == "VAR_KEYWORD"
            or (p.name == keyword and p.kind not in ("POSITIONAL_ONLY", "VAR_POSITIONAL"))
            for p in self.parameters
        )

    @property
    def positions(self) -> int | None:
        """How many arguments can be given by position, None for any number."""
        if any(p.kind == "VAR_POSITIONAL" for p in self.parameters):
            return None
        kinds = ("POSITIONAL_ONLY", "POSITIONAL_OR_KEYWORD")
        return sum(p.kind in kinds for p in self.parameters)

    @property
    def required(self) -> tuple[str, ...]:
        """The parameters that must be given."""
        return tuple(p.name for p in self.parameters if not p.optional and p.kind not in VARIADIC)


@dataclass(frozen=True, slots=True)
class Callee:
    """What a library's callable takes.

    ``plain`` says that nothing between the call and the definition may change the arguments;
    ``place`` is its file and line.
    """

    signatures: tuple[Signature, ...]
    plain: bool
    place: str


def is_available() -> bool:
    """Whether the extra ``check`` is installed."""
    import importlib.util

    return importlib.util.find_spec("jedi") is not None


class LibraryApi:
    """Answers of one environment, remembered on disk; not to be used from an event loop."""

    def __init__(self, environment: Environment, keep: bool = True) -> None:
        self._environment = environment
        self._file = _cache_file(environment) if keep else None
        self._kept: dict[str, Any] = _load(self._file)
        self._asked = 0
        self._project: Any = None

    def callee(self, dotted: str) -> Callee | None:
        """Return what something of a library takes, None where that is not known.

        Raises `RuntimeError` on the thread of an event loop: an answer may take a second.
        """
        if _on_event_loop():
            raise RuntimeError("libraries are not asked on the thread of an event loop")
        if dotted not in self._kept:
            if self._asked >= MOST_ASKED:
                return None
            self._asked += 1
            self._kept[dotted] = self._ask(dotted)
        return _callee(self._kept[dotted])

    def save(self) -> None:
        """Write the answers of this run to the cache."""
        if self._file is None or not self._asked or len(self._kept) > MOST_KEPT:
            return
        with contextlib.suppress(OSError):
            self._file.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=self._file.parent, suffix=".json")
            with os.fdopen(handle, "w", encoding="utf-8") as opened:
                json.dump(self._kept, opened)
            Path(name).replace(self._file)

    def _ask(self, dotted: str) -> Any:
        """Return what jedi says, as JSON values; None where it says nothing certain."""
        module, rest = self._split(dotted)
        if not module or not rest:
            return None
        try:
            return self._answer(module, rest)
        except Exception:
            # jedi stumbles over odd sources in many ways; then nothing is known.
            return None

    def _split(self, dotted: str) -> tuple[str, str]:
        """Return the longest module in front of a dotted name, and what is left of it."""
        parts = dotted.split(".")
        for end in range(len(parts) - 1, 0, -1):
            module = ".".join(parts[:end])
            if self._environment.module_path(module) is not None:
                return module, ".".join(parts[end:])
        return "", dotted

    def _answer(self, module: str, rest: str) -> Any:
        import jedi

        if self._project is None:
            self._project = _project(self._environment)
        source = f"import {module} as library\nlibrary.{rest}("
        script = jedi.Script(
            source, path=None, project=self._project, environment=_static_environment()
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            signatures = script.get_signatures(2, len(f"library.{rest}("))
            names = script.infer(2, len(f"library.{rest}") - 1)
        rows, plain, place = [], len(names) == 1 and bool(signatures), ""
        for name in names:
            if name.module_path is None or name.line is None:
                return None
            place = f"{name.module_path}:{name.line}"
            plain &= name.module_path.suffix == ".py" and _is_plain(
                Path(name.module_path), name.line
            )
        for signature in signatures:
            row = []
            for parameter in signature.params:
                text = parameter.to_string()
                kind = parameter.kind.name
                row.append([parameter.name, kind, "=" in text or kind in VARIADIC])
            rows.append(row)
        return {"signatures": rows, "plain": plain, "place": place} if rows else None


def _on_event_loop() -> bool:
    # Who runs a loop has imported asyncio; a command line need not.
    asyncio = sys.modules.get("asyncio")
    try:
        return asyncio is not None and asyncio.get_running_loop() is not None
    except RuntimeError:
        return False


def _callee(stored: Any) -> Callee | None:
    try:
        if not stored:
            return None
        rows = tuple(
            Signature(tuple(Parameter(str(n), str(k), bool(o)) for n, k, o in row))
            for row in stored["signatures"]
        )
        return Callee(rows, bool(stored["plain"]), str(stored["place"]))
    except (KeyError, TypeError, ValueError):
        return None


def _is_plain(path: Path, line: int) -> bool:
    """Whether a definition has no decorator, metaclass or ``__new__`` that may change arguments."""
    tree = parsed(path)
    for node in ast.walk(tree[0]) if tree is not None else ():
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        if node.lineno != line:
            continue
        if not all(_name(d) in HARMLESS for d in node.decorator_list):
            return False
        if isinstance(node, ast.ClassDef):
            if any(k.arg == "metaclass" and "ABC" not in _name(k.value) for k in node.keywords):
                return False
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef):
                    if inner.name == "__new__":
                        return False
                    if inner.name == "__init__" and not all(
                        _name(d) in HARMLESS for d in inner.decorator_list
                    ):
                        return False
        return True
    return False


def _name(node: ast.expr) -> str:
    while isinstance(node, ast.Call):
        node = node.func
    return getattr(node, "attr", getattr(node, "id", ""))


def _project(environment: Environment) -> Any:
    import jedi
    from jedi import settings

    folder = tempfile.TemporaryDirectory(prefix="dl-bug-jedi-")
    atexit.register(folder.cleanup)
    settings.cache_directory = folder.name
    path = [str(site) for site in environment.sites]
    if environment.standard is not None:
        path.append(str(environment.standard))
    return jedi.Project(folder.name, sys_path=path, smart_sys_path=False)


def _static_environment() -> Any:
    """Return an environment of jedi's from which no compiled module can be loaded."""
    from jedi.api.environment import InterpreterEnvironment

    class StaticEnvironment(InterpreterEnvironment):  # type: ignore[misc, unused-ignore]
        def get_sys_path(self) -> list[str]:
            return []

    return StaticEnvironment()


def _cache_file(environment: Environment) -> Path | None:
    state = repr((str(environment.interpreter), sorted(environment.distributions.items())))
    name = hashlib.sha256(state.encode("utf-8", "surrogatepass")).hexdigest()[:24]
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA")
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "dl-bug-lsp" / "signatures" / f"{name}.json" if base else None


def _load(file: Path | None) -> dict[str, Any]:
    if file is None:
        return {}
    try:
        if not file.is_file() or file.stat().st_size > 50_000_000:
            return {}
        document = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}
