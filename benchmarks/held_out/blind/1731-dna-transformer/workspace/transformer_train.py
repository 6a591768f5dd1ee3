import json
import torch
from torch import nn

with open("settings.json") as f:
    cfg = json.load(f)

torch.manual_seed(cfg["seed"])


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=100):
        super().__init__()
        pos = torch.arange(max_len).unsqueeze(1)
        i = torch.arange(0, d_model, 2)
        angle = pos / torch.pow(10000, i / d_model)
        pe = torch.zeros(max_len, d_model)
        pe[:, 0::2] = torch.sin(angle)
        pe[:, 1::2] = torch.cos(angle)
        self.register_buffer("pe", pe)

    def forward(self, x):
        return x + self.pe[: x.size(1)]


class DNAClassifier(nn.Module):
    def __init__(self, vocab_size, d_model, nhead, num_layers, dim_ff, num_classes):
        super().__init__()
        self.emb = nn.Embedding(vocab_size, d_model)
        self.pos = PositionalEncoding(d_model)
        layer = nn.TransformerEncoderLayer(d_model, nhead, dim_ff, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, num_layers)
        self.head = nn.Linear(d_model, num_classes)

    def forward(self, x):
        z = self.encoder(self.pos(self.emb(x)))
        return self.head(z.mean(dim=1))


alphabet = "ACGT"


def random_batch(n):
    x = torch.randint(0, 4, (n, cfg["seq_len"]))
    # class 1: sequence with more G/C than A/T
    gc = ((x == 1) | (x == 2)).sum(1)
    y = (gc > cfg["seq_len"] // 2).long()
    return x, y


m = cfg["model"]
model = DNAClassifier(len(alphabet), m["d_model"], m["nhead"], m["num_layers"], m["dim_ff"], 2)
print("parameters:", sum(p.numel() for p in model.parameters()))
opt = torch.optim.AdamW(model.parameters(), lr=cfg["lr"])
ce = nn.CrossEntropyLoss()
for it in range(cfg["iters"]):
    x, y = random_batch(cfg["batch_size"])
    loss = ce(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 20 == 0:
        print(it, loss.item())

model.eval()
x, y = random_batch(256)
print("acc", (model(x).argmax(-1) == y).float().mean().item())
