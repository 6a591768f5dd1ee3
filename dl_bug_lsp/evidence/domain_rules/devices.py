"""Rules for tensors on different devices, or on one that cannot be read, and for jobs without one.

``Module.to(device)`` moves parameters, registered buffers and registered submodules (PyTorch,
`torch.nn.Module.to`). Plain attributes, modules in plain lists and dicts, the weights of a loss and
what a factory makes without ``device=`` stay where they were made.

``CUDA_VISIBLE_DEVICES`` is a list of numbers or names; where it is empty, or its first entry is no
device, no device is visible (CUDA C++ Programming Guide, "CUDA Environment Variables").
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.collectives import is_rank, rank_names
from dl_bug_lsp.evidence.domain_rules.syntax import (
    calls_in,
    keyword,
    near_files,
    near_scopes,
    source,
)
from dl_bug_lsp.messages.facts import FactKind
from dl_bug_lsp.provenance.nodes import CALL_METHODS
from dl_bug_lsp.provenance.scopes import Binding, Scope, called_name
from dl_bug_lsp.provenance.slices import Property

OF_DEVICES = re.compile(
    r"(?i)same device|different devices|is on cpu|on cuda:\d|cpu tensor\?"
    r"|must be (?:a )?cuda|device type|cuda\.\w+Tensor\) and weight|not at the same device"
)
"""How messages say that tensors are where they should not be."""
TO_HOST = re.compile(r"device type tensor to numpy|cuda tensor to numpy")
PINS = re.compile(r"cannot pin '")
FORKED = re.compile(r"re-initialize CUDA in forked subprocess|initialization error")
WANTS_HOST = re.compile(
    r"should be a 1D CPU|must be on (?:the )?CPU|only dense CPU|expected a CPU tensor"
)
MAKERS = re.compile(
    r"\b(?:torch|th)\.(?:zeros|ones|full|empty|eye|arange|linspace|logspace|rand|randn|randint"
    r"|randperm|tensor|as_tensor|from_numpy|tril|triu|hann_window|hamming_window|meshgrid"
    r"|FloatTensor|LongTensor|Tensor|IntTensor|BoolTensor|cartesian_prod)\("
)
"""Calls that make a tensor on the default device, which is the CPU."""
MOVED = re.compile(r"\bdevice\b|\.to\(|\.cuda\(|Parameter\(|_like\(|\.new_\w+\(|\bBuffer\(")
"""What puts a tensor elsewhere, or lets a module move it."""
TO_DEVICE = re.compile(
    r"\.to\((?!torch\.(?:float|int|bfloat|long|bool))|\.cuda\(|\bdevice=(?!.cpu)"
)
"""What puts a tensor on a device that is given."""
HOST = re.compile(r"\.cpu\(|\.item\(|\.tolist\(|\.numpy\(|\bfloat\(|\bint\(|device_get\(")
LOSS_WEIGHTS = ("weight", "pos_weight")
MOST_NAMES = 12
"""Local names that are followed from one to the next."""
KEEPERS = {"append", "extend", "insert", "add", "appendleft"}


def find_devices(case: Case) -> Iterator[Clue]:
    """Yield what stays on the CPU, or on the GPU where memory of the host is needed."""
    message = case.message
    if TO_HOST.search(message):
        yield from _left_on_device(case)
    elif PINS.search(message) or FORKED.search(message):
        yield from _moved_in_data(case)
    elif WANTS_HOST.search(message):
        yield from _moved_too_much(case)
    elif OF_DEVICES.search(message) and "for generator" not in message:
        yield from _plain_attributes(case)
        yield from _loss_weights(case)
        yield from _no_device(case)
        yield from _devices_of_settings(case)
        yield from _unprepared(case)


def closure(expr: ast.expr, scope: Scope, line: int, *, brackets: bool = False) -> list[ast.expr]:
    """Return an expression and what the function gave the names in it up to a line.

    What stands in ``brackets`` only chooses a part of a value.
    """
    reached, waiting, seen = [expr], [expr], set[str]()
    while waiting and len(seen) <= MOST_NAMES:
        part = waiting.pop()
        for node in _names(part, brackets):
            if node.id in seen:
                continue
            seen.add(node.id)
            for binding in scope.bindings.get(node.id, ()):
                if binding.line <= line and binding.scope is scope:
                    reached.append(binding.value)
                    waiting.append(binding.value)
    return reached


def _names(expr: ast.expr, brackets: bool) -> Iterator[ast.Name]:
    """Yield the names of an expression, on request with those in brackets."""
    waiting: list[ast.AST] = [expr]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name):
            yield node
        elif isinstance(node, ast.Subscript) and not brackets:
            waiting.append(node.value)
        else:
            waiting.extend(ast.iter_child_nodes(node))


def _made_on_host(expr: ast.expr, scope: Scope, line: int) -> bool:
    """Whether an expression makes a tensor and nothing on the way names a device."""
    texts = [_text(part) for part in closure(expr, scope, line)]
    return any(MAKERS.search(t) for t in texts) and not any(MOVED.search(t) for t in texts)


def _text(expr: ast.AST) -> str:
    try:
        return ast.unparse(expr)
    except (ValueError, AttributeError, RecursionError):
        # What provenance puts together is no code that could be written.
        return ""


def _classes(case: Case) -> dict[Scope, bool]:
    """Return the classes of the functions on the stack; whether the failing one is of it."""
    classes: dict[Scope, bool] = {}
    for inner, site in enumerate(reversed(case.sites)):
        owner = site.context.scope.owner
        if owner is not None:
            classes.setdefault(owner, inner == 0)
    return classes


def _read_attributes(case: Case) -> tuple[set[str], set[str]]:
    """Return the attributes of ``self`` that the failing line, and that the stack's lines read."""
    failing: set[str] = set()
    read_nearby: set[str] = set()
    for inner, site in enumerate(reversed(case.sites)):
        names = {
            n.attr
            for node in site.nodes
            for n in ast.walk(node.expr)
            if isinstance(n, ast.Attribute)
            and isinstance(n.value, ast.Name)
            and n.value.id == "self"
        }
        read_nearby |= names
        if inner == 0:
            failing |= names
    for step in case.property_slice if case.asked is Property.DEVICE else case.raise_slice:
        expr = step.node.expr
        if (
            step.node.entry is None
            and isinstance(expr, ast.Attribute)
            and isinstance(expr.value, ast.Name)
            and expr.value.id == "self"
        ):
            read_nearby.add(expr.attr)
    return failing, read_nearby


