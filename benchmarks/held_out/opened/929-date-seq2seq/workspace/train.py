import torch
import torch.nn as nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

from dates import Vocab, make_corpus
from seq2seq import Seq2Seq

torch.manual_seed(0)
train_pairs = make_corpus(800, seed=1)
test_pairs = make_corpus(60, seed=2)
src_vocab = Vocab([s for s, _ in train_pairs])
tgt_vocab = Vocab([t for _, t in train_pairs])
print("source symbols", len(src_vocab), "target symbols", len(tgt_vocab))


def collate(pairs):
    src = [torch.tensor(src_vocab.encode(s)) for s, _ in pairs]
    tgt = [torch.tensor(tgt_vocab.encode(t, wrap=True)) for _, t in pairs]
    lengths = torch.tensor([len(s) for s in src])
    return pad_sequence(src, batch_first=True), lengths, pad_sequence(tgt, batch_first=True)


train_loader = DataLoader(train_pairs, batch_size=32, shuffle=True, collate_fn=collate)
test_loader = DataLoader(test_pairs, batch_size=30, collate_fn=collate)

model = Seq2Seq(len(src_vocab), len(tgt_vocab))
criterion = nn.CrossEntropyLoss(ignore_index=0)
optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)


def step(src, src_len, tgt):
    logits = model(src, src_len, tgt)
    target = tgt[:, 1:]
    return criterion(logits.reshape(-1, logits.size(-1)), target.reshape(-1))


for epoch in range(3):
    model.train()
    total = 0.0
    for src, src_len, tgt in train_loader:
        loss = step(src, src_len, tgt)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        total += loss.item()

    model.eval()
    exact = 0
    for src, src_len, tgt in test_loader:
        out = model.translate(src, src_len, tgt_vocab.sos)
        for o, t in zip(out.tolist(), tgt.tolist()):
            exact += tgt_vocab.decode(o) == tgt_vocab.decode(t)
    print(f"epoch {epoch} loss {total / len(train_loader):.3f} exact match {exact}/{len(test_pairs)}")

sample = test_pairs[:3]
src, src_len, _ = collate(sample)
for (s, t), o in zip(sample, model.translate(src, src_len, tgt_vocab.sos).tolist()):
    print(f"{s!r:24} -> {tgt_vocab.decode(o)} ({t})")
