from .resnet import MiniResNet
