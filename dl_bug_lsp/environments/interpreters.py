"""An interpreter's search path and the modules on it, read from folders; nothing is started.

After the documentation of `site` and PEP 405 (``pyvenv.cfg``); names and versions of distributions
are those of ``*.dist-info`` folders (the packaging specification "Recording installed projects").
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from dl_bug_lsp.data_folder import open_regular

MOST_PTH_BYTES = 200_000
MOST_SITES = 40
EXTENSIONS = (".py", ".pyi", ".so", ".pyd", ".dylib")
_VERSIONED = re.compile(r"python(3\.\d+)")
_DISTRIBUTION = re.compile(r"(?P<name>.+?)-(?P<version>\d[^-]*)(?:-py[\d.]+)?\.(?:dist|egg)-info")
_FOLDERS = (".venv", "venv", "env", ".env")


@dataclass(frozen=True, eq=False)
class Environment:
    """The folders of an interpreter.

    ``version`` is (3, 11), None where it is not known; ``standard`` the folder of the standard
    library; ``sites`` what else is on the search path. ``opaque`` says that a ``.pth`` file runs
    code that may make further modules importable.
    """

    interpreter: Path
    version: tuple[int, int] | None
    standard: Path | None
    sites: tuple[Path, ...]
    mapped: Mapping[str, Path] = field(default_factory=dict)
    opaque: bool = False

    @cached_property
    def distributions(self) -> dict[str, str]:
        """The versions of the installed distributions by their normalised names (PEP 503)."""
        versions: dict[str, str] = {}
        for site in self.sites:
            for name in _names(site):
                match = _DISTRIBUTION.fullmatch(name)
                if match is not None:
                    versions.setdefault(normalised(match["name"]), match["version"])
        return versions

    @cached_property
    def _listed(self) -> dict[Path, frozenset[str]]:
        return {}

    def _holds(self, folder: Path, name: str) -> bool:
        """Say whether a folder holds a module, a package or a part of a namespace package."""
        if folder not in self._listed:
            self._listed[folder] = frozenset(_names(folder))
        names = self._listed[folder]
        if name in names:
            return True
        return any(
            file.partition(".")[0] == name and file.endswith(EXTENSIONS)
            for file in names
            if file.startswith(name)
        )

    @property
    def is_known(self) -> bool:
        """Say whether the environment was read in full, so that what lacks there is missing."""
        return not self.opaque and self.standard is not None and bool(self.sites)

    def has_top(self, name: str) -> bool:
        """Say whether a top-level module can be imported."""
        if name in self.mapped or name in sys.builtin_module_names or name == "__future__":
            return True
        folders = [*self.sites]
        if self.standard is not None:
            folders += [self.standard, self.standard / "lib-dynload"]
        return any(self._holds(folder, name) for folder in folders)

    def module_path(self, dotted: str) -> Path | None:
        """Return the ``.py`` or ``.pyi`` file of a module, None for none that can be read."""
        parts = dotted.split(".")
        if not all(part.isidentifier() for part in parts):
            return None
        bases = [self.mapped[parts[0]].parent] if parts[0] in self.mapped else list(self.sites)
        if self.standard is not None:
            bases.append(self.standard)
        for base in bases:
            stem = base.joinpath(*parts)
            for file in (stem / "__init__.py", stem.with_name(f"{stem.name}.py")):
                if file.is_file():
                    return file
        return None

    def has_submodule(self, dotted: str) -> bool:
        """Say whether a dotted module's file or folder lies where its package does."""
        *above, last = dotted.split(".")
        bases = [self.mapped[above[0]].parent] if above and above[0] in self.mapped else self.sites
        folders = [base.joinpath(*above) for base in bases]
        if self.standard is not None:
            folders.append(self.standard.joinpath(*above))
        return any(self._holds(folder, last) for folder in folders)


