import math
import torch
import torch.nn as nn
import torch.nn.functional as F

PAD = 0
VOCAB = 60
D_MODEL = 32
N_HEADS = 4
MAX_LEN = 20
N_CLASSES = 3


class MultiHeadSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.1):
        super().__init__()
        assert d_model % n_heads == 0
        self.n_heads = n_heads
        self.d_k = d_model // n_heads
        self.qkv = nn.Linear(d_model, 3 * d_model)
        self.proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        B, T, C = x.shape
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q = q.view(B, T, self.n_heads, self.d_k).transpose(1, 2)
        k = k.view(B, T, self.n_heads, self.d_k).transpose(1, 2)
        v = v.view(B, T, self.n_heads, self.d_k).transpose(1, 2)

        scores = q @ k.transpose(-2, -1) / math.sqrt(self.d_k)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        att = self.dropout(F.softmax(scores, dim=-1))
        out = (att @ v).transpose(1, 2).contiguous().view(B, T, C)
        return self.proj(out)


class Block(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.attn = MultiHeadSelfAttention(d_model, n_heads)
        self.ln1 = nn.LayerNorm(d_model)
        self.ln2 = nn.LayerNorm(d_model)
        self.mlp = nn.Sequential(nn.Linear(d_model, 2 * d_model), nn.GELU(), nn.Linear(2 * d_model, d_model))

    def forward(self, x, mask):
        x = x + self.attn(self.ln1(x), mask)
        return x + self.mlp(self.ln2(x))


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok = nn.Embedding(VOCAB, D_MODEL, padding_idx=PAD)
        self.pos = nn.Embedding(MAX_LEN, D_MODEL)
        self.blocks = nn.ModuleList([Block(D_MODEL, N_HEADS) for _ in range(2)])
        self.head = nn.Linear(D_MODEL, N_CLASSES)

    def forward(self, ids):
        mask = (ids != PAD)
        h = self.tok(ids) + self.pos(torch.arange(ids.size(1), device=ids.device))
        for blk in self.blocks:
            h = blk(h, mask)
        m = mask.unsqueeze(-1).float()
        pooled = (h * m).sum(1) / m.sum(1)
        return self.head(pooled)


def toy_batch(bs, gen):
    lengths = torch.randint(6, MAX_LEN + 1, (bs,), generator=gen)
    labels = torch.randint(0, N_CLASSES, (bs,), generator=gen)
    ids = torch.randint(10, VOCAB, (bs, MAX_LEN), generator=gen)
    for i in range(bs):
        ids[i, 2] = 1 + labels[i]
        ids[i, 4] = 1 + labels[i]
        ids[i, lengths[i]:] = PAD
    return ids, labels


if __name__ == "__main__":
    torch.manual_seed(0)
    gen = torch.Generator().manual_seed(0)
    model = Classifier()
    opt = torch.optim.Adam(model.parameters(), lr=2e-3)
    for step in range(1, 201):
        ids, labels = toy_batch(16, gen)
        loss = F.cross_entropy(model(ids), labels)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % 50 == 0:
            print(f"step {step}  loss {loss.item():.4f}")
    model.eval()
    ids, labels = toy_batch(256, gen)
    print("acc", (model(ids).argmax(-1) == labels).float().mean().item())
