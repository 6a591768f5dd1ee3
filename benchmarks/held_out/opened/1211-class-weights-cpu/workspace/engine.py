import torch


class AverageMeter:
    def __init__(self):
        self.sum, self.n = 0.0, 0

    def update(self, value, n):
        self.sum += value * n
        self.n += n

    @property
    def avg(self):
        return self.sum / max(self.n, 1)


def train_one_epoch(model, loader, criterion, optimizer, scheduler, device):
    model.train()
    meter = AverageMeter()
    for images, targets in loader:
        images = images.to(device, non_blocking=True)
        targets = targets.to(device, non_blocking=True)
        outputs = model(images)
        loss = criterion(outputs, targets)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        scheduler.step()
        meter.update(loss.item(), images.size(0))
    return meter.avg


@torch.no_grad()
def balanced_accuracy(model, loader, device, classes):
    model.eval()
    confusion = torch.zeros(classes, classes, device=device)
    for images, targets in loader:
        pred = model(images.to(device)).argmax(1)
        idx = targets.to(device) * classes + pred
        confusion += torch.bincount(idx, minlength=classes**2).view(classes, classes)
    return (confusion.diag() / confusion.sum(1).clamp(min=1)).mean().item()
