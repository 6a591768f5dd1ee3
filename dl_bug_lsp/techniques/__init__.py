"""The published techniques of bug localization, each a short composition."""

NAMES = ("buglocator", "bluir", "brtracer", "amalgam", "blia", "dnnloc", "bjxnet")
"""Their names, for those who only list them; `localizing` makes the techniques."""
