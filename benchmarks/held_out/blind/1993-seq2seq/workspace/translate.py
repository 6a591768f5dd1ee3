import torch

from corpus import build_vocabs, collate, read_parallel
from options import base_parser
from seq2seq import Seq2Seq


def main():
    parser = base_parser("greedy translation of a split")
    parser.add_argument("--split", default="test")
    parser.add_argument("--max-len", type=int, default=12)
    args = parser.parse_args()

    src_vocab, tgt_vocab = build_vocabs(args.data_dir, args.src, args.tgt, args.min_freq)
    model = Seq2Seq(len(src_vocab), len(tgt_vocab), args.emb, args.hidden)
    model.load_state_dict(torch.load(args.ckpt))
    model.eval()

    src, ref = read_parallel(args.data_dir, args.split, args.src, args.tgt)
    batch = collate([(src_vocab.encode(a), tgt_vocab.encode(b)) for a, b in zip(src, ref)])
    out = model.greedy(batch[0], batch[1], bos=1, max_len=args.max_len)
    exact = 0
    for s, r, ids in zip(src, ref, out.tolist()):
        hyp = tgt_vocab.decode(ids)
        exact += hyp == " ".join(r)
        print("S:", " ".join(s))
        print("T:", " ".join(r))
        print("H:", hyp)
    print(f"exact match {exact}/{len(src)}")


if __name__ == "__main__":
    main()
