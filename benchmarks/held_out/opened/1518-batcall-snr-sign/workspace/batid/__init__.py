from .data import CallModule
from .net import CallEmbedder

__all__ = ["CallModule", "CallEmbedder"]
