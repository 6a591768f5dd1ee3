import torch
import torch.nn.functional as F
from mmengine.config import Config
from mmengine.evaluator import BaseMetric
from mmengine.model import BaseModel
from mmengine.registry import DATASETS, METRICS, MODELS
from mmengine.runner import Runner
from sklearn.datasets import make_moons
from torch import nn


@DATASETS.register_module()
class Moons(torch.utils.data.Dataset):

    def __init__(self, size, noise):
        points, labels = make_moons(size, noise=noise, random_state=size)
        self.points = torch.tensor(points, dtype=torch.float32)
        self.labels = torch.tensor(labels)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return self.points[index], self.labels[index]


@MODELS.register_module()
class MLP(BaseModel):

    def __init__(self, sizes, data_preprocessor=None):
        super().__init__(data_preprocessor)
        layers = []
        for n_in, n_out in zip(sizes[:-1], sizes[1:]):
            layers += [nn.Linear(n_in, n_out), nn.Tanh()]
        self.net = nn.Sequential(*layers[:-1])

    def forward(self, points, labels, mode='tensor'):
        points, labels = torch.stack(list(points)), torch.stack(list(labels))
        logits = self.net(points)
        if mode == 'loss':
            return {'loss': F.cross_entropy(logits, labels)}
        if mode == 'predict':
            return list(zip(logits.argmax(1).tolist(), labels.tolist()))
        return logits


@METRICS.register_module()
class Hits(BaseMetric):

    def process(self, data_batch, data_samples):
        self.results.extend(int(p == t) for p, t in data_samples)

    def compute_metrics(self, results):
        return {'accuracy': sum(results) / len(results)}


if __name__ == '__main__':
    cfg = Config.fromfile('projects/moons/moons.yaml')
    Runner.from_cfg(cfg).train()
