import random

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader

from corpus import build_vocabs, collate, read_parallel
from options import base_parser
from seq2seq import Seq2Seq


def main():
    parser = base_parser("train the translation model")
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--lr", type=float, default=5e-3)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    random.seed(args.seed)

    src_vocab, tgt_vocab = build_vocabs(args.data_dir, args.src, args.tgt, args.min_freq)
    print(f"| [{args.src}] dictionary: {len(src_vocab)} types")
    print(f"| [{args.tgt}] dictionary: {len(tgt_vocab)} types")
    src, tgt = read_parallel(args.data_dir, "train", args.src, args.tgt)
    pairs = [(src_vocab.encode(a), tgt_vocab.encode(b)) for a, b in zip(src, tgt)]
    loader = DataLoader(pairs, batch_size=args.batch_size, shuffle=True, collate_fn=collate)

    model = Seq2Seq(len(src_vocab), len(tgt_vocab), args.emb, args.hidden)
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    for epoch in range(1, args.epochs + 1):
        model.train()
        total, count = 0.0, 0
        for src_ids, lengths, tgt_ids in loader:
            logits = model(src_ids, lengths, tgt_ids)
            gold = tgt_ids[:, 1:]
            loss = F.cross_entropy(logits.flatten(0, 1), gold.flatten(), ignore_index=0)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            total += loss.item() * len(lengths)
            count += len(lengths)
        print(f"| epoch {epoch:02d} | nll {total / count:.3f}")
    torch.save(model.state_dict(), args.ckpt)
    print(f"| saved {args.ckpt}")


if __name__ == "__main__":
    main()
