import json
import torch

from churn.loop import fit
from churn.model import ChurnNet
from churn.preprocess import encode, get_vocab, read_customers

if __name__ == "__main__":
    cfg = json.load(open("settings.json"))
    torch.manual_seed(cfg["seed"])
    df = read_customers(cfg["train_csv"])
    print(f"{len(df)} customers, churn rate {df[cfg['target']].mean():.2%}")
    vocab = get_vocab(df, cfg)
    cats, nums, y = encode(df, vocab, cfg)
    cards = [len(vocab[c]) for c in cfg["categorical"]]
    print("cardinalities", dict(zip(cfg["categorical"], cards)))
    model = ChurnNet(cards, len(cfg["numeric"]), cfg["emb_dim"], cfg["hidden"], cfg["dropout"])
    fit(model, cats, nums, y, cfg)
    torch.save(model.state_dict(), "cache/churn.pt")
    print("saved cache/churn.pt")
