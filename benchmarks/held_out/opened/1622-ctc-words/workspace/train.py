import argparse
from pathlib import Path

import torch
import yaml
from torch import nn
from torch.utils.data import DataLoader

from speech import SyntheticSpeech, collate
from text import CharTable, error_rate, greedy_decode


class Recognizer(nn.Module):
    def __init__(self, n_mels, hidden, num_labels):
        super().__init__()
        self.front = nn.Sequential(
            nn.Conv1d(n_mels, hidden, 5, padding=2), nn.ReLU())
        self.rnn = nn.GRU(hidden, hidden, bidirectional=True, batch_first=True)
        self.out = nn.Linear(2 * hidden, num_labels)

    def forward(self, feats):
        h = self.front(feats.transpose(1, 2)).transpose(1, 2)
        h, _ = self.rnn(h)
        return self.out(h).log_softmax(-1).transpose(0, 1)


def evaluate(model, loader, table, blank):
    model.eval()
    refs, hyps = [], []
    with torch.no_grad():
        for batch in loader:
            log_probs = model(batch["feats"])
            paths = greedy_decode(log_probs, batch["feat_lens"], blank)
            hyps += [table.decode(p) for p in paths]
            refs += batch["texts"]
    return refs, hyps


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", default="config.yaml")
    parser.add_argument("--commands", default="commands.txt")
    parser.add_argument("--export", default="recognizer.pt")
    args = parser.parse_args()

    cfg = yaml.safe_load(Path(args.config).read_text())
    torch.manual_seed(cfg["seed"])
    table = CharTable(cfg["alphabet"])
    data = SyntheticSpeech(Path(args.commands).read_text().splitlines(), cfg, table)
    loader = DataLoader(data, cfg["batch_size"], shuffle=True, collate_fn=collate)

    model = Recognizer(cfg["n_mels"], cfg["hidden"], table.num_labels)
    ctc = nn.CTCLoss(zero_infinity=True)
    opt = torch.optim.Adam(model.parameters(), lr=cfg["lr"])
    for epoch in range(cfg["epochs"]):
        model.train()
        total = 0.0
        for batch in loader:
            loss = ctc(model(batch["feats"]), batch["labels"],
                       batch["feat_lens"], batch["label_lens"])
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            opt.step()
            total += loss.item()
        print(f"epoch {epoch:2d}  ctc {total / len(loader):.4f}")

    refs, hyps = evaluate(model, loader, table, ctc.blank)
    cer = error_rate(refs, hyps, list)
    wer = error_rate(refs, hyps, str.split)
    for ref, hyp in list(zip(refs, hyps))[:4]:
        print(f"  ref: {ref!r:24}  hyp: {hyp!r}")
    print(f"train CER {cer:.3f}  WER {wer:.3f}")
    if wer > cfg["max_train_wer"]:
        raise RuntimeError(
            f"train WER {wer:.3f} is above {cfg['max_train_wer']:.2f}, not exporting")
    torch.save(model.state_dict(), args.export)


if __name__ == "__main__":
    main()
