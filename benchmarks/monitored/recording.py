"""Runs programs with the recorder on, clean and with each fault, and keeps what was recorded.

    python -m monitored.recording [--half seen|blind] [--only TEXT] [--clean SEEDS] [--faults MOST]

To be run from ``benchmarks/`` by an interpreter that has the frameworks (``.venv-fixtures``). For
each framework one warm process forks for each run, so that the frameworks are imported once. Cases
lie in ``.factory/monitored/HALF/CASE``: the faulty program, ``log.txt``, ``training.db``,
``truth.json``. What stands there already is left alone.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import resource
import runpy
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
for folder in (ROOT, HERE.parent):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))

from monitored import faults  # noqa: E402

STORE = Path(os.environ.get("DL_BUG_MONITORED", ROOT / ".factory" / "monitored"))
SECONDS = 240
MEMORY = 10 << 30
SOFT = 0.10
"""A fault counts where the metric is worse than the worst clean run by a tenth."""
SEEDED = re.compile(
    r"((?:SEED|seed) = |\"seed\": |^seed: |seed: int = |manual_seed\(|random_state="
    r"|set_random_seed\(|seed_everything\("
    r"|set_seed\(|RandomState\(|default_rng\(|np\.random\.seed\(|(?<!np\.)random\.seed\()(\d+)",
    re.MULTILINE,
)
WARM = {
    "torch": ("torch", "sklearn.datasets", "sklearn.model_selection", "sklearn.preprocessing",
              "sklearn.metrics", "torch.utils.data", "yaml"),
    "keras": ("sklearn.datasets", "sklearn.model_selection", "sklearn.preprocessing", "tensorflow",
              "keras"),
    "lightning": ("torch", "sklearn.datasets", "lightning", "pytorch_lightning"),
    "transformers": ("torch", "transformers", "transformers.trainer",
                     "transformers.models.bert.modeling_bert",
                     "transformers.models.gpt2.modeling_gpt2"),
}  # fmt: skip


def framework_of(text: str) -> str:
    """Return which frameworks a program needs warm."""
    for word in ("transformers", "lightning", "keras"):
        if re.search(rf"^\s*(?:import|from) \w*{word}", text, re.MULTILINE):
            return word
    return "torch"


def seeded(text: str, by: int) -> str:
    """Return a program or config with other seeds."""
    return SEEDED.sub(lambda m: f"{m[1]}{int(m[2]) + 100 * by}", text) if by else text


def metric_of(program: str, output: str) -> tuple[float | None, bool]:
    """Return the last value of a program's metric, None if unprinted, and if higher is better."""
    head = re.search(r"^# metric: (.*) (higher|lower)$", program, re.MULTILINE)
    if head is None:
        return None, True
    values = re.findall(head[1], output)
    return (float(values[-1]) if values else None), head[2] == "higher"


def config_of(program: str, folder: Path) -> Path | None:
    """Return the config file that a program names at its head."""
    head = re.search(r"^# config: (\S+)$", program, re.MULTILINE)
    return folder / head[1] if head else None


def wanted(half: str, only: str, seeds: int, most: int) -> Iterator[dict[str, Any]]:
    """Yield the cases of a half: clean runs, then ``most`` of each operator and framework."""
    folder = HERE / "programs" / half
    for path in sorted(folder.glob("*.py")):
        for seed in range(seeds):
            yield {"program": path.name, "case": f"{path.stem}-clean-{seed}", "seed": seed,
                   "kind": None, "operator": None, "lines": [], "file": path.name,
                   "text": seeded(path.read_text(), seed)}  # fmt: skip
    made: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for path in sorted(folder.glob("*.py")):
        text = path.read_text()
        files = [path]
        config = config_of(text, folder)
        if config is not None:
            files.append(config)
        for file in files:
            for variant in faults.variants(file.name, file.read_text(), 1):
                # A config is no program: only numbers in it are changed.
                made.setdefault((variant.operator, framework_of(text)), []).append(
                    {"program": path.name, "case": f"{path.stem}-{variant.operator}", "seed": 0,
                     "kind": variant.kind, "operator": variant.operator, "file": file.name,
                     "lines": list(variant.lines), "text": variant.text}
                )  # fmt: skip
    for cases in made.values():
        cases.sort(key=lambda c: hashlib.sha256(c["case"].encode()).hexdigest())
        for case in cases[:most]:
            if only in case["case"]:
                yield case


def prepare(case: dict[str, Any], half: str) -> Path:
    """Make the workspace of a case."""
    at = STORE / half / case["case"]
    shutil.rmtree(at, ignore_errors=True)
    work = at / "work"
    work.mkdir(parents=True)
    folder = HERE / "programs" / half
    program = (folder / case["program"]).read_text()
    (work / case["program"]).write_text(_without_head(program))
    config = config_of(program, folder)
    if config is not None:
        shutil.copy(config, work / config.name)
    (work / case["file"]).write_text(_without_head(case["text"]))
    return at


def _without_head(text: str) -> str:
    """Blank the lines that tell the recording what to expect; lines keep their numbers."""
    return re.sub(r"^# (?:metric|config): .*$", "#", text, flags=re.MULTILINE)


