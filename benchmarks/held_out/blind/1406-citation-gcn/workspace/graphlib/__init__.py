from .layers import GCNConv, GCN
from .io import Graph, random_sbm, save_graph, load_graph

__all__ = ["GCNConv", "GCN", "Graph", "random_sbm", "save_graph", "load_graph"]
