import argparse
import json

import torch
import torch.nn.functional as F

from digits import accuracy, loaders
from nets import Student, Teacher


def kd_loss(student, teacher, labels, temperature, alpha):
    soft = F.kl_div(
        F.log_softmax(student / temperature, dim=1),
        F.softmax(teacher / temperature, dim=1),
        reduction="batchmean",
    )
    return alpha * temperature**2 * soft + (1 - alpha) * F.cross_entropy(student, labels)


def load_teacher(path):
    teacher = Teacher()
    teacher.load_state_dict(torch.load(path, map_location="cpu")["state"])
    return teacher.eval().requires_grad_(False)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--teacher", default="teacher.pt")
    p.add_argument("--config", default="kd.json")
    args = p.parse_args()
    with open(args.config) as f:
        cfg = json.load(f)

    torch.manual_seed(cfg["seed"])
    train, test = loaders(cfg["batch_size"])
    teacher = load_teacher(args.teacher)
    student = Student(cfg["hidden"])
    opt = torch.optim.Adam(student.parameters(), lr=cfg["lr"])
    print(f"teacher acc {accuracy(teacher, test):.3f}")
    for epoch in range(cfg["epochs"]):
        student.train()
        for x, y in train:
            loss = kd_loss(student(x), teacher(x), y, cfg["temperature"], cfg["alpha"])
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(f"student epoch {epoch}: acc {accuracy(student, test):.3f}")


if __name__ == "__main__":
    main()
