from .pipeline import Standardizer, plant_windows, split_files
from .network import build_forecaster

__all__ = ["Standardizer", "plant_windows", "split_files", "build_forecaster"]