def _plain_attributes(case: Case) -> Iterator[Clue]:
    """Find tensors and modules that an object holds without the framework's knowing of them."""
    failing, read_nearby = _read_attributes(case)
    for owner in _classes(case):
        for name, assignments in sorted(owner.attributes.items()):
            if any(MOVED.search(_text(b.value)) for _, b in assignments):
                continue
            score = 1.0 if name in failing else 0.8 if name in read_nearby else 0.0
            if not score:
                continue
            for method, binding in assignments:
                if binding.how == "assign" and _made_on_host(binding.value, method, binding.line):
                    why = (
                        f"`self.{name}` is a plain attribute: unlike a registered buffer it does "
                        "not move with `.to(device)`"
                    )
                    yield Clue("rules.strong", method.file, binding.line, score, why)
                elif holds_modules_plainly(binding):
                    why = (
                        f"`self.{name}` is a plain list or dict, whose modules do not move with "
                        "`.to(device)`"
                    )
                    yield Clue("rules.strong", method.file, binding.line, score, why)


def holds_modules_plainly(binding: Binding) -> bool:
    """Whether an attribute is given a list or dict of objects that no container registers."""
    value = binding.value
    if binding.how == "grow":
        return False
    plain = isinstance(value, (ast.List, ast.ListComp, ast.Dict, ast.DictComp, ast.Tuple))
    return plain and any(called_name(c)[:1].isupper() for c in calls_in(value))


