"""Write the page of all checks from their registry.

    python docs/make_checks.py

`tests/checks/test_registry.py` holds the page against the registry.
"""

from __future__ import annotations

from pathlib import Path

from dl_bug_lsp.checks.checking import CHECKS
from dl_bug_lsp.checks.findings import Certainty, Check

PAGE = Path(__file__).resolve().parent / "checks.md"
HEAD = """\
# Before the run

`dl-bug-lsp check [-- COMMAND]` looks for what would make a command fail. It runs nothing.

    dl-bug-lsp check -- python train.py --config configs/base.yaml
    dl-bug-lsp check -- torchrun --nproc-per-node 2 train.py
    dl-bug-lsp check -- bash run.sh          # every command of the script; a SLURM file alike
    dl-bug-lsp check -- make train           # the commands of a target
    dl-bug-lsp check -- launch.json:Train    # a configuration of VS Code
    dl-bug-lsp check                         # the programs of the folder (see below)
    dl-bug-lsp check --gpu 24GB -- python train.py     # and whether a training step fits the card

Libraries are those of the interpreter that the command names (`--python` names another one): an
activated environment, one in the folder (`.venv`, `venv`), else what `PATH` holds. They are read
from files; neither the interpreter nor any module is started or imported. Signatures of libraries
need `pip install 'dl-bug-lsp[check]'`, which installs jedi.

Without a command, the programs are those that launch files start, scripts with a main part
(`if __name__ == "__main__"`) and notebooks; in a folder without any, the scripts that no other file
imports. The last line names the programs that were checked, or says that there was none; `programs`
in JSON. At most 1,000 files of the programs are read. In a large folder, name the command: this is
much quicker than checking all programs.

Checks of trainings apply to programs that import PyTorch, Keras, TensorFlow or JAX. Checks of data
and metrics (`measured-values`, `data-order`, `not-a-number`, `split`) also apply to programs with
scikit-learn, XGBoost or LightGBM, and to training loops written with NumPy.

Every finding has a certainty: **sure** (the run fails there, as far as the files show), **likely**
(unless something that was not read prevents it) or **look** (often intended). In an editor, sure
findings are warnings and likely ones are informations.

| exit code | meaning |
|---|---|
| 0 | nothing is surely wrong |
| 1 | something is; with `--strict` also where it is likely |
| 2 | wrong use |

`--format json` ([schema](check.schema.json)), `sarif` and `github` are for programs.
`dl-bug-lsp run --check -- COMMAND` checks first and does not start the command if an error is sure.

## How a run is followed

The program is followed from its first line with the words of the command, the configs and data
files of the workspace, and shapes and types in place of arrays. The first failure that the run
surely reaches is reported: all conditions before it are known, no handler catches it, and all
sizes that do not fit are known. It is located as after a real run: the finding stands at the likely
cause, and its message says where the run would fail. A loop over data of unknown length is assumed
to run once; then a finding is likely, not sure. An object that is passed to a library is unknown
afterwards. The larger a program is, the more of it cannot be followed: in programs of more than
four files such a finding is at most likely, in programs of more than 25 files at most *look*. It
can still be wrong.

## Memory

`--gpu 24GB` adds up weights, gradients, optimizer states and the activations of one batch, for
trainings in PyTorch that can be followed to their backward pass; for others a note says that there
is no estimate. The answer is a range: from the estimate minus 15 % to the estimate plus 25 % and
0.6 GB for CUDA's context, kernels and the allocator's fragments.
`python benchmarks/memory_estimate.py` compares the estimate with the peak
that PyTorch's profiler measures on a CPU, for twelve models: median error 2 %, largest 20 %.
Three constants (what LSTM, GRU and encoder layers keep) were set by these models. On an H100 with
PyTorch 2.11 (`--device cuda`) the allocator's peaks of the same small models, 90 to 270 MB, lie 2
to 140 MB above the estimates, 70 MB in the median (perhaps what cuBLAS keeps for its work); with
67 MB added the median error is 6 %, the largest 39 %. Models that fill a GPU were not measured.

## Leaving findings out

A comment on the line, in Python, YAML, TOML or shell:

    scores = np.trapz(y, x)  # dl-bug: ignore[missing-library-name]

In `pyproject.toml`:

    [tool.dl-bug-lsp.check]
    ignore = ["number-as-text"]      # checks
    exclude = ["third_party/*"]      # files
    strict = true                    # exit code 1 also for what is likely

## In the editor

![VS Code as a run starts: two findings](../client-vscode/images/before-a-run.png)

`dlBug.check.when` says when: `run` (the default: as a command starts in the terminal), `save` or
`off`; *DL Bug: Check Before a Run* checks the programs of the folder. Libraries are those of the
interpreter that is selected in the editor. Without one, the terminal may have activated another
environment than the server knows: then a missing module is at most likely. Where nothing is wrong,
nothing is shown. Editing a file removes its findings until the next check.

## Before a commit, and in CI

With an installed `dl-bug-lsp`, in `.pre-commit-config.yaml`:

    - repo: local
      hooks:
        - id: dl-bug-check
          name: dl-bug-lsp check
          entry: dl-bug-lsp check        # or: dl-bug-lsp check -- bash run.sh
          language: system
          pass_filenames: false

A commit is refused while there is a sure finding. A repository that contains this one's files can
be named itself (`.pre-commit-hooks.yaml` has the hook `dl-bug-check`). The hook then has
pre-commit's own environment, so name the interpreter of the runs:
`args: [--python, .venv/bin/python]`.

In CI, with the job's packages installed, findings become annotations of a pull request:

    - run: pip install 'dl-bug-lsp[check]'
    - run: dl-bug-lsp check --format github -- python train.py --config configs/base.yaml

## All checks
"""


def page() -> str:
    """Return the page in Markdown."""
    rows = ["| check | category | at most |", "|---|---|---|"]
    rows += [
        f"| [`{check.id}`](#{check.id}) | "
        f"[{check.category}](categories/{check.category}.md) | {check.certainty.value} |"
        for check in CHECKS
    ]
    return "\n".join([HEAD, *rows, "", *(_section(check) for check in CHECKS)])


def _section(check: Check) -> str:
    example = "\n".join(f"    {line}" for line in check.example.splitlines())
    level = "" if check.certainty is Certainty.SURE else f" At most {check.certainty.value}."
    return f"### {check.id}\n\n{check.about}{level} {check.explanation}\n\n{example}\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
