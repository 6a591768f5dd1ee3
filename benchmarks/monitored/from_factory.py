"""Makes workspaces of the factory's silent failures, to be run again with the recorder on.

    PYTHONPATH=benchmarks:. python -m monitored.from_factory --store .factory --mirror FOLDER
        [--half seen|blind] [--most N]

Needs the factory's own interpreter (libcst). Each case is a folder below
``.factory/monitored/factory-HALF``: the faulty workspace, its command and its truth.
``monitored.recording --prepared factory-HALF`` then runs them. Of the blind half nothing is printed
but counts.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path

from factory.catalogue import programs
from factory.score import Located
from factory.storage import Store
from factory.truth import apply

ROOT = Path(__file__).resolve().parents[2]
KINDS: dict[str, tuple[str, ...]] = {
    "activation_changed": ("vanishing_gradients", "output_activation", "hidden_activation_missing",
                           "dying_relu", "double_softmax"),
    "activation_dropped": ("hidden_activation_missing", "output_activation"),
    "backward_dropped": ("backward_missing",),
    "config_learning_rate": ("learning_rate_high", "learning_rate_low"),
    "constant_weights": ("bad_initialisation",),
    "data_labels_shifted": ("labels_misaligned",),
    "hyperparameter_changed": ("learning_rate_high", "learning_rate_low", "regularisation_high",
                               "gradients_clipped_away"),
    "labels_misaligned": ("labels_misaligned",),
    "layer_frozen": ("frozen_layers", "parameters_outside_optimizer"),
    "learning_rate": ("learning_rate_high", "learning_rate_low"),
    "logits_flag": ("double_softmax", "output_activation"),
    "loss_changed": ("wrong_loss", "output_activation"),
    "loss_sign": ("loss_sign",),
    "mode_changed": ("evaluation_in_train_mode", "training_in_eval_mode"),
    "normalization_dropped": ("inputs_not_normalised",),
    "optimizer_step_dropped": ("step_missing",),
    "reduction_changed": ("learning_rate_high", "learning_rate_low", "wrong_loss"),
    "shuffle_off": ("not_shuffled",),
    "softmax_twice": ("double_softmax",),
    "training_order": ("zero_grad_missing", "step_missing", "backward_missing"),
    "zero_grad_dropped": ("zero_grad_missing",),
}  # fmt: skip
"""What the factory's operators of silent faults come to; any of these kinds is right."""
FRAMEWORKS = ("pytorch", "lightning", "transformers", "keras", "tensorflow")


def main() -> None:
    """Make the workspaces that are missing."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--store", type=Path, default=ROOT / ".factory")
    parser.add_argument("--mirror", type=Path)
    parser.add_argument("--half", default="seen", choices=("seen", "blind"))
    parser.add_argument("--python", type=Path, default=Path(sys.executable))
    parser.add_argument("--most", type=int, default=60)
    parser.add_argument("--target", type=Path, default=ROOT / ".factory" / "monitored")
    chosen = parser.parse_args()
    store = Store(chosen.store)
    known = {p.id: p for p in programs(chosen.mirror)}
    records = [
        r
        for r in store.cases(chosen.half)
        if r.get("silent") and r["operator"] in KINDS and r["framework"] in FRAMEWORKS
        and r["program"] in known and known[r["program"]].command[0].startswith("python")
    ]  # fmt: skip
    records.sort(key=lambda r: hashlib.sha256(r["case"].encode()).hexdigest())
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as scratch:
        for record in records[: chosen.most]:
            program = known[record["program"]]
            at = chosen.target / f"factory-{chosen.half}" / record["case"]
            if (at / "truth.json").exists():
                continue
            shutil.rmtree(at, ignore_errors=True)
            try:
                place = Located.of(
                    program, store, chosen.mirror, chosen.python, Path(scratch) / "copy"
                )
                mutation, files = store.mutation(chosen.half, record["source"], record["case"])
                texts = place.copy.texts({edit.file for edit in mutation.edits})
                place.copy.write({**apply(mutation, texts), **files})
            except (OSError, KeyError, ValueError) as error:
                counts[type(error).__name__] += 1
                continue
            shutil.copytree(place.copy.root, at / "work", symlinks=True)
            folder = chosen.store / chosen.half / record["source"] / record["case"]
            told = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
            truth = {
                "program": record["program"], "case": record["case"], "kind": record["operator"],
                "kinds": list(KINDS[record["operator"]]), "operator": record["operator"],
                "lines": [[r["file"], r["line"]] for r in told["root_cause"]],
                "command": list(program.command), "python_path": list(program.python_path),
                "environment": program.environment, "framework": program.framework,
            }  # fmt: skip
            (at / "truth.json").write_text(json.dumps(truth, indent=1))
            counts["made"] += 1
    print(chosen.half, dict(counts), "of", len(records))


if __name__ == "__main__":
    main()
