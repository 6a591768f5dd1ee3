from .graph import Graph, normalized_edges
from .model import GCN
from .synth import make_citations

__all__ = ["Graph", "GCN", "make_citations", "normalized_edges"]
