from .shapes import SHAPES, sample_batch
from .deepsets import DeepSets
from .engine import fit, evaluate
