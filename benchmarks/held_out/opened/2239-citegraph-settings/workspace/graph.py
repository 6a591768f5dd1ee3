from dataclasses import dataclass

import pandas as pd
import torch


@dataclass
class Graph:
    x: torch.Tensor
    y: torch.Tensor
    edge_index: torch.Tensor
    train_mask: torch.Tensor

    @property
    def n_classes(self):
        return int(self.y.max()) + 1


def load_graph(papers, cites, test_from_year, symmetric):
    nodes = pd.read_csv(papers).sort_values("paper")
    words = [c for c in nodes.columns if c.startswith("w")]
    links = pd.read_csv(cites).drop_duplicates()

    edge_index = torch.tensor(links[["src", "dst"]].values.T.copy())
    if symmetric:
        edge_index = torch.cat([edge_index, edge_index.flip(0)], dim=1)
    return Graph(
        x=torch.tensor(nodes[words].values.copy(), dtype=torch.float32),
        y=torch.tensor(nodes["topic"].values.copy()),
        edge_index=edge_index,
        train_mask=torch.tensor((nodes["year"] < test_from_year).values.copy()),
    )
