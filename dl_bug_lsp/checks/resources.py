"""Checks of the place where a job runs: memory, disk, ports, rights, variables of the environment.

They look at the machine on which they are asked, and say so: where a job runs elsewhere, only the
memory of the card that ``--gpu`` names counts.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

from dl_bug_lsp.checks.entries import TESTS, Entry
from dl_bug_lsp.checks.findings import Certainty, Check, Finding
from dl_bug_lsp.checks.forecasts import forecast_of
from dl_bug_lsp.checks.program import CheckedProgram, finding
from dl_bug_lsp.environments.interpreters import excludes, normalised
from dl_bug_lsp.environments.machine import (
    environment_variables,
    free_bytes,
    is_listened_on,
    is_not_executable,
    is_read_only,
)
from dl_bug_lsp.evidence.collectives import last_name
from dl_bug_lsp.interpretation.memory_estimate import Estimate
from dl_bug_lsp.provenance.scopes import dotted_name
from dl_bug_lsp.workspace.configs.shell_files import split_commands

MEMORY = Check(
    "gpu-memory",
    "gpu_out_of_memory",
    Certainty.LIKELY,
    "A training step takes more memory than the GPU has, whose size --gpu gives.",
    "Weights, gradients, optimizer states and activations of a training in PyTorch, where the run "
    "can be followed to its backward pass with all sizes known. The range holds what is not known: "
    "the allocator's fragments, workspaces of kernels, the context of CUDA. Where it fits, the "
    "range is told as worth a look.",
    "dl-bug-lsp check --gpu 8GB -- python train.py --batch-size 512",
)
DISK = Check(
    "disk-space",
    "storage_exhausted",
    Certainty.LIKELY,
    "The disk of the workspace has less room than one checkpoint of the model takes.",
    "A checkpoint is taken to hold weights and optimizer states.",
    "torch.save(...)     # 12 GB, and 3 GB are free",
)
PORT = Check(
    "port-in-use",
    "communication_failure",
    Certainty.LIKELY,
    "A command names a port of this machine that another process listens on now.",
    "Options --master-port and --rdzv-endpoint, and MASTER_PORT, where the address is this "
    "machine's or not given.",
    "torchrun --master-port 29500 train.py",
)
RIGHTS = Check(
    "file-rights",
    "permission_denied",
    Certainty.LIKELY,
    "A file is started that is not executable, or written that is read-only.",
    "Scripts of the workspace that a command or the program starts by their path, without a shell "
    "in front, and files that options name as outputs.",
    'subprocess.run(["./scripts/montage.sh"])     # mode 644',
)
VARIABLE = Check(
    "unset-variable",
    "key_not_found",
    Certainty.LOOK,
    "The program reads a variable of the environment that nothing sets.",
    "Variables that os.environ[...] reads at the start of a module, and that neither the "
    "environment of the check, nor the command, nor a launch script, nor a .env file sets. Those "
    "of launchers (RANK, SLURM_*) are left out.",
    'root = os.environ["DATA_ROOT"]',
)
DEVICE = Check(
    "cuda-build",
    "device_unavailable",
    Certainty.LIKELY,
    "The program asks for CUDA, and the installed PyTorch is built without it.",
    "The version of the installed distribution ends with '+cpu', a text 'cuda' of the code is no "
    "part of a comparison, and no file of the program asks is_available. Left out where a word of "
    "the command names another device.",
    'device: str = os.environ.get("DEVICE", "cuda")',
)
VERSION = Check(
    "version-conflict",
    "version_conflict",
    Certainty.LIKELY,
    "The installed version of a library is not one that the requirements allow.",
    "requirements.txt and pyproject.toml against the metadata of the interpreter's packages. "
    "Likely to matter where the program checks its requirements itself, "
    "else only worth a look.",
    "tokenizers>=0.19,<0.22        # 0.23.3 is installed",
)
CHECKS = (MEMORY, DISK, PORT, RIGHTS, VARIABLE, DEVICE, VERSION)

CONTEXT_BYTES = 600_000_000
"""What CUDA and the kernels of PyTorch take beside tensors: about 0.3 to 0.8 GB by card."""
LOWER, UPPER = 0.85, 1.25
"""The range around an estimate: what `benchmarks/memory_estimate.py` measures mostly lies in it."""
SCRIPTS = (".sh", ".bash", ".py", ".bin", ".run")
SETS_LATER = re.compile(
    r"RANK|LOCAL_RANK|WORLD_SIZE|LOCAL_WORLD_SIZE|NODE_RANK|GROUP_RANK|MASTER_\w+|TORCHELASTIC_\w+"
    r"|SLURM_\w+|CUDA_\w+|NCCL_\w+|OMPI_\w+|PMI\w*_\w+|HOME|USER|PATH|PWD|SHELL|LOGNAME|TMPDIR|LANG"
    r"|PYTHON\w+|CONDA_\w+|VIRTUAL_ENV|HOSTNAME"
)
TESTS_OF_TEXT = frozenset(("startswith", "autocast", "join", "in", "print", "manual_seed"))
CHECKING = ("require_version", "pkg_resources.require", "check_min_version", "parse_requirements")
"""What programs check the versions of their libraries with."""
MOST_WITHOUT_RIGHTS = 4
OUTPUTS = ("out", "output", "save", "log", "export", "result")


def find(program: CheckedProgram) -> Iterator[Finding]:
    """Yield what the machine does not have for the runs."""
    for entry in program.entries[:6]:
        yield from _memory(program, entry)
        yield from _ports(entry)
        yield from _outputs(program, entry)
    known = (forecast_of(program, entry)[1].memory for entry in program.entries[:6])
    if program.gpu is not None and not any(memory.estimates for memory in known):
        program.problems.append(NO_ESTIMATE)
    for file in program.files:
        tree = program.workspace.tree(file)
        if tree is not None:
            yield from _started(program, file, tree)
            yield from _variables(program, file, tree)
    started = [
        finding_of_shell
        for file in program.launchers
        for finding_of_shell in _started_by_shell(program, file)
    ]
    if len(started) > MOST_WITHOUT_RIGHTS:
        # An archive, or a file system without them, has lost the rights of all scripts.
        started = [
            replace(finding_of_shell, certainty=Certainty.LOOK) for finding_of_shell in started
        ]
    yield from started
    yield from _device(program)
    yield from _versions(program)


def size_of(text: str) -> int | None:
    """Return the bytes that a size such as ``24GB`` or ``40 GiB`` means, None for other texts."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt])(i?)b?\s*", text, re.IGNORECASE)
    if match is None or not float(match[1]):
        return None
    power = " kmgt".index(match[2].lower())
    return int(float(match[1]) * (1024 if match[3] else 1000) ** power)


