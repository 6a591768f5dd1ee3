"""Rules about what surrounds the code: requirements, search paths, launch scripts and encodings.

Also options of a command line whose values stay text, and options that a broken line cuts off.

Libraries read their environment variables when they start or first reach a device, far from where
these are set, and many messages do not name the variable.
Sources: PyTorch ("CUDA semantics", "Memory management"; ``CUDAAllocatorConfig.cpp``; "torch
environment variables"), XLA (``parse_flags_from_env.cc``), JAX ("Configuration options"), Keras
("Configuring your backend"), OpenMP ("Environment Variables"), NCCL ("Environment Variables"),
Hugging Face Hub ("Environment variables"), MuJoCo (``dm_control``), Python ("Command line and
environment"), ld.so(8).

A shell hands only exported variables to the programs that it starts (POSIX, "Shell Command
Language", 2.12 and ``export``); make does so with ``export`` alone (GNU make, "Communicating
Variables to a Sub-make"); an ``ARG`` of a Dockerfile is gone in a container (Docker, "Dockerfile
reference").

Packages may exist twice: `lightning` and `pytorch_lightning` hold the same classes, each its own;
an object of one is refused by the other, with a message that names a class which the object seems
to have. Sources: Lightning's "2.0 migration guide", Keras' "Getting started" (Keras 2 as
`tf_keras`), Gymnasium's "Migration guide", Pydantic's "Migration guide" (`pydantic.v1`).
"""

from __future__ import annotations

import ast
import codecs
import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.domain_rules.syntax import calls_in, keyword, near_files
from dl_bug_lsp.evidence.word_index import nearness
from dl_bug_lsp.messages import FactKind
from dl_bug_lsp.provenance.scopes import called_name

IMPORT_NAMES = {
    "cv2": "opencv-python",
    "PIL": "pillow",
    "yaml": "pyyaml",
    "sklearn": "scikit-learn",
    "skimage": "scikit-image",
    "bs4": "beautifulsoup4",
    "dotenv": "python-dotenv",
    "attr": "attrs",
    "google": "protobuf",
    "pytorch_lightning": "pytorch-lightning",
    "torch_geometric": "torch-geometric",
    "tensorflow_addons": "tensorflow-addons",
    "ruamel": "ruamel.yaml",
    "git": "gitpython",
    "Levenshtein": "python-Levenshtein",
    "hydra": "hydra-core",
    "umap": "umap-learn",
    "faiss": "faiss-cpu",
}
SEARCH_PATHS = {"PYTHONPATH", "LD_LIBRARY_PATH", "PATH", "CONDA_PREFIX", "VIRTUAL_ENV"}
TEXT_FILES = {
    "open",
    "read_csv",
    "to_csv",
    "read_text",
    "write_text",
    "read_json",
    "to_json",
    "read_table",
    "loadtxt",
    "genfromtxt",
    "savetxt",
    "encode",
    "decode",
}


def find_environment(case: Case) -> Iterator[Clue]:
    """Yield the places outside the failing code that make or mend its surroundings."""
    if case.category.id in {"library_not_found", "version_conflict"}:
        for module in sorted(_modules(case)):
            yield from _requirements(case, module)
            if case.workspace.module_file(module) or _folder(case, module):
                yield from _search_path(case, module)
    elif case.category.id == "unexpected_encoding":
        yield from _encodings(case)


def _modules(case: Case) -> set[str]:
    modules = {
        str(f.value)
        for kind in (FactKind.MODULE, FactKind.REQUIREMENT)
        for f in case.facts.of(kind)
        if isinstance(f.value, str)
    }
    return {name for name in modules if name and len(name) < 100}


def _folder(case: Case, module: str) -> bool:
    """Whether a folder or file of the module's name stands anywhere in the workspace."""
    top = module.partition(".")[0]
    return any(
        f"/{top}/" in f"/{file}" or f"/{file}".endswith(f"/{top}.py")
        for file in case.workspace.files()
    )


def _plain(name: str) -> str:
    return name.lower().replace("_", "-").replace(".", "-")


def _plain_name(requirement: str) -> str:
    """Return a requirement without its version: ``tokenizers`` of ``tokenizers==0.23``."""
    return re.split(r"[=<>!~;\s\[]", requirement, maxsplit=1)[0]


