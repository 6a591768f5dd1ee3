"""The names of the published techniques, for those who only want to list them."""

NAMES = ("buglocator", "bluir", "brtracer", "amalgam", "blia", "dnnloc", "bjxnet")
