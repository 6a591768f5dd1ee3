"""Train a small scorer, then attribute its decisions to the input columns."""
import argparse

import torch
import torch.nn.functional as F
from captum.attr import (
    FeatureAblation,
    IntegratedGradients,
    LayerIntegratedGradients,
    ShapleyValueSampling,
)
from model import Scorer

COLUMNS = ["age", "income", "visits", "distance"]
CATEGORIES = [5, 3]


def make_data(size):
    numbers = torch.randn(size, len(COLUMNS))
    codes = torch.stack([torch.randint(n, (size,)) for n in CATEGORIES], dim=1)
    score = 2 * numbers[:, 1] - numbers[:, 3] + (codes[:, 0] == 2).float()
    return numbers, codes, torch.bucketize(score, torch.tensor([-1.0, 1.0]))


def fit(model, numbers, codes, labels, steps):
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    for _ in range(steps):
        loss = F.cross_entropy(model(numbers, codes), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=80)
    parser.add_argument("--n-steps", type=int, default=20, help="steps of the path integral")
    parser.add_argument("--rows", type=int, default=16)
    args = parser.parse_args()

    numbers, codes, labels = make_data(400)
    model = Scorer(len(COLUMNS), CATEGORIES)
    print(f"loss {fit(model, numbers, codes, labels, args.steps):.4f}")
    model.eval()
    x, c = numbers[: args.rows], codes[: args.rows]
    target = model(x, c).argmax(dim=1)

    gradients = IntegratedGradients(model)
    values, delta = gradients.attribute(
        x, baselines=torch.zeros_like(x), target=target, additional_forward_args=(c,),
        n_steps=args.n_steps, return_convergence_delta=True,
    )
    ablation = FeatureAblation(model).attribute(x, target=target, additional_forward_args=c)
    shapley = ShapleyValueSampling(model).attribute(
        x, target=target, additional_forward_args=c, n_samples=5
    )
    for i, name in enumerate(COLUMNS):
        row = [v[:, i].abs().mean().item() for v in (values, ablation, shapley)]
        print(f"{name:10s}", " ".join(f"{v:.3f}" for v in row))

    layer = LayerIntegratedGradients(model, model.embeddings[0])
    by_layer = layer.attribute(
        (x, c), baselines=(torch.zeros_like(x), torch.zeros_like(c)), target=target, n_steps=10
    )
    print("layer", tuple(by_layer.shape))
    print(f"mean delta {delta.abs().mean().item():.4f}")


if __name__ == "__main__":
    main()
