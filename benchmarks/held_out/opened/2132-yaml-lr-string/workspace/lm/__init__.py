from .model import CharTransformer
from .vocab import CharVocab

__all__ = ["CharTransformer", "CharVocab"]
