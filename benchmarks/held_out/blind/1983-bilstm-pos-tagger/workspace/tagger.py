from torch import nn


class BiLSTMTagger(nn.Module):
    def __init__(self, num_embeddings, num_tags, emb_dim, hidden_dim, pad_id, dropout=0.0):
        super().__init__()
        self.emb = nn.Embedding(num_embeddings, emb_dim, padding_idx=pad_id)
        self.lstm = nn.LSTM(emb_dim, hidden_dim, batch_first=True, bidirectional=True)
        self.drop = nn.Dropout(dropout)
        self.proj = nn.Linear(2 * hidden_dim, num_tags)

    def forward(self, ids):
        states, _ = self.lstm(self.drop(self.emb(ids)))
        return self.proj(self.drop(states))