def _loss_weights(case: Case) -> Iterator[Clue]:
    """Find losses whose weights nothing moves."""
    named = any(f.value in LOSS_WEIGHTS for f in case.facts.of(FactKind.ARGUMENT))
    for scope in near_scopes(case):
        for call in scope.calls:
            given = [k for k in call.keywords if k.arg in LOSS_WEIGHTS]
            if not given or not (
                called_name(call).endswith("Loss") or "entropy" in _text(call.func)
            ):
                continue
            texts = [_text(part) for part in closure(given[0].value, scope, call.lineno)]
            if any(MOVED.search(text) for text in texts) or _is_moved(scope, call):
                continue
            why = f"nothing here moves `{source(given[0].value)}`, the weights of this loss"
            kind = "rules.strong" if named else "rules.medium"
            yield Clue(kind, scope.file, call.lineno, 1.0, why)


def _is_moved(scope: Scope, call: ast.Call) -> bool:
    """Whether a function moves what it builds: ``Loss(...).to(device)``, ``loss.cuda()``."""
    for name, bindings in scope.bindings.items():
        if any(call in ast.walk(b.value) for b in bindings):
            written = re.compile(rf"\b{re.escape(name)}\.(?:to|cuda)\(|\.(?:to|cuda)\([^)]*\)$")
            around = [_text(c) for c in scope.calls]
            if any(written.search(text) and name in text for text in around):
                return True
            return any(TO_DEVICE.search(_text(b.value)) for b in bindings)
    return False


def _no_device(case: Case) -> Iterator[Clue]:
    """Find tensors of the CPU that reach the failing line without being moved."""
    is_followed = case.asked is Property.DEVICE
    running = {site.context.scope for site in case.sites}
    for step in case.property_slice if is_followed else case.raise_slice:
        node = step.node
        expr = node.expr
        if node.entry is not None or not isinstance(expr, ast.Call) or node.line <= 0:
            continue
        if not MAKERS.match(_text(expr)) or keyword(expr, "device") is not None:
            continue
        if any(_moves(link.node.expr) for link in step.way()[:-1] if link.node.entry is None):
            continue
        why = f"`{source(expr)}` names no device, so the tensor is made on the default one"
        # Data are made on the CPU and moved later; what a layer makes itself is used at once.
        score = 1.0 if node.context.scope in running else 0.7
        yield Clue("rules.strong", node.file, node.line, score, why)


def _unprepared(case: Case) -> Iterator[Clue]:
    """Find calls of Accelerate's ``prepare`` that leave out a model or loader of the function.

    ``Accelerator.prepare`` moves models, and loaders whose batches it then moves (Accelerate,
    "Accelerator").
    """
    for scope in near_scopes(case):
        calls = [c for c in scope.calls if called_name(c) == "prepare" and len(c.args) > 1]
        given = {n.id for call in calls for n in ast.walk(call) if isinstance(n, ast.Name)}
        for name, bindings in sorted(scope.bindings.items()) if calls else ():
            made = [b.value for b in bindings if b.how == "assign"]
            is_loader = any(
                isinstance(v, ast.Call) and called_name(v) == "DataLoader" for v in made
            )
            if is_loader and name not in given:
                why = f"`{source(calls[0])}` leaves out `{name}`, whose batches stay on the CPU"
                yield Clue("rules.strong", scope.file, calls[0].lineno, 1.0, why)


def _devices_of_settings(case: Case) -> Iterator[Clue]:
    """Find settings that name the CPU where others name a GPU, or another GPU than the others."""
    named = [e for e in case.config_entries if _named_device(e.value)]
    kinds = {_named_device(entry.value) for entry in named}
    for entry in named:
        if "cpu" in kinds and _named_device(entry.value) != "cpu":
            continue
        if "cpu" in kinds or len(kinds) > 1:
            others = "; other settings name another" if len(kinds) > 1 else ""
            why = f"`{entry.key}: {entry.text}` names this device{others}"
            yield Clue("rules.strong", entry.file, entry.line, 1.0, why)


def _named_device(value: object) -> str:
    """Return a device in one form (``cuda:0`` for ``cuda``), empty for anything else."""
    match = re.fullmatch(r"(cpu|cuda|mps|xpu)(?::(\d+))?", str(value).strip().lower())
    if match is None:
        return ""
    return "cpu" if match[1] == "cpu" else f"{match[1]}:{match[2] or 0}"


