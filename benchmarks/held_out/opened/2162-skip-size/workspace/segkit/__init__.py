from .data import ShapesDataModule
from .module import SegModule

__all__ = ["ShapesDataModule", "SegModule"]