def normalised(name: str) -> str:
    """Return a distribution's name as indexes compare it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def excludes(requirement: str, name: str, version: str) -> bool:
    """Say whether a requirement (PEP 508) of a distribution does not allow an installed version.

    False without the extra ``check``, and where one of them cannot be read.
    """
    try:
        from packaging.requirements import InvalidRequirement, Requirement
        from packaging.version import InvalidVersion
    except ImportError:
        return False
    try:
        wanted = Requirement(requirement)
        met = wanted.specifier.contains(version, prereleases=True)
    except (InvalidRequirement, InvalidVersion):
        return False
    return not met and normalised(wanted.name) == normalised(name)


def environment_of(
    written: str | None, folder: Path, variables: Mapping[str, str] | None = None
) -> Environment | None:
    """Return the environment of the interpreter that a command names, None for none.

    ``written`` is the command's first word (``python``, ``.venv/bin/python``), None where there is
    no command: then an activated environment, one that lies in ``folder``, and what ``PATH`` holds
    are tried.
    """
    variables = os.environ if variables is None else variables
    path = _interpreter(written, folder, variables)
    return None if path is None else _read(path)


def _interpreter(written: str | None, folder: Path, variables: Mapping[str, str]) -> Path | None:
    if written and ("/" in written or "\\" in written):
        named = Path(written).expanduser()
        named = named if named.is_absolute() else folder / named
        return named if _is_file(named) else None
    names = ("python", "python3", "Scripts/python.exe")
    wanted: tuple[str, ...] = (written,) if written else names
    active = [variables.get(name) for name in ("VIRTUAL_ENV", "CONDA_PREFIX")]
    prefixes = [Path(value) for value in active if value]
    prefixes += [folder / name for name in _FOLDERS]
    for prefix in prefixes:
        for name in (*wanted, *names):
            for path in (prefix / "bin" / name, prefix / name):
                if _is_file(path):
                    return path
    searched = (shutil.which(name, path=variables.get("PATH")) for name in (*wanted, *names))
    found = next((Path(program) for program in searched if program), None)
    return found and (_behind_shim(found, folder, variables) or found)


def _behind_shim(shim: Path, folder: Path, variables: Mapping[str, str]) -> Path | None:
    """Return the interpreter that a shim of pyenv starts, None for other programs.

    Which one is said by ``PYENV_VERSION``, else by the nearest ``.python-version`` above the
    folder, else by pyenv's own ``version`` file (pyenv, "Understanding Python version selection").
    """
    root = shim.parent.parent
    if shim.parent.name != "shims" or not (root / "versions").is_dir():
        return None
    texts = [variables.get("PYENV_VERSION", "").replace(":", "\n")]
    files = [place / ".python-version" for place in (folder, *folder.parents)]
    texts += [_text(file) for file in (*files, root / "version")]
    chosen = next((text.split() for text in texts if text.strip()), [])
    for version in chosen:
        # A name without its last part stands for the newest of them.
        exact = root / "versions" / version
        like = sorted((root / "versions").glob(f"{version}.*"), key=_numbers, reverse=True)
        for prefix in (exact, *like):
            program = prefix / "bin" / shim.name
            if _is_file(program):
                return program
    return None


def _numbers(path: Path) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", path.name)]


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _read(interpreter: Path) -> Environment:
    prefix = interpreter.parent.parent
    if interpreter.parent.name.lower() not in ("bin", "scripts"):
        prefix = interpreter.parent
    settings = _settings(prefix / "pyvenv.cfg")
    base = _base(interpreter, settings)
    version = _version(prefix, settings, base)
    sites: list[Path] = []
    for root in (prefix, *((base,) if base and _wants_base(settings) else ())):
        sites += _sites(root, version)
    if not settings and version is not None:
        named = "python{}.{}".format(*version)
        sites.append(Path.home() / ".local" / "lib" / named / "site-packages")
    standard = _standard(base or prefix, version)
    ordered = list(dict.fromkeys(site for site in sites if site.is_dir()))
    mapped: dict[str, Path] = {}
    opaque = False
    for site in list(ordered):
        opaque |= _follow(site, ordered, mapped)
    return Environment(
        interpreter, version, standard, tuple(dict.fromkeys(ordered)), mapped, opaque
    )


def _settings(file: Path) -> dict[str, str]:
    """Return the lines ``key = value`` of ``pyvenv.cfg``, nothing where there is none."""
    settings: dict[str, str] = {}
    for line in _text(file).splitlines():
        key, sign, value = line.partition("=")
        if sign:
            settings[key.strip().lower()] = value.strip()
    return settings


def _wants_base(settings: Mapping[str, str]) -> bool:
    return settings.get("include-system-site-packages", "").lower() == "true"


def _base(interpreter: Path, settings: Mapping[str, str]) -> Path | None:
    """Return the prefix of the installation that an environment was made of."""
    if settings.get("home"):
        home = Path(settings["home"])
        return home.parent if home.name.lower() in ("bin", "scripts") else home
    try:
        real = interpreter.resolve()
    except (OSError, RuntimeError):
        return None
    return real.parent.parent if real.parent.name == "bin" else real.parent


def _version(
    prefix: Path, settings: Mapping[str, str], base: Path | None
) -> tuple[int, int] | None:
    version = settings.get("version_info") or settings.get("version") or ""
    match = re.match(r"(3)\.(\d+)", version)
    if match:
        return int(match[1]), int(match[2])
    for root in filter(None, (prefix, base)):
        real = [name for name in _names(root / "lib") if _VERSIONED.fullmatch(name)]
        real = [name for name in real if (root / "lib" / name / "os.py").is_file()] or real
        if len(real) == 1:
            return 3, int(real[0].partition(".")[2])
    return None


def _sites(prefix: Path, version: tuple[int, int] | None) -> list[Path]:
    if version is None:
        return [prefix / "Lib" / "site-packages"]
    named = "python{}.{}".format(*version)
    folders = [prefix / "Lib" / "site-packages"]
    for lib in ("lib", "lib64", "local/lib"):
        folders += [prefix / lib / named / kind for kind in ("site-packages", "dist-packages")]
    folders.append(prefix / "lib" / "python3" / "dist-packages")
    return folders


def _standard(prefix: Path, version: tuple[int, int] | None) -> Path | None:
    folders = [prefix / "Lib"]
    if version is not None:
        folders.append(prefix / "lib" / "python{}.{}".format(*version))
    return next((folder for folder in folders if (folder / "os.py").is_file()), None)


def _follow(site: Path, sites: list[Path], mapped: dict[str, Path]) -> bool:
    """Take in the ``.pth`` files of a folder; say whether one of them does what is not known."""
    opaque = False
    for name in sorted(_names(site)):
        if not name.endswith(".pth"):
            continue
        for line in _text(site / name).splitlines():
            if line.startswith(("import ", "import\t")):
                opaque |= not _is_harmless(site, name, line, mapped)
            elif line.strip() and not line.startswith("#") and len(sites) < MOST_SITES:
                folder = site / line.strip()
                if folder.is_dir():
                    sites.append(folder)
    return opaque


def _is_harmless(site: Path, name: str, line: str, mapped: dict[str, Path]) -> bool:
    """Take in the packages of an editable installation; say whether the line was understood."""
    finder = re.match(r"import (__editable___\w+_finder)", line)
    if finder is None:
        known = ("distutils-precedence.pth", "_virtualenv.pth", "a1_coverage.pth")
        return name in known or name.endswith("-nspkg.pth") or "coverage" in name
    try:
        tree = ast.parse(_text(site / f"{finder[1]}.py"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    for node in tree.body:
        target = getattr(node, "target", None)
        if isinstance(node, ast.AnnAssign) and getattr(target, "id", "") == "MAPPING":
            try:
                table = ast.literal_eval(node.value) if node.value is not None else {}
            except (ValueError, TypeError, RecursionError):
                return False
            mapped.update({str(key): Path(str(value)) for key, value in table.items()})
            return True
    return False


def _names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208
    except (OSError, ValueError):
        return []


def _text(file: Path) -> str:
    try:
        with open_regular(file) as opened:
            return opened.read(MOST_PTH_BYTES).decode("utf-8", "replace")
    except (OSError, ValueError):
        return ""
