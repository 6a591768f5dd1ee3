"""Which package may import which, and what no package does: the rules of the code, checked."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import dl_bug_lsp
from dl_bug_lsp.checks.checking import PARTS

ROOT = Path(dl_bug_lsp.__file__).resolve().parent
MODULES = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.py"))

ARCHITECTURE = (ROOT.parent / "ARCHITECTURE.md").read_text(encoding="utf-8")
NAMED = re.compile(r"`((?:[\w-]+/)*(?:[\w.-]+\.(?:py|json|toml|css|js))|(?:[\w-]+/)+)`")
"""A file or a folder that a page names."""

MIDDLE = (
    *("cancellation", "logs", "tracebacks", "messages", "taxonomy", "signals", "workspace"),
    *("provenance", "interpretation", "post_mortem"),
)
MAY_IMPORT: dict[str, tuple[str, ...]] = {
    "__init__": (),
    "__main__": ("cli",),
    "cancellation": (),
    "data_folder": (),
    "databases": ("data_folder",),
    "logs": ("cancellation",),
    "tracebacks": ("logs", "cancellation"),
    "divergence": ("logs", "tracebacks", "report", "cancellation"),
    "messages": ("logs", "tracebacks"),
    "taxonomy": ("logs", "tracebacks", "messages", "report"),
    "signals": ("cancellation", "logs", "tracebacks", "messages", "taxonomy", "report"),
    "report": ("logs",),
    "bug_reports": ("logs", "tracebacks", "messages", "taxonomy", "signals", "report"),
    "workspace": ("cancellation", "data_folder", "databases"),
    "settings": ("report", "workspace"),
    "bootstrap": ("recording", "monitoring", "post_mortem"),
    "python_path": (),
    "post_mortem": ("data_folder", "python_path", "provenance"),
    "runs": ("data_folder", "python_path"),
    "recording": (
        *("python_path", "data_folder", "databases", "workspace", "spectrum", "localize", "report"),
        *("cancellation", "post_mortem"),
    ),
    "monitoring": ("python_path", "data_folder", "databases", "spectrum", "runs"),
    "watching": ("logs", "tracebacks", "runs", "data_folder"),
    "retrieval": ("workspace",),
    "spectrum": ("logs", "tracebacks"),
    "provenance": ("workspace", "cancellation"),
    "interpretation": ("workspace", "cancellation", "provenance", "post_mortem"),
    "evidence": (
        *MIDDLE,
        *("divergence", "spectrum", "report", "bug_reports", "retrieval", "monitoring"),
        "environments",
    ),
    "ranking": (*MIDDLE, "spectrum", "evidence", "report", "bug_reports", "retrieval"),
    "localize": (
        *MIDDLE,
        *("divergence", "spectrum", "evidence", "ranking", "report", "bug_reports", "monitoring"),
        "environments",
    ),
    "techniques": (
        *MIDDLE,
        *("retrieval", "evidence", "ranking", "report", "bug_reports", "localize"),
    ),
    "triage": (
        *("data_folder", "logs", "tracebacks", "messages", "signals", "taxonomy", "workspace"),
        *("report", "localize", "views", "__version__"),
    ),
    "fixes": ("logs", "tracebacks", "messages", "workspace", "report"),
    "environments": ("data_folder",),
    "checks": (*MIDDLE, "environments", "fixes", "evidence", "localize", "report"),
    "views": (
        *("tracebacks", "messages", "taxonomy", "report", "checks", "spectrum", "monitoring"),
        "__version__",
    ),
    "assistants": (
        *("cancellation", "logs", "tracebacks", "messages", "taxonomy", "workspace", "provenance"),
        *("report", "views", "data_folder", "signals"),
    ),
    "server": (
        *("logs", "tracebacks", "fixes", "cancellation", "settings"),
        *("localize", "taxonomy", "workspace", "report", "views", "watching", "runs"),
        *("recording", "monitoring", "spectrum", "data_folder", "assistants", "triage", "checks"),
        "post_mortem",
        "__version__",
    ),
    "mcp_server": (
        *("assistants", "data_folder", "localize", "report", "settings", "taxonomy", "views"),
        *("workspace", "server", "checks", "triage"),
        "__version__",
    ),
    "cli": (
        *(
            "assistants",
            "mcp_server",
            "data_folder",
            "python_path",
            "localize",
            "settings",
            "divergence",
            "techniques",
            "taxonomy",
            "workspace",
            "report",
            "views",
            "watching",
            "runs",
            "recording",
            "monitoring",
            "post_mortem",
            "spectrum",
            "triage",
            "logs",
            "server",
            "checks",
        ),
        "__version__",
    ),
}
"""What each package or module directly below `dl_bug_lsp` may import of the others."""
LIBRARIES = {
    "anyio": {"mcp_server"},
    "cattrs": {"server"},
    "coverage": {"recording"},
    "dask": {"triage"},
    "distributed": {"triage"},
    "fsspec": {"triage"},
    "jedi": {"environments"},
    "lsprotocol": {"server"},
    "mcp": {"mcp_server"},
    "mcp_types": {"mcp_server"},
    "numpy": {
        *("retrieval", "evidence", "ranking", "spectrum", "techniques", "triage", "monitoring")
    },
    "packaging": {"environments"},
    "pathspec": {"workspace"},
    "pyarrow": {"triage"},
    "pygls": {"server"},
    "pytest": {"recording"},
    "rank_bm25": {"retrieval"},
    "scipy": {"retrieval"},
    "snowballstemmer": {"retrieval"},
    "websockets": {"server"},
    "tomli": {"workspace", "taxonomy", "fixes"},
    "tomllib": {"workspace", "taxonomy", "fixes"},
    "watchdog": {"watching"},
    "yaml": {"workspace"},
    "keras": {"monitoring"},
    "lightning": {"monitoring"},
    "tensorflow": {"monitoring"},
    "torch": {"monitoring"},
    "transformers": {"monitoring"},
}
"""Which packages may import a library, mostly one each, so that it can be replaced."""
ON_DISK = {
    "bootstrap",
    "python_path",
    "data_folder",
    "databases",
    "environments",
    "workspace",
    "monitoring",
    "post_mortem",
    "recording",
    "runs",
    "triage",
    "watching",
    "server",
    "mcp_server",
    "cli",
}
"""The packages that read or write files, apart from data files of `dl_bug_lsp`."""

DISK_CALLS = {
    "open",
    "read_text",
    "read_bytes",
    "write_text",
    "write_bytes",
    "iterdir",
    "scandir",
    "listdir",
    "glob",
    "rglob",
    "stat",
    "exists",
    "is_file",
    "is_dir",
    "mkdir",
    "unlink",
    "touch",
    "getcwd",
}
DISK_MODULES = {"os", "io", "pathlib", "shutil", "tempfile", "glob", "fileinput", "mmap", "sqlite3"}
PURE_PATHS = {"PurePath", "PurePosixPath", "PureWindowsPath"}
RUNS_CODE = {"eval", "exec", "compile", "__import__", "import_module", "run_path", "run_module"}
UNSAFE_MODULES = {
    "pickle",
    "cPickle",
    "dill",
    "marshal",
    "shelve",
    "runpy",
    "code",
    "subprocess",
    "multiprocessing",
    "socket",
    "http",
    "ftplib",
    "requests",
    "joblib",
}
ASKS_GIT = "workspace/git.py"
"""The only module that starts a program: ``git``, to read (tests/workspace/test_versions.py)."""
RUNS_THE_USERS_COMMAND = "runs/starting.py"
"""Starts what its user typed after ``dl-bug-lsp run --``, which is no thing that it read."""
UNSAFE_NAMES = {"unsafe_load", "full_load", "UnsafeLoader", "FullLoader", "urlopen"}
HEAVY = (
    "numpy",
    "scipy",
    "pandas",
    "sklearn",
    "rank_bm25",
    "snowballstemmer",
    "jedi",
    "pygls",
    "lsprotocol",
    "torch",
    "asyncio",
    "dask",
    "distributed",
    "fsspec",
    "pyarrow",
)


LISTENS = (
    "server/transports.py",
    "mcp_server/bridge.py",
    "mcp_server/beside_editor.py",
)
"""The modules that open a socket: where the user asked the server to listen, or to go to it."""


def rows_of(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the rows of the tables of a page, each with the heading of its table."""
    for table in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        head, _, *rows = table.splitlines()
        for row in rows:
            yield head, [cell.strip() for cell in row.strip("|").split(" | ")]


