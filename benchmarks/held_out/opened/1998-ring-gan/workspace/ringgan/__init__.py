from .trainer import GanTrainer

__all__ = ["GanTrainer"]
