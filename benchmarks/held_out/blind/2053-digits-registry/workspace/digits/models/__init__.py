from .convnet import ConvNet
from .mlp import MLP
