import torch
from torch.utils.data import DataLoader

from coco_data import SceneDataset, collate
from yolo_head import TinyYolo, build_targets, yolo_loss

GRID = 8
EPOCHS = 4


def run(model, loader, optimizer=None):
    model.train(optimizer is not None)
    total = 0.0
    for images, boxes, labels in loader:
        target = build_targets(boxes, labels, GRID, model.num_classes)
        loss = yolo_loss(model(images), target)
        if optimizer:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        total += loss.item()
    return total / len(loader)


def main():
    torch.manual_seed(0)
    train_ds = SceneDataset("scenes", "annotations.json", "train")
    val_ds = SceneDataset("scenes", "annotations.json", "val")
    print("classes:", [c["name"] for c in train_ds.categories])
    print("images :", len(train_ds), len(val_ds))

    train_dl = DataLoader(train_ds, batch_size=4, shuffle=True, collate_fn=collate)
    val_dl = DataLoader(val_ds, batch_size=4, collate_fn=collate)

    model = TinyYolo(GRID, train_ds.num_classes)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
    for epoch in range(EPOCHS):
        train_loss = run(model, train_dl, optimizer)
        with torch.no_grad():
            val_loss = run(model, val_dl)
        print(f"epoch {epoch}  train {train_loss:.3f}  val {val_loss:.3f}")


if __name__ == "__main__":
    main()