def _requirements(case: Case, module: str) -> Iterator[Clue]:
    top = module.partition(".")[0]
    names = {_plain(top), _plain(IMPORT_NAMES.get(top, top))}
    declared = case.workspace.dependencies()
    for entry in declared:
        name = _plain(entry.key)
        if name not in names:
            likeness = max(nearness(name, module_name) for module_name in names)
            prefix = any(module_name.startswith(name + "-") for module_name in names)
            score = max(likeness, 0.8 if prefix else 0.0)
            if score > 0:
                why = f"`{_plain_name(module)}` is not declared; `{entry.key}` is the nearest"
                yield Clue("rules.requirement_near", entry.file, entry.line, score, why)
    if declared and not any(_plain(e.key) in names for e in declared):
        files = sorted({e.file for e in declared})
        for file in files:
            lines = [e.line for e in declared if e.file == file]
            why = f"`{_plain_name(module)}` is missing from this list"
            yield Clue("rules.requirement_missing", file, min(lines), 1.0, why)
            yield Clue("rules.requirement_missing", file, max(lines), 0.9, why)


def _search_path(case: Case, module: str) -> Iterator[Clue]:
    """Suspect what says where modules are looked for: the workspace has this one."""
    for entry in case.config_entries:
        if any(part in SEARCH_PATHS for part in entry.path if isinstance(part, str)):
            why = f"`{module}` is in the workspace, but this search path does not lead to it"
            yield Clue("rules.strong", entry.file, entry.line, 1.0, why)
    for file in case.code_files:
        tree = case.workspace.tree(file)
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("sys.path."):
                why = "changes where modules are looked for"
                yield Clue("rules.strong", file, node.lineno, 1.0, why)


def _codec(name: str) -> str | None:
    try:
        return codecs.lookup(name).name
    except (LookupError, ValueError):
        return None


def _encodings(case: Case) -> Iterator[Clue]:
    """Find what reads or writes text, the more telling the more its encoding differs."""
    named = {_codec(str(f.value)) for f in case.facts.of(FactKind.LITERAL)} - {None}
    for file in case.code_files:
        tree = case.workspace.tree(file)
        for node in ast.walk(tree) if tree is not None else ():
            if not isinstance(node, ast.Call) or called_name(node) not in TEXT_FILES:
                continue
            given = keyword(node, "encoding")
            if isinstance(given, ast.Constant) and isinstance(given.value, str):
                other = _codec(given.value) not in named
                kind = "rules.strong" if other else "rules.weak"
                why = f"`{given.value}` is the encoding used here"
                yield Clue(kind, file, given.lineno, 1.0, why)
            elif called_name(node) in {"open", "read_text", "write_text"} and given is None:
                mode = node.args[1] if len(node.args) > 1 else keyword(node, "mode")
                if not (isinstance(mode, ast.Constant) and "b" in str(mode.value)):
                    why = "no encoding is given, so the platform's is used"
                    yield Clue("rules.weak", file, node.lineno, 1.0, why)


MOST_FILES = 20
DECIDED = ("type", "action", "choices")
"""Arguments of ``add_argument`` that make something else of the text, or say what it may be."""
_TEXT = re.compile(r"\bstr\b")


_COMMAND = re.compile(r"(?:^|: )(-{1,2}[A-Za-z][\w.-]*)(?:=\S*)?: (?:command )?not found")
_SCRIPTS = (".sh", ".bash", ".zsh", ".slurm", ".sbatch", ".bat", "Makefile")


def find_options(case: Case) -> Iterator[Clue]:
    """Yield the options without a type that the failing value was read from, where text came.

    And the lines of scripts that end before the options that a shell took for a command.
    """
    yield from _cut_off(case)
    if case.category.id not in ("type_mismatch", "illegal_argument"):
        return
    if not _TEXT.search(case.message):
        return
    steps = [*case.raise_slice, *(step for steps in case.outer_slices for step in steps)]
    nodes: list[ast.AST] = [step.node.expr for step in steps]
    nodes += [node for start in case.starts for node in ast.walk(start.expr)]
    read = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    for file in near_files(case)[:MOST_FILES]:
        tree = case.workspace.tree(file)
        for call in calls_in(tree) if tree is not None else ():
            if called_name(call) == "add_argument" and (option := _text_option(call, read)):
                why = f"`{option}` has no `type=`: what the command line gives for it stays text"
                yield Clue("rules.strong", file, call.lineno, 1.0, why)


