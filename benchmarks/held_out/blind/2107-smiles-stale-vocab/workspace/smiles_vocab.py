import json
import re
from collections import Counter
from pathlib import Path

PATTERN = re.compile(r"Cl|Br|\[[^\]]+\]|[BCNOPSFI]|[bcnops]|[0-9]|[=#()+\-/\\@%]")
PAD, UNK = "<pad>", "<unk>"


def split_smiles(smiles: str) -> list[str]:
    tokens = PATTERN.findall(smiles)
    if "".join(tokens) != smiles:
        raise ValueError(f"cannot tokenise {smiles!r}")
    return tokens


class Vocabulary:
    def __init__(self, itos: list[str]):
        self.itos = itos
        self.stoi = {t: i for i, t in enumerate(itos)}

    @classmethod
    def build(cls, smiles_list):
        counts = Counter(t for s in smiles_list for t in split_smiles(s))
        return cls([PAD] + [t for t, _ in counts.most_common()])

    @classmethod
    def load(cls, path):
        return cls(json.loads(Path(path).read_text()))

    def save(self, path):
        Path(path).write_text(json.dumps(self.itos))

    def encode(self, smiles: str) -> list[int]:
        return [self.stoi[t] for t in split_smiles(smiles)]

    def __len__(self):
        return len(self.itos)
