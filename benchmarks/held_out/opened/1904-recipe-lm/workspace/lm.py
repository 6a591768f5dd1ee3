import torch
from torch import nn
import torch.nn.functional as F


class Layer(nn.Module):
    def __init__(self, d, heads, mult, p):
        super().__init__()
        self.h = heads
        self.n1, self.n2 = nn.RMSNorm(d), nn.RMSNorm(d)
        self.q, self.kv, self.o = nn.Linear(d, d), nn.Linear(d, 2 * d), nn.Linear(d, d)
        self.gate, self.lift, self.drop = nn.Linear(d, d * mult), nn.Linear(d, d * mult), nn.Dropout(p)
        self.sink = nn.Linear(d * mult, d)

    def attend(self, x):
        b, t, d = x.shape
        split = lambda z: z.view(b, t, self.h, d // self.h).transpose(1, 2)
        k, v = self.kv(x).chunk(2, -1)
        y = F.scaled_dot_product_attention(split(self.q(x)), split(k), split(v), is_causal=True)
        return self.o(y.transpose(1, 2).reshape(b, t, d))

    def forward(self, x):
        x = x + self.drop(self.attend(self.n1(x)))
        z = self.n2(x)
        return x + self.drop(self.sink(F.silu(self.gate(z)) * self.lift(z)))


class RecipeLM(nn.Module):
    def __init__(self, vocab_size, max_len, d_model, n_layers, n_heads, ffn_mult, dropout):
        super().__init__()
        self.words = nn.Embedding(vocab_size, d_model)
        self.places = nn.Parameter(torch.randn(max_len, d_model) * 0.02)
        self.layers = nn.ModuleList([Layer(d_model, n_heads, ffn_mult, dropout) for _ in range(n_layers)])
        self.final = nn.RMSNorm(d_model)
        nn.init.normal_(self.words.weight, std=0.08)  # tied with the output

    def forward(self, ids):
        x = self.words(ids) + self.places[: ids.shape[1]]
        for l in self.layers:
            x = l(x)
        return self.final(x) @ self.words.weight.T
