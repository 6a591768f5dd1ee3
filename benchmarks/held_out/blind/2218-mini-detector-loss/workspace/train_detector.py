import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)
IMG = 64
GRID = 8


class Rectangles(Dataset):
    """Gray images with 1 to 4 bright boxes, target in the torchvision style."""

    def __init__(self, n, seed=0):
        g = torch.Generator().manual_seed(seed)
        self.items = []
        for _ in range(n):
            img = torch.rand(1, IMG, IMG, generator=g) * 0.2
            k = int(torch.randint(1, 5, (1,), generator=g))
            boxes = []
            for _ in range(k):
                w, h = torch.randint(8, 20, (2,), generator=g).tolist()
                x = int(torch.randint(0, IMG - w, (1,), generator=g))
                y = int(torch.randint(0, IMG - h, (1,), generator=g))
                img[:, y : y + h, x : x + w] = 0.9
                boxes.append([x, y, x + w, y + h])
            target = {
                "boxes": torch.tensor(boxes, dtype=torch.float32),
                "labels": torch.ones(k, dtype=torch.int64),
            }
            self.items.append((img, target))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


def collate_fn(batch):
    images, targets = zip(*batch)
    return torch.stack(images), list(targets)


class TinyDetector(nn.Module):
    def __init__(self):
        super().__init__()
        layers, c = [], 1
        for out in (8, 16, 32):
            layers += [nn.Conv2d(c, out, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)]
            c = out
        self.backbone = nn.Sequential(*layers)
        self.head = nn.Conv2d(c, 5, 1)

    def forward(self, x):
        return self.head(self.backbone(x))


def encode(targets):
    """list of targets -> objectness (B,G,G) and box map (B,4,G,G)"""
    obj = torch.zeros(len(targets), GRID, GRID)
    box = torch.zeros(len(targets), 4, GRID, GRID)
    cell = IMG / GRID
    for b, t in enumerate(targets):
        for x1, y1, x2, y2 in t["boxes"].tolist():
            cx, cy = (x1 + x2) / 2, (y1 + y2) / 2
            col, row = int(cx // cell), int(cy // cell)
            obj[b, row, col] = 1.0
            box[b, :, row, col] = torch.tensor([cx, cy, x2 - x1, y2 - y1]) / IMG
    return obj, box


def train(epochs=2):
    train_set = Rectangles(200)
    loader = DataLoader(train_set, batch_size=16, shuffle=True, collate_fn=collate_fn)
    model = TinyDetector()
    opt = torch.optim.Adam(model.parameters(), lr=2e-3)
    for epoch in range(epochs):
        total = 0.0
        for images, targets in loader:
            out = model(images)
            obj, box = encode(targets)
            l_obj = F.binary_cross_entropy_with_logits(out[:, 0], obj, pos_weight=torch.tensor(10.0))
            l_box = (obj * (out[:, 1:] - box) ** 2).sum() / obj.sum()
            loss = l_obj + 5 * l_box
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
        print(f"epoch {epoch} loss {total / len(loader):.3f}")
    return model


if __name__ == "__main__":
    model = train()
    torch.save(model.state_dict(), "detector.pt")