def child(at: Path, command: list[str], environment: dict[str, str], python_path: list[str]) -> int:
    """Run ``python command…`` in this process with the recorder on; ``-m module`` is known."""
    work = at / "work"
    os.chdir(work)
    words = [word for word in command if word != "-u"]
    is_module = words[0] == "-m"
    words = words[1:] if is_module else words
    program = words[0]
    log = os.open(at / "log.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    os.dup2(log, 1)
    os.dup2(log, 2)
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    sys.argv = list(words)
    os.environ.update(environment)
    sys.path[1:1] = [str(work / entry) for entry in python_path]
    sys.path[0] = str(work if is_module else (work / program).parent)
    from dl_bug_lsp.monitoring.recorder.starting import start

    code = 0
    (work / ".dlbug" / "monitoring" / "s").mkdir(parents=True, exist_ok=True)
    recorder = start(
        str(work / ".dlbug" / "monitoring" / "s"), str(work), "s", f'["python", "{program}"]'
    )
    try:
        if is_module:
            runpy.run_module(program, run_name="__main__", alter_sys=True)
        else:
            runpy.run_path(program, run_name="__main__")
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except BaseException as error:
        sys.last_type = type(error)
        traceback.print_exc()
        code = 1
    recorder.end()
    sys.stdout.flush()
    sys.stderr.flush()
    return code


def warm(framework: str, cases: list[dict[str, Any]], half: str) -> None:
    """Import a framework, then fork for each case; the parent waits, and ends what hangs."""
    os.environ.update(
        {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1",
         "TF_NUM_INTRAOP_THREADS": "1", "TF_NUM_INTEROP_THREADS": "1", "TF_CPP_MIN_LOG_LEVEL": "3",
         "CUDA_VISIBLE_DEVICES": "", "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
    )  # fmt: skip
    for name in (*WARM[framework], "dl_bug_lsp.monitoring.store"):
        __import__(name)
    if framework != "keras":
        sys.modules["torch"].set_num_threads(1)
    for case in cases:
        at = prepare(case, half) if "at" not in case else case["at"]
        began = time.time()
        process = os.fork()
        if process == 0:
            code = 1
            try:
                code = child(at, case.get("command") or [case["program"]],
                             case.get("environment", {}), case.get("python_path", []))  # fmt: skip
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(code)
        code = _wait(process)
        finish(at, case, half, code, time.time() - began, is_prepared="at" in case)


def _wait(process: int) -> int:
    began = time.time()
    while time.time() - began < SECONDS:
        done, status = os.waitpid(process, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.05)
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    return 124


def finish(
    at: Path, case: dict[str, Any], half: str, code: int, seconds: float, *, is_prepared: bool
) -> None:
    """Take the journals in and write what is known of the case."""
    from dl_bug_lsp.monitoring.store import take_in, training_file

    work = at / "work"
    runs = take_in(work, "s")
    database = training_file(work)
    if database.exists():
        shutil.move(database, at / "training.db")
    shutil.rmtree(work / ".dlbug", ignore_errors=True)
    shown = case["case"] if "seen" in half else "(blind)"
    print(shown, "code", code, f"{seconds:.1f}s", "runs", len(runs), flush=True)
    if is_prepared:
        truth = json.loads((at / "truth.json").read_text())
        truth |= {"code": code, "seconds": round(seconds, 2), "runs": len(runs)}
        (at / "truth.json").write_text(json.dumps(truth, indent=1))
        return
    output = (at / "log.txt").read_text(errors="replace")
    value, higher = metric_of((HERE / "programs" / half / case["program"]).read_text(), output)
    truth = {
        key: case[key] for key in ("program", "case", "seed", "kind", "operator", "file", "lines")
    }
    truth |= {
        "code": code,
        "seconds": round(seconds, 2),
        "metric": value,
        "higher": higher,
        "runs": len(runs),
    }
    (at / "truth.json").write_text(json.dumps(truth, indent=1))


FAMILIES = {"pytorch": "torch", "tensorflow": "keras"}


def prepared(name: str) -> Iterator[dict[str, Any]]:
    """Yield the cases of a folder whose workspaces stand already, and that were not run yet."""
    for file in sorted((STORE / name).glob("*/truth.json")):
        truth = json.loads(file.read_text())
        if "code" not in truth:
            words = truth["command"][1:]
            yield {**truth, "command": words, "at": file.parent}


def main() -> None:
    """Record what is missing."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--half", default="seen", choices=("seen", "blind"))
    parser.add_argument("--only", default="")
    parser.add_argument("--skip", default="", help="operators that are left for later")
    parser.add_argument("--clean", type=int, default=3)
    parser.add_argument("--faults", type=int, default=4)
    parser.add_argument("--prepared", default="", help="a folder that from_factory made")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--framework", default="")
    chosen = parser.parse_args()
    by: dict[str, list[dict[str, Any]]] = {}
    for case in prepared(chosen.prepared) if chosen.prepared else ():
        by.setdefault(FAMILIES.get(case["framework"], case["framework"]), []).append(case)
    if chosen.prepared:
        chosen.half = chosen.prepared
    missing = (
        () if chosen.prepared else wanted(chosen.half, chosen.only, chosen.clean, chosen.faults)
    )
    for case in missing:
        stands = (STORE / chosen.half / case["case"] / "truth.json").exists()
        skipped = case["operator"] in chosen.skip.split(",") if case["operator"] else False
        if chosen.only in case["case"] and not skipped and (chosen.again or not stands):
            program = (HERE / "programs" / chosen.half / case["program"]).read_text()
            by.setdefault(framework_of(program), []).append(case)
    for framework, cases in by.items():
        if chosen.framework not in ("", framework):
            continue
        process = os.fork()
        if process == 0:
            try:
                warm(framework, cases, chosen.half)
            except BaseException:
                traceback.print_exc()
                os._exit(1)
            os._exit(0)
        os.waitpid(process, 0)


if __name__ == "__main__":
    main()
