import argparse

import torch

from kd.checkpoints import load_teacher
from kd.digits import digit_loaders
from kd.losses import DistillationLoss
from kd.loops import accuracy, freeze
from kd.nets import StudentNet


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--teacher", default="ckpt/teacher.pt")
    ap.add_argument("--hidden", type=int, default=16)
    ap.add_argument("--epochs", type=int, default=10)
    ap.add_argument("--lr", type=float, default=5e-3)
    ap.add_argument("--temperature", type=float, default=4.0)
    ap.add_argument("--alpha", type=float, default=0.7)
    args = ap.parse_args()

    torch.manual_seed(1)
    train_loader, test_loader = digit_loaders(batch_size=50)
    teacher = freeze(load_teacher(args.teacher))
    student = StudentNet(args.hidden)
    n_t, n_s = (sum(p.numel() for p in m.parameters()) for m in (teacher, student))
    print(f"teacher {n_t} parameters, student {n_s} parameters ({n_t / n_s:.1f}x smaller)")

    criterion = DistillationLoss(args.temperature, args.alpha)
    optimizer = torch.optim.Adam(student.parameters(), lr=args.lr)
    for epoch in range(args.epochs):
        for x, y in train_loader:
            with torch.no_grad():
                guide = teacher(x)
            loss, soft, hard = criterion(student(x), guide, y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"[student] epoch {epoch} soft {soft:.3f} hard {hard:.3f} "
              f"test acc {accuracy(student, test_loader):.3f}")


if __name__ == "__main__":
    main()