NO_ESTIMATE = (
    "--gpu: no training step was found whose memory can be estimated (only PyTorch models whose "
    "layers and batches are known)"
)


def _memory(program: CheckedProgram, entry: Entry) -> Iterator[Finding]:
    _, forecast = forecast_of(program, entry)
    estimates = forecast.memory.estimates
    if not estimates:
        return
    estimate = max(estimates, key=lambda estimate_of_run: estimate_of_run.peak)
    file, line = estimate.place
    if program.gpu is not None:
        low = int(estimate.peak * LOWER)
        high = int(estimate.peak * UPPER) + CONTEXT_BYTES
        text = f"A training step takes about {_shown(low)} to {_shown(high)}"
        parts = list(_parts(estimate))
        if low > program.gpu:
            message = f"{text}: more than the {_shown(program.gpu)} of the card."
            yield finding(MEMORY, file, line, message, *parts)
        else:
            fits = "which may be more than" if high > program.gpu else "of"
            message = f"{text}, {fits} the {_shown(program.gpu)} of the card."
            yield finding(MEMORY, file, line, message, *parts, certainty=Certainty.LOOK)
    saves = any("torch.save(" in (program.workspace.text(f) or "") for f in program.files)
    checkpoint = estimate.weights + estimate.states
    free = free_bytes(program.workspace.root)
    if saves and free is not None and checkpoint > free:
        message = f"A checkpoint takes about {_shown(checkpoint)}, and {_shown(free)} are free."
        yield finding(DISK, file, line, message)


def _parts(estimate: Estimate) -> Iterator[str]:
    yield (
        f"Weights {_shown(estimate.weights)}, gradients {_shown(estimate.gradients)}, states of "
        f"{estimate.optimizer} {_shown(estimate.states)}, activations of a batch "
        f"{_shown(estimate.activations)}."
    )
    for operation in estimate.largest[:2]:
        places = ", ".join(f"{f}:{n}" for f, n in sorted(operation.origins)[:4] if f)
        name, line = operation.place
        size = _shown(operation.result * operation.saved + operation.kept)
        yield (
            f"{operation.name} in {name}, line {line}, keeps {size}; its sizes are set in {places}."
        )
    if estimate.unknown:
        yield f"The sizes of {estimate.unknown} results are not known and are not counted."


