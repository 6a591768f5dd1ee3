import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, d_model, n_heads, dropout):
        super().__init__()
        self.ln1 = nn.LayerNorm(d_model)
        self.attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.ln2 = nn.LayerNorm(d_model)
        self.ff = nn.Sequential(nn.Linear(d_model, 4 * d_model), nn.GELU(), nn.Linear(4 * d_model, d_model))

    def forward(self, x, mask):
        h = self.ln1(x)
        h, _ = self.attn(h, h, h, attn_mask=mask, need_weights=False)
        x = x + h
        return x + self.ff(self.ln2(x))


class CharTransformer(nn.Module):
    def __init__(self, vocab_size, block_size, d_model, n_heads, n_layers, dropout=0.0):
        super().__init__()
        self.block_size = block_size
        self.tok = nn.Embedding(vocab_size, d_model)
        self.pos = nn.Embedding(block_size, d_model)
        self.blocks = nn.ModuleList([Block(d_model, n_heads, dropout) for _ in range(n_layers)])
        self.norm = nn.LayerNorm(d_model)
        self.out = nn.Linear(d_model, vocab_size, bias=False)

    def forward(self, ids):
        steps = ids.size(1)
        positions = torch.arange(steps, device=ids.device)
        x = self.tok(ids) + self.pos(positions)
        mask = torch.ones(steps, steps, dtype=torch.bool, device=ids.device).triu(1)
        for block in self.blocks:
            x = block(x, mask)
        return self.out(self.norm(x))

    @torch.no_grad()
    def continue_text(self, ids, n_new, temperature=1.0):
        self.eval()
        for _ in range(n_new):
            window = ids[:, -self.block_size:]
            logits = self(window)[:, -1] / temperature
            nxt = torch.multinomial(logits.softmax(-1), 1)
            ids = torch.cat([ids, nxt], dim=1)
        return ids
