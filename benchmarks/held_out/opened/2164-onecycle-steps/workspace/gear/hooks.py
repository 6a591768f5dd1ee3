import json
import os

import torch

from .registry import HOOKS


class Hook:
    def on_fit_start(self, tr): ...
    def on_step_end(self, tr): ...
    def on_epoch_end(self, tr, metrics): ...


@HOOKS.register("printer")
class Printer(Hook):
    def on_epoch_end(self, tr, metrics):
        body = "  ".join(f"{k}={v:.4f}" for k, v in metrics.items())
        print(f"epoch {tr.epoch:02d}  step {tr.step:04d}  {body}")


@HOOKS.register("lr_stepper")
class LrStepper(Hook):
    def on_step_end(self, tr):
        tr.scheduler.step()


@HOOKS.register("saver")
class Saver(Hook):
    def __init__(self, run_dir):
        self.run_dir = run_dir
        self.best = -1.0

    def on_fit_start(self, tr):
        os.makedirs(self.run_dir, exist_ok=True)

    def on_epoch_end(self, tr, metrics):
        state = {
            "model": tr.model.state_dict(),
            "optimizer": tr.optimizer.state_dict(),
            "scheduler": tr.scheduler.state_dict(),
            "epoch": tr.epoch,
            "step": tr.step,
        }
        torch.save(state, os.path.join(self.run_dir, "last.pt"))
        if metrics["val_acc"] > self.best:
            self.best = metrics["val_acc"]
            torch.save(tr.model.state_dict(), os.path.join(self.run_dir, "best.pt"))
        with open(os.path.join(self.run_dir, "history.jsonl"), "a") as fh:
            fh.write(json.dumps({"epoch": tr.epoch, **metrics}) + "\n")