def package_of(module: str) -> str:
    return module.partition("/")[0].removesuffix(".py")


@cache
def tree_of(module: str) -> ast.Module:
    return ast.parse((ROOT / module).read_text(encoding="utf-8"))


@cache
def nodes_of(module: str) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(tree_of(module)))


@pytest.fixture(scope="module", autouse=True)
def forgotten() -> Iterator[None]:
    """Let the trees go at the end: they are millions of objects, which slow down what follows."""
    yield
    nodes_of.cache_clear()
    tree_of.cache_clear()


def modules_of(package: str) -> list[str]:
    return [module for module in MODULES if package_of(module) == package]


@cache
def imports(module: str) -> list[tuple[int, str]]:
    """Return the line and the absolute dotted name of everything a module imports."""
    found: list[tuple[int, str]] = []
    for node in nodes_of(module):
        if isinstance(node, ast.Import):
            found.extend((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}:{node.lineno} imports relatively"
            assert node.module is not None
            found.extend((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)
    return found


def all_imports(package: str) -> Iterator[tuple[str, int, str]]:
    """Yield the module, the line and the name of everything a package imports."""
    for module in modules_of(package):
        yield from ((module, line, name) for line, name in imports(module))


def calls(package: str) -> Iterator[tuple[str, str, ast.Call]]:
    """Yield the place, the callee's last name, and every call of a package."""
    for module in modules_of(package):
        for node in nodes_of(module):
            if isinstance(node, ast.Call):
                func = node.func
                name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
                yield f"{module}:{node.lineno}", name, node


def test_every_package_has_a_row() -> None:
    assert {package_of(module) for module in MODULES} == MAY_IMPORT.keys()


def test_tests_lie_in_folders_named_as_the_packages() -> None:
    tests = Path(__file__).parent
    folders = {path.parent.name for path in tests.glob("*/test_*.py")}
    packages = {module.partition("/")[0] for module in MODULES if "/" in module}
    assert folders - {package_of(module) for module in MODULES} == {
        "benchmarks",
        "editors",
        "pasted",
    }
    assert packages - folders == {"bootstrap"}


def test_the_table_has_no_circle() -> None:
    seen: dict[str, int] = {}

    def depth(package: str, below: tuple[str, ...]) -> int:
        assert package not in below, f"{package} imports itself by way of {below}"
        if package not in seen:
            allowed = MAY_IMPORT.get(package, ())
            seen[package] = 1 + max((depth(r, (*below, package)) for r in allowed), default=0)
        return seen[package]

    assert all(depth(package, ()) for package in MAY_IMPORT)


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_packages_import_only_what_comes_before_them(package: str) -> None:
    wrong = []
    for module, line, name in all_imports(package):
        top, _, rest = name.partition(".")
        if top == "dl_bug_lsp":
            target = rest.partition(".")[0]
            if target not in {package, *MAY_IMPORT[package]}:
                wrong.append(f"{module}:{line} imports {name}")
        elif top in LIBRARIES and package not in LIBRARIES[top]:
            wrong.append(f"{module}:{line} imports {name}")
        elif top not in LIBRARIES and top not in sys.stdlib_module_names:
            wrong.append(f"{module}:{line} imports {name}, which no row allows")
    assert wrong == []


def layers_of(package: str) -> dict[str, int]:
    """Return the layer of each module of a package, as ARCHITECTURE.md numbers them."""
    heading = f"| layer | modules of `{package}/` | contents |"
    rows = [cells for head, cells in rows_of(ARCHITECTURE) if head == heading]
    return {
        name.removesuffix(".py"): int(layer)
        for layer, names, _ in rows
        for name in NAMED.findall(names)
        if name.endswith(".py")
    }


@pytest.mark.parametrize("package", ["provenance", "server"])
def test_modules_import_only_from_their_layer_and_those_with_a_smaller_number(package: str) -> None:
    layers = layers_of(package)
    names = {package_of(module.partition("/")[2]) for module in modules_of(package)}
    assert layers.keys() == names - {"__init__"}
    wrong = []
    for module in modules_of(package):
        own = layers.get(package_of(module.partition("/")[2]))
        # A module of `provenance` asks those of later layers by way of the engine.
        top, everything = loaded_with(module), (name for _, name in imports(module))
        for name in top if package == "provenance" else everything:
            part = name.removeprefix(f"dl_bug_lsp.{package}.").partition(".")[0]
            if own is not None and part != name and layers.get(part, 0) > own:
                wrong.append(f"{module} imports {name}")
    assert wrong == []


def loaded_with(module: str) -> Iterator[str]:
    """Yield the modules of ours that a module's own statements import while it is loaded."""
    for node in tree_of(module).body:
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                yield name if name in DOTTED else node.module


def dotted(module: str) -> str:
    return f"dl_bug_lsp.{module.removesuffix('.py').replace('/', '.')}".removesuffix(".__init__")


DOTTED = {dotted(module): module for module in MODULES}


def test_no_modules_import_each_other() -> None:
    loads = {name: {n for n in loaded_with(file) if n in DOTTED} for name, file in DOTTED.items()}
    circles = set(loads)
    while loose := {name for name in circles if not loads[name] & circles}:
        circles -= loose
    while loose := {n for n in circles if not any(n in loads[m] for m in circles)}:
        circles -= loose
    assert sorted(circles) == []


def files_in(head: str, cells: list[str]) -> Iterator[str]:
    """Yield the files of the package that a row names.

    Names are relative to the package, to the folder in the heading, to the one with which the row
    begins, or to the one that was named last in the same cell.
    """
    outer = [name for name in NAMED.findall(head) if name.endswith("/")]
    inner = [name for name in NAMED.findall(cells[0])[:1] if name.endswith("/")]
    for cell in cells:
        last = ""
        for name in NAMED.findall(cell):
            if name.endswith("/"):
                last = name
                continue
            bases = ["", *outer, *inner, *(f"{a}{b}" for a in outer for b in inner)]
            places = [f"{base}{name}" for base in bases]
            places += [f"{base}{last}{name}" for base in bases if last]
            yield from (place for place in places if (ROOT / place).is_file())


def test_every_file_is_in_a_table() -> None:
    named = {file for head, cells in rows_of(ARCHITECTURE) for file in files_in(head, cells)}
    inside = {path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*") if path.is_file()}
    kept = {file for file in inside if file.endswith((".py", ".json", ".toml", ".css", ".js"))}
    unnamed = {file for file in kept - named if not file.endswith(("__init__.py", "__main__.py"))}
    assert unnamed == set()


def test_the_main_imports_of_the_table_are_imports() -> None:
    heading = "| package | contents | main imports; exact list: `MAY_IMPORT` |"
    rows = [cells for head, cells in rows_of(ARCHITECTURE) if head == heading]
    told = {package_of(NAMED.findall(row[0])[0]): row[-1].split(", ") for row in rows}
    assert told.keys() == MAY_IMPORT.keys() - {"__init__", "__main__"}
    nothing = {name for name, main in told.items() if main == ["–"]}
    assert nothing == {name for name in told if not MAY_IMPORT[name]}
    wrong = {
        (name, main)
        for name in told.keys() - nothing
        for main in {*told[name]} - {*MAY_IMPORT[name]}
    }
    assert wrong == set()


def test_the_checks_are_in_the_rows_of_their_modules() -> None:
    rows = [c for head, c in rows_of(ARCHITECTURE) if head.startswith("| module of `checks/`")]
    told = {
        name: {*re.findall(r"`([a-z]+(?:-[a-z]+)*)`", cells[1])}
        for cells in rows
        for name in NAMED.findall(cells[0])
    }
    for part in PARTS:
        name = f"{part.__name__.rpartition('.')[2]}.py"
        assert {check.id for check in part.CHECKS} == told[name], name


UNTRAINED = {
    "evidence/repairs/library_names.json",
    "mcp_server/report.schema.json",
    "provenance/properties.json",
}


def test_all_trained_weights_are_told() -> None:
    told = ARCHITECTURE.partition("- Trained weights are readable data")[2].partition("\n\n")[0]
    inside = {path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.json")}
    assert {*NAMED.findall(told)} == inside - UNTRAINED


DOCUMENTS = ("ARCHITECTURE.md", "CONTRIBUTING.md", "docs/threat_model.md")
PLACE = re.compile(r"`([\w./-]+\.(?:py|toml|json)|(?:[\w-]+/)+)`")


@pytest.mark.parametrize("document", DOCUMENTS)
def test_files_that_documents_name_exist(document: str) -> None:
    top = ROOT.parent
    inside = [f"/{path.relative_to(ROOT).as_posix()}" for path in ROOT.rglob("*")]
    text = (top / document).read_text(encoding="utf-8")
    missing = [
        place
        for place in PLACE.findall(text)
        if not (top / place).exists()
        and not any(name.endswith(f"/{place.rstrip('/')}") for name in inside)
    ]
    assert missing == []


def ships_with_the_package(call: ast.Call) -> bool:
    """Whether a call reads a data file of the package through ``importlib.resources.files``."""
    inner: ast.expr = call
    while isinstance(inner, (ast.Call, ast.Attribute)):
        if isinstance(inner, ast.Call):
            named = getattr(inner.func, "attr", getattr(inner.func, "id", ""))
            if named == "files":
                package = inner.args[0]
                return isinstance(package, ast.Constant) and str(package.value).startswith(
                    "dl_bug_lsp"
                )
            inner = inner.func
        else:
            inner = inner.value
    return False


@pytest.mark.parametrize("package", sorted(MAY_IMPORT.keys() - ON_DISK))
def test_only_some_packages_touch_the_disk(package: str) -> None:
    wrong = [
        f"{place} calls {name}"
        for place, name, call in calls(package)
        if name in DISK_CALLS and not ships_with_the_package(call)
    ]
    for module, line, name in all_imports(package):
        top, _, member = name.partition(".")
        if top in DISK_MODULES and member not in PURE_PATHS:
            wrong.append(f"{module}:{line} imports {name}")
    assert wrong == []


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_nothing_runs_what_it_reads(package: str) -> None:
    wrong = [
        f"{module}:{line} imports {name}"
        for module, line, name in all_imports(package)
        if name.partition(".")[0] in UNSAFE_MODULES or name.rpartition(".")[2] in UNSAFE_NAMES
        if (module, name) != (ASKS_GIT, "subprocess")
        if (module, name) != (RUNS_THE_USERS_COMMAND, "subprocess")
        if module not in LISTENS or name != "socket"
    ]
    for place, name, call in calls(package):
        of_re = isinstance(call.func, ast.Attribute) and ast.unparse(call.func) == "re.compile"
        if name in UNSAFE_NAMES or (name in RUNS_CODE and not of_re):
            wrong.append(f"{place} calls {name}")
    wrong.extend(
        f"{module}:{node.lineno} names {node.attr}"
        for module in modules_of(package)
        for node in nodes_of(module)
        if isinstance(node, ast.Attribute) and node.attr in UNSAFE_NAMES
    )
    assert wrong == []


Definition = ast.FunctionDef | ast.AsyncFunctionDef


def errors_of(function: Definition) -> set[str]:
    """Return the names of the errors that a function's own statements raise."""
    found = set()
    left: list[ast.AST] = list(function.body)
    while left:
        node = left.pop()
        if isinstance(node, (*DEFINITIONS, ast.Lambda, ast.ClassDef)):
            continue
        if isinstance(node, ast.Raise) and node.exc is not None:
            error = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            found.add(ast.unparse(error).rpartition(".")[2])
        left.extend(ast.iter_child_nodes(node))
    return found


DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def public_functions(body: list[ast.stmt], around: str = "") -> Iterator[tuple[Definition, str]]:
    """Yield public functions and methods, each with its docstring and that of its class."""
    for node in body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from public_functions(node.body, ast.get_docstring(node) or "")
        elif isinstance(node, DEFINITIONS) and not node.name.startswith("_"):
            yield node, f"{ast.get_docstring(node)} {around}"


@pytest.mark.parametrize("package", sorted(MAY_IMPORT.keys() - {"interpretation"}))
def test_docstrings_name_the_errors_that_functions_raise(package: str) -> None:
    # What `interpretation` raises is what the interpreted program raises.
    missing = []
    for module in modules_of(package):
        for function, docstring in public_functions(tree_of(module).body):
            errors = {name for name in errors_of(function) if not name.startswith("_")}
            missing += [
                f"{module}:{function.lineno} {function.name} raises {error}"
                for error in errors
                if error not in docstring
            ]
    assert missing == []


@pytest.mark.parametrize("module", ["dl_bug_lsp.localize", "dl_bug_lsp.cli.main"])
def test_importing_the_middle_is_light(module: str) -> None:
    show = f"import sys, {module}; print(*[m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", show], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.split() == []


def test_the_command_line_does_not_load_the_server_to_localize(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1 / 0\n")
    show = (
        "import sys; from dl_bug_lsp.cli.main import main\n"
        "code = main(['localize', '-', '--workspace', sys.argv[1]])\n"
        "print(code, *[m for m in ('pygls', 'lsprotocol') if m in sys.modules])"
    )
    log = 'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\n    x = 1 / 0\n'
    done = subprocess.run(
        [sys.executable, "-c", show, str(tmp_path)],
        input=log + "ZeroDivisionError: division by zero\n",
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout.splitlines()[-1] == "0"