def _moves(expr: ast.AST) -> bool:
    return isinstance(expr, ast.Call) and called_name(expr) in ("to", "cuda", "to_device")


def _left_on_device(case: Case) -> Iterator[Clue]:
    """Find where tensors are collected or handed on that NumPy then reads."""
    for step in case.raise_slice:
        node = step.node
        if node.entry is not None or node.line <= 0 or not isinstance(node.expr, ast.expr):
            continue
        scope = node.context.scope
        if scope.name.rpartition(".")[2] in CALL_METHODS:
            # A layer joins its own parts; what it returns is still needed on the device.
            continue
        for call in scope.calls:
            keeps = isinstance(call.func, ast.Attribute) and call.func.attr in KEEPERS
            if not keeps or not call.args or call.lineno != node.line:
                continue
            texts = [_text(part) for part in closure(call.args[-1], scope, call.lineno)]
            if not any(HOST.search(text) for text in texts):
                why = f"`{source(call)}` keeps tensors where they are, on the device"
                yield Clue("rules.strong", scope.file, call.lineno, 1.0, why)


def _moved_in_data(case: Case) -> Iterator[Clue]:
    """Find what a data set or a collate function puts on the GPU, which cannot be pinned."""
    for file in case.code_files:
        module = case.engine.program.module(file)
        for scope in module.walk() if module is not None else ():
            of_data = scope.name.rpartition(".")[2] in ("__getitem__", "__iter__", "__getitems__")
            if not of_data and "collate" not in scope.name.lower():
                continue
            for call in scope.calls:
                if TO_DEVICE.search(_text(call)):
                    why = f"`{source(call)}` puts tensors on a device while data are loaded"
                    yield Clue("rules.strong", file, call.lineno, 1.0, why)


def _moved_too_much(case: Case) -> Iterator[Clue]:
    """Find what puts on the GPU a tensor that the operation reads on the CPU."""
    for step in [*case.focus_slice, *case.raise_slice]:
        node = step.node
        if node.entry is None and node.line > 0 and _moves(node.expr):
            why = f"`{source(node.expr)}` moves a tensor that is needed on the CPU"
            score = 1 / (1 + step.distance / 6)
            yield Clue("rules.strong", node.file, node.line, score, why)


NOT_SEEN = re.compile(
    r"(?i)no CUDA GPUs are available|no CUDA-capable device|invalid device ordinal"
    r"|invalid device id\b|CUDA_ERROR_NO_DEVICE|cudaErrorNoDevice|no NVIDIA driver"
    r"|unable to initialize backend 'cuda'|no visible (?:gpu|cuda) devices?"
    r"|CUDA_ERROR_INVALID_DEVICE|is_available\(\) is False"
)
SETS = re.compile(
    r"\b(?P<name>(?:CUDA|NVIDIA|HIP|ROCR)_VISIBLE_DEVICES)\b[\"'\])]*\s*[=:,]\s*(?P<value>[^#;&|\n]*)"
)
VARIABLE = re.compile(r"\$\{?(?P<name>[A-Za-z_]\w*)(?P<default>:?-)?")
NOTHING = re.compile(r"[\"']?(?:-1|none|void)?[\"']?\s*(?:,|\)|\\|python\b.*|$)", re.IGNORECASE)
ENDINGS = (".sh", ".bash", ".zsh", ".slurm", ".sbatch", ".env", ".py", ".yaml", ".yml", ".service",
           ".toml", ".json")  # fmt: skip
NAMES = ("Dockerfile", "Makefile", "Procfile")
MOST_FILES = 200


COUNTS = re.compile(
    r"(?i)(?:--|\b)(?P<name>nproc[-_]per[-_]node|num[-_]processes|num[-_]gpus|n[-_]?gpus?|gpus|devices"
    r"|gpu[-_]ids?|device[-_]ids?|local[-_]rank|cuda[-_]device|gpu|device[-_]?(?:index|id)?)\b"
    r"[\"']?\s*[ =:]\s*[\"'\[(]*(?:cuda:)?(?P<value>\d+)"
)
ORDINAL = re.compile(r"(?i)ordinal|invalid device|machine only has|Duplicate GPU|requested .*GPU")
"""Messages of a device that a number names, or of more devices than there are."""


