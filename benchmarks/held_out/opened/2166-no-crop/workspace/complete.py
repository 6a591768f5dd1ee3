import argparse

import torch

from bpe import BPE
from lm import CausalLM


@torch.no_grad()
def complete(net, tok, prompt, n_new, temperature):
    ids = torch.tensor([tok.encode(prompt)[:-1]])
    eos = tok.vocab["<eos>"]
    for _ in range(n_new):
        logits = net(ids)[:, -1] / temperature
        nxt = torch.multinomial(logits.softmax(-1), 1)
        if nxt.item() == eos:
            break
        ids = torch.cat([ids, nxt], dim=1)
    return tok.decode(ids[0].tolist())


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("prompts", nargs="+")
    ap.add_argument("--model", default="lm.pt")
    ap.add_argument("--tokenizer", default="tokenizer.json")
    ap.add_argument("--new", type=int, default=20)
    ap.add_argument("--temperature", type=float, default=0.7)
    args = ap.parse_args()
    torch.manual_seed(1)
    tok = BPE.load(args.tokenizer)
    blob = torch.load(args.model)
    net = CausalLM(len(tok), max_len=blob["max_len"])
    net.load_state_dict(blob["weights"])
    net.eval()
    for p in args.prompts:
        print(">", complete(net, tok, p, args.new, args.temperature))


if __name__ == "__main__":
    main()
