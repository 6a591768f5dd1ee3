import argparse

import torch
import torch.nn.functional as F

from common import accuracy, digit_loaders
from nets import Student, Teacher


def parse():
    p = argparse.ArgumentParser(description="Knowledge distillation on digits")
    p.add_argument("--teacher", required=True, help="checkpoint of the teacher")
    p.add_argument("--teacher-width", type=int, default=96)
    p.add_argument("--student-width", type=int, default=12)
    p.add_argument("--temperature", type=float, default=3.0)
    p.add_argument("--alpha", type=float, default=0.7)
    p.add_argument("--epochs", type=int, default=3)
    p.add_argument("--lr", type=float, default=3e-3)
    return p.parse_args()


def load_teacher(path, width):
    teacher = Teacher(width)
    ckpt = torch.load(path, map_location="cpu")
    teacher.load_state_dict(ckpt["model"])
    teacher.eval()
    for prm in teacher.parameters():
        prm.requires_grad_(False)
    return teacher


def kd_loss(student_logits, teacher_logits, y, T, alpha):
    soft = F.kl_div(
        F.log_softmax(student_logits / T, dim=1),
        F.softmax(teacher_logits / T, dim=1),
        reduction="batchmean",
    ) * T * T
    return alpha * soft + (1 - alpha) * F.cross_entropy(student_logits, y)


def main():
    args = parse()
    torch.manual_seed(0)
    train, test = digit_loaders()
    teacher = load_teacher(args.teacher, args.teacher_width)
    print(f"teacher accuracy {accuracy(teacher, test):.3f}")

    student = Student(args.student_width)
    opt = torch.optim.Adam(student.parameters(), lr=args.lr)
    for epoch in range(args.epochs):
        student.train()
        for x, y in train:
            with torch.no_grad():
                t_logits = teacher(x)
            loss = kd_loss(student(x), t_logits, y, args.temperature, args.alpha)
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(f"student epoch {epoch} loss {loss.item():.3f} acc {accuracy(student, test):.3f}")


if __name__ == "__main__":
    main()
