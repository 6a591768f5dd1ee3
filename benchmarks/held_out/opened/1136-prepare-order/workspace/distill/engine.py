"""Everything that touches the Accelerator."""
import json
import math
from pathlib import Path

import torch
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import set_seed

from .losses import distillation
from .models import create
from .shapes import make_loaders


def warmup_cosine(optimizer, total, ratio):
    warm = max(1, int(total * ratio))

    def factor(step):
        if step < warm:
            return (step + 1) / warm
        return 0.5 * (1 + math.cos(math.pi * (step - warm) / max(1, total - warm)))

    return torch.optim.lr_scheduler.LambdaLR(optimizer, factor)


class Engine:
    def __init__(self, cfg):
        self.cfg = cfg
        set_seed(cfg.data.seed)
        self.accelerator = Accelerator(cpu=True, gradient_accumulation_steps=cfg.train.accumulate)
        self.train_loader, self.test_loader = make_loaders(**cfg.data)
        self.teacher = create(cfg.teacher)
        self.student = create(cfg.student)
        self.history = []

    def say(self, *what):
        self.accelerator.print(*what)

    @torch.no_grad()
    def accuracy(self, model):
        model.eval()
        hits = []
        for x, y in self.test_loader:
            guess, y = self.accelerator.gather_for_metrics((model(x).argmax(-1), y))
            hits.append((guess == y).float())
        return torch.cat(hits).mean().item()

    def fit_teacher(self):
        spec = self.cfg.teacher
        opt = torch.optim.Adam(self.teacher.parameters(), lr=spec.lr)
        self.teacher, opt, self.train_loader, self.test_loader = self.accelerator.prepare(
            self.teacher, self.train_loader, self.test_loader, opt
        )
        for epoch in range(spec.epochs):
            self.teacher.train()
            for x, y in self.train_loader:
                loss = F.cross_entropy(self.teacher(x), y)
                self.accelerator.backward(loss)
                opt.step()
                opt.zero_grad()
            self.say(f"teacher epoch {epoch}: loss {loss.item():.3f} accuracy {self.accuracy(self.teacher):.3f}")
        self.teacher.requires_grad_(False).eval()

    def distill(self):
        t = self.cfg.train
        opt = torch.optim.AdamW(self.student.parameters(), lr=t.lr)
        sched = warmup_cosine(opt, t.epochs * len(self.train_loader) // t.accumulate, t.warmup_ratio)
        self.student, opt, sched = self.accelerator.prepare(self.student, opt, sched)
        step = 0
        for epoch in range(t.epochs):
            self.student.train()
            for x, y in self.train_loader:
                with self.accelerator.accumulate(self.student):
                    loss = distillation(self.student(x), self.teacher(x), y, t.temperature, t.alpha)
                    self.accelerator.backward(loss)
                    if self.accelerator.sync_gradients:
                        self.accelerator.clip_grad_norm_(self.student.parameters(), t.max_norm)
                    opt.step()
                    sched.step()
                    opt.zero_grad()
                step += 1
                if step % self.cfg.tracking.every == 0:
                    self.history.append({"step": step, "loss": loss.item(), "lr": sched.get_last_lr()[0]})
            self.say(f"student epoch {epoch}: accuracy {self.accuracy(self.student):.3f}")

    def finish(self):
        out = Path(self.cfg.tracking.dir)
        self.accelerator.wait_for_everyone()
        if self.accelerator.is_main_process:
            out.mkdir(parents=True, exist_ok=True)
            (out / "history.json").write_text(json.dumps(self.history, indent=1))
        self.accelerator.save_model(self.student, out / "student")
        self.say("files:", sorted(str(p) for p in out.rglob("*.*") if p.is_file()))
