"""Environment variables: values that a library refuses, and those a script sets for itself alone.

Libraries read their variables when they start or first reach a device, far from where these are
set, and many messages do not name the variable.
Sources: PyTorch ("CUDA semantics", "Memory management"; ``CUDAAllocatorConfig.cpp``; "torch
environment variables"), XLA (``parse_flags_from_env.cc``), JAX ("Configuration options"), Keras
("Configuring your backend"), OpenMP ("Environment Variables"), NCCL ("Environment Variables"),
Hugging Face Hub ("Environment variables"), MuJoCo (``dm_control``), Python ("Command line and
environment"), ld.so(8).

A shell hands only exported variables to the programs that it starts (POSIX, "Shell Command
Language", 2.12 and ``export``); make does so with ``export`` alone (GNU make, "Communicating
Variables to a Sub-make"); an ``ARG`` of a Dockerfile is gone in a container (Docker, "Dockerfile
reference").
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.provenance.scopes import called_name

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
MOST_FILES = 200
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
    for file in files[:MOST_FILES]:
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
