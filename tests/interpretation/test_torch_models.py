"""PyTorch's models: what expressions come to, and what PyTorch refuses.

The expectations are those of PyTorch 2.13, with which every row was run once; the rows of
torchvision follow its documentation.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dl_bug_lsp.interpretation.interpreter import Interpreter
from dl_bug_lsp.interpretation.libraries import torchvision as torchvision_models
from dl_bug_lsp.interpretation.values import UNKNOWN, Array, ModuleValue, Raised, Value
from dl_bug_lsp.workspace import Workspace

HEAD = """import torch
import numpy as np
from torch import nn
import torch.nn.functional as F
from torchvision import datasets, models, transforms
from torch.utils.data import DataLoader, Dataset, Subset, TensorDataset, random_split


class Rows(Dataset):
    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return torch.zeros(3, 8, 8), 1, 0.5


class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, padding=1)
        self.head = nn.Linear(width, 10)
        self.register_buffer("scale", torch.ones(10))

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv(x)), 2)
        return self.head(torch.flatten(x, 1)) * self.scale


n = input()
to_tensor = transforms.Compose([transforms.Resize(32), transforms.ToTensor()])
two = transforms.Compose([transforms.ToTensor(), transforms.Normalize((0.1, 0.2), (1, 1))])
x = torch.zeros(2, 3)
image = torch.zeros(2, 3, 10, 10)
words = torch.zeros(5, 2, 4)
pairs = TensorDataset(torch.zeros(10, 3), torch.zeros(10).long())
"""

GIVES: dict[str, Any] = {
    "['cat', 'cat'][torch.randint(0, 2, ())]": "cat",
    "nn.EmbeddingBag(10, 3, 20)(torch.tensor([[1, 2]]))": ("float32", 1, 3),
    "F.embedding_bag(torch.tensor([1, 2]), torch.zeros(9, 4), torch.tensor([0]))": (
        "float32",
        1,
        4,
    ),
    "torch.rot90(image, 1, (1, 2))": ("float32", 2, 10, 3, 10),
    "torch.tensor([[1, 2, 3]])": ("int64", 1, 3),
    "image[:, torch.arange(2), torch.arange(2)]": ("float32", 2, 2, 10),
    "image[:, [0, 2]]": ("float32", 2, 2, 10, 10),
    "torch.cat([x, x[:, torch.tensor([i for i in range(int(n))])]], 1).ndim": 2,
    "next(iter(DataLoader(torch.zeros(4, 3), batch_size=None, collate_fn=None)))": ("float32", 3),
    "torch.tensor([1.0, 2])": ("float32", 2),
    "torch.from_numpy(np.zeros((2, 3)))": ("float64", 2, 3),
    "torch.randint(0, 5, (4, 1))": ("int64", 4, 1),
    "torch.arange(1, 10, 3)": ("int64", 3),
    "torch.full((2,), 1.5)": ("float32", 2),
    "torch.cat([x, x], dim=1)": ("float32", 2, 6),
    "torch.stack((x, x, x), -1)": ("float32", 2, 3, 3),
    "F.unfold(image, 3, stride=2)": ("float32", 2, 27, 16),
    "nn.Unfold((2, 5), padding=1)(image)": ("float32", 2, 30, 88),
    "words.unfold(1, 2, 1)": ("float32", 5, 1, 4, 2),
    "image.diagonal(dim1=2, dim2=3)": ("float32", 2, 3, 10),
    "torch.diagonal(x)": ("float32", 2),
    "torch.meshgrid(torch.arange(3), torch.arange(4), indexing='ij')[1]": ("int64", 3, 4),
    "torch.meshgrid(torch.arange(3), torch.arange(4), indexing='xy')[0]": ("int64", 4, 3),
    "torch.sparse_coo_tensor(torch.zeros(2, 9).long(), torch.ones(9), (5, 4)).to_dense()": (
        "float32",
        5,
        4,
    ),
    "torch.spmm(torch.sparse_coo_tensor(words[:2, 0].long(), image, (4, 2)), x)": (
        "float32",
        4,
        3,
    ),
    "torch.einsum('bij,bjk->bik', torch.zeros(2, 3, 4), torch.zeros(2, 4, 6))": (
        "float32",
        2,
        3,
        6,
    ),
    "torch.bmm(torch.zeros(5, 2, 3), torch.zeros(5, 3, 4))": ("float32", 5, 2, 4),
    "torch.where(x > 0, x, 0.0)": ("float32", 2, 3),
    "x.mean(1, keepdim=True)": ("float32", 2, 1),
    "x.long().sum()": ("int64",),
    "torch.max(x, 1)[1]": ("int64", 2),
    "x.max(dim=1).values": ("float32", 2),
    "x.view(-1)": ("float32", 6),
    "image.permute(0, 2, 3, 1)": ("float32", 2, 10, 10, 3),
    "image.flatten(1)": ("float32", 2, 300),
    "x.unsqueeze(1).expand(2, 4, 3)": ("float32", 2, 4, 3),
    "x.repeat(2, 2)": ("float32", 4, 6),
    "x.gather(1, torch.zeros(2, 1).long())": ("float32", 2, 1),
    "torch.zeros(7, 3).chunk(3)[2]": ("float32", 1, 3),
    "torch.zeros(7, 3).split([3, 4])[1]": ("float32", 4, 3),
    "x.topk(2)[1]": ("int64", 2, 2),
    "F.one_hot(torch.tensor([0, 2]), 3)": ("int64", 2, 3),
    "x.size(-1)": 3,
    "image.numel()": 600,
    "x.to(torch.float64).numpy()": ("float64", 2, 3),
    "np.zeros((2, 3, 4)).transpose(2, 0, 1)": ("float64", 4, 2, 3),
    "np.zeros((2, 3)).repeat(2)": ("float64", 12),
    "np.zeros((2, 3)).max(axis=0)": ("float64", 3),
    "nn.Linear(3, 7)(x)": ("float32", 2, 7),
    "nn.Linear(3, 7).in_features": 3,
    "nn.Conv2d(3, 8, (3, 5), stride=2, padding=(1, 2))(image)": ("float32", 2, 8, 5, 5),
    "nn.ConvTranspose2d(3, 8, 4, 2, 1)(image)": ("float32", 2, 8, 20, 20),
    "nn.MaxPool2d(3, 2, ceil_mode=True)(image)": ("float32", 2, 3, 5, 5),
    "nn.AdaptiveAvgPool2d((2, None))(image)": ("float32", 2, 3, 2, 10),
    "nn.BatchNorm1d(3).eval()(torch.zeros(1, 3))": ("float32", 1, 3),
    "nn.Embedding(10, 4)(torch.randint(0, 10, (2, 5)))": ("float32", 2, 5, 4),
    "nn.LSTM(4, 6, 2, bidirectional=True)(words)[0]": ("float32", 5, 2, 12),
    "nn.LSTM(4, 6, 2, bidirectional=True)(words)[1][0]": ("float32", 4, 2, 6),
    "nn.GRU(4, 6, batch_first=True)(words)[1]": ("float32", 1, 5, 6),
    "nn.MultiheadAttention(4, 2)(words, words, words)[1]": ("float32", 2, 5, 5),
    "nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2), 2)(words)": ("float32", 5, 2, 4),
    "nn.Sequential(nn.Conv2d(3, 8, 3), nn.MaxPool2d(2), nn.Flatten())(image)": ("float32", 2, 128),
    "[m.out_features for m in nn.ModuleList([nn.Linear(4, 3)])][0]": 3,
    "F.pad(x, (1, 2))": ("float32", 2, 6),
    "F.interpolate(image, scale_factor=0.5)": ("float32", 2, 3, 5, 5),
    "nn.CrossEntropyLoss()(x, torch.tensor([0, 2]))": ("float32",),
    "nn.CrossEntropyLoss(reduction='none')(x, torch.zeros(2).long())": ("float32", 2),
    "F.cross_entropy(torch.zeros(2, 3, 5), torch.zeros(2, 5).long())": ("float32",),
    "nn.MSELoss()(x, torch.zeros(3).double())": ("float64",),
    "len(DataLoader(pairs, batch_size=4))": 3,
    "next(iter(DataLoader(pairs, batch_size=4)))[1]": ("int64", 4),
    "next(iter(DataLoader(Rows(20), 5)))[0]": ("float32", 5, 3, 8, 8),
    "next(iter(DataLoader(Rows(20), 5)))[2]": ("float64", 5),
    "next(iter(DataLoader(Rows(9), 4, collate_fn=lambda b: torch.stack([r[0] for r in b]))))": (
        *("float32", 4, 3, 8, 8),
    ),
    "[len(part) for part in random_split(pairs, [7, 3])][1]": 3,
    "Net(4 * 5 * 5)(image)": ("float32", 2, 10),
    "Net(100).double()(image.double()).shape[1]": 10,
    "next(iter(DataLoader(datasets.MNIST('d', transform=to_tensor), 8)))[0]": (
        *("float32", 8, 1, 32, 32),
    ),
    "models.resnet18(num_classes=4)(image)": ("float32", 2, 4),
    "models.resnet50().fc.in_features": 2048,
}

RAISES = {
    "torch.randint(x.shape[1] - 3, size=(1,))": ("value", 0, 0),
    "torch.randint(4, 4, (2,))": ("value", 4, 4),
    "torch.randint_like(x, low=3, high=2)": ("value", 3, 2),
    "x.random_(5, 5)": ("value", 5, 5),
    "{'cat': 0, 'dog': 1}[torch.randint(0, 2, ())]": ("key",),
    "{0: 'cat', 1: 'dog'}[torch.randint(0, 2, ())]": ("key",),
    "F.cross_entropy(torch.zeros(2, 3), torch.zeros(2, dtype=torch.int8))": ("type",),
    "torch.tensor([[1, 2], [3]])": ("size", 2, 1),
    "torch.stft(torch.zeros(400).short(), 64, return_complex=True)": ("type",),
    "torch.stft(torch.zeros(2, 2, 400), 64, return_complex=True)": ("size", 3),
    "torch.stft(torch.zeros(400), 64, 0, return_complex=True)": ("value", 0),
    "torch.stft(torch.zeros(400), 64, 16, 80, return_complex=True)": ("size", 80, 64),
    "nn.EmbeddingBag(9, 4)(torch.tensor([1, 2, 3]), torch.tensor([2, 3]))": ("value", 2),
    "nn.EmbeddingBag(9, 4)(torch.tensor([1, 2, 3]), torch.tensor([1, 2]).cumsum(0))": ("value", 1),
    "nn.EmbeddingBag(9, 4)(torch.tensor([[1, 2], [3, 4]]), torch.tensor([0]))": ("value",),
    "nn.EmbeddingBag(9, 4)(torch.tensor([1, 2, 3]), torch.tensor([0.0, 2.0]))": ("type",),
    "nn.EmbeddingBag(9, 4)(torch.tensor([1, 2, 3]), torch.tensor([[0], [2]]))": ("value", 2),
    "F.embedding_bag(torch.zeros(2), torch.zeros(9, 4), torch.tensor([0]))": ("type",),
    "F.embedding_bag(torch.tensor([[1]]), torch.zeros(9, 4), torch.tensor([0]))": ("value",),
    "nn.EmbeddingBag(9, 4, padding_idx=20)": ("value", 20, 9),
    "nn.MultiLabelMarginLoss()(x, torch.zeros(2, 4, dtype=torch.long))": ("size", 4, 3),
    "F.multilabel_margin_loss(x, torch.zeros(3, 3, dtype=torch.long))": ("size", 3, 2),
    "nn.TripletMarginWithDistanceLoss()(x, x, x[0])": ("size", 1, 2),
    "nn.modules.dropout.Dropout(1.5)": ("value", 1.5),
    "F.alpha_dropout(x, 1.5)": ("value", 1.5),
    "nn.Linear(**[3, 4])": ("type",),
    "nn.Linear(**None)": ("type", None),
    "max(*3)": ("type", 3),
    "torch.cat([x, torch.zeros(2, 4)])": ("size", 3, 4),
    "torch.matmul(x, torch.zeros(4, 5))": ("size", 3, 4),
    "torch.matmul(x, torch.zeros(3, 5).double())": ("type",),
    "torch.bmm(x, x)": ("size", 2, 3),
    "x.view(4, -1)": ("size", 6, 4),
    "x.permute(0, 1, 2)": ("size", 2, 3),
    "x.sum(dim=2)": ("index", 2, 2),
    "x.long().mean()": ("type",),
    "x.item()": ("size", 6, 1),
    "x.backward()": ("size", 6, 1),
    "F.relu([1, 2])": ("type",),
    "F.one_hot(torch.tensor([0, 7]), 3)": ("index", 7, 3),
    "x.gather(1, torch.tensor([[5], [0]]))": ("index", 5, 3),
    "nn.Linear(4, 7)(x)": ("size", 3, 4),
    "nn.Linear(3, 7)(x.double())": ("type",),
    "nn.Linear(6 / 2, 7)": ("type", 3.0),
    "nn.Linear(3, 7, biass=False)": ("arguments", False),
    "nn.Conv2d(1, 8, 3)(image)": ("size", 3, 1),
    "nn.Conv2d(3, 8, 3)(x)": ("size", 2, 4),
    "nn.Conv2d(3, 8, 11)(image)": ("size", 10, 11),
    "nn.BatchNorm2d(4)(image)": ("size", 3, 4),
    "nn.BatchNorm1d(3)(torch.zeros(1, 3))": ("size", 1, 2),
    "nn.Embedding(10, 4)(torch.tensor([10]))": ("index", 10, 10),
    "nn.Embedding(10, 4)(x)": ("type",),
    "nn.LSTM(3, 6)(words)": ("size", 4, 3),
    "nn.GRU(4, 6)(words, torch.zeros(1, 3, 6))": ("size", 3, 2),
    "nn.MultiheadAttention(8, 3)": ("size", 8, 3),
    "nn.Sequential(nn.Linear(3, 4), nn.Linear(5, 2))(x)": ("size", 4, 5),
    "nn.CrossEntropyLoss()(x, torch.zeros(3).long())": ("size", 2, 3),
    "nn.CrossEntropyLoss()(x, torch.tensor([0, 3]))": ("index", 3, 3),
    "nn.CrossEntropyLoss()(x, torch.zeros(2))": ("type",),
    "nn.CrossEntropyLoss()(x, torch.zeros(2, 1).long())": ("size", 2, 1),
    "nn.BCELoss()(x, torch.zeros(2))": ("size", 1, 2),
    "nn.BCEWithLogitsLoss()(x, torch.zeros(2, 3).long())": ("type",),
    "TensorDataset(x, torch.zeros(5))": ("size", 2, 5),
    "next(iter(DataLoader([None, None], batch_size=2)))": ("type", None),
    "random_split(pairs, [7, 4])": ("size", 11, 10),
    "torch.optim.Adam(nn.Linear(2, 3).parameters(), lr='0.1')": ("type", "0.1"),
    "torch.optim.SGD([], lr=0.1)": ("value",),
    "torch.device('gpu')": ("value", "gpu"),
    "datasets.CIFAR10('d', transform=two)[0]": ("size", 3, 2),
    "models.resnet18()(image[:, :1])": ("size", 1, 3),
    "Net(64)(image)": ("size", 100, 64),
    "Net(100).double()(image)": ("type",),
}


OPEN = (
    "torch.zeros(n, 3).view(4, -1)",
    "nn.Linear(n, 7)(x)",
    "torch.matmul(x, n)",
    "F.relu(n)",
)
"""Expressions in which ``n`` is not known: they must neither raise nor be known."""


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    assert torchvision_models.CLASSIFIED
    folder = tmp_path_factory.mktemp("programs")
    for number, expression in enumerate((*GIVES, *RAISES, *OPEN)):
        text = f"{HEAD}result = {expression}\n"
        (folder / f"p{number}.py").write_text(text, encoding="utf-8")
    return Workspace(folder)


def interpreted(
    workspace: Workspace, expression: str, line: int = HEAD.count("\n") + 1
) -> tuple[Value | None, Raised | None]:
    """Return what a program's last line comes to, or what is raised at a line."""
    file = f"p{[*GIVES, *RAISES, *OPEN].index(expression)}.py"
    interpreter = Interpreter(workspace, file, (file, line))
    outcome = interpreter.run()
    module = interpreter.modules[file].data
    assert isinstance(module, ModuleValue)
    return module.environment.names.get("result"), outcome.raised


