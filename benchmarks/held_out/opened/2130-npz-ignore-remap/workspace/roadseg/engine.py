import torch


def train_epoch(model, loader, criterion, optimizer, epoch, log_every):
    model.train()
    for step, (images, labels) in enumerate(loader):
        logits = model(images)
        loss = criterion(logits, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % log_every == 0:
            print(f"epoch {epoch} step {step:3d} loss {loss.item():.4f}")


@torch.no_grad()
def mean_iou(model, loader, num_classes):
    model.eval()
    confusion = torch.zeros(num_classes, num_classes, dtype=torch.long)
    for images, labels in loader:
        pred = model(images).argmax(1)
        flat = labels.reshape(-1) * num_classes + pred.reshape(-1)
        confusion += torch.bincount(flat, minlength=num_classes ** 2).view(num_classes, num_classes)
    inter = confusion.diag().float()
    union = confusion.sum(0) + confusion.sum(1) - confusion.diag()
    return (inter / union.clamp(min=1)).mean().item()
