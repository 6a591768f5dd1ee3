import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class Encoder(nn.Module):
    def __init__(self, vocab_size, emb, hidden):
        super().__init__()
        self.embed = nn.Embedding(vocab_size, emb, padding_idx=0)
        self.rnn = nn.GRU(emb, hidden, batch_first=True)

    def forward(self, src, src_len):
        packed = pack_padded_sequence(self.embed(src), src_len, batch_first=True, enforce_sorted=False)
        out, h = self.rnn(packed)
        out, _ = pad_packed_sequence(out, batch_first=True, total_length=src.size(1))
        return out, h


class Decoder(nn.Module):
    def __init__(self, vocab_size, emb, hidden):
        super().__init__()
        self.embed = nn.Embedding(vocab_size, emb, padding_idx=0)
        self.rnn = nn.GRU(emb, hidden, batch_first=True)
        self.query = nn.Linear(hidden, hidden, bias=False)
        self.out = nn.Linear(2 * hidden, vocab_size)

    def forward(self, tgt, memory, memory_mask, h):
        y, h = self.rnn(self.embed(tgt), h)
        scores = self.query(y) @ memory.transpose(1, 2)
        scores = scores.masked_fill(~memory_mask[:, None, :], -1e9)
        context = scores.softmax(-1) @ memory
        return self.out(torch.cat([y, context], dim=-1)), h


class Seq2Seq(nn.Module):
    def __init__(self, src_vocab, tgt_vocab, emb=24, hidden=64):
        super().__init__()
        self.encoder = Encoder(src_vocab, emb, hidden)
        self.decoder = Decoder(tgt_vocab, emb, hidden)

    def forward(self, src, src_len, tgt):
        memory, h = self.encoder(src, src_len)
        logits, _ = self.decoder(tgt, memory, src != 0, h)
        return logits

    @torch.no_grad()
    def translate(self, src, src_len, sos, max_len=12):
        memory, h = self.encoder(src, src_len)
        tok = torch.full((src.size(0), 1), sos, dtype=torch.long)
        result = []
        for _ in range(max_len):
            logits, h = self.decoder(tok, memory, src != 0, h)
            tok = logits.argmax(-1)
            result.append(tok)
        return torch.cat(result, dim=1)
