from .datamodule import ToneDataModule
from .lit import LitKeyword

__all__ = ["ToneDataModule", "LitKeyword"]
