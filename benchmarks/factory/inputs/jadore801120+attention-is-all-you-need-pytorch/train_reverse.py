''' Learn to reverse short sequences. '''
import argparse

import torch
import torch.nn.functional as F
import torch.optim as optim
from torch.utils.data import DataLoader, TensorDataset

from transformer.Models import Transformer
from transformer.Optim import ScheduledOptim

PAD, BOS, EOS = 0, 1, 2


def make_pairs(n, low, high, vocab):
    src = torch.full((n, high + 2), PAD)
    trg = torch.full((n, high + 2), PAD)
    for i in range(n):
        length = int(torch.randint(low, high + 1, (1,)))
        words = torch.randint(3, vocab, (length,))
        src[i, :length + 2] = torch.cat([torch.tensor([BOS]), words, torch.tensor([EOS])])
        trg[i, :length + 2] = torch.cat([torch.tensor([BOS]), words.flip(0), torch.tensor([EOS])])
    return src, trg


def cal_loss(pred, gold, smoothing):
    ''' Cross entropy without the padding, with label smoothing if asked for. '''
    loss = F.cross_entropy(pred, gold, ignore_index=PAD, reduction='sum', label_smoothing=smoothing)
    correct = pred.argmax(1).eq(gold).masked_select(gold.ne(PAD)).sum().item()
    return loss, correct, gold.ne(PAD).sum().item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('-epoch', type=int, default=2)
    parser.add_argument('-b', '--batch_size', type=int, default=32)
    parser.add_argument('-d_model', type=int, default=32)
    parser.add_argument('-d_inner_hid', type=int, default=64)
    parser.add_argument('-n_head', type=int, default=4)
    parser.add_argument('-n_layers', type=int, default=2)
    parser.add_argument('-warmup', '--n_warmup_steps', type=int, default=20)
    parser.add_argument('-lr_mul', type=float, default=0.5)
    parser.add_argument('-vocab', type=int, default=12)
    parser.add_argument('-label_smoothing', type=float, default=0.0)
    parser.add_argument('-embs_share_weight', action='store_true')
    opt = parser.parse_args()

    torch.manual_seed(0)
    loader = DataLoader(TensorDataset(*make_pairs(320, 3, 6, opt.vocab)), batch_size=opt.batch_size, shuffle=True)
    transformer = Transformer(
        opt.vocab, opt.vocab, src_pad_idx=PAD, trg_pad_idx=PAD,
        trg_emb_prj_weight_sharing=True, emb_src_trg_weight_sharing=opt.embs_share_weight,
        d_k=opt.d_model // opt.n_head, d_v=opt.d_model // opt.n_head, d_model=opt.d_model,
        d_word_vec=opt.d_model, d_inner=opt.d_inner_hid, n_layers=opt.n_layers, n_head=opt.n_head)
    optimizer = ScheduledOptim(
        optim.Adam(transformer.parameters(), betas=(0.9, 0.98), eps=1e-09),
        opt.lr_mul, opt.d_model, opt.n_warmup_steps)
    for epoch in range(opt.epoch):
        transformer.train()
        total_loss, n_words, n_correct = 0, 0, 0
        for src, trg in loader:
            optimizer.zero_grad()
            pred = transformer(src, trg[:, :-1])
            loss, correct, words = cal_loss(pred, trg[:, 1:].reshape(-1), opt.label_smoothing)
            loss.backward()
            optimizer.step_and_update_lr()
            n_words += words
            n_correct += correct
            total_loss += loss.item()
        print(f'epoch {epoch} loss: {total_loss / n_words:.4f} accuracy: {100 * n_correct / n_words:.2f} %')


if __name__ == '__main__':
    main()