def _cut_off(case: Case) -> Iterator[Clue]:
    """Yield the line above an option that was run as a command: it goes on without a backslash.

    A backslash before a blank quotes the blank; only before the line's end it joins the next line
    (POSIX, "Shell Command Language", 2.2.1).
    """
    named = _COMMAND.search("\n".join((case.message, *case.own_lines)))
    if named is None:
        return
    option = named[1]
    for file in (f for f in case.workspace.files() if f.endswith(_SCRIPTS)):
        lines = case.workspace.lines(file)
        for at, line in enumerate(lines[1:], 1):
            above = lines[at - 1]
            if line.split("=")[0].split()[:1] != [option] or above.endswith("\\"):
                continue
            why = f"the command ends here, so that `{option}` below is run as one of its own"
            if above.rstrip().endswith("\\"):
                why = f"a blank follows the backslash: {why}"
            yield Clue("rules.strong", file, at, 1.0, why)


def _text_option(call: ast.Call, read: set[str]) -> str:
    """Return an option that is text where it is given, and something else by default."""
    flags = [a.value for a in call.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
    dest, default = keyword(call, "dest"), keyword(call, "default")
    names = {flag.lstrip("-").replace("-", "_") for flag in flags}
    if isinstance(dest, ast.Constant):
        names = {str(dest.value)}
    if not names & read or any(keyword(call, name) is not None for name in DECIDED):
        return ""
    is_text = isinstance(default, ast.Constant) and isinstance(default.value, str)
    return "" if is_text else flags[-1] if flags else ""


# ---------------------------------------------------------------------- variables
ALLOCATOR = "PYTORCH_CUDA_ALLOC_CONF PYTORCH_ALLOC_CONF PYTORCH_HIP_ALLOC_CONF"
REFUSALS: tuple[tuple[str, str], ...] = (
    (ALLOCATOR, r"ConfigTokenizer|CachingAllocator option|(?:CUDA|Accelerator)?Allocator ?[Cc]onfig"
     r"|max_split_size_mb|roundup_power2_divisions|garbage_collection_threshold"),
    ("XLA_FLAGS TF_XLA_FLAGS", r"Unknown flags? in (?:TF_)?XLA_FLAGS|parse_flags_from_env"),
    ("LIBTPU_INIT_ARGS", r"Unknown command line flag 'xla_tpu"),
    ("JAX_PLATFORMS JAX_PLATFORM_NAME JAX_BACKEND_TARGET",
     r"Unable to initialize backend|Unknown backend|unknown platform"),
    ("KERAS_BACKEND", r"Unable to import backend|Invalid backend|Unknown backend"),
    ("TORCH_LOGS", r"Invalid log settings"),
    ("TORCH_DISTRIBUTED_DEBUG", r"TORCH_DISTRIBUTED_DEBUG"),
    ("TORCH_CUDA_ARCH_LIST", r"Unknown CUDA arch"),
    ("NCCL_SOCKET_IFNAME NCCL_IB_HCA", r"no socket interface found"),
    ("GLOO_SOCKET_IFNAME TP_SOCKET_IFNAME",
     r"Unable to find address for|interface .{1,40}not found"),
    ("OMP_NUM_THREADS OMP_PROC_BIND OMP_PLACES OMP_SCHEDULE",
     r"(?:libgomp|OMP): .*(?:[Ii]nvalid|ignored)"),
    ("MPLBACKEND", r"valid value for backend|valid value for MPLBACKEND|Cannot load backend"),
    ("MUJOCO_GL PYOPENGL_PLATFORM",
     r"MUJOCO_GL|PYOPENGL_PLATFORM|Cannot initialize a .{0,20}EGL|gladLoadGL error"),
    ("PYTHONHASHSEED", r"PYTHONHASHSEED"),
    ("HF_HUB_OFFLINE TRANSFORMERS_OFFLINE HF_DATASETS_OFFLINE",
     r"[Oo]ffline ?mode|OfflineMode|outgoing traffic has been disabled|local_files_only"),
    ("HF_ENDPOINT", r"couldn't connect to '?https?://"),
    ("ACCELERATE_MIXED_PRECISION", r"Unknown mixed_precision mode|not a valid PrecisionType"),
    ("LD_PRELOAD", r"from LD_PRELOAD cannot be preloaded"),
    ("MKL_THREADING_LAYER", r"MKL_THREADING_LAYER"),
    ("WANDB_MODE", r"WANDB_MODE|Input should be 'online', 'offline'"),
)  # fmt: skip
"""Variables, and how messages refuse their values."""
SETS = r"\b(?P<name>{names})\b[\"'\])]*\s*[=:,]\s*(?P<value>[^#\n]*)"
_NAME = r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+"
NAMED = re.compile(
    rf"\b(?P<name>{_NAME})\b[^\n]{{0,80}}?\b(?:must|invalid|valid|should|unknown|unsupported)\b"
    rf"|\b(?:invalid|unknown|unsupported|bad) [^\n]{{0,40}}?\b(?P<named>{_NAME})\b"
)
"""A name written as variables of the environment are, whose value a message refuses."""
OF_MEMORY = ("gpu_out_of_memory", "cpu_out_of_memory")
"""Categories whose messages name variables that are not to blame but may help."""
QUOTED = re.compile(r"['\"`]([^'\"`\n]{1,80})['\"`]")
ENDINGS = (".sh", ".bash", ".zsh", ".slurm", ".sbatch", ".env", ".py", ".ipynb", ".yaml", ".yml",
           ".service", ".toml", ".json", ".cfg", ".ini", ".fish", ".bat", ".ps1")  # fmt: skip
NAMES = ("Dockerfile", "Makefile", "Procfile", ".envrc")
MOST_VARIABLE_FILES = 200
WHOLE, OTHER = 1.0, 0.85
"""How sure a place is: its value has a text of the message, or has not."""


def find_refused(case: Case) -> Iterator[Clue]:
    """Yield the lines that set a variable whose value the message refuses."""
    said = [names for names, words in REFUSALS if re.search(words, case.message)]
    asked = {name for names in said for name in names.split()}
    for match in NAMED.finditer(case.message[:4000]):
        asked.add(match["name"] or match["named"])
    if not asked or case.category.id in OF_MEMORY:
        return
    sets = re.compile(SETS.format(names="|".join(sorted(asked))))
    quoted = [text for text in QUOTED.findall(case.message) if len(text) > 1]
    files = [f for f in case.workspace.files() if f.endswith(ENDINGS) or f.endswith(NAMES)]
    for file in files[:MOST_VARIABLE_FILES]:
        if not any(name in (case.workspace.text(file) or "") for name in asked):
            continue
        for number, line in enumerate(case.workspace.lines(file), 1):
            found = sets.search(line)
            if found is None or line.lstrip().startswith(("#", "//")):
                continue
            words = set(re.findall(r"[\w.+-]+", found["value"]))
            held = [text for text in quoted if text in words]
            score = WHOLE if held else OTHER
            why = f"`{found['name']}`, which the library reads, is set here"
            why += f" and holds `{held[0]}`, a text of the message" if held else ""
            yield Clue("rules.strong", file, number, score, why)


UNBRACED = re.compile(r"(?<!\$)\$(?P<first>[A-Za-z_])(?P<rest>\w+)")
"""What make expands to the variable of one letter, followed by the other letters as they are (GNU
Make manual, "Basics of Variable References")."""


def find_unbraced(case: Case) -> Iterator[Clue]:
    """Yield the references of a makefile without parentheses, of which the message has the rest."""
    for file in case.workspace.files():
        name = file.rpartition("/")[2]
        if name not in ("Makefile", "makefile", "GNUmakefile") and not name.endswith(".mk"):
            continue
        for number, line in enumerate(case.workspace.lines(file), 1):
            for match in UNBRACED.finditer(line):
                if re.search(rf"(?<!\w){match['rest']}(?!\w)", case.message):
                    whole = match["first"] + match["rest"]
                    why = f"make reads `{match[0]}` as `$({match['first']})` and `{match['rest']}`"
                    why = f"{why}; the variable is `$({whole})`"
                    yield Clue("rules.strong", file, number, 1.0, why)


CATEGORIES = {"key_not_found", "null_reference", "type_mismatch", "illegal_argument"}
SHELLS = (".sh", ".bash", ".zsh", ".slurm", ".sbatch", ".job", ".ksh")
EXPORTS_ALL = re.compile(r"^\s*set\s+-(?:\w*a\w*|o\s+allexport)", re.MULTILINE)
STARTS = re.compile(r"\bpython[\d.]*\b|\btorchrun\b|\baccelerate\b|\bdeepspeed\b|\bsrun\b|\.py\b")
"""What in a line of a script starts a program."""
NOTHING_HANDED = re.compile(r"--export[= ]NONE\b|\benv\s+-i\b")


def find_variables(case: Case) -> Iterator[Clue]:
    """Yield the lines that set a variable which the program does not get."""
    if case.category.id not in CATEGORIES:
        return
    names = sorted(_names(case))
    if not names:
        return
    for file in case.workspace.files()[:MOST_WALKED]:
        base = file.rpartition("/")[2]
        is_shell = file.endswith(SHELLS)
        if not (is_shell or base.startswith(("Makefile", "makefile", "Dockerfile"))):
            continue
        lines = case.workspace.lines(file)
        text = "\n".join(lines)
        for name in names:
            if is_shell:
                yield from _in_shell(file, lines, text, name)
            elif base.startswith("Dockerfile"):
                yield from _in_dockerfile(file, lines, text, name)
            else:
                yield from _in_makefile(file, lines, text, name)


MOST_WALKED = 4_000


def _names(case: Case) -> set[str]:
    """Return the variables that the failing line, or what goes into it, reads."""
    found: set[str] = set()
    exprs = [start.expr for start in case.starts]
    exprs += [s.node.expr for s in case.raise_slice if isinstance(s.node.expr, ast.expr)]
    for expr in exprs:
        for node in ast.walk(expr):
            key: ast.expr | None = None
            if isinstance(node, ast.Subscript) and _is_environment(node.value):
                key = node.slice
            elif isinstance(node, ast.Call) and node.args and _is_reading(node):
                key = node.args[0]
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                found.add(key.value)
    return {name for name in found if re.fullmatch(r"\w+", name)}


def _is_environment(node: ast.expr) -> bool:
    return ast.unparse(node) in ("os.environ", "environ")


def _is_reading(call: ast.Call) -> bool:
    if called_name(call) == "getenv":
        return True
    func = call.func
    return isinstance(func, ast.Attribute) and func.attr == "get" and _is_environment(func.value)


def _in_shell(file: str, lines: tuple[str, ...], text: str, name: str) -> Iterator[Clue]:
    """Find an assignment that is not exported, or that comes after the program was started."""
    exported = re.search(rf"^\s*(?:export|declare\s+-x|typeset\s+-x)\b[^\n]*\b{name}\b", text, re.M)
    if EXPORTS_ALL.search(text):
        return
    started = [number for number, line in enumerate(lines, 1) if _starts(line)]
    for number, line in enumerate(lines, 1):
        if exported is None and _sets(line, name):
            why = f"`{name}` is set here and not exported: programs that are started do not have it"
            yield Clue("rules.strong", file, number, 1.0, why)
        elif exported is not None and number == text[: exported.end()].count("\n") + 1:
            if started and number > started[-1]:
                why = f"`{name}` is exported after the program was started in line {started[-1]}"
                yield Clue("rules.strong", file, number, 1.0, why)
        elif exported is not None and NOTHING_HANDED.search(line):
            why = f"what is started with this does not get the variables of the script, as `{name}`"
            yield Clue("rules.strong", file, number, 1.0, why)


def _starts(line: str) -> bool:
    return not line.lstrip().startswith("#") and STARTS.search(line) is not None


def _sets(line: str, name: str) -> bool:
    """Whether a line only sets a variable: before a command it would be handed to that."""
    match = re.match(rf"^\s*(?:readonly\s+|local\s+|declare\s+)?{name}=(?P<rest>.*)$", line)
    if match is None:
        return False
    rest = re.sub(r"\"[^\"]*\"|'[^']*'|\$\([^)]*\)|\$\{[^}]*\}", "x", match["rest"])
    words = rest.split(";")[0].split("&&")[0].split("#")[0].split()
    return len(words) <= 1 or all("=" in word for word in words[1:])


def _in_makefile(file: str, lines: tuple[str, ...], text: str, name: str) -> Iterator[Clue]:
    if re.search(rf"^\s*export(?:\s*$|\b[^\n]*\b{name}\b)", text, re.M):
        return
    why = f"`{name}` is a variable of make alone: without `export` no program has it"
    yield from _at_lines(file, lines, rf"{name}\s*[:?+]?=", why)


def _in_dockerfile(file: str, lines: tuple[str, ...], text: str, name: str) -> Iterator[Clue]:
    if re.search(rf"^\s*ENV\b[^\n]*\b{name}\b", text, re.M):
        return
    why = f"`{name}` is there while the image is built; a container has what `ENV` sets"
    yield from _at_lines(file, lines, rf"\s*ARG\s+{name}\b", why)


def _at_lines(file: str, lines: tuple[str, ...], pattern: str, why: str) -> Iterator[Clue]:
    """Yield a clue for each line that begins with a pattern."""
    for number, line in enumerate(lines, 1):
        if re.match(pattern, line):
            yield Clue("rules.strong", file, number, 1.0, why)


# ---------------------------------------------------------------------- packages that exist twice
TWINS: tuple[tuple[str, ...], ...] = (
    ("lightning", "pytorch_lightning"),
    ("lightning_fabric", "lightning.fabric"),
    ("keras", "tf_keras"),
    ("keras", "tensorflow.python.keras"),
    ("tensorflow.keras", "tf_keras"),
    ("tensorflow.keras", "tensorflow.python.keras"),
    ("gym", "gymnasium"),
    ("torch.utils.tensorboard", "tensorboardX"),
    ("pydantic", "pydantic.v1"),
)
"""Packages whose classes have the same names and are not the same."""
REFUSES = re.compile(
    r"must be (?:an?|of)\b|instances? of|is not an? |[Ee]xpected .{0,80}\b(?:instance|type|class)\b"
    r"|subclass|should be an?\b|inherit|not of type|is of type"
)
"""How a library says that an object has not the class that it wants."""


def find_twins(case: Case) -> Iterator[Clue]:
    """Yield imports of a package beside its twin, where an object is refused for its class."""
    if not REFUSES.search(case.message):
        return
    imports = _imports(case)
    raising = {part for f in case.failure.frames for part in _library(f.file)}
    for twins in TWINS:
        uses = {twin: [i for i in imports if _is_of(i[2], twin, twins)] for twin in twins}
        if not all(uses.values()):
            continue
        refused = [twin for twin in twins if twin.partition(".")[0] not in raising] or list(twins)
        if len(refused) == len(twins):
            refused = sorted(twins, key=lambda twin: (len(uses[twin]), twin))[:1]
        for twin in refused:
            other = next(t for t in twins if t != twin)
            for file, line, name in uses[twin]:
                why = f"`{name}` comes from `{twin}`, while `{other}` is used beside it"
                yield Clue("rules.strong", file, line, 1.0 / len(uses[twin]) ** 0.5, why)


def _is_of(module: str, twin: str, twins: tuple[str, ...]) -> bool:
    """Whether a module lies in a package, and not in a twin that lies in that."""
    deeper = [t for t in twins if t != twin and t.startswith(f"{twin}.")]
    inside = module == twin or module.startswith(f"{twin}.")
    return inside and not any(module == t or module.startswith(f"{t}.") for t in deeper)


def _imports(case: Case) -> list[tuple[str, int, str]]:
    """Return (file, line, module) of what the program's files import."""
    found: list[tuple[str, int, str]] = []
    for file in near_files(case):
        tree = case.workspace.tree(file)
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, ast.Import):
                found.extend((file, node.lineno, alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names = {f"{node.module}.{alias.name}" for alias in node.names}
                modules = names & {twin for twins in TWINS for twin in twins} or {node.module}
                found.extend((file, node.lineno, module) for module in sorted(modules))
    return found


def _library(path: str) -> list[str]:
    """Return the package that a frame of a library lies in."""
    parts = re.split(r"[/\\]+", path)
    for folder in ("site-packages", "dist-packages"):
        if folder in parts:
            return parts[parts.index(folder) + 1 :][:1]
    return []
