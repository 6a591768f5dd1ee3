from .shapes import ShapesDataset, build_loaders

__all__ = ["ShapesDataset", "build_loaders"]
