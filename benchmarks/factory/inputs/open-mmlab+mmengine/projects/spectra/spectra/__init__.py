from .dataset import SyntheticSpectra
from .metric import MeanAbsoluteError
from .model import BandNormalizer, ConvEncoder, PoolHead, SpectraRegressor
from .transforms import AddNoise, DropBands, PackSpectrum

__all__ = [
    'AddNoise', 'BandNormalizer', 'ConvEncoder', 'DropBands', 'MeanAbsoluteError',
    'PackSpectrum', 'PoolHead', 'SpectraRegressor', 'SyntheticSpectra'
]
