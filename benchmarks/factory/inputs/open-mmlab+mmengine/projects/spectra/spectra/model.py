import torch
import torch.nn.functional as F
from torch import nn

from mmengine.model import BaseDataPreprocessor, BaseModel
from mmengine.registry import MODELS


@MODELS.register_module()
class BandNormalizer(BaseDataPreprocessor):

    def __init__(self, mean, std):
        super().__init__()
        self.register_buffer('mean', torch.tensor(mean))
        self.register_buffer('std', torch.tensor(std))

    def forward(self, data, training=False):
        data = self.cast_data(data)
        data['inputs'] = (data['inputs'] - self.mean) / self.std
        return data


@MODELS.register_module()
class ConvEncoder(nn.Module):

    def __init__(self, in_channels, channels, kernel_size):
        super().__init__()
        layers = []
        for width in channels:
            layers += [
                nn.Conv1d(in_channels, width, kernel_size, padding=kernel_size // 2),
                nn.BatchNorm1d(width),
                nn.ReLU(inplace=True),
            ]
            in_channels = width
        self.layers = nn.Sequential(*layers)

    def forward(self, x):
        return self.layers(x.unsqueeze(1))


@MODELS.register_module()
class PoolHead(nn.Module):

    def __init__(self, in_channels, out_features, pooled=6):
        super().__init__()
        self.pool = nn.AdaptiveAvgPool1d(pooled)
        self.fc = nn.Linear(in_channels * pooled, out_features)

    def forward(self, x):
        return self.fc(self.pool(x).flatten(1))


@MODELS.register_module()
class SpectraRegressor(BaseModel):

    def __init__(self, encoder, head, loss_weight=1.0, data_preprocessor=None):
        super().__init__(data_preprocessor=data_preprocessor)
        self.encoder = MODELS.build(encoder)
        self.head = MODELS.build(head)
        self.loss_weight = loss_weight

    def forward(self, inputs, labels, mode='tensor'):
        out = self.head(self.encoder(inputs))
        if mode == 'loss':
            return dict(loss=self.loss_weight * F.mse_loss(out, labels))
        if mode == 'predict':
            return [dict(pred=p, label=t) for p, t in zip(out, labels)]
        return out
