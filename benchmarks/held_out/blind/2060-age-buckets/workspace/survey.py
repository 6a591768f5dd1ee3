import numpy as np
import torch
from torch.utils.data import Dataset

from buckets import age_to_bucket, income_to_code, describe

N_ITEMS = 12


def simulate(n, seed):
    """Answers (likert 1..5) depend softly on age."""
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 90, size=n)
    income = rng.lognormal(10.3, 0.5, size=n)
    slope = np.linspace(-1, 1, N_ITEMS)
    z = (age[:, None] - 54) / 36 * slope * 2 + 0.5 * rng.standard_normal((n, N_ITEMS))
    answers = np.clip(np.round(3 + z), 1, 5)
    return age, income, answers


class SurveyDataset(Dataset):
    def __init__(self, n, seed, name):
        age, income, answers = simulate(n, seed)
        self.answers = torch.tensor((answers - 3) / 2, dtype=torch.float32)
        self.income = torch.tensor(income_to_code(income), dtype=torch.long)
        target = age_to_bucket(age)
        print(f"[{name}] n={n}  {describe(target)}")
        self.target = torch.from_numpy(target).long()

    def __len__(self):
        return len(self.target)

    def __getitem__(self, i):
        return {"answers": self.answers[i], "income": self.income[i], "target": self.target[i]}
