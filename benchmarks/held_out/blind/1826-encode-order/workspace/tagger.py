import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class CharEncoder(nn.Module):
    def __init__(self, n_chars, dim, filters):
        super().__init__()
        self.embed = nn.Embedding(n_chars, dim, padding_idx=0)
        self.conv = nn.Conv1d(dim, filters, 3, padding=1)

    def forward(self, chars):
        b, t, c = chars.shape
        x = self.embed(chars.view(b * t, c)).transpose(1, 2)
        x = torch.relu(self.conv(x)).max(dim=2).values
        return x.view(b, t, -1)


class BiLSTMTagger(nn.Module):
    def __init__(self, n_words, n_chars, n_tags, opt):
        super().__init__()
        self.words = nn.Embedding(n_words, opt.word_dim, padding_idx=0)
        self.chars = CharEncoder(n_chars, opt.char_dim, opt.char_filters)
        self.lstm = nn.LSTM(opt.word_dim + opt.char_filters, opt.hidden, batch_first=True, bidirectional=True)
        self.project = nn.Linear(2 * opt.hidden, n_tags)

    def forward(self, words, chars, lengths):
        x = torch.cat([self.words(words), self.chars(chars)], dim=-1)
        packed = pack_padded_sequence(x, lengths, batch_first=True)
        out, _ = pad_packed_sequence(self.lstm(packed)[0], batch_first=True)
        return self.project(out)
