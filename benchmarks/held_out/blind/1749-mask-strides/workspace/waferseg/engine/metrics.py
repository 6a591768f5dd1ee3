import torch


class IoU:
    def __init__(self, num_classes):
        self.num_classes = num_classes
        self.reset()

    def reset(self):
        self.inter = torch.zeros(self.num_classes)
        self.union = torch.zeros(self.num_classes)

    def add(self, pred, mask):
        for c in range(self.num_classes):
            p, m = pred == c, mask == c
            self.inter[c] += (p & m).sum()
            self.union[c] += (p | m).sum()

    def result(self):
        return self.inter / self.union.clamp(min=1)
