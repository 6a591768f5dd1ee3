import argparse

import torch
import torch.nn.functional as F
from safetensors.torch import load_file

from common import accuracy, convnet, loaders


def kd_loss(student, teacher, y, T, alpha):
    soft = F.kl_div(F.log_softmax(student / T, 1), F.log_softmax(teacher / T, 1),
                    reduction="batchmean", log_target=True) * T * T
    return alpha * soft + (1 - alpha) * F.cross_entropy(student, y)


def load_teacher(path, width, depth):
    net = convnet(width, depth)
    state = load_file(path)
    net.load_state_dict(state)
    return net.eval().requires_grad_(False)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--teacher", required=True)
    for who in ("teacher", "student"):
        p.add_argument(f"--{who}-width", type=int, required=True)
        p.add_argument(f"--{who}-depth", type=int, required=True)
    p.add_argument("--temperature", type=float, default=2.0)
    p.add_argument("--alpha", type=float, default=0.5)
    p.add_argument("--epochs", type=int, default=5)
    a = p.parse_args()

    torch.manual_seed(2)
    teacher = load_teacher(a.teacher, a.teacher_width, a.teacher_depth)
    student = convnet(a.student_width, a.student_depth)
    train, test = loaders()
    print(f"teacher acc {accuracy(teacher, test):.3f}")
    opt = torch.optim.Adam(student.parameters(), 5e-3)
    for ep in range(a.epochs):
        student.train()
        for x, y in train:
            with torch.no_grad():
                t = teacher(x)
            loss = kd_loss(student(x), t, y, a.temperature, a.alpha)
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(f"student epoch {ep}: kd {loss.item():.3f} acc {accuracy(student, test):.3f}")


if __name__ == "__main__":
    main()