def find_visible(case: Case) -> Iterator[Clue]:
    """Yield the lines that decide which GPUs a job sees, the emptier the more."""
    by_number = ORDINAL.search(case.message) is not None
    if not by_number and not NOT_SEEN.search(case.message):
        return
    files = [f for f in case.workspace.files() if f.endswith(ENDINGS) or f.endswith(NAMES)]
    for file in files[:MOST_FILES]:
        lines = case.workspace.lines(file)
        for number, line in enumerate(lines, 1):
            if line.lstrip().startswith(("#", "//")):
                continue
            count = COUNTS.search(line) if by_number else None
            if count is not None and int(count["value"]) > 0:
                why = f"`{count['name']}` asks for a device, or for a number of them, here"
                yield Clue("rules.strong", file, number, 0.9, why)
                continue
            match = SETS.search(line)
            if match is None:
                continue
            score, why = _says(match["value"].strip(), match["name"], lines)
            yield Clue("rules.strong", file, number, score, why)


def _says(value: str, name: str, lines: tuple[str, ...]) -> tuple[float, str]:
    """Return how much a value of the variable explains a missing device, and why."""
    for used in VARIABLE.finditer(value):
        if used["default"] is None and not _is_set(used["name"], lines):
            why = f"`{name}` is taken from `{used['name']}`, which nothing in this file sets"
            return 1.0, why
    if not value or NOTHING.match(value):
        return 1.0, f"`{name}` names no device here"
    return 0.8, f"`{name}` decides here which devices the job sees"


def _is_set(name: str, lines: tuple[str, ...]) -> bool:
    is_set = re.compile(rf"(?:^|[\s;({{]){re.escape(name)}=|\bread\b.*\b{re.escape(name)}\b"
                        rf"|\bfor {re.escape(name)} in\b")  # fmt: skip
    return any(is_set.search(line) for line in lines)


UNLIKE_RANKS = re.compile(
    r"(?:appears not to match|does not match|differs?|mismatch\w*)[^\n]{0,80}\b(?:process|rank)s?\b"
    r"|DDP expects same model across all ranks|inconsistent[^\n]{0,60}\bacross (?:ranks|processes)"
)
"""How messages say that the model of one rank is not that of another."""


def find_unlike_ranks(case: Case) -> Iterator[Clue]:
    """Yield what makes a size of the model depend on the rank.

    All ranks must build the same model (PyTorch, "DistributedDataParallel"): what a size is made of
    must not come from the rank's own share of the data.
    """
    if not UNLIKE_RANKS.search(case.message):
        return
    scopes = [
        scope
        for file in near_files(case)
        if (module := case.engine.program.module(file)) is not None
        for scope in module.walk()
    ]
    names = rank_names(scopes)
    seen: set[tuple[str, int]] = set()
    for scope in scopes:
        for call in scope.calls:
            if not any(is_rank(part, names) for value in call.args for part in ast.walk(value)):
                continue
            targets = _assigned_names(scope, call)
            for place, why in _uses(scope, call, targets):
                if place not in seen:
                    seen.add(place)
                    yield Clue("rules.strong", *place, 1.0, why)


def _assigned_names(scope: Scope, call: ast.Call) -> set[str]:
    return {
        binding.name
        for bindings in scope.bindings.values()
        for binding in bindings
        if any(part is call for part in ast.walk(binding.value))
    }


def _uses(scope: Scope, call: ast.Call, names: set[str]) -> Iterator[tuple[tuple[str, int], str]]:
    """Yield where the share of one rank is made, and what is built of it that all ranks need."""
    for other in scope.calls:
        built = called_name(other) or ""
        if other is call or not re.search(
            r"(?i)vocab|class|label|encod|build|fit|unique|set$", built
        ):
            continue
        if any(isinstance(a, ast.Name) and a.id in names for a in other.args):
            why = f"`{source(other)}` is made of what line {call.lineno} gives this rank alone"
            yield (scope.file, other.lineno), why
            yield (scope.file, call.lineno), f"`{source(call)}` gives each rank another share"
