from .plain import PlainConv
from .resnet import TinyResNet
