import random

import torch
import torch.nn as nn

from batching import Batcher
from corpus_reader import Lexicon, read_conll
from options import Options
from scoring import span_f1
from tagger import BiLSTMTagger


class Trainer:
    def __init__(self, opt):
        self.opt = opt
        train, dev = read_conll(opt.train_file), read_conll(opt.dev_file)
        self.lex = Lexicon(train, opt.min_freq)
        self.train_batches = Batcher([self.lex.encode(*s) for s in train], opt.batch_size, opt.pad_label, shuffle=True)
        self.dev_batches = Batcher([self.lex.encode(*s) for s in dev], opt.batch_size, opt.pad_label)
        self.model = BiLSTMTagger(len(self.lex.words), len(self.lex.chars), len(self.lex.tags), opt)
        self.criterion = nn.CrossEntropyLoss(ignore_index=opt.pad_label)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=opt.lr)

    def epoch(self):
        self.model.train()
        losses = []
        for words, chars, lengths, labels in self.train_batches:
            logits = self.model(words, chars, lengths)
            loss = self.criterion(logits.flatten(0, 1), labels.flatten())
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            losses.append(loss.item())
        return sum(losses) / len(losses)

    @torch.no_grad()
    def score(self):
        self.model.eval()
        gold, pred = [], []
        for words, chars, lengths, labels in self.dev_batches:
            best = self.model(words, chars, lengths).argmax(-1)
            for row, lab, n in zip(best, labels, lengths):
                gold.append([self.lex.tags[i] for i in lab[:n]])
                pred.append([self.lex.tags[i] for i in row[:n]])
        return span_f1(gold, pred)


def main():
    opt = Options()
    random.seed(opt.seed)
    torch.manual_seed(opt.seed)
    trainer = Trainer(opt)
    print(f"{len(trainer.lex.words)} words, {len(trainer.lex.chars)} characters, {len(trainer.lex.tags)} tags")
    for e in range(opt.epochs):
        print(f"epoch {e + 1}: loss {trainer.epoch():.4f}  dev span F1 {trainer.score():.4f}")


if __name__ == "__main__":
    main()
