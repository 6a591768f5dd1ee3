from molprop.datasets.molecules import MoleculeSet, pad_graphs

__all__ = ["MoleculeSet", "pad_graphs"]
