from .features import LogMelSpectrogram
from .model import DigitRecognizer

__all__ = ["LogMelSpectrogram", "DigitRecognizer"]
