import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class Encoder(nn.Module):
    def __init__(self, vocab_size, emb, hidden):
        super().__init__()
        self.embed = nn.Embedding(vocab_size, emb, padding_idx=0)
        self.rnn = nn.GRU(emb, hidden, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * hidden, hidden)

    def forward(self, src, lengths):
        packed = pack_padded_sequence(self.embed(src), lengths, batch_first=True, enforce_sorted=False)
        out, h = self.rnn(packed)
        out, _ = pad_packed_sequence(out, batch_first=True)
        state = torch.tanh(self.bridge(torch.cat([h[0], h[1]], dim=-1)))
        return out, state


class Decoder(nn.Module):
    def __init__(self, vocab_size, emb, hidden):
        super().__init__()
        self.embed = nn.Embedding(vocab_size, emb, padding_idx=0)
        self.query = nn.Linear(hidden, 2 * hidden, bias=False)
        self.cell = nn.GRUCell(emb + 2 * hidden, hidden)
        self.out = nn.Linear(3 * hidden, vocab_size)

    def step(self, token, state, memory, mask):
        scores = torch.bmm(memory, self.query(state).unsqueeze(2)).squeeze(2)
        weights = scores.masked_fill(~mask, -1e9).softmax(-1)
        context = torch.bmm(weights.unsqueeze(1), memory).squeeze(1)
        state = self.cell(torch.cat([self.embed(token), context], -1), state)
        return self.out(torch.cat([state, context], -1)), state


class Seq2Seq(nn.Module):
    def __init__(self, n_src, n_tgt, emb, hidden):
        super().__init__()
        self.encoder = Encoder(n_src, emb, hidden)
        self.decoder = Decoder(n_tgt, emb, hidden)

    def forward(self, src, lengths, tgt):
        memory, state = self.encoder(src, lengths)
        mask = src != 0
        logits = []
        for t in range(tgt.size(1) - 1):
            step, state = self.decoder.step(tgt[:, t], state, memory, mask)
            logits.append(step)
        return torch.stack(logits, dim=1)

    @torch.no_grad()
    def greedy(self, src, lengths, bos, max_len):
        memory, state = self.encoder(src, lengths)
        mask = src != 0
        token = torch.full((src.size(0),), bos, dtype=torch.long)
        result = []
        for _ in range(max_len):
            logits, state = self.decoder.step(token, state, memory, mask)
            token = logits.argmax(-1)
            result.append(token)
        return torch.stack(result, dim=1)
