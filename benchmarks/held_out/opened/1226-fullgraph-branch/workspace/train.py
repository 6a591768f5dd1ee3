import argparse
import time

import torch
import torch.nn.functional as F

from blocks import ResMLP


def batches(n, batch, classes, device):
    protos = torch.randn(classes, 3, 32, 32, device=device)
    for _ in range(n):
        y = torch.randint(0, classes, (batch,), device=device)
        yield protos[y] + torch.randn(batch, 3, 32, 32, device=device), y


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--compile", action="store_true")
    p.add_argument("--steps", type=int, default=40)
    p.add_argument("--batch", type=int, default=128)
    args = p.parse_args()
    torch.manual_seed(0)
    torch.set_float32_matmul_precision("high")
    device = torch.device("cuda")
    model = ResMLP(classes=10).to(device)
    forward = torch.compile(model, fullgraph=True) if args.compile else model
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    start = time.time()
    for step, (x, y) in enumerate(batches(args.steps, args.batch, 10, device)):
        loss = F.cross_entropy(forward(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % 10 == 0:
            torch.cuda.synchronize()
            print(f"step {step} loss {loss.item():.4f} elapsed {time.time() - start:.1f}s")


if __name__ == "__main__":
    main()
