import torch.nn as nn
import torch.nn.functional as F


class DistillationLoss(nn.Module):
    """Hinton et al. 2015: alpha * soft + (1 - alpha) * hard."""

    def __init__(self, temperature=4.0, alpha=0.7):
        super().__init__()
        self.T = temperature
        self.alpha = alpha

    def forward(self, student_logits, teacher_logits, labels):
        soft = F.kl_div(F.log_softmax(student_logits / self.T, dim=1),
                        F.softmax(teacher_logits / self.T, dim=1),
                        reduction="batchmean") * self.T ** 2
        hard = F.cross_entropy(student_logits, labels)
        return self.alpha * soft + (1 - self.alpha) * hard, soft.detach(), hard.detach()
