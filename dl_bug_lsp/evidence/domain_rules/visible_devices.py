"""Rules for jobs that see no GPU, or fewer than they name.

``CUDA_VISIBLE_DEVICES`` is a list of numbers or names; where it is empty, or its first entry is no
device, no device is visible (CUDA C++ Programming Guide, "CUDA Environment Variables").
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue

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