@pytest.mark.parametrize("expression", GIVES)
def test_what_an_expression_gives(workspace: Workspace, expression: str) -> None:
    value, raised = interpreted(workspace, expression)
    assert raised is None
    assert value is not None
    found = value.data
    if isinstance(found, Array):
        assert found.sizes is not None
        found = (found.dtype, *found.sizes)
    assert found == GIVES[expression]


@pytest.mark.parametrize("expression", RAISES)
def test_what_is_refused(workspace: Workspace, expression: str) -> None:
    what, *sides = RAISES[expression]
    inside = expression.startswith("Net(")
    called = "self.head(" if "64" in expression else "self.conv(x)"
    lines = [n for n, text in enumerate(HEAD.splitlines(), 1) if called in text]
    _, raised = interpreted(workspace, expression, *(lines if inside else ()))
    assert raised is not None
    assert raised.what == what
    plain = [s.data for s in raised.sides if isinstance(s.data, int | float | str | None)]
    assert not sides or plain[: len(sides)] == sides


def test_classes_of_layers_refuse_what_these_do(tmp_path: Path) -> None:
    text = (
        "from torch import nn\n\n\nclass Split(nn.Conv2d):\n    def __init__(self):\n"
        "        super().__init__(3, 8, 3, groups=2)\n\n\nSplit()\n"
    )
    (tmp_path / "main.py").write_text(text, encoding="utf-8")
    raised = Interpreter(Workspace(tmp_path), "main.py", ("main.py", 6)).run().raised
    assert raised is not None
    assert [side.data for side in raised.sides] == [3, 2]


@pytest.mark.parametrize("expression", OPEN)
def test_what_is_not_known_stays_unknown(workspace: Workspace, expression: str) -> None:
    value, raised = interpreted(workspace, expression)
    assert raised is None
    assert value is not None
    x = value.data
    sizes = x.sizes if isinstance(x, Array) else None
    assert x is UNKNOWN or sizes is None or None in sizes or sizes == (2, 7)


def test_sizes_keep_their_origins(workspace: Workspace) -> None:
    """Both sides of a mismatch lead back to the lines that wrote them."""
    expression = "nn.Sequential(nn.Linear(3, 4), nn.Linear(5, 2))(x)"
    _, raised = interpreted(workspace, expression)
    assert raised is not None
    line = HEAD.count("\n") + 1
    assert [{n for _, n in side.origins} for side in raised.sides] == [{line}, {line}]
