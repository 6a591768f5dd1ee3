import json
import math
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(1337)
cfg = json.load(open("config.json"))
data_cfg, model_cfg, optim_cfg = cfg["data"], cfg["model"], cfg["optim"]


class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, seq_len, dropout):
        super().__init__()
        self.n_heads = n_heads
        self.head_dim = d_model // n_heads
        self.qkv = nn.Linear(d_model, 3 * d_model)
        self.proj = nn.Linear(d_model, d_model)
        self.drop = nn.Dropout(dropout)
        self.register_buffer("mask", torch.tril(torch.ones(seq_len, seq_len)).bool())

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = self.qkv(x).split(C, dim=2)
        q = q.view(B, T, self.n_heads, self.head_dim).transpose(1, 2)
        k = k.view(B, T, self.n_heads, self.head_dim).transpose(1, 2)
        v = v.view(B, T, self.n_heads, self.head_dim).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) / math.sqrt(self.head_dim)
        att = att.masked_fill(~self.mask[:T, :T], float("-inf"))
        att = self.drop(F.softmax(att, dim=-1))
        y = (att @ v).transpose(1, 2).contiguous().view(B, T, C)
        return self.proj(y)


class Block(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, seq_len, dropout):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.attn = CausalSelfAttention(d_model, n_heads, seq_len, dropout)
        self.mlp = nn.Sequential(nn.Linear(d_model, d_ff), nn.GELU(), nn.Linear(d_ff, d_model), nn.Dropout(dropout))

    def forward(self, x):
        x = x + self.attn(self.ln1(x))
        return x + self.mlp(self.ln2(x))


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, seq_len, d_model, n_heads, n_layers, d_ff, dropout):
        super().__init__()
        self.tok = nn.Embedding(vocab_size, d_model)
        self.pos = nn.Embedding(seq_len, d_model)
        self.blocks = nn.ModuleList([Block(d_model, n_heads, d_ff, seq_len, dropout) for _ in range(n_layers)])
        self.ln = nn.LayerNorm(d_model)
        self.head = nn.Linear(d_model, vocab_size, bias=False)

    def forward(self, idx, targets=None):
        x = self.tok(idx) + self.pos(torch.arange(idx.size(1), device=idx.device))
        for block in self.blocks:
            x = block(x)
        logits = self.head(self.ln(x))
        loss = None
        if targets is not None:
            loss = F.cross_entropy(logits.view(-1, logits.size(-1)), targets.reshape(-1))
        return logits, loss


def get_batch(batch_size, seq_len, vocab_size):
    start = torch.randint(0, vocab_size, (batch_size, 1))
    step = torch.randint(1, 4, (batch_size, 1))
    seq = (start + step * torch.arange(seq_len + 1)) % vocab_size
    return seq[:, :-1], seq[:, 1:]


model = MiniGPT(data_cfg["vocab_size"], data_cfg["seq_len"], **model_cfg)
print(f"{sum(p.numel() for p in model.parameters())/1e3:.1f}k parameters")
opt = torch.optim.AdamW(model.parameters(), lr=optim_cfg["lr"])
for step in range(optim_cfg["steps"]):
    xb, yb = get_batch(data_cfg["batch_size"], data_cfg["seq_len"], data_cfg["vocab_size"])
    _, loss = model(xb, yb)
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), optim_cfg["clip"])
    opt.step()
    if step % 10 == 0:
        print(step, f"{loss.item():.3f}")
