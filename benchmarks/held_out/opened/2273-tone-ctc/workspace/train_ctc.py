import torch
from torch import nn
from torch.utils.data import DataLoader

from asr.acoustic import AcousticModel
from asr.text import Codec, edit_distance
from asr.utterances import Utterances, collate
from params import hp


def validate(model, loader, codec):
    model.eval()
    errors = total = 0
    with torch.no_grad():
        for mel, mel_len, _, _, texts in loader:
            log_probs, out_len = model(mel, mel_len)
            for row, n, text in zip(log_probs.argmax(-1), out_len, texts):
                errors += edit_distance(codec.greedy(row[:n].tolist()), text)
                total += len(text)
    return errors / total


def main():
    torch.manual_seed(hp.seed)
    codec = Codec(hp.alphabet)
    train = DataLoader(Utterances(hp.n_train, hp, codec, 1), hp.batch_size, shuffle=True, collate_fn=collate)
    valid = DataLoader(Utterances(hp.n_valid, hp, codec, 2), hp.batch_size, collate_fn=collate)

    model = AcousticModel(hp.n_mels, hp.channels, hp.rnn, len(codec))
    ctc = nn.CTCLoss(blank=0, zero_infinity=True)
    optimizer = torch.optim.Adam(model.parameters(), lr=hp.lr)
    for epoch in range(1, hp.epochs + 1):
        model.train()
        running = 0.0
        for mel, mel_len, targets, target_len, _ in train:
            log_probs, out_len = model(mel, mel_len)
            loss = ctc(log_probs.transpose(0, 1), targets, out_len, target_len)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            running += loss.item()
        print(f"epoch {epoch}: ctc {running / len(train):.3f}  CER {validate(model, valid, codec):.2%}")


if __name__ == "__main__":
    main()