def _shown(size: int) -> str:
    for unit, scale in (("GB", 10**9), ("MB", 10**6)):
        if size >= scale:
            return f"{size / scale:.1f} {unit}"
    return f"{size / 1000:.0f} kB"


def _ports(entry: Entry) -> Iterator[Finding]:
    """Yield ports of a command that are taken on this machine."""
    words = [word.text for word in entry.words]
    variables = dict(entry.variables)
    local = variables.get("MASTER_ADDR", "localhost") in (
        "localhost",
        "127.0.0.1",
        "0.0.0.0",
        "::1",
    )
    ports = [variables["MASTER_PORT"]] if "MASTER_PORT" in variables and local else []
    for number, word in enumerate(entry.launch):
        name, sign, value = word.partition("=")
        text = value if sign else " ".join(entry.launch[number + 1 : number + 2])
        if name.replace("_", "-") == "--master-port":
            ports.append(text)
        elif name.replace("_", "-") == "--rdzv-endpoint" and text.startswith(
            ("localhost:", "127.")
        ):
            ports.append(text.rpartition(":")[2])
    del words
    for text in ports:
        if text.isdigit() and 0 < int(text) < 65_536 and is_listened_on(int(text)):
            message = f"Port {text} of this machine is in use now."
            yield finding(PORT, entry.file or entry.script, entry.line or 1, message)


def _outputs(program: CheckedProgram, entry: Entry) -> Iterator[Finding]:
    """Yield outputs that exist and cannot be written."""
    before = ""
    for word in entry.words:
        option, sign, value = word.text.partition("=")
        path, name = (value, option) if sign else (word.text, before)
        before = word.text if word.text.startswith("-") else ""
        parts = name.lower().strip("-").replace("-", "_").split("_")
        if not any(part in OUTPUTS for part in parts) or path.startswith(("-", "/", "~", ".."))\
                or "$" in path:  # fmt: skip
            continue
        place = program.workspace.root / path
        if is_read_only(place):
            message = f"'{path}' exists and cannot be written."
            at = (entry.file or entry.script, word.line or entry.line or 1)
            yield finding(RIGHTS, *at, message, certainty=Certainty.LIKELY)


def _started(program: CheckedProgram, file: str, tree: ast.Module) -> Iterator[Finding]:
    """Yield scripts of the workspace that are started by their path and are not executable."""
    text = program.workspace.text(file) or ""
    if "subprocess" not in text and "os.exec" not in text:
        return
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call) or not call.args:
            continue
        name = dotted_name(call.func) or ""
        if not name.startswith("subprocess.") or not isinstance(call.args[0], ast.List):
            continue
        first = call.args[0].elts[:1]
        written = _last_text(first[0]) if first else None
        if written is None and first:
            written = _named_path(tree, first[0])
        if written is None or not written.endswith(SCRIPTS):
            continue
        target = program.workspace.file_named(written)
        place = program.workspace.root / target if target is not None else None
        if place is not None and is_not_executable(place):
            message = f"'{target}' is started, and is not executable."
            advice = "Make it so (chmod +x), or start it with its interpreter in front."
            yield finding(RIGHTS, file, call.lineno, message, advice)


def _named_path(tree: ast.Module, node: ast.expr) -> str | None:
    """Return the last text of what a module binds to the one name in an expression."""
    names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} - {"str", "os"}
    bound = [
        statement.value
        for statement in tree.body
        if isinstance(statement, ast.Assign)
        and any(isinstance(t, ast.Name) and t.id in names for t in statement.targets)
    ]
    return _last_text(bound[0]) if len(bound) == 1 == len(names) else None


def _started_by_shell(program: CheckedProgram, file: str) -> Iterator[Finding]:
    """Yield scripts that a shell script starts by their path and that are not executable."""
    lines = program.workspace.lines(file)
    text = "\n".join(lines)
    if "chmod" in text or "<<" in text:
        return
    for command in split_commands(list(enumerate(lines, 1)))[0]:
        words = [w for w in command.words if not re.fullmatch(r"[A-Za-z_]\w*=.*", w.text)]
        if not words or "/" not in words[0].text or not words[0].text.endswith(SCRIPTS):
            continue
        path = words[0].text.removeprefix("./")
        if program.workspace.existing_file(path) != path:
            continue
        if is_not_executable(program.workspace.root / path):
            message = f"'{path}' is started, and is not executable."
            advice = "Make it so (chmod +x), or start it with its interpreter in front."
            yield finding(RIGHTS, file, words[0].line, message, advice)


