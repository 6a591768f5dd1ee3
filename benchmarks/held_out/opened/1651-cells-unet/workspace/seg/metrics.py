import torch


class MeanIoU:
    def __init__(self, num_classes):
        self.num_classes = num_classes
        self.matrix = torch.zeros(num_classes, num_classes, dtype=torch.long)

    def update(self, logits, target):
        pred = logits.argmax(1)
        index = target.flatten() * self.num_classes + pred.flatten()
        counts = torch.bincount(index, minlength=self.num_classes**2)
        self.matrix += counts.reshape(self.num_classes, self.num_classes)

    def compute(self):
        inter = self.matrix.diag().float()
        union = self.matrix.sum(0) + self.matrix.sum(1) - self.matrix.diag()
        return (inter / union.clamp(min=1)).mean().item()
