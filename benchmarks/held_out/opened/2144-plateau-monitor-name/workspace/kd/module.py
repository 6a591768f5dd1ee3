import lightning as L
import torch
import torch.nn.functional as F

from .nets import build_mlp


class Distiller(L.LightningModule):
    def __init__(self, student, teacher, kd, optim):
        super().__init__()
        self.student = student
        self.teacher = teacher.eval().requires_grad_(False)
        self.kd = kd
        self.optim = optim

    def training_step(self, batch, _):
        x, y = batch
        logits = self.student(x)
        with torch.no_grad():
            soft = self.teacher(x)
        T = self.kd.temperature
        soft_loss = F.kl_div(F.log_softmax(logits / T, -1), F.softmax(soft / T, -1), reduction="batchmean") * T * T
        hard_loss = F.cross_entropy(logits, y)
        loss = self.kd.alpha * soft_loss + (1 - self.kd.alpha) * hard_loss
        self.log("train/loss", loss)
        return loss

    def validation_step(self, batch, _):
        x, y = batch
        logits = self.student(x)
        self.log("val/loss", F.cross_entropy(logits, y))
        self.log("val/acc", (logits.argmax(-1) == y).float().mean())

    def configure_optimizers(self):
        opt = torch.optim.Adam(self.student.parameters(), lr=self.optim.lr)
        p = self.optim.plateau
        sched = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, patience=p.patience, factor=p.factor)
        return {"optimizer": opt, "lr_scheduler": {"scheduler": sched, "monitor": p.monitor}}


def load_teacher(cfg):
    teacher = build_mlp(cfg.teacher)
    weights = torch.load(cfg.teacher_weights, map_location="cpu")
    teacher.load_state_dict(weights)
    return teacher
