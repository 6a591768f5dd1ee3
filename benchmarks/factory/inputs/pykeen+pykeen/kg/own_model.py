"""An interaction function of one's own, trained on the Nations data set that the library brings."""
import argparse

import torch
from pykeen.datasets import Nations
from pykeen.evaluation import RankBasedEvaluator
from pykeen.losses import MarginRankingLoss
from pykeen.models import ERModel
from pykeen.nn import Embedding, Interaction
from pykeen.training import SLCWATrainingLoop
from torch import nn


class GatedInteraction(Interaction):
    """Relations gate the difference between head and tail."""

    def __init__(self, dim, dropout):
        super().__init__()
        self.gate = nn.Linear(dim, dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, h, r, t):
        gate = torch.sigmoid(self.gate(r))
        return -(self.dropout(gate) * (h - t) + r).norm(p=2, dim=-1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dim", type=int, default=20)
    parser.add_argument("--margin", type=float, default=1.0)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--lr", type=float, default=0.02)
    parser.add_argument("--dropout", type=float, default=0.1)
    args = parser.parse_args()

    dataset = Nations()
    model = ERModel(
        triples_factory=dataset.training,
        interaction=GatedInteraction(args.dim, args.dropout),
        entity_representations=Embedding,
        entity_representations_kwargs={"embedding_dim": args.dim},
        relation_representations=Embedding,
        relation_representations_kwargs={"embedding_dim": args.dim},
        loss=MarginRankingLoss(margin=args.margin),
    )
    loop = SLCWATrainingLoop(
        model=model,
        triples_factory=dataset.training,
        optimizer=torch.optim.Adam(model.get_grad_params(), lr=args.lr),
    )
    losses = loop.train(dataset.training, num_epochs=args.epochs, batch_size=128, use_tqdm=False)
    metrics = RankBasedEvaluator().evaluate(
        model=model,
        mapped_triples=dataset.testing.mapped_triples,
        additional_filter_triples=[dataset.training.mapped_triples, dataset.validation.mapped_triples],
        batch_size=64,
        use_tqdm=False,
    )
    print(f"first loss {losses[0]:.4f}, last loss {losses[-1]:.4f}")
    print(f"mean reciprocal rank {metrics.get_metric('both.realistic.inverse_harmonic_mean_rank'):.4f}")


if __name__ == "__main__":
    main()
