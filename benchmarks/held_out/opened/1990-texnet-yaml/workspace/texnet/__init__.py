"""TexNet: tiny texture classifier used for the lab course."""
__version__ = "0.3.1"
