"""Contract clauses with their type, from a handful of templates."""
import random

from datasets import Dataset

TYPES = ["termination", "liability", "payment", "confidentiality"]
TEMPLATES = {
    "termination": ["either party may terminate this agreement upon {n} days notice",
                    "this agreement ends automatically after {n} months"],
    "liability": ["liability of the {p} is limited to {n} percent of the fees",
                  "the {p} shall not be liable for indirect damages"],
    "payment": ["the {p} shall pay all invoices within {n} days",
                "a late fee of {n} percent applies to unpaid invoices"],
    "confidentiality": ["the {p} shall keep all information secret for {n} months",
                        "no party may disclose this agreement"],
}
PARTIES = ["supplier", "customer", "licensor", "contractor"]


def generate(n, seed):
    rnd = random.Random(seed)
    rows = {"clause": [], "kind": []}
    for _ in range(n):
        kind = rnd.choice(TYPES)
        text = rnd.choice(TEMPLATES[kind])
        rows["clause"].append(text.format(n=rnd.randint(2, 90), p=rnd.choice(PARTIES)))
        rows["kind"].append(kind)
    return rows


def encode(rows, tokenizer, max_length):
    ds = Dataset.from_dict(rows)

    def to_features(batch):
        enc = tokenizer(batch["clause"], truncation=True, max_length=max_length)
        enc["clause_type"] = [TYPES.index(k) for k in batch["kind"]]
        return enc

    return ds.map(to_features, batched=True, remove_columns=["clause", "kind"])
