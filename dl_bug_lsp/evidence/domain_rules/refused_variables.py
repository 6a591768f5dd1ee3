"""Environment variables whose value a library refuses: where they are set.

Libraries read their variables when they start or first reach a device, far from where these are
set, and many messages do not name the variable.
Sources: PyTorch ("CUDA semantics", "Memory management"; ``CUDAAllocatorConfig.cpp``; "torch
environment variables"), XLA (``parse_flags_from_env.cc``), JAX ("Configuration options"), Keras
("Configuring your backend"), OpenMP ("Environment Variables"), NCCL ("Environment Variables"),
Hugging Face Hub ("Environment variables"), MuJoCo (``dm_control``), Python ("Command line and
environment"), ld.so(8).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue

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
