from torch import nn


class TicketNet(nn.Module):
    def __init__(self, n_words, tasks, embed, hidden):
        super().__init__()
        self.bag = nn.EmbeddingBag(n_words + 1, embed, mode="mean")
        self.trunk = nn.Sequential(nn.Linear(embed, hidden), nn.GELU(), nn.Dropout(0.1))
        self.heads = nn.ModuleDict({name: nn.Linear(hidden, t["size"]) for name, t in vars(tasks).items()})

    def forward(self, flat, offsets):
        h = self.trunk(self.bag(flat, offsets))
        return {name: head(h) for name, head in self.heads.items()}
