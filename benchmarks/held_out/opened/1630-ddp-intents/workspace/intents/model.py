from torch import nn


class IntentClassifier(nn.Module):
    def __init__(self, vocab_size, classes, dim=32, hidden=48):
        super().__init__()
        self.embed = nn.Embedding(vocab_size, dim, padding_idx=0)
        self.rnn = nn.GRU(dim, hidden, batch_first=True)
        self.head = nn.Linear(hidden, classes)

    def forward(self, ids):
        _, last = self.rnn(self.embed(ids))
        return self.head(last[-1])
