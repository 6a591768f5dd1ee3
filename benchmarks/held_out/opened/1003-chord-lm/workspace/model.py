import torch
import torch.nn as nn
import torch.nn.functional as F


class ChordLM(nn.Module):
    def __init__(self, vocab_size, cfg):
        super().__init__()
        self.block_size = cfg.block_size
        self.tok = nn.Embedding(vocab_size, cfg.d_model)
        self.pos = nn.Embedding(cfg.block_size, cfg.d_model)
        layer = nn.TransformerEncoderLayer(
            cfg.d_model, cfg.nhead, dim_feedforward=4 * cfg.d_model,
            dropout=cfg.dropout, batch_first=True, norm_first=True,
        )
        self.blocks = nn.TransformerEncoder(layer, cfg.num_layers, enable_nested_tensor=False)
        self.norm = nn.LayerNorm(cfg.d_model)
        self.out = nn.Linear(cfg.d_model, vocab_size)

    def forward(self, idx):
        length = idx.size(1)
        positions = torch.arange(length, device=idx.device)
        h = self.tok(idx) + self.pos(positions)
        mask = nn.Transformer.generate_square_subsequent_mask(length)
        h = self.blocks(h, mask=mask, is_causal=True)
        return self.out(self.norm(h))

    def loss(self, idx, targets):
        logits = self(idx)
        return F.cross_entropy(logits.reshape(-1, logits.size(-1)), targets.reshape(-1))

    @torch.no_grad()
    def generate(self, idx, n_new, temperature=1.0):
        self.eval()
        for _ in range(n_new):
            logits = self(idx)[:, -1] / temperature
            nxt = torch.multinomial(logits.softmax(-1), 1)
            idx = torch.cat([idx, nxt], dim=1)
        self.train()
        return idx
