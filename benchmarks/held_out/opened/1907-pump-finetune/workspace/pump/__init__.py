from .signals import make_batch
from .nets import GRUEncoder, NextValue, StateClassifier
