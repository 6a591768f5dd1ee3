import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader

from .data import collate, make_corpus
from .model import Encoder

VOCAB, MAX_LEN = 200, 96


def main():
    torch.manual_seed(0)
    docs = make_corpus(320, VOCAB, MAX_LEN)
    loader = DataLoader(docs, batch_size=32, shuffle=True, collate_fn=collate)
    model = Encoder(VOCAB, max_len=MAX_LEN).cuda()
    opt = torch.optim.AdamW(model.parameters(), lr=5e-4)
    for epoch in range(3):
        losses = []
        for ids, labels in loader:
            logits = model(ids.cuda())
            loss = F.cross_entropy(logits.flatten(0, 1), labels.cuda().flatten())
            opt.zero_grad()
            loss.backward()
            opt.step()
            losses.append(loss.detach())
        print(f"epoch {epoch}: mlm loss {torch.stack(losses).mean():.3f}")


if __name__ == "__main__":
    main()