def _device(program: CheckedProgram) -> Iterator[Finding]:
    """Yield the place where CUDA is asked for, of a PyTorch that has none."""
    environment = program.environment
    version = environment.distributions.get("torch", "") if environment is not None else ""
    if not version.endswith("+cpu"):
        return
    files = [f for f in program.files if not TESTS.search(f)]
    texts = {file: program.workspace.text(file) or "" for file in files}
    words = [word.text for entry in program.entries for word in entry.words]
    if any("is_available" in text or "device_count" in text for text in texts.values()) or any(
        "cpu" in word or "mps" in word for word in words
    ):
        return
    for file, text in texts.items():
        tree = program.workspace.tree(file) if "cuda" in text and "torch" in text + "".join(
            texts.values()) else None  # fmt: skip
        if tree is None:
            continue
        excused = program.guarded_lines(file)
        compared = {
            id(part)
            for node in ast.walk(tree)
            if isinstance(node, (ast.Compare, ast.JoinedStr))
            or (isinstance(node, ast.Call) and last_name(node.func) in TESTS_OF_TEXT)
            or (isinstance(node, ast.keyword) and node.arg in ("choices", "help", "device_type"))
            for part in ast.walk(node)
        }
        for node in ast.walk(tree):
            if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
                continue
            if not re.fullmatch(r"cuda(?::\d)?", node.value) or node.lineno in excused:
                continue
            if id(node) not in compared:
                message = f"'{node.value}' is asked for, and the installed PyTorch has no CUDA."
                yield finding(DEVICE, file, node.lineno, message, f"Installed is torch {version}.")
                return


MARKER = re.compile(r"\s*;\s*[\"'\w(]")
"""What follows a requirement that holds on some platforms or versions of Python only (PEP 508)."""


def _versions(program: CheckedProgram) -> Iterator[Finding]:
    """Yield requirements that the installed versions do not meet."""
    environment = program.environment
    if environment is None or not program.workspace.dependencies():
        return
    text = "\n".join(program.workspace.text(file) or "" for file in program.files)
    asks = any(word in text for word in CHECKING)
    for entry in program.workspace.dependencies():
        installed = environment.distributions.get(normalised(str(entry.key)))
        line = program.workspace.source_line(entry.file, entry.line)
        written = re.search(r"[A-Za-z0-9][\w.-]*(?:\[[^\]]*\])?\s*[~<>=!][^#;'\"]*", line)
        if installed is None or written is None or MARKER.match(line, written.end()):
            continue
        requirement = written[0].strip().rstrip(",]").strip()
        if not excludes(requirement, str(entry.key), installed):
            continue
        message = f"Installed is {entry.key} {installed}, which '{requirement}' excludes."
        source = f"It is that of {environment.interpreter}."
        level = Certainty.LIKELY if asks else Certainty.LOOK
        yield finding(VERSION, entry.file, entry.line, message, source, certainty=level)


def _last_text(node: ast.expr) -> str | None:
    """Return the last constant text of an expression: a name, or the end of a joined path."""
    texts = [n for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    if not texts:
        return None
    last = max(texts, key=lambda n: (n.lineno, n.col_offset))
    return str(last.value).removeprefix("./")


def _variables(program: CheckedProgram, file: str, tree: ast.Module) -> Iterator[Finding]:
    """Yield variables of the environment that a module reads as it is imported and nothing sets."""
    text = program.workspace.text(file) or ""
    if "environ[" not in text:
        return
    inside, guarded = program.function_lines(file), program.guarded_lines(file)
    known = set(environment_variables())
    for entry in program.entries:
        known |= {name for name, _ in entry.variables}
    settings = [f for f in program.workspace.files() if f.rpartition("/")[2].startswith(".env")]
    for other in (*program.launchers, *settings):
        lines = program.workspace.text(other) or ""
        known |= set(re.findall(r"^\s*(?:export\s+)?([A-Za-z_]\w*)=", lines, re.MULTILINE))
    sources = [program.workspace.text(f) or "" for f in program.files]
    for node in ast.walk(tree):
        if not isinstance(node, ast.Subscript) or not isinstance(node.ctx, ast.Load):
            continue
        key = node.slice
        if last_name(node.value) != "environ" or not isinstance(key, ast.Constant):
            continue
        name = str(key.value)
        if name in known or SETS_LATER.fullmatch(name) or node.lineno in inside | guarded:
            continue
        sets = re.compile(
            rf"environ\[['\"]{re.escape(name)}['\"]\]\s*=|['\"]{re.escape(name)}['\"]\s*,"
        )
        if not any(sets.search(source) for source in sources):
            message = f"Nothing sets the variable {name} here, which is read as the program starts."
            yield finding(VARIABLE, file, node.lineno, message)
